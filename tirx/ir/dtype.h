// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tvm/ffi/dtype.h>

#include <cstdint>

namespace tvm {
namespace tirx {

// Element formats as DLPack data types. Lanes of a scalable vector are stored negated.
// `void` is the opaque-handle code with zero bits and lanes.
constexpr DLDataType MakeDType(int code, int bits, int lanes = 1) {
  return DLDataType{static_cast<uint8_t>(code), static_cast<uint8_t>(bits),
                    static_cast<uint16_t>(lanes)};
}
constexpr DLDataType Int(int bits, int lanes = 1) { return MakeDType(kDLInt, bits, lanes); }
constexpr DLDataType UInt(int bits, int lanes = 1) { return MakeDType(kDLUInt, bits, lanes); }
constexpr DLDataType Float(int bits, int lanes = 1) { return MakeDType(kDLFloat, bits, lanes); }
constexpr DLDataType BFloat16(int lanes = 1) { return MakeDType(kDLBfloat, 16, lanes); }
constexpr DLDataType Bool(int lanes = 1) { return MakeDType(kDLBool, 8, lanes); }
constexpr DLDataType Void() { return MakeDType(kDLOpaqueHandle, 0, 0); }

constexpr int Lanes(DLDataType t) {
  int16_t lanes = static_cast<int16_t>(t.lanes);
  return lanes < 0 ? -lanes : lanes;
}
constexpr bool IsScalable(DLDataType t) { return static_cast<int16_t>(t.lanes) < -1; }
constexpr bool IsScalar(DLDataType t) { return t.lanes == 1; }
constexpr bool IsVector(DLDataType t) { return Lanes(t) > 1; }
constexpr bool IsBool(DLDataType t) { return t.code == kDLBool; }
constexpr bool IsInt(DLDataType t) { return t.code == kDLInt; }
constexpr bool IsUInt(DLDataType t) { return t.code == kDLUInt; }
// Signed or unsigned integer, not bool.
constexpr bool IsInteger(DLDataType t) { return IsInt(t) || IsUInt(t); }
constexpr bool IsFloat16(DLDataType t) { return t.code == kDLFloat && t.bits == 16; }
constexpr bool IsBFloat16(DLDataType t) { return t.code == kDLBfloat; }
// Any floating format, from 4 to 64 bits.
constexpr bool IsFloating(DLDataType t) {
  return t.code == kDLFloat || t.code == kDLBfloat || t.code > kDLBool;
}
constexpr bool IsSmallFloat(DLDataType t) { return t.code > kDLBool; }
constexpr bool IsVoid(DLDataType t) { return t.code == kDLOpaqueHandle && t.bits == 0; }

constexpr DLDataType WithLanes(DLDataType t, int lanes) { return MakeDType(t.code, t.bits, lanes); }
// Same element, same lanes (also scalable ones) as `like`.
constexpr DLDataType WithLanesOf(DLDataType t, DLDataType like) {
  return DLDataType{t.code, t.bits, like.lanes};
}
constexpr DLDataType Element(DLDataType t) { return WithLanes(t, 1); }
constexpr bool SameDType(DLDataType a, DLDataType b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}
constexpr bool SameElement(DLDataType a, DLDataType b) {
  return a.code == b.code && a.bits == b.bits;
}
// Bytes of one element, rounded up.
constexpr int ElementBytes(DLDataType t) { return (t.bits + 7) / 8; }

}  // namespace tirx
}  // namespace tvm
