// SPDX-License-Identifier: Apache-2.0
/*! \file tvm/ffi/base_details.h
 *  The name of base_detail.h before 0.1.16.
 */
#ifndef TVM_FFI_BASE_DETAILS_H_
#define TVM_FFI_BASE_DETAILS_H_

#include <tvm/ffi/base_detail.h>

#endif  // TVM_FFI_BASE_DETAILS_H_
