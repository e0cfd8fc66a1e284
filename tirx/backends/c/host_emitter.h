// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_BACKENDS_C_HOST_EMITTER_H_
#define TIRX_BACKENDS_C_HOST_EMITTER_H_

#include <string>
#include <vector>

#include "tirx/ir/module.h"

namespace tvm {
namespace tirx {
namespace c_backend {

/// Text of a host module in portable C (C99, and C++ as well). `exported` gets the names of the
/// functions that the text exports, without the prefix `__tvm_ffi_`.
std::string EmitHostModule(const IRModule& module, const std::string& target_text,
                           std::vector<std::string>* exported);

}  // namespace c_backend
}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_BACKENDS_C_HOST_EMITTER_H_
