// SPDX-License-Identifier: Apache-2.0
/*!
 * \file library_initializer.h
 * \brief Registration conflicts while a library is being loaded.
 */
#ifndef TVM_FFI_SRC_LIBRARY_INITIALIZER_H_
#define TVM_FFI_SRC_LIBRARY_INITIALIZER_H_

#include <tvm/ffi/error.h>

#include <cstdio>
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

/*! \brief Whether a rejected registration is also printed, with its backtrace. */
enum ConflictLog { kQuiet, kLogged };

/*!
 * \brief Runs `registration`, which throws when the thing is registered already.
 *
 * An error that an initialiser of a library raises ends the process, because nobody can catch it.
 * That would let one extension loaded twice, or built for a release whose runtime did not yet
 * register the same attribute, take the program down. There the first registration stays, with a
 * warning; everywhere else the error is raised.
 */
template <typename F>
void RegisterOrWarn(ConflictLog log, F&& registration) {
  try {
    registration();
  } catch (const Error& error) {
    if (const std::string library = LibraryBeingInitialized(); !library.empty()) {
      std::fprintf(stderr,
                   "[WARNING] %s\nThe first registration stays in force, that of %s is left out: "
                   "rename one of the two, or load only one copy.\n",
                   error.what(), library.c_str());
      return;
    }
    if (log == kLogged) std::fprintf(stderr, "%s", error.FullMessage().c_str());
    throw;
  }
}

}  // namespace ffi
}  // namespace tvm

#endif  // TVM_FFI_SRC_LIBRARY_INITIALIZER_H_
