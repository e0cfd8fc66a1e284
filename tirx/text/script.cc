// SPDX-License-Identifier: Apache-2.0
#include "tirx/text/script.h"

#include <tvm/ffi/reflection/creator.h>

#include "tirx/ir/reflect.h"

namespace tvm {
namespace tirx {

namespace {

namespace refl = ffi::reflection;

TVM_FFI_STATIC_INIT_BLOCK() {
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
