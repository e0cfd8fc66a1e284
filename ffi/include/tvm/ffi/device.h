// SPDX-License-Identifier: Apache-2.0
/*! \file tvm/ffi/device.h
 *  DLDevice as a value; a string such as `cuda:1` converts to it.
 */
#ifndef TVM_FFI_DEVICE_H_
#define TVM_FFI_DEVICE_H_

#include <dlpack/dlpack.h>
#include <tvm/ffi/any.h>
#include <tvm/ffi/string.h>
#include <tvm/ffi/type_traits.h>

#include <optional>
#include <string>
#include <string_view>

namespace tvm {
namespace ffi {
namespace detail {

/*!
 * \brief Parses `name` or `name:id`. Text after the first space is ignored.
 * \return Nothing for an unknown name or an id that is no int32 >= 0.
 */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline std::optional<DLDevice> ParseDevice(
    std::string_view text) {
  struct Entry {
    std::string_view name;
    DLDeviceType type;
  };
  static constexpr Entry kDevices[] = {
      {"cpu", kDLCPU},        {"cuda", kDLCUDA},       {"opencl", kDLOpenCL}, {"vulkan", kDLVulkan},
      {"metal", kDLMetal},    {"mps", kDLMetal},       {"vpi", kDLVPI},       {"rocm", kDLROCM},
      {"ext_dev", kDLExtDev}, {"hexagon", kDLHexagon}, {"wgpu", kDLWebGPU},   {"webgpu", kDLWebGPU},
      {"maia", kDLMAIA},      {"trn", kDLTrn}};
  text = text.substr(0, text.find(' '));
  const size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  int64_t id = 0;
  if (colon != std::string_view::npos) {
    const std::string_view digits = text.substr(colon + 1);
    if (digits.empty()) return std::nullopt;
    for (char ch : digits) {
      if (ch < '0' || ch > '9') return std::nullopt;
      id = id * 10 + (ch - '0');
      if (id > std::numeric_limits<int32_t>::max()) return std::nullopt;
    }
  }
  for (const Entry& entry : kDevices) {
    if (entry.name == name) return DLDevice{entry.type, static_cast<int32_t>(id)};
  }
  return std::nullopt;
}

}  // namespace detail

template <>
struct TypeTraits<DLDevice> : public TypeTraitsBase {
  static constexpr int32_t field_static_type_index = TypeIndex::kTVMFFIDevice;

  TVM_FFI_INLINE static void CopyToAnyView(const DLDevice& src, TVMFFIAny* result) {
    result->type_index = TypeIndex::kTVMFFIDevice;
    result->zero_padding = 0;
    result->v_device = src;
  }
  TVM_FFI_INLINE static void MoveToAny(DLDevice src, TVMFFIAny* result) {
    CopyToAnyView(src, result);
  }
  TVM_FFI_INLINE static bool CheckAnyStrict(const TVMFFIAny* src) {
    return src->type_index == TypeIndex::kTVMFFIDevice;
  }
  TVM_FFI_INLINE static DLDevice CopyFromAnyViewAfterCheck(const TVMFFIAny* src) {
    return src->v_device;
  }
  TVM_FFI_INLINE static DLDevice MoveFromAnyAfterCheck(TVMFFIAny* src) { return src->v_device; }
  template <typename Out = DLDevice>
  TVM_FFI_INLINE static std::optional<Out> TryCastFromAnyView(const TVMFFIAny* src) {
    if (src->type_index == TypeIndex::kTVMFFIDevice) return src->v_device;
    if (std::optional<String> text = TypeTraits<String>::TryCastFromAnyView(src)) {
      return detail::ParseDevice(std::string_view(text->data(), text->size()));
    }
    return std::nullopt;
  }
  TVM_FFI_COLD_CODE static std::string GetMismatchTypeInfo(const TVMFFIAny* src) {
    if (std::optional<String> text = TypeTraits<String>::TryCastFromAnyView(src)) {
      return detail::JoinText({"unknown device '", {text->data(), text->size()}, "'"});
    }
    return TypeTraitsBase::GetMismatchTypeInfo(src);
  }
  TVM_FFI_INLINE static std::string TypeStr() { return StaticTypeKey::kTVMFFIDevice; }
  TVM_FFI_INLINE static std::string TypeSchema() { return R"({"type":"Device"})"; }
};

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_DEVICE_H_
