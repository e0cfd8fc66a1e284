// SPDX-License-Identifier: Apache-2.0
// Long runs of statements as functions of their own: the passes of LLVM take more than linear time
// in the size of a function, so a run of thousands of stores is cut.
#include "tirx/backends/llvm/emit.h"

#include <algorithm>
#include "tirx/ir/visitor.h"

namespace tvm {
namespace tirx {
namespace llvm_backend {
namespace {

// Blocks up to this many statements stay whole: parts cost some run time.
constexpr size_t kMinStatements = 1000;
constexpr size_t kPartStatements = 500;

// Whether a statement may move into another function: it defines no name for what follows, and does
// not leave the block.
bool MayMove(const Stmt& stmt) {
  if (stmt.is(StmtKind::TensorStore) || stmt.is(StmtKind::Evaluate)) return true;
  if (!stmt.is(StmtKind::For) && !stmt.is(StmtKind::While) && !stmt.is(StmtKind::If)) return false;
  bool moves = true;
  PostOrderVisitStmt(stmt, [&](const Stmt& inner) {
    moves &= !inner.is(StmtKind::Return) && !inner.is(StmtKind::RegionStmt);
    // A jump in an `if` may leave the block; inside a loop it belongs to that loop or one around
    // it.
    if (stmt.is(StmtKind::If)) moves &= !inner.is(StmtKind::Break) && !inner.is(StmtKind::Continue);
  });
  return moves;
}

}  // namespace

bool FunctionEmitter::EmitInParts(const SeqStmt& block) {
  const auto& seq = block->seq;
  if (seq.size() < kMinStatements || team_ != nullptr || is_part_) return false;
  size_t i = 0;
  while (i < seq.size() && !Terminated()) {
    size_t end = i;
    while (end < seq.size() && end - i < kPartStatements && MayMove(seq[end])) ++end;
    if (end - i < kPartStatements / 4) {
      // Too short for a function; then at least one statement, so that the loop goes on.
      for (end = std::max(end, i + 1); i < end && !Terminated(); ++i) EmitStmt(seq[i]);
      continue;
    }
    ffi::Array<Stmt> part(seq.begin() + i, seq.begin() + end);
    EmitPart(SeqStmt(part));
    i = end;
  }
  return true;
}

void FunctionEmitter::EmitPart(const SeqStmt& part) {
  auto captures = Captures(part, {});
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
  ResultShape status;
  llvm::Function* function =
      llvm::Function::Create(TypeOf(m_, status, types), llvm::Function::InternalLinkage,
                             function_->getName() + ".part", *m_.module);
  function->setDoesNotThrow();
  function->addFnAttr(llvm::Attribute::NoInline);
  FunctionEmitter emitter(m_, function, status);
  emitter.is_part_ = true;
  auto mapped = [&](llvm::Value* value) -> llvm::Value* {
    auto it = std::find(values.begin(), values.end(), value);
    return it == values.end() ? value : function->getArg(it - values.begin());
  };
  for (const VarObj* var : captures) {
    Binding binding = Find(var);
    for (llvm::Value*& leaf : binding.leaves) leaf = mapped(leaf);
    for (llvm::Value*& stride : binding.strides) stride = mapped(stride);
    binding.wide = mapped(binding.wide);
    emitter.vars_[var] = std::move(binding);
  }
  emitter.EmitBlock(part);
  bool may_fail = emitter.fail_ != nullptr;
  emitter.Finish();
  llvm::Value* failed = b_.CreateCall(function, values);
  if (may_fail) FailIf(b_.CreateICmpNE(failed, b_.getInt32(0)));
}

}  // namespace llvm_backend
}  // namespace tirx
}  // namespace tvm
