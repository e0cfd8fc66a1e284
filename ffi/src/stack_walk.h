// SPDX-License-Identifier: Apache-2.0
/*!
 * \file stack_walk.h
 * \brief Return addresses on the stack, at a fraction of the cost of the unwinder of the compiler.
 */
#ifndef TVM_FFI_SRC_STACK_WALK_H_
#define TVM_FFI_SRC_STACK_WALK_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tvm {
namespace ffi {

/*!
 * \brief Collects code addresses of the callers into `addresses`, innermost first.
 *
 * Each address lies inside the calling instruction (return address minus one).
 *
 * \param skip Frames left out; 1 leaves out the function that calls this.
 * \param stop Called with each address; true ends the walk after it.
 * \return False when a frame can't be walked this way: the caller then uses _Unwind_Backtrace.
 */
bool WalkStackQuickly(size_t skip, size_t max_frames, bool (*stop)(uintptr_t address, void* opaque),
                      void* opaque, std::vector<uintptr_t>* addresses);

}  // namespace ffi
}  // namespace tvm

#endif  // TVM_FFI_SRC_STACK_WALK_H_
