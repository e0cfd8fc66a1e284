// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/op_table.h"
#include "tirx/ir/ops.h"

namespace tvm {
namespace tirx {

namespace {

// Column `effect` of ops.def: the enumerators of Effect and the two words that are none.
namespace effect_word {
constexpr int ExprAnnotation = 0, Pure = 1, ReadState = 2, UpdateState = 3, SpecialCallArg = 4,
              EmbedInfo = 5, ControlJump = 6, None = kNoEffect, Region = kRegionEffect;
}

void CheckCount(const Op& op, const ffi::Array<Expr>& args, size_t count) {
  TVM_FFI_CHECK(args.size() >= count, TypeError)
      << "Op `" << op->name << "`: Call.args expected at least " << count << " argument"
      << (count == 1 ? "" : "s") << ", got " << args.size();
}

DLDataType PrimArg(const Op& op, const ffi::Array<Expr>& args, size_t i) {
  CheckCount(op, args, i + 1);
  Expr arg = args[i];
  TVM_FFI_CHECK(arg.is_prim(), TypeError)
      << "Op `" << op->name << "`: `Call.args[" << i << "]` expected `ir.PrimExpr`, got `"
      << arg->GetTypeKey() << "[ty=" << arg->ty.GetTypeKey() << "]`.";
  return arg.dtype();
}

const TensorTypeObj* TensorArg(const Op& op, const ffi::Array<Expr>& args, size_t i) {
  CheckCount(op, args, i + 1);
  const TensorTypeObj* type = AsTensorType(args[i]);
  TVM_FFI_CHECK(type != nullptr, TypeError)
      << "Op `" << op->name << "`: `Call.args[" << i << "]` must be a tensor, got `"
      << args[i]->GetTypeKey() << "[ty=" << args[i]->ty.GetTypeKey() << "]`.";
  return type;
}

Type AddressOf(const Op& op, const ffi::Array<Expr>& args) {
  CheckCount(op, args, 1);
  Expr arg = args[0];
  if (arg.is(ExprKind::TensorLoad)) {
    const TensorTypeObj* type = AsTensorType(static_cast<const TensorLoadObj*>(arg.get())->source);
    return PtrType(type->dtype, type->scope);
  }
  TVM_FFI_CHECK(arg.is(ExprKind::Var), TypeError)
      << "tirx.address_of takes an element of a tensor or a variable, got `" << arg->GetTypeKey()
      << "`";
  TVM_FFI_CHECK(arg.is_prim() || arg->ty.is(TypeKind::TensorMapType), TypeError)
      << "Cannot treat type `" << arg->ty.GetTypeKey() << "` as type `ir.PrimType`";
  return PtrType(arg->ty);
}

Type StackArray(const Op& op, const ffi::Array<Expr>& args) {
  CheckCount(op, args, 1);
  if (args[0].is(ExprKind::StringImm)) {
    const ffi::String& item = static_cast<const StringImmObj*>(args[0].get())->value;
    if (item == "shape") return PtrType(PrimType(Int(64)));
    if (item == "tensormap") return PtrType(TensorMapType::Make());
  }
  return PtrType::VoidPtrType();
}

Type MaskedElement(const Op& op, const ffi::Array<Expr>& args) {
  const TensorTypeObj* type = TensorArg(op, args, 0);
  // Operands: tensor, one index a dimension, the mask.
  TVM_FFI_CHECK_EQ(args.size(), type->shape.size() + 2, RuntimeError)
      << "TensorVar " << static_cast<int>(type->shape.size())
      << "-dimensional: tirx.masked_load takes one index a dimension and a mask";
  DLDataType index = type->shape.empty() ? Int(32) : PrimArg(op, args, type->shape.size());
  return PrimType(IsScalar(index) ? type->dtype->dtype : WithLanesOf(type->dtype->dtype, index));
}

}  // namespace

const std::vector<OpRow>& OpTable() {
  static const std::vector<OpRow>& table = *new std::vector<OpRow>{
#define TIRX_OP(id, name, args, var_arg, effect, result, vectorizable, doc) \
  {name, args, var_arg, effect_word::effect, ResultRule::result, vectorizable != 0, doc},
#include "tirx/defs/ops.def"
  };
  return table;
}

Type FixedResultType(ResultRule rule) {
  switch (rule) {
    case ResultRule::Void:
      return PrimType(Void());
    case ResultRule::Bool:
      return PrimType(tirx::Bool());
    case ResultRule::Int32:
      return PrimType(Int(32));
    case ResultRule::UInt32:
      return PrimType(UInt(32));
    case ResultRule::Int64:
      return PrimType(Int(64));
    case ResultRule::UInt64:
      return PrimType(UInt(64));
    case ResultRule::Float32:
      return PrimType(Float(32));
    case ResultRule::VoidPtr:
      return PtrType::VoidPtrType();
    case ResultRule::Int64Ptr:
      return PtrType(PrimType(Int(64)));
    default:
      return Type();
  }
}

bool HasInferRule(ResultRule rule) { return rule >= ResultRule::SameAsFirst; }

Type InferByRule(ResultRule rule, const Op& op, const ffi::Array<Expr>& args,
                 const ffi::Array<Type>& ty_args) {
  switch (rule) {
    case ResultRule::SameAsFirst:
      CheckCount(op, args, 1);
      return args[0]->ty;
    case ResultRule::SameAsSecond:
      CheckCount(op, args, 2);
      return args[1]->ty;
    case ResultRule::BoolLikeFirst:
      return PrimType(WithLanesOf(tirx::Bool(), PrimArg(op, args, 0)));
    case ResultRule::Int32Rule:
      return PrimType(Int(32));
    case ResultRule::AddressOf:
      return AddressOf(op, args);
    case ResultRule::TypeArgument:
      TVM_FFI_CHECK(ty_args.size() == 1, ValueError)
          << "Tensor allocation and declaration require exactly one TensorType argument";
      TVM_FFI_CHECK(ty_args[0].is(TypeKind::TensorType), TypeError)
          << "Cannot treat type `" << ty_args[0].GetTypeKey() << "` as type `tirx.TensorType`";
      TVM_FFI_CHECK(op->id() != OpId::tirx_cuda_decl_tmem ||
                        static_cast<const TensorTypeObj*>(ty_args[0].get())->scope.is("tmem"),
                    ValueError)
          << "decl_tmem requires a tmem tensor type";
      return ty_args[0];
    case ResultRule::StackArray:
      return StackArray(op, args);
    case ResultRule::DataPointer: {
      const TensorTypeObj* type = TensorArg(op, args, 0);
      return PtrType(type->dtype, type->scope);
    }
    case ResultRule::VoidPtrLikeFirst: {
      CheckCount(op, args, 1);
      const Type& ty = args[0]->ty;
      return PtrType(PrimType(Void()), ty.is(TypeKind::PtrType)
                                           ? static_cast<const PtrTypeObj*>(ty.get())->scope
                                           : MemoryScope());
    }
    case ResultRule::VectorCombine: {
      DLDataType a = PrimArg(op, args, 0), b = PrimArg(op, args, 1);
      TVM_FFI_CHECK(SameElement(a, b), TypeError) << "vector combine of different elements";
      return PrimType(WithLanes(a, Lanes(a) + Lanes(b)));
    }
    case ResultRule::VectorHalf: {
      DLDataType a = PrimArg(op, args, 0);
      TVM_FFI_CHECK(IsVector(a) && Lanes(a) % 2 == 0, TypeError)
          << "vector half requires an even lane count";
      return PrimType(WithLanes(a, Lanes(a) / 2));
    }
    case ResultRule::MaskedElement:
      return MaskedElement(op, args);
    case ResultRule::SpecialRegister: {
      CheckCount(op, args, 1);
      auto bits = as_const_int(args[0]);
      TVM_FFI_CHECK(bits && (*bits == 16 || *bits == 32 || *bits == 64), ValueError)
          << "a special register has 16, 32 or 64 bits";
      return PrimType(Int(static_cast<int>(*bits)));
    }
    case ResultRule::Missing:
      return Type::Missing();
    default:
      return FixedResultType(rule);
  }
}

ffi::Function InferFunction(ResultRule rule) {
  return ffi::Function::FromTyped([rule](Call call) -> Type {
    return InferByRule(rule, Op::Get(CalledOp(call.get())->id()), call->args, call->ty_args);
  });
}

ffi::Function RegionParamsFunction(OpId id) {
  return ffi::Function::FromTyped([id](ffi::Array<Expr> args, Attrs) -> ffi::Array<Var> {
    if (id != OpId::tirx_launch_thread) return {};
    // The thread index has the type of the extent.
    TVM_FFI_CHECK(args.size() == 2 && args[1].is_prim(), TypeError)
        << "tirx.launch_thread takes a tag and an extent";
    return {Var("v", args[1]->ty)};
  });
}

Type InferCallType(const Expr& op, const ffi::Array<Expr>& args, const ffi::Array<Type>& ty_args) {
  if (op.is(ExprKind::Op)) {
    const OpObj* node = static_cast<const OpObj*>(op.get());
    if (node->id() != OpId::Unknown) {
      const OpRow& row = OpTable()[node->index];
      return InferByRule(row.result, Op::Get(node->id()), args, ty_args);
    }
    Op called = Op::Get(std::string_view(node->name.data(), node->name.size()));
    if (called.HasAttr("TFixedReturnType")) return called.GetAttr("TFixedReturnType").cast<Type>();
    if (called.HasAttr("FInferType")) {
      Call probe(op, args, {}, ty_args, PrimType(Void()));
      return called.GetAttr("FInferType").cast<ffi::Function>()(probe).cast<Type>();
    }
    return Type::Missing();
  }
  if (op->ty.is(TypeKind::FuncType)) return static_cast<const FuncTypeObj*>(op->ty.get())->ret_type;
  return Type::Missing();
}

void ValidateCall(const Call& call) {
  const OpObj* op = CalledOp(call.get());
  if (op == nullptr) return;
  size_t required = op->args_info.size(), given = call->args.size();
  bool variadic = op->var_args_info.has_value();
  if (given < required || (given > required && !variadic)) {
    TVM_FFI_THROW(TypeError) << "Op `" << op->name << "`: Call.args expected "
                             << (variadic ? "at least " : "") << required << " argument"
                             << (required == 1 ? "" : "s") << ", got " << given;
  }
  size_t type_args = op->ty_args_info.size();
  if (call->ty_args.size() != type_args && !op->var_ty_args_info.has_value()) {
    TVM_FFI_THROW(TypeError) << "Op `" << op->name << "`: Call.ty_args expected " << type_args
                             << " type argument" << (type_args == 1 ? "" : "s") << ", got "
                             << call->ty_args.size();
  }
  std::string_view name(op->name.data(), op->name.size());
  bool prim = name.substr(0, 5) == "prim.";
  for (size_t i = 0; prim && i < given; ++i) {
    Expr arg = call->args[i];
    if (arg.is_prim()) continue;
    TVM_FFI_THROW(TypeError) << "Op `" << op->name << "`: `Call.args[" << i << "]` (`"
                             << (i < required ? op->args_info[i]->name : ffi::String("args"))
                             << "`) expected `ir.PrimExpr`, got `" << arg->GetTypeKey()
                             << "[ty=" << arg->ty.GetTypeKey() << "]`.";
  }
  if (op->id() != OpId::Unknown) {
    const OpRow& row = OpTable()[op->index];
    if (HasInferRule(row.result))
      InferByRule(row.result, Op::Get(op->id()), call->args, call->ty_args);
  }
}

}  // namespace tirx
}  // namespace tvm
