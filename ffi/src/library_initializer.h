// SPDX-License-Identifier: Apache-2.0
/*!
 * \file library_initializer.h
 * \brief Finds out whether a library is being loaded, whoever loads it.
 */
#ifndef TVM_FFI_SRC_LIBRARY_INITIALIZER_H_
#define TVM_FFI_SRC_LIBRARY_INITIALIZER_H_

#include <string>

namespace tvm {
namespace ffi {

/*!
 * \brief Path of the library that dlopen is loading and whose initialisers this thread runs; empty
 * when it runs none.
 *
 * Walks the stack; for cold paths. Always empty where the dynamic loader can't be told apart.
 */
std::string LibraryBeingInitialized();

}  // namespace ffi
}  // namespace tvm

#endif  // TVM_FFI_SRC_LIBRARY_INITIALIZER_H_
