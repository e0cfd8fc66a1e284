// SPDX-License-Identifier: Apache-2.0
/*!
 * \file symbolizer.h
 * \brief From code addresses to function, file and line.
 */
#ifndef TVM_FFI_SRC_SYMBOLIZER_H_
#define TVM_FFI_SRC_SYMBOLIZER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tvm {
namespace ffi {

/*! \brief One function of a call chain. */
struct SourceFrame {
  std::string function;  // demangled; empty when unknown
  std::string file;      // empty when unknown
  int line = 0;
};

/*! \brief The functions at one address: inlined ones first, the enclosing one last. */
using SourceFrames = std::shared_ptr<const std::vector<SourceFrame>>;

/*!
 * \brief Resolves the call chain `addresses`. Thread-safe.
 *
 * Each address lies inside the calling instruction (return address minus one). Libraries that were
 * loaded after the last call are noticed.
 */
std::vector<SourceFrames> Symbolize(const std::vector<uintptr_t>& addresses);

/*! \brief Changes whenever earlier results may be out of date. */
uint64_t SymbolGeneration();

}  // namespace ffi
}  // namespace tvm

#endif  // TVM_FFI_SRC_SYMBOLIZER_H_
