// SPDX-License-Identifier: Apache-2.0
// The kernels. A file like this one only adds rows to the table; nothing else has to know of it.
#include <cstdint>

#include "dispatch.h"

namespace kernel_library {
namespace {

template <typename T, typename F>
void Elementwise(const void* a, const void* b, void* out, int64_t n) {
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  T* z = static_cast<T*>(out);
  for (int64_t i = 0; i < n; ++i) z[i] = F()(x[i], y[i]);
}

struct Add {
  template <typename T>
  T operator()(T a, T b) const {
    return a + b;
  }
};
struct Maximum {
  template <typename T>
  T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};

template <typename T>
void AddKernelsOf() {
  DispatchTable::Global().Add<T>("add", Elementwise<T, Add>);
  DispatchTable::Global().Add<T>("maximum", Elementwise<T, Maximum>);
}

}  // namespace

void AddElementwiseKernels() {
  AddKernelsOf<float>();
  AddKernelsOf<double>();
  AddKernelsOf<int32_t>();
}

}  // namespace kernel_library
