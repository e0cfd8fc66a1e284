# SPDX-License-Identifier: Apache-2.0
"""PyTorch tensors as arguments and results: no copy, on the CPU and on a GPU alike."""

from collections.abc import Callable

import torch
import tvm_ffi
import tvm_ffi.cpp

SOURCE = """
void scale(tvm::ffi::TensorView x, double factor) {
  TVM_FFI_CHECK(x.IsContiguous(), ValueError) << "x must be contiguous";
  TVM_FFI_CHECK(x.device().device_type == kDLCPU, ValueError) << "x must be on the CPU";
  TVM_FFI_CHECK((x.dtype() == DLDataType{kDLFloat, 32, 1}), TypeError) << "x must be float32";
  for (int64_t i = 0; i < x.numel(); ++i) static_cast<float*>(x.data_ptr())[i] *= static_cast<float>(factor);
}

tvm::ffi::Tensor same(tvm::ffi::Tensor x) { return x; }
"""
module = tvm_ffi.cpp.load_inline("torch_example", cpp_sources=SOURCE, functions=["scale", "same"])

x = torch.arange(4, dtype=torch.float32)
module.scale(x, 10.0)  # written in place: the memory is shared
print(x.tolist())

y = module.same(x)  # a torch tensor went in, so one comes out
print(type(y).__name__, y.data_ptr() == x.data_ptr())

z = tvm_ffi.from_dlpack(x)  # and without a call
print(z, torch.from_dlpack(z).tolist())

mistakes: list[Callable[[], object]] = [
    lambda: module.scale(x[::2], 1.0),
    lambda: module.scale(x.double(), 1.0),
]
for wrong in mistakes:
    try:
        wrong()
    except (TypeError, ValueError) as error:
        print(f"{type(error).__name__}: {str(error).partition(': ')[2].partition(': ')[2]}")
