// SPDX-License-Identifier: Apache-2.0
/*! \file tvm/ffi/function_details.h
 *  The name of function_detail.h before 0.1.16.
 */
#ifndef TVM_FFI_FUNCTION_DETAILS_H_
#define TVM_FFI_FUNCTION_DETAILS_H_

#include <tvm/ffi/function_detail.h>

#endif  // TVM_FFI_FUNCTION_DETAILS_H_
