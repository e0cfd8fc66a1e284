// SPDX-License-Identifier: Apache-2.0
// Keeps walks of native code over Lists, Dicts and fields apart from changes by other threads.
//
// Without a GIL, a thread that reads or changes what others see has a place in a group: any number
// of threads change at once (a NativeSection keeps those of one object apart), any number walk at
// once, and while there are some of one kind the other waits. Threads wait detached from the
// interpreter, those that have waited long in the order in which they came, and give their place
// back while Python code runs. So nothing can deadlock, and a walk meets changes where it would
// meet them under a GIL.
//
// With a GIL, a walk keeps it, but for the Python code of hooks.
#ifndef TVM_FFI_PYTHON_WALK_LOCK_H_
#define TVM_FFI_PYTHON_WALK_LOCK_H_

#include <cstdint>

#include "py_ref.h"

namespace tvm::ffi::detail::python {

// As in ffi/src/algo/walk_scope.h.
enum class Group : int32_t {
  kNone = 0,
  kChanging = 1,
  kWalking = 2,
  kAlone = 3,  // neither walks nor changes of others
};

#ifdef Py_GIL_DISABLED
// Waits for a place, unless the place that the thread has allows as much. Returns what LeaveGroup
// needs to bring the former state back.
Group EnterGroup(Group group);
void LeaveGroup(Group outer);
// Around Python code that native code runs.
Group BeginOutside();
#endif

// A place in a group while alive.
class GroupScope {
 public:
#ifdef Py_GIL_DISABLED
  explicit GroupScope(Group group) : outer_(EnterGroup(group)) {}
  ~GroupScope() { LeaveGroup(outer_); }

 private:
  Group outer_;
#else
  explicit GroupScope(Group) {}
#endif

 public:
  GroupScope(const GroupScope&) = delete;
  GroupScope& operator=(const GroupScope&) = delete;
};

// No place in any group while alive.
class OutsideGroups {
 public:
#ifdef Py_GIL_DISABLED
  OutsideGroups() : outer_(BeginOutside()) {}
  ~OutsideGroups() { LeaveGroup(outer_); }

 private:
  Group outer_;
#else
  OutsideGroups() {}
#endif

 public:
  OutsideGroups(const OutsideGroups&) = delete;
  OutsideGroups& operator=(const OutsideGroups&) = delete;
};

// Tells the library. False with an exception.
bool InitWalkLock();

}  // namespace tvm::ffi::detail::python

#endif  // TVM_FFI_PYTHON_WALK_LOCK_H_
