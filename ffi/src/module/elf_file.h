// SPDX-License-Identifier: Apache-2.0
/*!
 * \file elf_file.h
 * \brief Looks at a shared library file before the dynamic loader does.
 */
#ifndef TVM_FFI_SRC_MODULE_ELF_FILE_H_
#define TVM_FFI_SRC_MODULE_ELF_FILE_H_

#include <string>
#include <vector>

namespace tvm {
namespace ffi {

/*! \brief What is known of a library before it is loaded. */
struct LibraryFile {
  /*! \brief Why it can't be loaded, and the way out; empty when nothing speaks against it. */
  std::string fault;
  /*! \brief Symbols of this library's C interface that the file expects from elsewhere. */
  std::vector<std::string> needed_ffi_symbols;
};

/*!
 * \brief Reads headers and symbols of a file.
 *
 * The dynamic loader maps a truncated file and dies of SIGBUS, and what it says about a file for
 * another machine does not name the machine. A file that can't be read has no fault here: the
 * loader says why.
 */
LibraryFile InspectLibraryFile(const std::string& path);

}  // namespace ffi
}  // namespace tvm

#endif  // TVM_FFI_SRC_MODULE_ELF_FILE_H_
