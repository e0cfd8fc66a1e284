// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tvm/ffi/reflection/access_path.h>

#include "tirx/ir/node.h"

namespace tvm {
namespace tirx {

// Options of the printer, as tirx-language section 7 lists them.
struct PrinterConfigObj : ffi::Object {
  ffi::Array<ffi::String> binding_names;
  bool show_meta = false;
  bool verbose_expr = false;
  int64_t indent_spaces = 4;
  bool print_line_numbers = false;
  int64_t num_context_lines = -1;
  bool render_invisible_path_info = true;
  ffi::Array<ffi::reflection::AccessPath> path_to_underline;
  ffi::Map<ffi::reflection::AccessPath, ffi::String> path_to_annotate;
  ffi::Array<ffi::ObjectRef> obj_to_underline;
  ffi::Map<ffi::ObjectRef, ffi::String> obj_to_annotate;
  // Keys: ir.prefix, tirx.prefix, ir.comment_imports, ir.int_dtype, ir.float_dtype.
  ffi::Map<ffi::String, ffi::Any> extra_config;

  static constexpr auto Fields() {
    return std::make_tuple(
        Field("binding_names", &PrinterConfigObj::binding_names),
        Field("show_meta", &PrinterConfigObj::show_meta),
        Field("verbose_expr", &PrinterConfigObj::verbose_expr),
        Field("indent_spaces", &PrinterConfigObj::indent_spaces),
        Field("print_line_numbers", &PrinterConfigObj::print_line_numbers),
        Field("num_context_lines", &PrinterConfigObj::num_context_lines),
        Field("render_invisible_path_info", &PrinterConfigObj::render_invisible_path_info),
        Field("path_to_underline", &PrinterConfigObj::path_to_underline),
        Field("path_to_annotate", &PrinterConfigObj::path_to_annotate),
        Field("obj_to_underline", &PrinterConfigObj::obj_to_underline),
        Field("obj_to_annotate", &PrinterConfigObj::obj_to_annotate),
        Field("extra_config", &PrinterConfigObj::extra_config));
  }
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("script.PrinterConfig", PrinterConfigObj, ffi::Object);
};
// A null PrinterConfig means all defaults.
struct PrinterConfig : ffi::ObjectRef {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(PrinterConfig, ffi::ObjectRef, PrinterConfigObj);
};

}  // namespace tirx
}  // namespace tvm
