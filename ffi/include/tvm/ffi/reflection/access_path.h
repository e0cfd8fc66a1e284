// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/reflection/access_path.h
 * \brief The way from a root value to something inside it: `<root>.body[0]["k"]`.
 */
#ifndef TVM_FFI_REFLECTION_ACCESS_PATH_H_
#define TVM_FFI_REFLECTION_ACCESS_PATH_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/cast.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/string.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace tvm {
namespace ffi {
namespace reflection {

/*! \brief What a step enters. The last three say that it is absent on the side described. */
enum class AccessKind : int32_t {
  /*! \brief Field of an object; the key is its name. */
  kAttr = 0,
  /*! \brief Element of an array or list; the key is its position. */
  kArrayItem = 1,
  /*! \brief Value of a map or dict; the key is its key. */
  kMapItem = 2,
  kAttrMissing = 3,
  kArrayItemMissing = 4,
  kMapItemMissing = 5,
};

/*! \brief One step of an access path. */
class AccessStepObj : public Object {
 public:
  AccessKind kind = AccessKind::kAttr;
  Any key;

  AccessStepObj() = default;
  AccessStepObj(AccessKind step_kind, Any step_key) : kind(step_kind), key(std::move(step_key)) {}

  /*! \brief Whether both steps have the same kind and equal keys. */
  bool StepEqual(const AccessStepObj* other) const {
    return this == other || (kind == other->kind && AnyEqual()(key, other->key));
  }
  inline bool StepEqual(const ObjectRef& other) const;

  /// \cond Doxygen_Suppress
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindConstTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ffi.reflection.AccessStep", AccessStepObj, Object);
  /// \endcond
};

/*! \brief Reference to one step. */
class AccessStep : public ObjectRef {
 public:
  AccessStep(AccessKind kind, Any key)
      : ObjectRef(ObjectPtr<Object>(make_object<AccessStepObj>(kind, std::move(key)))) {}

  static AccessStep Attr(String name) { return AccessStep(AccessKind::kAttr, std::move(name)); }
  static AccessStep AttrMissing(String name) {
    return AccessStep(AccessKind::kAttrMissing, std::move(name));
  }
  static AccessStep ArrayItem(int64_t index) { return AccessStep(AccessKind::kArrayItem, index); }
  static AccessStep ArrayItemMissing(int64_t index) {
    return AccessStep(AccessKind::kArrayItemMissing, index);
  }
  static AccessStep MapItem(Any key) { return AccessStep(AccessKind::kMapItem, std::move(key)); }
  static AccessStep MapItemMissing(Any key = nullptr) {
    return AccessStep(AccessKind::kMapItemMissing, std::move(key));
  }

  /// \cond Doxygen_Suppress
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(AccessStep, ObjectRef, AccessStepObj);
  /// \endcond
};

inline bool AccessStepObj::StepEqual(const ObjectRef& other) const {
  const AccessStepObj* step = other.as<AccessStepObj>();
  return step != nullptr && StepEqual(step);
}

class AccessPath;

/*!
 * \brief An access path: the path to the parent and one more step. The root has neither.
 *
 * Paths are immutable and share their beginnings.
 */
class AccessPathObj : public Object {
 public:
  Optional<ObjectRef> parent;
  Optional<AccessStep> step;
  /*! \brief Number of steps. */
  int32_t depth = 0;

  AccessPathObj() = default;
  AccessPathObj(Optional<ObjectRef> path_parent, Optional<AccessStep> path_step, int32_t path_depth)
      : parent(std::move(path_parent)), step(std::move(path_step)), depth(path_depth) {}

  /*! \brief The path without its last step; nullopt at the root. */
  inline Optional<AccessPath> GetParent() const;
  /*! \brief This path and one more step. */
  inline AccessPath Extend(AccessStep next) const;
  inline AccessPath Attr(String name) const;
  inline AccessPath AttrMissing(String name) const;
  inline AccessPath ArrayItem(int64_t index) const;
  inline AccessPath ArrayItemMissing(int64_t index) const;
  inline AccessPath MapItem(Any key) const;
  inline AccessPath MapItemMissing(Any key = nullptr) const;
  /*! \brief The steps from the root on. */
  inline Array<AccessStep> ToSteps() const;
  /*! \brief Whether both paths have equal steps. */
  inline bool PathEqual(const AccessPath& other) const;
  /*! \brief Whether `other` begins with the steps of this path. */
  inline bool IsPrefixOf(const AccessPath& other) const;

  /// \cond Doxygen_Suppress
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindConstTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ffi.reflection.AccessPath", AccessPathObj, Object);
  /// \endcond

 private:
  const AccessPathObj* ParentPtr() const {
    return parent.has_value() ? static_cast<const AccessPathObj*>(parent.get()) : nullptr;
  }
  static bool StepsEqual(const AccessPathObj* a, const AccessPathObj* b) {
    for (; a != b; a = a->ParentPtr(), b = b->ParentPtr()) {
      if (a == nullptr || b == nullptr) return false;
      if (a->step.has_value() != b->step.has_value()) return false;
      if (a->step.has_value() && !a->step.get()->StepEqual(b->step.get())) return false;
    }
    return true;
  }
};

/*! \brief Reference to an access path. */
class AccessPath : public ObjectRef {
 public:
  /*! \brief The path of no steps. */
  static AccessPath Root() {
    return AccessPath(make_object<AccessPathObj>(std::nullopt, std::nullopt, 0));
  }
  /*! \brief The path of the steps in [first, last). */
  template <typename Iter>
  static AccessPath FromSteps(Iter first, Iter last) {
    AccessPath path = Root();
    for (; first != last; ++first) path = path->Extend(*first);
    return path;
  }
  static AccessPath FromSteps(const Array<AccessStep>& steps) {
    return FromSteps(steps.begin(), steps.end());
  }

  /// \cond Doxygen_Suppress
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(AccessPath, ObjectRef, AccessPathObj);
  /// \endcond

 private:
  friend class AccessPathObj;
  explicit AccessPath(ObjectPtr<AccessPathObj> data)
      : ObjectRef(ObjectPtr<Object>(std::move(data))) {}
};

/*! \brief Where two values differ: the path on the left and on the right. */
using AccessPathPair = Tuple<AccessPath, AccessPath>;

inline Optional<AccessPath> AccessPathObj::GetParent() const {
  if (const AccessPathObj* above = ParentPtr()) return GetRef<AccessPath>(above);
  return std::nullopt;
}
inline AccessPath AccessPathObj::Extend(AccessStep next) const {
  return AccessPath(
      make_object<AccessPathObj>(GetRef<ObjectRef>(this), std::move(next), depth + 1));
}
inline AccessPath AccessPathObj::Attr(String name) const {
  return Extend(AccessStep::Attr(std::move(name)));
}
inline AccessPath AccessPathObj::AttrMissing(String name) const {
  return Extend(AccessStep::AttrMissing(std::move(name)));
}
inline AccessPath AccessPathObj::ArrayItem(int64_t index) const {
  return Extend(AccessStep::ArrayItem(index));
}
inline AccessPath AccessPathObj::ArrayItemMissing(int64_t index) const {
  return Extend(AccessStep::ArrayItemMissing(index));
}
inline AccessPath AccessPathObj::MapItem(Any key) const {
  return Extend(AccessStep::MapItem(std::move(key)));
}
inline AccessPath AccessPathObj::MapItemMissing(Any key) const {
  return Extend(AccessStep::MapItemMissing(std::move(key)));
}
inline Array<AccessStep> AccessPathObj::ToSteps() const {
  std::vector<AccessStep> steps;
  for (const AccessPathObj* path = this; path != nullptr; path = path->ParentPtr()) {
    if (path->step.has_value()) steps.push_back(path->step.value());
  }
  return Array<AccessStep>(steps.rbegin(), steps.rend());
}
inline bool AccessPathObj::PathEqual(const AccessPath& other) const {
  return depth == other->depth && StepsEqual(this, other.get());
}
inline bool AccessPathObj::IsPrefixOf(const AccessPath& other) const {
  const AccessPathObj* longer = other.get();
  while (longer != nullptr && longer->depth > depth) longer = longer->ParentPtr();
  return longer != nullptr && longer->depth == depth && StepsEqual(this, longer);
}

}  // namespace reflection
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_REFLECTION_ACCESS_PATH_H_
