// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/expr.h"

#include "tirx/ir/node_text.h"
#include "tirx/ir/op.h"
#include "tirx/ir/ops.h"

namespace tvm {
namespace tirx {

Var::Var(ffi::String name, Type ty, Location loc) {
  TVM_FFI_CHECK(ty.defined(), TypeError) << "a variable needs a type";
  auto node = ffi::make_object<VarObj>();
  node->name = std::move(name);
  node->ty = std::move(ty);
  node->loc = OrUnknown(std::move(loc));
  data_ = std::move(node);
}

Var::Var(ffi::String name, DLDataType dtype, Location loc)
    : Var(std::move(name), Type(PrimType(dtype)), std::move(loc)) {}

GlobalVar::GlobalVar(ffi::String name_hint, Type ty, Location loc) {
  auto node = ffi::make_object<GlobalVarObj>();
  node->name_hint = std::move(name_hint);
  if (ty.defined()) node->ty = std::move(ty);
  node->loc = OrUnknown(std::move(loc));
  data_ = std::move(node);
}

DictAttrs::DictAttrs(ffi::Map<ffi::String, ffi::Any> dict) {
  auto node = ffi::make_object<DictAttrsObj>();
  node->dict = std::move(dict);
  data_ = std::move(node);
}

bool DictAttrs::HasAttr(const ffi::String& key) const {
  return defined() && get()->dict.count(key) != 0;
}

ffi::Any DictAttrs::GetAny(const ffi::String& key) const {
  if (!defined()) return ffi::Any();
  auto value = get()->dict.Get(key);
  return value ? *value : ffi::Any();
}

DictAttrs DictAttrs::With(const ffi::String& key, ffi::Any value) const {
  ffi::Map<ffi::String, ffi::Any> dict;
  if (defined()) dict = get()->dict;
  dict.Set(key, std::move(value));
  return DictAttrs(std::move(dict));
}

DictAttrs DictAttrs::Without(const ffi::String& key) const {
  if (!HasAttr(key)) return *this;
  ffi::Map<ffi::String, ffi::Any> dict = get()->dict;
  dict.erase(key);
  return DictAttrs(std::move(dict));
}

Range::Range(Expr begin, Expr end, Location loc) {
  auto node = ffi::make_object<RangeObj>();
  node->extent = sub(std::move(end), begin);
  node->begin = std::move(begin);
  node->loc = OrUnknown(std::move(loc));
  data_ = std::move(node);
}

Range Range::FromMinExtent(Expr begin, Expr extent, Location loc) {
  auto node = ffi::make_object<RangeObj>();
  node->begin = std::move(begin);
  node->extent = std::move(extent);
  node->loc = OrUnknown(std::move(loc));
  return Range(std::move(node));
}

Call::Call(Expr op, ffi::Array<Expr> args, Attrs attrs, ffi::Array<Type> ty_args, Type ty,
           Location loc) {
  TVM_FFI_CHECK(op.defined(), TypeError) << "a call needs an operator";
  auto node = ffi::make_object<CallObj>();
  if (!ty.defined() || ty.is(TypeKind::MissingType)) ty = InferCallType(op, args, ty_args);
  node->op = std::move(op);
  node->args = std::move(args);
  node->attrs = std::move(attrs);
  node->ty_args = std::move(ty_args);
  node->ty = std::move(ty);
  node->loc = OrUnknown(std::move(loc));
  data_ = std::move(node);
}

TensorLoad::TensorLoad(Expr source, ffi::Array<Expr> indices, Location loc) {
  const TensorTypeObj* type = AsTensorType(source);
  TVM_FFI_CHECK(type != nullptr, TypeError)
      << "Type " << source->ty.GetTypeKey() << " does not support TensorLoad";
  TVM_FFI_CHECK_EQ(type->shape.size(), indices.size(), RuntimeError)
      << "TensorVar " << ShortText(source) << " is " << type->shape.size()
      << "-dimensional, cannot be indexed with the " << indices.size()
      << "-dimensional indices provided.";
  DLDataType dtype = type->dtype->dtype;
  for (size_t i = 0; i < indices.size(); ++i) {
    Expr index = indices[i];
    TVM_FFI_CHECK(index.defined() && index.is_prim(), TypeError)
        << "index #" << i << " of a tensor must be a primitive expression";
    if (IsScalar(index.dtype())) continue;
    TVM_FFI_CHECK(i + 1 == indices.size(), RuntimeError)
        << "Only the last index of a tensor access may be a vector type.";
    TVM_FFI_CHECK(!IsScalable(index.dtype()) || IsScalar(dtype), RuntimeError)
        << "a scalable index needs a tensor of scalar elements";
    dtype = IsScalable(index.dtype()) ? WithLanesOf(dtype, index.dtype())
                                      : WithLanes(dtype, Lanes(dtype) * Lanes(index.dtype()));
  }
  auto node = ffi::make_object<TensorLoadObj>();
  node->source = std::move(source);
  node->indices = std::move(indices);
  node->ty = PrimType(dtype);
  node->loc = OrUnknown(std::move(loc));
  data_ = std::move(node);
}

TensorRegion::TensorRegion(Expr source, ffi::Array<Range> region, Location loc) {
  const TensorTypeObj* type = AsTensorType(source);
  TVM_FFI_CHECK(type != nullptr, TypeError)
      << "Type " << source->ty.GetTypeKey() << " does not support TensorRegion";
  TVM_FFI_CHECK_EQ(type->shape.size(), region.size(), RuntimeError)
      << "the region of " << ShortText(source) << " needs one range a dimension";
  static const Type& region_type = *new Type(TensorRegionType::Make());
  auto node = ffi::make_object<TensorRegionObj>();
  node->source = std::move(source);
  node->region = std::move(region);
  node->ty = region_type;
  node->loc = OrUnknown(std::move(loc));
  data_ = std::move(node);
}

Tuple::Tuple(ffi::Array<Expr> fields, Location loc) {
  ffi::Array<Type> types;
  types.reserve(fields.size());
  for (const Expr& field : fields) types.push_back(field->ty);
  auto node = ffi::make_object<TupleObj>();
  node->ty = fields.empty() ? Type::Unit() : Type(TupleType(std::move(types)));
  node->fields = std::move(fields);
  node->loc = OrUnknown(std::move(loc));
  data_ = std::move(node);
}

TupleGetItem::TupleGetItem(Expr tuple_value, int64_t index, Location loc) {
  TVM_FFI_CHECK_GE(index, 0, IndexError) << "Index out of bounds: Tuple " << ShortText(tuple_value)
                                         << " cannot be accessed with negative index " << index;
  auto node = ffi::make_object<TupleGetItemObj>();
  if (tuple_value->ty.is(TypeKind::TupleType)) {
    const auto& fields = static_cast<const TupleTypeObj*>(tuple_value->ty.get())->fields;
    TVM_FFI_CHECK_LT(index, static_cast<int64_t>(fields.size()), IndexError)
        << "Index out of bounds: Tuple " << ShortText(tuple_value) << " is of size "
        << fields.size() << ", and cannot be accessed with index " << index;
    node->ty = fields[index];
  }
  node->tuple_value = std::move(tuple_value);
  node->index = index;
  node->loc = OrUnknown(std::move(loc));
  data_ = std::move(node);
}

LambdaExpr::LambdaExpr(ffi::Array<Var> vars, Expr body, Location loc) {
  ffi::Array<Type> types;
  for (const Var& var : vars) types.push_back(var->ty);
  auto node = ffi::make_object<LambdaExprObj>();
  node->ty = FuncType(std::move(types), body->ty);
  node->vars = std::move(vars);
  node->body = std::move(body);
  node->loc = OrUnknown(std::move(loc));
  data_ = std::move(node);
}

}  // namespace tirx

namespace ffi {

std::optional<tirx::Expr> TypeTraits<tirx::Expr>::TryCastFromAnyView(const TVMFFIAny* src) {
  if (src->type_index == kTVMFFINone) return std::nullopt;
  if (auto expr = ObjectRefTypeTraitsBase<tirx::Expr>::TryCastFromAnyView(src)) return expr;
  if (auto value = TypeTraits<StrictBool>::TryCastFromAnyView(src)) {
    return tirx::bool_imm(static_cast<bool>(*value));
  }
  if (src->type_index == kTVMFFIInt) {
    int64_t value = src->v_int64;
    bool small = value == static_cast<int32_t>(value);
    return tirx::int_imm(tirx::Int(small ? 32 : 64), value);
  }
  if (src->type_index == kTVMFFIFloat) return tirx::float_imm(tirx::Float(32), src->v_float64);
  if (src->type_index == kTVMFFIStr || src->type_index == kTVMFFISmallStr ||
      src->type_index == kTVMFFIRawStr) {
    if (auto text = TypeTraits<String>::TryCastFromAnyView(src)) return tirx::StringImm(*text);
  }
  return std::nullopt;
}

std::optional<tirx::PrimExpr> TypeTraits<tirx::PrimExpr>::TryCastFromAnyView(const TVMFFIAny* src) {
  if (src->type_index >= kTVMFFIStaticObjectBegin && !CheckAnyStrict(src)) return std::nullopt;
  auto expr = TypeTraits<tirx::Expr>::TryCastFromAnyView(src);
  if (!expr || !expr->defined() || !expr->is_prim()) return std::nullopt;
  return tirx::PrimExpr(*std::move(expr));
}

std::string TypeTraits<tirx::PrimExpr>::GetMismatchTypeInfo(const TVMFFIAny* src) {
  if (src->type_index >= kTVMFFIStaticObjectBegin &&
      detail::IsObjectInstance<tirx::ExprObj>(src->type_index)) {
    auto* expr = detail::ObjectUnsafe::RawObjectPtrFromUnowned<tirx::ExprObj>(src->v_obj);
    return TypeIndexToTypeKey(src->type_index) + "[ty=" + expr->ty.GetTypeKey() + "]";
  }
  return TypeIndexToTypeKey(src->type_index);
}

}  // namespace ffi
}  // namespace tvm
