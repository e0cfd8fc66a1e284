// SPDX-License-Identifier: Apache-2.0
#include "tirx/passes/make_packed_api.h"

#include <tvm/ffi/c_api.h>
#include <tvm/ffi/cast.h>

#include <unordered_set>

#include "tirx/ir/mutator.h"
#include "tirx/ir/ops.h"
#include "tirx/ir/visitor.h"
#include "tirx/passes/abi_fields.h"
#include "tirx/passes/argument_binder.h"
#include "tirx/passes/pass_config.h"
#include "tirx/passes/skip_assert.h"
#include "tirx/text/script.h"

namespace tvm {
namespace tirx {
namespace {

constexpr const char* kPrefix = "__tvm_ffi_";

// Writes the result of the safe call in place of each return.
class ReturnRewriter final : public StmtExprMutator {
 public:
  ReturnRewriter(std::string name, Var result)
      : name_(std::move(name)), result_(std::move(result)) {}

  static void AppendNone(const Var& result, std::vector<Stmt>* out) {
    Append(result, kTVMFFINone, int64(0), out);
  }

 protected:
  Stmt VisitReturn(Return op) final {
    std::vector<Stmt> stmts;
    const Expr& value = op->value;
    const Type& type = value->ty;
    if (type.is_prim() && !IsVector(value->dtype())) {
      DLDataType dtype = value->dtype();
      if (IsFloating(dtype)) {
        Append(result_, kTVMFFIFloat, cast(value, Float(64)), &stmts);
      } else {
        Append(result_, IsBool(dtype) ? kTVMFFIBool : kTVMFFIInt, cast(value, Int(64)), &stmts);
      }
    } else if (type.is(TypeKind::PtrType)) {
      Append(result_, kTVMFFIOpaquePtr, value, &stmts);
    } else if (type.is(TypeKind::NoneType) ||
               (type.is(TypeKind::TupleType) &&
                static_cast<const TupleTypeObj*>(type.get())->fields.empty())) {
      AppendNone(result_, &stmts);
    } else {
      TVM_FFI_THROW(TypeError) << "The exported function `" << name_ << "` returns a value of type "
                               << ShortText(type) << ", which has no FFI form";
    }
    stmts.push_back(Return(int32(0)));
    return SeqStmt(ffi::Array<Stmt>(stmts.begin(), stmts.end()));
  }

 private:
  static void Append(const Var& result, int32_t type_index, Expr payload, std::vector<Stmt>* out) {
    auto set = [&](int64_t field, Expr value) {
      out->push_back(Evaluate(
          call_op(OpId::tirx_abi_field_set, {result, int32(0), int32(field), std::move(value)})));
    };
    // The payload first: calculating it may raise, and then the slot must be as it was.
    set(kAnyUnion, std::move(payload));
    set(kAnyTypeIndex, int32(type_index));
    set(kAnyZeroPadding, int32(0));
  }

  const std::string name_;
  const Var result_;
};

std::string SchemaOf(const Type& type) {
  if (type.is(TypeKind::TensorType)) return R"({"type":"DLTensor*"})";
  if (type.is(TypeKind::PtrType)) return R"({"type":"void*"})";
  if (type.is_prim()) {
    DLDataType dtype = static_cast<const PrimTypeObj*>(type.get())->dtype;
    if (IsFloating(dtype)) return R"({"type":"float"})";
    return IsBool(dtype) ? R"({"type":"bool"})" : R"({"type":"int"})";
  }
  return R"({"type":"None"})";
}

// What bindings show as the signature: names of the parameters and the schema of the FFI.
std::string Metadata(const Function& function) {
  std::string schema = R"({"type":"ffi.Function","args":[)" + SchemaOf(function->ret_type);
  std::string names;
  for (const Var& param : function->params) {
    schema += "," + SchemaOf(param->ty);
    names += (names.empty() ? "" : ",") + std::string(param->name);
  }
  schema += "]}";
  std::string escaped;
  for (char c : schema) escaped += c == '"' ? std::string("\\\"") : std::string(1, c);
  return "{\"type_schema\":\"" + escaped + "\",\"param_names\":\"" + names + "\"}";
}

Function Pack(const std::string& symbol, const Function& function) {
  Type pointer = PtrType::VoidPtrType();
  Var self("self_handle", pointer), args("args", pointer), result("result", pointer);
  Var num_args("num_args", Int(32));
  ArgumentBinder binder(symbol, function, args, num_args, /*device_type=*/1);
  std::vector<Stmt> stmts = binder.Run();

  Stmt body = ReturnRewriter(symbol, result).VisitStmt(function->body);
  std::vector<Stmt> inner{SeqStmt::From(body)};
  ReturnRewriter::AppendNone(result, &inner);
  inner.push_back(Return(int32(0)));
  SeqStmt block(ffi::Array<Stmt>(inner.begin(), inner.end()));
  stmts.push_back(RegionStmt(Op::Get(OpId::tirx_compute_scope), {StringImm(symbol + "_compute_")},
                             DictAttrs(), {}, block));
  stmts.push_back(Return(int32(0)));
  SeqStmt all(ffi::Array<Stmt>(stmts.begin(), stmts.end()));
  if (binder.device_id().defined()) {
    // Everything that follows the binding of the device id knows the device.
    size_t first = 0;
    while (first < stmts.size()) {
      const Stmt& stmt = stmts[first++];
      if (stmt.is(StmtKind::Bind) &&
          static_cast<const BindObj*>(stmt.get())->var.same_as(binder.device_id())) {
        break;
      }
    }
    ffi::Array<Stmt> before(stmts.begin(), stmts.begin() + first);
    ffi::Array<Stmt> after(stmts.begin() + first, stmts.end());
    before.push_back(RegionStmt(Op::Get(OpId::tirx_device_context), {int32(1), binder.device_id()},
                                DictAttrs(), {}, SeqStmt(after)));
    all = SeqStmt(before);
  }
  Function packed({self, args, num_args, result}, all, PrimType(Int(32)), function->attrs,
                  function->loc);
  packed = packed.WithAttr(kMetadataAttr, ffi::String(Metadata(function)));
  packed = packed.WithAttr(attr::kGlobalSymbol, ffi::String(kPrefix + symbol));
  return packed.WithAttr(attr::kCallingConv, static_cast<int64_t>(CallingConv::CPackedFunc));
}

}  // namespace

IRModule MakePackedAPI(IRModule module) {
  std::unordered_set<std::string> called;
  ForEachFunction(module, [&](const GlobalVar&, const Function& function) {
    if (!function->body.defined()) return;
    PostOrderVisitExpr(function->body, [&](const Expr& e) {
      if (!e.is(ExprKind::Call)) return;
      const Expr& op = static_cast<const CallObj*>(e.get())->op;
      if (op.is(ExprKind::GlobalVar)) {
        called.insert(static_cast<const GlobalVarObj*>(op.get())->name_hint);
      }
    });
  });
  IRModule result = module.ShallowCopy();
  ForEachFunction(module, [&](const GlobalVar& var, const Function& function) {
    auto symbol = function.GetAttr<ffi::String>(attr::kGlobalSymbol);
    int64_t conv = function.GetAttr<int64_t>(attr::kCallingConv).value_or(0);
    if (!symbol.has_value() || conv != 0 || !function->body.defined()) return;
    Function packed = Pack(*symbol, function);
    if (called.count(var->name_hint) == 0) {
      result->Update(var, packed);
      return;
    }
    result->Update(var, function.WithoutAttr(attr::kGlobalSymbol));
    result->Add(GlobalVar(kPrefix + std::string(*symbol)), packed);
  });
  if (ConfigFlag("tirx.disable_assert")) result = SkipAssert(result);
  return result;
}

}  // namespace tirx
}  // namespace tvm
