// SPDX-License-Identifier: Apache-2.0
// From TIRx functions to LLVM IR. Internal to the backend.
#ifndef TIRX_BACKENDS_LLVM_EMIT_H_
#define TIRX_BACKENDS_LLVM_EMIT_H_

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <tvm/ffi/cast.h>

#include "tirx/codegen/size_params.h"
#include "tirx/ir/module.h"

namespace llvm {
class TargetMachine;
}

namespace tvm {
namespace tirx {
namespace llvm_backend {

/// Whether LLVM calculates with the format itself; the other floats go through float32.
inline bool IsNativeFloat(DLDataType t) { return t.code == kDLFloat && t.bits >= 16; }
inline bool IsStoredFloat(DLDataType t) { return IsFloating(t) && !IsNativeFloat(t); }

/// A value of any type as LLVM values: one for a scalar, vector or pointer; the data pointer of a
/// tensor; the fields of a tuple one after another.
using Leaves = llvm::SmallVector<llvm::Value*, 2>;

/// What a variable stands for.
struct Binding {
  Leaves leaves;
  llvm::Value* wide = nullptr;  // an int scalar in 64 bits, when it is known without a conversion
  llvm::SmallVector<llvm::Value*, 4> strides;  // of a tensor whose extents are not all constant
  llvm::MDNode* alias_scope = nullptr;         // of a tensor that overlaps no other
  llvm::MDNode* no_alias = nullptr;
};

struct EmitOptions {
  bool fast_math = false;
};

/// One LLVM module in the making: types, strings, functions of the runtime.
class ModuleEmitter {
 public:
  ModuleEmitter(llvm::LLVMContext& context, llvm::TargetMachine* machine, EmitOptions options);

  /// Every function of `module` becomes an LLVM function: exported under its global_symbol, else
  /// internal. Throws ffi::Error for what the backend has no code for.
  std::unique_ptr<llvm::Module> Run(const IRModule& module);

  /// Type of a value in a register: bool is i1; formats that LLVM can't calculate with (bfloat16,
  /// 8 bits and less) are integers of their bits.
  llvm::Type* RegisterType(DLDataType dtype);
  /// Type of one element in memory: bool takes a byte.
  llvm::Type* ElementType(DLDataType dtype);
  /// Types of the leaves of a value.
  void LeafTypes(const Type& type, std::vector<llvm::Type*>* out);

  llvm::Constant* CString(const std::string& text);
  /// A pointer variable that the module loader fills in, NULL until then.
  llvm::GlobalVariable* ContextPointer(const std::string& name);
  /// A C function by name; the first use decides the type.
  llvm::FunctionCallee Extern(const std::string& name, llvm::FunctionType* type);
  llvm::FunctionCallee Helper(const std::string& name, llvm::FunctionType* type,
                              const std::function<void(llvm::Function*)>& define);
  /// The internal function of a module function, with its parameters flattened by InnerParams.
  llvm::Function* Inner(const GlobalVarObj* var);
  const FunctionObj* Callee(const GlobalVarObj* var) const;

  llvm::LLVMContext& context;
  llvm::TargetMachine* machine;
  const EmitOptions options;
  std::unique_ptr<llvm::Module> module;
  llvm::Type *void_t, *i1, *i8, *i16, *i32, *i64, *f16, *f32, *f64;
  llvm::PointerType* ptr;

 private:
  void EmitExported(const std::string& symbol, const Function& function);
  void EmitInner(const GlobalVar& var, const Function& function);

  llvm::StringMap<llvm::GlobalVariable*> strings_;
  std::unordered_map<const ffi::Object*, llvm::Function*> inner_;
  std::unordered_map<const ffi::Object*, Function> functions_;
};

/// How an LLVM function answers: a status (0, or -1 with the FFI error set) and results.
struct ResultShape {
  bool packed = false;  // the function is a safe call: its Return gives the status itself
  std::vector<llvm::Type*> values;
};

/// Emits the body of one LLVM function.
class FunctionEmitter {
 public:
  FunctionEmitter(ModuleEmitter& module, llvm::Function* function, ResultShape result);

  void Bind(const VarObj* var, Leaves leaves);
  void BindTensor(const VarObj* var, llvm::Value* data);
  /// Tells that no two of these tensors overlap.
  void SetDistinct(const std::vector<const VarObj*>& tensors);
  void EmitBody(const SeqStmt& body);
  /// Ends the function; without an explicit return it succeeds with zero results.
  void Finish();

  static llvm::FunctionType* TypeOf(ModuleEmitter& module, const ResultShape& result,
                                    llvm::ArrayRef<llvm::Type*> params);

 private:
  friend class MathEmitter;

  // ---- statements (emit_stmt.cc)
  void EmitStmt(const Stmt& stmt);
  void EmitBlock(const SeqStmt& block);
  void EmitBind(const BindObj* op);
  void EmitAlloc(const VarObj* var);
  void EmitStore(const TensorStoreObj* op);
  void EmitFor(const ForObj* op);
  void EmitUnrolled(const ForObj* op, int64_t begin, int64_t step, int64_t count);
  void EmitWhile(const WhileObj* op);
  void EmitIf(const IfObj* op);
  void EmitReturn(const Expr& value);
  void EmitRegion(const RegionStmtObj* op);
  void EmitEvaluate(const Expr& value);
  bool IsCountedLoop(const ForObj* op, int64_t* begin, int64_t* step, int64_t* count);
  /// `body(i)` for i = begin, begin + step, ... in 64 bits, between begin and end, which are values
  /// of `dtype`.
  void EmitLoop(llvm::Value* begin, llvm::Value* end, llvm::Value* step, DLDataType dtype,
                llvm::MDNode* metadata, const std::function<void(llvm::Value*)>& body);
  void BindLoopVar(const VarObj* var, llvm::Value* wide);
  llvm::MDNode* LoopMetadata(const ForObj* op);
  /// Emits a very long block as several functions; false when the block is not long enough.
  bool EmitInParts(const SeqStmt& block);
  void EmitPart(const SeqStmt& part);

  // ---- errors and temporary memory (emit_host.cc)
  void EmitAssert(const Expr& condition, const std::string& kind,
                  const std::vector<std::string>& parts);
  /// Goes to the failure exit when `failed` (i1) holds; the FFI error is set by then.
  void FailIf(llvm::Value* failed);
  /// Goes to the failure exit, which sets an error first, when `failed` (i1) holds.
  void RaiseIf(llvm::Value* failed, const std::string& kind, const std::vector<std::string>& parts);
  llvm::Value* AllocHeap(llvm::Value* bytes, llvm::Value** slot);
  void FreeHeap(llvm::Value* slot);
  void FreeAll();
  void ReturnStatus(llvm::Value* status);

  // ---- calls out of the kernel (emit_host.cc)
  Leaves EmitPackedCall(const CallObj* call, bool c_symbol);
  void StorePackedArg(llvm::Value* slot, const Expr& arg);
  llvm::Value* LoadPackedResult(llvm::Value* slot, const Type& type);
  llvm::Value* EmitExternCall(const CallObj* call);
  llvm::Value* EmitIntrinsicCall(const CallObj* call);
  Leaves EmitModuleCall(const CallObj* call, const GlobalVarObj* callee);
  llvm::Value* StackDLTensor(const Expr& tensor);

  // ---- parallel loops and outlined regions (emit_parallel.cc)
  void EmitParallelFor(const ForObj* op);
  void EmitParallelLaunch(const SeqStmt& body, const std::function<void(FunctionEmitter&)>& emit,
                          const Stmt& captured);
  void EmitTeamFor(const ForObj* op);
  llvm::SmallVector<const VarObj*, 8> Captures(const ffi::ObjectRef& region,
                                               llvm::ArrayRef<const VarObj*> defined);

  // ---- expressions (emit_expr.cc)
  llvm::Value* Emit(const Expr& expr);
  Leaves EmitLeaves(const Expr& expr);
  llvm::Value* EmitBinary(const ExprObj* op);
  llvm::Value* Arithmetic(ExprKind kind, llvm::Value* a, llvm::Value* b, DLDataType dtype);
  llvm::Value* Compare(ExprKind kind, llvm::Value* a, llvm::Value* b, DLDataType dtype);
  llvm::Value* Divide(ExprKind kind, llvm::Value* a, llvm::Value* b, DLDataType dtype);
  llvm::Value* EmitLogical(const ExprObj* op);
  llvm::Value* EmitChoice(const Expr& condition, const Expr& yes, const Expr& no);
  llvm::Value* EmitShuffle(const ShuffleObj* op);
  llvm::Value* EmitRamp(const RampObj* op);
  llvm::Value* EmitLoad(const TensorLoadObj* op);
  llvm::Value* Constant(DLDataType dtype, int64_t value);
  llvm::Value* FloatConstant(DLDataType dtype, double value);
  /// An integer expression in 64 bits; signed 32-bit arithmetic in it is assumed not to overflow.
  llvm::Value* EmitIndex(const Expr& expr);
  llvm::Value* Condition(const Expr& expr);

  // ---- memory (emit_memory.cc)
  struct Access {
    llvm::Value* base;  // data pointer
    const TensorTypeObj* tensor;
    const Binding* binding;
    llvm::Value* index;         // of the first element, i64, in scalars of the element format
    llvm::Value* lane_step;     // i64 distance of lanes; null when contiguous
    llvm::Value* lane_indices;  // <lanes x i64>, for anything else; null otherwise
    int lanes;                  // scalars moved
  };
  Access Resolve(const Expr& source, const ffi::Array<Expr>& indices);
  llvm::Value* ElementPointer(const Access& access, llvm::Value* index);
  llvm::Value* LoadAccess(const Access& access);
  void StoreAccess(const Access& access, llvm::Value* value);
  llvm::Value* LaneIndex(const Access& access, int lane);
  llvm::Value* LoadScalar(const Access& access, llvm::Value* index);
  void StoreScalar(const Access& access, llvm::Value* index, llvm::Value* value);
  llvm::Value* AddressOf(const Expr& expr);
  llvm::Value* TensorBytes(const TensorTypeObj* type);
  void Annotate(llvm::Instruction* inst, const Access& access);

  // ---- operators (emit_op.cc)
  Leaves EmitCall(const CallObj* call);
  llvm::Value* EmitOp(const CallObj* call, const OpObj* op);
  llvm::Value* EmitMathOp(const CallObj* call, OpId id);
  llvm::Value* EmitAtomicAdd(const CallObj* call);
  llvm::Value* AbiField(const CallObj* call, DLDataType* dtype, llvm::Type** type);
  llvm::Value* LibraryCall(const std::string& name, llvm::ArrayRef<llvm::Value*> args);

  // ---- conversions (emit_cast.cc)
  llvm::Value* Convert(llvm::Value* value, DLDataType from, DLDataType to);
  llvm::Value* ToFloat(llvm::Value* value, DLDataType from, llvm::Type* to);
  llvm::Value* FromFloat(llvm::Value* value, DLDataType to);
  llvm::Value* SmallToF32(llvm::Value* bits, DLDataType from);
  llvm::Value* F32ToSmall(llvm::Value* value, DLDataType to);

  // ---- small things
  llvm::BasicBlock* Block(const char* name);
  llvm::AllocaInst* EntryAlloca(llvm::Type* type, llvm::Value* count, llvm::Align align);
  llvm::Type* Vector(llvm::Type* element, int lanes);
  llvm::Value* Splat(llvm::Value* scalar, int lanes);
  llvm::Value* PerLane(int lanes, llvm::Type* element,
                       const std::function<llvm::Value*(int)>& lane);
  llvm::Value* Lane(llvm::Value* value, int lane);
  Binding& Find(const VarObj* var);
  bool Terminated() const;

  struct Loop {
    llvm::BasicBlock* next;
    llvm::BasicBlock* end;
    size_t heap_depth;
    bool parallel = false;  // shared by tasks: no break leaves it
  };

  ModuleEmitter& m_;
  llvm::Function* function_;
  const ResultShape result_;
  llvm::IRBuilder<> b_;
  std::unordered_map<const VarObj*, Binding> vars_;
  std::unordered_map<const VarObj*, std::pair<llvm::MDNode*, llvm::MDNode*>> distinct_;
  std::vector<Loop> loops_;
  std::vector<llvm::Value*> heap_slots_;  // open temporary memory, innermost last
  std::vector<llvm::Value*> all_slots_;   // every slot of the function, null when free
  llvm::BasicBlock* allocas_;             // entry block, ends with a jump to the body
  llvm::BasicBlock* raise_ = nullptr;     // sets the error that `raised_` names, then fails
  llvm::PHINode* raised_ = nullptr;
  llvm::BasicBlock* fail_ = nullptr;  // frees and returns the failure status
  int64_t stack_bytes_ = 0;
  int speculative_ = 0;  // inside a Select, where no value may raise
  // Inside a team: the parameters of the task.
  llvm::Value* task_id_ = nullptr;
  llvm::Value* team_ = nullptr;
  bool is_part_ = false;
  bool splits_loops_ = true;  // not inside a loop that is split already
  llvm::Value* device_type_ = nullptr;
  llvm::Value* device_id_ = nullptr;
};

/// Raises RuntimeError: the backend has no code for what is named.
[[noreturn]] void Unsupported(const std::string& what);

}  // namespace llvm_backend
}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_BACKENDS_LLVM_EMIT_H_
