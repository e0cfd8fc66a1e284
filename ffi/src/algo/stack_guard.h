// SPDX-License-Identifier: Apache-2.0
/// \file stack_guard.h
/// \brief Guards the places where user hooks make a walk recurse on the C stack.
///
/// The walks themselves keep explicit stacks. Only a hook that calls back into the walk nests C
/// frames; each such re-entry asks here first, so that deep values end in an error instead of a
/// fault.
#ifndef TVM_FFI_SRC_ALGO_STACK_GUARD_H_
#define TVM_FFI_SRC_ALGO_STACK_GUARD_H_

namespace tvm {
namespace ffi {
namespace algo {

/// True while this thread has room for another nested hook (a quarter of the stack, at most 256
/// KiB, stays reserved). A thread that runs on a stack of its own (fibers) is limited by a count of
/// nested calls instead.
bool HasStackRoom();

/// Raises RecursionError `WHAT: maximum nesting of hooks exceeded` when HasStackRoom() is false.
void CheckStackRoom(const char* what);

/// Counts nested re-entries of this thread while alive, for threads whose stack bounds are not
/// known.
class NestingScope {
 public:
  explicit NestingScope(const char* what);
  ~NestingScope();
  NestingScope(const NestingScope&) = delete;
  NestingScope& operator=(const NestingScope&) = delete;
};

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_SRC_ALGO_STACK_GUARD_H_
