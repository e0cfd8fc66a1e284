// SPDX-License-Identifier: Apache-2.0
// Costs of the FFI seen from C++, in nanoseconds an operation, as one JSON object on stdout. The
// program uses only the public interface, so that cpp_costs.py can build it with Kiln's headers and
// with the peer's.
//
//     cpp_calls LIBRARY    LIBRARY is cpp_throws.cc, built with the same headers
#include <dlfcn.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace ffi = tvm::ffi;

namespace {

bool first_row = true;

void Report(const std::string& name, double nanoseconds) {
  std::printf("%s\"%s\": %.3f", first_row ? "{" : ", ", name.c_str(), nanoseconds);
  first_row = false;
}

void Expect(bool held, const char* what) {
  if (held) return;
  std::fprintf(stderr, "wrong result: %s\n", what);
  std::exit(1);
}

/*! The compiler can't know what lies behind the pointer afterwards. */
template <typename T>
T& Opaque(T& value) {
  T* address = &value;
  asm volatile("" : "+r"(address) : : "memory");
  return *address;
}

/*! Best nanoseconds of one of the `count` operations of `run`. */
template <typename F>
double Best(int rounds, int64_t count, F&& run) {
  double best = 1e30;
  for (int i = 0; i < rounds; ++i) {
    auto start = std::chrono::steady_clock::now();
    run();
    std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
    best = std::min(best, spent.count() / static_cast<double>(count));
  }
  return best;
}

// A value with a type tag, the size of an AnyView, for the std::function beside ffi::Function.
struct Slot {
  int32_t tag = 0;
  int64_t value = 0;
};
using Packed = std::function<void(const Slot*, int32_t, Slot*)>;
constexpr int32_t kIntTag = 1;

int64_t IntOf(const Slot& slot) {
  if (slot.tag != kIntTag) throw std::runtime_error("expected an int");
  return slot.value;
}

template <typename... Args>
int64_t CallSlots(const Packed& f, Args... args) {
  const Slot slots[sizeof...(Args) + 1] = {Slot{kIntTag, args}..., Slot{}};
  Slot result;
  f(slots, static_cast<int32_t>(sizeof...(Args)), &result);
  return IntOf(result);
}

void Calls() {
  constexpr int64_t kCount = 200000;
  constexpr int kRounds = 60;
  ffi::Function typed0 = ffi::Function::FromTyped([]() -> int64_t { return 7; });
  ffi::Function typed3 = ffi::Function::FromTyped(
      [](int64_t a, int64_t b, int64_t c) -> int64_t { return a + b + c; });
  Packed slots0 = [](const Slot*, int32_t n, Slot* result) {
    if (n != 0) throw std::runtime_error("expected 0 arguments");
    *result = Slot{kIntTag, 7};
  };
  Packed slots3 = [](const Slot* args, int32_t n, Slot* result) {
    if (n != 3) throw std::runtime_error("expected 3 arguments");
    *result = Slot{kIntTag, IntOf(args[0]) + IntOf(args[1]) + IntOf(args[2])};
  };
  int64_t sum = 0;
  Report("call, no arguments", Best(kRounds, kCount, [&] {
           sum = 0;
           for (int64_t i = 0; i < kCount; ++i) sum += Opaque(typed0)().cast<int64_t>();
         }));
  Expect(sum == 7 * kCount, "ffi::Function without arguments");
  Report("call, 3 ints", Best(kRounds, kCount, [&] {
           sum = 0;
           for (int64_t i = 0; i < kCount; ++i) sum += Opaque(typed3)(i, i, 1).cast<int64_t>();
         }));
  Expect(sum == kCount * kCount, "ffi::Function of 3 ints");
  Report("std::function, no arguments", Best(kRounds, kCount, [&] {
           sum = 0;
           for (int64_t i = 0; i < kCount; ++i) sum += CallSlots(Opaque(slots0));
         }));
  Expect(sum == 7 * kCount, "std::function without arguments");
  Report("std::function, 3 ints", Best(kRounds, kCount, [&] {
           sum = 0;
           for (int64_t i = 0; i < kCount; ++i)
             sum += CallSlots(Opaque(slots3), i, i, static_cast<int64_t>(1));
         }));
  Expect(sum == kCount * kCount, "std::function of 3 ints");
}

/*! `keys` go in in their order; `sought` are equal keys, other objects, in another order. */
template <typename K>
void Maps(const std::string& what, const std::vector<K>& keys, const std::vector<K>& sought) {
  const int64_t size = static_cast<int64_t>(keys.size());
  const int64_t repeat = std::max<int64_t>(1, 2000 / size);
  const int rounds = size > 10000 ? 15 : 100;
  ffi::Map<K, int64_t> last;
  Report("Map insert, " + what, Best(rounds, size * repeat, [&] {
           for (int64_t r = 0; r < repeat; ++r) {
             ffi::Map<K, int64_t> map;
             for (int64_t i = 0; i < size; ++i) map.Set(keys[static_cast<size_t>(i)], i);
             last = std::move(map);
           }
         }));
  Expect(static_cast<int64_t>(last.size()) == size, "the size of the map");
  Expect(last.at(keys.back()) == size - 1, "the last value of the map");
  int64_t found = 0;
  Report("Map find, " + what, Best(rounds, size * repeat, [&] {
           found = 0;
           for (int64_t r = 0; r < repeat; ++r) {
             for (const K& key : sought) found += last.find(key) != last.end() ? 1 : 0;
           }
         }));
  Expect(found == size * repeat, "the keys found in the map");
}

void AllMaps() {
  std::mt19937_64 random(1);
  for (int size : {10, 1000, 100000}) {
    std::vector<int64_t> numbers;
    for (int i = 0; i < size; ++i) numbers.push_back(static_cast<int64_t>(i) * 7 + 3);
    std::shuffle(numbers.begin(), numbers.end(), random);
    std::vector<ffi::String> texts;
    for (int64_t number : numbers)
      texts.emplace_back("a_key_of_some_length_" + std::to_string(number));
    std::shuffle(numbers.begin(), numbers.end(), random);
    std::vector<ffi::String> sought;
    for (int64_t number : numbers)
      sought.emplace_back("a_key_of_some_length_" + std::to_string(number));
    std::vector<int64_t> order = numbers;
    std::shuffle(order.begin(), order.end(), random);
    Maps("int, " + std::to_string(size), order, numbers);
    Maps("str, " + std::to_string(size), texts, sought);
  }
}

void Errors(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(1);
  }
  auto symbol = reinterpret_cast<TVMFFISafeCallType>(dlsym(library, "__tvm_ffi_bench_fail"));
  Expect(symbol != nullptr, "the symbol of the failing function");
  ffi::Function fail = ffi::Function::FromExternC(nullptr, symbol, nullptr);
  constexpr int64_t kCount = 300;
  int64_t caught = 0;
  Report("throw to catch", Best(20, kCount, [&] {
           caught = 0;
           for (int64_t i = 0; i < kCount; ++i) {
             try {
               fail(i);
             } catch (const ffi::Error& error) {
               caught += error.kind() == "ValueError" ? 1 : 0;
             }
           }
         }));
  Expect(caught == kCount, "the errors caught");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  Calls();
  AllMaps();
  Errors(argv[1]);
  std::printf("}\n");
  return 0;
}
