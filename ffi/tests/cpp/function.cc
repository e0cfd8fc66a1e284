// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/rvalue_ref.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace {

namespace ffi = tvm::ffi;
using ffi::Any;
using ffi::AnyView;
using ffi::Function;
using ffi::PackedArgs;
using ffi::String;
using ffi::TypedFunction;

class NodeObj : public ffi::Object {
 public:
  int64_t value = 0;
  int64_t Add(int64_t x) const { return value + x; }
  void Set(int64_t x) { value = x; }
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tests.function.Node", NodeObj, ffi::Object);
};
class Node : public ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Node, ffi::ObjectRef, NodeObj);
  int64_t Twice(int64_t x) const { return get()->value * 2 + x; }
};

template <typename F>
std::string ErrorOf(F&& f) {
  try {
    f();
  } catch (const ffi::Error& err) {
    return err.kind() + ": " + err.message();
  }
  return "nothing was thrown";
}

int AddOne(int x) { return x + 1; }
int AddNoexcept(int x, int y) noexcept { return x + y; }

TEST(Function, PackedForms) {
  Function raw = Function::FromPacked(
      [](const AnyView* args, int32_t n, Any* rv) { *rv = args[0].cast<int>() + n; });
  EXPECT_EQ(raw(10, "x").cast<int>(), 12);
  Function packed([](PackedArgs args, Any* rv) {
    *rv = args.Slice(1).size() * 100 + args[args.size() - 1].cast<int>();
  });
  EXPECT_EQ(packed(1, 2, 3).cast<int>(), 203);
  AnyView args[3];
  PackedArgs::Fill(args, 1, 2.0, "three");
  EXPECT_EQ(args[2].cast<std::string>(), "three");
  Any result;
  packed.CallPacked(PackedArgs(args, 1), &result);
  EXPECT_EQ(result.cast<int>(), 1);
}

TEST(Function, TypedForms) {
  EXPECT_EQ(Function::FromTyped(AddOne)(1).cast<int>(), 2);
  EXPECT_EQ(Function::FromTyped(&AddNoexcept)(1, 2).cast<int>(), 3);
  int state = 0;
  Function counting = Function::FromTyped([state]() mutable { return ++state; });
  EXPECT_EQ(counting().cast<int>(), 1);
  EXPECT_EQ(counting().cast<int>(), 2);
  Function nothing = Function::FromTyped([](int) {});
  EXPECT_TRUE(nothing(1) == nullptr);
  Function views = Function::FromTyped(
      [](AnyView a, const Any& b, Any c, const String& s, std::string&& t) -> Any {
        return a.cast<int>() + b.cast<int>() + c.cast<int>() + static_cast<int>(s.size()) +
               static_cast<int>(t.size());
      });
  EXPECT_EQ(views(1, 2, 3, "four", "x").cast<int>(), 11);
}

TEST(Function, ArityAndTypeMessages) {
  Function f = Function::FromTyped(
      [](int a, String b) -> double { return a + static_cast<int>(b.size()); }, "add");
  EXPECT_EQ(ErrorOf([&] { f(1); }),
            "TypeError: Mismatched number of arguments when calling: "
            "`add(0: int, 1: str) -> float`. Expected 2 but got 1 arguments");
  EXPECT_EQ(ErrorOf([&] { f(1, 2); }),
            "TypeError: Mismatched type on argument #1 when calling: "
            "`add(0: int, 1: str) -> float`. Expected `str` but got `int`");
  EXPECT_EQ(ErrorOf([&] { f("a", "b"); }),
            "TypeError: Mismatched type on argument #0 when calling: "
            "`add(0: int, 1: str) -> float`. Expected `int` but got `const char*`");
  Function unnamed = Function::FromTyped([](Any, AnyView, void*) {});
  EXPECT_EQ(ErrorOf([&] { unnamed(); }),
            "TypeError: Mismatched number of arguments when calling: "
            "`(0: Any, 1: AnyView, 2: void*) -> void`. Expected 3 but got 0 arguments");
}

TEST(Function, ObjectsAsArguments) {
  Node node(ffi::make_object<NodeObj>());
  Function set = Function::FromTyped([](NodeObj* self, int64_t v) { self->value = v; });
  set(node, 8);
  EXPECT_EQ(node->value, 8);
  Function get = Function::FromTyped([](const NodeObj* self) { return self->value; });
  EXPECT_EQ(get(node).cast<int>(), 8);
  EXPECT_EQ(ErrorOf([&] { get(Node()); }),
            "TypeError: Mismatched type on argument #0 when calling: "
            "`(0: tests.function.Node) -> int`. Expected `tests.function.Node` but got `None`");
  EXPECT_EQ(node.use_count(), 1);
}

TEST(Function, ErrorsKeepTheirKind) {
  Function f = Function::FromTyped([](bool std) {
    if (std) throw std::runtime_error("plain");
    TVM_FFI_THROW(KeyError) << "missing " << 3;
  });
  EXPECT_EQ(ErrorOf([&] { f(false); }), "KeyError: missing 3");
  EXPECT_THROW(f(true), std::runtime_error);  // the same C++ ABI: unchanged

  // Through the C entry, everything becomes an Error.
  auto* handle = ffi::detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(f);
  auto safe_call = TVMFFIFunctionGetCellPtr(handle)->safe_call;
  EXPECT_EQ(ErrorOf([&] { Function::InvokeExternC(handle, safe_call, true); }),
            "InternalError: plain");
  Function odd = Function::FromTyped([]() { throw 3; });
  handle = ffi::detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(odd);
  EXPECT_EQ(ErrorOf([&] { Function::InvokeExternC(handle, safe_call); }),
            "InternalError: unknown C++ exception of type `int`");
}

TEST(Function, NullCallRaises) {
  EXPECT_EQ(ErrorOf([] { Function()(); }), "RuntimeError: a null Function was called");
  EXPECT_TRUE(Function(nullptr) == nullptr);
}

TEST(Function, SafeCallRejectsAnOccupiedResult) {
  Function f = Function::FromTyped(AddOne);
  auto* handle = ffi::detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(f);
  Any result = f;
  TVMFFIAny arg;
  ffi::detail::SetPODAny(&arg, kTVMFFIInt, 1);
  EXPECT_EQ(TVMFFIFunctionGetCellPtr(handle)->safe_call(handle, &arg, 1,
                                                        reinterpret_cast<TVMFFIAny*>(&result)),
            -1);
  EXPECT_EQ(ffi::detail::MoveFromSafeCallRaised().kind(), "InternalError");
  EXPECT_EQ(f.use_count(), 2);
}

TEST(Function, FailedCallLeavesNoResult) {
  Node node(ffi::make_object<NodeObj>());
  Function f([node](PackedArgs, Any* rv) {
    *rv = node;
    TVM_FFI_THROW(ValueError) << "after the result was written";
  });
  auto* handle = ffi::detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(f);
  TVMFFIAny result;
  ffi::detail::SetNoneAny(&result);
  EXPECT_EQ(TVMFFIFunctionGetCellPtr(handle)->safe_call(handle, nullptr, 0, &result), -1);
  EXPECT_EQ(result.type_index, kTVMFFINone);
  EXPECT_EQ(ffi::detail::MoveFromSafeCallRaised().kind(), "ValueError");
  EXPECT_EQ(node.use_count(), 2);  // the variable and the callable
}

TEST(Function, ExternC) {
  static int deleted;
  deleted = 0;
  int self = 40;
  {
    Function f = Function::FromExternC(
        &self,
        [](void* handle, const TVMFFIAny* args, int32_t, TVMFFIAny* result) -> int {
          ffi::detail::SetPODAny(result, kTVMFFIInt, *static_cast<int*>(handle) + args->v_int64);
          return 0;
        },
        [](void*) { ++deleted; });
    EXPECT_EQ(f(2).cast<int>(), 42);
    EXPECT_EQ(f->cpp_call, nullptr);
  }
  EXPECT_EQ(deleted, 1);
}

TEST(Function, FromPackedInplace) {
  struct Adder {
    int base;
    void operator()(PackedArgs args, Any* rv) { *rv = base + args[0].cast<int>(); }
  };
  auto [func, adder] = Function::FromPackedInplace<Adder>(Adder{10});
  EXPECT_EQ(func(1).cast<int>(), 11);
  adder->base = 20;
  EXPECT_EQ(func(1).cast<int>(), 21);
}

TEST(Function, GlobalRegistry) {
  EXPECT_FALSE(Function::GetGlobal("tests.function.missing").has_value());
  EXPECT_EQ(ErrorOf([] { Function::GetGlobalRequired("tests.function.missing"); }),
            "ValueError: Function tests.function.missing not found");
  Function::SetGlobal("tests.function.add_one", Function::FromTyped(AddOne));
  EXPECT_EQ(Function::GetGlobalRequired(String("tests.function.add_one"))(4).cast<int>(), 5);
  EXPECT_EQ(ErrorOf([] {
              Function::SetGlobal("tests.function.add_one", Function::FromTyped(AddOne));
            }).substr(0, 12),
            "RuntimeError");
  Function::SetGlobal("tests.function.add_one", Function::FromTyped([](int x) { return x + 2; }),
                      true);
  EXPECT_EQ(Function::GetGlobalRequired("tests.function.add_one")(4).cast<int>(), 6);
  bool listed = false;
  for (const String& name : Function::ListGlobalNames()) {
    listed = listed || name == "tests.function.add_one";
  }
  EXPECT_TRUE(listed);
  Function::RemoveGlobal("tests.function.add_one");
  EXPECT_FALSE(Function::GetGlobal(std::string("tests.function.add_one")).has_value());
}

TEST(Function, CallExpected) {
  Function f = Function::FromTyped([](int x) -> Any {
    if (x < 0) TVM_FFI_THROW(ValueError) << "negative";
    if (x == 0) return nullptr;
    if (x == 9) return ffi::Error("KeyError", "as a value", "");
    return x;
  });
  EXPECT_EQ(f.CallExpected<int>(3).value(), 3);
  EXPECT_EQ(f.CallExpected(3).value().cast<int>(), 3);
  EXPECT_EQ(f.CallExpected<int>(-1).error().kind(), "ValueError");
  EXPECT_EQ(f.CallExpected<int>(9).error().kind(), "KeyError");
  EXPECT_TRUE(f.CallExpected<void>(0).is_ok());
  EXPECT_EQ(f.CallExpected<void>(1).error().message(),
            "CallExpected: result type mismatch, expected void, but got int");
  EXPECT_EQ(f.CallExpected<String>(1).error().message(),
            "CallExpected: result type mismatch, expected str, but got int");
  EXPECT_EQ(f.CallExpected<int>("x").error().kind(), "TypeError");
}

// Compilers choose the order in which they evaluate the arguments of a call; gcc takes the last
// first.
TEST(Function, TheFirstWrongArgumentIsReported) {
  const auto message = [](const char* signature, int index) {
    return "TypeError: Mismatched type on argument #" + std::to_string(index) + " when calling: `" +
           signature + "`. Expected `int` but got `const char*`";
  };
  Function f = Function::FromTyped([](int, int, int) {}, "f");
  EXPECT_EQ(ErrorOf([&] { f("x", "y", "z"); }), message("f(0: int, 1: int, 2: int) -> void", 0));
  EXPECT_EQ(ErrorOf([&] { f(1, "y", "z"); }), message("f(0: int, 1: int, 2: int) -> void", 1));
  Function values = Function::FromTyped([](const int&, int&&) { return 1; }, "g");
  EXPECT_EQ(ErrorOf([&] { values("x", "y"); }), message("g(0: int, 1: int) -> int", 0));
}

TEST(TypedFunction, ConvertsBothWays) {
  TypedFunction<int(int)> add = [](int x) { return x + 1; };
  EXPECT_EQ(add(1), 2);
  Function plain = add;
  EXPECT_EQ(plain(2).cast<int>(), 3);
  TypedFunction<String(AnyView, const String&)> named(
      [](AnyView, const String& s) { return s + "!"; }, "shout");
  EXPECT_EQ(named(1, "hey"), "hey!");
  EXPECT_EQ(ErrorOf([&] { named.packed()(1); }),
            "TypeError: Mismatched number of arguments when calling: "
            "`shout(0: AnyView, 1: str) -> str`. Expected 2 but got 1 arguments");
  TypedFunction<int(int)> wrong = Function::FromTyped([](int) { return String("x"); });
  EXPECT_EQ(ErrorOf([&] { wrong(1); }),
            "TypeError: Mismatched type on the result of the callback `(0: int) -> int`. "
            "Expected `int` but got `ffi.SmallStr`");
  TypedFunction<int8_t()> large = Function::FromTyped([] { return 300; });
  EXPECT_EQ(ErrorOf([&] { large(); }),
            "OverflowError: Integer out of range on the result of the callback `() -> int`. "
            "Expected `int8_t` in [-128, 127] but got `300`");
  TypedFunction<String()> moved = Function::FromTyped([] { return String("longer than inline"); });
  EXPECT_EQ(moved(), "longer than inline");
  TypedFunction<void(int)> generic = [](auto x) { EXPECT_EQ(x, 5); };
  generic(5);
  TypedFunction<int()> empty;
  EXPECT_TRUE(empty == nullptr);
  empty = [] { return 6; };
  EXPECT_EQ(empty(), 6);
  Any value = add;
  EXPECT_EQ((value.cast<TypedFunction<int(int)>>()(1)), 2);
  EXPECT_TRUE((Any().cast<TypedFunction<int(int)>>() == nullptr));
  EXPECT_FALSE((Any().as<TypedFunction<int(int)>>().has_value()));
  using Sig = TypedFunction<String(int, Any)>;
  EXPECT_EQ(ffi::TypeTraits<Sig>::TypeStr(), "(0: int, 1: Any) -> str");
  EXPECT_EQ(Sig::TypeSchema(),
            R"({"type":"ffi.Function","named_args":{"return":[{"type":"ffi.String"}],)"
            R"("params":[{"type":"int"},{"type":"Any"}]}})");
}

TEST(FunctionInfo, Signatures) {
  using ffi::detail::FunctionInfo;
  EXPECT_EQ(FunctionInfo<decltype(AddOne)>::Sig(), "(0: int) -> int");
  EXPECT_EQ(FunctionInfo<decltype(&AddNoexcept)>::Sig(), "(0: int, 1: int) -> int");
  EXPECT_EQ(FunctionInfo<decltype(&NodeObj::Add)>::Sig(),
            "(0: tests.function.Node, 1: int) -> int");
  EXPECT_EQ(FunctionInfo<decltype(&Node::Twice)>::Sig(), "(0: tests.function.Node, 1: int) -> int");
  EXPECT_EQ(FunctionInfo<void()>::Sig(), "() -> void");
  EXPECT_EQ(FunctionInfo<void()>::TypeSchema(),
            R"({"type":"ffi.Function","named_args":{"return":[{"type":"None"}],"params":[]}})");
  static_assert(
      std::is_same_v<std::tuple_element_t<0, FunctionInfo<decltype(&NodeObj::Set)>::ArgType>,
                     NodeObj*>);
  static_assert(!FunctionInfo<void(int&)>::unpacked_supported);
  static_assert(FunctionInfo<void(const String&, Any&&, AnyView)>::unpacked_supported);
}

TEST(RValueRef, TakesTheOnlyReference) {
  Function f = Function::FromTyped([](ffi::RValueRef<Node> ref) {
    Node node = *std::move(ref);
    return node.use_count();
  });
  Node node(ffi::make_object<NodeObj>());
  EXPECT_EQ(f(ffi::RValueRef<Node>(Node(node))).cast<int>(), 2);
  EXPECT_EQ(f(node).cast<int>(), 2);
  EXPECT_EQ(f(ffi::RValueRef<Node>(std::move(node))).cast<int>(), 1);
  EXPECT_FALSE(node.defined());  // NOLINT(bugprone-use-after-move)
  Node other(ffi::make_object<NodeObj>());
  Function wrong = Function::FromTyped([](ffi::RValueRef<Function>) {}, "w");
  EXPECT_EQ(ErrorOf([&] { wrong(ffi::RValueRef<Node>(std::move(other))); }),
            "TypeError: Mismatched type on argument #0 when calling: "
            "`w(0: RValueRef<ffi.Function>) -> void`. Expected `RValueRef<ffi.Function>` but got "
            "`RValueRef<tests.function.Node>`");
  // An owning value takes the object out as well.
  Node third(ffi::make_object<NodeObj>());
  Function keep = Function::FromTyped([](Any value) { return value.cast<Node>().use_count(); });
  EXPECT_EQ(keep(ffi::RValueRef<Node>(std::move(third))).cast<int>(), 2);
}

int Exported(int x, String y) { return x + static_cast<int>(y.size()); }
const auto kExportedLambda = [](int x) { return x * 2; };

TVM_FFI_DLL_EXPORT_TYPED_FUNC(tests_function_exported, Exported);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(tests_function_lambda, kExportedLambda)

TEST(Export, SymbolsAreCallable) {
  EXPECT_EQ(
      Function::InvokeExternC(nullptr, __tvm_ffi_tests_function_exported, 1, "abc").cast<int>(), 4);
  EXPECT_EQ(Function::InvokeExternC(nullptr, __tvm_ffi_tests_function_lambda, 4).cast<int>(), 8);
  EXPECT_EQ(ErrorOf([] { Function::InvokeExternC(nullptr, __tvm_ffi_tests_function_exported, 1); }),
            "TypeError: Mismatched number of arguments when calling: "
            "`tests_function_exported(0: int, 1: str) -> int`. Expected 2 but got 1 arguments");
}

int SafeCallBody(int x) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_CHECK(x > 0, ValueError) << "x is " << x;
  TVM_FFI_SAFE_CALL_END();
}

TEST(SafeCall, Macros) {
  EXPECT_EQ(SafeCallBody(1), 0);
  EXPECT_EQ(SafeCallBody(-1), -1);
  EXPECT_EQ(ffi::detail::MoveFromSafeCallRaised().message(),
            "Check failed: (x > 0) is false: x is -1");
  EXPECT_EQ(ErrorOf([] { TVM_FFI_CHECK_SAFE_CALL(SafeCallBody(-2)); }),
            "ValueError: Check failed: (x > 0) is false: x is -2");
}

TEST(TypeKey, ToIndex) {
  EXPECT_EQ(ffi::TypeKeyToIndex("ffi.Array"), kTVMFFIArray);
  EXPECT_NE(ErrorOf([] {
              ffi::TypeKeyToIndex("tests.no.such.type");
            }).find("Cannot find type `tests.no.such.type`"),
            std::string::npos);
}

}  // namespace
