// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/given.h"
#include "tirx/ir/reflect.h"
#include "tirx/ir/tensor_type.h"

namespace tvm {
namespace tirx {

namespace {

namespace refl = ffi::reflection;

void RegisterLocations() {
  refl::ObjectDef<LocationObj>();
  refl::ObjectDef<UnknownLocObj>()
      .def_type_attr("__data_to_json__", [](const UnknownLocObj*) { return ffi::Any(); })
      .def_type_attr("__data_from_json__", [](ffi::AnyView) { return Location::Unknown(); });
  refl::ObjectDef<SourceNameObj>()
      .def_ro("name", &SourceNameObj::name)
      .def_type_attr("__data_to_json__",
                     [](const SourceNameObj* node) { return ffi::Any(node->name); })
      .def_type_attr("__data_from_json__", [](ffi::String name) { return SourceName::Get(name); });
  RegisterNode<SourceLocObj>();
  RegisterNode<CallSiteLocObj>();
  refl::GlobalDef()
      .def("ir.UnknownLoc", [] { return Location::Unknown(); })
      .def("ir.SourceName", [](ffi::String name) { return SourceName::Get(name); })
      .def("ir.SourceLoc",
           [](Given<SourceName> name, int64_t line, int64_t column, int64_t end_line,
              int64_t end_column) {
             return SourceLoc(std::move(name), line, column, end_line, end_column);
           })
      .def("ir.CallSiteLoc", [](Location callee, Location caller) {
        return CallSiteLoc(std::move(callee), std::move(caller));
      });
}

template <typename T>
ffi::TypedFunction<T()> Plain() {
  return ffi::TypedFunction<T()>([] { return T::Make(); });
}

// As a key of a map, a format is itself whatever object holds it.
int64_t PrimTypeHash(const ffi::Any& type) {
  DLDataType t = type.as<PrimTypeObj>()->dtype;
  return (int64_t{t.code} << 24) | (int64_t{t.bits} << 16) | t.lanes;
}
bool PrimTypeEqual(const ffi::Any& a, const ffi::Any& b) {
  const auto* x = a.as<PrimTypeObj>();
  const auto* y = b.as<PrimTypeObj>();
  return x != nullptr && y != nullptr && SameDType(x->dtype, y->dtype);
}

void RegisterTypes() {
  refl::ObjectDef<TypeObj>().def_ro("loc", &TypeObj::loc, refl::AttachFieldFlag::SEqHashIgnore(),
                                    refl::DefaultValue(Location::Unknown()), refl::init(false));
#define TIRX_TYPE(Name, key) RegisterNode<Name##Obj>();
#include "tirx/defs/nodes.def"
  refl::TypeAttrDef<PrimTypeObj>()
      .native_fn_attr<&PrimTypeHash>(ffi::type_attr::kAnyHash)
      .native_fn_attr<&PrimTypeEqual>(ffi::type_attr::kAnyEqual);
  refl::GlobalDef()
      .def("ir.PrimType", [](DLDataType dtype) { return PrimType(dtype); })
      .def("ir.PtrType",
           [](Given<Type> element, MemoryScope scope) {
             return PtrType(std::move(element), std::move(scope));
           })
      .def("ir.TupleType",
           [](ffi::Array<Given<Type>> fields) { return TupleType(std::move(fields)); })
      .def("ir.FuncType", [](ffi::Array<Given<Type>> args,
                             Given<Type> ret) { return FuncType(std::move(args), std::move(ret)); })
      .def("ir.StringType", Plain<StringType>())
      .def("ir.NoneType", Plain<NoneType>())
      .def("ir.AnyType", Plain<AnyType>())
      .def("ir.OpaqueType", Plain<OpaqueType>())
      .def("ir.MissingType", [] { return Type::Missing(); })
      .def("ir.TensorRegionType", Plain<TensorRegionType>())
      .def("tirx.TensorMapType", Plain<TensorMapType>())
      .def("tirx.TensorType", [](ffi::Array<Given<Expr>> shape, Given<PrimType> dtype,
                                 MemoryScope scope, int64_t data_alignment, Layout layout) {
        return TensorType(std::move(shape), std::move(dtype), std::move(scope), data_alignment,
                          std::move(layout));
      });
}

void RegisterLayouts() {
  refl::ObjectDef<LayoutObj>();
  RegisterNode<IterObj>();
  RegisterNode<TileLayoutObj>();
  RegisterNode<ComposeLayoutObj>();
  RegisterNode<IndexMapObj>();
  refl::GlobalDef()
      .def("tirx.Iter",
           [](PrimExpr extent, PrimExpr stride, Given<Axis> axis) {
             return Iter(std::move(extent), std::move(stride), std::move(axis));
           })
      .def("tirx.TileLayout",
           [](ffi::Array<Given<Iter>> shard, ffi::Array<Given<Iter>> replica,
              ffi::Map<Axis, Expr> offset) {
             return TileLayout(std::move(shard), std::move(replica), std::move(offset));
           })
      .def("tirx.ComposeLayout",
           [](int64_t per_element, int64_t swizzle_len, int64_t atom_len,
              Given<TileLayout> tile_layout, bool swizzle_inner) {
             return ComposeLayout(per_element, swizzle_len, atom_len, std::move(tile_layout),
                                  swizzle_inner);
           })
      .def("tirx.IndexMap", [](ffi::Array<Given<Var>> initial,
                               ffi::Array<Given<Expr>> final_indices, ffi::ObjectRef inverse) {
        return IndexMap(std::move(initial), std::move(final_indices), std::move(inverse));
      });
}

TVM_FFI_STATIC_INIT_BLOCK() {
  RegisterLocations();
  RegisterTypes();
  RegisterLayouts();
}

}  // namespace

}  // namespace tirx
}  // namespace tvm
