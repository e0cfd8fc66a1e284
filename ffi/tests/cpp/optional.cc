// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/optional.h>

#include <string>

namespace {

namespace ffi = tvm::ffi;
using ffi::Any;
using ffi::Optional;
using ffi::String;

class BoxObj : public ffi::Object {
 public:
  explicit BoxObj(int64_t v = 0) : value(v) {}
  int64_t value;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tests.optional.Box", BoxObj, ffi::Object);
};
class Box : public ffi::ObjectRef {
 public:
  explicit Box(int64_t v) { data_ = ffi::make_object<BoxObj>(v); }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Box, ffi::ObjectRef, BoxObj);
};

template <typename T>
void CheckEmpty(const char* text) {
  Optional<T> empty;
  EXPECT_FALSE(empty.has_value());
  EXPECT_FALSE(static_cast<bool>(empty));
  EXPECT_TRUE(empty == std::nullopt);
  try {
    (void)empty.value();
    FAIL();
  } catch (const ffi::Error& err) {
    EXPECT_EQ(err.kind(), "RuntimeError");
    EXPECT_EQ(err.message(), text);
  }
}

TEST(Optional, EmptyAccessRaises) {
  CheckEmpty<int>("Back optional access");
  CheckEmpty<String>("Back optional access");
  CheckEmpty<std::string>("Back optional access");
  CheckEmpty<Box>("Back optional access");
  CheckEmpty<ffi::ObjectPtr<BoxObj>>("Bad optional access");
  CheckEmpty<ffi::Arc<BoxObj>>("Bad optional access");
}

TEST(Optional, Values) {
  Optional<int> a = 3;
  EXPECT_EQ(*a, 3);
  EXPECT_EQ(a.value_or(4), 3);
  EXPECT_TRUE(a == 3);
  EXPECT_TRUE(a != 4);
  EXPECT_TRUE(a == Optional<int>(3));
  EXPECT_TRUE(a == std::optional<int>(3));
  EXPECT_FALSE(a == std::nullopt);
  a = std::nullopt;
  EXPECT_EQ(a.value_or(4), 4);
  EXPECT_TRUE(a == Optional<int>());
  EXPECT_FALSE(a == 0);
  a = std::optional<int>(5);
  EXPECT_EQ(a.value(), 5);

  Optional<String> s = String("text");
  EXPECT_TRUE(s == "text");
  Optional<String> copy = s;
  EXPECT_EQ(*std::move(copy), "text");
  s = "literal";
  EXPECT_EQ(s.value(), "literal");
  EXPECT_EQ(s.as<int>(), std::nullopt);
}

TEST(Optional, References) {
  Optional<Box> box = Box(4);
  EXPECT_EQ(box->value, 4);
  EXPECT_EQ(box.use_count(), 1);
  EXPECT_TRUE(box != nullptr);
  EXPECT_EQ((*box)->value, 4);
  Box taken = *std::move(box);
  EXPECT_EQ(taken.use_count(), 1);
  EXPECT_FALSE(box.has_value());  // NOLINT(bugprone-use-after-move)
  box = taken;
  EXPECT_TRUE(box.same_as(taken));
  EXPECT_TRUE(box == taken);
  EXPECT_EQ(box.as<BoxObj>(), taken.get());
  EXPECT_TRUE(box.as<ffi::ObjectRef>().has_value());
  box = nullptr;
  EXPECT_TRUE(box == nullptr);
  EXPECT_EQ(box.value_or(Box(9))->value, 9);
}

TEST(Optional, Pointers) {
  Optional<ffi::ObjectPtr<BoxObj>> ptr = ffi::make_object<BoxObj>(1);
  EXPECT_EQ(ptr->value, 1);
  EXPECT_EQ(ptr.use_count(), 1);
  Optional<ffi::Arc<BoxObj>> arc = ffi::make_arc<BoxObj>(2);
  EXPECT_EQ(arc.value()->value, 2);
  EXPECT_EQ(Any(arc).cast<Box>()->value, 2);
  arc = nullptr;
  EXPECT_TRUE(Any(arc) == nullptr);
}

TEST(Optional, AsArguments) {
  ffi::Function f = ffi::Function::FromTyped(
      [](Optional<int> a, Optional<std::string> b, Optional<Box> c) -> std::string {
        return (a ? std::to_string(*a) : "-") + (b ? *b : "-") +
               (c ? std::to_string((*c)->value) : "-");
      },
      "f");
  EXPECT_EQ(f(1, "x", Box(2)).cast<std::string>(), "1x2");
  EXPECT_EQ(f(nullptr, nullptr, nullptr).cast<std::string>(), "---");
  EXPECT_EQ(f(true, std::string("y"), Optional<Box>()).cast<std::string>(), "1y-");
  try {
    f("no", nullptr, nullptr);
    FAIL();
  } catch (const ffi::Error& err) {
    EXPECT_EQ(err.message(),
              "Mismatched type on argument #0 when calling: `f(0: Optional<int>, 1: "
              "Optional<std::string>, 2: Optional<tests.optional.Box>) -> std::string`. Expected "
              "`Optional<int>` but got `const char*`");
  }
}

TEST(Optional, ThroughAny) {
  EXPECT_TRUE(Any(Optional<int>()) == nullptr);
  EXPECT_EQ(Any(Optional<int>(3)).cast<int>(), 3);
  EXPECT_EQ(Any(3).cast<Optional<int>>(), 3);
  EXPECT_EQ(Any().cast<Optional<int>>(), std::nullopt);
  EXPECT_FALSE(Any(1.5).as<Optional<int>>().has_value());
  EXPECT_EQ(ffi::TypeTraits<Optional<String>>::TypeStr(), "Optional<str>");
  EXPECT_EQ(ffi::TypeTraits<Optional<Box>>::TypeSchema(),
            R"({"type":"Optional","args":[{"type":"tests.optional.Box"}]})");
  static_assert(!ffi::TypeTraits<Optional<std::string>>::storage_enabled);
  static_assert(ffi::TypeTraits<Optional<int>>::storage_enabled);
}

}  // namespace
