// SPDX-License-Identifier: Apache-2.0
// Loads the exported kernels and classifies the digits. Needs libtvm_ffi alone.
// usage: classify LIBRARY DATA
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

namespace ffi = tvm::ffi;

namespace {

constexpr DLDataType kFloat32{kDLFloat, 32, 1};
constexpr DLDataType kInt32{kDLInt, 32, 1};
constexpr DLDevice kCpu{kDLCPU, 0};

struct HostMemory {
  void AllocData(DLTensor* tensor) { tensor->data = std::malloc(ffi::GetDataSize(*tensor)); }
  void FreeData(DLTensor* tensor) { std::free(tensor->data); }
};

ffi::Tensor Empty(const std::vector<int64_t>& shape, DLDataType dtype) {
  return ffi::Tensor::FromNDAlloc(HostMemory(), ffi::Shape(shape), dtype, kCpu);
}

// Reads the next array: int64 ndim, extents, then elements of 4 bytes.
ffi::Tensor Read(std::ifstream& file, DLDataType dtype) {
  int64_t ndim = 0;
  file.read(reinterpret_cast<char*>(&ndim), sizeof ndim);
  TVM_FFI_CHECK(file && ndim >= 0 && ndim <= 8, ValueError) << "the data file is not as expected";
  std::vector<int64_t> shape(static_cast<size_t>(ndim));
  file.read(reinterpret_cast<char*>(shape.data()), ndim * 8);
  ffi::Tensor tensor = Empty(shape, dtype);
  file.read(static_cast<char*>(tensor.data_ptr()), tensor.numel() * 4);
  TVM_FFI_CHECK(file, ValueError) << "the data file ends early";
  return tensor;
}

int Classify(const char* library, const char* data) {
  ffi::Module module = ffi::Module::LoadFromFile(library);
  auto kernel = [&](const char* name) { return module->GetFunction(name, false).value(); };

  std::ifstream file(data, std::ios::binary);
  ffi::Tensor images = Read(file, kFloat32);
  ffi::Tensor w1 = Read(file, kFloat32), b1 = Read(file, kFloat32);
  ffi::Tensor w2 = Read(file, kFloat32), b2 = Read(file, kFloat32);
  ffi::Tensor labels = Read(file, kInt32), expected = Read(file, kInt32);

  int64_t n = images.size(0);
  ffi::Tensor hidden = Empty({n, w1.size(1)}, kFloat32);
  ffi::Tensor scores = Empty({n, w2.size(1)}, kFloat32);
  ffi::Tensor chances = Empty({n, w2.size(1)}, kFloat32);
  ffi::Tensor predicted = Empty({n}, kInt32);
  kernel("dense_relu")(images, w1, b1, hidden);
  kernel("dense")(hidden, w2, b2, scores);
  kernel("softmax")(scores, chances);
  kernel("argmax")(chances, predicted);

  const int32_t* got = static_cast<const int32_t*>(predicted.data_ptr());
  const int32_t* truth = static_cast<const int32_t*>(labels.data_ptr());
  const int32_t* numpy = static_cast<const int32_t*>(expected.data_ptr());
  int64_t right = 0, different = 0;
  for (int64_t i = 0; i < n; ++i) {
    right += got[i] == truth[i];
    different += got[i] != numpy[i];
  }
  std::printf("%lld of %lld digits right, %lld predictions differ from numpy's\n",
              static_cast<long long>(right), static_cast<long long>(n),
              static_cast<long long>(different));
  return different == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s LIBRARY DATA\n", argv[0]);
    return 2;
  }
  try {
    return Classify(argv[1], argv[2]);
  } catch (const ffi::Error& error) {
    std::fprintf(stderr, "%s: %s\n", error.kind().c_str(), error.what());
    return 1;
  }
}
