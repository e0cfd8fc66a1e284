// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tirx/ir/node_text.h"
#include "tirx/text/config.h"

namespace tvm {
namespace tirx {

// TVMScript text of a module, function, statement, expression, type or attribute value. One pass;
// time linear in the size of the text.
TIRX_API std::string Script(const ffi::Any& node, const PrinterConfig& config = {});

}  // namespace tirx
}  // namespace tvm
