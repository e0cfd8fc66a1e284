// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_TARGET_TARGET_H_
#define TIRX_TARGET_TARGET_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/string.h>

#include <optional>
#include <string>

#include "tirx/ir/node.h"

namespace tvm {
namespace tirx {

/// A family of targets, such as `llvm` or `cuda`. One object a name.
struct TargetKindObj : ffi::Object {
  ffi::String name;
  int64_t default_device_type = 1;
  ffi::Array<ffi::String> default_keys;

  static constexpr auto Fields() {
    return std::make_tuple(
        Field("name", &TargetKindObj::name),
        Field("default_device_type", &TargetKindObj::default_device_type, Role::Ignore),
        Field("default_keys", &TargetKindObj::default_keys, Role::Ignore));
  }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindUniqueInstance;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("target.TargetKind", TargetKindObj, ffi::Object);
};
struct TargetKind : ffi::ObjectRef {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(TargetKind, ffi::ObjectRef, TargetKindObj);
  /// Throws ValueError `Target kind "<name>" is not defined`.
  TIRX_API static TargetKind Get(const ffi::String& name);
  TIRX_API static ffi::Array<ffi::String> List();
  /// Names of the options of the kind, with the type of each.
  TIRX_API ffi::Map<ffi::String, ffi::String> Options() const;
};

/// What code is generated for: a kind and its options.
struct TargetObj : ffi::Object {
  TargetKind kind;
  ffi::String tag;
  ffi::Array<ffi::String> keys;
  ffi::Map<ffi::String, ffi::Any> attrs;
  ffi::ObjectRef host;  // a Target, or null

  static constexpr auto Fields() {
    return std::make_tuple(Field("kind", &TargetObj::kind), Field("tag", &TargetObj::tag),
                           Field("keys", &TargetObj::keys), Field("attrs", &TargetObj::attrs),
                           Field("host", &TargetObj::host));
  }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("target.Target", TargetObj, ffi::Object);
};
struct Target : ffi::ObjectRef {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Target, ffi::ObjectRef, TargetObj);

  /// From a kind name, a tag, or JSON text.
  TIRX_API explicit Target(const std::string& text);
  /// From `{"kind": ..., option: value, ...}` or `{"tag": ..., overrides...}`.
  TIRX_API explicit Target(const ffi::Map<ffi::String, ffi::Any>& config);
  TIRX_API Target WithHost(const Target& host) const;
  /// Null when there is none.
  TIRX_API Target Host() const;
  /// Kind, tag, keys and the options, fit to build the target again.
  TIRX_API ffi::Map<ffi::String, ffi::Any> Export() const;
  /// Compact JSON of Export.
  TIRX_API std::string str() const;
  TIRX_API int DeviceType() const;

  /// The option as T; nullopt when it is not set.
  template <typename T>
  std::optional<T> Attr(const char* name) const {
    auto it = get()->attrs.find(name);
    if (it == get()->attrs.end()) return std::nullopt;
    return (*it).second.template cast<T>();
  }
  bool IsKind(const char* name) const { return get()->kind->name == name; }
  /// Code for this kind runs on the CPU that launches.
  bool IsHostKind() const { return IsKind("llvm") || IsKind("c") || IsKind("cuda_host"); }
};

}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_TARGET_TARGET_H_
