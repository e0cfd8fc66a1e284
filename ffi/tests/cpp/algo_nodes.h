// SPDX-License-Identifier: Apache-2.0
// One type of each structural kind, for the tests of the structural algorithms. Registered in
// algo_nodes.cc.
#ifndef TVM_FFI_TESTS_CPP_ALGO_NODES_H_
#define TVM_FFI_TESTS_CPP_ALGO_NODES_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/string.h>

#include <string>
#include <utility>

namespace algo_nodes {

using tvm::ffi::Any;
using tvm::ffi::Object;
using tvm::ffi::ObjectRef;
using tvm::ffi::String;

class TreeObj : public Object {
 public:
  Any a;
  Any b;
  TreeObj() = default;
  TreeObj(Any first, Any second) : a(std::move(first)), b(std::move(second)) {}
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("kiln.test.Tree", TreeObj, Object);
};

class VarObj : public Object {
 public:
  String name;
  Any ty;
  VarObj() = default;
  VarObj(String n, Any t) : name(std::move(n)), ty(std::move(t)) {}
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindFreeVar;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("kiln.test.Var", VarObj, Object);
};

class DagObj : public Object {
 public:
  Any a;
  DagObj() = default;
  explicit DagObj(Any value) : a(std::move(value)) {}
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindDAGNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("kiln.test.Dag", DagObj, Object);
};

class ConstObj : public Object {
 public:
  Any a;
  ConstObj() = default;
  explicit ConstObj(Any value) : a(std::move(value)) {}
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindConstTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("kiln.test.Const", ConstObj, Object);
};

class SingleObj : public Object {
 public:
  Any a;
  SingleObj() = default;
  explicit SingleObj(Any value) : a(std::move(value)) {}
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindUniqueInstance;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("kiln.test.Single", SingleObj, Object);
};

// `params` opens a pattern definition region.
class FnObj : public Object {
 public:
  Any params;
  Any body;
  FnObj() = default;
  FnObj(Any p, Any b) : params(std::move(p)), body(std::move(b)) {}
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("kiln.test.Fn", FnObj, Object);
};

// `params` opens a simple definition region.
class Fn2Obj : public Object {
 public:
  Any params;
  Any body;
  Fn2Obj() = default;
  Fn2Obj(Any p, Any b) : params(std::move(p)), body(std::move(b)) {}
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("kiln.test.Fn2", Fn2Obj, Object);
};

template <typename T, typename... Args>
Any New(Args&&... args) {
  return ObjectRef(tvm::ffi::make_object<T>(std::forward<Args>(args)...));
}

inline Any Tree(Any a, Any b = 1) { return New<TreeObj>(std::move(a), std::move(b)); }
inline Any Var(const char* name, Any ty = Any()) { return New<VarObj>(name, std::move(ty)); }

template <typename... Args>
Any Call(const char* name, Args&&... args) {
  return tvm::ffi::Function::GetGlobalRequired(name)(std::forward<Args>(args)...);
}

/// "Kind: message" of the error that `body` raises; empty when it raises none.
template <typename Body>
std::string ErrorOf(Body&& body) {
  try {
    body();
  } catch (const tvm::ffi::Error& error) {
    return error.kind() + ": " + error.message();
  }
  return "";
}

}  // namespace algo_nodes
#endif  // TVM_FFI_TESTS_CPP_ALGO_NODES_H_
