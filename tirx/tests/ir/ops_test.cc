// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/ops.h"

#include <gtest/gtest.h>

#include "tirx/text/script.h"

namespace tvm {
namespace tirx {
namespace {

// The text of what `make` builds, or the kind of its error.
template <typename F>
std::string Built(F make) {
  try {
    return Script(make());
  } catch (const ffi::Error& error) {
    return error.kind();
  }
}

struct Ops : testing::Test {
  Var i{"i", Int(32)}, l{"l", Int(64)}, u{"u", UInt(32)}, f{"f", Float(32)}, d{"d", Float(64)},
      h{"h", Float(16)}, v{"v", Int(32, 4)}, b{"b", Bool()};
  static Expr I(int bits, int64_t value) { return int_imm(Int(bits), value); }
  static Expr U(int bits, int64_t value) { return int_imm(UInt(bits), value); }
  static Expr F(int bits, double value) { return float_imm(Float(bits), value); }
};

TEST_F(Ops, Promotion) {
  EXPECT_EQ(Built([&] { return add(i, l); }), "T.Cast(\"int64\", i) + l");
  EXPECT_EQ(Built([&] { return add(i, u); }), "T.Cast(\"uint32\", i) + u");
  EXPECT_EQ(Built([&] { return add(l, u); }), "l + T.Cast(\"int64\", u)");
  EXPECT_EQ(Built([&] { return mul(i, f); }), "T.Cast(\"float32\", i) * f");
  EXPECT_EQ(Built([&] { return mul(f, h); }), "f * T.Cast(\"float32\", h)");
  EXPECT_EQ(Built([&] { return add(h, Var("q", BFloat16())); }), "h + T.Cast(\"float16\", q)");
  EXPECT_EQ(Built([&] { return add(b, v); }), "T.Broadcast(T.Cast(\"int32\", b), 4) + v");
  EXPECT_EQ(Built([&] { return mul(d, I(32, 2)); }), "d * T.Cast(\"float64\", 2)");
  EXPECT_EQ(Built([&] { return add(u, I(32, -1)); }), "u + T.Cast(\"uint32\", -1)");
  EXPECT_EQ(Built([&] { return add(v, Var("w", Int(32, 8))); }), "RuntimeError");
}

TEST_F(Ops, IntegerFolding) {
  EXPECT_EQ(Built([&] { return floordiv(I(32, -7), I(32, 2)); }), "-4");
  EXPECT_EQ(Built([&] { return floormod(I(32, -7), I(32, 2)); }), "1");
  EXPECT_EQ(Built([&] { return truncdiv(I(32, -7), I(32, 2)); }), "-3");
  EXPECT_EQ(Built([&] { return truncmod(I(32, -7), I(32, 2)); }), "-1");
  EXPECT_EQ(Built([&] { return floormod(I(8, 7), I(8, 2)); }), "T.int8(7) % T.int8(2)");
  EXPECT_EQ(Built([&] { return sub(U(8, 3), U(8, 5)); }), "T.uint8(3) - T.uint8(5)");
  EXPECT_EQ(Built([&] { return add(I(32, INT32_MAX), I(32, 1)); }), "T.Add(2147483647, 1)");
  EXPECT_EQ(Built([&] { return mul(I(64, INT64_MIN), I(64, -1)); }),
            "T.int64(-9223372036854775808) * T.int64(-1)");
  EXPECT_EQ(Built([&] { return floormod(I(64, INT64_MIN), I(64, -1)); }), "T.int64(0)");
  EXPECT_EQ(Built([&] { return lt(U(64, 1), IntImm(UInt(64), ffi::BigInt(UINT64_MAX))); }),
            "T.bool(True)");
  EXPECT_EQ(Built([&] { return shift_left(I(32, 7), I(32, 2)); }), "28");
  EXPECT_EQ(Built([&] { return shift_left(I(32, INT32_MAX), I(32, 1)); }),
            "T.LShift(2147483647, 1)");
  EXPECT_EQ(Built([&] { return shift_left(I(8, 1), I(8, 1)); }), "T.int8(1) << T.int8(1)");
  EXPECT_EQ(Built([&] { return bitwise_xor(I(32, 7), I(32, 2)); }), "5");
}

TEST_F(Ops, FloatFolding) {
  EXPECT_EQ(*as_const_float(div(F(32, 1), F(32, 3))), static_cast<double>(1.0f / 3.0f));
  EXPECT_EQ(Built([&] { return add(F(16, 1), F(16, 2)); }), "T.float16(1.0) + T.float16(2.0)");
  EXPECT_EQ(Built([&] { return max(F(16, 1), F(16, 2)); }), "T.float16(2.0)");
  EXPECT_EQ(Built([&] { return mul(F(32, 3e38), F(32, 10)); }),
            "T.float32(300000000000000012135895401846682943488.0) * T.float32(10.0)");
}

TEST_F(Ops, Identities) {
  for (Expr e : {add(i, I(32, 0)), add(I(32, 0), i), sub(i, I(32, 0)), mul(i, I(32, 1)),
                 floordiv(i, I(32, 1)), truncdiv(i, I(32, 1)), shift_left(i, I(32, 0)), min(i, i),
                 max(i, i)}) {
    EXPECT_TRUE(e.same_as(i)) << Script(e);
  }
  EXPECT_EQ(Built([&] { return mul(i, I(32, 0)); }), "0");
  EXPECT_EQ(Built([&] { return floormod(i, I(32, 1)); }), "0");
  EXPECT_EQ(Built([&] { return mul(f, F(32, 0)); }), "T.float32(0.0)");
  EXPECT_EQ(Built([&] { return sub(i, i); }), "i - i");
  EXPECT_EQ(Built([&] { return bitwise_and(i, I(32, 0)); }), "i & 0");
  EXPECT_EQ(Built([&] { return add(v, Broadcast(I(32, 0), int32(4))); }), "v + T.Broadcast(0, 4)");
  EXPECT_EQ(Built([&] { return add(d, I(32, 0)); }), "d + T.Cast(\"float64\", 0)");
}

TEST_F(Ops, Casts) {
  auto cast_text = [](Expr e, DLDataType t) { return Built([&] { return cast(e, t); }); };
  EXPECT_EQ(cast_text(F(32, 2.7), Int(8)), "T.int8(2)");
  EXPECT_EQ(cast_text(F(32, -2.7), UInt(8)), "T.Cast(\"uint8\", T.float32(-2.7000000000000002))");
  EXPECT_EQ(cast_text(I(32, 300), Int(8)), "T.Cast(\"int8\", 300)");
  EXPECT_EQ(cast_text(I(32, 100000), Float(16)), "T.Cast(\"float16\", 100000)");
  EXPECT_EQ(cast_text(I(32, 2), Bool()), "T.Cast(\"bool\", 2)");
  EXPECT_EQ(cast_text(I(32, 1), Bool()), "T.bool(True)");
  EXPECT_EQ(cast_text(F(64, 0.1), Float(32)), "T.float32(0.10000000149011612)");
  EXPECT_EQ(cast_text(I(32, 3), Float(64)), "T.Cast(\"float64\", 3)");
  EXPECT_EQ(cast_text(i, Int(32, 4)), "T.Broadcast(i, 4)");
  EXPECT_TRUE(cast(i, Int(32)).same_as(i));
}

TEST_F(Ops, Errors) {
  EXPECT_EQ(Built([&] { return floordiv(i, I(32, 0)); }), "RuntimeError");
  EXPECT_EQ(Built([&] { return floormod(i, I(32, 0)); }), "RuntimeError");
  EXPECT_EQ(Built([&] { return div(f, F(32, 0)); }), "RuntimeError");
  EXPECT_EQ(Built([&] { return div(i, i); }), "RuntimeError");
  EXPECT_EQ(Built([&] { return floordiv(f, f); }), "RuntimeError");
  EXPECT_EQ(Built([&] { return shift_left(i, I(32, 32)); }), "RuntimeError");
  EXPECT_EQ(Built([&] { return shift_left(i, I(32, -1)); }), "RuntimeError");
  EXPECT_EQ(Built([&] { return logical_and(i, b); }), "RuntimeError");
  EXPECT_EQ(Built([&] { return bitwise_and(f, f); }), "RuntimeError");
  EXPECT_EQ(Built([&] { return neg(u); }), "RuntimeError");
}

TEST_F(Ops, Derived) {
  EXPECT_EQ(Built([&] { return neg(i); }), "i * -1");
  EXPECT_EQ(Built([&] { return abs(i); }), "T.Select(i >= 0, i, 0 - i)");
  EXPECT_EQ(Built([&] { return abs(f); }), "T.fabs(f)");
  EXPECT_EQ(Built([&] { return ceildiv(i, I(32, 8)); }), "(i + 8 - 1) // 8");
  EXPECT_EQ(Built([&] { return isinf(f); }), "T.fabs(f) == T.float32(\"inf\") and not T.isnan(f)");
  EXPECT_EQ(Built([&] { return max_value(Int(32)); }), "2147483647");
  EXPECT_EQ(Built([&] { return min_value(Int(64)); }), "T.int64(-9223372036854775808)");
}

TEST_F(Ops, RegistryRowsAreFound) {
  EXPECT_EQ(Op::Get("prim.exp")->id(), OpId::prim_exp);
  EXPECT_EQ(Op::Get(OpId::tirx_call_packed)->name, "tirx.call_packed");
  EXPECT_EQ(Op::Get("prim.exp").effect(), Effect::Pure);
  EXPECT_EQ(Op::Get("tirx.call_packed").effect(), Effect::UpdateState);
  EXPECT_TRUE(Op::Get("tirx.launch_thread").is_region());
  EXPECT_THROW(Op::Get("zz.zz"), ffi::Error);
  EXPECT_EQ(call_op("prim.isnan", {v})->dtype().lanes, 4);
}

}  // namespace
}  // namespace tirx
}  // namespace tvm
