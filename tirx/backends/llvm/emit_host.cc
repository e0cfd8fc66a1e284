// SPDX-License-Identifier: Apache-2.0
// Errors, temporary memory, and calls out of the kernel.
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>
#include <tvm/ffi/c_api.h>

#include <algorithm>
#include <optional>

#include "tirx/backends/llvm/emit.h"
#include "tirx/ir/ops.h"

namespace tvm {
namespace tirx {
namespace llvm_backend {

// ---- errors

void FunctionEmitter::FailIf(llvm::Value* failed) {
  if (fail_ == nullptr) fail_ = Block("fail");
  llvm::BasicBlock* ok = Block("ok");
  llvm::MDNode* unlikely = llvm::MDBuilder(m_.context).createBranchWeights(1, 1 << 20);
  b_.CreateCondBr(failed, fail_, ok, unlikely);
  b_.SetInsertPoint(ok);
}

void FunctionEmitter::RaiseIf(llvm::Value* failed, const std::string& kind,
                              const std::vector<std::string>& parts) {
  if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(failed)) {
    if (constant->isZero()) return;
  }
  // One record a message; all of them share the code that raises.
  std::vector<llvm::Constant*> texts;
  for (const std::string& part : parts) texts.push_back(m_.CString(part));
  auto* array_type = llvm::ArrayType::get(m_.ptr, texts.size());
  auto* array =
      new llvm::GlobalVariable(*m_.module, array_type, true, llvm::GlobalValue::PrivateLinkage,
                               llvm::ConstantArray::get(array_type, texts), "parts");
  llvm::Constant* record = llvm::ConstantStruct::getAnon(
      {m_.CString(kind), array, b_.getInt32(static_cast<uint32_t>(texts.size()))});
  auto* global = new llvm::GlobalVariable(*m_.module, record->getType(), true,
                                          llvm::GlobalValue::PrivateLinkage, record, "error");
  if (raise_ == nullptr) {
    if (fail_ == nullptr) fail_ = Block("fail");
    raise_ = Block("raise");
    raised_ = llvm::PHINode::Create(m_.ptr, 4, "", raise_);
  }
  llvm::BasicBlock* ok = Block("ok");
  raised_->addIncoming(global, b_.GetInsertBlock());
  llvm::MDNode* unlikely = llvm::MDBuilder(m_.context).createBranchWeights(1, 1 << 20);
  b_.CreateCondBr(failed, raise_, ok, unlikely);
  b_.SetInsertPoint(ok);
}

void FunctionEmitter::EmitAssert(const Expr& condition, const std::string& kind,
                                 const std::vector<std::string>& parts) {
  RaiseIf(b_.CreateNot(Condition(condition)), kind, parts);
}

// ---- temporary memory

llvm::Value* FunctionEmitter::AllocHeap(llvm::Value* bytes, llvm::Value** slot) {
  auto* type = llvm::FunctionType::get(m_.ptr, {m_.i64}, false);
  llvm::FunctionCallee alloc = m_.Helper("tirx.alloc_workspace", type, [&](llvm::Function* f) {
    f->addFnAttr(llvm::Attribute::NoInline);
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(m_.context, "", f));
    auto* with_pool = llvm::BasicBlock::Create(m_.context, "", f);
    auto* plain = llvm::BasicBlock::Create(m_.context, "", f);
    llvm::Value* pool = b.CreateLoad(m_.ptr, m_.ContextPointer("__TVMBackendAllocWorkspace"));
    b.CreateCondBr(b.CreateIsNotNull(pool), with_pool, plain);
    b.SetInsertPoint(with_pool);
    auto* pool_type =
        llvm::FunctionType::get(m_.ptr, {m_.i32, m_.i32, m_.i64, m_.i32, m_.i32}, false);
    b.CreateRet(b.CreateCall(
        pool_type, pool,
        {b.getInt32(1), b.getInt32(0), f->getArg(0), b.getInt32(kDLUInt), b.getInt32(8)}));
    b.SetInsertPoint(plain);
    auto* aligned = llvm::FunctionType::get(m_.ptr, {m_.i64, m_.i64}, false);
    llvm::Value* rounded = b.CreateAnd(b.CreateAdd(f->getArg(0), b.getInt64(127)), b.getInt64(-64));
    b.CreateRet(b.CreateCall(m_.Extern("aligned_alloc", aligned), {b.getInt64(64), rounded}));
  });
  // A negative size, of a symbolic shape, is an error as well as one that is too large.
  RaiseIf(b_.CreateICmpSLT(bytes, b_.getInt64(0)), "ValueError",
          {"A tensor has a negative extent"});
  llvm::Value* data = b_.CreateCall(alloc, {bytes});
  RaiseIf(b_.CreateIsNull(data), "MemoryError", {"Cannot allocate temporary memory"});
  *slot = EntryAlloca(m_.ptr, nullptr, llvm::Align(8));
  all_slots_.push_back(*slot);
  b_.CreateStore(data, *slot);
  return data;
}

void FunctionEmitter::FreeHeap(llvm::Value* slot) {
  auto* type = llvm::FunctionType::get(m_.void_t, {m_.ptr}, false);
  llvm::FunctionCallee free_it = m_.Helper("tirx.free_workspace", type, [&](llvm::Function* f) {
    f->addFnAttr(llvm::Attribute::NoInline);
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(m_.context, "", f));
    auto* held = llvm::BasicBlock::Create(m_.context, "", f);
    auto* with_pool = llvm::BasicBlock::Create(m_.context, "", f);
    auto* plain = llvm::BasicBlock::Create(m_.context, "", f);
    auto* done = llvm::BasicBlock::Create(m_.context, "", f);
    b.CreateCondBr(b.CreateIsNotNull(f->getArg(0)), held, done);
    b.SetInsertPoint(held);
    llvm::Value* pool = b.CreateLoad(m_.ptr, m_.ContextPointer("__TVMBackendFreeWorkspace"));
    b.CreateCondBr(b.CreateIsNotNull(pool), with_pool, plain);
    b.SetInsertPoint(with_pool);
    auto* pool_type = llvm::FunctionType::get(m_.i32, {m_.i32, m_.i32, m_.ptr}, false);
    b.CreateCall(pool_type, pool, {b.getInt32(1), b.getInt32(0), f->getArg(0)});
    b.CreateBr(done);
    b.SetInsertPoint(plain);
    b.CreateCall(m_.Extern("free", llvm::FunctionType::get(m_.void_t, {m_.ptr}, false)),
                 {f->getArg(0)});
    b.CreateBr(done);
    b.SetInsertPoint(done);
    b.CreateRetVoid();
  });
  b_.CreateCall(free_it, {b_.CreateLoad(m_.ptr, slot)});
  b_.CreateStore(llvm::ConstantPointerNull::get(m_.ptr), slot);
}

void FunctionEmitter::FreeAll() {
  for (llvm::Value* slot : all_slots_) FreeHeap(slot);
}

// ---- packed calls

llvm::Value* FunctionEmitter::StackDLTensor(const Expr& tensor) {
  const TensorTypeObj* type = AsTensorType(tensor);
  unsigned ndim = type->shape.size();
  llvm::AllocaInst* record = EntryAlloca(llvm::ArrayType::get(m_.i64, 6), nullptr, llvm::Align(8));
  llvm::AllocaInst* shape =
      EntryAlloca(llvm::ArrayType::get(m_.i64, std::max(1u, ndim)), nullptr, llvm::Align(8));
  auto store = [&](int offset, llvm::Value* value) {
    b_.CreateStore(value, b_.CreateConstGEP1_64(m_.i8, record, offset));
  };
  for (unsigned i = 0; i < ndim; ++i) {
    b_.CreateStore(EmitIndex(type->shape[i]), b_.CreateConstGEP1_64(m_.i64, shape, i));
  }
  DLDataType dtype = type->dtype->dtype;
  store(0, EmitLeaves(tensor)[0]);
  store(8, device_type_ != nullptr ? device_type_ : b_.getInt32(kDLCPU));
  store(12, device_id_ != nullptr ? device_id_ : b_.getInt32(0));
  store(16, b_.getInt32(ndim));
  store(20, b_.getInt8(dtype.code));
  store(21, b_.getInt8(dtype.bits));
  store(22, b_.getInt16(dtype.lanes));
  store(24, shape);
  store(32, llvm::ConstantPointerNull::get(m_.ptr));
  store(40, b_.getInt64(0));
  return record;
}

void FunctionEmitter::StorePackedArg(llvm::Value* slot, const Expr& arg) {
  int32_t type_index = kTVMFFINone;
  llvm::Value* payload = b_.getInt64(0);
  if (AsTensorType(arg) != nullptr) {
    type_index = kTVMFFIDLTensorPtr;
    payload = StackDLTensor(arg);
  } else if (arg.is(ExprKind::StringImm)) {
    type_index = kTVMFFIRawStr;
    payload = Emit(arg);
  } else if (arg->ty.is(TypeKind::PtrType) || arg->ty.is(TypeKind::TensorMapType)) {
    type_index = kTVMFFIOpaquePtr;
    payload = Emit(arg);
  } else if (arg->ty.is_prim()) {
    DLDataType dtype = arg->dtype();
    if (IsVector(dtype)) Unsupported("a vector as an argument of a packed call");
    llvm::Value* value = Emit(arg);
    if (value->getType()->isPointerTy()) {
      type_index = kTVMFFIOpaquePtr;
      payload = value;
    } else if (IsFloating(dtype)) {
      type_index = kTVMFFIFloat;
      payload = ToFloat(value, dtype, m_.f64);
    } else {
      type_index = IsBool(dtype) ? kTVMFFIBool : kTVMFFIInt;
      payload = b_.CreateIntCast(value, m_.i64, IsInt(dtype));
    }
  } else if (!arg->ty.is(TypeKind::NoneType)) {
    Unsupported("an argument of type " + arg->ty->GetTypeKey() + " of a packed call");
  }
  b_.CreateStore(b_.getInt64(static_cast<uint32_t>(type_index)), slot);
  b_.CreateStore(payload, b_.CreateConstGEP1_64(m_.i8, slot, 8));
}

llvm::Value* FunctionEmitter::LoadPackedResult(llvm::Value* slot, const Type& type) {
  llvm::Value* type_index = b_.CreateLoad(m_.i32, slot);
  llvm::Value* payload = b_.CreateConstGEP1_64(m_.i8, slot, 8);
  // A result that is an object belongs to the caller, who has no use for it.
  auto* release_type = llvm::FunctionType::get(m_.void_t, {m_.ptr}, false);
  llvm::FunctionCallee release = m_.Helper("tirx.release", release_type, [&](llvm::Function* f) {
    f->addFnAttr(llvm::Attribute::NoInline);
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(m_.context, "", f));
    auto* object = llvm::BasicBlock::Create(m_.context, "", f);
    auto* done = llvm::BasicBlock::Create(m_.context, "", f);
    llvm::Value* index = b.CreateLoad(m_.i32, f->getArg(0));
    b.CreateCondBr(b.CreateICmpSGE(index, b.getInt32(kTVMFFIStaticObjectBegin)), object, done);
    b.SetInsertPoint(object);
    llvm::Value* handle = b.CreateLoad(m_.ptr, b.CreateConstGEP1_64(m_.i8, f->getArg(0), 8));
    b.CreateCall(m_.Extern("TVMFFIObjectDecRef", llvm::FunctionType::get(m_.i32, {m_.ptr}, false)),
                 {handle});
    b.CreateBr(done);
    b.SetInsertPoint(done);
    b.CreateRetVoid();
  });
  llvm::Value* result = nullptr;
  if (type.is_prim() && !IsVoid(static_cast<const PrimTypeObj*>(type.get())->dtype)) {
    DLDataType dtype = static_cast<const PrimTypeObj*>(type.get())->dtype;
    llvm::Value* is_float = b_.CreateICmpEQ(type_index, b_.getInt32(kTVMFFIFloat));
    llvm::Value* as_int = b_.CreateLoad(m_.i64, payload);
    llvm::Value* as_float = b_.CreateLoad(m_.f64, payload);
    if (IsFloating(dtype)) {
      llvm::Value* value = b_.CreateSelect(is_float, as_float, b_.CreateSIToFP(as_int, m_.f64));
      result = Convert(value, Float(64), dtype);
    } else {
      llvm::Value* cut = Convert(as_float, Float(64), Int(64));
      result = Convert(b_.CreateSelect(is_float, cut, as_int), Int(64), dtype);
    }
    llvm::Value* is_number = b_.CreateICmpULE(type_index, b_.getInt32(kTVMFFIFloat));
    result = b_.CreateSelect(is_number, result, llvm::Constant::getNullValue(result->getType()));
  } else if (type.is(TypeKind::PtrType)) {
    result = b_.CreateLoad(m_.ptr, payload);
  }
  b_.CreateCall(release, {slot});
  return result;
}

Leaves FunctionEmitter::EmitPackedCall(const CallObj* call, bool c_symbol) {
  if (!call->args[0].is(ExprKind::StringImm)) Unsupported("a packed call without a constant name");
  std::string name = static_cast<const StringImmObj*>(call->args[0].get())->value;
  unsigned count = call->args.size() - 1;
  auto* slot_type = llvm::ArrayType::get(m_.i64, 2);
  llvm::AllocaInst* stack =
      EntryAlloca(llvm::ArrayType::get(slot_type, count + 1), nullptr, llvm::Align(8));
  for (unsigned i = 0; i < count; ++i) {
    StorePackedArg(b_.CreateConstGEP1_64(slot_type, stack, i), call->args[i + 1]);
  }
  llvm::Value* result = b_.CreateConstGEP1_64(slot_type, stack, count);
  b_.CreateStore(b_.getInt64(0), result);
  b_.CreateStore(b_.getInt64(0), b_.CreateConstGEP1_64(m_.i64, result, 1));

  auto* safe_call = llvm::FunctionType::get(m_.i32, {m_.ptr, m_.ptr, m_.i32, m_.ptr}, false);
  llvm::Value* status;
  if (c_symbol) {
    status = b_.CreateCall(m_.Extern(name, safe_call), {llvm::ConstantPointerNull::get(m_.ptr),
                                                        stack, b_.getInt32(count), result});
  } else {
    // The function is looked up at the first call and kept; the module keeps it alive.
    std::string cache_name = "tirx.function." + name;
    llvm::GlobalVariable* cache = m_.module->getGlobalVariable(cache_name, true);
    if (cache == nullptr) {
      cache =
          new llvm::GlobalVariable(*m_.module, m_.ptr, false, llvm::GlobalValue::InternalLinkage,
                                   llvm::ConstantPointerNull::get(m_.ptr), cache_name);
    }
    llvm::LoadInst* known = b_.CreateAlignedLoad(m_.ptr, cache, llvm::Align(8));
    known->setAtomic(llvm::AtomicOrdering::Acquire);
    llvm::BasicBlock* from = b_.GetInsertBlock();
    llvm::BasicBlock* lookup = Block("lookup");
    llvm::BasicBlock* ready = Block("ready");
    b_.CreateCondBr(b_.CreateIsNull(known), lookup, ready);
    b_.SetInsertPoint(lookup);
    llvm::AllocaInst* found = EntryAlloca(m_.ptr, nullptr, llvm::Align(8));
    auto* lookup_type = llvm::FunctionType::get(m_.i32, {m_.ptr, m_.ptr, m_.ptr}, false);
    llvm::Value* context = b_.CreateLoad(m_.ptr, m_.ContextPointer("__tvm_ffi__library_ctx"));
    llvm::Value* missing = b_.CreateCall(m_.Extern("TVMFFIEnvModLookupFromImports", lookup_type),
                                         {context, m_.CString(name), found});
    FailIf(b_.CreateICmpNE(missing, b_.getInt32(0)));
    llvm::Value* function = b_.CreateLoad(m_.ptr, found);
    llvm::StoreInst* store = b_.CreateAlignedStore(function, cache, llvm::Align(8));
    store->setAtomic(llvm::AtomicOrdering::Release);
    llvm::BasicBlock* from_lookup = b_.GetInsertBlock();
    b_.CreateBr(ready);
    b_.SetInsertPoint(ready);
    llvm::PHINode* handle = b_.CreatePHI(m_.ptr, 2);
    handle->addIncoming(known, from);
    handle->addIncoming(function, from_lookup);
    status = b_.CreateCall(m_.Extern("TVMFFIFunctionCall", safe_call),
                           {handle, stack, b_.getInt32(count), result});
  }
  FailIf(b_.CreateICmpNE(status, b_.getInt32(0)));
  Leaves leaves;
  if (llvm::Value* value = LoadPackedResult(result, call->ty)) leaves.push_back(value);
  return leaves;
}

// ---- other calls

llvm::Value* FunctionEmitter::EmitExternCall(const CallObj* call) {
  if (!call->args[0].is(ExprKind::StringImm)) Unsupported("an extern call without a constant name");
  std::string name = static_cast<const StringImmObj*>(call->args[0].get())->value;
  std::vector<llvm::Value*> args;
  std::vector<llvm::Type*> types;
  std::vector<std::optional<bool>> small;  // signedness of integers below 32 bits
  bool variadic = name == "printf" || name == "fprintf" || name == "snprintf" || name == "sprintf";
  for (size_t i = 1; i < call->args.size(); ++i) {
    const Expr& arg = call->args[i];
    llvm::Value* value = EmitLeaves(arg)[0];
    small.emplace_back();
    if (arg->ty.is_prim() && value->getType()->isIntegerTy()) {
      DLDataType dtype = arg->dtype();
      if (IsBool(dtype)) value = b_.CreateZExt(value, m_.i8);
      if (dtype.bits < 32) small.back() = IsInt(dtype);
    }
    if (variadic && value->getType()->isFloatTy()) value = b_.CreateFPExt(value, m_.f64);
    args.push_back(value);
    types.push_back(value->getType());
  }
  llvm::Type* result = m_.void_t;
  DLDataType result_dtype = Void();
  if (call->ty.is_prim()) {
    result_dtype = static_cast<const PrimTypeObj*>(call->ty.get())->dtype;
    result = IsBool(result_dtype) ? m_.i8 : m_.RegisterType(result_dtype);
  } else if (call->ty.is(TypeKind::PtrType)) {
    result = m_.ptr;
  } else if (call->ty.is(TypeKind::MissingType)) {
    result = m_.void_t;
  }
  llvm::ArrayRef<llvm::Type*> fixed = types;
  if (variadic) fixed = fixed.take_front(name == "printf" ? 1 : name == "snprintf" ? 3 : 2);
  auto* type = llvm::FunctionType::get(result, fixed, variadic);
  llvm::CallInst* inst = b_.CreateCall(m_.Extern(name, type), args);
  for (unsigned i = 0; i < small.size(); ++i) {
    if (small[i].has_value()) {
      inst->addParamAttr(i, *small[i] ? llvm::Attribute::SExt : llvm::Attribute::ZExt);
    }
  }
  if (result->isVoidTy()) return nullptr;
  if (IsBool(result_dtype)) return b_.CreateICmpNE(inst, b_.getInt8(0));
  return inst;
}

llvm::Value* FunctionEmitter::EmitIntrinsicCall(const CallObj* call) {
  llvm::Intrinsic::ID id = llvm::Intrinsic::not_intrinsic;
  std::string name;
  if (call->args[0].is(ExprKind::StringImm)) {
    name = static_cast<const StringImmObj*>(call->args[0].get())->value;
    id = llvm::Function::lookupIntrinsicID(name);
  } else if (auto number = as_const_int(call->args[0])) {
    id = static_cast<llvm::Intrinsic::ID>(*number);
    if (id == 0 || id >= llvm::Intrinsic::num_intrinsics) id = llvm::Intrinsic::not_intrinsic;
    name = std::to_string(*number);
  }
  if (id == llvm::Intrinsic::not_intrinsic) {
    TVM_FFI_THROW(ValueError) << "LLVM has no intrinsic `" << name << "`";
  }
  std::vector<llvm::Value*> args;
  std::vector<llvm::Type*> types;
  for (size_t i = 1; i < call->args.size(); ++i) {
    args.push_back(EmitLeaves(call->args[i])[0]);
    types.push_back(args.back()->getType());
  }
  llvm::Type* result = call->ty.is_prim()
                           ? m_.RegisterType(static_cast<const PrimTypeObj*>(call->ty.get())->dtype)
                       : call->ty.is(TypeKind::PtrType) ? static_cast<llvm::Type*>(m_.ptr)
                                                        : m_.void_t;
  // Some intrinsics have a flag that the script leaves out (llvm.ctlz(x) is defined for zero).
  if ((id == llvm::Intrinsic::ctlz || id == llvm::Intrinsic::cttz) && args.size() == 1) {
    args.push_back(b_.getFalse());
    types.push_back(m_.i1);
  }
  llvm::SmallVector<llvm::Intrinsic::IITDescriptor, 8> table;
  llvm::Intrinsic::getIntrinsicInfoTableEntries(id, table);
  llvm::ArrayRef<llvm::Intrinsic::IITDescriptor> rows = table;
  llvm::SmallVector<llvm::Type*, 4> overloads;
  auto* wanted = llvm::FunctionType::get(result, types, false);
  if (llvm::Intrinsic::matchIntrinsicSignature(wanted, rows, overloads) !=
      llvm::Intrinsic::MatchIntrinsicTypes_Match) {
    TVM_FFI_THROW(TypeError) << "The arguments or the result of the LLVM intrinsic `" << name
                             << "` have wrong types";
  }
  llvm::Function* function = llvm::Intrinsic::getDeclaration(m_.module.get(), id, overloads);
  llvm::Value* value = b_.CreateCall(function, args);
  return result->isVoidTy() ? nullptr : value;
}

Leaves FunctionEmitter::EmitModuleCall(const CallObj* call, const GlobalVarObj* callee) {
  const FunctionObj* target = m_.Callee(callee);
  if (call->args.size() != target->params.size()) {
    TVM_FFI_THROW(TypeError) << "`" << callee->name_hint << "` takes " << target->params.size()
                             << " arguments, the call gives " << call->args.size();
  }
  std::vector<llvm::Value*> args;
  std::unordered_map<const VarObj*, llvm::Value*> sizes;
  for (size_t i = 0; i < call->args.size(); ++i) {
    const Expr& arg = call->args[i];
    const Var& param = target->params[i];
    const TensorTypeObj* wanted = AsTensorType(param);
    const TensorTypeObj* given = AsTensorType(arg);
    if ((wanted == nullptr) != (given == nullptr) ||
        (wanted != nullptr && wanted->shape.size() != given->shape.size())) {
      TVM_FFI_THROW(TypeError) << "Argument #" << i << " of `" << callee->name_hint
                               << "` is not what the parameter `" << param->name << "` declares";
    }
    for (llvm::Value* leaf : EmitLeaves(arg)) args.push_back(leaf);
    if (wanted == nullptr) continue;
    for (size_t d = 0; d < wanted->shape.size(); ++d) {
      if (wanted->shape[d].is(ExprKind::Var)) {
        auto* size = static_cast<const VarObj*>(wanted->shape[d].get());
        if (sizes.count(size) == 0) sizes[size] = Emit(given->shape[d]);
      }
    }
  }
  for (const Var& size : SizeParams(target)) {
    auto it = sizes.find(size.get());
    if (it == sizes.end()) {
      TVM_FFI_THROW(ValueError) << "The size `" << size->name << "` of `" << callee->name_hint
                                << "` is not the extent of an argument";
    }
    args.push_back(b_.CreateIntCast(it->second, m_.RegisterType(size->dtype()), true));
  }
  llvm::Function* function = m_.Inner(callee);
  if (function->arg_size() != args.size()) {
    TVM_FFI_THROW(TypeError) << "The arguments of the call of `" << callee->name_hint
                             << "` have other types than its parameters";
  }
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i]->getType() != function->getArg(i)->getType()) {
      TVM_FFI_THROW(TypeError) << "Argument #" << i << " of `" << callee->name_hint
                               << "` has another type than its parameter";
    }
  }
  llvm::Value* result = b_.CreateCall(function, args);
  Leaves leaves;
  llvm::Value* status = result;
  if (auto* fields = llvm::dyn_cast<llvm::StructType>(result->getType())) {
    status = b_.CreateExtractValue(result, 0);
    for (unsigned i = 1; i < fields->getNumElements(); ++i) {
      leaves.push_back(b_.CreateExtractValue(result, i));
    }
  }
  FailIf(b_.CreateICmpNE(status, b_.getInt32(0)));
  return leaves;
}

}  // namespace llvm_backend
}  // namespace tirx
}  // namespace tvm
