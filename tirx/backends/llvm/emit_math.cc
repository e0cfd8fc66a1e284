// SPDX-License-Identifier: Apache-2.0
// Functions on numbers: LLVM intrinsics where the processor has the instruction, our own
// polynomials for float32, libm for float64.
#include "tirx/backends/llvm/emit_math.h"

#include "tirx/backends/llvm/emit.h"

namespace tvm {
namespace tirx {
namespace llvm_backend {
namespace {

// How a function is calculated when it has no polynomial.
struct MathRow {
  OpId id;
  llvm::Intrinsic::ID intrinsic;  // not_intrinsic: the C function
  const char* c_name;             // float64; float32 adds an `f`
  int args;
};

constexpr auto kNone = llvm::Intrinsic::not_intrinsic;
constexpr MathRow kRows[] = {
    {OpId::prim_fabs, llvm::Intrinsic::fabs, "fabs", 1},
    {OpId::prim_sqrt, llvm::Intrinsic::sqrt, "sqrt", 1},
    {OpId::prim_floor, llvm::Intrinsic::floor, "floor", 1},
    {OpId::prim_ceil, llvm::Intrinsic::ceil, "ceil", 1},
    {OpId::prim_trunc, llvm::Intrinsic::trunc, "trunc", 1},
    {OpId::prim_round, llvm::Intrinsic::roundeven, "roundeven", 1},
    {OpId::prim_nearbyint, llvm::Intrinsic::roundeven, "nearbyint", 1},
    {OpId::prim_copysign, llvm::Intrinsic::copysign, "copysign", 2},
    {OpId::prim_fma, llvm::Intrinsic::fma, "fma", 3},
    {OpId::prim_exp, kNone, "exp", 1},
    {OpId::prim_exp2, kNone, "exp2", 1},
    {OpId::prim_exp10, kNone, "exp10", 1},
    {OpId::prim_log, kNone, "log", 1},
    {OpId::prim_log2, kNone, "log2", 1},
    {OpId::prim_log10, kNone, "log10", 1},
    {OpId::prim_log1p, kNone, "log1p", 1},
    {OpId::prim_sin, kNone, "sin", 1},
    {OpId::prim_cos, kNone, "cos", 1},
    {OpId::prim_tan, kNone, "tan", 1},
    {OpId::prim_asin, kNone, "asin", 1},
    {OpId::prim_acos, kNone, "acos", 1},
    {OpId::prim_atan, kNone, "atan", 1},
    {OpId::prim_sinh, kNone, "sinh", 1},
    {OpId::prim_cosh, kNone, "cosh", 1},
    {OpId::prim_tanh, kNone, "tanh", 1},
    {OpId::prim_asinh, kNone, "asinh", 1},
    {OpId::prim_acosh, kNone, "acosh", 1},
    {OpId::prim_atanh, kNone, "atanh", 1},
    {OpId::prim_erf, kNone, "erf", 1},
    {OpId::prim_atan2, kNone, "atan2", 2},
    {OpId::prim_pow, kNone, "pow", 2},
    {OpId::prim_fmod, kNone, "fmod", 2},
    {OpId::prim_hypot, kNone, "hypot", 2},
    {OpId::prim_nextafter, kNone, "nextafter", 2},
};

const MathRow* FindRow(OpId id) {
  for (const MathRow& row : kRows) {
    if (row.id == id) return &row;
  }
  return nullptr;
}

}  // namespace

bool IsMathOp(OpId id) {
  switch (id) {
    case OpId::prim_popcount:
    case OpId::prim_clz:
    case OpId::prim_isnan:
    case OpId::prim_ldexp:
    case OpId::prim_rsqrt:
    case OpId::prim_sigmoid:
      return true;
    default:
      return FindRow(id) != nullptr;
  }
}

llvm::Value* FunctionEmitter::LibraryCall(const std::string& name,
                                          llvm::ArrayRef<llvm::Value*> args) {
  // Not linked as a C function would be: pure, so that equal calls merge and unused ones vanish.
  int lanes = 1;
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(args[0]->getType())) {
    lanes = vector->getNumElements();
  }
  llvm::Type* scalar = args[0]->getType()->getScalarType();
  std::vector<llvm::Type*> types;
  for (llvm::Value* arg : args) types.push_back(arg->getType()->getScalarType());
  std::string symbol = scalar->isFloatTy() ? name + "f" : name;
  llvm::FunctionCallee callee = m_.Extern(symbol, llvm::FunctionType::get(scalar, types, false));
  if (auto* function = llvm::dyn_cast<llvm::Function>(callee.getCallee())) {
    function->setDoesNotAccessMemory();
    function->addFnAttr(llvm::Attribute::WillReturn);
  }
  return PerLane(lanes, scalar, [&](int lane) -> llvm::Value* {
    std::vector<llvm::Value*> values;
    for (llvm::Value* arg : args) values.push_back(Lane(arg, lane));
    return b_.CreateCall(callee, values);
  });
}

llvm::Value* FunctionEmitter::EmitMathOp(const CallObj* call, OpId id) {
  DLDataType dtype = call->args[0]->dtype();
  std::vector<llvm::Value*> args;
  for (const Expr& arg : call->args) args.push_back(Emit(arg));

  // Functions on integers.
  if (id == OpId::prim_popcount || id == OpId::prim_clz) {
    llvm::Type* type = args[0]->getType();
    llvm::Value* count =
        id == OpId::prim_popcount
            ? b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, args[0])
            : b_.CreateIntrinsic(llvm::Intrinsic::ctlz, {type}, {args[0], b_.getFalse()});
    if (!call->ty.is_prim()) return count;
    return b_.CreateIntCast(count, m_.RegisterType(call->dtype()), false);
  }
  if (!IsFloating(dtype)) {
    if (id == OpId::prim_isnan) return llvm::Constant::getNullValue(Vector(m_.i1, Lanes(dtype)));
    // A float function of an integer: calculated in float64, and cut to the type of the call.
    if (id == OpId::prim_fabs)
      return b_.CreateIntrinsic(llvm::Intrinsic::abs, {args[0]->getType()},
                                {args[0], b_.getFalse()});
  }
  DLDataType wide = Float(dtype.code == kDLFloat && dtype.bits == 64 ? 64 : 32, Lanes(dtype));
  if (!IsFloating(dtype)) wide = Float(64, Lanes(dtype));
  int float_args = id == OpId::prim_ldexp ? 1 : static_cast<int>(args.size());
  for (int i = 0; i < float_args; ++i) {
    args[i] = Convert(args[i], call->args[i]->dtype(), wide);
  }
  if (id == OpId::prim_isnan) return b_.CreateFCmpUNO(args[0], args[0]);

  llvm::Value* result = nullptr;
  const MathRow* row = FindRow(id);
  if (id == OpId::prim_rsqrt) {
    llvm::Value* root = b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, args[0]);
    result = b_.CreateFDiv(llvm::ConstantFP::get(root->getType(), 1.0), root);
  } else if (id == OpId::prim_ldexp) {
    llvm::Value* exponent = Convert(args[1], call->args[1]->dtype(), Int(32, Lanes(dtype)));
    result = b_.CreateIntrinsic(llvm::Intrinsic::ldexp, {args[0]->getType(), exponent->getType()},
                                {args[0], exponent});
  } else if (row != nullptr && row->intrinsic != kNone) {
    result = b_.CreateIntrinsic(row->intrinsic, {args[0]->getType()}, args);
  } else {
    if (wide.bits == 32) result = EmitFloat32Function(b_, id, args);
    if (result == nullptr && id == OpId::prim_sigmoid) {
      llvm::Value* one = llvm::ConstantFP::get(args[0]->getType(), 1.0);
      llvm::Value* e = LibraryCall("exp", {b_.CreateFNeg(args[0])});
      result = b_.CreateFDiv(one, b_.CreateFAdd(one, e));
    }
    if (result == nullptr) result = LibraryCall(row->c_name, args);
  }
  if (!call->ty.is_prim()) return result;
  return Convert(result, wide, WithLanesOf(call->dtype(), wide));
}

}  // namespace llvm_backend
}  // namespace tirx
}  // namespace tvm
