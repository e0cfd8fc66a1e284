// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <tvm/ffi/extra/c_env_api.h>

#include <cstdint>
#include <vector>

#include "c_call.h"

namespace {

template <typename Managed>
struct Source {
  alignas(64) float data[16];
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  int num_deleted = 0;
  Managed managed{};

  explicit Source(std::vector<int64_t> dims, std::vector<int64_t> steps = {})
      : shape(std::move(dims)), strides(std::move(steps)) {
    DLTensor& tensor = managed.dl_tensor;
    tensor.data = data;
    tensor.device = {kDLCPU, 0};
    tensor.dtype = {kDLFloat, 32, 1};
    tensor.ndim = static_cast<int32_t>(shape.size());
    tensor.shape = shape.data();
    tensor.strides = strides.empty() ? nullptr : strides.data();
    managed.manager_ctx = this;
    managed.deleter = [](Managed* self) { ++static_cast<Source*>(self->manager_ctx)->num_deleted; };
  }
};

using Plain = Source<DLManagedTensor>;
struct Versioned : Source<DLManagedTensorVersioned> {
  explicit Versioned(std::vector<int64_t> dims, std::vector<int64_t> steps = {})
      : Source(std::move(dims), std::move(steps)) {
    managed.version = {1, 1};
  }
};

TEST(CTensor, WrapsDLPackAndFillsStrides) {
  Plain source({2, 3, 4});
  TVMFFIObjectHandle tensor = nullptr;
  ASSERT_EQ(TVMFFITensorFromDLPack(&source.managed, 64, 1, &tensor), 0) << TakeError();
  const DLTensor* view = TVMFFITensorGetDLTensorPtr(tensor);
  EXPECT_EQ(view->data, source.data);
  EXPECT_EQ(std::vector<int64_t>(view->strides, view->strides + 3),
            (std::vector<int64_t>{12, 4, 1}));
  EXPECT_EQ(source.managed.dl_tensor.strides, nullptr);
  EXPECT_EQ(source.num_deleted, 0);
  TVMFFIObjectDecRef(tensor);
  EXPECT_EQ(source.num_deleted, 1);
}

TEST(CTensor, ScalarsNeedNoStrides) {
  Versioned source({});
  TVMFFIObjectHandle tensor = nullptr;
  ASSERT_EQ(TVMFFITensorFromDLPackVersioned(&source.managed, 0, 1, &tensor), 0) << TakeError();
  EXPECT_EQ(TVMFFITensorGetDLTensorPtr(tensor)->ndim, 0);
  TVMFFIObjectDecRef(tensor);
  EXPECT_EQ(source.num_deleted, 1);
}

TEST(CTensor, RefusalsLeaveTheSourceAlone) {
  Plain source({2, 3}, {1, 2});
  TVMFFIObjectHandle tensor = nullptr;
  EXPECT_EQ(TVMFFITensorFromDLPack(&source.managed, 0, 1, &tensor), -1);
  EXPECT_EQ(TakeError(), "RuntimeError: FromDLPack: Tensor is not contiguous.");
  source.managed.dl_tensor.byte_offset = 4;
  EXPECT_EQ(TVMFFITensorFromDLPack(&source.managed, 64, 0, &tensor), -1);
  EXPECT_EQ(TakeError(), "RuntimeError: FromDLPack: Data is not aligned to 64 bytes.");
  EXPECT_EQ(TVMFFITensorFromDLPack(nullptr, 0, 0, &tensor), -1);
  EXPECT_EQ(TakeError(), "ValueError: FromDLPack: the tensor is null");
  source.managed.dl_tensor.ndim = -1;
  EXPECT_EQ(TVMFFITensorFromDLPack(&source.managed, 0, 0, &tensor), -1);
  EXPECT_EQ(TakeError(), "ValueError: FromDLPack: `ndim` is -1; a tensor has 0 to 1024 dimensions");
  EXPECT_EQ(source.num_deleted, 0);

  Versioned padded({2});
  padded.managed.flags = DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;
  EXPECT_EQ(TVMFFITensorFromDLPackVersioned(&padded.managed, 0, 0, &tensor), -1);
  EXPECT_EQ(TakeError(), "RuntimeError: Subbyte type padded is not yet supported");
  padded.managed.version = {2, 0};
  EXPECT_EQ(TVMFFITensorFromDLPackVersioned(&padded.managed, 0, 0, &tensor), -1);
  EXPECT_EQ(TakeError(),
            "RuntimeError: FromDLPack: the tensor has DLPack version 2.0, but only version 1.x is "
            "supported");
  EXPECT_EQ(padded.num_deleted, 0);
}

TEST(CTensor, ContiguityIgnoresExtentsOfOneAndEmptyTensors) {
  Plain one({2, 1, 3}, {3, 77, 1});
  Plain empty({2, 0}, {5, 5});
  TVMFFIObjectHandle tensor = nullptr;
  EXPECT_EQ(TVMFFITensorFromDLPack(&one.managed, 0, 1, &tensor), 0) << TakeError();
  TVMFFIObjectDecRef(tensor);
  EXPECT_EQ(TVMFFITensorFromDLPack(&empty.managed, 0, 1, &tensor), 0) << TakeError();
  TVMFFIObjectDecRef(tensor);
}

TEST(CTensor, GivesDLPackThatKeepsItAlive) {
  Plain source({4});
  TVMFFIObjectHandle tensor = nullptr;
  ASSERT_EQ(TVMFFITensorFromDLPack(&source.managed, 0, 0, &tensor), 0);
  DLManagedTensor* plain = nullptr;
  DLManagedTensorVersioned* versioned = nullptr;
  ASSERT_EQ(TVMFFITensorToDLPack(tensor, &plain), 0);
  ASSERT_EQ(TVMFFITensorToDLPackVersioned(tensor, &versioned), 0);
  TVMFFIObjectDecRef(tensor);
  EXPECT_EQ(plain->dl_tensor.data, source.data);
  EXPECT_EQ(versioned->version.major, 1u);
  EXPECT_EQ(versioned->version.minor, 3u);
  EXPECT_EQ(versioned->flags, 0u);
  plain->deleter(plain);
  EXPECT_EQ(source.num_deleted, 0);
  versioned->deleter(versioned);
  EXPECT_EQ(source.num_deleted, 1);
}

TEST(CTensor, ViewsHaveTheirOwnGeometry) {
  Plain source({4, 4});
  TVMFFIObjectHandle tensor = nullptr, view = nullptr;
  ASSERT_EQ(TVMFFITensorFromDLPack(&source.managed, 0, 0, &tensor), 0);
  int64_t shape[] = {2, 2}, strides[] = {8, 2};
  DLTensor prototype = *TVMFFITensorGetDLTensorPtr(tensor);
  prototype.shape = shape;
  prototype.strides = strides;
  ASSERT_EQ(TVMFFITensorCreateUnsafeView(tensor, &prototype, &view), 0) << TakeError();
  shape[0] = strides[0] = 99;
  TVMFFIObjectDecRef(tensor);
  EXPECT_EQ(source.num_deleted, 0);
  EXPECT_EQ(TVMFFITensorGetDLTensorPtr(view)->shape[0], 2);
  EXPECT_EQ(TVMFFITensorGetDLTensorPtr(view)->strides[0], 8);
  TVMFFIObjectDecRef(view);
  EXPECT_EQ(source.num_deleted, 1);
}

TEST(CTensor, ViewsNeedStrides) {
  Plain source({4});
  TVMFFIObjectHandle tensor = nullptr, view = nullptr;
  ASSERT_EQ(TVMFFITensorFromDLPack(&source.managed, 0, 0, &tensor), 0);
  DLTensor prototype = source.managed.dl_tensor;
  EXPECT_EQ(TVMFFITensorCreateUnsafeView(tensor, &prototype, &view), -1);
  EXPECT_EQ(
      TakeError(),
      "InternalError: Check not null: prototype.strides (a view needs strides, also where they are "
      "those of compact rows)");
  TVMFFIObjectDecRef(tensor);
}

TEST(CTensor, StaysReadOnlyThroughViewsAndExports) {
  Versioned source({4}, {1});
  source.managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  TVMFFIObjectHandle tensor = nullptr, view = nullptr;
  ASSERT_EQ(TVMFFITensorFromDLPackVersioned(&source.managed, 0, 0, &tensor), 0);
  ASSERT_EQ(TVMFFITensorCreateUnsafeView(tensor, &source.managed.dl_tensor, &view), 0);
  for (TVMFFIObjectHandle object : {tensor, view}) {
    DLManagedTensorVersioned* exported = nullptr;
    ASSERT_EQ(TVMFFITensorToDLPackVersioned(object, &exported), 0);
    EXPECT_EQ(exported->flags, DLPACK_FLAG_BITMASK_READ_ONLY);
    exported->deleter(exported);
    TVMFFIObjectDecRef(object);
  }
  EXPECT_EQ(source.num_deleted, 1);
}

TEST(CTensor, OtherObjectsAreRefused) {
  TVMFFIObjectHandle opaque = nullptr;
  ASSERT_EQ(TVMFFIObjectCreateOpaque(&opaque, kTVMFFIOpaquePyObject, nullptr, &opaque), 0);
  DLManagedTensor* plain = nullptr;
  EXPECT_EQ(TVMFFITensorToDLPack(opaque, &plain), -1);
  EXPECT_EQ(TakeError(), "TypeError: ToDLPack: expected `ffi.Tensor` but got `ffi.OpaquePyObject`");
  EXPECT_EQ(TVMFFITensorToDLPack(nullptr, &plain), -1);
  EXPECT_EQ(TakeError(), "TypeError: ToDLPack: expected `ffi.Tensor` but got `None`");
  TVMFFIObjectDecRef(opaque);
}

Versioned* next_allocation = nullptr;
int allocate_status = 0;

int Allocate(DLTensor* prototype, DLManagedTensorVersioned** out, void* error_ctx,
             void (*set_error)(void*, const char*, const char*)) {
  if (allocate_status != 0) {
    // As torch tells of its errors.
    set_error(
        error_ctx, "MemoryError",
        "no room\nException raised from alloc_cpu at impl_alloc_cpu.cpp:120 (most recent call "
        "first):\nframe #0: c10::ThrowEnforceNotMet()");
    return allocate_status;
  }
  *out = next_allocation == nullptr ? nullptr : &next_allocation->managed;
  return 0;
}

TEST(CEnvTensorAlloc, GoesThroughTheAllocatorInForce) {
  DLPackManagedTensorAllocator original = nullptr;
  ASSERT_EQ(TVMFFIEnvSetDLPackManagedTensorAllocator(nullptr, 1, &original), 0);
  DLTensor prototype{};
  TVMFFIObjectHandle tensor = nullptr;
  EXPECT_EQ(TVMFFIEnvTensorAlloc(&prototype, &tensor), -1);
  EXPECT_EQ(TakeError(),
            "RuntimeError: TVMFFIEnvTensorAlloc: allocator is nullptr, likely because "
            "TVMFFIEnvSetDLPackManagedTensorAllocator has not been called.");

  ASSERT_EQ(TVMFFIEnvSetDLPackManagedTensorAllocator(Allocate, 0, nullptr), 0);
  EXPECT_EQ(TVMFFIEnvGetDLPackManagedTensorAllocator(), Allocate);
  next_allocation = nullptr;
  EXPECT_EQ(TVMFFIEnvTensorAlloc(&prototype, &tensor), -1);
  EXPECT_EQ(TakeError(),
            "RuntimeError: TVMFFIEnvTensorAlloc: failed to allocate a tensor from the allocator");
  allocate_status = -1;
  EXPECT_EQ(TVMFFIEnvTensorAlloc(&prototype, &tensor), -1);
  EXPECT_EQ(TakeError(), "MemoryError: no room");
  allocate_status = 0;
  Versioned source({3});
  next_allocation = &source;
  ASSERT_EQ(TVMFFIEnvTensorAlloc(&prototype, &tensor), 0) << TakeError();
  EXPECT_EQ(TVMFFITensorGetDLTensorPtr(tensor)->data, source.data);
  TVMFFIObjectDecRef(tensor);
  EXPECT_EQ(source.num_deleted, 1);

  DLPackManagedTensorAllocator mine = nullptr;
  ASSERT_EQ(TVMFFIEnvSetDLPackManagedTensorAllocator(original, 0, &mine), 0);
  EXPECT_EQ(mine, Allocate);
}

}  // namespace
