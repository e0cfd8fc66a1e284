// SPDX-License-Identifier: Apache-2.0
/*!
 * \file code_image.h
 * \brief Files of code that are mapped into the process: the program and its libraries.
 */
#ifndef TVM_FFI_SRC_CODE_IMAGE_H_
#define TVM_FFI_SRC_CODE_IMAGE_H_

#include <string>
#include <vector>

#if defined(_MSC_VER)
#include <intrin.h>
/*! \brief Address in the code that called the enclosing function. */
#define TVM_FFI_CALLER_ADDRESS() static_cast<const void*>(_ReturnAddress())
#else
/*! \brief Address in the code that called the enclosing function. */
#define TVM_FFI_CALLER_ADDRESS() static_cast<const void*>(__builtin_return_address(0))
#endif

namespace tvm {
namespace ffi {

/*! \brief A mapped file. `base` is null when nothing is known. */
struct CodeImage {
  const void* base = nullptr;
  std::string path;

  bool operator==(const CodeImage& other) const { return base == other.base; }
};

/*!
 * \brief The file whose mapping holds an address. On Linux it can be asked while another thread
 * runs the initialisers of a library, with the lock of the dynamic loader.
 */
CodeImage CodeImageOf(const void* address);

/*! \brief Bases of all files that are mapped now, sorted; empty where the system has no way to
 * tell.
 */
std::vector<const void*> BasesOfImages();

/*! \brief The file that dlopen returned a handle of. Unknown where the system has no way to tell.
 */
CodeImage CodeImageOfHandle(void* handle);

/*!
 * \brief Whether two files are copies of one build: of one build id, or of the same read-only
 * bytes. False where that can't be told.
 */
bool IsSameBuild(const CodeImage& a, const CodeImage& b);

}  // namespace ffi
}  // namespace tvm

#endif  // TVM_FFI_SRC_CODE_IMAGE_H_
