// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tirx/ir/node.h"

namespace tvm {
namespace tirx {

// `ref` as its known derived class; the kind of the node says that it is one.
template <typename To, typename From>
To Downcast(From&& ref) {
  using Node = typename To::ContainerType;
  return To(ffi::details::ObjectUnsafe::ObjectPtrFromObjectRef<Node>(std::forward<From>(ref)));
}

// Rewrites fields of one node. A node that nobody else holds is changed in place: its children are
// moved out while they are visited, so they are alone too. Any other node is copied at the first
// change, and stays itself without one.
template <typename Ref>
class Rewriter {
 public:
  using Node = typename Ref::ContainerType;

  explicit Rewriter(Ref ref) : ref_(std::move(ref)), alone_(ref_.unique()) {}

  const Node* operator->() const { return static_cast<const Node*>(ref_.get()); }
  Ref Take() { return std::move(ref_); }

  // f takes the field's value and returns the new one. Returns whether it is another object.
  template <typename T, typename Owner, typename F>
  bool Field(T Owner::* member, F&& f) {
    if (alone_) {
      T& slot = Mutable()->*member;
      const void* before = slot.get();
      T taken = std::move(slot);
      slot = f(std::move(taken));
      return slot.get() != before;
    }
    const T& old = operator->()->*member;
    T changed = f(T(old));
    if (changed.same_as(old)) return false;
    Own();
    Mutable()->*member = std::move(changed);
    return true;
  }

  // The same for each item of an array.
  template <typename T, typename Owner, typename F>
  bool Items(ffi::Array<T> Owner::* member, F&& f) {
    const ffi::Array<T>& items = operator->()->*member;
    int64_t n = static_cast<int64_t>(items.size());
    ffi::Array<T> result;
    bool changed = false;
    for (int64_t i = 0; i < n; ++i) {
      T item = items[i];
      T now = f(item);
      if (!changed && now.same_as(item)) continue;
      if (!changed) {
        changed = true;
        result.reserve(n);
        for (int64_t k = 0; k < i; ++k) result.push_back(items[k]);
      }
      result.push_back(std::move(now));
    }
    if (!changed) return false;
    Own();
    Mutable()->*member = std::move(result);
    return true;
  }

 private:
  Node* Mutable() { return const_cast<Node*>(operator->()); }
  void Own() {
    if (alone_) return;
    ref_ = Ref(ffi::make_object<Node>(*operator->()));
    alone_ = true;
  }

  Ref ref_;
  bool alone_;
};

}  // namespace tirx
}  // namespace tvm
