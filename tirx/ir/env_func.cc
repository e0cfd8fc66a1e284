// SPDX-License-Identifier: Apache-2.0
#include <tvm/ffi/function.h>

#include "tirx/ir/reflect.h"

namespace tvm {
namespace tirx {

// A global function by name, so that it can be saved.
struct EnvFuncObj : ffi::Object {
  ffi::String name;
  ffi::Function func;

  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.EnvFunc", EnvFuncObj, ffi::Object);
};
struct EnvFunc : ffi::ObjectRef {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(EnvFunc, ffi::ObjectRef, EnvFuncObj);
  static EnvFunc Get(const ffi::String& name) {
    auto func = ffi::Function::GetGlobal(name);
    TVM_FFI_CHECK(func.has_value(), ValueError) << "Cannot find global function \"" << name << '"';
    auto node = ffi::make_object<EnvFuncObj>();
    node->name = name;
    node->func = *func;
    return EnvFunc(std::move(node));
  }
};

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace refl = ffi::reflection;
  refl::ObjectDef<EnvFuncObj>(refl::init(false))
      .def_ro("name", &EnvFuncObj::name)
      .def_ro("func", &EnvFuncObj::func, refl::AttachFieldFlag::SEqHashIgnore())
      .def_type_attr("__data_to_json__",
                     [](const EnvFuncObj* node) { return ffi::Any(node->name); })
      .def_type_attr("__data_from_json__", [](ffi::String name) { return EnvFunc::Get(name); });
  refl::GlobalDef().def("ir.EnvFuncGet", [](ffi::String name) { return EnvFunc::Get(name); });
}

}  // namespace tirx
}  // namespace tvm
