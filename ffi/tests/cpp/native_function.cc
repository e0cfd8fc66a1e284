// SPDX-License-Identifier: Apache-2.0
// Hooks by address and by Function, and their use by AnyHash and AnyEqual.
#include <gtest/gtest.h>
#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/reflection/native_function.h>
#include <tvm/ffi/reflection/registry.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "expect_error.h"

namespace {

using namespace tvm::ffi;
namespace refl = tvm::ffi::reflection;

int64_t Twice(AnyView value) { return value.cast<int64_t>() * 2; }
int64_t Fails(AnyView) { throw std::runtime_error("broken"); }
Expected<int64_t> Half(AnyView value) noexcept {
  const int64_t number = value.cast<int64_t>();
  if (number % 2 != 0) return TVM_FFI_UNEXPECTED(ValueError) << number << " is odd";
  return number / 2;
}
Array<int64_t> Append(const Array<int64_t>& array, AnyView value) {
  Array<int64_t> result = array;
  result.push_back(value.cast<int64_t>());
  return result;
}

using Hook = NativeFunctionView<int64_t(AnyView)>;

TEST(NativeFunction, ByAddress) {
  static_assert(sizeof(Hook) == 16);
  static_assert(!std::is_default_constructible_v<Hook>);
  const Hook twice = Hook::FromNative<&Twice>();
  EXPECT_EQ(twice(21), 42);
  EXPECT_EQ(AnyView(twice).type_index(), kTVMFFIOpaquePtr);
  const Hook half = Hook::FromNative<&Half>();
  EXPECT_EQ(half(10), 5);
  const Expected<int64_t> odd = half.CallExpected(3);
  ASSERT_TRUE(odd.is_err());
  EXPECT_EQ(odd.error().message(), "3 is odd");
  ExpectError("ValueError", "5 is odd", [&] { half(5); });
  ExpectError("InternalError", "broken", [&] { Hook::FromNative<&Fails>()(1); });
  const auto append =
      NativeFunctionView<Array<int64_t>(const Array<int64_t>&, AnyView)>::FromNative<&Append>();
  const Array<int64_t> one{1};
  EXPECT_EQ(append(one, 2).size(), 2u);
  EXPECT_EQ(one.size(), 1u);
}

TEST(NativeFunction, ByFunction) {
  const TypedFunction<int64_t(AnyView)> function = [](AnyView value) { return Twice(value) + 1; };
  const Hook hook = function;
  EXPECT_EQ(AnyView(hook).type_index(), kTVMFFIFunction);
  EXPECT_EQ(hook(10), 21);
  EXPECT_EQ(function.packed().use_count(), 1);

  const TypedFunction<int64_t(AnyView)> wrong =
      Function::FromTyped([](AnyView) { return String("no number"); });
  ExpectError("TypeError", "Packed hook result type mismatch", [&] {
    Hook view(wrong);
    view(1);
  });
  const TypedFunction<int64_t(AnyView)> null;
  ExpectError("ValueError",
              "Check failed: (function != nullptr) is false: a hook can't be a null function",
              [&] { Hook view(null); });
  static_assert(!std::is_constructible_v<Hook, TypedFunction<int64_t(AnyView)>&&>);
}

TEST(NativeFunction, OwningForm) {
  TypedFunction<int64_t(AnyView)> function = [](AnyView value) { return Twice(value); };
  NativeFunction<int64_t(AnyView)> owner = function;
  const Function packed = function.packed();
  function = nullptr;
  EXPECT_EQ(packed.use_count(), 2);
  EXPECT_EQ(owner(4), 8);
  const Any value = owner;
  EXPECT_EQ(packed.use_count(), 3);
  EXPECT_EQ(value.cast<Hook>()(5), 10);
  EXPECT_FALSE(Any(1).try_cast<Hook>().has_value());
  EXPECT_EQ(TypeTraits<Hook>::TypeStr(), "Variant<void*, (0: AnyView) -> int>");
}

// Keys of this type are equal when their numbers agree modulo 10.
class ModObj : public Object {
 public:
  explicit ModObj(int64_t v) : value(v) {}
  int64_t value;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.native.Mod", ModObj, Object);
};
class FunctionKeyObj : public Object {
 public:
  explicit FunctionKeyObj(int64_t v) : value(v) {}
  int64_t value;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.native.FunctionKey", FunctionKeyObj, Object);
};

int64_t HashMod(const Any& value) { return value.cast<const ModObj*>()->value % 10; }
bool EqualMod(const Any& a, const Any& b) {
  if (a.cast<const ModObj*>()->value == 13) TVM_FFI_THROW(ValueError) << "13 is never compared";
  return HashMod(a) == HashMod(b);
}

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::TypeAttrDef<ModObj>()
      .native_fn_attr<&HashMod>(type_attr::kAnyHash)
      .native_fn_attr<&EqualMod>(type_attr::kAnyEqual);
  refl::TypeAttrDef<FunctionKeyObj>()
      .def("__any_hash__", [](const FunctionKeyObj* key) -> int64_t { return key->value % 10; })
      .def("__any_equal__", [](const FunctionKeyObj* a, const FunctionKeyObj* b) -> bool {
        return a->value % 10 == b->value % 10;
      });
}

template <typename Key>
Any MakeKey(int64_t value) {
  return ObjectRef(make_object<Key>(value));
}

template <typename Key>
void ExpectKeysModuloTen() {
  Map<Any, int64_t> map;
  for (int64_t i = 100; i < 130; ++i) map.Set(MakeKey<Key>(i), i);
  EXPECT_EQ(map.size(), 10u);
  EXPECT_EQ(map.at(MakeKey<Key>(7)), 127);
}

TEST(NativeFunction, HashAndEqualityHooks) {
  ExpectKeysModuloTen<ModObj>();
  ExpectKeysModuloTen<FunctionKeyObj>();
}

TEST(NativeFunction, HookErrorsLeaveTheMapWhole) {
  Map<Any, int64_t> map;
  for (int64_t i = 0; i < 40; ++i) map.Set(i, i);
  map.Set(MakeKey<ModObj>(13), 1);
  ExpectError("ValueError", "13 is never compared", [&] { map.Set(MakeKey<ModObj>(3), 2); });
  EXPECT_EQ(map.size(), 41u);
  for (int64_t i = 0; i < 40; ++i) EXPECT_EQ(map.at(i), i);
  map.Set(MakeKey<ModObj>(4), 5);
  EXPECT_EQ(map.size(), 42u);
}

}  // namespace
