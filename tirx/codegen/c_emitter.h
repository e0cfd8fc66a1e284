// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_CODEGEN_C_EMITTER_H_
#define TIRX_CODEGEN_C_EMITTER_H_

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "tirx/codegen/c_names.h"
#include "tirx/ir/module.h"

namespace tvm {
namespace tirx {

/// Formats that C texts keep as `float` in variables.
inline bool IsNarrowFloat(DLDataType t) {
  return IsFloating(t) && (t.code != kDLFloat || t.bits < 32);
}

/// What differs between the C-like languages.
struct CDialect {
  const char* name = "C";
  const char* helper_prefix = "static inline ";  // in front of helper functions
  const char* line_comment = "//";
};

/// Text of one function in a C-like language.
///
/// A scalar expression becomes an expression of the language. What cannot be one (a call of a
/// module function with results, a let binding) is written in front of the statement as statements
/// of its own, and then stands for a variable. Vectors are emitted lane by lane: a vector value is
/// a list of scalar expressions.
///
/// float16, bfloat16 and smaller floats are `float` in variables, rounded after each operation, and
/// integers of their bits in memory.
class CEmitter {
 public:
  explicit CEmitter(const CDialect& dialect) : dialect_(dialect) {}
  virtual ~CEmitter() = default;

 protected:
  using Lanes = std::vector<std::string>;

  // ---- types (c_types.cc)
  /// Type of a scalar in a variable, of an element in memory.
  virtual std::string ValueType(DLDataType dtype);
  virtual std::string MemoryType(DLDataType dtype);
  std::string PointerType(const Type& type);
  std::string TypeOf(const Type& type);
  std::string IntConstant(DLDataType dtype, int64_t value);
  std::string FloatConstant(DLDataType dtype, double value);
  /// Conversion of one scalar.
  std::string Convert(const std::string& value, DLDataType from, DLDataType to);
  /// Between the form in memory and the form in a variable.
  std::string FromMemory(const std::string& value, DLDataType dtype);
  std::string ToMemory(const std::string& value, DLDataType dtype);
  /// The value rounded to a format that is kept in a `float`.
  std::string Rounded(const std::string& value, DLDataType dtype);

  // ---- expressions (c_expr.cc)
  std::string Scalar(const Expr& expr);
  virtual Lanes Vector(const Expr& expr);
  std::string Condition(const Expr& expr);
  /// An index in 64 bits where it may be needed.
  std::string Index(const Expr& expr);
  std::string Binary(ExprKind kind, std::string a, std::string b, DLDataType dtype);
  Lanes Logical(const ExprObj* op);
  Lanes Choice(const Expr& condition, const Expr& yes, const Expr& no, DLDataType dtype);
  /// Scalars of any value: a tuple is its fields one after another.
  virtual Lanes Leaves(const Expr& expr);
  /// `text` as a variable, unless it is a name or a constant already.
  std::string Hold(const std::string& type, const std::string& text);

  // ---- calls (c_call.cc)
  virtual Lanes Call_(const CallObj* call);
  Lanes MathCall(const CallObj* call, const OpObj* op);
  virtual Lanes ModuleCall(const CallObj* call, const GlobalVarObj* callee);
  std::string ExternCall(const CallObj* call);

  // ---- memory (c_memory.cc)
  struct Place {
    std::string pointer;
    DLDataType element;  // of one scalar
    Lanes indices;       // of each lane, in scalars
  };
  Place Resolve(const Expr& source, const ffi::Array<Expr>& indices);
  std::string LoadLane(const Place& place, size_t lane);
  void StoreLane(const Place& place, size_t lane, const std::string& value);
  std::string AddressOf(const Expr& expr);
  std::string Bytes(const TensorTypeObj* type);

  // ---- statements (c_stmt.cc)
  void Block(const SeqStmt& block);
  void Statement(const Stmt& stmt);
  virtual void Alloc(const VarObj* var);
  void BindValue(const VarObj* var, const Expr& value);
  void Store(const TensorStoreObj* op);
  virtual void Loop(const ForObj* op);
  void CountedLoop(const ForObj* op);
  void While_(const WhileObj* op);
  void If_(const IfObj* op);
  virtual void Return_(const Expr& value) = 0;
  virtual void Region(const RegionStmtObj* op);
  /// Raises an error when the condition (text) holds.
  virtual void RaiseIf(const std::string& condition, const std::string& kind,
                       const std::vector<std::string>& parts) = 0;
  /// Gives open temporary memory back, down to `depth`.
  virtual void FreeDownTo(size_t depth) {}

  void Line(const std::string& text);
  void Open(const std::string& text);
  void Close(const std::string& text = "}");
  /// What `emit` writes, apart.
  std::string Captured(const std::function<void()>& emit);

  /// Text of a helper function by name; in front of everything that uses it. Adds what it needs.
  void Need(const std::string& helper);
  void AddHelper(const std::string& name, const std::string& text);

  struct Variable {
    Lanes leaves;  // of a scalar, vector, pointer, tensor or tuple
  };
  Variable& Find(const VarObj* var);
  /// Declares names for a variable of the type and returns them; nothing is written.
  Lanes Declare(const VarObj* var);
  std::vector<std::string> LeafTypes(const Type& type);

  const CDialect dialect_;
  CNames names_;
  std::string out_;
  int indent_ = 0;
  int speculative_ = 0;  // inside a Select: nothing may raise
  std::unordered_map<const VarObj*, Variable> vars_;
  std::vector<std::string> heap_;        // open temporary memory
  std::vector<size_t> loop_heap_depth_;  // length of heap_ at each open loop
  std::vector<bool> loop_is_parallel_;

  struct HelperList {
    std::vector<std::string> order;
    std::map<std::string, std::string> text;
  };
  HelperList* helpers_ = nullptr;  // of the module
};

}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_CODEGEN_C_EMITTER_H_
