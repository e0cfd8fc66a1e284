// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/given.h"
#include "tirx/ir/ops.h"
#include "tirx/ir/reflect.h"

namespace tvm {
namespace tirx {

namespace {

namespace refl = ffi::reflection;

void RegisterNodes() {
  refl::ObjectDef<ExprObj>()
      .def_ro("loc", &ExprObj::loc, refl::AttachFieldFlag::SEqHashIgnore(),
              refl::DefaultValue(Location::Unknown()))
      .def_ro("ty", &ExprObj::ty, refl::DefaultValue(Type::Missing()));
  RegisterNode<ConstantObj>();
  RegisterNode<StagingExprObj>();
  RegisterNode<AttrsObj>();
  RegisterNode<DictAttrsObj>();
  RegisterNode<RangeObj>();
  RegisterNode<IntImmObj>();
  RegisterNode<FloatImmObj>();
  RegisterNode<StringImmObj>();
  RegisterNode<DataTypeImmObj>();
  RegisterNode<GenericConstObj>();
  RegisterNode<VarObj>();
  RegisterNode<GlobalVarObj>();
  RegisterNode<CallObj>();
  RegisterNode<TensorLoadObj>();
  RegisterNode<TensorRegionObj>();
  RegisterNode<TupleObj>();
  RegisterNode<TupleGetItemObj>();
  RegisterNode<LambdaExprObj>();
  RegisterNode<OpaqueExprObj>();
}

void RegisterConstructors() {
  refl::GlobalDef()
      .def("ir.IntImm",
           [](Given<PrimType> ty, ffi::BigInt value, Location loc) {
             return IntImm(ty->dtype, std::move(value), std::move(loc));
           })
      .def("ir.FloatImm", [](Given<PrimType> ty, double value,
                             Location loc) { return FloatImm(ty->dtype, value, std::move(loc)); })
      .def("ir.StringImm", [](ffi::String value,
                              Location loc) { return StringImm(std::move(value), std::move(loc)); })
      .def("ir.DataTypeImm",
           [](DLDataType value, Location loc) { return DataTypeImm(value, std::move(loc)); })
      .def("ir.GenericConst",
           [](ffi::Any value, Given<Type> ty, Location loc) {
             return GenericConst(std::move(value), std::move(ty), std::move(loc));
           })
      .def("ir.Var",
           [](ffi::String name, Type ty, Location loc) {
             return Var(std::move(name), std::move(ty), std::move(loc));
           })
      .def("ir.GlobalVar",
           [](ffi::String name, Type ty, Location loc) {
             return GlobalVar(std::move(name), std::move(ty), std::move(loc));
           })
      .def("ir.DictAttrs",
           [](ffi::Map<ffi::String, ffi::Any> dict) { return DictAttrs(std::move(dict)); })
      .def("ir.Range",
           [](PrimExpr begin, PrimExpr end, Location loc) {
             return Range(std::move(begin), std::move(end), std::move(loc));
           })
      .def("ir.Range_from_min_extent",
           [](PrimExpr begin, PrimExpr extent, Location loc) {
             return Range::FromMinExtent(std::move(begin), std::move(extent), std::move(loc));
           })
      .def("ir.Call",
           [](Expr op, ffi::Array<Given<Expr>> args, Attrs attrs, ffi::Array<Given<Type>> ty_args,
              Type ty, Location loc) {
             return Call(std::move(op), std::move(args), std::move(attrs), std::move(ty_args),
                         std::move(ty), std::move(loc));
           })
      .def("ir.TensorLoad",
           [](Expr source, ffi::Array<PrimExpr> indices, Location loc) {
             return TensorLoad(std::move(source), ffi::Array<Expr>(indices.begin(), indices.end()),
                               std::move(loc));
           })
      .def("ir.TensorRegion",
           [](Expr source, ffi::Array<Given<Range>> region, Location loc) {
             return TensorRegion(std::move(source), std::move(region), std::move(loc));
           })
      .def("ir.Tuple", [](ffi::Array<Given<Expr>> fields,
                          Location loc) { return Tuple(std::move(fields), std::move(loc)); })
      .def("ir.TupleGetItem",
           [](Expr tuple_value, int64_t index, Location loc) {
             return TupleGetItem(std::move(tuple_value), index, std::move(loc));
           })
      .def("ir.LambdaExpr", [](ffi::Array<Given<Var>> vars, Expr body, Location loc) {
        return LambdaExpr(std::move(vars), std::move(body), std::move(loc));
      });
}

TVM_FFI_STATIC_INIT_BLOCK() {
  RegisterNodes();
  RegisterConstructors();
}

}  // namespace

}  // namespace tirx
}  // namespace tvm
