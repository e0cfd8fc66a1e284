// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/type.h"

#include <array>
#include <mutex>

#include "tirx/ir/tensor_type.h"

namespace tvm {
namespace tirx {

namespace {

// One PrimType per format, in a table that only grows: most types of a program are these, and
// pointer equality answers most comparisons.
class PrimTypeTable {
 public:
  Type Get(DLDataType dtype) {
    std::lock_guard<std::mutex> lock(mutex_);
    Slot& slot = slots_[Key(dtype) % slots_.size()];
    for (const Type& type : slot) {
      if (SameDType(static_cast<const PrimTypeObj*>(type.get())->dtype, dtype)) return type;
    }
    auto node = ffi::make_object<PrimTypeObj>();
    node->dtype = dtype;
    slot.push_back(Type(std::move(node)));
    return slot.back();
  }

 private:
  using Slot = std::vector<Type>;
  static size_t Key(DLDataType t) {
    return (static_cast<size_t>(t.code) * 67 + t.bits) * 131 + t.lanes;
  }
  std::mutex mutex_;
  std::array<Slot, 509> slots_;
};

}  // namespace

const Type& Type::Missing() {
  static const Type& missing = *new Type(ffi::make_object<MissingTypeObj>());
  return missing;
}

const Type& Type::Unit() {
  static const Type& unit = *new Type(TupleType(ffi::Array<Type>()));
  return unit;
}

PrimType::PrimType(DLDataType dtype) {
  TVM_FFI_CHECK(dtype.code != kDLOpaqueHandle || IsVoid(dtype), TypeError)
      << "PrimType cannot represent an opaque pointer; use PtrType::VoidPtrType()";
  if (dtype.code == kDLFloat && dtype.bits != 16 && dtype.bits != 32 && dtype.bits != 64) {
    TVM_FFI_THROW(ValueError) << "unknown dtype `" << ffi::DLDataTypeToString(dtype)
                              << "`: a float has 16, 32 or 64 bits";
  }
  if (IsVoid(dtype)) dtype = Void();
  static PrimTypeTable& table = *new PrimTypeTable;
  data_ = ffi::details::ObjectUnsafe::ObjectPtrFromObjectRef<ffi::Object>(table.Get(dtype));
}

PtrType::PtrType(Type element_type, MemoryScope scope) {
  auto node = ffi::make_object<PtrTypeObj>();
  node->element_type = std::move(element_type);
  node->scope = scope.defined() ? std::move(scope) : MemoryScope::Global();
  data_ = std::move(node);
}

const PtrType& PtrType::VoidPtrType() {
  static const PtrType& type = *new PtrType(PrimType(Void()));
  return type;
}

TupleType::TupleType(ffi::Array<Type> fields, Location loc) {
  auto node = ffi::make_object<TupleTypeObj>();
  node->fields = std::move(fields);
  node->loc = OrUnknown(std::move(loc));
  data_ = std::move(node);
}

FuncType::FuncType(ffi::Array<Type> arg_types, Type ret_type, Location loc) {
  auto node = ffi::make_object<FuncTypeObj>();
  node->arg_types = std::move(arg_types);
  node->ret_type = std::move(ret_type);
  node->loc = OrUnknown(std::move(loc));
  data_ = std::move(node);
}

TensorType::TensorType(ffi::Array<Expr> shape, PrimType dtype, MemoryScope scope,
                       int64_t data_alignment, Layout layout) {
  TVM_FFI_CHECK(dtype.defined(), TypeError) << "a tensor needs an element type";
  auto node = ffi::make_object<TensorTypeObj>();
  for (const Expr& extent : shape) {
    TVM_FFI_CHECK(extent.defined() && extent.is_prim(), TypeError)
        << "extents of a tensor must be primitive expressions";
  }
  node->shape = std::move(shape);
  node->dtype = std::move(dtype);
  node->scope = scope.defined() ? std::move(scope) : MemoryScope::Global();
  node->data_alignment = data_alignment > 0 ? data_alignment : 64;
  node->layout = std::move(layout);
  data_ = std::move(node);
}

}  // namespace tirx
}  // namespace tvm
