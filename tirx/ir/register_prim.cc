// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/given.h"
#include "tirx/ir/prim.h"
#include "tirx/ir/reflect.h"

namespace tvm {
namespace tirx {

namespace {

namespace refl = ffi::reflection;

// Function pointers of one type: one instantiation of the argument unpacking for all nodes.
template <typename Node>
Expr Binary(PrimExpr a, PrimExpr b, Location loc) {
  return Node(std::move(a), std::move(b), std::move(loc));
}

template <typename Node>
Expr Unary(PrimExpr a, Location loc) {
  return Node(std::move(a), std::move(loc));
}

TVM_FFI_STATIC_INIT_BLOCK() {
#define TIRX_BINARY(Name, key) \
  RegisterNode<Name##Obj>();   \
  refl::GlobalDef().def(key, &Binary<Name>);
#define TIRX_EXPR(Name, key)
#include "tirx/defs/nodes.def"
  RegisterNode<NotObj>();
  RegisterNode<BitwiseNotObj>();
  RegisterNode<CastObj>();
  RegisterNode<SelectObj>();
  RegisterNode<LetObj>();
  RegisterNode<RampObj>();
  RegisterNode<BroadcastObj>();
  RegisterNode<ShuffleObj>();
  refl::GlobalDef()
      .def("prim.Not", &Unary<Not>)
      .def("prim.BitwiseNot", &Unary<BitwiseNot>)
      .def("prim.Cast", [](DLDataType dtype, PrimExpr value,
                           Location loc) { return Cast(dtype, std::move(value), std::move(loc)); })
      .def("prim.Select",
           [](PrimExpr condition, PrimExpr true_value, PrimExpr false_value, Location loc) {
             return Select(std::move(condition), std::move(true_value), std::move(false_value),
                           std::move(loc));
           })
      .def("prim.Let",
           [](Given<Var> var, PrimExpr value, PrimExpr body, Location loc) {
             return Let(std::move(var), std::move(value), std::move(body), std::move(loc));
           })
      .def("prim.Ramp",
           [](PrimExpr base, PrimExpr stride, PrimExpr lanes, Location loc) {
             return Ramp(std::move(base), std::move(stride), std::move(lanes), std::move(loc));
           })
      .def("prim.Broadcast", &Binary<Broadcast>)
      .def("prim.Shuffle",
           [](ffi::Array<Given<Expr>> vectors, ffi::Array<Given<Expr>> indices, Location loc) {
             return Shuffle(std::move(vectors), std::move(indices), std::move(loc));
           });
}

}  // namespace

}  // namespace tirx
}  // namespace tvm
