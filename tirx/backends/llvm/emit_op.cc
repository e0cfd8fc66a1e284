// SPDX-License-Identifier: Apache-2.0
// Calls of operators.
#include "tirx/backends/llvm/emit.h"
#include "tirx/backends/llvm/emit_math.h"
#include "tirx/ir/mutator.h"
#include "tirx/ir/ops.h"
#include "tirx/passes/abi_fields.h"

namespace tvm {
namespace tirx {
namespace llvm_backend {

Leaves FunctionEmitter::EmitCall(const CallObj* call) {
  switch (call->op->kind) {
    case ExprKind::Op:
      break;
    case ExprKind::GlobalVar:
      return EmitModuleCall(call, static_cast<const GlobalVarObj*>(call->op.get()));
    case ExprKind::LambdaExpr: {
      auto* lambda = static_cast<const LambdaExprObj*>(call->op.get());
      for (size_t i = 0; i < lambda->vars.size(); ++i) {
        Bind(lambda->vars[i].get(), EmitLeaves(call->args[i]));
      }
      return EmitLeaves(lambda->body);
    }
    default:
      Unsupported("a call of an expression of type " + call->op->GetTypeKey());
  }
  const OpObj* op = static_cast<const OpObj*>(call->op.get());
  switch (op->id()) {
    case OpId::tirx_call_packed:
      return EmitPackedCall(call, /*c_symbol=*/false);
    case OpId::tirx_call_cpacked:
      return EmitPackedCall(call, /*c_symbol=*/true);
    case OpId::prim_if_then_else: {
      if (!call->ty.is_prim() && !call->ty.is(TypeKind::PtrType)) Unsupported("a choice of tuples");
      return {EmitChoice(call->args[0], call->args[1], call->args[2])};
    }
    default:
      break;
  }
  Leaves leaves;
  if (llvm::Value* value = EmitOp(call, op)) leaves.push_back(value);
  return leaves;
}

llvm::Value* FunctionEmitter::EmitOp(const CallObj* call, const OpObj* op) {
  const auto& args = call->args;
  switch (op->id()) {
    case OpId::tirx_tensor_data_ptr:
      return EmitLeaves(args[0])[0];
    case OpId::tirx_decl_tensor:
      return Emit(args[0]);
    case OpId::tirx_address_of:
      return AddressOf(args[0]);
    case OpId::tirx_isnullptr:
      return b_.CreateIsNull(Emit(args[0]));
    case OpId::tirx_handle_add_byte_offset:
    case OpId::tirx_ptr_byte_offset: {
      llvm::Value* pointer = Emit(args[0]);
      return b_.CreateGEP(m_.i8, pointer, EmitIndex(args[1]));
    }
    case OpId::tirx_reinterpret: {
      llvm::Value* value = Emit(args[0]);
      if (!call->ty.is_prim()) return value;
      DLDataType to = static_cast<const PrimTypeObj*>(call->ty.get())->dtype;
      llvm::Type* type = m_.RegisterType(to);
      if (value->getType()->isPointerTy() != type->isPointerTy()) {
        return value->getType()->isPointerTy() ? b_.CreatePtrToInt(value, type)
                                               : b_.CreateIntToPtr(value, type);
      }
      if (value->getType()->getPrimitiveSizeInBits() != type->getPrimitiveSizeInBits()) {
        TVM_FFI_THROW(TypeError) << "reinterpret from " << ffi::DLDataTypeToString(args[0]->dtype())
                                 << " to " << ffi::DLDataTypeToString(to)
                                 << " changes the number of bits";
      }
      return b_.CreateBitCast(value, type);
    }
    case OpId::tirx_undef:
      return llvm::UndefValue::get(m_.RegisterType(call->dtype()));
    case OpId::prim_likely:
    case OpId::tirx_ignore_loop_partition:
    case OpId::tirx_gpu_thread_invariant:
      return Emit(args[0]);
    case OpId::prim_assume:
    case OpId::tirx_assume_always:
      b_.CreateAssumption(Condition(args[0]));
      return op->id() == OpId::prim_assume ? b_.getTrue() : nullptr;
    case OpId::tirx_assume_aligned: {
      if (auto align = as_const_int(args[1])) {
        b_.CreateAlignmentAssumption(m_.module->getDataLayout(), EmitLeaves(args[0])[0], *align);
      }
      return nullptr;
    }
    case OpId::tirx_call_extern:
    case OpId::tirx_call_pure_extern:
      return EmitExternCall(call);
    case OpId::tirx_call_llvm_intrin:
    case OpId::tirx_call_llvm_pure_intrin:
      return EmitIntrinsicCall(call);
    case OpId::tirx_atomic_add:
      return EmitAtomicAdd(call);
    case OpId::tirx_prefetch: {
      std::vector<llvm::Value*> values{Emit(args[0])};
      for (int i = 1; i < 4; ++i) values.push_back(b_.CreateIntCast(Emit(args[i]), m_.i32, true));
      b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {m_.ptr}, values);
      return nullptr;
    }
    case OpId::tirx_abi_field_get: {
      DLDataType dtype;
      llvm::Type* type;
      llvm::Value* place = AbiField(call, &dtype, &type);
      if (type == nullptr) return place;
      if (call->ty.is(TypeKind::PtrType)) return b_.CreateLoad(m_.ptr, place);
      llvm::Value* value = b_.CreateLoad(type, place);
      return call->ty.is_prim() ? Convert(value, dtype, call->dtype()) : value;
    }
    case OpId::tirx_abi_field_set: {
      DLDataType dtype;
      llvm::Type* type;
      llvm::Value* place = AbiField(call, &dtype, &type);
      const Expr& given = args[3];
      llvm::Value* value = Emit(given);
      if (given->ty.is_prim() && !value->getType()->isPointerTy()) {
        // The union of an FFI value holds floats as float64, all else as 64-bit integers.
        if (type == m_.i64 && IsFloating(given->dtype())) {
          dtype = Float(64);
        }
        value = Convert(value, given->dtype(), dtype);
      }
      b_.CreateStore(value, place);
      return b_.getInt32(0);
    }
    case OpId::tirx_cpu_parallel_barrier: {
      if (team_ == nullptr) return nullptr;
      auto* type = llvm::FunctionType::get(m_.i32, {m_.i32, m_.ptr}, false);
      llvm::Value* barrier =
          b_.CreateLoad(m_.ptr, m_.ContextPointer("__TVMBackendParallelBarrier"));
      llvm::BasicBlock* call_it = Block("barrier");
      llvm::BasicBlock* done = Block("barrier_done");
      b_.CreateCondBr(b_.CreateIsNotNull(barrier), call_it, done);
      b_.SetInsertPoint(call_it);
      b_.CreateCall(type, barrier, {task_id_, team_});
      b_.CreateBr(done);
      b_.SetInsertPoint(done);
      return nullptr;
    }
    case OpId::tirx_vector_low:
    case OpId::tirx_vector_high: {
      llvm::Value* value = Emit(args[0]);
      int half = Lanes(args[0]->dtype()) / 2;
      int first = op->id() == OpId::tirx_vector_low ? 0 : half;
      return PerLane(half, value->getType()->getScalarType(),
                     [&](int i) { return Lane(value, first + i); });
    }
    case OpId::tirx_vector_combine: {
      llvm::Value* a = Emit(args[0]);
      llvm::Value* b = Emit(args[1]);
      int lanes = Lanes(args[0]->dtype());
      return PerLane(lanes + Lanes(args[1]->dtype()), a->getType()->getScalarType(),
                     [&](int i) { return i < lanes ? Lane(a, i) : Lane(b, i - lanes); });
    }
    case OpId::tirx_get_active_lane_mask: {
      DLDataType dtype = call->dtype();
      llvm::Value* base = EmitIndex(args[0]);
      llvm::Value* limit = EmitIndex(args[1]);
      return b_.CreateIntrinsic(llvm::Intrinsic::get_active_lane_mask,
                                {m_.RegisterType(dtype), m_.i64}, {base, limit});
    }
    case OpId::tirx_gpu_dp4a: {
      llvm::Value* sum = Emit(args[2]);
      auto lanes = llvm::FixedVectorType::get(m_.i8, 4);
      llvm::Value* a = b_.CreateBitCast(Emit(args[0]), lanes);
      llvm::Value* b = b_.CreateBitCast(Emit(args[1]), lanes);
      bool is_signed = !IsUInt(args[0]->dtype());
      for (int i = 0; i < 4; ++i) {
        llvm::Value* x = b_.CreateIntCast(Lane(a, i), m_.i32, is_signed);
        sum = b_.CreateAdd(sum, b_.CreateMul(x, b_.CreateIntCast(Lane(b, i), m_.i32, is_signed)));
      }
      return sum;
    }
    case OpId::prim_vscale:
      return b_.getInt32(1);
    default:
      break;
  }
  if (IsMathOp(op->id())) return EmitMathOp(call, op->id());
  Unsupported("the operator `" + std::string(op->name) + "`");
}

llvm::Value* FunctionEmitter::EmitAtomicAdd(const CallObj* call) {
  llvm::Value* pointer = Emit(call->args[0]);
  llvm::Value* value = Emit(call->args[1]);
  DLDataType dtype = call->args[1]->dtype();
  const Type& pointer_type = call->args[0]->ty;
  if (pointer_type.is(TypeKind::PtrType)) {
    const Type& element = static_cast<const PtrTypeObj*>(pointer_type.get())->element_type;
    if (element.is_prim()) {
      DLDataType stored = static_cast<const PrimTypeObj*>(element.get())->dtype;
      if (!IsVoid(stored) && !SameDType(stored, dtype)) {
        value = Convert(value, dtype, stored);
        dtype = stored;
      }
    }
  }
  if (dtype.bits < 8 || IsVector(dtype) || (IsFloating(dtype) && dtype.code != kDLFloat)) {
    Unsupported("an atomic add of " + ffi::DLDataTypeToString(dtype));
  }
  auto operation = IsFloating(dtype) ? llvm::AtomicRMWInst::FAdd : llvm::AtomicRMWInst::Add;
  llvm::Value* old = b_.CreateAtomicRMW(operation, pointer, value, llvm::Align(ElementBytes(dtype)),
                                        llvm::AtomicOrdering::SequentiallyConsistent);
  if (call->ty.is_prim() && !IsVoid(static_cast<const PrimTypeObj*>(call->ty.get())->dtype)) {
    return Convert(old, dtype, call->dtype());
  }
  return old;
}

llvm::Value* FunctionEmitter::AbiField(const CallObj* call, DLDataType* dtype, llvm::Type** type) {
  auto number = as_const_int(call->args[2]);
  if (!number.has_value()) Unsupported("an ABI field that is not constant");
  AbiFieldPlace place = FindAbiField(*number);
  llvm::Value* base = Emit(call->args[0]);
  llvm::Value* item = b_.CreateNSWMul(EmitIndex(call->args[1]), b_.getInt64(place.item_bytes));
  llvm::Value* address =
      b_.CreateGEP(m_.i8, base, b_.CreateNSWAdd(item, b_.getInt64(place.offset)));
  *dtype = place.dtype;
  *type = nullptr;
  if (place.is_address) return address;
  // The union is read as what the call asks for.
  if (place.is_union && call->ty.is_prim() && IsFloating(call->dtype())) *dtype = Float(64);
  *type = place.is_pointer ? static_cast<llvm::Type*>(m_.ptr) : m_.RegisterType(*dtype);
  return address;
}

}  // namespace llvm_backend
}  // namespace tirx
}  // namespace tvm
