// SPDX-License-Identifier: Apache-2.0
// What the Rust program of rust_costs.py calls, and what times calls from C++. It uses only the
// public interface, so that it builds with Kiln's headers and with the peer's.
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace ffi = tvm::ffi;

namespace {

constexpr int64_t kCount = 100000;
constexpr int kRounds = 50;

/*! The compiler can't know what lies behind the pointer afterwards. */
template <typename T>
T& Opaque(T& value) {
  T* address = &value;
  asm volatile("" : "+r"(address) : : "memory");
  return *address;
}

/*! Best nanoseconds of one of the operations of `run`. */
template <typename F>
double Best(F&& run) {
  double best = 1e30;
  for (int i = 0; i < kRounds; ++i) {
    auto start = std::chrono::steady_clock::now();
    run();
    std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
    best = std::min(best, spent.count() / static_cast<double>(kCount));
  }
  return best;
}

void Nop() {}

int64_t Add(int64_t a, int64_t b, int64_t c) { return a + b + c; }

double Time0(ffi::Function f) {
  return Best([&] {
    for (int64_t i = 0; i < kCount; ++i) {
      ffi::Any result = Opaque(f)();
      Opaque(result);
    }
  });
}

double Time3(ffi::Function f) {
  return Best([&] {
    int64_t sum = 0;
    for (int64_t i = 0; i < kCount; ++i) {
      sum += Opaque(f)(i, i, static_cast<int64_t>(1)).cast<int64_t>();
    }
    if (sum != kCount * kCount) TVM_FFI_THROW(RuntimeError) << "wrong sum " << sum;
  });
}

ffi::Function Lambda0() {
  return ffi::Function::FromTyped([]() -> int64_t { return 7; });
}

ffi::Function Lambda3() {
  return ffi::Function::FromTyped(
      [](int64_t a, int64_t b, int64_t c) -> int64_t { return a + b + c; });
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(nop, Nop);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(add, Add);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(time0, Time0);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(time3, Time3);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(lambda0, Lambda0);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(lambda3, Lambda3);
