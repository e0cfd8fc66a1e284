// SPDX-License-Identifier: Apache-2.0
/// \file visit_context.h
/// \brief Notes on an error where in a value a structural walk was when the error came (ffi-abi
/// section 8).
#ifndef TVM_FFI_SRC_ALGO_VISIT_CONTEXT_H_
#define TVM_FFI_SRC_ALGO_VISIT_CONTEXT_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/visit_error_context.h>
#include <tvm/ffi/memory.h>

#include "value_access.h"

namespace tvm {
namespace ffi {
namespace algo {

/// The list of visited objects of an error, innermost first. A context of another kind that the
/// error already carries becomes `prev_error_context` of a new one.
inline List<ObjectRef> VisitPathOf(const Error& error) {
  const Any held(error);
  auto& cell = const_cast<TVMFFIErrorCell&>(CellOf<TVMFFIErrorCell>(Raw(held)));
  auto* existing = static_cast<TVMFFIObject*>(cell.extra_context);
  if (existing != nullptr && existing->type_index == VisitErrorContextObj::RuntimeTypeIndex()) {
    return reinterpret_cast<VisitErrorContextObj*>(existing)->reverse_visit_pattern;
  }
  ObjectPtr<VisitErrorContextObj> context = make_object<VisitErrorContextObj>();
  if (existing != nullptr) {
    // The reference that the error held moves to the new context.
    context->prev_error_context =
        ObjectRef(ffi::detail::ObjectUnsafe::ObjectPtrFromOwned<Object>(existing));
  }
  List<ObjectRef> path = context->reverse_visit_pattern;
  cell.extra_context =
      ffi::detail::ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(std::move(context));
  return path;
}

/// Appends an object, outer to those noted before. Values that are no objects leave no note.
inline void NoteVisited(List<ObjectRef>* path, const Any& v) {
  if (IsObject(Raw(v))) path->push_back(v.cast<ObjectRef>());
}

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_SRC_ALGO_VISIT_CONTEXT_H_
