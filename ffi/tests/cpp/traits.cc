// SPDX-License-Identifier: Apache-2.0
// Conversion rules that users write for their own types.
#include <gtest/gtest.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>

#include <string>
#include <vector>

namespace {

namespace ffi = tvm::ffi;
using ffi::Any;
using ffi::String;

struct Point {
  int x, y;
};

// Seconds: only made from other values.
struct Seconds {
  double value;
};

class NumberObj : public ffi::Object {
 public:
  explicit NumberObj(double v) : value(v) {}
  double value;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tests.traits.Number", NumberObj, ffi::Object);
};
// Takes plain numbers and flags as well.
class Number : public ffi::ObjectRef {
 public:
  explicit Number(double v) { data_ = ffi::make_object<NumberObj>(v); }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Number, ffi::ObjectRef, NumberObj);
};

// The type registered above, found by name only.
class NumberViewObj : public ffi::Object {
 public:
  double value;
  TVM_FFI_DECLARE_OBJECT_INFO_LOOKUP("tests.traits.Number", 1);
};
class MissingObj : public ffi::Object {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_LOOKUP("tests.traits.Missing", 1);
};

}  // namespace

namespace tvm {
namespace ffi {

// A value of two integers packed into one.
template <>
struct TypeTraits<Point> : public TypeTraitsBase {
  static constexpr int32_t field_static_type_index = TypeIndex::kTVMFFIInt;
  static void CopyToAnyView(const Point& src, TVMFFIAny* result) {
    TypeTraits<int64_t>::CopyToAnyView(int64_t{src.x} * 1000 + src.y, result);
  }
  static void MoveToAny(Point src, TVMFFIAny* result) { CopyToAnyView(src, result); }
  static bool CheckAnyStrict(const TVMFFIAny* src) { return src->type_index == kTVMFFIInt; }
  static Point CopyFromAnyViewAfterCheck(const TVMFFIAny* src) {
    return {static_cast<int>(src->v_int64 / 1000), static_cast<int>(src->v_int64 % 1000)};
  }
  static Point MoveFromAnyAfterCheck(TVMFFIAny* src) { return CopyFromAnyViewAfterCheck(src); }
  static std::optional<Point> TryCastFromAnyView(const TVMFFIAny* src) {
    if (!CheckAnyStrict(src)) return std::nullopt;
    return CopyFromAnyViewAfterCheck(src);
  }
  static std::string TypeStr() { return "Point"; }
  static std::string TypeSchema() { return R"({"type":"int"})"; }
};

template <>
struct TypeTraits<Seconds> : public FallbackOnlyTraitsBase<Seconds, StrictBool, double, String> {
  static Seconds ConvertFallbackValue(StrictBool value) { return {value ? 1.0 : 0.0}; }
  static Seconds ConvertFallbackValue(double value) { return {value}; }
  static Seconds ConvertFallbackValue(String value) { return {static_cast<double>(value.size())}; }
  static std::string TypeStr() { return "Seconds"; }
  static std::string TypeSchema() { return R"({"type":"float"})"; }
};

template <>
inline constexpr bool use_default_type_traits_v<Number> = false;
template <>
struct TypeTraits<Number> : public ObjectRefWithFallbackTraitsBase<Number, StrictBool, double> {
  static Number ConvertFallbackValue(StrictBool value) { return Number(value ? -1 : -2); }
  static Number ConvertFallbackValue(double value) { return Number(value); }
};

}  // namespace ffi
}  // namespace tvm

namespace {

TEST(Traits, OwnValueType) {
  Any value = Point{3, 4};
  EXPECT_EQ(value.cast<Point>().y, 4);
  ffi::Function f = ffi::Function::FromTyped([](Point p) { return Point{p.y, p.x}; }, "swap");
  EXPECT_EQ(f(Point{1, 2}).cast<Point>().x, 2);
  ffi::Array<Point> points = {Point{1, 2}, Point{5, 6}};
  EXPECT_EQ(points[1].x, 5);
  try {
    f("no");
    FAIL();
  } catch (const ffi::Error& err) {
    EXPECT_EQ(err.message(),
              "Mismatched type on argument #0 when calling: `swap(0: Point) -> Point`. Expected "
              "`Point` but got `const char*`");
  }
  EXPECT_EQ(ffi::TypeToFieldStaticTypeIndex<Point>::value, kTVMFFIInt);
  EXPECT_EQ(ffi::TypeToFieldStaticTypeIndex<std::vector<Point>>::value, kTVMFFIAny);
}

TEST(Traits, FallbacksInOrder) {
  ffi::Function f = ffi::Function::FromTyped([](Seconds s) { return s.value; });
  EXPECT_EQ(f(true).cast<double>(), 1.0);
  EXPECT_EQ(f(7).cast<double>(), 7.0);
  EXPECT_EQ(f(2.5).cast<double>(), 2.5);
  EXPECT_EQ(f("abcd").cast<double>(), 4.0);
  EXPECT_THROW(f(nullptr), ffi::Error);
  static_assert(!ffi::TypeTraits<Seconds>::storage_enabled);
}

TEST(Traits, ReferenceWithFallbacks) {
  ffi::Function f = ffi::Function::FromTyped([](Number n) { return n->value; });
  Number number(8);
  EXPECT_EQ(f(number).cast<double>(), 8.0);
  EXPECT_EQ(f(true).cast<double>(), -1.0);
  EXPECT_EQ(f(1).cast<double>(), 1.0);
  EXPECT_THROW(f("x"), ffi::Error);
  EXPECT_FALSE(Any(1).as<Number>().has_value());  // only the conversion falls back
  ffi::Array<Number> numbers = Any(ffi::Array<Any>{1, number}).cast<ffi::Array<Number>>();
  EXPECT_EQ(numbers[0]->value, 1.0);
  EXPECT_TRUE(numbers[1].same_as(number));
}

TEST(Traits, LookedUpType) {
  EXPECT_EQ(NumberViewObj::RuntimeTypeIndex(), NumberObj::RuntimeTypeIndex());
  Any value = Number(3);
  EXPECT_EQ(value.as<NumberViewObj>()->value, 3.0);
  try {
    MissingObj::RuntimeTypeIndex();
    FAIL();
  } catch (const ffi::Error& err) {
    EXPECT_NE(err.message().find("Cannot find type `tests.traits.Missing`"), std::string::npos);
  }
}

TEST(Traits, NamesAndIndices) {
  EXPECT_STREQ(ffi::StaticTypeKey::kTVMFFIStr, "ffi.String");
  EXPECT_EQ(ffi::TypeIndexToTypeKey(kTVMFFISmallBytes), "ffi.SmallBytes");
  EXPECT_EQ(ffi::TypeToRuntimeTypeIndex<Number>::v(), NumberObj::RuntimeTypeIndex());
  EXPECT_EQ(ffi::TypeToRuntimeTypeIndex<ffi::ObjectPtr<NumberObj>>::v(),
            NumberObj::RuntimeTypeIndex());
  EXPECT_EQ(ffi::TypeToRuntimeTypeIndex<int>::v(), kTVMFFIInt);
  EXPECT_EQ(ffi::TypeToFieldStaticTypeIndex<Number>::value, kTVMFFIObject);
  EXPECT_EQ(ffi::TypeToFieldStaticTypeIndex<ffi::Function>::value, kTVMFFIFunction);
  EXPECT_EQ(ffi::TypeToFieldStaticTypeIndex<String>::value, kTVMFFIAny);
  EXPECT_EQ(ffi::TypeToFieldStaticTypeIndex<void*>::value, kTVMFFIOpaquePtr);
  static_assert(ffi::type_subsumes_v<ffi::ObjectRef, Number>);
  static_assert(!ffi::type_subsumes_v<Number, ffi::ObjectRef>);
  static_assert(ffi::type_subsumes_v<Any, int> && ffi::type_subsumes_v<Any, Any>);
  static_assert(ffi::type_subsumes_v<ffi::ObjectPtr<ffi::Object>, ffi::Arc<NumberObj>>);
  static_assert(!ffi::TypeTraits<char*>::convert_enabled);
  static_assert(!ffi::TypeTraits<std::string_view>::convert_enabled);
  static_assert(!ffi::TypeTraits<unsigned char[4]>::convert_enabled);
  static_assert(ffi::is_integeral_enum_v<TVMFFITypeIndex> && !ffi::is_integeral_enum_v<int>);
}

int blocks_run = 0;
TVM_FFI_STATIC_INIT_BLOCK() { ++blocks_run; }
TVM_FFI_STATIC_INIT_BLOCK() { ++blocks_run; }

TEST(Base, LoadTimeBlocksAndLoops) {
  EXPECT_EQ(blocks_run, 2);
  std::string seen;
  ffi::detail::for_each(
      [&seen](size_t i, auto value) {
        seen += std::to_string(i) + ":" + std::to_string(value) + ";";
      },
      7, 8L);
  EXPECT_EQ(seen, "0:7;1:8;");
  uint8_t bytes[] = {1, 2, 3, 4, 5, 6};
  ffi::ByteSwap(bytes, 3, 2);
  EXPECT_EQ(std::vector<int>(bytes, bytes + 6), (std::vector<int>{3, 2, 1, 6, 5, 4}));
  ffi::details::for_each([](size_t, int) {}, 1);  // the older spelling
}

}  // namespace
