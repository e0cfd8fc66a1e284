// SPDX-License-Identifier: Apache-2.0
// Reflection of AccessStep and AccessPath, and how they print.
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/reflection/access_path.h>
#include <tvm/ffi/reflection/registry.h>

#include <string>

#include "register.h"

namespace tvm {
namespace ffi {
namespace algo {
namespace {

using reflection::AccessKind;
using reflection::AccessPath;
using reflection::AccessPathObj;
using reflection::AccessStep;
using reflection::AccessStepObj;

using PrintFn = TypedFunction<String(AnyView)>;

std::string StepText(const AccessStepObj* step, const PrintFn& print) {
  switch (step->kind) {
    case AccessKind::kAttr:
      return "." + std::string(step->key.cast<String>());
    case AccessKind::kArrayItem:
    case AccessKind::kMapItem:
      return "[" + std::string(print(step->key)) + "]";
    case AccessKind::kAttrMissing:
    case AccessKind::kArrayItemMissing:
    case AccessKind::kMapItemMissing:
      return "[<missing:" + std::string(print(step->key)) + ">]";
  }
  TVM_FFI_THROW(ValueError) << "Unknown access kind " << static_cast<int32_t>(step->kind);
  return std::string();
}

String PrintStep(const Object* object, const PrintFn& print) {
  return String(StepText(static_cast<const AccessStepObj*>(object), print));
}

String PrintPath(const Object* object, const PrintFn& print) {
  std::string text = "<root>";
  for (const AccessStep& step : static_cast<const AccessPathObj*>(object)->ToSteps()) {
    text += StepText(step.get(), print);
  }
  return String(std::move(text));
}

}  // namespace

void RegisterAccessPath() {
  namespace refl = tvm::ffi::reflection;
  refl::ObjectDef<AccessStepObj>(refl::init(false))
      .def_ro("kind", &AccessStepObj::kind)
      .def_ro("key", &AccessStepObj::key)
      .def_type_attr("__ffi_repr__", &PrintStep);
  refl::ObjectDef<AccessPathObj>(refl::init(false))
      .def_ro("parent", &AccessPathObj::parent)
      .def_ro("step", &AccessPathObj::step)
      .def_ro("depth", &AccessPathObj::depth)
      .def_static("_root", &AccessPath::Root)
      .def("_extend", &AccessPathObj::Extend)
      .def("_attr", &AccessPathObj::Attr)
      .def("_array_item", &AccessPathObj::ArrayItem)
      .def("_map_item", &AccessPathObj::MapItem)
      .def("_attr_missing", &AccessPathObj::AttrMissing)
      .def("_array_item_missing", &AccessPathObj::ArrayItemMissing)
      .def("_map_item_missing", &AccessPathObj::MapItemMissing)
      .def("_is_prefix_of", &AccessPathObj::IsPrefixOf)
      .def("_to_steps", &AccessPathObj::ToSteps)
      .def("_path_equal", &AccessPathObj::PathEqual)
      .def_type_attr("__ffi_repr__", &PrintPath);
}

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
