// SPDX-License-Identifier: Apache-2.0
// Statements: blocks, loops, allocations, returns.
#include <llvm/IR/MDBuilder.h>

#include <algorithm>
#include <tuple>

#include "tirx/backends/llvm/emit.h"
#include "tirx/ir/ops.h"
#include "tirx/ir/stack_guard.h"

namespace tvm {
namespace tirx {
namespace llvm_backend {
namespace {

// Local memory up to this size lies on the stack, and all of a function up to the second.
constexpr int64_t kMaxStackTensor = int64_t{16} * 1024;
constexpr int64_t kMaxStackTotal = int64_t{64} * 1024;

// A loop marked unrolled is written out up to this many copies; above, LLVM decides.
constexpr int64_t kMaxUnrolledCopies = 256;

}  // namespace

FunctionEmitter::FunctionEmitter(ModuleEmitter& module, llvm::Function* function,
                                 ResultShape result)
    : m_(module), function_(function), result_(std::move(result)), b_(module.context) {
  allocas_ = llvm::BasicBlock::Create(m_.context, "entry", function_);
  llvm::BasicBlock* body = llvm::BasicBlock::Create(m_.context, "body", function_);
  b_.SetInsertPoint(body);
  if (m_.options.fast_math) {
    llvm::FastMathFlags flags;
    flags.setFast();
    // Infinities and NaN as inputs stay what they are; only min and max may ignore a NaN.
    flags.setNoNaNs(false);
    flags.setNoInfs(false);
    b_.setFastMathFlags(flags);
  }
}

llvm::FunctionType* FunctionEmitter::TypeOf(ModuleEmitter& module, const ResultShape& result,
                                            llvm::ArrayRef<llvm::Type*> params) {
  llvm::Type* type = module.i32;
  if (!result.values.empty()) {
    std::vector<llvm::Type*> fields{module.i32};
    fields.insert(fields.end(), result.values.begin(), result.values.end());
    type = llvm::StructType::get(module.context, fields);
  }
  return llvm::FunctionType::get(type, params, /*isVarArg=*/false);
}

llvm::BasicBlock* FunctionEmitter::Block(const char* name) {
  return llvm::BasicBlock::Create(m_.context, name, function_);
}

bool FunctionEmitter::Terminated() const { return b_.GetInsertBlock()->getTerminator() != nullptr; }

llvm::AllocaInst* FunctionEmitter::EntryAlloca(llvm::Type* type, llvm::Value* count,
                                               llvm::Align align) {
  auto* alloca = new llvm::AllocaInst(type, 0, count, align, "", allocas_);
  return alloca;
}

Binding& FunctionEmitter::Find(const VarObj* var) {
  auto it = vars_.find(var);
  if (it == vars_.end()) {
    TVM_FFI_THROW(ValueError) << "The variable `" << var->name
                              << "` is used where it is not defined";
  }
  return it->second;
}

void FunctionEmitter::Bind(const VarObj* var, Leaves leaves) {
  Binding binding;
  binding.leaves = std::move(leaves);
  vars_[var] = std::move(binding);
}

void FunctionEmitter::SetDistinct(const std::vector<const VarObj*>& tensors) {
  if (tensors.size() < 2) return;
  llvm::MDBuilder builder(m_.context);
  llvm::MDNode* domain = builder.createAnonymousAliasScopeDomain("tensors");
  std::vector<llvm::MDNode*> scopes;
  scopes.reserve(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    scopes.push_back(builder.createAnonymousAliasScope(domain));
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    std::vector<llvm::Metadata*> others;
    for (size_t j = 0; j < scopes.size(); ++j) {
      if (j != i) others.push_back(scopes[j]);
    }
    distinct_[tensors[i]] = {llvm::MDNode::get(m_.context, {scopes[i]}),
                             llvm::MDNode::get(m_.context, others)};
  }
}

void FunctionEmitter::EmitBody(const SeqStmt& body) { EmitBlock(body); }

void FunctionEmitter::Finish() {
  if (!Terminated()) ReturnStatus(b_.getInt32(0));
  if (raise_ != nullptr) {
    b_.SetInsertPoint(raise_);
    llvm::Value* kind = b_.CreateLoad(m_.ptr, raised_);
    llvm::Value* parts = b_.CreateLoad(m_.ptr, b_.CreateConstGEP1_64(m_.i8, raised_, 8));
    llvm::Value* count = b_.CreateLoad(m_.i32, b_.CreateConstGEP1_64(m_.i8, raised_, 16));
    auto* type = llvm::FunctionType::get(m_.void_t, {m_.ptr, m_.ptr, m_.i32}, false);
    b_.CreateCall(m_.Extern("TVMFFIErrorSetRaisedFromCStrParts", type), {kind, parts, count});
    b_.CreateBr(fail_);
  }
  if (fail_ != nullptr) {
    b_.SetInsertPoint(fail_);
    ReturnStatus(b_.getInt32(-1));
  }
  b_.SetInsertPoint(allocas_);
  for (llvm::Value* slot : all_slots_) b_.CreateStore(llvm::ConstantPointerNull::get(m_.ptr), slot);
  b_.CreateBr(allocas_->getNextNode());
}

void FunctionEmitter::ReturnStatus(llvm::Value* status) {
  FreeAll();
  if (result_.values.empty()) {
    b_.CreateRet(status);
    return;
  }
  llvm::Type* type = function_->getReturnType();
  llvm::Value* all = llvm::Constant::getNullValue(type);
  b_.CreateRet(b_.CreateInsertValue(all, status, 0));
}

void FunctionEmitter::EmitReturn(const Expr& value) {
  if (team_ != nullptr) {
    TVM_FFI_THROW(ValueError) << "A `return` cannot leave a parallel loop";
  }
  if (result_.packed) {
    ReturnStatus(b_.CreateIntCast(Emit(value), m_.i32, /*isSigned=*/true));
    return;
  }
  Leaves leaves = EmitLeaves(value);
  if (leaves.size() != result_.values.size()) {
    TVM_FFI_THROW(TypeError) << "A `return` gives " << leaves.size()
                             << " values, the function declares " << result_.values.size();
  }
  FreeAll();
  if (leaves.empty()) {
    b_.CreateRet(b_.getInt32(0));
    return;
  }
  llvm::Value* all = llvm::PoisonValue::get(function_->getReturnType());
  all = b_.CreateInsertValue(all, b_.getInt32(0), 0);
  for (unsigned i = 0; i < leaves.size(); ++i) all = b_.CreateInsertValue(all, leaves[i], i + 1);
  b_.CreateRet(all);
}

void FunctionEmitter::EmitBlock(const SeqStmt& block) {
  if (!block.defined()) return;
  size_t depth = heap_slots_.size();
  if (!EmitInParts(block)) {
    for (const Stmt& stmt : block->seq) {
      if (Terminated()) break;  // nothing after a break, continue or return runs
      EmitStmt(stmt);
    }
  }
  while (heap_slots_.size() > depth) {
    if (!Terminated()) FreeHeap(heap_slots_.back());
    heap_slots_.pop_back();
  }
}

void FunctionEmitter::EmitStmt(const Stmt& stmt) {
  GuardStack();
  switch (stmt->kind) {
    case StmtKind::SeqStmt:
      for (const Stmt& inner : static_cast<const SeqStmtObj*>(stmt.get())->seq) {
        if (Terminated()) break;
        EmitStmt(inner);
      }
      return;
    case StmtKind::Bind:
      return EmitBind(static_cast<const BindObj*>(stmt.get()));
    case StmtKind::TensorStore:
      return EmitStore(static_cast<const TensorStoreObj*>(stmt.get()));
    case StmtKind::For:
      return EmitFor(static_cast<const ForObj*>(stmt.get()));
    case StmtKind::While:
      return EmitWhile(static_cast<const WhileObj*>(stmt.get()));
    case StmtKind::Break:
    case StmtKind::Continue: {
      if (loops_.empty()) TVM_FFI_THROW(ValueError) << "A `break` or `continue` outside a loop";
      const Loop& loop = loops_.back();
      if (loop.parallel && stmt->kind == StmtKind::Break) {
        TVM_FFI_THROW(ValueError) << "A `break` cannot leave a parallel loop";
      }
      for (size_t i = heap_slots_.size(); i-- > loop.heap_depth;) FreeHeap(heap_slots_[i]);
      b_.CreateBr(stmt->kind == StmtKind::Break ? loop.end : loop.next);
      return;
    }
    case StmtKind::If:
      return EmitIf(static_cast<const IfObj*>(stmt.get()));
    case StmtKind::Return:
      return EmitReturn(static_cast<const ReturnObj*>(stmt.get())->value);
    case StmtKind::AssertStmt: {
      auto* op = static_cast<const AssertStmtObj*>(stmt.get());
      std::vector<std::string> parts;
      for (const StringImm& part : op->message_parts) parts.push_back(part->value);
      return EmitAssert(op->condition, op->error_kind->value, parts);
    }
    case StmtKind::Evaluate:
      return EmitEvaluate(static_cast<const EvaluateObj*>(stmt.get())->value);
    case StmtKind::RegionStmt:
      return EmitRegion(static_cast<const RegionStmtObj*>(stmt.get()));
    case StmtKind::Foreign:
      break;
  }
  Unsupported("a statement of type " + stmt->GetTypeKey());
}

void FunctionEmitter::EmitEvaluate(const Expr& value) {
  if (value.is(ExprKind::TensorRegion)) return;
  EmitLeaves(value);
}

void FunctionEmitter::EmitBind(const BindObj* op) {
  if (IsCallTo(op->value, OpId::tirx_alloc_tensor)) return EmitAlloc(op->var.get());
  Leaves leaves = EmitLeaves(op->value);
  if (AsTensorType(op->var) == nullptr) {
    Bind(op->var.get(), leaves);
    return;
  }
  BindTensor(op->var.get(), leaves[0]);
  if (auto it = distinct_.find(op->var.get()); it != distinct_.end()) {
    std::tie(vars_[op->var.get()].alias_scope, vars_[op->var.get()].no_alias) = it->second;
    return;
  }
  // A view of a tensor overlaps what the tensor overlaps.
  if (IsCallTo(op->value, OpId::tirx_decl_tensor)) {
    const Expr& data = static_cast<const CallObj*>(op->value.get())->args[0];
    if (IsCallTo(data, OpId::tirx_tensor_data_ptr)) {
      const Expr& source = static_cast<const CallObj*>(data.get())->args[0];
      if (source.is(ExprKind::Var)) {
        Binding root = Find(static_cast<const VarObj*>(source.get()));
        Binding& view = vars_[op->var.get()];
        view.alias_scope = root.alias_scope;
        view.no_alias = root.no_alias;
      }
    }
  }
}

void FunctionEmitter::EmitAlloc(const VarObj* var) {
  const TensorTypeObj* type = AsTensorType(ffi::GetRef<Var>(var));
  llvm::Value* bytes = TensorBytes(type);
  if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(bytes)) {
    int64_t count = constant->getSExtValue();
    if (count <= kMaxStackTensor && stack_bytes_ + count <= kMaxStackTotal) {
      stack_bytes_ += count;
      DLDataType dtype = Element(type->dtype->dtype);
      int64_t natural = std::max(1, ElementBytes(dtype));
      // Large tensors get the alignment that they ask for; a scalar lives in a register anyway.
      int64_t align =
          count >= 64 ? std::max(natural, std::min<int64_t>(type->data_alignment, 64)) : natural;
      if ((align & (align - 1)) != 0) align = 64;
      llvm::Type* memory;
      if (dtype.bits >= 8 && count % natural == 0) {
        memory = llvm::ArrayType::get(m_.ElementType(dtype), std::max<int64_t>(1, count / natural));
      } else {
        memory = llvm::ArrayType::get(m_.i8, std::max<int64_t>(1, count));
      }
      BindTensor(var, EntryAlloca(memory, nullptr, llvm::Align(align)));
      return;
    }
  }
  llvm::Value* slot = nullptr;
  llvm::Value* data = AllocHeap(bytes, &slot);
  heap_slots_.push_back(slot);
  BindTensor(var, data);
}

void FunctionEmitter::BindLoopVar(const VarObj* var, llvm::Value* wide) {
  DLDataType dtype = var->dtype();
  Binding binding;
  if (IsInt(dtype)) binding.wide = wide;
  if (dtype.bits == 64) {
    binding.leaves.push_back(wide);
  } else if (!IsInt(dtype)) {
    binding.leaves.push_back(b_.CreateTrunc(wide, m_.RegisterType(dtype)));
  }
  vars_[var] = std::move(binding);
}

llvm::MDNode* FunctionEmitter::LoopMetadata(const ForObj* op) {
  auto hint = [&](const char* name, llvm::Constant* value) {
    return llvm::MDNode::get(
        m_.context, {llvm::MDString::get(m_.context, name), llvm::ConstantAsMetadata::get(value)});
  };
  std::vector<llvm::Metadata*> entries{nullptr};
  if (op->loop_kind() == ForKind::Vectorized) {
    entries.push_back(hint("llvm.loop.vectorize.enable", b_.getTrue()));
  }
  if (op->loop_kind() == ForKind::Unrolled) {
    entries.push_back(llvm::MDNode::get(
        m_.context, {llvm::MDString::get(m_.context, "llvm.loop.unroll.enable")}));
  }
  if (op->annotations.defined()) {
    if (auto it = op->annotations.find("tirx.disable_unroll"); it != op->annotations.end()) {
      entries.push_back(llvm::MDNode::get(
          m_.context, {llvm::MDString::get(m_.context, "llvm.loop.unroll.disable")}));
    }
  }
  if (entries.size() == 1) return nullptr;
  llvm::MDNode* node = llvm::MDNode::getDistinct(m_.context, entries);
  node->replaceOperandWith(0, node);
  return node;
}

void FunctionEmitter::EmitLoop(llvm::Value* begin, llvm::Value* end, llvm::Value* step,
                               DLDataType dtype, llvm::MDNode* metadata,
                               const std::function<void(llvm::Value*)>& body) {
  bool is_unsigned = IsUInt(dtype);
  auto* constant = llvm::dyn_cast<llvm::ConstantInt>(step);
  using P = llvm::CmpInst::Predicate;
  P below = is_unsigned ? P::ICMP_ULT : P::ICMP_SLT;
  P above = is_unsigned ? P::ICMP_UGT : P::ICMP_SGT;
  bool by_one = constant != nullptr && (constant->isOne() || constant->isMinusOne());
  if (constant == nullptr || (dtype.bits == 64 && !by_one)) {
    // The direction is known at run time only, or a step may lead beyond the end of the type:
    // count the iterations first.
    if (constant == nullptr) {
      RaiseIf(b_.CreateICmpEQ(step, b_.getInt64(0)), "ValueError", {"range step cannot be zero"});
    }
    llvm::Value* up = b_.CreateICmpSGT(step, b_.getInt64(0));
    llvm::Value* low = b_.CreateSelect(up, begin, end);
    llvm::Value* high = b_.CreateSelect(up, end, begin);
    llvm::Value* stride = b_.CreateSelect(up, step, b_.CreateNeg(step));
    // At least one iteration lies in a distance that is not zero.
    llvm::Value* further =
        b_.CreateUDiv(b_.CreateSub(b_.CreateSub(high, low), b_.getInt64(1)), stride);
    llvm::Value* count = b_.CreateSelect(b_.CreateICmp(below, low, high),
                                         b_.CreateAdd(further, b_.getInt64(1)), b_.getInt64(0));
    bool may_wrap = dtype.bits == 64;
    EmitLoop(b_.getInt64(0), count, b_.getInt64(1), UInt(64), metadata, [&](llvm::Value* i) {
      body(may_wrap ? b_.CreateAdd(begin, b_.CreateMul(i, step))
                    : b_.CreateNSWAdd(begin, b_.CreateNSWMul(i, step)));
    });
    return;
  }
  P before = constant->isNegative() ? above : below;
  llvm::BasicBlock* from = b_.GetInsertBlock();
  llvm::BasicBlock* loop = Block("loop");
  llvm::BasicBlock* next = Block("next");
  llvm::BasicBlock* done = Block("done");
  b_.CreateCondBr(b_.CreateICmp(before, begin, end), loop, done);
  b_.SetInsertPoint(loop);
  llvm::PHINode* i = b_.CreatePHI(m_.i64, 2);
  i->addIncoming(begin, from);
  loops_.push_back(Loop{next, done, heap_slots_.size()});
  body(i);
  loops_.pop_back();
  if (!Terminated()) b_.CreateBr(next);
  b_.SetInsertPoint(next);
  if (next->hasNPredecessors(0)) {
    next->eraseFromParent();  // every path leaves the loop in its first iteration
  } else {
    // By one, the variable does not get past the end.
    llvm::Value* following =
        b_.CreateAdd(i, step, "", is_unsigned && constant->isOne(), !is_unsigned);
    i->addIncoming(following, next);
    llvm::BranchInst* again = b_.CreateCondBr(b_.CreateICmp(before, following, end), loop, done);
    if (metadata != nullptr) again->setMetadata(llvm::LLVMContext::MD_loop, metadata);
  }
  b_.SetInsertPoint(done);
}

bool FunctionEmitter::IsCountedLoop(const ForObj* op, int64_t* begin, int64_t* step,
                                    int64_t* count) {
  auto first = as_const_int(op->begin), last = as_const_int(op->end), by = as_const_int(op->step);
  if (!first || !last || !by || *by == 0) return false;
  bool up = *by > 0;
  *begin = *first;
  *step = *by;
  *count = 0;
  if (up ? *first >= *last : *first <= *last) return true;
  // Differences of 64-bit numbers fit when they have no sign.
  auto a = static_cast<uint64_t>(*first), b = static_cast<uint64_t>(*last);
  auto stride = static_cast<uint64_t>(*by);
  uint64_t further = up ? (b - a - 1) / stride : (a - b - 1) / (0 - stride);
  if (further >= static_cast<uint64_t>(INT64_MAX)) return false;
  *count = static_cast<int64_t>(further) + 1;
  return true;
}

void FunctionEmitter::EmitUnrolled(const ForObj* op, int64_t begin, int64_t step, int64_t count) {
  llvm::BasicBlock* done = Block("unrolled");
  for (int64_t i = 0; i < count; ++i) {
    llvm::BasicBlock* next = i + 1 < count ? Block("copy") : done;
    BindLoopVar(op->var.get(), b_.getInt64(begin + i * step));
    loops_.push_back(Loop{next, done, heap_slots_.size()});
    EmitBlock(op->body);
    loops_.pop_back();
    if (!Terminated()) b_.CreateBr(next);
    b_.SetInsertPoint(next);
    if (i + 1 < count && next->hasNPredecessors(0)) {
      // The body always leaves the loop.
      b_.CreateUnreachable();
      break;
    }
  }
  if (count == 0) b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

void FunctionEmitter::EmitFor(const ForObj* op) {
  if (op->loop_kind() == ForKind::Parallel) {
    if (team_ == nullptr) return EmitParallelFor(op);
    if (splits_loops_) return EmitTeamFor(op);
  }
  int64_t first, stride, count;
  if (op->loop_kind() == ForKind::Unrolled && IsCountedLoop(op, &first, &stride, &count) &&
      count <= kMaxUnrolledCopies) {
    return EmitUnrolled(op, first, stride, count);
  }
  llvm::Value* begin = EmitIndex(op->begin);
  llvm::Value* end = EmitIndex(op->end);
  EmitLoop(begin, end, EmitIndex(op->step), op->var->dtype(), LoopMetadata(op),
           [&](llvm::Value* i) {
             BindLoopVar(op->var.get(), i);
             EmitBlock(op->body);
           });
}

void FunctionEmitter::EmitWhile(const WhileObj* op) {
  llvm::BasicBlock* test = Block("while");
  llvm::BasicBlock* body = Block("while_body");
  llvm::BasicBlock* done = Block("while_done");
  b_.CreateBr(test);
  b_.SetInsertPoint(test);
  b_.CreateCondBr(Condition(op->condition), body, done);
  b_.SetInsertPoint(body);
  loops_.push_back(Loop{test, done, heap_slots_.size()});
  EmitBlock(op->body);
  loops_.pop_back();
  if (!Terminated()) b_.CreateBr(test);
  b_.SetInsertPoint(done);
}

void FunctionEmitter::EmitIf(const IfObj* op) {
  llvm::Value* condition = Condition(op->condition);
  if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(condition)) {
    EmitBlock(constant->isOne() ? op->then_case : op->else_case);
    return;
  }
  llvm::BasicBlock* then_block = Block("then");
  llvm::BasicBlock* done = Block("if_done");
  llvm::BasicBlock* else_block = op->else_case.defined() ? Block("else") : done;
  llvm::BranchInst* branch = b_.CreateCondBr(condition, then_block, else_block);
  if (IsCallTo(op->condition, OpId::prim_likely)) {
    branch->setMetadata(
        llvm::LLVMContext::MD_prof,
        llvm::MDNode::get(m_.context, {llvm::MDString::get(m_.context, "branch_weights"),
                                       llvm::ConstantAsMetadata::get(b_.getInt32(2000)),
                                       llvm::ConstantAsMetadata::get(b_.getInt32(1))}));
  }
  b_.SetInsertPoint(then_block);
  EmitBlock(op->then_case);
  if (!Terminated()) b_.CreateBr(done);
  if (op->else_case.defined()) {
    b_.SetInsertPoint(else_block);
    EmitBlock(op->else_case);
    if (!Terminated()) b_.CreateBr(done);
  }
  b_.SetInsertPoint(done);
  if (done->hasNPredecessors(0)) b_.CreateUnreachable();
}

void FunctionEmitter::EmitRegion(const RegionStmtObj* op) {
  switch (op->op->id()) {
    case OpId::tirx_device_context: {
      llvm::Value* type = device_type_;
      llvm::Value* id = device_id_;
      device_type_ = b_.CreateIntCast(Emit(op->args[0]), m_.i32, true);
      device_id_ = b_.CreateIntCast(Emit(op->args[1]), m_.i32, true);
      EmitBlock(op->body);
      device_type_ = type;
      device_id_ = id;
      return;
    }
    case OpId::tirx_compute_scope:
      return EmitBlock(op->body);
    case OpId::tirx_parallel_launch:
      if (team_ != nullptr) return EmitBlock(op->body);
      return EmitParallelLaunch(
          op->body, [&](FunctionEmitter& task) { task.EmitBlock(op->body); }, op->body);
    default:
      break;
  }
  Unsupported("the region `" + std::string(op->op->name) + "` on a CPU");
}

}  // namespace llvm_backend
}  // namespace tirx
}  // namespace tvm
