# SPDX-License-Identifier: Apache-2.0
"""C++ in a string: several functions, their documentation, flags, and what happens when it does not compile."""

import tempfile
import time
from typing import Any

import numpy as np
import tvm_ffi
import tvm_ffi.cpp

# Headers for tensors, errors and functions are included already.
SOURCE = """
#include <cmath>

#ifndef DEGREE
#define DEGREE 1
#endif

// out[i] = c[0] + c[1] x[i] + ... by Horner's rule
void polynomial(tvm::ffi::TensorView c, tvm::ffi::TensorView x, tvm::ffi::TensorView out) {
  TVM_FFI_CHECK(c.numel() == DEGREE + 1, ValueError) << "expected " << DEGREE + 1 << " coefficients";
  const double* coefficient = static_cast<const double*>(c.data_ptr());
  for (int64_t i = 0; i < x.numel(); ++i) {
    double at = static_cast<const double*>(x.data_ptr())[i];
    double sum = 0;
    for (int k = DEGREE; k >= 0; --k) sum = sum * at + coefficient[k];
    static_cast<double*>(out.data_ptr())[i] = sum;
  }
}

double norm(double x, double y) { return std::hypot(x, y); }
"""


def load(**options: Any) -> tvm_ffi.Module:
    return tvm_ffi.cpp.load_inline("polynomials", cpp_sources=SOURCE, **options)


module = load(
    functions={"polynomial": "Evaluates a polynomial.", "norm": ""},
    extra_cflags=["-DDEGREE=2", "-O3"],
)
x = np.linspace(0, 1, 5)
out = np.empty_like(x)
module.polynomial(np.array([1.0, 0.0, 2.0]), x, out)
print(np.array_equal(out, 1 + 2 * x * x), module.norm(3.0, 4.0))

# The same text and flags again: found in the cache, so nothing is compiled.
started = time.perf_counter()
again = load(
    functions={"polynomial": "Evaluates a polynomial.", "norm": ""},
    extra_cflags=["-DDEGREE=2", "-O3"],
)
print("cached:", time.perf_counter() - started < 10, again.norm(6.0, 8.0))

# Sources may be files too, and the result may be kept: build() returns the path of the library.
with tempfile.TemporaryDirectory() as folder:
    path = tvm_ffi.cpp.build_inline(
        "kept", cpp_sources="int64_t one() { return 1; }", functions="one", build_directory=folder
    )
    print(path.endswith("kept.so"), tvm_ffi.load_module(path).one())

try:
    tvm_ffi.cpp.load_inline(
        "broken", cpp_sources="int64_t f() { return undeclared; }", functions="f"
    )
except RuntimeError as error:
    lines = str(error).splitlines()
    print(next(line for line in lines if "error:" in line).partition("error: ")[2])
