// SPDX-License-Identifier: Apache-2.0
/*!
 * \file library_bin.h
 * \brief The import tree that a compiler packs into a library.
 */
#ifndef TVM_FFI_SRC_MODULE_LIBRARY_BIN_H_
#define TVM_FFI_SRC_MODULE_LIBRARY_BIN_H_

#include <tvm/ffi/extra/module.h>

#include <cstddef>
#include <functional>

namespace tvm {
namespace ffi {

/*!
 * \brief Rebuilds the modules packed in `binary` and their imports.
 *
 * Format, all integers little-endian uint64: size of the rest; the imports of all modules as rows
 * (count and row bounds, count and module numbers); then for each module its kind and, unless that
 * is `_lib`, its payload, both as length and bytes.
 *
 * \param binary The bytes, from the size on.
 * \param known_size How many bytes there are, the size included; 0 when only the size itself tells.
 * \param make_host Makes the module that `_lib` stands for.
 * \return Module 0.
 * \throws RuntimeError when the bytes contradict the format or a kind has no loader.
 */
Module LoadLibraryBin(const char* binary, size_t known_size,
                      const std::function<Module()>& make_host);

}  // namespace ffi
}  // namespace tvm

#endif  // TVM_FFI_SRC_MODULE_LIBRARY_BIN_H_
