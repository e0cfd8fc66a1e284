// SPDX-License-Identifier: Apache-2.0
#include <tvm/ffi/extra/structural_equal.h>
#include <tvm/ffi/reflection/creator.h>

#include "tirx/ir/analysis.h"
#include "tirx/text/script.h"
#include "tirx/text/underline.h"

namespace tvm {
namespace tirx {

namespace {

std::string Underlined(const ffi::Any& node, const ffi::reflection::AccessPath& path) {
  auto config = ffi::make_object<PrinterConfigObj>();
  config->path_to_underline.push_back(path);
  return Script(node, PrinterConfig(std::move(config)));
}

}  // namespace

void AssertStructuralEqual(const ffi::Any& lhs, const ffi::Any& rhs, bool map_free_vars) {
  auto mismatch = ffi::StructuralEqual::GetFirstMismatch(lhs, rhs, map_free_vars);
  if (!mismatch.has_value()) return;
  auto [left, right] = mismatch.value();
  TVM_FFI_THROW(ValueError) << "StructuralEqual check failed, caused by lhs at "
                            << PathText(left->ToSteps()) << ":\n"
                            << Underlined(lhs, left) << "\nand rhs at "
                            << PathText(right->ToSteps()) << ":\n"
                            << Underlined(rhs, right);
}

}  // namespace tirx
}  // namespace tvm
