// SPDX-License-Identifier: Apache-2.0
// Calls of operators and functions in C.
#include <algorithm>

#include "tirx/codegen/c_emitter.h"
#include "tirx/ir/ops.h"

namespace tvm {
namespace tirx {
namespace {

// Functions of <math.h>: the name of the float64 form.
const char* MathName(OpId id) {
  switch (id) {
    case OpId::prim_fabs:
      return "fabs";
    case OpId::prim_sqrt:
      return "sqrt";
    case OpId::prim_floor:
      return "floor";
    case OpId::prim_ceil:
      return "ceil";
    case OpId::prim_trunc:
      return "trunc";
    case OpId::prim_round:
      return "nearbyint";
    case OpId::prim_nearbyint:
      return "nearbyint";
    case OpId::prim_copysign:
      return "copysign";
    case OpId::prim_fma:
      return "fma";
    case OpId::prim_exp:
      return "exp";
    case OpId::prim_exp2:
      return "exp2";
    case OpId::prim_log:
      return "log";
    case OpId::prim_log2:
      return "log2";
    case OpId::prim_log10:
      return "log10";
    case OpId::prim_log1p:
      return "log1p";
    case OpId::prim_sin:
      return "sin";
    case OpId::prim_cos:
      return "cos";
    case OpId::prim_tan:
      return "tan";
    case OpId::prim_asin:
      return "asin";
    case OpId::prim_acos:
      return "acos";
    case OpId::prim_atan:
      return "atan";
    case OpId::prim_sinh:
      return "sinh";
    case OpId::prim_cosh:
      return "cosh";
    case OpId::prim_tanh:
      return "tanh";
    case OpId::prim_asinh:
      return "asinh";
    case OpId::prim_acosh:
      return "acosh";
    case OpId::prim_atanh:
      return "atanh";
    case OpId::prim_erf:
      return "erf";
    case OpId::prim_atan2:
      return "atan2";
    case OpId::prim_pow:
      return "pow";
    case OpId::prim_fmod:
      return "fmod";
    case OpId::prim_hypot:
      return "hypot";
    case OpId::prim_nextafter:
      return "nextafter";
    case OpId::prim_ldexp:
      return "ldexp";
    default:
      return nullptr;
  }
}

}  // namespace

CEmitter::Lanes CEmitter::Call_(const CallObj* call) {
  if (call->op.is(ExprKind::GlobalVar)) {
    return ModuleCall(call, static_cast<const GlobalVarObj*>(call->op.get()));
  }
  if (call->op.is(ExprKind::LambdaExpr)) {
    auto* lambda = static_cast<const LambdaExprObj*>(call->op.get());
    for (size_t i = 0; i < lambda->vars.size(); ++i)
      BindValue(lambda->vars[i].get(), call->args[i]);
    return Leaves(lambda->body);
  }
  const OpObj* op = CalledOp(call);
  if (op == nullptr) {
    TVM_FFI_THROW(RuntimeError) << "A call of an expression of type " << call->op->GetTypeKey();
  }
  const auto& args = call->args;
  switch (op->id()) {
    case OpId::prim_if_then_else: {
      DLDataType dtype = call->ty.is_prim() ? call->dtype() : Void();
      return Choice(args[0], args[1], args[2], dtype);
    }
    case OpId::tirx_tensor_data_ptr:
      return {Leaves(args[0])[0]};
    case OpId::tirx_decl_tensor:
      return {"((" + TypeOf(call->ty) + ")" + Scalar(args[0]) + ")"};
    case OpId::tirx_address_of:
      return {AddressOf(args[0])};
    case OpId::tirx_isnullptr:
      return {"(" + Scalar(args[0]) + " == NULL)"};
    case OpId::tirx_handle_add_byte_offset:
    case OpId::tirx_ptr_byte_offset: {
      std::string type = TypeOf(call->ty);
      return {"((" + type + ")((char*)" + Scalar(args[0]) + " + " + Scalar(args[1]) + "))"};
    }
    case OpId::tirx_reinterpret: {
      std::string value = Scalar(args[0]);
      std::string type = TypeOf(call->ty);
      bool from_pointer = !args[0]->ty.is_prim();
      if (!call->ty.is_prim()) {
        return {"((" + type + ")" + (from_pointer ? "" : "(uintptr_t)") + value + ")"};
      }
      if (from_pointer) return {"((" + type + ")(uintptr_t)" + value + ")"};
      DLDataType from = args[0]->dtype(), to = call->dtype();
      if (IsInteger(from) && IsInteger(to)) return {"((" + type + ")" + value + ")"};
      // Through memory: the bits, not the value.
      std::string source = names_.Unique("bits"), target = names_.Unique("bits");
      Line(MemoryType(from) + " " + source + " = " + ToMemory(value, from) + ";");
      Line(MemoryType(to) + " " + target + ";");
      Line("memcpy(&" + target + ", &" + source + ", sizeof(" + target + "));");
      return {FromMemory(target, to)};
    }
    case OpId::tirx_undef:
      return Lanes(tirx::Lanes(call->dtype()), IsFloating(call->dtype()) ? "0.0f" : "0");
    case OpId::prim_likely:
    case OpId::tirx_ignore_loop_partition:
    case OpId::tirx_gpu_thread_invariant:
      return Vector(args[0]);
    case OpId::prim_assume:
      return {"true"};
    case OpId::tirx_assume_always:
    case OpId::tirx_assume_aligned:
    case OpId::tirx_prefetch:
      return {};
    case OpId::tirx_call_extern:
    case OpId::tirx_call_pure_extern: {
      std::string text = ExternCall(call);
      bool has_value =
          !(call->ty.is_prim() && IsVoid(static_cast<const PrimTypeObj*>(call->ty.get())->dtype)) &&
          !call->ty.is(TypeKind::MissingType);
      if (has_value) return {text};
      Line(text + ";");
      return {};
    }
    case OpId::tirx_atomic_add: {
      DLDataType dtype = args[1]->dtype();
      std::string type = MemoryType(dtype);
      Need("tirx_atomic_add_" + type);
      return {"tirx_atomic_add_" + type + "((" + type + "*)" + Scalar(args[0]) + ", " +
              Scalar(args[1]) + ")"};
    }
    case OpId::tirx_vector_low:
    case OpId::tirx_vector_high: {
      Lanes lanes = Vector(args[0]);
      size_t half = lanes.size() / 2;
      size_t first = op->id() == OpId::tirx_vector_low ? 0 : half;
      return Lanes(lanes.begin() + first, lanes.begin() + first + half);
    }
    case OpId::tirx_vector_combine: {
      Lanes lanes = Vector(args[0]);
      for (std::string& lane : Vector(args[1])) lanes.push_back(std::move(lane));
      return lanes;
    }
    case OpId::tirx_get_active_lane_mask: {
      Lanes lanes;
      std::string base = Hold("int64_t", Scalar(args[0])), limit = Hold("int64_t", Scalar(args[1]));
      for (int i = 0; i < tirx::Lanes(call->dtype()); ++i) {
        lanes.push_back("(" + base + " + " + std::to_string(i) + " < " + limit + ")");
      }
      return lanes;
    }
    case OpId::tirx_gpu_dp4a: {
      std::string a = Hold("int32_t", Scalar(args[0])), b = Hold("int32_t", Scalar(args[1]));
      std::string sum = Scalar(args[2]);
      std::string byte = IsUInt(args[0]->dtype()) ? "(uint8_t)" : "(int8_t)";
      for (int i = 0; i < 4; ++i) {
        std::string shift = " >> " + std::to_string(8 * i) + ")";
        sum = "(" + sum + " + " + byte + "(" + a + shift + " * " + byte + "(" + b + shift + ")";
      }
      return {sum};
    }
    case OpId::prim_vscale:
      return {"1"};
    default:
      break;
  }
  return MathCall(call, op);
}

CEmitter::Lanes CEmitter::MathCall(const CallObj* call, const OpObj* op) {
  OpId id = op->id();
  const char* name = MathName(id);
  bool special = id == OpId::prim_popcount || id == OpId::prim_clz || id == OpId::prim_isnan ||
                 id == OpId::prim_rsqrt || id == OpId::prim_sigmoid || id == OpId::prim_exp10;
  if (name == nullptr && !special) {
    TVM_FFI_THROW(RuntimeError) << "The " << dialect_.name
                                << " backend has no code for the operator `" << op->name << "`";
  }
  DLDataType dtype = Element(call->args[0]->dtype());
  std::vector<Lanes> args;
  for (const Expr& arg : call->args) args.push_back(Vector(arg));
  Lanes result;
  for (size_t i = 0; i < args[0].size(); ++i) {
    std::string x = args[0][i];
    if (id == OpId::prim_popcount || id == OpId::prim_clz) {
      std::string helper = id == OpId::prim_popcount ? "tirx_popcount" : "tirx_clz";
      Need(helper);
      std::string bits = std::to_string(dtype.bits);
      std::string unsigned_type = "uint" + std::to_string(std::max<int>(8, dtype.bits)) + "_t";
      std::string text = helper + "((uint64_t)(" + unsigned_type + ")" + x +
                         (id == OpId::prim_clz ? ", " + bits : "") + ")";
      DLDataType type = call->ty.is_prim() ? Element(call->dtype()) : Int(32);
      result.push_back("((" + ValueType(type) + ")" + text + ")");
      continue;
    }
    if (id == OpId::prim_isnan) {
      if (!IsFloating(dtype)) {
        result.push_back("false");
      } else {
        std::string held = Hold(ValueType(dtype), x);
        result.push_back("(" + held + " != " + held + ")");
      }
      continue;
    }
    // float64 in double, all other floats in float; integers go through double.
    bool is_double = dtype.bits == 64 || !IsFloating(dtype);
    std::string suffix = is_double ? "" : "f";
    std::string real = is_double ? "double" : "float";
    std::string one = is_double ? "1.0" : "1.0f";
    std::string text;
    if (!IsFloating(dtype)) x = "(double)" + x;
    if (id == OpId::prim_rsqrt) {
      text = "(" + one + " / sqrt" + suffix + "(" + x + "))";
    } else if (id == OpId::prim_sigmoid) {
      text = "(" + one + " / (" + one + " + exp" + suffix + "(-" + x + ")))";
    } else if (id == OpId::prim_exp10) {
      text = is_double ? "pow(10.0, " + x + ")" : "(float)pow(10.0, (double)" + x + ")";
    } else {
      text = std::string(name) + suffix + "(" + x;
      for (size_t a = 1; a < args.size(); ++a) {
        const std::string& arg = args[a][args[a].size() == 1 ? 0 : i];
        bool exponent = id == OpId::prim_ldexp;
        text += ", (" + std::string(exponent ? "int" : real) + ")" + arg;
      }
      text += ")";
    }
    if (call->ty.is_prim()) {
      DLDataType from = is_double ? Float(64) : Float(32);
      text = Convert(text, from, Element(call->dtype()));
    }
    result.push_back(text);
  }
  return result;
}

std::string CEmitter::ExternCall(const CallObj* call) {
  if (!call->args[0].is(ExprKind::StringImm)) {
    TVM_FFI_THROW(RuntimeError) << "An extern call without a constant name";
  }
  std::string text =
      std::string(static_cast<const StringImmObj*>(call->args[0].get())->value) + "(";
  for (size_t i = 1; i < call->args.size(); ++i) {
    if (i != 1) text += ", ";
    const Expr& arg = call->args[i];
    std::string value = Leaves(arg)[0];
    text += arg->ty.is_prim() ? "(" + ValueType(Element(arg->dtype())) + ")" + value : value;
  }
  return text + ")";
}

CEmitter::Lanes CEmitter::ModuleCall(const CallObj*, const GlobalVarObj* callee) {
  TVM_FFI_THROW(RuntimeError) << "The " << dialect_.name << " backend cannot call `"
                              << callee->name_hint << "`";
  throw;
}

}  // namespace tirx
}  // namespace tvm
