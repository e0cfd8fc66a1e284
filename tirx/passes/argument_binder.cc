// SPDX-License-Identifier: Apache-2.0
#include "tirx/passes/argument_binder.h"

#include <tvm/ffi/c_api.h>
#include <tvm/ffi/cast.h>
#include <tvm/ffi/extra/read_only.h>

#include <algorithm>
#include <limits>

#include "tirx/ir/analysis.h"
#include "tirx/ir/mutator.h"
#include "tirx/ir/ops.h"
#include "tirx/passes/abi_fields.h"
#include "tirx/passes/written_params.h"
#include "tirx/text/script.h"

namespace tvm {
namespace tirx {
namespace {

constexpr int kTensorHeaderBytes = 24;  // from a tensor object to its DLTensor

std::string DTypeText(DLDataType dtype) { return ffi::DLDataTypeToString(dtype); }

Expr PointerTo(Expr value, Type type) {
  return call_op(OpId::tirx_reinterpret, {std::move(value)}, std::move(type));
}

Expr IsNull(Expr pointer) { return call_op(OpId::tirx_isnullptr, {std::move(pointer)}); }

const char* DeviceName(int device_type) {
  switch (device_type) {
    case 1:
      return "cpu";
    case 2:
      return "cuda";
    case 4:
      return "opencl";
    case 7:
      return "vulkan";
    case 8:
      return "metal";
    case 10:
      return "rocm";
    case 12:
      return "ext_dev";
    case 15:
      return "webgpu";
    case 16:
      return "hexagon";
    case 18:
      return "trn";
    default:
      return "device";
  }
}

}  // namespace

ArgumentBinder::ArgumentBinder(std::string name, const Function& function, Var args, Var num_args,
                               int device_type)
    : name_(std::move(name)),
      function_(function),
      args_(std::move(args)),
      num_args_(std::move(num_args)),
      device_type_(device_type),
      written_(WrittenParams(function)),
      signature_(Signature()) {}

std::string ArgumentBinder::Signature() const {
  std::string text = name_ + "(";
  for (size_t i = 0; i < function_->params.size(); ++i) {
    const Var& param = function_->params[i];
    if (i != 0) text += ", ";
    text += std::string(param->name) + ": ";
    if (const TensorTypeObj* tensor = AsTensorType(param)) {
      text += "Tensor([";
      for (size_t d = 0; d < tensor->shape.size(); ++d) {
        if (d != 0) text += ", ";
        text += ShortText(tensor->shape[d]);
      }
      text += "], " + DTypeText(tensor->dtype->dtype) + ")";
    } else if (param->ty.is_prim()) {
      text += DTypeText(param->dtype());
    } else {
      text += ShortText(param->ty);
    }
  }
  return text + ")";
}

void ArgumentBinder::Check(Expr condition, const char* kind, std::vector<std::string> start,
                           const std::string& expected) {
  ffi::Array<StringImm> parts;
  for (const std::string& part : start) parts.push_back(StringImm(part));
  parts.push_back(StringImm(" when calling:\n  `"));
  parts.push_back(StringImm(signature_));
  if (expected.empty()) {
    parts.push_back(StringImm("`"));
  } else {
    parts.push_back(StringImm("`,\n  expected "));
    parts.push_back(StringImm(expected));
  }
  stmts_.push_back(AssertStmt(std::move(condition), StringImm(kind), parts));
}

void ArgumentBinder::CheckArgument(int index, Expr condition, const char* kind,
                                   const std::string& what, const std::string& expected) {
  Check(std::move(condition), kind, {what, " on argument #", std::to_string(index)}, expected);
}

Var ArgumentBinder::BindNew(const std::string& name, Expr value) {
  Var var(name, value->ty);
  stmts_.push_back(Bind(var, std::move(value)));
  return var;
}

Expr ArgumentBinder::Field(const Expr& base, int64_t index, int64_t field, Type type) {
  return call_op(OpId::tirx_abi_field_get, {base, int32(index), int32(field)}, std::move(type));
}

Expr ArgumentBinder::TensorField(const TensorArg& tensor, int64_t field, DLDataType dtype) {
  return Field(tensor.handle, 0, field, PrimType(dtype));
}

Expr ArgumentBinder::TypeIndex(int index, const Var& param) {
  return BindNew(std::string(param->name) + "_type_index",
                 Field(args_, index, kAnyTypeIndex, PrimType(Int(32))));
}

// A tensor object holds its DLTensor behind the header; all else is a plain pointer.
Expr ArgumentBinder::Handle(int index, const Expr& type_index) {
  Type pointer = PtrType::VoidPtrType();
  Expr value = Field(args_, index, kAnyUnion, pointer);
  Expr inside =
      call_op(OpId::tirx_handle_add_byte_offset, {value, int32(kTensorHeaderBytes)}, pointer);
  return call_op(OpId::prim_if_then_else, {eq(type_index, int32(kTVMFFITensor)), inside, value},
                 pointer);
}

void ArgumentBinder::BindScalar(int index, const Var& param, DLDataType dtype) {
  std::string what = "Mismatched type";
  if (IsVector(dtype)) {
    TVM_FFI_THROW(TypeError) << "The parameter `" << param->name << "` of the exported function `"
                             << name_ << "` is a vector, which has no FFI form";
  }
  Expr type_index = TypeIndex(index, param);
  auto is = [&](int32_t t) { return eq(type_index, int32(t)); };
  Expr as_int = Field(args_, index, kAnyUnion, PrimType(Int(64)));
  if (IsFloating(dtype)) {
    CheckArgument(index, logical_or(logical_or(is(kTVMFFIFloat), is(kTVMFFIInt)), is(kTVMFFIBool)),
                  "TypeError", what, "float");
    Expr as_float = Field(args_, index, kAnyUnion, PrimType(Float(64)));
    Expr value = Select(is(kTVMFFIFloat), Cast(dtype, as_float), Cast(dtype, as_int));
    stmts_.push_back(Bind(param, value));
    return;
  }
  if (IsBool(dtype)) {
    CheckArgument(index, logical_or(is(kTVMFFIBool), is(kTVMFFIInt)), "TypeError", what, "boolean");
    stmts_.push_back(Bind(param, Cast(dtype, as_int)));
    return;
  }
  CheckArgument(index, logical_or(is(kTVMFFIInt), is(kTVMFFIBool)), "TypeError", what, "int");
  if (dtype.bits == 64 && IsInt(dtype)) {
    stmts_.push_back(Bind(param, as_int));
    return;
  }
  // A number that the parameter cannot hold is an error, never cut.
  Var wide = BindNew(std::string(param->name) + "_value", as_int);
  Expr low = int64(0), in_range;
  std::string range;
  if (IsUInt(dtype) && dtype.bits >= 64) {
    in_range = ge(wide, low);
    range = "a value of at least 0";
  } else {
    int value_bits = dtype.bits - (IsInt(dtype) ? 1 : 0);
    int64_t max = (int64_t{1} << value_bits) - 1;
    int64_t min = IsInt(dtype) ? -max - 1 : 0;
    in_range = logical_and(ge(wide, int64(min)), le(wide, int64(max)));
    range = "a value in [" + std::to_string(min) + ", " + std::to_string(max) + "]";
  }
  CheckArgument(index, in_range, "ValueError", "Out of range of " + DTypeText(dtype), range);
  stmts_.push_back(Bind(param, Cast(dtype, wide)));
}

void ArgumentBinder::BindTensor(int index, const Var& param) {
  Expr type_index = TypeIndex(index, param);
  auto is = [&](int32_t t) { return eq(type_index, int32(t)); };
  // None passes here and is refused below, as a null handle. Other objects are no tensors.
  CheckArgument(index,
                logical_or(logical_or(is(kTVMFFIDLTensorPtr), is(kTVMFFITensor)),
                           logical_or(is(kTVMFFIOpaquePtr), is(kTVMFFINone))),
                "TypeError", "Mismatched type", "Tensor");
  TensorArg tensor;
  tensor.index = index;
  tensor.param = param;
  tensor.type = AsTensorType(param);
  tensor.handle = BindNew(std::string(param->name) + "_handle", Handle(index, type_index));
  tensors_.push_back(tensor);
}

std::vector<Stmt> ArgumentBinder::Run() {
  const auto& params = function_->params;
  size_t count = params.size();
  Check(eq(num_args_, int32(static_cast<int64_t>(count))), "TypeError",
        {"Expected ", std::to_string(count), " arguments"}, "");
  if (count != 0) Check(logical_not(IsNull(args_)), "TypeError", {"args pointer is NULL"}, "");
  for (size_t i = 0; i < count; ++i) {
    const Var& param = params[i];
    int index = static_cast<int>(i);
    switch (param->ty->kind) {
      case TypeKind::TensorType:
        BindTensor(index, param);
        continue;
      case TypeKind::PrimType:
        BindScalar(index, param, param->dtype());
        known_[param.get()] = param->name;
        continue;
      case TypeKind::PtrType:
      case TypeKind::TensorMapType: {
        Expr type_index = TypeIndex(index, param);
        auto is = [&](int32_t t) { return eq(type_index, int32(t)); };
        Expr object = ge(type_index, int32(kTVMFFIStaticObjectBegin));
        CheckArgument(index,
                      logical_or(logical_or(is(kTVMFFINone), is(kTVMFFIOpaquePtr)),
                                 logical_or(is(kTVMFFIDLTensorPtr), object)),
                      "TypeError", "Mismatched type", "pointer");
        stmts_.push_back(Bind(param, PointerTo(Handle(index, type_index), param->ty)));
        continue;
      }
      case TypeKind::NoneType:
        CheckArgument(index, eq(TypeIndex(index, param), int32(kTVMFFINone)), "TypeError",
                      "Mismatched type", "None");
        continue;
      case TypeKind::TupleType:
      case TypeKind::FuncType:
      case TypeKind::StringType:
      case TypeKind::AnyType:
      case TypeKind::OpaqueType:
      case TypeKind::MissingType:
      case TypeKind::TensorRegionType:
      case TypeKind::Foreign:
        break;
    }
    TVM_FFI_THROW(TypeError) << "The parameter `" << param->name << "` of the exported function `"
                             << name_ << "` has the type " << ShortText(param->ty)
                             << ", which has no FFI form";
  }
  for (TensorArg& tensor : tensors_) {
    CheckHeader(&tensor);
    BindSizes(tensor);
  }
  for (const TensorArg& tensor : tensors_) {
    for (const Expr& extent : tensor.type->shape) {
      if (IsDefined(extent)) continue;
      TVM_FFI_THROW(ValueError) << "The extent `" << ShortText(extent) << "` of `"
                                << tensor.param->name << "` in the exported function `" << name_
                                << "` cannot be found from the arguments";
    }
  }
  for (const TensorArg& tensor : tensors_) CheckMemory(tensor);
  for (const TensorArg& tensor : tensors_) {
    std::string name = std::string(tensor.param->name) + ".byte_offset";
    CheckArgument(tensor.index,
                  eq(TensorField(tensor, kTensorByteOffset, UInt(64)), int_imm(UInt(64), 0)),
                  "ValueError", "Invalid " + name, "0");
  }
  for (const TensorArg& tensor : tensors_) CheckExtents(tensor);
  for (const TensorArg& tensor : tensors_) {
    Expr data = PointerTo(tensor.data, PtrType(tensor.type->dtype, tensor.type->scope));
    stmts_.push_back(Bind(tensor.param, Call(Op::Get(OpId::tirx_decl_tensor), {data}, {},
                                             {tensor.param->ty}, tensor.param->ty)));
  }
  return std::move(stmts_);
}

void ArgumentBinder::CheckHeader(TensorArg* tensor) {
  std::string name = tensor->param->name;
  int index = tensor->index;
  int64_t ndim = static_cast<int64_t>(tensor->type->shape.size());
  DLDataType dtype = tensor->type->dtype->dtype;
  CheckArgument(index, logical_not(IsNull(tensor->handle)), "TypeError", "Mismatched type",
                "Tensor");
  CheckArgument(index, eq(TensorField(*tensor, kTensorNdim, Int(32)), int32(ndim)), "ValueError",
                "Mismatched " + name + ".ndim", std::to_string(ndim));
  Expr same_code = eq(TensorField(*tensor, kTensorTypeCode, UInt(8)), int_imm(UInt(8), dtype.code));
  Expr same_bits = eq(TensorField(*tensor, kTensorTypeBits, UInt(8)), int_imm(UInt(8), dtype.bits));
  Expr same_lanes =
      eq(TensorField(*tensor, kTensorTypeLanes, UInt(16)), int_imm(UInt(16), dtype.lanes));
  CheckArgument(index, logical_and(logical_and(same_code, same_bits), same_lanes), "TypeError",
                "Mismatched " + name + ".dtype", DTypeText(dtype));
  Type int64_pointer = PtrType(PrimType(Int(64)));
  tensor->shape = BindNew(name + "_shape", Field(tensor->handle, 0, kTensorShape, int64_pointer));
  tensor->strides =
      BindNew(name + "_strides", Field(tensor->handle, 0, kTensorStrides, int64_pointer));
  tensor->data =
      BindNew(name + "_data", Field(tensor->handle, 0, kTensorData, PtrType::VoidPtrType()));
  CheckArgument(index, eq(TensorField(*tensor, kTensorDeviceType, Int(32)), int32(device_type_)),
                "ValueError", "Mismatched " + name + ".device_type", DeviceName(device_type_));
}

Expr ArgumentBinder::Extent(const TensorArg& tensor, size_t dim) {
  return Field(tensor.shape, static_cast<int64_t>(dim), kInt64Element, PrimType(Int(64)));
}

void ArgumentBinder::Define(const Var& size, const Expr& value, const std::string& text) {
  DLDataType dtype = size->dtype();
  stmts_.push_back(Bind(size, dtype.bits == 64 && IsInt(dtype) ? value : Cast(dtype, value)));
  known_[size.get()] = text;
}

// Whether `extent == value` gives the one unknown variable of `extent`; binds it then.
bool ArgumentBinder::Solve(const Expr& extent, Expr value, const std::string& text) {
  if (extent.is(ExprKind::Var)) {
    Var size = ffi::GetRef<Var>(static_cast<const VarObj*>(extent.get()));
    if (known_.count(size.get()) != 0) return false;
    Define(size, value, text);
    return true;
  }
  if (!extent.is(ExprKind::Add) && !extent.is(ExprKind::Sub) && !extent.is(ExprKind::Mul)) {
    if (!extent.is(ExprKind::Cast)) return false;
    return Solve(static_cast<const CastObj*>(extent.get())->value, value, text);
  }
  const Expr& a = Lhs(extent.get());
  const Expr& b = Rhs(extent.get());
  if (auto right = as_const_int(b)) {
    if (extent.is(ExprKind::Add))
      return Solve(a, sub(value, int64(*right)), text + " - " + std::to_string(*right));
    if (extent.is(ExprKind::Sub))
      return Solve(a, add(value, int64(*right)), text + " + " + std::to_string(*right));
    if (*right > 0)
      return Solve(a, floordiv(value, int64(*right)), text + " // " + std::to_string(*right));
  }
  if (auto left = as_const_int(a)) {
    if (extent.is(ExprKind::Add))
      return Solve(b, sub(value, int64(*left)), text + " - " + std::to_string(*left));
    if (extent.is(ExprKind::Sub))
      return Solve(b, sub(int64(*left), value), std::to_string(*left) + " - " + text);
    if (*left > 0)
      return Solve(b, floordiv(value, int64(*left)), text + " // " + std::to_string(*left));
  }
  return false;
}

void ArgumentBinder::BindSizes(const TensorArg& tensor) {
  for (size_t d = 0; d < tensor.type->shape.size(); ++d) {
    const Expr& extent = tensor.type->shape[d];
    std::string text = std::string(tensor.param->name) + ".shape[" + std::to_string(d) + "]";
    if (!extent.is(ExprKind::Var)) {
      if (!IsDefined(extent)) Solve(extent, Extent(tensor, d), text);
      continue;
    }
    auto* size = static_cast<const VarObj*>(extent.get());
    if (known_.count(size) != 0) continue;
    Expr value = Extent(tensor, d);
    Define(ffi::GetRef<Var>(size), value, text);
    definers_[size] = {tensor.index, d};
  }
}

bool ArgumentBinder::IsDefined(const Expr& extent) const {
  for (const Var& var : UndefinedVars(extent)) {
    if (known_.count(var.get()) == 0) return false;
  }
  return true;
}

// The extent with each variable under the name that the caller knows it by, such as `A.shape[0]`.
std::string ArgumentBinder::Describe(const Expr& extent) const {
  // Those are no names that the printer would leave alone, so they are put in afterwards.
  std::vector<std::pair<std::string, std::string>> names;
  Expr named = Substitute(extent, [&](const Var& var) -> Expr {
    auto it = known_.find(var.get());
    if (it == known_.end()) return Expr();
    std::string mark = "extent_" + std::to_string(names.size()) + "_of_argument";
    names.emplace_back(mark, it->second);
    return Var(mark, var->ty);
  });
  std::string text = ShortText(named);
  for (const auto& [mark, name] : names) {
    for (size_t at = text.find(mark); at != std::string::npos;
         at = text.find(mark, at + name.size())) {
      text.replace(at, mark.size(), name);
    }
  }
  return text;
}

Expr ArgumentBinder::IsEmpty(const TensorArg& tensor) {
  Expr empty;
  for (const Expr& extent : tensor.type->shape) {
    if (auto constant = as_const_int(extent)) {
      if (*constant == 0) return bool_imm(true);
      continue;
    }
    Expr zero_extent = eq(extent, zero(extent->dtype()));
    empty = empty.defined() ? logical_or(empty, zero_extent) : zero_extent;
  }
  return empty.defined() ? empty : bool_imm(false);
}

void ArgumentBinder::CheckMemory(const TensorArg& tensor) {
  std::string name = tensor.param->name;
  int index = tensor.index;
  const auto& shape = tensor.type->shape;
  Expr empty = IsEmpty(tensor);
  auto unless_empty = [&](Expr condition) {
    if (is_zero(empty)) return condition;
    return logical_or(empty, std::move(condition));
  };
  if (written_.count(tensor.param.get()) != 0 && !is_one(empty)) {
    // The mark of read-only data lies in the object's header, as the upper half of the word at 8.
    Type pointer = PtrType::VoidPtrType();
    Expr object = Field(args_, index, kAnyUnion, pointer);
    Expr word = Field(call_op(OpId::tirx_handle_add_byte_offset, {object, int32(8)}, pointer), 0,
                      kInt64Element, PrimType(Int(64)));
    Expr mark = bitwise_and(shift_right(word, int64(32)), int64(TVM_FFI_TENSOR_READ_ONLY_BIT));
    Expr is_object =
        eq(Field(args_, index, kAnyTypeIndex, PrimType(Int(32))), int32(kTVMFFITensor));
    Expr writable = call_op(OpId::prim_if_then_else,
                            {is_object, eq(mark, int64(0)), bool_imm(true)}, PrimType(Bool()));
    CheckArgument(index, unless_empty(writable), "ValueError", "Read-only Tensor data",
                  name + " to be writable, since the kernel stores to it");
  }
  // Compact, row-major. Dimensions of extent 1 may have any stride, and so may empty tensors.
  if (!shape.empty()) {
    Expr compact, product = int64(1);
    for (size_t d = shape.size(); d-- > 0;) {
      Expr stride =
          Field(tensor.strides, static_cast<int64_t>(d), kInt64Element, PrimType(Int(64)));
      Expr right = eq(stride, product);
      if (auto constant = as_const_int(shape[d])) {
        if (*constant == 1) right = bool_imm(true);
      } else {
        right = logical_or(right, eq(shape[d], one(shape[d]->dtype())));
      }
      if (!is_one(right)) compact = compact.defined() ? logical_and(compact, right) : right;
      product = mul(product, cast(shape[d], Int(64)));
    }
    if (compact.defined() && !is_one(empty)) {
      CheckArgument(index, logical_or(IsNull(tensor.strides), unless_empty(compact)), "ValueError",
                    "Mismatched " + name + ".strides", "to be compact array");
    }
  }
  for (size_t d = 0; d < shape.size(); ++d) {
    if (!shape[d].is(ExprKind::Var)) continue;
    auto* size = static_cast<const VarObj*>(shape[d].get());
    auto definer = definers_.find(size);
    std::string field = name + ".shape[" + std::to_string(d) + "]";
    if (definer != definers_.end() && definer->second == std::make_pair(index, d)) {
      // The size has fewer bits than the extent: a tensor too large for it is refused.
      if (size->dtype().bits < 64) {
        CheckArgument(index, eq(cast(shape[d], Int(64)), Extent(tensor, d)), "ValueError",
                      "Invalid " + field, "a value of " + DTypeText(size->dtype()));
      }
      continue;
    }
    if (definer == definers_.end() && known_[size] == std::string(size->name)) continue;
    CheckArgument(index, eq(cast(shape[d], Int(64)), Extent(tensor, d)), "ValueError",
                  "Mismatched " + field, "to match " + Describe(shape[d]));
  }
  if (!device_id_.defined()) {
    device_id_ = BindNew("dev_id", TensorField(tensor, kTensorDeviceId, Int(32)));
    device_owner_ = name;
  } else {
    CheckArgument(index, eq(device_id_, TensorField(tensor, kTensorDeviceId, Int(32))),
                  "ValueError", "Mismatched " + name + ".device_id",
                  "to match " + device_owner_ + ".device_id");
  }
  if (is_one(empty)) return;
  Check(unless_empty(logical_not(IsNull(tensor.data))), "ValueError",
        {name, " data pointer is NULL on argument #", std::to_string(index)},
        "non-NULL data pointer");
  // Any array whose elements are aligned by themselves is accepted; more is checked only when the
  // type asks for other than the default.
  DLDataType dtype = tensor.type->dtype->dtype;
  int64_t align = std::max(1, ElementBytes(dtype));
  if ((align & (align - 1)) != 0) align = 1;
  if (tensor.type->data_alignment != 64) align = std::max(align, tensor.type->data_alignment);
  if (align > 1) {
    Expr address = call_op(OpId::tirx_reinterpret, {tensor.data}, PrimType(UInt(64)));
    CheckArgument(
        index, unless_empty(eq(truncmod(address, int_imm(UInt(64), align)), int_imm(UInt(64), 0))),
        "ValueError", "Misaligned Tensor data",
        "data alignment=" + std::to_string(align) + " bytes");
  }
}

void ArgumentBinder::CheckExtents(const TensorArg& tensor) {
  const auto& shape = tensor.type->shape;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d].is(ExprKind::Var)) {
      auto* size = static_cast<const VarObj*>(shape[d].get());
      if (definers_.count(size) != 0 || known_[size] != std::string(size->name)) continue;
    }
    CheckArgument(
        tensor.index, eq(cast(shape[d], Int(64)), Extent(tensor, d)), "ValueError",
        "Invalid " + std::string(tensor.param->name) + ".shape[" + std::to_string(d) + "]",
        Describe(shape[d]));
  }
}

}  // namespace tirx
}  // namespace tvm
