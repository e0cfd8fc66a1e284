// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tvm/ffi/object.h>

#include <string>

#include "tirx/ir/api.h"

namespace tvm {
namespace tirx {

// One line of script for a message: an expression, a type or a layout. The printer stands above
// this layer and puts its function in when it is loaded; before that the text is the type key.
TIRX_API std::string ShortText(const ffi::ObjectRef& node);

using NodeTextFunction = std::string (*)(const ffi::ObjectRef& node);
TIRX_API void SetNodeText(NodeTextFunction text);

}  // namespace tirx
}  // namespace tvm
