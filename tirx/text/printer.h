// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tirx/ir/module.h"
#include "tirx/ir/stack_guard.h"
#include "tirx/text/config.h"
#include "tirx/text/names.h"
#include "tirx/text/underline.h"

namespace tvm {
namespace tirx {

// Python operator precedence, loosest first.
enum class Prec : int {
  Lowest = 0,
  Or,
  And,
  Not,
  Compare,
  BitOr,
  BitXor,
  BitAnd,
  Shift,
  Sum,
  Product,
  Unary,
  Atom,
};
inline Prec Tighter(Prec prec) { return static_cast<Prec>(static_cast<int>(prec) + 1); }

// Writes the text of one program into a string, in one pass over the tree. A variable gets its name
// where the walk first meets it; one that nothing defines gets a line before the program.
class Printer {
 public:
  explicit Printer(const PrinterConfig& config);
  // The whole text, header and underlining included.
  std::string Print(const ffi::Any& node);
  // The text of a part alone.
  std::string PrintBare(const ffi::ObjectRef& node);

 private:
  // print_any.cc
  void PrintAny(const ffi::Any& value);
  void PrintObject(const ffi::ObjectRef& node);
  void PrintDict(const ffi::Map<ffi::String, ffi::Any>& dict);
  void PrintAttrs(const Attrs& attrs, bool* first);
  void PrintLayout(const Layout& layout);
  void PrintIters(const ffi::Array<Iter>& iters, const char* field);
  void PrintRange(const Range& range);
  void PrintFallback(const ffi::ObjectRef& node);
  std::string Finish(bool header, size_t program_begin);

  // print_type.cc
  void PrintType(const Type& type);
  void PrintDType(DLDataType dtype);
  void PrintTensorType(const TensorTypeObj* type);

  // print_expr.cc
  void PrintExpr(const Expr& expr, Prec outer = Prec::Lowest);
  void PrintExprHere(const Expr& expr, Prec outer);
  void PrintBinary(const Expr& expr, Prec outer);
  void PrintConstructor(const char* name, const Expr& a, const Expr& b);
  void PrintIntImm(const IntImmObj* op);
  void PrintFloatImm(const FloatImmObj* op);
  void PrintTensorLoad(const TensorLoadObj* op);
  void PrintIndices(const ffi::Array<Expr>& indices, bool slices);
  bool PrintSlice(const Expr& index);
  void PrintLambda(const ffi::Array<Var>& vars, const std::function<void()>& body);
  void PrintLet(const LetObj* op);
  template <typename T>
  void PrintList(const ffi::Array<T>& items, const char* field);

  // print_call.cc
  void PrintCall(const CallObj* op);
  void PrintGenericCall(const CallObj* op, const OpObj* called);
  void PrintOpName(const OpObj* op);
  void PrintOperand(const Expr& arg, const char* field, int64_t i);

  // print_stmt.cc
  void PrintStmt(const Stmt& stmt);
  void PrintStmtHere(const Stmt& stmt);
  void PrintBlock(const SeqStmt& body, const char* field);
  void PrintFor(const ForObj* op);
  void PrintBind(const BindObj* op);
  void PrintStore(const TensorStoreObj* op);
  void PrintEvaluate(const EvaluateObj* op);
  void PrintRegion(const RegionStmtObj* op);

  // print_function.cc
  void PrintFunction(const FunctionObj* func, const std::string& name, const ffi::String* global);
  void PrintModule(const IRModuleObj* module);
  void PrintTypeParams(const FunctionObj* func, const std::unordered_set<const VarObj*>& params);
  std::string FunctionName(const ffi::String& name) const;

  // ---- names
  const std::string& NameOf(const VarObj* var);
  // Gives the variable a name now: it is defined here.
  const std::string& Define(const VarObj* var);
  bool IsNamed(const VarObj* var) const { return var_names_.count(var) != 0; }
  void DeclareFree(const VarObj* var);
  std::string Declaration(const VarObj* var, const std::string& name);

  // ---- text
  void Write(std::string_view text) { out_.append(text); }
  void Write(char c) { out_.push_back(c); }
  void WriteT() {
    out_.append(tirx_prefix_);
    out_.push_back('.');
  }
  void BeginLine() { out_.append(static_cast<size_t>(indent_), ' '); }
  void EndLine();
  // A position in the text that stays right when a line is put in front of the statement.
  struct Position {
    size_t at, inserted;
  };
  Position Here() const { return {out_.size(), inserted_}; }
  size_t At(Position position) const { return position.at + (inserted_ - position.inserted); }
  // Swaps the text [a, b) with [b, end): two parts are visited in one order and written in another.
  void SwapTail(size_t a, size_t b);

  // One step of the access path while a part is printed.
  class Step {
   public:
    Step(Printer* printer, const char* field, int64_t index = -1) : printer_(printer) {
      if (printer_->marks_) printer_->marks_->Push(field, index);
    }
    Step(Printer* printer, const char* field, ffi::Any key) : printer_(printer) {
      if (printer_->marks_) printer_->marks_->PushKey(field, std::move(key));
    }
    ~Step() {
      if (printer_->marks_) printer_->marks_->Pop();
    }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    Printer* printer_;
  };
  // The text written during its life belongs to `node`.
  class Span {
   public:
    Span(Printer* printer, const ffi::Object* node)
        : printer_(printer), node_(node), begin_(printer->Here()) {}
    ~Span() {
      if (printer_->marks_)
        printer_->marks_->Add(node_, printer_->At(begin_), printer_->out_.size());
    }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;

   private:
    Printer* printer_;
    const ffi::Object* node_;
    Position begin_;
  };

  std::string out_;
  int64_t indent_ = 0;
  int64_t indent_step_ = 4;
  DLDataType int_dtype_, float_dtype_;
  std::string tirx_prefix_ = "T", ir_prefix_ = "I";
  bool comment_imports_ = true;
  PrinterConfig config_;
  NameSupply names_;
  std::unordered_map<const VarObj*, std::string> var_names_;
  std::string module_name_ = "Module";
  // Integer literals carry their type even when it is the default one.
  bool typed_literals_ = false;
  // String literals as T.StringImm: inside attributes a bare one is a plain string.
  bool in_attrs_ = false;
  bool declare_free_ = false;
  bool annotated_ = false;
  std::string free_declarations_;
  std::vector<std::pair<const VarObj*, std::string>> free_names_;
  // Where the line of the current statement begins; a Let variable is declared there.
  size_t stmt_begin_ = 0;
  bool in_stmt_ = false;
  // Bytes that were put in front of statements so far.
  size_t inserted_ = 0;
  std::unique_ptr<Marks> marks_;
};

template <typename T>
void Printer::PrintList(const ffi::Array<T>& items, const char* field) {
  Write('[');
  for (int64_t i = 0; i < static_cast<int64_t>(items.size()); ++i) {
    if (i != 0) Write(", ");
    Step step(this, field, i);
    if constexpr (std::is_base_of_v<Type, T>) {
      PrintType(items[i]);
    } else {
      PrintExpr(items[i]);
    }
  }
  Write(']');
}

}  // namespace tirx
}  // namespace tvm
