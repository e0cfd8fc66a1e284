// SPDX-License-Identifier: Apache-2.0
// Types, constants and conversions in C.
#include <cmath>
#include <cstdio>

#include "tirx/codegen/c_emitter.h"
#include "tirx/codegen/float_format.h"

namespace tvm {
namespace tirx {
namespace {

std::string FormatArguments(const FloatFormat& f) {
  return std::to_string(f.bits) + ", " + std::to_string(f.mantissa_bits) + ", " +
         std::to_string(f.bias) + ", " + std::to_string(f.infinity_code) + ", " +
         std::to_string(f.nan_from) + ", " + std::to_string(f.nan_code) + ", " +
         std::to_string(f.max_code) + ", " + std::to_string(f.overflow_code) + ", " +
         std::to_string(f.unsigned_zero) + ", " + std::to_string(f.exponent_only);
}

}  // namespace

std::string CEmitter::ValueType(DLDataType dtype) {
  if (IsBool(dtype)) return "bool";
  if (IsFloating(dtype)) return dtype.bits == 64 ? "double" : "float";
  if (dtype.code == kDLOpaqueHandle) return IsVoid(dtype) ? "void" : "void*";
  int bits = dtype.bits <= 8 ? 8 : dtype.bits <= 16 ? 16 : dtype.bits <= 32 ? 32 : 64;
  return (IsUInt(dtype) ? "uint" : "int") + std::to_string(bits) + "_t";
}

std::string CEmitter::MemoryType(DLDataType dtype) {
  if (IsNarrowFloat(dtype)) return dtype.bits == 16 ? "uint16_t" : "uint8_t";
  if (IsBool(dtype)) return "uint8_t";
  return ValueType(dtype);
}

std::string CEmitter::PointerType(const Type& type) {
  if (type.is_prim()) {
    DLDataType dtype = static_cast<const PrimTypeObj*>(type.get())->dtype;
    return IsVoid(dtype) ? "void*" : MemoryType(Element(dtype)) + "*";
  }
  if (type.is(TypeKind::PtrType)) {
    return PointerType(static_cast<const PtrTypeObj*>(type.get())->element_type) + "*";
  }
  return "void*";
}

std::string CEmitter::TypeOf(const Type& type) {
  if (type.is_prim()) return ValueType(Element(static_cast<const PrimTypeObj*>(type.get())->dtype));
  if (type.is(TypeKind::PtrType)) {
    return PointerType(static_cast<const PtrTypeObj*>(type.get())->element_type);
  }
  if (type.is(TypeKind::TensorType)) {
    return PointerType(static_cast<const TensorTypeObj*>(type.get())->dtype);
  }
  if (type.is(TypeKind::StringType)) return "const char*";
  return "void*";
}

std::vector<std::string> CEmitter::LeafTypes(const Type& type) {
  std::vector<std::string> result;
  if (type.is(TypeKind::TupleType)) {
    for (const Type& field : static_cast<const TupleTypeObj*>(type.get())->fields) {
      for (std::string& leaf : LeafTypes(field)) result.push_back(std::move(leaf));
    }
    return result;
  }
  if (type.is(TypeKind::NoneType)) return result;
  int lanes = 1;
  if (type.is_prim()) {
    DLDataType dtype = static_cast<const PrimTypeObj*>(type.get())->dtype;
    if (IsVoid(dtype)) return result;
    lanes = tirx::Lanes(dtype);
  }
  result.assign(lanes, TypeOf(type));
  return result;
}

std::string CEmitter::IntConstant(DLDataType dtype, int64_t value) {
  if (IsBool(dtype)) return value != 0 ? "true" : "false";
  if (IsUInt(dtype)) {
    std::string text = std::to_string(static_cast<uint64_t>(value));
    if (dtype.bits <= 16) return "((" + ValueType(dtype) + ")" + text + ")";
    return text + (dtype.bits <= 32 ? "U" : "ULL");
  }
  if (dtype.bits <= 16) return "((" + ValueType(dtype) + ")" + std::to_string(value) + ")";
  if (dtype.bits <= 32) {
    if (value == INT32_MIN) return "(-2147483647 - 1)";
    return value < 0 ? "(" + std::to_string(value) + ")" : std::to_string(value);
  }
  if (value == INT64_MIN) return "(-9223372036854775807LL - 1)";
  return value < 0 ? "(" + std::to_string(value) + "LL)" : std::to_string(value) + "LL";
}

std::string CEmitter::FloatConstant(DLDataType dtype, double value) {
  bool is_double = dtype.bits == 64;
  if (std::isnan(value)) return is_double ? "((double)NAN)" : "NAN";
  if (std::isinf(value)) {
    std::string text = is_double ? "((double)INFINITY)" : "INFINITY";
    return value < 0 ? "(-" + text + ")" : text;
  }
  char buffer[40];
  std::snprintf(buffer, sizeof(buffer), is_double ? "%.17g" : "%.9g",
                is_double ? value : static_cast<double>(static_cast<float>(value)));
  std::string text = buffer;
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  if (!is_double) text += "f";
  text = text[0] == '-' ? "(" + text + ")" : text;
  return IsNarrowFloat(dtype) ? Rounded(text, dtype) : text;
}

std::string CEmitter::FromMemory(const std::string& value, DLDataType dtype) {
  if (IsBool(dtype)) return "(" + value + " != 0)";
  if (!IsNarrowFloat(dtype)) return value;
  if (IsFloat16(dtype)) {
    Need("tirx_half_to_float");
    return "tirx_half_to_float(" + value + ")";
  }
  if (IsBFloat16(dtype)) {
    Need("tirx_bfloat_to_float");
    return "tirx_bfloat_to_float(" + value + ")";
  }
  Need("tirx_small_to_float");
  return "tirx_small_to_float(" + value + ", " + FormatArguments(FormatOf(dtype)) + ")";
}

std::string CEmitter::ToMemory(const std::string& value, DLDataType dtype) {
  if (IsBool(dtype)) return "(uint8_t)(" + value + ")";
  if (!IsNarrowFloat(dtype)) return value;
  if (IsFloat16(dtype)) {
    Need("tirx_float_to_half");
    return "tirx_float_to_half(" + value + ")";
  }
  if (IsBFloat16(dtype)) {
    Need("tirx_float_to_bfloat");
    return "tirx_float_to_bfloat(" + value + ")";
  }
  Need("tirx_float_to_small");
  return "tirx_float_to_small(" + value + ", " + FormatArguments(FormatOf(dtype)) + ")";
}

std::string CEmitter::Rounded(const std::string& value, DLDataType dtype) {
  return FromMemory(ToMemory(value, dtype), dtype);
}

std::string CEmitter::Convert(const std::string& value, DLDataType from, DLDataType to) {
  from = Element(from);
  to = Element(to);
  if (SameDType(from, to)) return value;
  std::string type = ValueType(to);
  if (from.code == kDLOpaqueHandle || to.code == kDLOpaqueHandle) {
    return from.code == kDLOpaqueHandle ? "((" + type + ")(uintptr_t)" + value + ")"
                                        : "((void*)(uintptr_t)" + value + ")";
  }
  if (IsBool(to)) return "(" + value + " != 0)";
  if (IsFloating(from) && !IsFloating(to)) {
    std::string helper =
        "tirx_to_" + std::string(IsUInt(to) ? "uint" : "int") + std::to_string(to.bits);
    Need(helper);
    return helper + "((double)" + value + ")";
  }
  if (IsNarrowFloat(to)) {
    // A double is rounded once: to odd first, so that the second rounding does no harm.
    if (from.bits == 64 || (!IsFloating(from) && from.bits > 16)) {
      Need("tirx_double_to_odd");
      return Rounded("tirx_double_to_odd((double)" + value + ")", to);
    }
    return Rounded("(float)" + value, to);
  }
  return "((" + type + ")" + value + ")";
}

}  // namespace tirx
}  // namespace tvm
