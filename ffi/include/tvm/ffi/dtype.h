// SPDX-License-Identifier: Apache-2.0
/*! \file tvm/ffi/dtype.h
 *  DLDataType as a value: text, comparison and conversion rules.
 */
#ifndef TVM_FFI_DTYPE_H_
#define TVM_FFI_DTYPE_H_

#include <dlpack/dlpack.h>
#include <tvm/ffi/any.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/string.h>
#include <tvm/ffi/type_traits.h>

#include <optional>
#include <string>

namespace tvm {
namespace ffi {

/*! Element kinds beyond those of DLPack. */
enum DLExtDataTypeCode { kDLExtCustomBegin = 129 };

namespace detail {

/*! Name of an element kind, given as an int: custom codes are no enumerators. An unknown code is
 * ValueError. */
TVM_FFI_COLD_CODE inline const char* DLDataTypeCodeAsCStr(int type_code) {
  static constexpr const char* kNames[] = {"int",
                                           "uint",
                                           "float",
                                           "handle",
                                           "bfloat",
                                           nullptr,  // complex has no text form
                                           "bool",
                                           "float8_e3m4",
                                           "float8_e4m3",
                                           "float8_e4m3b11fnuz",
                                           "float8_e4m3fn",
                                           "float8_e4m3fnuz",
                                           "float8_e5m2",
                                           "float8_e5m2fnuz",
                                           "float8_e8m0fnu",
                                           "float6_e2m3fn",
                                           "float6_e3m2fn",
                                           "float4_e2m1fn"};
  if (type_code >= static_cast<int>(kDLExtCustomBegin)) return "custom";
  const bool known =
      type_code >= 0 && type_code < static_cast<int>(sizeof(kNames) / sizeof(kNames[0]));
  if (!known || kNames[type_code] == nullptr) {
    ThrowError("ValueError", "DLDataType contains unknown type_code=" + std::to_string(type_code));
  }
  return kNames[type_code];
}

}  // namespace detail

/*! \brief Parses text such as "float32x4". ValueError when it is no data type. */
inline DLDataType StringToDLDataType(const String& str) {
  TVMFFIByteArray bytes = {str.data(), str.size()};
  DLDataType result;
  if (TVM_FFI_PREDICT_FALSE(TVMFFIDataTypeFromString(&bytes, &result) != 0)) {
    detail::ThrowSafeCallRaised();
  }
  return result;
}

/*! \brief Text of a data type. ValueError when it has none. */
inline String DLDataTypeToString(DLDataType dtype) {
  TVMFFIAny text;
  if (TVM_FFI_PREDICT_FALSE(TVMFFIDataTypeToString(&dtype, &text) != 0)) {
    detail::ThrowSafeCallRaised();
  }
  return TypeTraits<String>::MoveFromAnyAfterCheck(&text);
}

/*! \brief Any of the floating point kinds, the narrow ones included. */
inline bool DTypeIsFloat(DLDataType dtype) {
  return dtype.code == kDLFloat || dtype.code == kDLBfloat ||
         (dtype.code >= kDLFloat8_e3m4 && dtype.code <= kDLFloat4_e2m1fn);
}
inline bool DTypeIsInt(DLDataType dtype) { return dtype.code == kDLInt || dtype.code == kDLUInt; }
inline bool DTypeIsBool(DLDataType dtype) { return dtype.code == kDLBool; }

/*! \brief Short text: `i32x4`, `u8`, `f16`, `bf16`, `f8_e4m3fn`, `bool`, `handle`, `void`. */
TVM_FFI_COLD_CODE inline std::string DTypeAbbrev(DLDataType dtype) {
  const int lanes = static_cast<int16_t>(dtype.lanes);
  if (dtype.code == kDLOpaqueHandle && dtype.bits == 0 && lanes == 0) return "void";
  std::string text;
  switch (dtype.code) {
    case kDLInt:
      text = "i" + std::to_string(dtype.bits);
      break;
    case kDLUInt:
      text = "u" + std::to_string(dtype.bits);
      break;
    case kDLFloat:
      text = "f" + std::to_string(dtype.bits);
      break;
    case kDLBfloat:
      text = "bf" + std::to_string(dtype.bits);
      break;
    case kDLBool:
      text = dtype.bits == 8 ? "bool" : "bool" + std::to_string(dtype.bits);
      break;
    case kDLOpaqueHandle:
      text = "handle";
      break;
    default: {
      text = detail::DLDataTypeCodeAsCStr(dtype.code);
      // `float8_...` and its like shorten to `f8_...`; custom kinds say how wide they are.
      if (text.compare(0, 5, "float") == 0) {
        text.replace(0, 5, "f");
      } else {
        text += std::to_string(dtype.bits);
      }
    }
  }
  if (lanes > 1) text += "x" + std::to_string(lanes);
  if (lanes < -1) text += "xvscalex" + std::to_string(-lanes);
  return text;
}

/*! A data type; any string form is parsed. */
template <>
struct TypeTraits<DLDataType> : public TypeTraitsBase {
  static constexpr int32_t field_static_type_index = TypeIndex::kTVMFFIDataType;

  TVM_FFI_INLINE static void CopyToAnyView(const DLDataType& src, TVMFFIAny* result) {
    // The payload is zeroed first: equality reads all of it.
    detail::SetPODAny(result, TypeIndex::kTVMFFIDataType, 0);
    result->v_dtype = src;
  }
  TVM_FFI_INLINE static void MoveToAny(DLDataType src, TVMFFIAny* result) {
    CopyToAnyView(src, result);
  }
  TVM_FFI_INLINE static bool CheckAnyStrict(const TVMFFIAny* src) {
    return src->type_index == TypeIndex::kTVMFFIDataType;
  }
  TVM_FFI_INLINE static DLDataType CopyFromAnyViewAfterCheck(const TVMFFIAny* src) {
    return src->v_dtype;
  }
  TVM_FFI_INLINE static DLDataType MoveFromAnyAfterCheck(TVMFFIAny* src) { return src->v_dtype; }
  template <typename Out = DLDataType>
  TVM_FFI_INLINE static std::optional<Out> TryCastFromAnyView(const TVMFFIAny* src) {
    if (src->type_index == TypeIndex::kTVMFFIDataType) return src->v_dtype;
    if (std::optional<String> text = TypeTraits<String>::TryCastFromAnyView(src)) {
      return StringToDLDataType(*text);
    }
    return std::nullopt;
  }
  TVM_FFI_INLINE static std::string TypeStr() { return StaticTypeKey::kTVMFFIDataType; }
  TVM_FFI_INLINE static std::string TypeSchema() { return R"({"type":"DataType"})"; }
};

}  // namespace ffi
}  // namespace tvm

inline bool operator==(const DLDataType& lhs, const DLDataType& rhs) {
  return lhs.code == rhs.code && lhs.bits == rhs.bits && lhs.lanes == rhs.lanes;
}
inline bool operator!=(const DLDataType& lhs, const DLDataType& rhs) { return !(lhs == rhs); }
template <typename Traits>
inline std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& os,
                                                    DLDataType dtype) {
  return os << ::tvm::ffi::DLDataTypeToString(dtype);
}

namespace tvm {
namespace ffi {
namespace detail {
template <>
struct MessageText<DLDataType> {
  static constexpr bool kKnown = true;
  TVM_FFI_COLD_CODE static std::string Of(DLDataType dtype) { return DLDataTypeToString(dtype); }
};
}  // namespace detail
}  // namespace ffi
}  // namespace tvm

#endif  // TVM_FFI_DTYPE_H_
