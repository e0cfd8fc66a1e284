// SPDX-License-Identifier: Apache-2.0
// Expressions that are not calls.
#include <llvm/IR/IntrinsicInst.h>

#include "tirx/backends/llvm/emit.h"
#include "tirx/ir/ops.h"
#include "tirx/ir/stack_guard.h"

namespace tvm {
namespace tirx {
namespace llvm_backend {
namespace {

// Cheap and without a way to fail: fit to be calculated even when the value is not needed.
bool IsSpeculatable(const Expr& expr, int budget = 8) {
  if (budget <= 0) return false;
  switch (expr->kind) {
    case ExprKind::IntImm:
    case ExprKind::FloatImm:
    case ExprKind::Var:
      return true;
    case ExprKind::Add:
    case ExprKind::Sub:
    case ExprKind::Mul:
    case ExprKind::EQ:
    case ExprKind::NE:
    case ExprKind::LT:
    case ExprKind::LE:
    case ExprKind::GT:
    case ExprKind::GE:
    case ExprKind::And:
    case ExprKind::Or:
    case ExprKind::Min:
    case ExprKind::Max:
    case ExprKind::BitwiseAnd:
    case ExprKind::BitwiseOr:
    case ExprKind::BitwiseXor:
      return IsSpeculatable(Lhs(expr.get()), budget - 1) &&
             IsSpeculatable(Rhs(expr.get()), budget - 1);
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod:
    case ExprKind::Div:
    case ExprKind::Mod:
      return IsSpeculatable(Lhs(expr.get()), budget - 1) &&
             (Rhs(expr.get()).is(ExprKind::IntImm) || Rhs(expr.get()).is(ExprKind::FloatImm));
    case ExprKind::Not:
      return IsSpeculatable(static_cast<const NotObj*>(expr.get())->a, budget - 1);
    case ExprKind::Cast:
      return IsSpeculatable(static_cast<const CastObj*>(expr.get())->value, budget - 1);
    default:
      return false;
  }
}

}  // namespace

llvm::Value* FunctionEmitter::Constant(DLDataType dtype, int64_t value) {
  return llvm::ConstantInt::get(m_.RegisterType(dtype), static_cast<uint64_t>(value),
                                /*IsSigned=*/IsInt(dtype));
}

llvm::Value* FunctionEmitter::FloatConstant(DLDataType dtype, double value) {
  if (IsNativeFloat(dtype)) return llvm::ConstantFP::get(m_.RegisterType(dtype), value);
  llvm::Type* type = Vector(m_.f32, Lanes(dtype));
  return FromFloat(llvm::ConstantFP::get(type, value), dtype);
}

llvm::Value* FunctionEmitter::Condition(const Expr& expr) {
  llvm::Value* value = Emit(expr);
  if (value->getType()->isIntegerTy(1)) return value;
  return Convert(value, expr->dtype(), Bool());
}

llvm::Value* FunctionEmitter::Emit(const Expr& expr) {
  GuardStack();
  switch (expr->kind) {
    case ExprKind::IntImm: {
      auto* op = static_cast<const IntImmObj*>(expr.get());
      return Constant(op->dtype(), op->bits());
    }
    case ExprKind::FloatImm: {
      auto* op = static_cast<const FloatImmObj*>(expr.get());
      return FloatConstant(op->dtype(), op->value);
    }
    case ExprKind::StringImm:
      return m_.CString(static_cast<const StringImmObj*>(expr.get())->value);
    case ExprKind::Var: {
      Binding& binding = Find(static_cast<const VarObj*>(expr.get()));
      if (binding.leaves.empty() && binding.wide != nullptr) {
        // Loop variables are counted in 64 bits and cut down where their own type is asked for.
        return b_.CreateTrunc(binding.wide, m_.RegisterType(expr->dtype()));
      }
      if (binding.leaves.size() != 1) Unsupported("a tuple as an operand");
      return binding.leaves[0];
    }
    case ExprKind::Add:
    case ExprKind::Sub:
    case ExprKind::Mul:
    case ExprKind::Div:
    case ExprKind::Mod:
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod:
    case ExprKind::Min:
    case ExprKind::Max:
    case ExprKind::EQ:
    case ExprKind::NE:
    case ExprKind::LT:
    case ExprKind::LE:
    case ExprKind::GT:
    case ExprKind::GE:
    case ExprKind::BitwiseAnd:
    case ExprKind::BitwiseOr:
    case ExprKind::BitwiseXor:
    case ExprKind::LShift:
    case ExprKind::RShift:
      return EmitBinary(expr.get());
    case ExprKind::And:
    case ExprKind::Or:
      return EmitLogical(expr.get());
    case ExprKind::Not:
      return b_.CreateNot(Emit(static_cast<const NotObj*>(expr.get())->a));
    case ExprKind::BitwiseNot:
      return b_.CreateNot(Emit(static_cast<const BitwiseNotObj*>(expr.get())->a));
    case ExprKind::Cast: {
      auto* op = static_cast<const CastObj*>(expr.get());
      return Convert(Emit(op->value), op->value->dtype(), op->dtype());
    }
    case ExprKind::Select: {
      auto* op = static_cast<const SelectObj*>(expr.get());
      llvm::Value* condition = Emit(op->condition);
      ++speculative_;
      llvm::Value* yes = Emit(op->true_value);
      llvm::Value* no = Emit(op->false_value);
      --speculative_;
      return b_.CreateSelect(condition, yes, no);
    }
    case ExprKind::Ramp:
      return EmitRamp(static_cast<const RampObj*>(expr.get()));
    case ExprKind::Broadcast:
      return Splat(Emit(static_cast<const BroadcastObj*>(expr.get())->value), Lanes(expr->dtype()));
    case ExprKind::Shuffle:
      return EmitShuffle(static_cast<const ShuffleObj*>(expr.get()));
    case ExprKind::TensorLoad:
      return EmitLoad(static_cast<const TensorLoadObj*>(expr.get()));
    case ExprKind::Let:
    case ExprKind::Call:
    case ExprKind::Tuple:
    case ExprKind::TupleGetItem: {
      Leaves leaves = EmitLeaves(expr);
      if (leaves.size() != 1) Unsupported("a tuple or a call without a result as an operand");
      return leaves[0];
    }
    case ExprKind::DataTypeImm:
    case ExprKind::GenericConst:
    case ExprKind::GlobalVar:
    case ExprKind::Op:
    case ExprKind::TensorRegion:
    case ExprKind::LambdaExpr:
    case ExprKind::OpaqueExpr:
    case ExprKind::Function:
    case ExprKind::Foreign:
      break;
  }
  Unsupported("an expression of type " + expr->GetTypeKey());
}

Leaves FunctionEmitter::EmitLeaves(const Expr& expr) {
  GuardStack();
  switch (expr->kind) {
    case ExprKind::Var: {
      Binding& binding = Find(static_cast<const VarObj*>(expr.get()));
      if (!binding.leaves.empty() || binding.wide == nullptr) return binding.leaves;
      return {Emit(expr)};
    }
    case ExprKind::Tuple: {
      Leaves leaves;
      for (const Expr& field : static_cast<const TupleObj*>(expr.get())->fields) {
        leaves.append(EmitLeaves(field));
      }
      return leaves;
    }
    case ExprKind::TupleGetItem: {
      auto* op = static_cast<const TupleGetItemObj*>(expr.get());
      if (op->tuple_value.is(ExprKind::Tuple)) {
        return EmitLeaves(static_cast<const TupleObj*>(op->tuple_value.get())->fields[op->index]);
      }
      const auto& fields = static_cast<const TupleTypeObj*>(op->tuple_value->ty.get())->fields;
      Leaves all = EmitLeaves(op->tuple_value);
      size_t begin = 0, count = 0;
      for (int64_t i = 0; i <= op->index; ++i) {
        std::vector<llvm::Type*> types;
        m_.LeafTypes(fields[i], &types);
        begin += count;
        count = types.size();
      }
      return Leaves(all.begin() + begin, all.begin() + begin + count);
    }
    case ExprKind::Let: {
      auto* op = static_cast<const LetObj*>(expr.get());
      Leaves value = EmitLeaves(op->value);
      if (AsTensorType(op->var) != nullptr) {
        BindTensor(op->var.get(), value[0]);
      } else {
        Bind(op->var.get(), value);
      }
      return EmitLeaves(op->body);
    }
    case ExprKind::Call:
      return EmitCall(static_cast<const CallObj*>(expr.get()));
    default:
      return {Emit(expr)};
  }
}

llvm::Value* FunctionEmitter::EmitBinary(const ExprObj* op) {
  DLDataType dtype = Lhs(op)->dtype();
  if (op->kind == ExprKind::FloorDiv || op->kind == ExprKind::FloorMod ||
      op->kind == ExprKind::Div || op->kind == ExprKind::Mod) {
    llvm::Value* a = Emit(Lhs(op));
    return Arithmetic(op->kind, a, Emit(Rhs(op)), dtype);
  }
  llvm::Value* a = Emit(Lhs(op));
  llvm::Value* b = Emit(Rhs(op));
  return IsComparison(op->kind) ? Compare(op->kind, a, b, dtype)
                                : Arithmetic(op->kind, a, b, dtype);
}

llvm::Value* FunctionEmitter::Arithmetic(ExprKind kind, llvm::Value* a, llvm::Value* b,
                                         DLDataType dtype) {
  if (IsStoredFloat(dtype) ||
      (IsFloat16(dtype) && (kind == ExprKind::Min || kind == ExprKind::Max))) {
    llvm::Type* wide = Vector(m_.f32, Lanes(dtype));
    DLDataType f32 = Float(32, Lanes(dtype));
    return FromFloat(Arithmetic(kind, ToFloat(a, dtype, wide), ToFloat(b, dtype, wide), f32),
                     dtype);
  }
  bool floating = IsFloating(dtype);
  bool is_signed = IsInt(dtype);
  switch (kind) {
    case ExprKind::Add:
      return floating ? b_.CreateFAdd(a, b) : b_.CreateAdd(a, b);
    case ExprKind::Sub:
      return floating ? b_.CreateFSub(a, b) : b_.CreateSub(a, b);
    case ExprKind::Mul:
      return floating ? b_.CreateFMul(a, b) : b_.CreateMul(a, b);
    case ExprKind::Min:
    case ExprKind::Max: {
      bool min = kind == ExprKind::Min;
      if (floating && m_.options.fast_math) {
        return b_.CreateSelect(min ? b_.CreateFCmpOLT(a, b) : b_.CreateFCmpOGT(a, b), a, b);
      }
      llvm::Intrinsic::ID id = floating
                                   ? (min ? llvm::Intrinsic::minimum : llvm::Intrinsic::maximum)
                               : is_signed ? (min ? llvm::Intrinsic::smin : llvm::Intrinsic::smax)
                                           : (min ? llvm::Intrinsic::umin : llvm::Intrinsic::umax);
      return b_.CreateBinaryIntrinsic(id, a, b);
    }
    case ExprKind::Div:
    case ExprKind::Mod:
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod:
      if (floating) return kind == ExprKind::Div ? b_.CreateFDiv(a, b) : b_.CreateFRem(a, b);
      return Divide(kind, a, b, dtype);
    case ExprKind::BitwiseAnd:
      return b_.CreateAnd(a, b);
    case ExprKind::BitwiseOr:
      return b_.CreateOr(a, b);
    case ExprKind::BitwiseXor:
      return b_.CreateXor(a, b);
    case ExprKind::LShift:
      return b_.CreateShl(a, b);
    case ExprKind::RShift:
      return is_signed ? b_.CreateAShr(a, b) : b_.CreateLShr(a, b);
    default:
      break;
  }
  Unsupported("an operator");
}

llvm::Value* FunctionEmitter::Compare(ExprKind kind, llvm::Value* a, llvm::Value* b,
                                      DLDataType dtype) {
  using P = llvm::CmpInst::Predicate;
  if (IsStoredFloat(dtype)) {
    llvm::Type* wide = Vector(m_.f32, Lanes(dtype));
    a = ToFloat(a, dtype, wide);
    b = ToFloat(b, dtype, wide);
  }
  if (IsFloating(dtype)) {
    switch (kind) {
      case ExprKind::EQ:
        return b_.CreateFCmp(P::FCMP_OEQ, a, b);
      case ExprKind::NE:
        return b_.CreateFCmp(P::FCMP_UNE, a, b);
      case ExprKind::LT:
        return b_.CreateFCmp(P::FCMP_OLT, a, b);
      case ExprKind::LE:
        return b_.CreateFCmp(P::FCMP_OLE, a, b);
      case ExprKind::GT:
        return b_.CreateFCmp(P::FCMP_OGT, a, b);
      default:
        return b_.CreateFCmp(P::FCMP_OGE, a, b);
    }
  }
  bool s = IsInt(dtype);
  switch (kind) {
    case ExprKind::EQ:
      return b_.CreateICmp(P::ICMP_EQ, a, b);
    case ExprKind::NE:
      return b_.CreateICmp(P::ICMP_NE, a, b);
    case ExprKind::LT:
      return b_.CreateICmp(s ? P::ICMP_SLT : P::ICMP_ULT, a, b);
    case ExprKind::LE:
      return b_.CreateICmp(s ? P::ICMP_SLE : P::ICMP_ULE, a, b);
    case ExprKind::GT:
      return b_.CreateICmp(s ? P::ICMP_SGT : P::ICMP_UGT, a, b);
    default:
      return b_.CreateICmp(s ? P::ICMP_SGE : P::ICMP_UGE, a, b);
  }
}

llvm::Value* FunctionEmitter::Divide(ExprKind kind, llvm::Value* a, llvm::Value* b,
                                     DLDataType dtype) {
  bool quotient = kind == ExprKind::Div || kind == ExprKind::FloorDiv;
  bool floor = kind == ExprKind::FloorDiv || kind == ExprKind::FloorMod;
  llvm::Type* type = a->getType();
  llvm::Value* zero = llvm::Constant::getNullValue(type);
  llvm::Value* one = llvm::ConstantInt::get(type, 1);
  const llvm::APInt* constant = nullptr;
  if (auto* c = llvm::dyn_cast<llvm::Constant>(b)) {
    auto* splat = type->isVectorTy() ? c->getSplatValue() : c;
    if (auto* i = llvm::dyn_cast_or_null<llvm::ConstantInt>(splat)) constant = &i->getValue();
  }
  llvm::Value* negated = nullptr;  // divisor -1: the processor traps on INT_MIN / -1
  if (constant == nullptr) {
    llvm::Value* is_zero = b_.CreateICmpEQ(b, zero);
    if (speculative_ == 0) {
      llvm::Value* any = type->isVectorTy() ? b_.CreateOrReduce(is_zero) : is_zero;
      RaiseIf(any, "ZeroDivisionError", {"division by zero"});
    } else {
      b = b_.CreateSelect(is_zero, one, b);
    }
    if (IsInt(dtype)) {
      negated = b_.CreateICmpEQ(b, llvm::Constant::getAllOnesValue(type));
      b = b_.CreateSelect(negated, one, b);
    }
  } else if (constant->isZero()) {
    RaiseIf(b_.getTrue(), "ZeroDivisionError", {"division by zero"});
    b = one;
  } else if (IsInt(dtype) && constant->isAllOnes()) {
    return quotient ? b_.CreateNeg(a) : zero;
  }
  if (!IsInt(dtype)) return quotient ? b_.CreateUDiv(a, b) : b_.CreateURem(a, b);
  if (floor && constant != nullptr && constant->isPowerOf2() && !constant->isNegative()) {
    if (quotient) return b_.CreateAShr(a, llvm::ConstantInt::get(type, constant->logBase2()));
    return b_.CreateAnd(a, llvm::ConstantInt::get(type, *constant - 1));
  }
  llvm::Value* q = b_.CreateSDiv(a, b);
  llvm::Value* result;
  if (quotient && !floor) {
    result = q;
  } else {
    llvm::Value* r = b_.CreateSub(a, b_.CreateMul(q, b));
    if (!floor) {
      result = r;
    } else {
      // The remainder has the sign of the dividend; where that is not the divisor's, step down.
      llvm::Value* wrong =
          constant != nullptr && constant->isStrictlyPositive()
              ? b_.CreateICmpSLT(r, zero)
              : b_.CreateAnd(b_.CreateICmpNE(r, zero), b_.CreateICmpSLT(b_.CreateXor(r, b), zero));
      result = quotient ? b_.CreateSub(q, b_.CreateZExt(wrong, type))
                        : b_.CreateAdd(r, b_.CreateSelect(wrong, b, zero));
    }
  }
  if (negated == nullptr) return result;
  return b_.CreateSelect(negated, quotient ? b_.CreateNeg(a) : zero, result);
}

llvm::Value* FunctionEmitter::EmitLogical(const ExprObj* op) {
  bool is_and = op->kind == ExprKind::And;
  llvm::Value* a = Emit(Lhs(op));
  if (a->getType()->isVectorTy() || speculative_ > 0 || IsSpeculatable(Rhs(op))) {
    llvm::Value* b = Emit(Rhs(op));
    return is_and ? b_.CreateAnd(a, b) : b_.CreateOr(a, b);
  }
  // The right side may load where only the left side says it is allowed.
  llvm::BasicBlock* from = b_.GetInsertBlock();
  llvm::BasicBlock* right = Block("logic");
  llvm::BasicBlock* end = Block("logic_end");
  if (is_and) {
    b_.CreateCondBr(a, right, end);
  } else {
    b_.CreateCondBr(a, end, right);
  }
  b_.SetInsertPoint(right);
  llvm::Value* b = Emit(Rhs(op));
  llvm::BasicBlock* from_right = b_.GetInsertBlock();
  b_.CreateBr(end);
  b_.SetInsertPoint(end);
  llvm::PHINode* phi = b_.CreatePHI(m_.i1, 2);
  phi->addIncoming(b_.getInt1(!is_and), from);
  phi->addIncoming(b, from_right);
  return phi;
}

llvm::Value* FunctionEmitter::EmitChoice(const Expr& condition, const Expr& yes, const Expr& no) {
  llvm::Value* c = Emit(condition);
  if (c->getType()->isVectorTy() || (IsSpeculatable(yes) && IsSpeculatable(no))) {
    ++speculative_;
    llvm::Value* y = Emit(yes);
    llvm::Value* n = Emit(no);
    --speculative_;
    return b_.CreateSelect(c, y, n);
  }
  llvm::BasicBlock* then_block = Block("choose");
  llvm::BasicBlock* else_block = Block("choose_else");
  llvm::BasicBlock* end = Block("choose_end");
  b_.CreateCondBr(c, then_block, else_block);
  b_.SetInsertPoint(then_block);
  llvm::Value* y = Emit(yes);
  llvm::BasicBlock* from_then = b_.GetInsertBlock();
  b_.CreateBr(end);
  b_.SetInsertPoint(else_block);
  llvm::Value* n = Emit(no);
  llvm::BasicBlock* from_else = b_.GetInsertBlock();
  b_.CreateBr(end);
  b_.SetInsertPoint(end);
  llvm::PHINode* phi = b_.CreatePHI(y->getType(), 2);
  phi->addIncoming(y, from_then);
  phi->addIncoming(n, from_else);
  return phi;
}

llvm::Value* FunctionEmitter::EmitRamp(const RampObj* op) {
  int lanes = Lanes(op->dtype());
  llvm::Value* base = Splat(Emit(op->base), lanes);
  llvm::Type* element = base->getType()->getScalarType();
  std::vector<llvm::Constant*> numbers;
  for (int i = 0; i < lanes; ++i) numbers.push_back(llvm::ConstantInt::get(element, i));
  llvm::Value* steps =
      b_.CreateMul(llvm::ConstantVector::get(numbers), Splat(Emit(op->stride), lanes));
  return b_.CreateAdd(base, steps);
}

llvm::Value* FunctionEmitter::EmitShuffle(const ShuffleObj* op) {
  std::vector<llvm::Value*> lanes;
  for (const Expr& vector : op->vectors) {
    llvm::Value* value = Emit(vector);
    for (int i = 0; i < Lanes(vector->dtype()); ++i) lanes.push_back(Lane(value, i));
  }
  std::vector<llvm::Value*> chosen;
  for (const Expr& index : op->indices) {
    auto at = as_const_int(index);
    if (!at.has_value()) Unsupported("a Shuffle with an index that is not constant");
    if (*at < 0 || *at >= static_cast<int64_t>(lanes.size())) {
      TVM_FFI_THROW(IndexError) << "Shuffle index " << *at << " of " << lanes.size() << " lanes";
    }
    chosen.push_back(lanes[*at]);
  }
  if (chosen.size() == 1) return chosen[0];
  return PerLane(chosen.size(), chosen[0]->getType(), [&](int i) { return chosen[i]; });
}

llvm::Value* FunctionEmitter::EmitIndex(const Expr& expr) {
  GuardStack();
  DLDataType dtype = expr->dtype();
  if (IsVector(dtype) || !IsInteger(dtype)) {
    return b_.CreateIntCast(Emit(expr), Vector(m_.i64, Lanes(dtype)), IsInt(dtype));
  }
  if (IsInt(dtype) && dtype.bits >= 32) {
    switch (expr->kind) {
      case ExprKind::IntImm:
        return b_.getInt64(static_cast<const IntImmObj*>(expr.get())->bits());
      case ExprKind::Var: {
        Binding& binding = Find(static_cast<const VarObj*>(expr.get()));
        if (binding.wide != nullptr) return binding.wide;
        return b_.CreateSExt(binding.leaves[0], m_.i64);
      }
      case ExprKind::Add:
        return b_.CreateNSWAdd(EmitIndex(Lhs(expr.get())), EmitIndex(Rhs(expr.get())));
      case ExprKind::Sub:
        return b_.CreateNSWSub(EmitIndex(Lhs(expr.get())), EmitIndex(Rhs(expr.get())));
      case ExprKind::Mul:
        return b_.CreateNSWMul(EmitIndex(Lhs(expr.get())), EmitIndex(Rhs(expr.get())));
      case ExprKind::FloorDiv:
      case ExprKind::FloorMod:
      case ExprKind::Div:
      case ExprKind::Mod:
      case ExprKind::Min:
      case ExprKind::Max: {
        llvm::Value* a = EmitIndex(Lhs(expr.get()));
        return Arithmetic(expr->kind, a, EmitIndex(Rhs(expr.get())), Int(64));
      }
      case ExprKind::Cast: {
        const Expr& value = static_cast<const CastObj*>(expr.get())->value;
        DLDataType from = value->dtype();
        if (IsInt(from) && from.bits <= dtype.bits) return EmitIndex(value);
        break;
      }
      default:
        break;
    }
  }
  return b_.CreateIntCast(Emit(expr), m_.i64, IsInt(dtype));
}

}  // namespace llvm_backend
}  // namespace tirx
}  // namespace tvm
