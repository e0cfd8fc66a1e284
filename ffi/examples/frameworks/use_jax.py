# SPDX-License-Identifier: Apache-2.0
"""JAX arrays as arguments. They never change, so a library reads them and writes to an array of its own."""

import jax.numpy as jnp
import numpy as np
import tvm_ffi.cpp

SOURCE = """
void add_one(tvm::ffi::TensorView x, tvm::ffi::TensorView out) {
  constexpr DLDataType kFloat32{kDLFloat, 32, 1};
  TVM_FFI_CHECK(x.dtype() == kFloat32 && out.dtype() == kFloat32, TypeError) << "x and out must be float32";
  TVM_FFI_CHECK(x.numel() == out.numel(), ValueError) << "x and out must be of one size";
  for (int64_t i = 0; i < x.numel(); ++i) {
    static_cast<float*>(out.data_ptr())[i] = static_cast<const float*>(x.data_ptr())[i] + 1;
  }
}
"""
module = tvm_ffi.cpp.load_inline("jax_example", cpp_sources=SOURCE, functions="add_one")

x = jnp.arange(4, dtype="float32")
out = np.empty(4, "float32")
module.add_one(x, out)  # x is read where it lies
print(jnp.asarray(out).tolist(), x.tolist())

try:
    module.add_one(jnp.arange(4), out)
except TypeError as error:
    print(f"TypeError: {str(error).partition(': ')[2].partition(': ')[2]}")
