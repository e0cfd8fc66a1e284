// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/base.h
 * \brief Marks C++ functions that live in the shared library.
 */
#ifndef TVM_FFI_EXTRA_BASE_H_
#define TVM_FFI_EXTRA_BASE_H_

#include <tvm/ffi/c_api.h>

/*! \brief Put before a C++ function or class that the shared library defines. */
#ifndef TVM_FFI_EXTRA_CXX_API
#define TVM_FFI_EXTRA_CXX_API TVM_FFI_DLL
#endif

#endif  // TVM_FFI_EXTRA_BASE_H_
