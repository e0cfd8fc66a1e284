// SPDX-License-Identifier: Apache-2.0
// float32 functions as straight-line code: argument reduction, a polynomial, selects for what is
// special. The coefficients are minimax fits over the reduced range; each function is within 4 ulp
// over all of float32 (tests/codegen measures it). Nothing here depends on the target.
#include <array>
#include <cstring>
#include <limits>

#include "tirx/backends/llvm/emit_math.h"

namespace tvm {
namespace tirx {
namespace llvm_backend {
namespace {

using V = llvm::Value*;

// Short names for the operations on one float width, scalar or vector.
class Real {
 public:
  Real(llvm::IRBuilder<>& b, llvm::Type* like, bool wide) : b(b) {
    auto shaped = [&](llvm::Type* scalar) -> llvm::Type* {
      auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(like);
      return vector == nullptr ? scalar
                               : llvm::FixedVectorType::get(scalar, vector->getNumElements());
    };
    real = shaped(wide ? b.getDoubleTy() : b.getFloatTy());
    integer = shaped(wide ? static_cast<llvm::Type*>(b.getInt64Ty()) : b.getInt32Ty());
  }

  V C(double v) const { return llvm::ConstantFP::get(real, v); }
  V I(int64_t v) const { return llvm::ConstantInt::getSigned(integer, v); }
  V Bits(V x) const { return b.CreateBitCast(x, integer); }
  V FromBits(V x) const { return b.CreateBitCast(x, real); }
  V Add(V x, V y) const { return b.CreateFAdd(x, y); }
  V Sub(V x, V y) const { return b.CreateFSub(x, y); }
  V Mul(V x, V y) const { return b.CreateFMul(x, y); }
  V Div(V x, V y) const { return b.CreateFDiv(x, y); }
  V Neg(V x) const { return b.CreateFNeg(x); }
  V Abs(V x) const { return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); }
  V Less(V x, V y) const { return b.CreateFCmpOLT(x, y); }
  V Pick(V c, V x, V y) const { return b.CreateSelect(c, x, y); }
  V Sign(V magnitude, V sign) const {
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, magnitude, sign);
  }
  // NaN stays NaN.
  V Clamp(V x, double low, double high) const {
    x = Pick(Less(x, C(low)), C(low), x);
    return Pick(Less(C(high), x), C(high), x);
  }
  // c[0] + c[1] x + c[2] x^2 + ...
  template <size_t N>
  V Poly(V x, const std::array<double, N>& c) const {
    V sum = C(c[N - 1]);
    for (size_t i = N - 1; i-- > 0;) sum = Add(Mul(sum, x), C(c[i]));
    return sum;
  }

  llvm::IRBuilder<>& b;
  llvm::Type* real;
  llvm::Type* integer;
};

// Nearest integer of x as a float and as bits, for |x| below 2^22. Adding 1.5 * 2^23 makes the
// processor round; unlike a conversion this is defined for NaN too.
struct Rounded {
  V value, bits;
};
Rounded Nearest(const Real& f, V x, double magic) {
  V shifted = f.Add(x, f.C(magic));
  V bits = f.b.CreateSub(f.Bits(shifted), f.Bits(f.C(magic)));
  return {f.Sub(shifted, f.C(magic)), bits};
}
constexpr double kMagic32 = 12582912.0;          // 1.5 * 2^23
constexpr double kMagic64 = 6755399441055744.0;  // 1.5 * 2^52

// e^r for |r| <= ln(2) / 2.
V ExpReduced(const Real& f, V r) {
  constexpr std::array<double, 5> q{0.50000000954079549, 0.16666518600505567, 0.041666205090712664,
                                    0.0083689180624931803, 0.0013950538540917969};
  V square = f.Mul(r, r);
  return f.Add(f.Add(f.Mul(f.Poly(r, q), square), r), f.C(1));
}

// x * 2^n in two steps, so that results below the normal range are right.
V Scale(const Real& f, V x, V n) {
  V half = f.b.CreateAShr(n, f.I(1));
  V rest = f.b.CreateSub(n, half);
  auto power = [&](V k) { return f.FromBits(f.b.CreateShl(f.b.CreateAdd(k, f.I(127)), f.I(23))); };
  return f.Mul(f.Mul(x, power(half)), power(rest));
}

constexpr double kLn2High = 0x1.62ep-1, kLn2Low = 0x1.0bfbe8p-15;
constexpr double kLog10Of2High = 0x1.344p-2, kLog10Of2Low = 0x1.3509f8p-18;

V Exp(const Real& f, V x) {
  x = f.Clamp(x, -104.5, 89.0);
  Rounded n = Nearest(f, f.Mul(x, f.C(1.4426950408889634)), kMagic32);
  V r = f.Sub(x, f.Mul(n.value, f.C(kLn2High)));
  r = f.Sub(r, f.Mul(n.value, f.C(kLn2Low)));
  return Scale(f, ExpReduced(f, r), n.bits);
}

V Exp2(const Real& f, V x) {
  x = f.Clamp(x, -151.0, 128.5);
  Rounded n = Nearest(f, x, kMagic32);
  V r = f.Mul(f.Sub(x, n.value), f.C(0.69314718055994531));
  return Scale(f, ExpReduced(f, r), n.bits);
}

V Exp10(const Real& f, V x) {
  x = f.Clamp(x, -45.5, 38.9);
  Rounded n = Nearest(f, f.Mul(x, f.C(3.3219280948873623)), kMagic32);
  V r = f.Sub(x, f.Mul(n.value, f.C(kLog10Of2High)));
  r = f.Sub(r, f.Mul(n.value, f.C(kLog10Of2Low)));
  return Scale(f, ExpReduced(f, f.Mul(r, f.C(2.302585092994046))), n.bits);
}

// x = (1 + fraction) * 2^exponent with 1 + fraction in [sqrt(1/2), sqrt(2)).
struct Split {
  V fraction, exponent;  // the exponent as a float
};
Split SplitFloat(const Real& f, V x) {
  V tiny = f.Less(x, f.C(0x1p-126));
  V bits = f.Bits(f.Pick(tiny, f.Mul(x, f.C(0x1p25)), x));
  V shifted = f.b.CreateSub(bits, f.I(0x3F3504F3));
  V exponent = f.b.CreateAShr(shifted, f.I(23));
  V mantissa = f.b.CreateAdd(f.b.CreateAnd(shifted, f.I(0x7FFFFF)), f.I(0x3F3504F3));
  V number = f.b.CreateSIToFP(exponent, f.real);
  number = f.Pick(tiny, f.Sub(number, f.C(25)), number);
  return {f.Sub(f.FromBits(mantissa), f.C(1)), number};
}

// log(1 + t) - t for 1 + t in [sqrt(1/2), sqrt(2)).
V LogTail(const Real& f, V t) {
  constexpr std::array<double, 9> p{
      0.33333312539836912, -0.25000009516925503, 0.20002123531241955,
      -0.1666800499794977, 0.14219451619024745,  -0.12405342590574248,
      0.11888709072938571, -0.11677505278412691, 0.067476917104643028};
  V square = f.Mul(t, t);
  return f.Add(f.Mul(f.Mul(f.Poly(t, p), t), square), f.Mul(square, f.C(-0.5)));
}

// Zero, infinity, negative numbers and NaN.
V LogSpecial(const Real& f, V x, V result) {
  V infinity = f.C(std::numeric_limits<double>::infinity());
  result = f.Pick(f.b.CreateFCmpOEQ(x, infinity), infinity, result);
  result = f.Pick(f.b.CreateFCmpOEQ(x, f.C(0)), f.Neg(infinity), result);
  // Not (x >= 0): negative or NaN.
  V nan = f.C(std::numeric_limits<double>::quiet_NaN());
  return f.Pick(f.b.CreateFCmpULT(x, f.C(0)), nan, result);
}

V Log(const Real& f, V x) {
  Split s = SplitFloat(f, x);
  V tail = f.Add(LogTail(f, s.fraction), f.Mul(s.exponent, f.C(kLn2Low)));
  V result = f.Add(f.Add(tail, s.fraction), f.Mul(s.exponent, f.C(kLn2High)));
  return LogSpecial(f, x, result);
}

// The logarithm in another base: exponent * unit + log(1 + t) * factor, with the factor in two
// parts.
V LogBase(const Real& f, V x, double unit_high, double unit_low, double factor) {
  Split s = SplitFloat(f, x);
  double high = static_cast<float>(factor);
  // Cut to 12 bits, so that products with short numbers are exact.
  uint32_t bits;
  float cut = static_cast<float>(factor);
  std::memcpy(&bits, &cut, 4);
  bits &= 0xFFFFF000u;
  std::memcpy(&cut, &bits, 4);
  high = cut;
  double low = factor - high;
  V t = s.fraction;
  V tail = LogTail(f, t);
  V t_high = f.FromBits(f.b.CreateAnd(f.Bits(t), f.I(static_cast<int32_t>(0xFFFFF000u))));
  V t_low = f.Sub(t, t_high);
  V small =
      f.Add(f.Mul(tail, f.C(factor)), f.Add(f.Mul(t_low, f.C(factor)), f.Mul(t_high, f.C(low))));
  small = f.Add(small, f.Mul(s.exponent, f.C(unit_low)));
  V result = f.Add(f.Add(small, f.Mul(t_high, f.C(high))), f.Mul(s.exponent, f.C(unit_high)));
  return LogSpecial(f, x, result);
}

V Log1p(const Real& f, V x) {
  V u = f.Add(f.C(1), x);
  // What the addition lost, as a part of u.
  V lost = f.Sub(x, f.Sub(u, f.C(1)));
  Split s = SplitFloat(f, u);
  V correction = f.Div(lost, u);
  V tail = f.Add(f.Add(LogTail(f, s.fraction), correction), f.Mul(s.exponent, f.C(kLn2Low)));
  V result = f.Add(f.Add(tail, s.fraction), f.Mul(s.exponent, f.C(kLn2High)));
  // A very small x is its own logarithm, and -0 stays -0.
  result = f.Pick(f.Less(f.Abs(x), f.C(0x1p-24)), x, result);
  return LogSpecial(f, u, result);
}

// The angle in [-pi/4, pi/4] and the number of quarter turns, in float64.
struct Angle {
  V r, quadrant;
};
Angle ReduceAngle(const Real& d, V x) {
  // x (24 bits) = q104 2^104 + q78 2^78 + ... + rest; each power of two is known modulo 2 pi in
  // three parts: multiples of 2^-24 and 2^-50, and the rest. With q up to 2^26, what is summed up
  // of the first part has 53 bits at most and is exact.
  struct Row {
    double scale, down, a, b, c;
  };
  constexpr Row rows[] = {
      {0x1p-104, 0x1p104, 0x1.e52a7ap+0, 0x1.9801p-26, 0x1.31e6a2c67cce4p-51},
      {0x1p-78, 0x1p78, 0x1.711a11p+1, 0x1.0cccd2p-27, 0x1.ab3f5a38b4ee9p-51},
      {0x1p-52, 0x1p52, 0x1.09f468p+1, 0x1.e92811p-26, 0x1.1fee10ecf6f24p-51},
      {0x1p-26, 0x1p26, 0x1.5a89208p+1, 0x1.f1d1acp-25, 0x1.83ff1695bf2ecp-51},
  };
  V rest = x, high = nullptr, middle = nullptr, low = nullptr;
  for (const Row& row : rows) {
    V q = d.b.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, d.Mul(rest, d.C(row.scale)));
    rest = d.Sub(rest, d.Mul(q, d.C(row.down)));
    auto sum = [&](V& total, double part) {
      V product = d.Mul(q, d.C(part));
      total = total == nullptr ? product : d.Add(total, product);
    };
    sum(high, row.a);
    sum(middle, row.b);
    sum(low, row.c);
  }
  V s = d.Add(rest, high);
  // The middle parts may add up to a whole radian, so they count for the number of turns.
  Rounded n = Nearest(d, d.Mul(d.Add(s, middle), d.C(0x1.45f306dc9c883p-1)), kMagic64);
  V r = d.Sub(s, d.Mul(n.value, d.C(0x1.921fb4p+0)));
  r = d.Sub(r, d.Mul(n.value, d.C(0x1.4442d0p-24)));
  r = d.Add(r, middle);
  r = d.Sub(r, d.Mul(n.value, d.C(0x1.8469898cc5170p-48)));
  return {d.Add(r, low), n.bits};
}

V SinReduced(const Real& d, V r) {
  constexpr std::array<double, 4> c{-0.16666666641606451, 0.0083333293835346801,
                                    -0.00019839334070855937, 2.7183041317558877e-06};
  V square = d.Mul(r, r);
  return d.Add(d.Mul(d.Mul(d.Poly(square, c), square), r), r);
}

V CosReduced(const Real& d, V r) {
  constexpr std::array<double, 4> c{0.041666666622792482, -0.0013888883750293739,
                                    2.4799519174929845e-05, -2.7210168032752828e-07};
  V square = d.Mul(r, r);
  return d.Add(d.Mul(d.Mul(d.Poly(square, c), square), square),
               d.Add(d.Mul(square, d.C(-0.5)), d.C(1)));
}

enum class Trig { kSin, kCos, kTan };

V Trigonometric(const Real& f, V x, Trig function) {
  Real d(f.b, f.real, /*wide=*/true);
  V wide = f.b.CreateFPExt(x, d.real);
  Angle angle = ReduceAngle(d, wide);
  V sine = SinReduced(d, angle.r), cosine = CosReduced(d, angle.r);
  V quadrant = function == Trig::kCos ? f.b.CreateAdd(angle.quadrant, d.I(1)) : angle.quadrant;
  V odd = f.b.CreateICmpNE(f.b.CreateAnd(quadrant, d.I(1)), d.I(0));
  V result;
  if (function == Trig::kTan) {
    result = d.Div(d.Pick(odd, d.Neg(cosine), sine), d.Pick(odd, sine, cosine));
  } else {
    V value = d.Pick(odd, cosine, sine);
    V negative = f.b.CreateICmpNE(f.b.CreateAnd(quadrant, d.I(2)), d.I(0));
    result = d.Pick(negative, d.Neg(value), value);
  }
  V narrow = f.b.CreateFPTrunc(result, f.real);
  // Infinity has no angle; the reduction makes NaN of it. -0 stays -0.
  return function == Trig::kCos ? narrow : f.Pick(f.b.CreateFCmpOEQ(x, f.C(0)), x, narrow);
}

V Tanh(const Real& f, V x) {
  constexpr std::array<double, 6> small{-0.33333330906671554,   0.13333209763789503,
                                        -0.053947204268605164,  0.021702967101737726,
                                        -0.0081826738500035551, 0.0021475368541024544};
  V a = f.Abs(x);
  V square = f.Mul(x, x);
  V near = f.Add(f.Mul(f.Mul(f.Poly(square, small), square), x), x);
  V t = Exp(f, f.Mul(a, f.C(-2)));
  V far = f.Div(f.Sub(f.C(1), t), f.Add(f.C(1), t));
  // Written so that NaN takes the second way. The sign also makes -0 of -0.
  return f.Sign(f.Pick(f.Less(a, f.C(0.625)), near, far), x);
}

V Sigmoid(const Real& f, V x) {
  V t = Exp(f, f.Neg(f.Abs(x)));
  V numerator = f.Pick(f.Less(x, f.C(0)), t, f.C(1));
  return f.Div(numerator, f.Add(f.C(1), t));
}

V Erf(const Real& f, V x) {
  constexpr std::array<double, 7> small{
      1.1283791664084832,    -0.37612631613413078,    0.11283663997650066,  -0.026857705070354111,
      0.0051969521205220167, -0.00080977027179450706, 8.185090731548446e-05};
  constexpr std::array<double, 9> large{
      -0.00015338220593665239, 1.1293970632674575,     0.63362731617762769,
      0.10790570204602855,     -0.024812792264830075,  0.0040133950409732147,
      -0.00038478503437007857, 1.2329898005044237e-05, 6.6281975795574223e-07};
  V a = f.Abs(x);
  V near = f.Mul(f.Poly(f.Mul(x, x), small), x);
  V clamped = f.Clamp(a, 0.9, 3.95);
  V far = f.Sub(f.C(1), Exp(f, f.Neg(f.Poly(clamped, large))));
  far = f.Sign(far, x);
  return f.Pick(f.Less(a, f.C(0.92)), near, far);
}

V Pow(const Real& f, V x, V y) {
  Real d(f.b, f.real, /*wide=*/true);
  auto& b = f.b;
  V infinity = f.C(std::numeric_limits<double>::infinity());
  V ax = b.CreateFPExt(f.Abs(x), d.real);
  V wy = b.CreateFPExt(y, d.real);
  // log2(|x|) in float64, where every float32 is a normal number.
  V bits = d.Bits(ax);
  V shifted = b.CreateSub(bits, d.I(0x3FE6A09E667F3BCD));
  V exponent = b.CreateAShr(shifted, d.I(52));
  V mantissa =
      d.FromBits(b.CreateAdd(b.CreateAnd(shifted, d.I(0xFFFFFFFFFFFFF)), d.I(0x3FE6A09E667F3BCD)));
  // A small integer as a float64 without a conversion that vectors lack.
  V number = d.Sub(d.FromBits(b.CreateAdd(exponent, d.Bits(d.C(kMagic64)))), d.C(kMagic64));
  constexpr std::array<double, 6> log_c{2.8853900817779357,  0.96179669404791546,
                                        0.57707795528281425, 0.41220823521050298,
                                        0.31994036896803868, 0.28247281983787037};
  V s = d.Div(d.Sub(mantissa, d.C(1)), d.Add(mantissa, d.C(1)));
  V log2 = d.Add(number, d.Mul(d.Poly(d.Mul(s, s), log_c), s));
  // 2^(y * log2), clamped to what is certainly zero or infinity in float32.
  V t = d.Clamp(d.Mul(wy, log2), -300, 300);
  Rounded n = Nearest(d, t, kMagic64);
  constexpr std::array<double, 8> exp_c{
      0.99999999995922428,  0.69314718053483071,   0.24022651216701002,    0.055504109767580398,
      0.009618025188971667, 0.0013333422111112701, 0.00015469864381652384, 1.5316587322060483e-05};
  V power = d.Poly(d.Sub(t, n.value), exp_c);
  power = d.Mul(power, d.FromBits(b.CreateShl(b.CreateAdd(n.bits, d.I(1023)), d.I(52))));
  V result = b.CreateFPTrunc(power, f.real);

  // Whether y is an integer, and an odd one.
  V truncated = b.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, y);
  V is_integer = b.CreateFCmpOEQ(truncated, y);
  V half = f.Mul(y, f.C(0.5));
  V half_integer = b.CreateFCmpOEQ(b.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, half), half);
  V odd = b.CreateAnd(is_integer, b.CreateNot(half_integer));
  V x_negative = b.CreateICmpSLT(f.Bits(x), f.I(0));
  V y_negative = f.Less(y, f.C(0));
  V ax32 = f.Abs(x);
  V zero_or_infinity = [&](V when_zero) {
    // |x| is 0 or infinite: the result is 0 or infinity by the sign of y.
    V grows = b.CreateXor(when_zero, b.CreateNot(y_negative));
    return f.Pick(grows, infinity, f.C(0));
  }(b.CreateFCmpOEQ(x, f.C(0)));
  V special_base = b.CreateOr(b.CreateFCmpOEQ(x, f.C(0)), b.CreateFCmpOEQ(ax32, infinity));
  result = f.Pick(special_base, zero_or_infinity, result);
  // |y| infinite: by the side of 1 that |x| lies on.
  V y_infinite = b.CreateFCmpOEQ(f.Abs(y), infinity);
  V above = b.CreateFCmpOGT(ax32, f.C(1));
  V at_infinity = f.Pick(b.CreateXor(above, y_negative), infinity, f.C(0));
  at_infinity = f.Pick(b.CreateFCmpOEQ(ax32, f.C(1)), f.C(1), at_infinity);
  result = f.Pick(y_infinite, at_infinity, result);
  result = f.Pick(b.CreateAnd(odd, x_negative), f.Neg(result), result);
  // A negative number to a power that is no integer.
  V nan = f.C(std::numeric_limits<double>::quiet_NaN());
  V undefined = b.CreateAnd(f.Less(x, f.C(0)), b.CreateNot(is_integer));
  undefined = b.CreateAnd(undefined, b.CreateFCmpONE(ax32, infinity));
  result = f.Pick(undefined, nan, result);
  result = f.Pick(b.CreateFCmpUNO(x, y), nan, result);
  V one = b.CreateOr(b.CreateFCmpOEQ(y, f.C(0)), b.CreateFCmpOEQ(x, f.C(1)));
  return f.Pick(one, f.C(1), result);
}

}  // namespace

llvm::Value* EmitFloat32Function(llvm::IRBuilder<>& builder, OpId id,
                                 llvm::ArrayRef<llvm::Value*> args) {
  llvm::IRBuilder<>::FastMathFlagGuard guard(builder);
  llvm::FastMathFlags flags;
  // A fused multiply-add is at least as exact here.
  flags.setAllowContract(true);
  builder.setFastMathFlags(flags);
  Real f(builder, args[0]->getType(), /*wide=*/false);
  V x = args[0];
  switch (id) {
    case OpId::prim_exp:
      return Exp(f, x);
    case OpId::prim_exp2:
      return Exp2(f, x);
    case OpId::prim_exp10:
      return Exp10(f, x);
    case OpId::prim_log:
      return Log(f, x);
    case OpId::prim_log2:
      return LogBase(f, x, 1.0, 0.0, 1.4426950408889634);
    case OpId::prim_log10:
      return LogBase(f, x, kLog10Of2High, kLog10Of2Low, 0.43429448190325182);
    case OpId::prim_log1p:
      return Log1p(f, x);
    case OpId::prim_sin:
      return Trigonometric(f, x, Trig::kSin);
    case OpId::prim_cos:
      return Trigonometric(f, x, Trig::kCos);
    case OpId::prim_tan:
      return Trigonometric(f, x, Trig::kTan);
    case OpId::prim_tanh:
      return Tanh(f, x);
    case OpId::prim_sigmoid:
      return Sigmoid(f, x);
    case OpId::prim_erf:
      return Erf(f, x);
    case OpId::prim_pow:
      return Pow(f, x, args[1]);
    default:
      return nullptr;
  }
}

}  // namespace llvm_backend
}  // namespace tirx
}  // namespace tvm
