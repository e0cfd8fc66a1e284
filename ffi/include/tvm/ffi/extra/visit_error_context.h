// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/visit_error_context.h
 * \brief Errors that remember which nodes were being visited when they were thrown.
 */
#ifndef TVM_FFI_EXTRA_VISIT_ERROR_CONTEXT_H_
#define TVM_FFI_EXTRA_VISIT_ERROR_CONTEXT_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/expected.h>
#include <tvm/ffi/extra/base.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/reflection/access_path.h>

#include <optional>
#include <string>
#include <utility>

namespace tvm {
namespace ffi {

/*! \brief Extra context of an Error: the nodes on the way to the place that failed. */
class VisitErrorContextObj : public Object {
 public:
  /*! \brief Nodes, innermost first. */
  List<ObjectRef> reverse_visit_pattern;
  /*! \brief Context of another kind that the error had before. */
  Optional<ObjectRef> prev_error_context;

  VisitErrorContextObj() = default;
  VisitErrorContextObj(List<ObjectRef> pattern, Optional<ObjectRef> prev)
      : reverse_visit_pattern(std::move(pattern)), prev_error_context(std::move(prev)) {}

  /// \cond Doxygen_Suppress
  static constexpr const bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ffi.VisitErrorContext", VisitErrorContextObj, Object);
  /// \endcond
};

/*! \brief Reference to a visit error context. */
class VisitErrorContext : public ObjectRef {
 public:
  explicit VisitErrorContext(ObjectPtr<VisitErrorContextObj> data)
      : ObjectRef(ObjectPtr<Object>(std::move(data))) {}

  /*! \brief The context of an error, nothing when it has none of this kind. */
  static Optional<VisitErrorContext> TryGetFromError(const Error& error) {
    std::optional<ObjectRef> context = error.extra_context();
    if (!context.has_value()) return std::nullopt;
    return context->as<VisitErrorContext>();
  }

  /*!
   * \brief Paths from `root` to the places where the recorded nodes are found in order.
   * \param allow_prefix_match Whether to list the deepest partial matches as well.
   */
  TVM_FFI_EXTRA_CXX_API static Array<reflection::AccessPath> FindAccessPaths(
      const ObjectRef& root, const VisitErrorContext& context, bool allow_prefix_match = false);

  /// \cond Doxygen_Suppress
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(VisitErrorContext, ObjectRef, VisitErrorContextObj);
  /// \endcond
};

namespace detail {

/*! \brief A context that begins at `node`. */
TVM_FFI_COLD_CODE inline VisitErrorContext MakeVisitErrorContext(const ObjectRef& node) {
  return VisitErrorContext(
      make_object<VisitErrorContextObj>(List<ObjectRef>{node}, Optional<ObjectRef>(std::nullopt)));
}

/*! \brief Notes that the error passed through `node`. A context of another kind is kept behind. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void UpdateVisitErrorContext(Error& error,
                                                                        const ObjectRef& node) {
  if (Optional<VisitErrorContext> context = VisitErrorContext::TryGetFromError(error)) {
    context.value()->reverse_visit_pattern.push_back(node);
    return;
  }
  VisitErrorContext context = MakeVisitErrorContext(node);
  TVMFFIObjectHandle& slot = static_cast<TVMFFIErrorCell*>(error.get())->extra_context;
  if (slot != nullptr) {
    context->prev_error_context =
        ObjectRef(ObjectUnsafe::ObjectPtrFromOwned<Object>(static_cast<TVMFFIObject*>(slot)));
  }
  slot = ObjectUnsafe::MoveObjectRefToTVMFFIObjectPtr(std::move(context));
}

/*! \brief The place of TVM_FFI_VISIT_THROW; `site &= message` throws. */
struct VisitThrowSite {
  VisitThrowSite(const ThrowSite& site, const ObjectRef& visited) : place(site), node(visited) {}

  ThrowSite place;
  const ObjectRef& node;

  [[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE void Throw(MessageStream& message) const {
    const ObjectRef context = MakeVisitErrorContext(node);
    const TVMFFIByteArray* backtrace = TVMFFIBacktrace(place.file, place.line, place.function, 0);
    TVMFFIObjectHandle handle = NewErrorObject(place.kind, message.view(), backtrace, nullptr,
                                               ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(context));
    message.Release();
    ThrowOwned(handle);
  }
  template <typename Stream>
  [[noreturn]] TVM_FFI_INLINE void operator&=(Stream& message) const {
    Throw(MessageOf(message));
  }
};

}  // namespace detail

/*! \brief Opens the part of a visit whose errors note the node given to TVM_FFI_VISIT_END. */
#define TVM_FFI_VISIT_BEGIN() try {
/*! \brief Ends such a part: an error notes `node` and goes on. */
#define TVM_FFI_VISIT_END(node)                                             \
  }                                                                         \
  catch (::tvm::ffi::Error & tvm_ffi_visit_error) {                         \
    ::tvm::ffi::detail::UpdateVisitErrorContext(tvm_ffi_visit_error, node); \
    throw;                                                                  \
  }
/*! \brief Ends such a part: an error notes `node` and is returned. */
#define TVM_FFI_VISIT_END_RETURN_EXPECTED(node)                             \
  }                                                                         \
  catch (::tvm::ffi::Error & tvm_ffi_visit_error) {                         \
    ::tvm::ffi::detail::UpdateVisitErrorContext(tvm_ffi_visit_error, node); \
    return ::tvm::ffi::Unexpected<::tvm::ffi::Error>(tvm_ffi_visit_error);  \
  }
/*! \brief Throws an error whose context begins at `node`; text can be streamed in. */
#define TVM_FFI_VISIT_THROW(ErrorKind, node)                                                    \
  ::tvm::ffi::detail::VisitThrowSite(                                                           \
      ::tvm::ffi::detail::ThrowSite(#ErrorKind, __FILE__, __LINE__, TVM_FFI_FUNC_SIG, nullptr), \
      node) &= ::tvm::ffi::detail::MessageStream().stream()

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_EXTRA_VISIT_ERROR_CONTEXT_H_
