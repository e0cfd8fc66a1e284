// SPDX-License-Identifier: Apache-2.0
// Conversions between element formats. bfloat16 and the formats of 8 bits and less are integers of
// their bits in registers; everything goes through float32, rounding to nearest even.
#include <cmath>

#include "tirx/backends/llvm/emit.h"
#include "tirx/codegen/float_format.h"

namespace tvm {
namespace tirx {
namespace llvm_backend {
llvm::Value* FunctionEmitter::Convert(llvm::Value* value, DLDataType from, DLDataType to) {
  int lanes = Lanes(to);
  if (Lanes(from) != lanes) {
    if (Lanes(from) != 1) {
      TVM_FFI_THROW(TypeError) << "Cannot convert " << ffi::DLDataTypeToString(from) << " to "
                               << ffi::DLDataTypeToString(to);
    }
    value = Splat(value, lanes);
    from = WithLanes(from, lanes);
  }
  if (SameDType(from, to)) return value;
  llvm::Type* type = m_.RegisterType(to);
  if (from.code == kDLOpaqueHandle || to.code == kDLOpaqueHandle) {
    if (value->getType()->isPointerTy() && type->isPointerTy()) return value;
    return value->getType()->isPointerTy() ? b_.CreatePtrToInt(value, type)
                                           : b_.CreateIntToPtr(value, type);
  }
  bool from_float = IsFloating(from), to_float = IsFloating(to);
  if (IsBool(to)) {
    if (!from_float) return b_.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
    llvm::Type* wide = IsNativeFloat(from) ? value->getType() : Vector(m_.f32, lanes);
    value = ToFloat(value, from, wide);
    return b_.CreateFCmpUNE(value, llvm::Constant::getNullValue(wide));
  }
  if (!from_float && !to_float) return b_.CreateIntCast(value, type, IsInt(from));
  if (from_float && !to_float) {
    llvm::Type* wide = IsNativeFloat(from) ? value->getType() : Vector(m_.f32, lanes);
    value = ToFloat(value, from, wide);
    // Out of range and NaN give the nearest value and 0: the same on every processor.
    return b_.CreateIntrinsic(IsInt(to) ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
                              {type, wide}, {value});
  }
  if (!from_float) {
    llvm::Type* wide = type;
    if (!IsNativeFloat(to)) {
      // By way of float64 when float32 would round a first time.
      wide = Vector(from.bits > 16 ? m_.f64 : m_.f32, lanes);
    }
    llvm::Value* result = IsInt(from) ? b_.CreateSIToFP(value, wide) : b_.CreateUIToFP(value, wide);
    return IsNativeFloat(to) ? result : FromFloat(result, to);
  }
  if (IsNativeFloat(to)) return ToFloat(value, from, type);
  llvm::Type* wide = IsNativeFloat(from) ? value->getType() : Vector(m_.f32, lanes);
  return FromFloat(ToFloat(value, from, wide), to);
}

llvm::Value* FunctionEmitter::ToFloat(llvm::Value* value, DLDataType from, llvm::Type* to) {
  if (!IsNativeFloat(from)) value = SmallToF32(value, from);
  unsigned have = value->getType()->getScalarSizeInBits(), want = to->getScalarSizeInBits();
  if (have < want) return b_.CreateFPExt(value, to);
  if (have > want) return b_.CreateFPTrunc(value, to);
  return value;
}

llvm::Value* FunctionEmitter::FromFloat(llvm::Value* value, DLDataType to) {
  if (IsNativeFloat(to)) {
    llvm::Type* type = m_.RegisterType(to);
    unsigned have = value->getType()->getScalarSizeInBits(), want = type->getScalarSizeInBits();
    return have < want   ? b_.CreateFPExt(value, type)
           : have > want ? b_.CreateFPTrunc(value, type)
                         : value;
  }
  return F32ToSmall(value, to);
}

llvm::Value* FunctionEmitter::SmallToF32(llvm::Value* bits, DLDataType from) {
  int lanes = Lanes(from);
  llvm::Type* i32 = Vector(m_.i32, lanes);
  llvm::Type* f32 = Vector(m_.f32, lanes);
  auto c = [&](uint32_t v) { return llvm::ConstantInt::get(i32, v); };
  llvm::Value* x = b_.CreateZExt(bits, i32);
  if (IsBFloat16(from)) return b_.CreateBitCast(b_.CreateShl(x, c(16)), f32);
  FloatFormat format = FormatOf(from);
  if (format.exponent_only) {
    // A power of two: the bits are the exponent; 0 is the subnormal 2^-127, all ones is NaN.
    llvm::Value* normal = b_.CreateShl(x, c(23));
    normal = b_.CreateSelect(b_.CreateICmpEQ(x, c(0)), c(0x00400000), normal);
    normal = b_.CreateSelect(b_.CreateICmpEQ(x, c(0xFF)), c(0x7FC00000), normal);
    return b_.CreateBitCast(normal, f32);
  }
  int mantissa = format.mantissa_bits;
  uint32_t magnitude_mask = (1u << (format.bits - 1)) - 1;
  llvm::Value* magnitude = b_.CreateAnd(x, c(magnitude_mask));
  llvm::Value* sign = b_.CreateShl(b_.CreateLShr(x, c(format.bits - 1)), c(31));
  // The same bits at the place of float32, then scaled: exact for subnormals too.
  llvm::Value* shifted = b_.CreateBitCast(b_.CreateShl(magnitude, c(23 - mantissa)), f32);
  llvm::Constant* scale =
      llvm::ConstantFP::get(f32, llvm::APFloat(std::ldexp(1.0f, 127 - format.bias)));
  llvm::Value* scaled = b_.CreateBitCast(b_.CreateFMul(shifted, scale), i32);
  if (format.infinity_code >= 0) {
    scaled =
        b_.CreateSelect(b_.CreateICmpEQ(magnitude, c(format.infinity_code)), c(0x7F800000), scaled);
  }
  if (format.nan_code >= 0) {
    llvm::Value* is_nan = format.unsigned_zero ? b_.CreateICmpEQ(x, c(format.nan_code))
                                               : b_.CreateICmpUGE(magnitude, c(format.nan_from));
    scaled = b_.CreateSelect(is_nan, c(0x7FC00000), scaled);
  }
  return b_.CreateBitCast(b_.CreateOr(scaled, sign), f32);
}

llvm::Value* FunctionEmitter::F32ToSmall(llvm::Value* value, DLDataType to) {
  int lanes = Lanes(to);
  llvm::Type* i32 = Vector(m_.i32, lanes);
  llvm::Type* f32 = Vector(m_.f32, lanes);
  llvm::Type* type = m_.RegisterType(to);
  auto c = [&](uint32_t v) { return llvm::ConstantInt::get(i32, v); };
  if (value->getType()->getScalarType()->isDoubleTy()) {
    // Round to odd: a second rounding then gives what one rounding would have given.
    llvm::Value* near = b_.CreateFPTrunc(value, f32);
    llvm::Value* back = b_.CreateFPExt(near, value->getType());
    llvm::Value* inexact = b_.CreateFCmpONE(back, value);
    llvm::Value* bits = b_.CreateBitCast(near, i32);
    // When rounding went away from zero, step back before setting the last bit.
    llvm::Value* too_far = b_.CreateFCmpOGT(b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back),
                                            b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value));
    llvm::Value* odd = b_.CreateOr(b_.CreateSub(bits, b_.CreateZExt(too_far, i32)), c(1));
    value = b_.CreateBitCast(b_.CreateSelect(inexact, odd, bits), f32);
  } else if (value->getType()->getScalarType()->isHalfTy()) {
    value = b_.CreateFPExt(value, f32);
  }
  llvm::Value* bits = b_.CreateBitCast(value, i32);
  llvm::Value* is_nan = b_.CreateFCmpUNO(value, value);
  if (IsBFloat16(to)) {
    llvm::Value* lowest = b_.CreateAnd(b_.CreateLShr(bits, c(16)), c(1));
    llvm::Value* rounded =
        b_.CreateLShr(b_.CreateAdd(bits, b_.CreateAdd(lowest, c(0x7FFF))), c(16));
    llvm::Value* quiet = b_.CreateOr(b_.CreateLShr(bits, c(16)), c(0x40));
    return b_.CreateTrunc(b_.CreateSelect(is_nan, quiet, rounded), type);
  }
  FloatFormat format = FormatOf(to);
  if (format.exponent_only) {
    llvm::Value* magnitude = b_.CreateAnd(bits, c(0x7FFFFFFF));
    // Nearest power of two: up from one and a half on.
    llvm::Value* exponent = b_.CreateLShr(b_.CreateAdd(magnitude, c(0x00400000)), c(23));
    exponent = b_.CreateSelect(b_.CreateICmpUGT(exponent, c(0xFE)), c(0xFE), exponent);
    return b_.CreateTrunc(b_.CreateSelect(is_nan, c(0xFF), exponent), type);
  }
  int mantissa = format.mantissa_bits;
  llvm::Value* sign = b_.CreateShl(b_.CreateLShr(bits, c(31)), c(format.bits - 1));
  llvm::Value* magnitude = b_.CreateAnd(bits, c(0x7FFFFFFF));
  // Normal results: rebias the exponent, round the mantissa to nearest even.
  int drop = 23 - mantissa;
  llvm::Value* lowest = b_.CreateAnd(b_.CreateLShr(magnitude, c(drop)), c(1));
  llvm::Value* rounded = b_.CreateAdd(magnitude, b_.CreateAdd(lowest, c((1u << (drop - 1)) - 1)));
  llvm::Value* normal = b_.CreateLShr(
      b_.CreateSub(rounded, c(static_cast<uint32_t>(127 - format.bias) << 23)), c(drop));
  // Subnormal results: adding 2^k makes the processor round at the right place.
  uint32_t magic = static_cast<uint32_t>(127 + drop + 1 - format.bias) << 23;
  llvm::Value* sum =
      b_.CreateFAdd(b_.CreateBitCast(magnitude, f32),
                    llvm::ConstantExpr::getBitCast(llvm::cast<llvm::Constant>(c(magic)), f32));
  llvm::Value* subnormal = b_.CreateSub(b_.CreateBitCast(sum, i32), c(magic));
  uint32_t smallest_normal = static_cast<uint32_t>(128 - format.bias) << 23;
  llvm::Value* result =
      b_.CreateSelect(b_.CreateICmpULT(magnitude, c(smallest_normal)), subnormal, normal);
  // Beyond the largest value: infinity, NaN, or the largest value, as the format has them.
  llvm::Value* over = b_.CreateOr(b_.CreateICmpUGT(result, c(format.max_code)),
                                  b_.CreateICmpUGE(magnitude, c(0x47800000)));
  // Values up to halfway past the largest round down to it.
  over = b_.CreateAnd(over, b_.CreateICmpUGE(magnitude, c(smallest_normal)));
  result = b_.CreateSelect(over, c(format.overflow_code), result);
  if (format.nan_code >= 0) result = b_.CreateSelect(is_nan, c(format.nan_code), result);
  if (format.unsigned_zero) {
    // One zero only: what would be -0 is the code of NaN.
    llvm::Value* plain = b_.CreateICmpEQ(result, c(0));
    llvm::Value* special = b_.CreateICmpEQ(result, c(format.nan_code));
    sign = b_.CreateSelect(b_.CreateOr(plain, special), c(0), sign);
  }
  return b_.CreateTrunc(b_.CreateOr(result, sign), type);
}

}  // namespace llvm_backend
}  // namespace tirx
}  // namespace tvm
