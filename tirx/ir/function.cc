// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/function.h"

namespace tvm {
namespace tirx {

Function::Function(ffi::Array<Var> params, SeqStmt body, Type ret_type, DictAttrs attrs,
                   Location loc) {
  auto node = ffi::make_object<FunctionObj>();
  ffi::Array<Type> types;
  types.reserve(params.size());
  for (const Var& param : params) {
    TVM_FFI_CHECK(param.defined(), TypeError) << "a parameter must be a variable";
    types.push_back(param->ty);
  }
  if (!ret_type.defined()) ret_type = Type::Unit();
  node->ty = FuncType(std::move(types), ret_type);
  node->params = std::move(params);
  node->ret_type = std::move(ret_type);
  node->body = std::move(body);
  node->attrs = attrs.defined() ? std::move(attrs) : DictAttrs(ffi::Map<ffi::String, ffi::Any>());
  node->loc = OrUnknown(std::move(loc));
  data_ = std::move(node);
}

Function Function::WithAttr(const ffi::String& key, ffi::Any value) const {
  Function copy = *this;
  CopyOnWrite(&copy)->attrs = get()->attrs.With(key, std::move(value));
  return copy;
}

Function Function::WithoutAttr(const ffi::String& key) const {
  Function copy = *this;
  CopyOnWrite(&copy)->attrs = get()->attrs.Without(key);
  return copy;
}

Function Function::WithBody(SeqStmt body) const {
  Function copy = *this;
  CopyOnWrite(&copy)->body = std::move(body);
  return copy;
}

}  // namespace tirx
}  // namespace tvm
