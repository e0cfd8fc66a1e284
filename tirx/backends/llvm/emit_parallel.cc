// SPDX-License-Identifier: Apache-2.0
// Parallel loops: the body becomes a task that gets what it uses in a record on the launcher's
// stack.
#include "tirx/backends/llvm/emit.h"

#include <algorithm>
#include "tirx/ir/analysis.h"
#include "tirx/ir/ops.h"

namespace tvm {
namespace tirx {
namespace llvm_backend {

llvm::SmallVector<const VarObj*, 8> FunctionEmitter::Captures(
    const ffi::ObjectRef& region, llvm::ArrayRef<const VarObj*> defined) {
  ffi::Array<Var> own;
  for (const VarObj* var : defined) own.push_back(ffi::GetRef<Var>(var));
  llvm::SmallVector<const VarObj*, 8> result;
  auto add = [&](const VarObj* var) {
    if (vars_.count(var) != 0 && !llvm::is_contained(result, var)) result.push_back(var);
  };
  ffi::Array<Var> used = UndefinedVars(region, own);
  for (const Var& var : used) add(var.get());
  // The extents of a captured tensor may be asked for too (a DLTensor, a call).
  for (const Var& var : used) {
    const TensorTypeObj* tensor = AsTensorType(var);
    if (tensor == nullptr) continue;
    for (const Expr& extent : tensor->shape) {
      for (const Var& size : UndefinedVars(extent)) add(size.get());
    }
  }
  return result;
}

void FunctionEmitter::EmitParallelLaunch(const SeqStmt& body,
                                         const std::function<void(FunctionEmitter&)>& emit,
                                         const Stmt& captured) {
  auto captures = Captures(captured, {});
  // Every LLVM value behind the captured variables, once.
  std::vector<llvm::Value*> values;
  std::vector<llvm::Type*> types;
  auto note = [&](llvm::Value* value) {
    if (value == nullptr || llvm::isa<llvm::Constant>(value)) return;
    if (std::find(values.begin(), values.end(), value) != values.end()) return;
    values.push_back(value);
    types.push_back(value->getType());
  };
  for (const VarObj* var : captures) {
    const Binding& binding = Find(var);
    for (llvm::Value* leaf : binding.leaves) note(leaf);
    for (llvm::Value* stride : binding.strides) note(stride);
    note(binding.wide);
  }
  note(device_type_);
  note(device_id_);
  auto* record_type = llvm::StructType::get(m_.context, types);
  llvm::AllocaInst* record = EntryAlloca(record_type, nullptr, llvm::Align(64));
  for (unsigned i = 0; i < values.size(); ++i) {
    b_.CreateStore(values[i], b_.CreateStructGEP(record_type, record, i));
  }

  auto* task_type = llvm::FunctionType::get(m_.i32, {m_.i32, m_.ptr, m_.ptr}, false);
  llvm::Function* task_function = llvm::Function::Create(
      task_type, llvm::Function::InternalLinkage, function_->getName() + ".task", *m_.module);
  task_function->setDoesNotThrow();
  ResultShape status;
  FunctionEmitter task(m_, task_function, status);
  std::unordered_map<llvm::Value*, llvm::Value*> inside;
  for (unsigned i = 0; i < values.size(); ++i) {
    inside[values[i]] = task.b_.CreateLoad(
        types[i], task.b_.CreateStructGEP(record_type, task_function->getArg(2), i));
  }
  auto mapped = [&](llvm::Value* value) -> llvm::Value* {
    if (value == nullptr || llvm::isa<llvm::Constant>(value)) return value;
    return inside[value];
  };
  for (const VarObj* var : captures) {
    const Binding& outer = Find(var);
    Binding inner;
    for (llvm::Value* leaf : outer.leaves) inner.leaves.push_back(mapped(leaf));
    for (llvm::Value* stride : outer.strides) inner.strides.push_back(mapped(stride));
    inner.wide = mapped(outer.wide);
    inner.alias_scope = outer.alias_scope;
    inner.no_alias = outer.no_alias;
    task.vars_[var] = std::move(inner);
  }
  task.task_id_ = task_function->getArg(0);
  task.team_ = task_function->getArg(1);
  task.device_type_ = mapped(device_type_);
  task.device_id_ = mapped(device_id_);
  emit(task);
  task.Finish();

  auto* launch_type = llvm::FunctionType::get(m_.i32, {m_.ptr, m_.ptr}, false);
  llvm::FunctionCallee launch = m_.Helper("tirx.launch", launch_type, [&](llvm::Function* f) {
    f->addFnAttr(llvm::Attribute::NoInline);
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(m_.context, "", f));
    auto* threads = llvm::BasicBlock::Create(m_.context, "", f);
    auto* serial = llvm::BasicBlock::Create(m_.context, "", f);
    // {sync_handle, num_task} of a team of one.
    llvm::AllocaInst* alone = b.CreateAlloca(llvm::ArrayType::get(m_.i64, 2));
    b.CreateStore(b.getInt64(0), alone);
    b.CreateStore(b.getInt64(1), b.CreateConstGEP1_64(m_.i64, alone, 1));
    llvm::Value* runtime = b.CreateLoad(m_.ptr, m_.ContextPointer("__TVMBackendParallelLaunch"));
    b.CreateCondBr(b.CreateIsNotNull(runtime), threads, serial);
    b.SetInsertPoint(threads);
    auto* type = llvm::FunctionType::get(m_.i32, {m_.ptr, m_.ptr, m_.i32}, false);
    b.CreateRet(b.CreateCall(type, runtime, {f->getArg(0), f->getArg(1), b.getInt32(0)}));
    b.SetInsertPoint(serial);
    b.CreateRet(b.CreateCall(task_type, f->getArg(0), {b.getInt32(0), alone, f->getArg(1)}));
  });
  llvm::Value* failed = b_.CreateCall(launch, {task_function, record});
  FailIf(b_.CreateICmpNE(failed, b_.getInt32(0)));
}

void FunctionEmitter::EmitParallelFor(const ForObj* op) {
  int64_t first, stride, count;
  if (IsCountedLoop(op, &first, &stride, &count) && count <= 1) {
    return EmitUnrolled(op, first, stride, count);
  }
  EmitParallelLaunch(
      op->body, [&](FunctionEmitter& task) { task.EmitTeamFor(op); }, ffi::GetRef<For>(op));
}

void FunctionEmitter::EmitTeamFor(const ForObj* op) {
  llvm::Value* begin = EmitIndex(op->begin);
  llvm::Value* end = EmitIndex(op->end);
  llvm::Value* step = EmitIndex(op->step);
  RaiseIf(b_.CreateICmpEQ(step, b_.getInt64(0)), "ValueError", {"range step cannot be zero"});
  auto ceil_div = [&](llvm::Value* a, llvm::Value* b) {
    return b_.CreateSDiv(b_.CreateNSWAdd(a, b_.CreateNSWSub(b, b_.getInt64(1))), b);
  };
  llvm::Value* up = b_.CreateICmpSGT(step, b_.getInt64(0));
  llvm::Value* distance =
      b_.CreateSelect(up, b_.CreateNSWSub(end, begin), b_.CreateNSWSub(begin, end));
  llvm::Value* count = ceil_div(distance, b_.CreateSelect(up, step, b_.CreateNeg(step)));
  llvm::Value* task = b_.CreateSExt(task_id_, m_.i64);
  llvm::Value* tasks =
      b_.CreateSExt(b_.CreateLoad(m_.i32, b_.CreateConstGEP1_64(m_.i8, team_, 8)), m_.i64);
  bool cyclic = op->annotations.defined() &&
                op->annotations.find("codegen.parallel_stride_pattern") != op->annotations.end();
  llvm::Value* from = task;
  llvm::Value* to = count;
  llvm::Value* by = tasks;
  if (!cyclic) {
    llvm::Value* share = ceil_div(count, tasks);
    from = b_.CreateNSWMul(task, share);
    to = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b_.CreateNSWAdd(from, share), count);
    by = b_.getInt64(1);
  }
  auto body = [&](llvm::Value* i) {
    llvm::Value* at = b_.CreateNSWAdd(begin, b_.CreateNSWMul(i, step));
    BindLoopVar(op->var.get(), at);
    loops_.back().parallel = true;
    splits_loops_ = false;
    EmitBlock(op->body);
    splits_loops_ = true;
  };
  EmitLoop(from, to, by, Int(64), nullptr, body);
}

}  // namespace llvm_backend
}  // namespace tirx
}  // namespace tvm
