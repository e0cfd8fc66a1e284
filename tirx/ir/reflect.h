// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tvm/ffi/reflection/registry.h>

#include "tirx/ir/node.h"

namespace tvm {
namespace tirx {

// Registers a node type and the fields that it lists.
template <typename N>
void RegisterNode() {
  ffi::reflection::ObjectDef<N> def;
  ForEachField<N>([&](const auto& field) {
    if (field.role == Role::Use) {
      def.def_ro(field.name, field.member);
    } else {
      def.def_ro(field.name, field.member,
                 ffi::reflection::AttachFieldFlag(static_cast<int32_t>(field.role)));
    }
  });
}

}  // namespace tirx
}  // namespace tvm
