// SPDX-License-Identifier: Apache-2.0
/*!
 * \file context_symbols.h
 * \brief Values that every library receives when it is loaded.
 */
#ifndef TVM_FFI_SRC_MODULE_CONTEXT_SYMBOLS_H_
#define TVM_FFI_SRC_MODULE_CONTEXT_SYMBOLS_H_

#include "library.h"

namespace tvm {
namespace ffi {

/*! \brief Stores each registered value into the library's variable of that name, if it has one. */
void StoreContextSymbols(Library* library);

}  // namespace ffi
}  // namespace tvm

#endif  // TVM_FFI_SRC_MODULE_CONTEXT_SYMBOLS_H_
