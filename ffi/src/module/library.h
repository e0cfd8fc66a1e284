// SPDX-License-Identifier: Apache-2.0
/*!
 * \file library.h
 * \brief Sources of native symbols, and the modules made from them.
 */
#ifndef TVM_FFI_SRC_MODULE_LIBRARY_H_
#define TVM_FFI_SRC_MODULE_LIBRARY_H_

#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <cstddef>
#include <memory>
#include <string>

namespace tvm {
namespace ffi {

/*! \brief Where native symbols come from: a loaded file, or the program itself. */
class Library {
 public:
  virtual ~Library() = default;

  /*! \brief Address of a symbol, nullptr when there is none. */
  virtual void* FindSymbol(const std::string& name) = 0;

  /*! \brief Bytes of the variable at the address of a symbol, 0 when that is not known. */
  virtual size_t SizeOfSymbol(const void* /*address*/) { return 0; }

  /*!
   * \brief Address of `symbol_prefix` + `name` for exported functions and what describes them.
   * \param symbol_prefix One of the prefixes in namespace symbol.
   */
  virtual void* FindExported(const char* symbol_prefix, const std::string& name) {
    return FindSymbol(symbol_prefix + name);
  }
};

/*!
 * \brief Modules of a library: its import tree when it carries one, else one library module.
 *
 * Stores the registered context symbols and the module's address into the library's variables.
 * \throws Error when the import tree is malformed or needs a loader that is not registered.
 */
Module MakeLibraryModule(std::shared_ptr<Library> library);

}  // namespace ffi
}  // namespace tvm

#endif  // TVM_FFI_SRC_MODULE_LIBRARY_H_
