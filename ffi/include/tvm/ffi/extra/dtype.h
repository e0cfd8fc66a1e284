// SPDX-License-Identifier: Apache-2.0
/*! \file tvm/ffi/extra/dtype.h
 *  The DLDataType of a C++ element type. Device types are only declared here: no vendor header is
 * needed.
 */
#ifndef TVM_FFI_EXTRA_DTYPE_H_
#define TVM_FFI_EXTRA_DTYPE_H_

#include <dlpack/dlpack.h>

#include <cstdint>
#include <type_traits>

// CUDA
struct __half;
struct __nv_bfloat16;
struct __nv_fp8_e4m3;
struct __nv_fp8_e5m2;
struct __nv_fp8_e8m0;
struct __nv_fp4_e2m1;
struct __nv_fp4x2_e2m1;
// HIP
struct __hip_bfloat16;
struct hip_bfloat16;
struct __hip_fp8_e4m3;
struct __hip_fp8_e5m2;
struct __hip_fp8_e4m3_fnuz;
struct __hip_fp8_e5m2_fnuz;
struct __hip_fp4_e2m1;
struct __hip_fp4x2_e2m1;

namespace tvm {
namespace ffi {

/*! \brief `dtype_trait<T>::value` is the DLDataType of `T`; there is none for other types. */
template <typename T, typename = void>
struct dtype_trait {};

namespace detail {
template <uint8_t code, uint8_t bits, uint16_t lanes = 1>
struct DTypeConstant {
  static constexpr DLDataType value = {code, bits, lanes};
};
}  // namespace detail

template <typename T>
struct dtype_trait<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool> &&
                                       !std::is_const_v<T> && !std::is_volatile_v<T>>>
    : detail::DTypeConstant<std::is_signed_v<T> ? kDLInt : kDLUInt, 8 * sizeof(T)> {};
template <>
struct dtype_trait<bool> : detail::DTypeConstant<kDLBool, 8> {};
template <>
struct dtype_trait<float> : detail::DTypeConstant<kDLFloat, 32> {};
template <>
struct dtype_trait<double> : detail::DTypeConstant<kDLFloat, 64> {};

template <>
struct dtype_trait<__half> : detail::DTypeConstant<kDLFloat, 16> {};
template <>
struct dtype_trait<__nv_bfloat16> : detail::DTypeConstant<kDLBfloat, 16> {};
template <>
struct dtype_trait<__hip_bfloat16> : detail::DTypeConstant<kDLBfloat, 16> {};
template <>
struct dtype_trait<hip_bfloat16> : detail::DTypeConstant<kDLBfloat, 16> {};
template <>
struct dtype_trait<__nv_fp8_e4m3> : detail::DTypeConstant<kDLFloat8_e4m3fn, 8> {};
template <>
struct dtype_trait<__hip_fp8_e4m3> : detail::DTypeConstant<kDLFloat8_e4m3fn, 8> {};
template <>
struct dtype_trait<__nv_fp8_e5m2> : detail::DTypeConstant<kDLFloat8_e5m2, 8> {};
template <>
struct dtype_trait<__hip_fp8_e5m2> : detail::DTypeConstant<kDLFloat8_e5m2, 8> {};
template <>
struct dtype_trait<__nv_fp8_e8m0> : detail::DTypeConstant<kDLFloat8_e8m0fnu, 8> {};
template <>
struct dtype_trait<__hip_fp8_e4m3_fnuz> : detail::DTypeConstant<kDLFloat8_e4m3fnuz, 8> {};
template <>
struct dtype_trait<__hip_fp8_e5m2_fnuz> : detail::DTypeConstant<kDLFloat8_e5m2fnuz, 8> {};
template <>
struct dtype_trait<__nv_fp4_e2m1> : detail::DTypeConstant<kDLFloat4_e2m1fn, 4> {};
template <>
struct dtype_trait<__hip_fp4_e2m1> : detail::DTypeConstant<kDLFloat4_e2m1fn, 4> {};
template <>
struct dtype_trait<__nv_fp4x2_e2m1> : detail::DTypeConstant<kDLFloat4_e2m1fn, 4, 2> {};
template <>
struct dtype_trait<__hip_fp4x2_e2m1> : detail::DTypeConstant<kDLFloat4_e2m1fn, 4, 2> {};

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_EXTRA_DTYPE_H_
