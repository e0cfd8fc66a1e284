// SPDX-License-Identifier: Apache-2.0
// What several threads may do at once. These tests say little by themselves; the thread sanitizer
// says the rest.
#include <gtest/gtest.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/extra/json.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/extra/structural_equal.h>
#include <tvm/ffi/extra/structural_hash.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "algo_nodes.h"
#include "c_call.h"

namespace {

using namespace tvm::ffi;
using algo_nodes::Call;
using algo_nodes::Tree;
using Text = std::string;

constexpr int kThreads = 4;
constexpr int kRounds = 200;

// Runs `body(thread, round)` in all threads, which start together.
template <typename Body>
void Together(Body body, int rounds = kRounds) {
  std::atomic<int> waiting{kThreads};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      --waiting;
      while (waiting.load() != 0) std::this_thread::yield();
      for (int i = 0; i < rounds; ++i) body(t, i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Threads, GlobalFunctionsComeAndGo) {
  std::atomic<int> calls{0};
  Together([&](int t, int i) {
    const Text shared = "threads.shared." + std::to_string(i % 5);
    const Text own = "threads.own." + std::to_string(t);
    Function::SetGlobal(shared, Function::FromTyped([t] { return t; }), true);
    Function::SetGlobal(own, Function::FromTyped([i] { return i; }), true);
    if (std::optional<Function> found = Function::GetGlobal(shared)) {
      const int value = (*found)().cast<int>();
      calls += value >= 0 && value < kThreads;
    }
    EXPECT_EQ(Function::GetGlobalRequired(own)().cast<int>(), i);
    if (i % 20 == 0) {
      Function names = Call("ffi.FunctionListGlobalNamesFunctor").cast<Function>();
      EXPECT_GT(names(-1).cast<int64_t>(), 0);
    }
    Function::RemoveGlobal(own);
  });
  EXPECT_EQ(calls, kThreads * kRounds);
}

TEST(Threads, TypesAndAttributesAreReadWhileOthersRegister) {
  const TVMFFIByteArray column = ::Bytes("threads.column");
  Together([&](int t, int i) {
    const Text key = "threads.Type." + std::to_string(t) + "." + std::to_string(i);
    const TVMFFIByteArray bytes = ::Bytes(key);
    const int32_t index = TVMFFITypeGetOrAllocIndex(&bytes, -1, 1, 0, 1, kTVMFFIObject);
    TVMFFIFieldInfo field{};
    field.name = ::Bytes("field");
    EXPECT_EQ(TVMFFITypeRegisterField(index, &field), 0);
    TVMFFIAny value{};
    value.type_index = kTVMFFIInt;
    value.v_int64 = index;
    EXPECT_EQ(TVMFFITypeRegisterAttr(index, &column, &value), 0);
    const TVMFFITypeAttrColumn* found = TVMFFIGetTypeAttrColumn(&column);
    // Size first: the data that is read after it is at least as long.
    const int32_t size = __atomic_load_n(&found->size, __ATOMIC_ACQUIRE);
    const TVMFFIAny* data = __atomic_load_n(&found->data, __ATOMIC_ACQUIRE);
    ASSERT_GT(size, index);
    EXPECT_EQ(data[index].v_int64, index);
    EXPECT_EQ(TVMFFIGetTypeInfo(index)->num_fields, 1);
    int32_t again = 0;
    EXPECT_EQ(TVMFFITypeKeyToIndex(&bytes, &again), 0);
    EXPECT_EQ(again, index);
  });
}

TEST(Threads, ErrorsBelongToTheirThread) {
  Together([](int t, int i) {
    const Text message = std::to_string(t) + "." + std::to_string(i);
    TVMFFIErrorSetRaisedFromCStr("ValueError", message.c_str());
    std::this_thread::yield();
    EXPECT_EQ(TakeError(), "ValueError: " + message);
  });
}

TEST(Threads, ErrorsAreThrownThroughFunctionsOfAll) {
  Function fail = Function::FromTyped([](int64_t x) { TVM_FFI_THROW(ValueError) << x; });
  Together(
      [&](int t, int i) {
        try {
          fail(t * 1000 + i);
          ADD_FAILURE();
        } catch (const Error& error) {
          EXPECT_EQ(error.message(), std::to_string(t * 1000 + i));
        }
      },
      20);
}

TEST(Threads, HandlesAreMadeOnce) {
  static std::atomic<int> made{0};
  static void* handle = nullptr;
  auto make = [](void** out) -> int {
    ++made;
    *out = &made;
    return 0;
  };
  Together([&](int, int) {
    EXPECT_EQ(TVMFFIHandleInitOnce(&handle, make), 0);
    EXPECT_EQ(__atomic_load_n(&handle, __ATOMIC_ACQUIRE), &made);
  });
  EXPECT_EQ(made, 1);
}

TEST(Threads, SharedValuesAreReadTogether) {
  Map<String, Any> map;
  for (int i = 0; i < 50; ++i) map.Set("key " + std::to_string(i), Tree(Array<Any>{i, "text"}));
  const Any value = map;
  const Any copy = DeepCopy(value);
  const uint64_t hash = StructuralHash::Hash(value);
  const String shown = ReprPrint(value);
  Together(
      [&](int, int) {
        const Any held = value;
        EXPECT_EQ(StructuralHash::Hash(held), hash);
        EXPECT_TRUE(StructuralEqual::Equal(held, copy));
        EXPECT_EQ(ReprPrint(held), shown);
        EXPECT_TRUE(RecursiveEq(DeepCopy(held), held));
        const Map<String, Any> again = held.cast<Map<String, Any>>();
        EXPECT_TRUE(again.at("key 7").same_as(map.at("key 7")));
      },
      20);
}

std::atomic<int> alive{0};
class CountedObj : public Object {
 public:
  CountedObj() { ++alive; }
  ~CountedObj() { --alive; }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("threads.Counted", CountedObj, Object);
};

TEST(Threads, TheLastReferenceMayDieAnywhere) {
  for (int round = 0; round < 50; ++round) {
    ObjectPtr<CountedObj> object = make_object<CountedObj>();
    WeakObjectPtr<CountedObj> weak(object);
    std::vector<ObjectPtr<CountedObj>> held(kThreads, object);
    object.reset();
    Together(
        [&](int t, int) {
          if (t % 2 == 0) held[static_cast<size_t>(t)].reset();
          ObjectPtr<CountedObj> locked = weak.lock();
          if (locked != nullptr) EXPECT_GE(locked.use_count(), 1);
          locked.reset();
          held[static_cast<size_t>(t)].reset();
        },
        1);
    EXPECT_TRUE(weak.expired());
  }
  EXPECT_EQ(alive, 0);
}

TEST(Threads, ModulesAreSearchedTogether) {
  Function::SetGlobal("threads.imported", Function::FromTyped([] { return 5; }), true);
  static void* context = nullptr;
  TVMFFIEnvModRegisterSystemLibSymbol("threads___tvm_ffi__library_ctx", &context);
  const Module module = Call("ffi.SystemLib", "threads_").cast<Module>();
  Together([&](int t, int i) {
    TVMFFIObjectHandle function = nullptr;
    ASSERT_EQ(TVMFFIEnvModLookupFromImports(context, "threads.imported", &function), 0);
    TVMFFIAny result{};
    EXPECT_EQ(TVMFFIFunctionCall(function, nullptr, 0, &result), 0);
    EXPECT_EQ(result.v_int64, 5);
    const Text name = "__tvm_ffi_threads_" + std::to_string(t) + "_" + std::to_string(i);
    TVMFFIEnvModRegisterSystemLibSymbol(name.c_str(), &context);
    TVMFFIEnvModRegisterContextSymbol(name.c_str(), &context);
    EXPECT_TRUE(Call("ffi.SystemLib", "threads_").same_as(module));
    EXPECT_TRUE(module->ImplementsFunction(name.substr(10)));
  });
}

TEST(Threads, StreamsAndAllocatorsArePerThread) {
  Together([](int t, int i) {
    int mark = 0;
    TVMFFIStreamHandle before = nullptr;
    EXPECT_EQ(TVMFFIEnvSetStream(2, t, &mark, &before), 0);
    EXPECT_EQ(TVMFFIEnvGetStream(2, t), &mark);
    EXPECT_EQ(TVMFFIEnvSetStream(2, t, nullptr, nullptr), 0);
    DLPackManagedTensorAllocator old = nullptr;
    EXPECT_EQ(TVMFFIEnvSetDLPackManagedTensorAllocator(nullptr, i % 2, &old), 0);
    EXPECT_EQ(old, nullptr);
    EXPECT_EQ(TVMFFIEnvCheckSignals(), 0);
  });
}

TEST(Threads, TextIsParsedTogether) {
  const String text = R"({"a": [1, 2.5, "x"], "b": {"c": null}})";
  const String want = json::Stringify(json::Parse(text));
  Together([&](int, int) { EXPECT_EQ(json::Stringify(json::Parse(text)), want); });
}

}  // namespace
