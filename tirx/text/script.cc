// SPDX-License-Identifier: Apache-2.0
#include "tirx/text/script.h"

#include <tvm/ffi/reflection/creator.h>

#include <string>

#include "tirx/ir/module.h"
#include "tirx/ir/reflect.h"

namespace tvm {
namespace tirx {

namespace {

namespace refl = ffi::reflection;

// What `repr` shows of a node, alone or inside a container: its script, or the place of a location.
ffi::String Repr(const ffi::Object* node,
                 const ffi::TypedFunction<ffi::String(ffi::AnyView)>& repr) {
  if (node->IsInstance<UnknownLocObj>()) return "UnknownLoc()";
  if (node->IsInstance<SourceNameObj>()) {
    return "SourceName(" + static_cast<const SourceNameObj*>(node)->name + ")";
  }
  if (node->IsInstance<SourceLocObj>()) {
    const auto* loc = static_cast<const SourceLocObj*>(node);
    return "SourceLoc(" + repr(loc->source_name) + ", " + std::to_string(loc->start_line) + ", " +
           std::to_string(loc->start_column) + ", " + std::to_string(loc->end_line) + ", " +
           std::to_string(loc->end_column) + ")";
  }
  if (node->IsInstance<CallSiteLocObj>()) {
    const auto* loc = static_cast<const CallSiteLocObj*>(node);
    return "CallSiteLoc(" + repr(loc->callee) + ", " + repr(loc->caller) + ")";
  }
  return Script(ffi::GetRef<ffi::ObjectRef>(node));
}

void RegisterRepr() {
  ffi::Function hook = ffi::Function::FromTyped(Repr, "script.printer.Repr");
  TVMFFIByteArray name{"__ffi_repr__", 12};
  TVMFFIAny value = ffi::AnyView(hook).CopyToTVMFFIAny();
  for (int32_t type_index : {
#define TIRX_EXPR(Name, key) Name##Obj::RuntimeTypeIndex(),
#define TIRX_STMT(Name, key) Name##Obj::RuntimeTypeIndex(),
#define TIRX_TYPE(Name, key) Name##Obj::RuntimeTypeIndex(),
#include "tirx/defs/nodes.def"
           RangeObj::RuntimeTypeIndex(), DictAttrsObj::RuntimeTypeIndex(),
           IterObj::RuntimeTypeIndex(), TileLayoutObj::RuntimeTypeIndex(),
           ComposeLayoutObj::RuntimeTypeIndex(), IndexMapObj::RuntimeTypeIndex(),
           IRModuleObj::RuntimeTypeIndex(), ThreadScopeObj::RuntimeTypeIndex(),
           UnknownLocObj::RuntimeTypeIndex(), SourceNameObj::RuntimeTypeIndex(),
           SourceLocObj::RuntimeTypeIndex(), CallSiteLocObj::RuntimeTypeIndex()}) {
    TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterAttr(type_index, &name, &value));
  }
}

TVM_FFI_STATIC_INIT_BLOCK() {
  RegisterRepr();
  RegisterNode<PrinterConfigObj>();
  refl::GlobalDef()
      .def("script.printer.Script",
           [](ffi::Any node, PrinterConfig config) { return ffi::String(Script(node, config)); })
      .def("script.PrinterConfig", [](ffi::Map<ffi::String, ffi::Any> options) {
        return refl::ObjectCreator("script.PrinterConfig")(options).cast<PrinterConfig>();
      });
}

}  // namespace

}  // namespace tirx
}  // namespace tvm
