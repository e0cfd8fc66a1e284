// SPDX-License-Identifier: Apache-2.0
// Loads, stores and addresses of tensor elements.
#include "tirx/backends/llvm/emit.h"
#include "tirx/codegen/layout_index.h"
#include "tirx/ir/ops.h"

namespace tvm {
namespace tirx {
namespace llvm_backend {
namespace {

bool IsPacked(DLDataType dtype) { return dtype.bits < 8; }

}  // namespace

void FunctionEmitter::BindTensor(const VarObj* var, llvm::Value* data) {
  Binding& binding = vars_[var];
  binding = Binding{};
  binding.leaves.push_back(data);
  const TensorTypeObj* type = AsTensorType(ffi::GetRef<Var>(var));
  size_t ndim = type->shape.size();
  bool constant = true;
  for (size_t i = 1; i < ndim; ++i) constant &= type->shape[i].is(ExprKind::IntImm);
  if (constant || type->layout.defined()) return;
  // Computed once, here, where the sizes are known.
  llvm::SmallVector<llvm::Value*, 4> strides(ndim, b_.getInt64(1));
  for (size_t i = ndim; i-- > 1;) {
    strides[i - 1] = b_.CreateNSWMul(EmitIndex(type->shape[i]), strides[i]);
  }
  vars_[var].strides = strides;  // EmitIndex may have moved the map
}

FunctionEmitter::Access FunctionEmitter::Resolve(const Expr& source,
                                                 const ffi::Array<Expr>& indices) {
  if (!source.is(ExprKind::Var)) Unsupported("an access to a tensor that has no name");
  auto* var = static_cast<const VarObj*>(source.get());
  const TensorTypeObj* type = AsTensorType(source);
  if (type == nullptr) Unsupported("an access to `" + std::string(var->name) + "`, not a tensor");
  if (indices.size() != type->shape.size()) {
    TVM_FFI_THROW(ValueError) << "`" << var->name << "` has " << type->shape.size()
                              << " dimensions, the access gives " << indices.size() << " indices";
  }
  Access access{};
  access.tensor = type;
  access.base = Find(var).leaves[0];
  int element_lanes = Lanes(type->dtype->dtype);
  int vector_lanes = 1;
  size_t vector_at = 0;
  int vectors = 0;
  for (size_t i = 0; i < indices.size(); ++i) {
    if (int lanes = Lanes(indices[i]->dtype()); lanes > 1) {
      vector_lanes = lanes;
      vector_at = i;
      ++vectors;
    }
  }
  access.lanes = vector_lanes * element_lanes;
  llvm::Value* scale = b_.getInt64(element_lanes);

  if (type->layout.defined()) {
    Expr flat = LayoutIndex(type, indices);
    if (vectors == 0) {
      access.index = b_.CreateNSWMul(EmitIndex(flat), scale);
    } else {
      access.lane_indices = b_.CreateMul(EmitIndex(flat), Splat(scale, vector_lanes));
    }
    access.binding = &Find(var);
    return access;
  }

  size_t ndim = indices.size();
  llvm::SmallVector<llvm::Value*, 4> strides(ndim, nullptr);
  Binding& binding = Find(var);
  if (!binding.strides.empty()) {
    strides = binding.strides;
  } else {
    int64_t product = 1;
    for (size_t i = ndim; i-- > 0;) {
      strides[i] = b_.getInt64(product);
      if (i > 0) product *= as_const_int(type->shape[i]).value_or(1);
    }
  }
  auto term = [&](llvm::Value* index, size_t i) {
    auto* constant = llvm::dyn_cast<llvm::ConstantInt>(strides[i]);
    if (constant != nullptr && constant->isOne()) return index;
    return b_.CreateNSWMul(index, strides[i]);
  };
  auto add = [&](llvm::Value* sum, llvm::Value* next) {
    return sum == nullptr ? next : b_.CreateNSWAdd(sum, next);
  };
  llvm::Value* flat = nullptr;
  if (vectors <= 1 && (vectors == 0 || indices[vector_at].is(ExprKind::Ramp))) {
    for (size_t i = 0; i < ndim; ++i) {
      if (vectors == 1 && i == vector_at) {
        auto* ramp = static_cast<const RampObj*>(indices[i].get());
        flat = add(flat, term(EmitIndex(ramp->base), i));
        access.lane_step = b_.CreateNSWMul(term(EmitIndex(ramp->stride), i), scale);
      } else {
        flat = add(flat, term(EmitIndex(indices[i]), i));
      }
    }
    if (flat == nullptr) flat = b_.getInt64(0);
    access.index = element_lanes == 1 ? flat : b_.CreateNSWMul(flat, scale);
    auto* step = llvm::dyn_cast_or_null<llvm::ConstantInt>(access.lane_step);
    if (step != nullptr && step->getSExtValue() == element_lanes) access.lane_step = nullptr;
  } else {
    for (size_t i = 0; i < ndim; ++i) {
      llvm::Value* index = EmitIndex(indices[i]);
      if (!index->getType()->isVectorTy()) index = Splat(index, vector_lanes);
      llvm::Value* part = b_.CreateMul(index, Splat(strides[i], vector_lanes));
      flat = flat == nullptr ? part : b_.CreateAdd(flat, part);
    }
    access.lane_indices = b_.CreateMul(flat, Splat(scale, vector_lanes));
  }
  access.binding = &Find(var);
  return access;
}

llvm::Value* FunctionEmitter::ElementPointer(const Access& access, llvm::Value* index) {
  DLDataType dtype = access.tensor->dtype->dtype;
  if (IsPacked(dtype)) {
    llvm::Value* byte = b_.CreateAShr(b_.CreateMul(index, b_.getInt64(dtype.bits)), b_.getInt64(3));
    return b_.CreateInBoundsGEP(m_.i8, access.base, byte);
  }
  return b_.CreateInBoundsGEP(m_.ElementType(dtype), access.base, index);
}

void FunctionEmitter::Annotate(llvm::Instruction* inst, const Access& access) {
  if (access.binding == nullptr || access.binding->alias_scope == nullptr) return;
  inst->setMetadata(llvm::LLVMContext::MD_alias_scope, access.binding->alias_scope);
  inst->setMetadata(llvm::LLVMContext::MD_noalias, access.binding->no_alias);
}

llvm::Value* FunctionEmitter::LaneIndex(const Access& access, int lane) {
  int element_lanes = Lanes(access.tensor->dtype->dtype);
  llvm::Value* sub = b_.getInt64(lane % element_lanes);
  llvm::Value* at = b_.getInt64(lane / element_lanes);
  llvm::Value* first;
  if (access.lane_indices != nullptr) {
    first = b_.CreateExtractElement(access.lane_indices, at);
  } else if (access.lane_step != nullptr) {
    first = b_.CreateNSWAdd(access.index, b_.CreateNSWMul(access.lane_step, at));
  } else {
    first = b_.CreateNSWAdd(access.index, b_.getInt64(lane / element_lanes * element_lanes));
  }
  return b_.CreateNSWAdd(first, sub);
}

llvm::Value* FunctionEmitter::LoadScalar(const Access& access, llvm::Value* index) {
  DLDataType dtype = Element(access.tensor->dtype->dtype);
  llvm::Value* pointer = ElementPointer(access, index);
  if (IsPacked(dtype)) {
    llvm::Value* byte = b_.CreateAlignedLoad(m_.i8, pointer, llvm::Align(1));
    llvm::Value* bit = b_.CreateAnd(b_.CreateMul(index, b_.getInt64(dtype.bits)), b_.getInt64(7));
    byte = b_.CreateLShr(byte, b_.CreateTrunc(bit, m_.i8));
    return b_.CreateTrunc(byte, m_.RegisterType(dtype));
  }
  llvm::Type* type = m_.ElementType(dtype);
  llvm::LoadInst* load = b_.CreateAlignedLoad(type, pointer, llvm::Align(ElementBytes(dtype)));
  Annotate(load, access);
  if (!IsBool(dtype)) return load;
  return b_.CreateICmpNE(load, llvm::Constant::getNullValue(type));
}

void FunctionEmitter::StoreScalar(const Access& access, llvm::Value* index, llvm::Value* value) {
  DLDataType dtype = Element(access.tensor->dtype->dtype);
  llvm::Value* pointer = ElementPointer(access, index);
  if (IsPacked(dtype)) {
    llvm::Value* bit = b_.CreateTrunc(
        b_.CreateAnd(b_.CreateMul(index, b_.getInt64(dtype.bits)), b_.getInt64(7)), m_.i8);
    llvm::Value* mask = b_.CreateShl(b_.getInt8((1 << dtype.bits) - 1), bit);
    llvm::Value* old = b_.CreateAlignedLoad(m_.i8, pointer, llvm::Align(1));
    llvm::Value* bits = b_.CreateShl(b_.CreateZExt(value, m_.i8), bit);
    value = b_.CreateOr(b_.CreateAnd(old, b_.CreateNot(mask)), bits);
    b_.CreateAlignedStore(value, pointer, llvm::Align(1));
    return;
  }
  if (IsBool(dtype)) value = b_.CreateZExt(value, m_.i8);
  Annotate(b_.CreateAlignedStore(value, pointer, llvm::Align(ElementBytes(dtype))), access);
}

llvm::Value* FunctionEmitter::LoadAccess(const Access& access) {
  DLDataType dtype = access.tensor->dtype->dtype;
  if (access.lanes == 1) return LoadScalar(access, access.index);
  if (access.lane_step != nullptr || access.lane_indices != nullptr || IsPacked(dtype)) {
    return PerLane(access.lanes, m_.RegisterType(Element(dtype)),
                   [&](int lane) { return LoadScalar(access, LaneIndex(access, lane)); });
  }
  llvm::Type* type = Vector(m_.ElementType(dtype), access.lanes);
  llvm::LoadInst* load = b_.CreateAlignedLoad(type, ElementPointer(access, access.index),
                                              llvm::Align(ElementBytes(dtype)));
  Annotate(load, access);
  if (!IsBool(dtype)) return load;
  return b_.CreateICmpNE(load, llvm::Constant::getNullValue(type));
}

void FunctionEmitter::StoreAccess(const Access& access, llvm::Value* value) {
  DLDataType dtype = access.tensor->dtype->dtype;
  if (access.lanes == 1) return StoreScalar(access, access.index, value);
  if (!value->getType()->isVectorTy()) value = Splat(value, access.lanes);
  if (access.lane_step != nullptr || access.lane_indices != nullptr || IsPacked(dtype)) {
    for (int lane = 0; lane < access.lanes; ++lane) {
      StoreScalar(access, LaneIndex(access, lane), Lane(value, lane));
    }
    return;
  }
  if (IsBool(dtype)) value = b_.CreateZExt(value, Vector(m_.i8, access.lanes));
  Annotate(b_.CreateAlignedStore(value, ElementPointer(access, access.index),
                                 llvm::Align(ElementBytes(dtype))),
           access);
}

llvm::Value* FunctionEmitter::EmitLoad(const TensorLoadObj* op) {
  return LoadAccess(Resolve(op->source, op->indices));
}

void FunctionEmitter::EmitStore(const TensorStoreObj* op) {
  llvm::Value* value = Emit(op->value);
  Access access = Resolve(op->dest, op->indices);
  DLDataType stored = WithLanes(access.tensor->dtype->dtype, Lanes(op->value->dtype()));
  if (!SameDType(stored, op->value->dtype())) value = Convert(value, op->value->dtype(), stored);
  StoreAccess(access, value);
}

llvm::Value* FunctionEmitter::AddressOf(const Expr& expr) {
  if (expr.is(ExprKind::TensorLoad)) {
    auto* load = static_cast<const TensorLoadObj*>(expr.get());
    Access access = Resolve(load->source, load->indices);
    return ElementPointer(access, access.index != nullptr ? access.index : LaneIndex(access, 0));
  }
  if (expr.is(ExprKind::Var)) {
    llvm::Value* value = Emit(expr);
    if (value->getType()->isPointerTy()) return value;
    // A scalar has no place of its own: its address is that of a copy.
    llvm::AllocaInst* place = EntryAlloca(value->getType(), nullptr, llvm::Align(8));
    b_.CreateStore(value, place);
    return place;
  }
  Unsupported("the address of an expression of type " + expr->GetTypeKey());
}

llvm::Value* FunctionEmitter::TensorBytes(const TensorTypeObj* type) {
  DLDataType dtype = type->dtype->dtype;
  int64_t bits = static_cast<int64_t>(dtype.bits) * Lanes(dtype);
  llvm::Value* count;
  if (type->layout.defined()) {
    count = EmitIndex(LayoutSpan(type));
  } else {
    count = b_.getInt64(1);
    for (const Expr& extent : type->shape) count = b_.CreateNSWMul(count, EmitIndex(extent));
  }
  if (bits % 8 == 0) return b_.CreateNSWMul(count, b_.getInt64(bits / 8));
  llvm::Value* total = b_.CreateNSWMul(count, b_.getInt64(bits));
  return b_.CreateLShr(b_.CreateNSWAdd(total, b_.getInt64(7)), b_.getInt64(3));
}

// ---- small things

llvm::Type* FunctionEmitter::Vector(llvm::Type* element, int lanes) {
  return lanes == 1 ? element : llvm::FixedVectorType::get(element, lanes);
}

llvm::Value* FunctionEmitter::Splat(llvm::Value* scalar, int lanes) {
  if (lanes == 1 || scalar->getType()->isVectorTy()) return scalar;
  return b_.CreateVectorSplat(lanes, scalar);
}

llvm::Value* FunctionEmitter::PerLane(int lanes, llvm::Type* element,
                                      const std::function<llvm::Value*(int)>& lane) {
  if (lanes == 1) return lane(0);
  llvm::Value* result = llvm::PoisonValue::get(llvm::FixedVectorType::get(element, lanes));
  for (int i = 0; i < lanes; ++i) result = b_.CreateInsertElement(result, lane(i), b_.getInt32(i));
  return result;
}

llvm::Value* FunctionEmitter::Lane(llvm::Value* value, int lane) {
  if (!value->getType()->isVectorTy()) return value;
  return b_.CreateExtractElement(value, b_.getInt32(lane));
}

}  // namespace llvm_backend
}  // namespace tirx
}  // namespace tvm
