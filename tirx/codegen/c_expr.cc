// SPDX-License-Identifier: Apache-2.0
// Expressions in C.
#include <algorithm>
#include <cctype>

#include "tirx/codegen/c_emitter.h"
#include "tirx/ir/ops.h"
#include "tirx/ir/stack_guard.h"
#include "tirx/ir/visitor.h"

namespace tvm {
namespace tirx {
namespace {

bool IsName(const std::string& text) {
  for (char c : text) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '.') return false;
  }
  return true;
}

// Whether the expression calls a function that may change memory: what stands left of it must be
// evaluated before.
bool HasCall(const Expr& expr) {
  bool found = false;
  PostOrderVisitExpr(expr, [&](const Expr& e) {
    if (!e.is(ExprKind::Call)) return;
    const OpObj* op = CalledOp(static_cast<const CallObj*>(e.get()));
    found |= op == nullptr || op->id() == OpId::tirx_call_packed ||
             op->id() == OpId::tirx_call_cpacked || op->id() == OpId::tirx_call_extern ||
             op->id() == OpId::tirx_atomic_add;
  });
  return found;
}

const char* Symbol(ExprKind kind) {
  switch (kind) {
    case ExprKind::Add:
      return " + ";
    case ExprKind::Sub:
      return " - ";
    case ExprKind::Mul:
      return " * ";
    case ExprKind::Div:
      return " / ";
    case ExprKind::EQ:
      return " == ";
    case ExprKind::NE:
      return " != ";
    case ExprKind::LT:
      return " < ";
    case ExprKind::LE:
      return " <= ";
    case ExprKind::GT:
      return " > ";
    case ExprKind::GE:
      return " >= ";
    case ExprKind::BitwiseAnd:
      return " & ";
    case ExprKind::BitwiseOr:
      return " | ";
    case ExprKind::BitwiseXor:
      return " ^ ";
    default:
      return nullptr;
  }
}

}  // namespace

std::string CEmitter::Hold(const std::string& type, const std::string& text) {
  if (IsName(text)) return text;
  std::string name = names_.Unique("t");
  bool pointer = type.back() == '*';
  Line(type + (pointer ? " " : " ") + name + " = " + text + ";");
  return name;
}

std::string CEmitter::Condition(const Expr& expr) {
  std::string text = Scalar(expr);
  return IsBool(expr->dtype()) ? text : Convert(text, expr->dtype(), Bool());
}

std::string CEmitter::Scalar(const Expr& expr) {
  Lanes lanes = Vector(expr);
  if (lanes.size() != 1) {
    TVM_FFI_THROW(RuntimeError) << "The " << dialect_.name
                                << " backend has a vector or a tuple where a scalar is needed";
  }
  return lanes[0];
}

CEmitter::Variable& CEmitter::Find(const VarObj* var) {
  auto it = vars_.find(var);
  if (it == vars_.end()) {
    TVM_FFI_THROW(ValueError) << "The variable `" << var->name
                              << "` is used where it is not defined";
  }
  return it->second;
}

CEmitter::Lanes CEmitter::Vector(const Expr& expr) {
  GuardStack();
  switch (expr->kind) {
    case ExprKind::IntImm: {
      auto* op = static_cast<const IntImmObj*>(expr.get());
      return {IntConstant(op->dtype(), op->bits())};
    }
    case ExprKind::FloatImm: {
      auto* op = static_cast<const FloatImmObj*>(expr.get());
      return {FloatConstant(op->dtype(), op->value)};
    }
    case ExprKind::StringImm:
      return {CStringLiteral(static_cast<const StringImmObj*>(expr.get())->value)};
    case ExprKind::Var:
      return Find(static_cast<const VarObj*>(expr.get())).leaves;
    case ExprKind::Add:
    case ExprKind::Sub:
    case ExprKind::Mul:
    case ExprKind::Div:
    case ExprKind::Mod:
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod:
    case ExprKind::Min:
    case ExprKind::Max:
    case ExprKind::EQ:
    case ExprKind::NE:
    case ExprKind::LT:
    case ExprKind::LE:
    case ExprKind::GT:
    case ExprKind::GE:
    case ExprKind::BitwiseAnd:
    case ExprKind::BitwiseOr:
    case ExprKind::BitwiseXor:
    case ExprKind::LShift:
    case ExprKind::RShift: {
      DLDataType dtype = Lhs(expr.get())->dtype();
      Lanes a = Vector(Lhs(expr.get()));
      if (HasCall(Rhs(expr.get()))) {
        for (std::string& lane : a) lane = Hold(ValueType(Element(dtype)), lane);
      }
      Lanes b = Vector(Rhs(expr.get()));
      bool divides = expr->kind == ExprKind::Div || expr->kind == ExprKind::Mod ||
                     expr->kind == ExprKind::FloorDiv || expr->kind == ExprKind::FloorMod;
      if (divides && !IsFloating(dtype) && speculative_ == 0) {
        for (std::string& divisor : b) {
          if (as_const_int(Rhs(expr.get())).value_or(0) != 0) continue;
          divisor = Hold(ValueType(Element(dtype)), divisor);
          RaiseIf(divisor + " == 0", "ZeroDivisionError", {"division by zero"});
        }
      }
      Lanes result;
      for (size_t i = 0; i < a.size(); ++i) {
        result.push_back(Binary(expr->kind, a[i], b[i], Element(dtype)));
      }
      return result;
    }
    case ExprKind::And:
    case ExprKind::Or:
      return Logical(expr.get());
    case ExprKind::Not: {
      Lanes lanes = Vector(static_cast<const NotObj*>(expr.get())->a);
      for (std::string& lane : lanes) lane = "(!" + lane + ")";
      return lanes;
    }
    case ExprKind::BitwiseNot: {
      DLDataType dtype = Element(expr->dtype());
      Lanes lanes = Vector(static_cast<const BitwiseNotObj*>(expr.get())->a);
      for (std::string& lane : lanes) {
        lane = IsBool(dtype) ? "(!" + lane + ")" : "((" + ValueType(dtype) + ")~" + lane + ")";
      }
      return lanes;
    }
    case ExprKind::Cast: {
      auto* op = static_cast<const CastObj*>(expr.get());
      Lanes lanes = Vector(op->value);
      for (std::string& lane : lanes) lane = Convert(lane, op->value->dtype(), op->dtype());
      lanes.resize(tirx::Lanes(op->dtype()), lanes[0]);
      return lanes;
    }
    case ExprKind::Select: {
      auto* op = static_cast<const SelectObj*>(expr.get());
      Lanes condition = Vector(op->condition);
      ++speculative_;
      Lanes yes = Vector(op->true_value);
      Lanes no = Vector(op->false_value);
      --speculative_;
      Lanes result;
      for (size_t i = 0; i < yes.size(); ++i) {
        result.push_back("(" + condition[condition.size() == 1 ? 0 : i] + " ? " + yes[i] + " : " +
                         no[i] + ")");
      }
      return result;
    }
    case ExprKind::Ramp: {
      auto* op = static_cast<const RampObj*>(expr.get());
      DLDataType dtype = Element(op->dtype());
      std::string base = Hold(ValueType(dtype), Scalar(op->base));
      std::string stride = Scalar(op->stride);
      Lanes result;
      for (int i = 0; i < tirx::Lanes(op->dtype()); ++i) {
        result.push_back(
            i == 0 ? base
                   : Binary(ExprKind::Add, base,
                            Binary(ExprKind::Mul, stride, IntConstant(dtype, i), dtype), dtype));
      }
      return result;
    }
    case ExprKind::Broadcast: {
      auto* op = static_cast<const BroadcastObj*>(expr.get());
      std::string value = Hold(ValueType(Element(op->dtype())), Scalar(op->value));
      return Lanes(tirx::Lanes(op->dtype()), value);
    }
    case ExprKind::Shuffle: {
      auto* op = static_cast<const ShuffleObj*>(expr.get());
      Lanes all, result;
      for (const Expr& vector : op->vectors) {
        for (std::string& lane : Vector(vector)) all.push_back(std::move(lane));
      }
      for (const Expr& index : op->indices) {
        int64_t at = as_const_int(index).value_or(-1);
        if (at < 0 || at >= static_cast<int64_t>(all.size())) {
          TVM_FFI_THROW(IndexError) << "A Shuffle needs constant indices below " << all.size();
        }
        result.push_back(all[at]);
      }
      return result;
    }
    case ExprKind::TensorLoad: {
      auto* op = static_cast<const TensorLoadObj*>(expr.get());
      Place place = Resolve(op->source, op->indices);
      Lanes result;
      for (size_t i = 0; i < place.indices.size(); ++i) result.push_back(LoadLane(place, i));
      return result;
    }
    case ExprKind::Let:
    case ExprKind::Call:
    case ExprKind::Tuple:
    case ExprKind::TupleGetItem:
      return Leaves(expr);
    case ExprKind::DataTypeImm:
    case ExprKind::GenericConst:
    case ExprKind::GlobalVar:
    case ExprKind::Op:
    case ExprKind::TensorRegion:
    case ExprKind::LambdaExpr:
    case ExprKind::OpaqueExpr:
    case ExprKind::Function:
    case ExprKind::Foreign:
      break;
  }
  TVM_FFI_THROW(RuntimeError) << "The " << dialect_.name
                              << " backend has no code for an expression of type "
                              << expr->GetTypeKey();
  throw;
}

CEmitter::Lanes CEmitter::Leaves(const Expr& expr) {
  GuardStack();
  switch (expr->kind) {
    case ExprKind::Tuple: {
      Lanes result;
      for (const Expr& field : static_cast<const TupleObj*>(expr.get())->fields) {
        for (std::string& leaf : Leaves(field)) result.push_back(std::move(leaf));
      }
      return result;
    }
    case ExprKind::TupleGetItem: {
      auto* op = static_cast<const TupleGetItemObj*>(expr.get());
      const auto& fields = static_cast<const TupleTypeObj*>(op->tuple_value->ty.get())->fields;
      Lanes all = Leaves(op->tuple_value);
      size_t begin = 0, count = 0;
      for (int64_t i = 0; i <= op->index; ++i) {
        begin += count;
        count = LeafTypes(fields[i]).size();
      }
      return Lanes(all.begin() + begin, all.begin() + begin + count);
    }
    case ExprKind::Let: {
      auto* op = static_cast<const LetObj*>(expr.get());
      BindValue(op->var.get(), op->value);
      return Leaves(op->body);
    }
    case ExprKind::Call:
      return Call_(static_cast<const CallObj*>(expr.get()));
    default:
      return Vector(expr);
  }
}

std::string CEmitter::Binary(ExprKind kind, std::string a, std::string b, DLDataType dtype) {
  std::string type = ValueType(dtype);
  bool floating = IsFloating(dtype);
  switch (kind) {
    case ExprKind::Add:
    case ExprKind::Sub:
    case ExprKind::Mul: {
      std::string text = "(" + a + Symbol(kind) + b + ")";
      if (IsNarrowFloat(dtype)) return Rounded(text, dtype);
      if (!floating && dtype.bits < 32) {
        // Small integers are calculated as int and cut; products of uint16 would overflow it.
        if (IsUInt(dtype)) text = "((uint32_t)" + a + Symbol(kind) + b + ")";
        return "((" + type + ")" + text + ")";
      }
      return text;
    }
    case ExprKind::Div:
      if (floating) {
        std::string text = "(" + a + " / " + b + ")";
        return IsNarrowFloat(dtype) ? Rounded(text, dtype) : text;
      }
      [[fallthrough]];
    case ExprKind::Mod:
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod: {
      const char* word = kind == ExprKind::Div        ? "tirx_truncdiv_"
                         : kind == ExprKind::Mod      ? "tirx_truncmod_"
                         : kind == ExprKind::FloorDiv ? "tirx_floordiv_"
                                                      : "tirx_floormod_";
      Need(word + type);
      return word + type + "(" + a + ", " + b + ")";
    }
    case ExprKind::Min:
    case ExprKind::Max: {
      std::string helper = std::string(kind == ExprKind::Min ? "tirx_min_" : "tirx_max_") + type;
      Need(helper);
      return helper + "(" + a + ", " + b + ")";
    }
    case ExprKind::LShift: {
      // Shifting bits into the sign is undefined in C.
      std::string bits = dtype.bits <= 32 ? "uint32_t" : "uint64_t";
      return "((" + type + ")((" + bits + ")" + a + " << " + b + "))";
    }
    case ExprKind::RShift:
      return "((" + type + ")(" + a + " >> " + b + "))";
    case ExprKind::BitwiseAnd:
    case ExprKind::BitwiseOr:
    case ExprKind::BitwiseXor:
      if (IsBool(dtype) || dtype.bits < 32) return "((" + type + ")(" + a + Symbol(kind) + b + "))";
      return "(" + a + Symbol(kind) + b + ")";
    default:
      return "(" + a + Symbol(kind) + b + ")";
  }
}

std::string CEmitter::Captured(const std::function<void()>& emit) {
  std::string outer;
  outer.swap(out_);
  emit();
  outer.swap(out_);
  return outer;
}

CEmitter::Lanes CEmitter::Logical(const ExprObj* op) {
  bool is_and = op->kind == ExprKind::And;
  Lanes a = Vector(Lhs(op));
  if (a.size() == 1) {
    std::string right;
    ++indent_;
    std::string before = Captured([&] { right = Scalar(Rhs(op)); });
    --indent_;
    if (before.empty()) return {"(" + a[0] + (is_and ? " && " : " || ") + right + ")"};
    // The right side needs statements, which must run only when the left side asks for them.
    std::string name = names_.Unique("t");
    Line("bool " + name + " = " + a[0] + ";");
    Open("if (" + std::string(is_and ? "" : "!") + name + ") {");
    out_ += before;
    Line(name + " = " + right + ";");
    Close();
    return {name};
  }
  Lanes b = Vector(Rhs(op));
  for (size_t i = 0; i < a.size(); ++i) a[i] = "(" + a[i] + (is_and ? " && " : " || ") + b[i] + ")";
  return a;
}

CEmitter::Lanes CEmitter::Choice(const Expr& condition, const Expr& yes, const Expr& no,
                                 DLDataType dtype) {
  Lanes test = Vector(condition);
  if (test.size() == 1) {
    Lanes a, b;
    ++indent_;
    std::string before_a = Captured([&] { a = Vector(yes); });
    std::string before_b = Captured([&] { b = Vector(no); });
    --indent_;
    if (before_a.empty() && before_b.empty() && a.size() == 1) {
      return {"(" + test[0] + " ? " + a[0] + " : " + b[0] + ")"};
    }
    std::string type = yes->ty.is_prim() ? ValueType(Element(dtype)) : TypeOf(yes->ty);
    Lanes result;
    for (size_t i = 0; i < a.size(); ++i) {
      result.push_back(names_.Unique("t"));
      Line(type + " " + result.back() + ";");
    }
    auto arm = [&](const std::string& before, const Lanes& values) {
      out_ += before;
      for (size_t i = 0; i < values.size(); ++i) Line(result[i] + " = " + values[i] + ";");
    };
    Open("if (" + test[0] + ") {");
    arm(before_a, a);
    --indent_;
    Open("} else {");
    arm(before_b, b);
    Close();
    return result;
  }
  ++speculative_;
  Lanes a = Vector(yes), b = Vector(no);
  --speculative_;
  for (size_t i = 0; i < a.size(); ++i) a[i] = "(" + test[i] + " ? " + a[i] + " : " + b[i] + ")";
  return a;
}

}  // namespace tirx
}  // namespace tvm
