// SPDX-License-Identifier: Apache-2.0
// DLPack imports that describe no possible tensor raise and name what is wrong; odd but legal ones
// work.
#include <gtest/gtest.h>
#include <tvm/ffi/container/tensor.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "c_call.h"

namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

// A good tensor of float32 (2, 3) that a test spoils.
struct Source {
  alignas(64) float data[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  std::vector<int64_t> shape{2, 3};
  std::vector<int64_t> strides;
  int num_deleted = 0;
  DLTensor tensor{};

  Source() {
    tensor.data = data;
    tensor.device = {kDLCPU, 0};
    tensor.dtype = {kDLFloat, 32, 1};
  }

  void Reshape(std::vector<int64_t> extents, std::vector<int64_t> steps = {}) {
    shape = std::move(extents);
    strides = std::move(steps);
  }

  void Fill(DLTensor* out, bool keep_ndim) {
    *out = tensor;
    if (keep_ndim) return;
    out->ndim = static_cast<int32_t>(shape.size());
    out->shape = shape.data();
    out->strides = strides.empty() ? nullptr : strides.data();
  }

  // Imports in both forms, which must agree. Tells whether a tensor was made; the error text is in
  // `error`.
  bool Import(std::string* error, bool keep_ndim = false) {
    DLManagedTensor plain{};
    Fill(&plain.dl_tensor, keep_ndim);
    plain.manager_ctx = this;
    plain.deleter = [](DLManagedTensor* self) {
      ++static_cast<Source*>(self->manager_ctx)->num_deleted;
    };
    DLManagedTensorVersioned versioned{};
    Fill(&versioned.dl_tensor, keep_ndim);
    versioned.version = {1, 3};
    TVMFFIObjectHandle first = nullptr, second = nullptr;
    const int code = TVMFFITensorFromDLPack(&plain, 0, 0, &first);
    *error = TakeError();
    EXPECT_EQ(TVMFFITensorFromDLPackVersioned(&versioned, 0, 0, &second), code);
    EXPECT_EQ(TakeError(), *error);
    // Both are gone after this function.
    if (first != nullptr) TVMFFIObjectDecRef(first);
    if (second != nullptr) TVMFFIObjectDecRef(second);
    return second != nullptr;
  }

  std::string ErrorOfImport(bool keep_ndim = false) {
    std::string error;
    EXPECT_FALSE(Import(&error, keep_ndim));
    EXPECT_EQ(num_deleted, 0) << "a refused tensor stays with its owner";
    return error;
  }

  void ExpectImports() {
    std::string error;
    EXPECT_TRUE(Import(&error)) << error;
    EXPECT_EQ(num_deleted, 1);
  }
};

TEST(HostileDLPack, Dimensions) {
  Source source;
  source.tensor.ndim = -1;
  EXPECT_EQ(source.ErrorOfImport(true),
            "ValueError: FromDLPack: `ndim` is -1; a tensor has 0 to 1024 dimensions");
  source.tensor.ndim = std::numeric_limits<int32_t>::max();
  source.tensor.shape = source.shape.data();
  EXPECT_EQ(source.ErrorOfImport(true),
            "ValueError: FromDLPack: `ndim` is 2147483647; a tensor has 0 to 1024 dimensions");
  source.tensor.ndim = 2;
  source.tensor.shape = nullptr;
  EXPECT_EQ(source.ErrorOfImport(true), "ValueError: FromDLPack: `shape` is null, but `ndim` is 2");
}

TEST(HostileDLPack, Extents) {
  Source source;
  source.Reshape({2, -3});
  EXPECT_EQ(source.ErrorOfImport(),
            "ValueError: FromDLPack: `shape[1]` is -3; an extent can't be negative");
  source.Reshape({0, std::numeric_limits<int64_t>::min()});
  EXPECT_EQ(source.ErrorOfImport(),
            "ValueError: FromDLPack: `shape[1]` is -9223372036854775808; an extent can't be "
            "negative");
  const std::string too_many = " has more elements than can be addressed";
  source.Reshape({kMost, 2});
  EXPECT_EQ(source.ErrorOfImport(),
            "ValueError: FromDLPack: `shape` (9223372036854775807, 2)" + too_many);
  // Countable, but not their bytes.
  source.Reshape({kMost / 4 + 1});
  EXPECT_EQ(source.ErrorOfImport(),
            "ValueError: FromDLPack: `shape` (2305843009213693952)" + too_many);
  // Broadcast: strides of 0 take no memory, but nobody can count the elements.
  source.Reshape({kMost, kMost}, {0, 0});
  EXPECT_EQ(source.ErrorOfImport(),
            "ValueError: FromDLPack: `shape` (9223372036854775807, "
            "9223372036854775807)" +
                too_many);
}

TEST(HostileDLPack, Strides) {
  Source source;
  const std::string apart =
      "ValueError: FromDLPack: `strides` put elements of a tensor of shape "
      "(2, 3) further apart than memory reaches";
  for (int64_t step : {kMost, -kMost - 1, kMost / 2, kMost / 8}) {
    source.Reshape({2, 3}, {1, step});
    EXPECT_EQ(source.ErrorOfImport(), apart) << step;
  }
  source.Reshape({2, 3}, {kMost - 3, 2});
  EXPECT_EQ(source.ErrorOfImport(), apart);
}

TEST(HostileDLPack, DataTypes) {
  Source source;
  source.tensor.dtype = {18, 8, 1};
  EXPECT_EQ(source.ErrorOfImport(),
            "ValueError: FromDLPack: `dtype.code` 18 stands for no data type");
  source.tensor.dtype = {128, 8, 1};
  EXPECT_EQ(source.ErrorOfImport(),
            "ValueError: FromDLPack: `dtype.code` 128 stands for no data type");
  source.tensor.dtype = {kDLInt, 0, 1};
  EXPECT_EQ(source.ErrorOfImport(),
            "ValueError: FromDLPack: `dtype` has 0 bits and 1 lanes; elements need at least one "
            "of each");
  source.tensor.dtype = {kDLInt, 8, 0};
  EXPECT_EQ(source.ErrorOfImport(),
            "ValueError: FromDLPack: `dtype` has 8 bits and 0 lanes; elements need at least one "
            "of each");
}

TEST(HostileDLPack, Memory) {
  Source source;
  source.tensor.data = nullptr;
  EXPECT_EQ(source.ErrorOfImport(),
            "ValueError: FromDLPack: `data` is null, but a tensor of shape (2, 3) has 6 elements");
  source.Reshape({});
  EXPECT_EQ(source.ErrorOfImport(),
            "ValueError: FromDLPack: `data` is null, but a tensor of shape () has 1 element");
  source = Source();
  source.tensor.data = source.data;
  source.tensor.byte_offset = std::numeric_limits<uint64_t>::max() - 100;
  EXPECT_EQ(source.ErrorOfImport(),
            "ValueError: FromDLPack: `byte_offset` 18446744073709551515 puts elements beyond the "
            "end of memory");
  source.tensor.device = {kDLVulkan, 0};
  source.tensor.data = nullptr;
  source.tensor.byte_offset = uint64_t{1} << 63;
  EXPECT_EQ(source.ErrorOfImport(),
            "ValueError: FromDLPack: `byte_offset` 9223372036854775808 puts elements beyond the "
            "end of memory");
  source.tensor.device = {kDLCPU, 0};
  source.tensor.byte_offset = 0;
  source.tensor.data = reinterpret_cast<void*>(uintptr_t{4});
  source.Reshape({2, 3}, {3, -1});
  EXPECT_EQ(source.ErrorOfImport(),
            "ValueError: FromDLPack: `byte_offset` 0 puts elements beyond the end of memory");
}

TEST(HostileDLPack, Alignment) {
  Source source;
  DLManagedTensor plain{};
  source.Fill(&plain.dl_tensor, false);
  TVMFFIObjectHandle out = nullptr;
  EXPECT_EQ(TVMFFITensorFromDLPack(&plain, -8, 0, &out), -1);
  EXPECT_EQ(TakeError(),
            "ValueError: FromDLPack: the required alignment is -8 bytes; it can't be "
            "negative");
}

TEST(OddDLPack, IsImported) {
  Source scalar;
  scalar.Reshape({});
  scalar.ExpectImports();

  Source empty;  // no elements need no memory, whatever the other extents and the strides are
  empty.tensor.data = nullptr;
  empty.Reshape({2, 0, kMost, kMost});
  empty.ExpectImports();
  empty.num_deleted = 0;
  empty.Reshape({2, 0}, {kMost, kMost});
  empty.ExpectImports();

  Source broadcast;
  broadcast.Reshape({1000000, 3}, {0, 1});
  broadcast.ExpectImports();

  Source handle;  // on devices whose data is a handle, null may be one
  handle.tensor.data = nullptr;
  handle.tensor.device = {kDLVulkan, 0};
  handle.ExpectImports();

  for (DLDataType dtype : {DLDataType{kDLComplex, 64, 1}, DLDataType{kDLFloat4_e2m1fn, 4, 2},
                           DLDataType{kDLOpaqueHandle, 64, 1}, DLDataType{200, 16, 1},
                           DLDataType{kDLBool, 1, 1}, DLDataType{kDLUInt, 1, 32}}) {
    Source typed;
    typed.tensor.dtype = dtype;
    typed.ExpectImports();
  }
}

TEST(OddDLPack, NegativeStridesRunBackwards) {
  Source source;
  source.tensor.data = &source.data[5];
  source.Reshape({2, 3}, {-3, -1});
  std::string error;
  DLManagedTensor plain{};
  source.Fill(&plain.dl_tensor, false);
  tvm::ffi::Tensor tensor = tvm::ffi::Tensor::FromDLPack(&plain);
  EXPECT_FALSE(tensor.IsContiguous());
  const float* data = static_cast<const float*>(tensor.data_ptr());
  std::vector<float> seen;
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t j = 0; j < 3; ++j) {
      seen.push_back(data[i * tensor.stride(0) + j * tensor.stride(1)]);
    }
  }
  EXPECT_EQ(seen, (std::vector<float>{5, 4, 3, 2, 1, 0}));
}

TEST(HostileDLPack, ViewsAreCheckedToo) {
  Source source;
  DLManagedTensor plain{};
  source.Fill(&plain.dl_tensor, false);
  tvm::ffi::Tensor tensor = tvm::ffi::Tensor::FromDLPack(&plain);
  auto view = [&](const tvm::ffi::Shape& shape, const tvm::ffi::Shape& strides) {
    try {
      tensor.as_strided(shape, strides);
    } catch (const tvm::ffi::Error& error) {
      return error.kind() + ": " + error.message();
    }
    return std::string();
  };
  EXPECT_EQ(view({3, 2}, {1, 3}), "");
  EXPECT_EQ(view({3, -2}, {1, 3}),
            "ValueError: TVMFFITensorCreateUnsafeView: `shape[1]` is -2; an extent can't be "
            "negative");
  EXPECT_EQ(view({2, 2}, {kMost, kMost}),
            "ValueError: TVMFFITensorCreateUnsafeView: `strides` put elements of a tensor of "
            "shape (2, 2) further apart than memory reaches");
  TVMFFIObjectHandle out = nullptr;
  EXPECT_EQ(
      TVMFFITensorCreateUnsafeView(
          tvm::ffi::detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(tensor), nullptr, &out),
      -1);
  EXPECT_EQ(TakeError(), "ValueError: TVMFFITensorCreateUnsafeView: the prototype is null");
}

}  // namespace
