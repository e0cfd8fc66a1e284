// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/prim.h"

#include "tirx/ir/node_text.h"
#include "tirx/ir/ops.h"

namespace tvm {
namespace tirx {

namespace {

void CheckPrim(const Expr& e, const char* node, const char* operand) {
  TVM_FFI_CHECK(e.defined() && e.is_prim(), TypeError)
      << node << ": operand `" << operand << "` must be a primitive expression, but its type is "
      << (e.defined() ? e->ty.GetTypeKey() : std::string("None"));
}

void CheckSameType(const Expr& a, const Expr& b, const char* node) {
  CheckPrim(a, node, "a");
  CheckPrim(b, node, "b");
  if (SameDType(a.dtype(), b.dtype())) return;
  TVM_FFI_THROW(TypeError) << node << ": mismatched types. " << ffi::DLDataTypeToString(a.dtype())
                           << " vs. " << ffi::DLDataTypeToString(b.dtype());
}

template <typename Node>
ffi::ObjectPtr<Node> MakeNode(Type ty, Expr a, Expr b, Location loc) {
  auto node = ffi::make_object<Node>();
  node->a = std::move(a);
  node->b = std::move(b);
  node->ty = std::move(ty);
  node->loc = OrUnknown(std::move(loc));
  return node;
}

void CheckBool(const Expr& e, const char* node, const char* operand) {
  CheckPrim(e, node, operand);
  TVM_FFI_CHECK(IsBool(e.dtype()), RuntimeError)
      << node << ": operand `" << operand << "` must be bool, but it is "
      << ffi::DLDataTypeToString(e.dtype());
}

void CheckBits(const Expr& e, const char* node, bool bool_allowed) {
  TVM_FFI_CHECK(IsInteger(e.dtype()) || (bool_allowed && IsBool(e.dtype())), TypeError)
      << node << " requires integer" << (bool_allowed ? " or boolean" : "") << " operands";
}

// Lanes of a vector constructor: a constant above one, or a multiple of vscale (negated).
int CheckedLanes(Expr* lanes, const char* node) {
  CheckPrim(*lanes, node, "lanes");
  if (auto value = as_const_int(*lanes)) {
    TVM_FFI_CHECK_GT(*value, 1, RuntimeError) << node << ": a vector has more than one lane";
    TVM_FFI_CHECK_LE(*value, 32767, RuntimeError) << node << ": too many lanes";
    *lanes = int32(*value);
    return static_cast<int>(*value);
  }
  std::optional<int64_t> factor;
  if (IsCallTo(*lanes, OpId::prim_vscale)) factor = 1;
  if (lanes->is(ExprKind::Mul)) {
    const Expr& a = Lhs(lanes->get());
    const Expr& b = Rhs(lanes->get());
    if (IsCallTo(a, OpId::prim_vscale)) factor = as_const_int(b);
    if (IsCallTo(b, OpId::prim_vscale)) factor = as_const_int(a);
  }
  TVM_FFI_CHECK(factor.has_value() && *factor > 0 && *factor <= 32767, RuntimeError)
      << "Invalid expression for scalable lanes " << ShortText(*lanes);
  return -static_cast<int>(*factor);
}

}  // namespace

#define TIRX_ARITHMETIC(Name)                                                               \
  Name::Name(Expr a, Expr b, Location loc) {                                                \
    CheckSameType(a, b, #Name);                                                             \
    Type ty = a->ty;                                                                        \
    data_ = MakeNode<Name##Obj>(std::move(ty), std::move(a), std::move(b), std::move(loc)); \
  }
TIRX_ARITHMETIC(Add)
TIRX_ARITHMETIC(Sub)
TIRX_ARITHMETIC(Mul)
TIRX_ARITHMETIC(Div)
TIRX_ARITHMETIC(Mod)
TIRX_ARITHMETIC(FloorDiv)
TIRX_ARITHMETIC(FloorMod)
TIRX_ARITHMETIC(Min)
TIRX_ARITHMETIC(Max)
#undef TIRX_ARITHMETIC

#define TIRX_COMPARISON(Name)                                                               \
  Name::Name(Expr a, Expr b, Location loc) {                                                \
    CheckSameType(a, b, #Name);                                                             \
    Type ty = PrimType(WithLanesOf(Bool(), a.dtype()));                                     \
    data_ = MakeNode<Name##Obj>(std::move(ty), std::move(a), std::move(b), std::move(loc)); \
  }
TIRX_COMPARISON(EQ)
TIRX_COMPARISON(NE)
TIRX_COMPARISON(LT)
TIRX_COMPARISON(LE)
TIRX_COMPARISON(GT)
TIRX_COMPARISON(GE)
#undef TIRX_COMPARISON

#define TIRX_LOGICAL(Name)                                                                  \
  Name::Name(Expr a, Expr b, Location loc) {                                                \
    CheckBool(a, #Name, "a");                                                               \
    CheckBool(b, #Name, "b");                                                               \
    CheckSameType(a, b, #Name);                                                             \
    Type ty = a->ty;                                                                        \
    data_ = MakeNode<Name##Obj>(std::move(ty), std::move(a), std::move(b), std::move(loc)); \
  }
TIRX_LOGICAL(And)
TIRX_LOGICAL(Or)
#undef TIRX_LOGICAL

#define TIRX_BITS(Name, bool_allowed)                                                       \
  Name::Name(Expr a, Expr b, Location loc) {                                                \
    CheckSameType(a, b, #Name);                                                             \
    CheckBits(a, #Name, bool_allowed);                                                      \
    Type ty = a->ty;                                                                        \
    data_ = MakeNode<Name##Obj>(std::move(ty), std::move(a), std::move(b), std::move(loc)); \
  }
TIRX_BITS(BitwiseAnd, true)
TIRX_BITS(BitwiseOr, true)
TIRX_BITS(BitwiseXor, true)
TIRX_BITS(LShift, false)
TIRX_BITS(RShift, false)
#undef TIRX_BITS

Expr MakeBinary(ExprKind kind, Expr a, Expr b, Location loc) {
  switch (kind) {
#define TIRX_BINARY(Name, key) \
  case ExprKind::Name:         \
    return Name(std::move(a), std::move(b), std::move(loc));
#define TIRX_EXPR(Name, key)
#include "tirx/defs/nodes.def"
    default:
      break;
  }
  TVM_FFI_THROW(InternalError) << "not the kind of a binary node";
  TVM_FFI_UNREACHABLE();
}

Not::Not(Expr a, Location loc) {
  CheckBool(a, "Not", "a");
  auto node = ffi::make_object<NotObj>();
  node->ty = a->ty;
  node->a = std::move(a);
  node->loc = OrUnknown(std::move(loc));
  data_ = std::move(node);
}

BitwiseNot::BitwiseNot(Expr a, Location loc) {
  CheckPrim(a, "BitwiseNot", "a");
  CheckBits(a, "BitwiseNot", true);
  auto node = ffi::make_object<BitwiseNotObj>();
  node->ty = a->ty;
  node->a = std::move(a);
  node->loc = OrUnknown(std::move(loc));
  data_ = std::move(node);
}

Cast::Cast(DLDataType dtype, Expr value, Location loc) {
  PrimType ty(dtype);
  CheckPrim(value, "Cast", "value");
  TVM_FFI_CHECK_EQ(dtype.lanes, value.dtype().lanes, RuntimeError)
      << "Cast: " << ffi::DLDataTypeToString(value.dtype()) << " to "
      << ffi::DLDataTypeToString(dtype) << " changes the number of lanes";
  auto node = ffi::make_object<CastObj>();
  node->value = std::move(value);
  node->ty = std::move(ty);
  node->loc = OrUnknown(std::move(loc));
  data_ = std::move(node);
}

Select::Select(Expr condition, Expr true_value, Expr false_value, Location loc) {
  CheckBool(condition, "Select", "condition");
  CheckPrim(true_value, "Select", "true_value");
  CheckPrim(false_value, "Select", "false_value");
  DLDataType t = true_value.dtype(), f = false_value.dtype();
  TVM_FFI_CHECK(SameDType(t, f), TypeError)
      << "mismatched types. False type: " << ffi::DLDataTypeToString(f)
      << "; True type: " << ffi::DLDataTypeToString(t);
  TVM_FFI_CHECK(IsScalar(condition.dtype()) || condition.dtype().lanes == t.lanes, RuntimeError)
      << "Select: the condition has other lanes than the values";
  auto node = ffi::make_object<SelectObj>();
  node->ty = true_value->ty;
  node->condition = std::move(condition);
  node->true_value = std::move(true_value);
  node->false_value = std::move(false_value);
  node->loc = OrUnknown(std::move(loc));
  data_ = std::move(node);
}

Let::Let(Var var, Expr value, Expr body, Location loc) {
  CheckPrim(value, "Let", "value");
  CheckPrim(body, "Let", "body");
  TVM_FFI_CHECK(var.is_prim() && SameDType(value.dtype(), var.dtype()), RuntimeError)
      << "Let: the value has type " << ffi::DLDataTypeToString(value.dtype()) << ", the variable "
      << var->name << " has another";
  auto node = ffi::make_object<LetObj>();
  node->ty = body->ty;
  node->var = std::move(var);
  node->value = std::move(value);
  node->body = std::move(body);
  node->loc = OrUnknown(std::move(loc));
  data_ = std::move(node);
}

Ramp::Ramp(Expr base, Expr stride, Expr lanes, Location loc) {
  CheckPrim(base, "Ramp", "base");
  CheckPrim(stride, "Ramp", "stride");
  DLDataType dtype = base.dtype();
  TVM_FFI_CHECK(IsScalar(dtype) && IsInteger(dtype) && (dtype.bits == 32 || dtype.bits == 64),
                TypeError)
      << "Ramp base must be scalar int32, int64, uint32, or uint64, but got "
      << ShortText(base->ty);
  TVM_FFI_CHECK(IsScalar(stride.dtype()), RuntimeError) << "Ramp: the stride must be scalar";
  if (!SameDType(stride.dtype(), dtype)) stride = cast(std::move(stride), dtype);
  int n = CheckedLanes(&lanes, "Ramp");
  auto node = ffi::make_object<RampObj>();
  node->ty = PrimType(WithLanes(dtype, n));
  node->base = std::move(base);
  node->stride = std::move(stride);
  node->lanes = std::move(lanes);
  node->loc = OrUnknown(std::move(loc));
  data_ = std::move(node);
}

Broadcast::Broadcast(Expr value, Expr lanes, Location loc) {
  CheckPrim(value, "Broadcast", "value");
  TVM_FFI_CHECK(IsScalar(value.dtype()), RuntimeError) << "Broadcast: the value must be scalar";
  int n = CheckedLanes(&lanes, "Broadcast");
  auto node = ffi::make_object<BroadcastObj>();
  node->ty = PrimType(WithLanes(value.dtype(), n));
  node->value = std::move(value);
  node->lanes = std::move(lanes);
  node->loc = OrUnknown(std::move(loc));
  data_ = std::move(node);
}

Shuffle::Shuffle(ffi::Array<Expr> vectors, ffi::Array<Expr> indices, Location loc) {
  TVM_FFI_CHECK(!vectors.empty(), RuntimeError) << "Shuffle: no vectors";
  TVM_FFI_CHECK(!indices.empty(), RuntimeError) << "Shuffle: no indices";
  int64_t total = 0;
  DLDataType element{};
  for (size_t i = 0; i < vectors.size(); ++i) {
    Expr v = vectors[i];
    CheckPrim(v, "Shuffle", "vectors");
    if (i == 0) element = Element(v.dtype());
    TVM_FFI_CHECK(SameElement(element, v.dtype()), RuntimeError)
        << "Shuffle: vectors of different elements, " << ffi::DLDataTypeToString(element) << " and "
        << ffi::DLDataTypeToString(Element(v.dtype()));
    total += Lanes(v.dtype());
  }
  for (const Expr& index : indices) {
    CheckPrim(index, "Shuffle", "indices");
    if (auto value = as_const_int(index)) {
      TVM_FFI_CHECK(*value >= 0 && *value < total, RuntimeError)
          << "Shuffle: index " << *value << " is out of range, the vectors have " << total
          << " lanes";
    }
  }
  auto node = ffi::make_object<ShuffleObj>();
  node->ty = PrimType(WithLanes(element, static_cast<int>(indices.size())));
  node->vectors = std::move(vectors);
  node->indices = std::move(indices);
  node->loc = OrUnknown(std::move(loc));
  data_ = std::move(node);
}

}  // namespace tirx
}  // namespace tvm
