// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tirx/ir/stmt.h"

namespace tvm {
namespace tirx {

// Names of function attributes.
namespace attr {
inline constexpr const char* kGlobalSymbol = "global_symbol";
inline constexpr const char* kTarget = "target";
inline constexpr const char* kCallingConv = "calling_conv";
inline constexpr const char* kNoAlias = "tirx.noalias";
inline constexpr const char* kIsEntryFunc = "tirx.is_entry_func";
inline constexpr const char* kIsGlobalFunc = "tirx.is_global_func";
inline constexpr const char* kKernelLaunchParams = "tirx.kernel_launch_params";
inline constexpr const char* kPersistentKernel = "tirx.persistent_kernel";
inline constexpr const char* kEnableFastMath = "tirx.enable_fast_math";
inline constexpr const char* kBackendConfig = "backend_config";
inline constexpr const char* kExternalMods = "external_mods";
}  // namespace attr

enum class CallingConv : int64_t { Default = 0, CPackedFunc = 1, DeviceKernelLaunch = 2 };

// `ty` is the FuncType of the parameters and the result. The variables that the parameter types
// name (sizes) are defined by the parameters. A null body makes a declaration.
struct FunctionObj : BaseFuncObj {
  ffi::Array<Var> params;
  Type ret_type;
  SeqStmt body;  // null for a declaration

  FunctionObj() : BaseFuncObj(ExprKind::Function) {}
  static constexpr auto Fields() {
    return std::make_tuple(Field("params", &FunctionObj::params, Role::DefinePattern),
                           Field("ret_type", &FunctionObj::ret_type),
                           Field("body", &FunctionObj::body));
  }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tirx.Function", FunctionObj, BaseFuncObj);
};
struct Function : BaseFunc {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Function, BaseFunc, FunctionObj);
  // A null `ret_type` means the unit type.
  TIRX_API Function(ffi::Array<Var> params, SeqStmt body, Type ret_type = {}, DictAttrs attrs = {},
                    Location loc = {});
  // The attribute as T, nullopt when absent.
  template <typename T>
  std::optional<T> GetAttr(const ffi::String& key) const {
    return get()->attrs.GetAttr<T>(key);
  }
  bool HasAttr(const ffi::String& key) const { return get()->attrs.HasAttr(key); }
  TIRX_API Function WithAttr(const ffi::String& key, ffi::Any value) const;
  TIRX_API Function WithoutAttr(const ffi::String& key) const;
  TIRX_API Function WithBody(SeqStmt body) const;
};

}  // namespace tirx
}  // namespace tvm
