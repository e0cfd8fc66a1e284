// SPDX-License-Identifier: Apache-2.0
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include "tirx/backends/llvm/emit.h"
#include "tirx/ir/visitor.h"
#include "tirx/passes/pass_config.h"

namespace tvm {
namespace tirx {
namespace llvm_backend {

void Unsupported(const std::string& what) {
  TVM_FFI_THROW(RuntimeError) << "The LLVM backend has no code for " << what;
  throw;
}

namespace {

// The tensors that a packed function makes of its arguments: views over the data pointer of a
// DLTensor. A view that the program itself declares takes a pointer or the data of another tensor.
std::vector<const VarObj*> TensorArguments(const Stmt& body) {
  std::vector<const VarObj*> result;
  PostOrderVisitStmt(body, [&](const Stmt& stmt) {
    if (!stmt.is(StmtKind::Bind)) return;
    auto* bind = static_cast<const BindObj*>(stmt.get());
    if (!IsCallTo(bind->value, OpId::tirx_decl_tensor)) return;
    const Expr& data = static_cast<const CallObj*>(bind->value.get())->args[0];
    if (!IsCallTo(data, OpId::tirx_reinterpret)) return;
    const Expr& pointer = static_cast<const CallObj*>(data.get())->args[0];
    if (pointer.is(ExprKind::Var) && pointer->ty.is(TypeKind::PtrType)) {
      result.push_back(bind->var.get());
    }
  });
  return result;
}

}  // namespace

ModuleEmitter::ModuleEmitter(llvm::LLVMContext& context, llvm::TargetMachine* machine,
                             EmitOptions options)
    : context(context),
      machine(machine),
      options(options),
      module(std::make_unique<llvm::Module>("tirx", context)),
      void_t(llvm::Type::getVoidTy(context)),
      i1(llvm::Type::getInt1Ty(context)),
      i8(llvm::Type::getInt8Ty(context)),
      i16(llvm::Type::getInt16Ty(context)),
      i32(llvm::Type::getInt32Ty(context)),
      i64(llvm::Type::getInt64Ty(context)),
      f16(llvm::Type::getHalfTy(context)),
      f32(llvm::Type::getFloatTy(context)),
      f64(llvm::Type::getDoubleTy(context)),
      ptr(llvm::PointerType::get(context, 0)) {
  module->setTargetTriple(machine->getTargetTriple().str());
  module->setDataLayout(machine->createDataLayout());
}

llvm::Type* ModuleEmitter::RegisterType(DLDataType dtype) {
  if (IsScalable(dtype)) Unsupported("scalable vectors");
  llvm::Type* scalar = nullptr;
  if (IsBool(dtype)) {
    scalar = i1;
  } else if (dtype.code == kDLFloat) {
    scalar = dtype.bits == 16 ? f16 : dtype.bits == 32 ? f32 : dtype.bits == 64 ? f64 : nullptr;
  } else if (IsInteger(dtype) || IsFloating(dtype)) {
    scalar = llvm::Type::getIntNTy(context, dtype.bits);
  } else if (dtype.code == kDLOpaqueHandle) {
    return IsVoid(dtype) ? void_t : static_cast<llvm::Type*>(ptr);
  }
  if (scalar == nullptr) Unsupported("the type " + ffi::DLDataTypeToString(dtype));
  return Lanes(dtype) == 1 ? scalar : llvm::FixedVectorType::get(scalar, Lanes(dtype));
}

llvm::Type* ModuleEmitter::ElementType(DLDataType dtype) {
  return IsBool(dtype) ? i8 : RegisterType(Element(dtype));
}

void ModuleEmitter::LeafTypes(const Type& type, std::vector<llvm::Type*>* out) {
  switch (type->kind) {
    case TypeKind::PrimType: {
      DLDataType dtype = static_cast<const PrimTypeObj*>(type.get())->dtype;
      if (!IsVoid(dtype)) out->push_back(RegisterType(dtype));
      return;
    }
    case TypeKind::TupleType:
      for (const Type& field : static_cast<const TupleTypeObj*>(type.get())->fields) {
        LeafTypes(field, out);
      }
      return;
    case TypeKind::NoneType:
      return;
    case TypeKind::PtrType:
    case TypeKind::TensorType:
    case TypeKind::StringType:
    case TypeKind::TensorMapType:
    case TypeKind::AnyType:
    case TypeKind::OpaqueType:
      out->push_back(ptr);
      return;
    case TypeKind::FuncType:
    case TypeKind::MissingType:
    case TypeKind::TensorRegionType:
    case TypeKind::Foreign:
      Unsupported("a value of type " + type->GetTypeKey());
  }
}

llvm::Constant* ModuleEmitter::CString(const std::string& text) {
  llvm::GlobalVariable*& entry = strings_[text];
  if (entry == nullptr) {
    llvm::Constant* data = llvm::ConstantDataArray::getString(context, text);
    entry = new llvm::GlobalVariable(*module, data->getType(), /*isConstant=*/true,
                                     llvm::GlobalValue::PrivateLinkage, data, "str");
    entry->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    entry->setAlignment(llvm::Align(1));
  }
  return entry;
}

llvm::GlobalVariable* ModuleEmitter::ContextPointer(const std::string& name) {
  if (llvm::GlobalVariable* known = module->getGlobalVariable(name)) return known;
  // Weak: several objects of one library may hold the same variable.
  return new llvm::GlobalVariable(*module, ptr, /*isConstant=*/false,
                                  llvm::GlobalValue::WeakAnyLinkage,
                                  llvm::ConstantPointerNull::get(ptr), name);
}

llvm::FunctionCallee ModuleEmitter::Extern(const std::string& name, llvm::FunctionType* type) {
  if (llvm::Function* known = module->getFunction(name)) return {type, known};
  llvm::Function* function =
      llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, *module);
  function->setDoesNotThrow();
  return function;
}

llvm::FunctionCallee ModuleEmitter::Helper(const std::string& name, llvm::FunctionType* type,
                                           const std::function<void(llvm::Function*)>& define) {
  if (llvm::Function* known = module->getFunction(name)) return known;
  llvm::Function* function =
      llvm::Function::Create(type, llvm::Function::InternalLinkage, name, *module);
  function->setDoesNotThrow();
  define(function);
  return function;
}

const FunctionObj* ModuleEmitter::Callee(const GlobalVarObj* var) const {
  auto it = functions_.find(var);
  if (it != functions_.end()) return it->second.get();
  // A module rebuilt by a pass may call through another GlobalVar of the same name.
  for (const auto& [known, function] : functions_) {
    if (static_cast<const GlobalVarObj*>(known)->name_hint == var->name_hint) return function.get();
  }
  TVM_FFI_THROW(ValueError) << "The module has no function `" << var->name_hint << "`";
  throw;
}

llvm::Function* ModuleEmitter::Inner(const GlobalVarObj* var) {
  const FunctionObj* callee = Callee(var);
  llvm::Function*& entry = inner_[callee];
  if (entry == nullptr) {
    std::vector<llvm::Type*> params;
    for (const Var& param : callee->params) LeafTypes(param->ty, &params);
    for (const Var& size : SizeParams(callee)) params.push_back(RegisterType(size->dtype()));
    ResultShape result;
    LeafTypes(callee->ret_type, &result.values);
    entry = llvm::Function::Create(FunctionEmitter::TypeOf(*this, result, params),
                                   llvm::Function::InternalLinkage,
                                   "tirx." + std::string(var->name_hint), *module);
    entry->setDoesNotThrow();
  }
  return entry;
}

void ModuleEmitter::EmitInner(const GlobalVar& var, const Function& function) {
  llvm::Function* inner = Inner(var.get());
  ResultShape result;
  LeafTypes(function->ret_type, &result.values);
  FunctionEmitter emitter(*this, inner, result);
  llvm::Argument* arg = inner->arg_begin();
  std::vector<std::pair<const VarObj*, llvm::Value*>> tensors;
  for (const Var& param : function->params) {
    std::vector<llvm::Type*> types;
    LeafTypes(param->ty, &types);
    Leaves leaves;
    for (size_t i = 0; i < types.size(); ++i) leaves.push_back(&*arg++);
    if (AsTensorType(param) != nullptr) {
      tensors.emplace_back(param.get(), leaves[0]);
    } else {
      emitter.Bind(param.get(), leaves);
    }
  }
  for (const Var& size : SizeParams(function.get())) emitter.Bind(size.get(), {&*arg++});
  for (auto [tensor, data] : tensors) emitter.BindTensor(tensor, data);
  emitter.EmitBody(function->body);
  emitter.Finish();
}

void ModuleEmitter::EmitExported(const std::string& symbol, const Function& function) {
  std::vector<llvm::Type*> params;
  for (const Var& param : function->params) LeafTypes(param->ty, &params);
  ResultShape result;
  result.packed = true;
  llvm::Function* exported =
      llvm::Function::Create(FunctionEmitter::TypeOf(*this, result, params),
                             llvm::Function::ExternalLinkage, symbol, *module);
  exported->setDoesNotThrow();
  FunctionEmitter emitter(*this, exported, result);
  llvm::Argument* arg = exported->arg_begin();
  for (const Var& param : function->params) {
    arg->setName(std::string(param->name));
    emitter.Bind(param.get(), {&*arg++});
  }
  if (function.GetAttr<bool>(attr::kNoAlias).value_or(ConfigFlag("tirx.noalias"))) {
    emitter.SetDistinct(TensorArguments(function->body));
  }
  emitter.EmitBody(function->body);
  emitter.Finish();
  if (function.GetAttr<bool>(attr::kIsEntryFunc).value_or(false) && symbol != "__tvm_ffi_main" &&
      module->getNamedValue("__tvm_ffi_main") == nullptr) {
    llvm::GlobalAlias::create("__tvm_ffi_main", exported);
  }
}

std::unique_ptr<llvm::Module> ModuleEmitter::Run(const IRModule& ir) {
  ForEachFunction(ir, [&](const GlobalVar& var, const Function& function) {
    functions_.emplace(var.get(), function);
  });
  ForEachFunction(ir, [&](const GlobalVar& var, const Function& function) {
    if (!function->body.defined()) return;
    auto symbol = function.GetAttr<ffi::String>(attr::kGlobalSymbol);
    auto conv = function.GetAttr<int64_t>(attr::kCallingConv).value_or(0);
    if (conv == static_cast<int64_t>(CallingConv::CPackedFunc) && symbol.has_value()) {
      EmitExported(*symbol, function);
    } else {
      EmitInner(var, function);
    }
  });
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(*module, &stream)) {
    TVM_FFI_THROW(InternalError) << "The LLVM backend made a malformed module: " << stream.str();
  }
  return std::move(module);
}

}  // namespace llvm_backend
}  // namespace tirx
}  // namespace tvm
