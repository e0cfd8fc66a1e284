// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tirx/ir/function.h"
#include "tirx/ir/ops.h"
#include "tirx/text/script.h"

namespace tvm {
namespace tirx {
namespace {

struct Print : testing::Test {
  Var x{"x", Int(32)}, x2{"x", Int(32)}, y{"y", Int(64)}, f{"f", Float(32)}, b{"b", Bool()},
      b2{"b2", Bool()};
  Var A{"A", TensorType({int32(4)}, PrimType(Int(32)))};

  static std::string Text(const ffi::ObjectRef& node) { return Script(node); }
};

TEST_F(Print, ParenthesesFollowPythonPrecedence) {
  EXPECT_EQ(Text(Mul(Add(x, x), x)), "(x + x) * x");
  EXPECT_EQ(Text(Sub(x, Sub(x, x))), "x - (x - x)");
  EXPECT_EQ(Text(Sub(Sub(x, x), x)), "x - x - x");
  EXPECT_EQ(Text(Add(x, Mul(x, x))), "x + x * x");
  EXPECT_EQ(Text(FloorDiv(x, Mul(x, x))), "x // (x * x)");
  EXPECT_EQ(Text(LShift(x, Add(x, x2))), "x << x + x_1");
  EXPECT_EQ(Text(Add(LShift(x, x2), x)), "(x << x_1) + x");
  EXPECT_EQ(Text(BitwiseOr(BitwiseXor(x, x2), x)), "x ^ x_1 | x");
  EXPECT_EQ(Text(BitwiseAnd(EQ(x, x2), b)), "(x == x_1) & b");
  EXPECT_EQ(Text(Not(EQ(x, x2))), "not x == x_1");
  EXPECT_EQ(Text(And(Or(b, b2), b)), "(b or b2) and b");
  EXPECT_EQ(Text(EQ(Not(b), b2)), "(not b) == b2");
  EXPECT_EQ(Text(BitwiseNot(Add(x, x2))), "~(x + x_1)");
}

TEST_F(Print, ComparisonInsideComparisonIsNoChain) {
  EXPECT_EQ(Text(EQ(LT(x, x2), b)), "(x < x_1) == b");
  EXPECT_EQ(Text(EQ(b, LT(x, x2))), "b == (x < x_1)");
}

TEST_F(Print, ConstructorWhereTheOperatorWouldFold) {
  EXPECT_EQ(Text(Add(int32(1), int32(2))), "T.Add(1, 2)");
  EXPECT_EQ(Text(Add(int32(2147483647), int32(1))), "T.Add(2147483647, 1)");
  EXPECT_EQ(Text(Add(x, int32(0))), "T.Add(x, 0)");
  EXPECT_EQ(Text(Sub(int32(0), x)), "0 - x");
  EXPECT_EQ(Text(FloorDiv(x, int32(0))), "T.FloorDiv(x, 0)");
  EXPECT_EQ(Text(LShift(x, int32(40))), "T.LShift(x, 40)");
  EXPECT_EQ(Text(Max(x, x)), "T.Max(x, x)");
  EXPECT_EQ(Text(And(b, bool_imm(true))), "T.And(b, T.bool(True))");
  EXPECT_EQ(Text(Not(bool_imm(true))), "T.Not(T.bool(True))");
  EXPECT_EQ(Text(BitwiseNot(int32(1))), "T.BitwiseNot(1)");
  EXPECT_EQ(Text(Add(int_imm(UInt(8), 255), int_imm(UInt(8), 1))), "T.uint8(255) + T.uint8(1)");
}

TEST_F(Print, Divisions) {
  EXPECT_EQ(Text(Div(x, x2)), "T.Div(x, x_1)");
  EXPECT_EQ(Text(Mod(x, x2)), "T.truncmod(x, x_1)");
  EXPECT_EQ(Text(Div(f, f)), "f / f");
}

TEST_F(Print, Literals) {
  EXPECT_EQ(Text(int_imm(Int(64), 5)), "T.int64(5)");
  EXPECT_EQ(Text(IntImm(UInt(64), ffi::BigInt(UINT64_MAX))),
            "T.IntImm(\"uint64\", 18446744073709551615)");
  EXPECT_EQ(Text(float_imm(Float(32), 0.1)), "T.float32(0.10000000000000001)");
  EXPECT_EQ(Text(float_imm(Float(32), 1e16)), "T.float32(10000000000000000.0)");
  EXPECT_EQ(Text(float_imm(Float(32), 1e-10)), "T.float32(1e-10)");
  EXPECT_EQ(Text(float_imm(Float(32), -0.0)), "T.float32(-0.0)");
  EXPECT_EQ(Text(float_imm(Float(64), 5e-324)), "T.float64(4.9406564584124654e-324)");
  EXPECT_EQ(Text(float_imm(Float(32), INFINITY)), "T.float32(\"inf\")");
  EXPECT_EQ(Text(StringImm("a\"b\n")), "\"a\\\"b\\n\"");
  EXPECT_EQ(Text(PrimType(Bool(4))), "T.PrimType(\"boolx4\")");
  EXPECT_EQ(Text(Shuffle({x, x2}, {int32(0), int32(1)})),
            "T.Shuffle([x, x_1], [T.int32(0), T.int32(1)])");
}

TEST_F(Print, NamesAreMadeValidAndDistinct) {
  auto name = [](const char* hint) { return Text(Var(hint, Int(32))); };
  EXPECT_EQ(name("a b"), "a_b");
  EXPECT_EQ(name("1a"), "_1a");
  EXPECT_EQ(name("\xc3\xa9"), "__");
  EXPECT_EQ(name("T"), "T_1");
  EXPECT_EQ(name("for"), "for_1");
  EXPECT_EQ(name("int"), "int");
  EXPECT_EQ(name(""), "v");
  Var w("x_1", Int(32)), w2("x_1", Int(32));
  EXPECT_EQ(Text(Add(Add(Add(x, x2), w), w2)), "x + x_1 + x_1_1 + x_1_2");
}

TEST_F(Print, FreeVariablesAreDeclaredInTheOrderOfTheWalk) {
  EXPECT_EQ(Text(TensorStore(A, {x}, x2)),
            "A = T.Var(\"A\", T.Tensor((4,), T.int32))\n"
            "x = T.dynamic(\"x\", dtype=\"int32\")\n"
            "x_1 = T.dynamic(\"x\", dtype=\"int32\")\n"
            "A[x_1] = x");
}

TEST_F(Print, FunctionWithLoops) {
  Var i("i", Int(32)), p("p", Int(32));
  Stmt inner =
      For(i, int32(0), int32(4), int32(1), ForKind::Serial, SeqStmt({TensorStore(A, {i}, x)}));
  Stmt outer = For(p, int32(1), int32(9), int32(2), ForKind::Parallel, SeqStmt({inner}),
                   {{"hint", ffi::Any(3)}});
  Function func({A, x}, SeqStmt({outer}), PrimType(Int(32)),
                DictAttrs({{"global_symbol", ffi::String("f")}, {"flag", ffi::Any(true)}}));
  EXPECT_EQ(Text(func),
            "from __future__ import annotations\n\n"
            "# from tvm_tirx.script import tirx as T\n\n"
            "@T.function\n"
            "def f(A: T.Tensor((4,), T.int32), x: T.int32) -> T.int32:\n"
            "    T.func_attr({\"flag\": True})\n"
            "    for p in T.parallel(1, 9, annotations={\"hint\": 3}, step=2):\n"
            "        for i in range(4):\n"
            "            A[i] = x");
}

TEST_F(Print, RampStoresAreSlicesOnlyUpward) {
  Expr value = Broadcast(int32(1), int32(4));
  auto last_line = [](const std::string& text) { return text.substr(text.rfind('\n') + 1); };
  EXPECT_EQ(last_line(Text(TensorStore(A, {Ramp(x, int32(2), int32(4))}, value))),
            "A[x:x + 8:2] = T.Broadcast(1, 4)");
  EXPECT_EQ(last_line(Text(TensorStore(A, {Ramp(int32(6), int32(-2), int32(4))}, value))),
            "A[T.Ramp(6, -2, 4)] = T.Broadcast(1, 4)");
}

TEST_F(Print, LetIsDeclaredBeforeItsStatement) {
  Var t("twice", Int(32));
  Expr let = Let(t, add(x, int32(1)), mul(t, t));
  EXPECT_EQ(Text(SeqStmt({TensorStore(A, {int32(0)}, let)})),
            "A = T.Var(\"A\", T.Tensor((4,), T.int32))\n"
            "x = T.dynamic(\"x\", dtype=\"int32\")\n"
            "twice = T.dynamic(\"twice\", dtype=\"int32\")\n"
            "A[0] = T.Let(twice * twice, where={twice: x + 1})");
}

TEST_F(Print, CallsShowATypeThatIsNotImplied) {
  EXPECT_EQ(Text(call_op("prim.exp", {f})), "T.exp(f)");
  EXPECT_EQ(Text(call_op("prim.exp", {f}, PrimType(Float(64)))), "T.exp(f, ty=T.float64)");
  EXPECT_EQ(Text(call_op("tirx.call_extern", {StringImm("g"), x}, PrimType(Int(32)))),
            "T.call_extern(\"g\", x, ty=T.int32)");
  EXPECT_EQ(Text(Call(GlobalVar("g"), {x}, {}, {}, PrimType(Int(32)))),
            "T.Call(Module.g, [x], ty=T.int32)");
  EXPECT_EQ(Text(call_op("tirx.tensor_data_ptr", {A})), "A.data");
}

TEST_F(Print, UnderlinesAnExpressionByPath) {
  namespace refl = ffi::reflection;
  Function func(
      {A}, SeqStmt({TensorStore(A, {int32(0)}, int32(1)), TensorStore(A, {int32(1)}, int32(2))}));
  auto config = ffi::make_object<PrinterConfigObj>();
  config->path_to_underline.push_back(
      refl::AccessPath::Root()->Attr("body")->Attr("seq")->ArrayItem(1)->Attr("value"));
  config->num_context_lines = 1;
  EXPECT_EQ(Script(func, PrinterConfig(config)),
            "Access path: <root>.body.seq[1].value\n\n"
            "(... 6 lines skipped ...)\n"
            "    A[0] = 1\n"
            "    A[1] = 2\n"
            "           ^");
}

// A long sum is a deep tree; the text needs no deep stack.
TEST_F(Print, LongSum) {
  Expr sum = x;
  for (int i = 0; i < 200000; ++i) sum = Add(std::move(sum), x);
  std::string text = Text(sum);
  EXPECT_EQ(text.size(), 1 + 200000 * 4u);
}

TEST_F(Print, DeepNestingRaises) {
  Expr deep = x;
  for (int i = 0; i < 1000000; ++i) deep = BitwiseNot(std::move(deep));
  try {
    Text(deep);
    FAIL();
  } catch (const ffi::Error& error) {
    EXPECT_EQ(error.kind(), "RecursionError");
  }
}

}  // namespace
}  // namespace tirx
}  // namespace tvm
