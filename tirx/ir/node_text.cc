// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/node_text.h"

namespace tvm {
namespace tirx {

namespace {

std::string TypeKeyOf(const ffi::ObjectRef& node) {
  return node.defined() ? std::string(node->GetTypeKey()) : "None";
}

// Written once, while the library is loaded.
NodeTextFunction node_text = TypeKeyOf;

}  // namespace

std::string ShortText(const ffi::ObjectRef& node) { return node_text(node); }

void SetNodeText(NodeTextFunction text) { node_text = text; }

}  // namespace tirx
}  // namespace tvm
