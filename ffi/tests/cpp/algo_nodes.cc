// SPDX-License-Identifier: Apache-2.0
#include "algo_nodes.h"

#include <tvm/ffi/reflection/registry.h>

namespace algo_nodes {

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace refl = tvm::ffi::reflection;
  refl::ObjectDef<TreeObj>()
      .def_ro("a", &TreeObj::a)
      .def_ro("b", &TreeObj::b, refl::default_value(1));
  refl::ObjectDef<VarObj>()
      .def_ro("name", &VarObj::name, refl::AttachFieldFlag::SEqHashIgnore())
      .def_ro("ty", &VarObj::ty, refl::default_value(nullptr));
  refl::ObjectDef<DagObj>().def_ro("a", &DagObj::a);
  refl::ObjectDef<ConstObj>().def_ro("a", &ConstObj::a);
  refl::ObjectDef<SingleObj>().def_ro("a", &SingleObj::a);
  refl::ObjectDef<FnObj>()
      .def_ro("params", &FnObj::params, refl::AttachFieldFlag::SEqHashDefPattern())
      .def_ro("body", &FnObj::body);
  refl::ObjectDef<Fn2Obj>()
      .def_ro("params", &Fn2Obj::params, refl::AttachFieldFlag::SEqHashDefSimple())
      .def_ro("body", &Fn2Obj::body);
}

}  // namespace algo_nodes
