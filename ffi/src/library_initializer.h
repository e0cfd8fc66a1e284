// SPDX-License-Identifier: Apache-2.0
/*!
 * \file library_initializer.h
 * \brief Registration conflicts while a library is being loaded.
 */
#ifndef TVM_FFI_SRC_LIBRARY_INITIALIZER_H_
#define TVM_FFI_SRC_LIBRARY_INITIALIZER_H_

#include <tvm/ffi/error.h>

#include <cstdio>

namespace tvm {
namespace ffi {

/*!
 * \brief Whether this thread runs the initialisers of a library that dlopen is loading.
 *
 * Walks the stack; for cold paths. Always false where the dynamic loader can't be told apart.
 */
bool InLibraryInitializer();

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
    if (InLibraryInitializer()) {
      std::fprintf(stderr, "[WARNING] %s\nThe first registration stays in force.\n", error.what());
      return;
    }
    if (log == kLogged) std::fprintf(stderr, "%s", error.FullMessage().c_str());
    throw;
  }
}

}  // namespace ffi
}  // namespace tvm

#endif  // TVM_FFI_SRC_LIBRARY_INITIALIZER_H_
