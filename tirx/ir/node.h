// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tvm/ffi/any.h>
#include <tvm/ffi/cast.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/string.h>

#include <tuple>
#include <utility>

#include "tirx/ir/api.h"
#include "tirx/ir/kinds.h"

namespace tvm {
namespace tirx {

// What a field means for structural equality and hashing.
enum class Role : int64_t {
  Use = 0,
  Ignore = kTVMFFIFieldFlagBitMaskSEqHashIgnore,
  // The variables of the field are defined here, without looking into their types.
  Define = kTVMFFIFieldFlagBitMaskSEqHashDefSimple,
  // Free variables anywhere below the field are defined here (parameters, whose types name sizes).
  DefinePattern = kTVMFFIFieldFlagBitMaskSEqHashDefPattern,
};

template <typename C, typename T>
struct FieldDecl {
  const char* name;
  T C::* member;
  Role role;
};

// One field of a node. A node lists its fields once, in `static constexpr auto Fields()`;
// reflection, visiting and rewriting are expanded from that list.
template <typename C, typename T>
constexpr FieldDecl<C, T> Field(const char* name, T C::* member, Role role = Role::Use) {
  return {name, member, role};
}

// Calls f(decl) for each field of node type N, in order. Fields of the bases are not included.
template <typename N, typename F>
void ForEachField(F&& f) {
  std::apply([&](const auto&... decl) { (f(decl), ...); }, N::Fields());
}

// The node behind `*ref`, fit to be changed: the same node when nobody else holds it, else a copy
// that replaces it in `*ref`.
template <typename Ref>
typename Ref::ContainerType* CopyOnWrite(Ref* ref) {
  using Node = typename Ref::ContainerType;
  if (!ref->unique()) *ref = Ref(ffi::make_object<Node>(*ref->get()));
  return const_cast<Node*>(static_cast<const Node*>(ref->get()));
}

}  // namespace tirx
}  // namespace tvm
