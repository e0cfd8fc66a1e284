// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <tvm/ffi/extra/serialization.h>
#include <tvm/ffi/extra/structural_equal.h>
#include <tvm/ffi/extra/structural_hash.h>

#include "tirx/ir/analysis.h"
#include "tirx/ir/mutator.h"
#include "tirx/ir/ops.h"
#include "tirx/text/script.h"

namespace tvm {
namespace tirx {
namespace {

template <typename F>
std::string ErrorKind(F make) {
  try {
    make();
    return "";
  } catch (const ffi::Error& error) {
    return error.kind();
  }
}

struct Program : testing::Test {
  // for i in range(n): A[i] = B[i] + x
  static Function Make(int extent, const char* names = "ABxi") {
    auto name = [&](int k) { return std::string(1, names[k]); };
    Var a(name(0), TensorType({int32(extent)}, PrimType(Int(32))));
    Var b(name(1), TensorType({int32(extent)}, PrimType(Int(32))));
    Var x(name(2), Int(32)), i(name(3), Int(32));
    Stmt store = TensorStore(a, {i}, add(TensorLoad(b, {i}), x));
    Stmt loop = For(i, int32(0), int32(extent), int32(1), ForKind::Serial, SeqStmt({store}));
    return Function({a, b, x}, SeqStmt({loop}));
  }
};

TEST_F(Program, EqualityIgnoresNamesAndFollowsStructure) {
  EXPECT_TRUE(ffi::StructuralEqual()(Make(4), Make(4, "PQrs")));
  EXPECT_FALSE(ffi::StructuralEqual()(Make(4), Make(5)));
  EXPECT_EQ(ffi::StructuralHash()(Make(4)), ffi::StructuralHash()(Make(4, "PQrs")));
}

TEST_F(Program, ModulesCompareFunctionsByName) {
  auto module = [](int first, int second, bool swap) {
    GlobalVar f("f"), g("g");
    ffi::Map<GlobalVar, BaseFunc> functions;
    if (swap) functions.Set(g, Make(second));
    functions.Set(f, Make(first));
    functions.Set(g, Make(second));
    return IRModule(functions);
  };
  EXPECT_TRUE(ffi::StructuralEqual()(module(4, 5, false), module(4, 5, true)));
  EXPECT_FALSE(ffi::StructuralEqual()(module(4, 5, false), module(5, 4, false)));
  EXPECT_EQ(ffi::StructuralHash()(module(4, 5, false)), ffi::StructuralHash()(module(4, 5, true)));
}

TEST_F(Program, JsonRoundTrip) {
  Function func = Make(7);
  ffi::Any back = ffi::FromJSONGraph(ffi::ToJSONGraph(func));
  EXPECT_TRUE(ffi::StructuralEqual()(func, back));
  EXPECT_EQ(Script(func), Script(back));
}

TEST_F(Program, AssertEqualNamesThePlace) {
  try {
    AssertStructuralEqual(Make(4), Make(4).WithBody(SeqStmt({Break::Make()})), false);
    FAIL();
  } catch (const ffi::Error& error) {
    EXPECT_EQ(error.kind(), "ValueError");
    EXPECT_EQ(error.message().rfind("StructuralEqual check failed, caused by lhs at "
                                    "<root>.body.seq[0]:\nAccess path: <root>.body.seq[0]\n",
                                    0),
              0u)
        << error.message();
  }
}

TEST_F(Program, UnchangedRewriteKeepsTheObject) {
  Function func = Make(4);
  struct Same : StmtExprMutator {};
  EXPECT_TRUE(Same().Rewrite(func).same_as(func));
}

TEST_F(Program, RewriteOfASharedProgramLeavesItAlone) {
  struct Twice : StmtExprMutator {
    Expr VisitIntImm(IntImm op) override {
      return SameDType(op->dtype(), Int(32)) ? int32(op->bits() * 2) : Expr(op);
    }
  };
  Function func = Make(4);
  std::string before = Script(func);
  Function changed = Twice().Rewrite(func);
  EXPECT_EQ(Script(func), before);
  EXPECT_NE(Script(changed).find("range(0, 8, 2)"), std::string::npos);
}

TEST_F(Program, SubstituteReplacesFreeUses) {
  Function func = Make(4);
  Var x = func->params[2];
  Stmt body = Substitute(Stmt(func->body), ffi::Map<Var, Expr>{{x, int32(3)}});
  EXPECT_EQ(UndefinedVars(body).size(), 2u);
  EXPECT_EQ(UndefinedVars(func->body).size(), 3u);
  EXPECT_TRUE(UndefinedVars(func).empty());
}

TEST_F(Program, WellFormedness) {
  Var x("x", Int(32)), A("A", TensorType({int32(4)}, PrimType(Int(32))));
  auto store = [&](Expr value) { return TensorStore(A, {int32(0)}, value); };
  auto error = [](Function func) { return WellFormedError(func); };
  EXPECT_EQ(error(Make(4)), "");
  EXPECT_EQ(error(Function({A}, SeqStmt({store(x)}))),
            "Invalid use of undefined variable x at <root>.body.seq[0].value.");
  Stmt loop = For(x, int32(0), int32(4), int32(1), ForKind::Serial, SeqStmt({store(x)}));
  EXPECT_EQ(error(Function({A}, SeqStmt({loop, store(x)}))),
            "Invalid use of undefined variable x at <root>.body.seq[1].value.  While this variable "
            "was previously defined at <root>.body.seq[0].var, this definition is no longer "
            "in-scope.");
  EXPECT_EQ(error(Function({A}, SeqStmt({loop, loop}))),
            "TIR is ill-formed, due to multiple definitions of variable x. It was first defined at "
            "<root>.body.seq[0].var, and was later re-defined at <root>.body.seq[0]");
  EXPECT_EQ(error(Function({A}, SeqStmt({Break::Make()}))),
            "break at <root>.body.seq[0] requires an enclosing loop in the same function.");
  // A size named by a parameter's type is defined by it.
  Var n("n", Int(32)), B("B", TensorType({n}, PrimType(Int(32))));
  EXPECT_EQ(error(Function({A, B}, SeqStmt({store(n)}))), "");
}

TEST_F(Program, BlocksAreFlat) {
  Stmt nested = SeqStmt({SeqStmt({Break::Make()}), Evaluate(int32(0)), Continue::Make()});
  EXPECT_EQ(static_cast<const SeqStmtObj*>(nested.get())->seq.size(), 2u);
}

TEST_F(Program, ConstructorErrors) {
  Var i("i", Int(32)), l("l", Int(64)), f("f", Float(32));
  Var A("A", TensorType({int32(4), int32(8)}, PrimType(Int(32))));
  EXPECT_EQ(ErrorKind([&] { Add(i, l); }), "TypeError");
  EXPECT_EQ(ErrorKind([&] { Ramp(f, f, int32(4)); }), "TypeError");
  EXPECT_EQ(ErrorKind([&] { Ramp(i, int32(1), int32(1)); }), "RuntimeError");
  EXPECT_EQ(ErrorKind([&] { Broadcast(f, int32(1)); }), "RuntimeError");
  EXPECT_EQ(ErrorKind([&] { IntImm(UInt(8), 256); }), "ValueError");
  EXPECT_EQ(ErrorKind([&] { IntImm(Int(32), ffi::BigInt(int64_t{1} << 31)); }), "ValueError");
  EXPECT_EQ(ErrorKind([&] { FloatImm(Float(16), 70000.0); }), "ValueError");
  EXPECT_EQ(ErrorKind([&] { TensorLoad(A, {i}); }), "RuntimeError");
  EXPECT_EQ(ErrorKind([&] { TensorStore(A, {i, i}, l); }), "TypeError");
  EXPECT_EQ(ErrorKind([&] { TupleGetItem(Tuple({i}), 1); }), "IndexError");
  EXPECT_EQ(ErrorKind([&] { If(i, SeqStmt({})); }), "TypeError");
  EXPECT_EQ(ErrorKind([&] { PrimType(MakeDType(kDLOpaqueHandle, 64)); }), "TypeError");
}

TEST_F(Program, DeepEqualComparesVariablesByIdentity) {
  Var i("i", Int(32)), j("i", Int(32));
  EXPECT_TRUE(DeepEqual(add(i, int32(1)), add(i, int32(1))));
  EXPECT_FALSE(DeepEqual(add(i, int32(1)), add(j, int32(1))));
  EXPECT_EQ(DeepHash(add(i, int32(1))), DeepHash(add(i, int32(1))));
}

TEST_F(Program, SideEffects) {
  Var i("i", Int(32)), A("A", TensorType({int32(4)}, PrimType(Int(32))));
  EXPECT_EQ(SideEffect(add(i, int32(1))), Effect::Pure);
  EXPECT_EQ(SideEffect(TensorLoad(A, {i})), Effect::ReadState);
  EXPECT_EQ(SideEffect(call_op("tirx.call_packed", {StringImm("f")})), Effect::UpdateState);
}

}  // namespace
}  // namespace tirx
}  // namespace tvm
