// SPDX-License-Identifier: Apache-2.0
// Shape, Tensor and TensorView.
#include <gtest/gtest.h>
#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>

#include <cstdlib>
#include <limits>
#include <sstream>
#include <utility>
#include <vector>

#include "expect_error.h"

namespace {

using namespace tvm::ffi;

const DLDataType kFloat32{kDLFloat, 32, 1};
const DLDevice kCpu{kDLCPU, 0};

struct CountedAlloc {
  int* live;
  void AllocData(DLTensor* tensor) {
    tensor->data = std::malloc(GetDataSize(*tensor) + 1);
    ++*live;
  }
  void FreeData(DLTensor* tensor) {
    std::free(tensor->data);
    --*live;
  }
};

TEST(Shape, ProductsAreExactOrErrors) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(Shape({}).Product(), 1);
  EXPECT_EQ(Shape({most, 1}).Product(), most);
  EXPECT_EQ(Shape({most, most, 0}).Product(), 0);
  EXPECT_EQ(Shape({0, most, most}).Product(), 0);
  ExpectError("ValueError", "the product of the extents does not fit int64",
              [&] { Shape({most, 2}).Product(); });
  // Cut to 64 bits, this product would be 0.
  ExpectError("ValueError", "the product of the extents does not fit int64",
              [&] { Shape({int64_t{1} << 32, int64_t{1} << 32}).Product(); });
}

TEST(Shape, FormsAndAccess) {
  const Shape shape = {2, 3, 4};
  EXPECT_EQ(shape.size(), 3u);
  EXPECT_EQ(shape[1], 3);
  EXPECT_EQ(shape.front(), 2);
  EXPECT_EQ(shape.back(), 4);
  EXPECT_EQ(shape.Product(), 24);
  EXPECT_EQ(Shape().Product(), 1);
  EXPECT_EQ(Shape(std::vector<int64_t>{5, 6}).at(1), 6);
  EXPECT_EQ(Shape(Array<int64_t>{7}).at(0), 7);
  const Shape strides = Shape::StridesFromShape(shape);
  EXPECT_EQ(std::vector<int64_t>(strides.begin(), strides.end()), (std::vector<int64_t>{12, 4, 1}));
  std::ostringstream os;
  os << shape << Shape();
  EXPECT_EQ(os.str(), "[2, 3, 4][]");
  ExpectError("IndexError", "indexing 3 on a Shape of size 3", [&] { shape.at(3); });
}

TEST(Shape, Layout) {
  const Shape shape = {2, 3};
  const char* object = reinterpret_cast<const char*>(shape.get());
  const TVMFFIShapeCell* cell = TVMFFIShapeGetCellPtr(const_cast<ShapeObj*>(shape.get()));
  EXPECT_EQ(reinterpret_cast<const char*>(cell), object + 24);
  EXPECT_EQ(reinterpret_cast<const char*>(cell->data), object + 40);
  EXPECT_EQ(cell->size, 2u);
}

TEST(Shape, ConvertsFromSequencesOfIntegers) {
  EXPECT_EQ(Any(Array<Any>{1, 2}).cast<Shape>().Product(), 2);
  EXPECT_EQ(Any(List<Any>{3, 4}).cast<Shape>().Product(), 12);
  EXPECT_FALSE(Any(Array<Any>{1, "x"}).try_cast<Shape>().has_value());
  EXPECT_FALSE(Any(Array<Any>{1}).as<Shape>().has_value());
}

TEST(Tensor, FromAllocator) {
  int live = 0;
  {
    const Tensor tensor = Tensor::FromNDAlloc(CountedAlloc{&live}, {2, 3}, kFloat32, kCpu);
    EXPECT_EQ(live, 1);
    EXPECT_EQ(tensor.ndim(), 2);
    EXPECT_EQ(tensor.numel(), 6);
    EXPECT_EQ(tensor.size(-1), 3);
    EXPECT_EQ(tensor.stride(0), 3);
    EXPECT_EQ(tensor.stride(-1), 1);
    EXPECT_TRUE(tensor.IsContiguous());
    EXPECT_EQ(GetDataSize(tensor), 24u);
    const char* object =
        reinterpret_cast<const char*>(detail::ObjectUnsafe::RawObjectPtrFromObjectRef(tensor));
    EXPECT_EQ(reinterpret_cast<const char*>(tensor.GetDLTensorPtr()), object + 24);
    ExpectError("IndexError", "Index 2 out of bounds for tensor with 2 dimensions",
                [&] { tensor.size(2); });
    ExpectError("IndexError", "Index -3 out of bounds for tensor with 2 dimensions",
                [&] { tensor.stride(-3); });
  }
  EXPECT_EQ(live, 0);
}

TEST(Tensor, ExplicitStrides) {
  int live = 0;
  const Tensor tensor =
      Tensor::FromNDAllocStrided(CountedAlloc{&live}, {2, 3}, {1, 2}, kFloat32, kCpu);
  EXPECT_FALSE(tensor.IsContiguous());
  EXPECT_EQ(tensor.stride(1), 2);
  ExpectError("ValueError", "shape and strides must have the same size.", [&] {
    Tensor::FromNDAllocStrided(CountedAlloc{&live}, {2, 3}, {1}, kFloat32, kCpu);
  });
}

TEST(Tensor, ContiguityIgnoresUnitAndEmptyExtents) {
  int64_t shape[3] = {1, 4, 1};
  int64_t strides[3] = {77, 1, 99};
  DLTensor tensor{};
  tensor.ndim = 3;
  tensor.shape = shape;
  tensor.strides = strides;
  EXPECT_TRUE(IsContiguous(tensor));
  strides[1] = 2;
  EXPECT_FALSE(IsContiguous(tensor));
  shape[2] = 0;
  EXPECT_TRUE(IsContiguous(tensor));
  tensor.strides = nullptr;
  EXPECT_TRUE(IsContiguous(tensor));
}

TEST(Tensor, DataSizeRoundsUpToBytes) {
  EXPECT_EQ(GetDataSize(3, DLDataType{kDLFloat, 4, 1}), 2u);
  EXPECT_EQ(GetDataSize(2, DLDataType{kDLFloat, 4, 2}), 2u);
  EXPECT_EQ(GetDataSize(5, DLDataType{kDLInt, 16, 2}), 20u);
  EXPECT_EQ(GetDataSize(0, kFloat32), 0u);
}

TEST(Tensor, StridedViewKeepsTheSourceAlive) {
  int live = 0;
  Tensor view;
  {
    const Tensor tensor = Tensor::FromNDAlloc(CountedAlloc{&live}, {4, 4}, kFloat32, kCpu);
    for (int i = 0; i < 16; ++i) static_cast<float*>(tensor.data_ptr())[i] = static_cast<float>(i);
    view = tensor.as_strided({2, 2}, {8, 2}, 1);
  }
  EXPECT_EQ(live, 1);
  EXPECT_EQ(view.byte_offset(), 0u);
  const float* data = static_cast<const float*>(view.data_ptr());
  EXPECT_EQ(data[0], 1.0f);
  EXPECT_EQ(data[view.stride(0) + view.stride(1)], 11.0f);
  const Tensor scalar = view.as_strided({}, {}, 2);
  EXPECT_EQ(scalar.ndim(), 0);
  EXPECT_EQ(*static_cast<const float*>(scalar.data_ptr()), 3.0f);
  view = Tensor();
  EXPECT_EQ(live, 1);
}

TEST(Tensor, RoundTripThroughDLPack) {
  int live = 0;
  {
    Tensor tensor = Tensor::FromNDAlloc(CountedAlloc{&live}, {2, 3}, kFloat32, kCpu);
    const void* data = tensor.data_ptr();
    DLManagedTensorVersioned* managed = tensor.ToDLPackVersioned();
    tensor = Tensor();
    const Tensor back = Tensor::FromDLPackVersioned(managed, 4, true);
    EXPECT_EQ(back.data_ptr(), data);
    EXPECT_EQ(back.size(1), 3);
    EXPECT_EQ(back.stride(0), 3);
    const Tensor legacy = Tensor::FromDLPack(back.ToDLPack());
    EXPECT_EQ(legacy.data_ptr(), data);
  }
  EXPECT_EQ(live, 0);
}

TEST(TensorView, BorrowsAndConverts) {
  int live = 0;
  const Tensor tensor = Tensor::FromNDAlloc(CountedAlloc{&live}, {2, 3}, kFloat32, kCpu);
  const TensorView view = tensor;
  EXPECT_EQ(view.data_ptr(), tensor.data_ptr());
  EXPECT_EQ(view.size(-2), 2);
  const AnyView packed = view;
  EXPECT_EQ(packed.type_index(), kTVMFFIDLTensorPtr);
  EXPECT_EQ(packed.cast<TensorView>().numel(), 6);
  EXPECT_EQ(AnyView(tensor).cast<TensorView>().numel(), 6);
  EXPECT_FALSE(packed.try_cast<Tensor>().has_value());
  static_assert(!std::is_constructible_v<TensorView, Tensor&&>);
  const Tensor null;
  ExpectError("InternalError", "Check not null: tensor.GetDLTensorPtr() ",
              [&] { TensorView broken(null); });
  DLTensor* no_tensor = nullptr;
  EXPECT_FALSE(AnyView(no_tensor).try_cast<TensorView>().has_value());
}

TEST(TensorView, CompactTensorWithoutStrides) {
  int64_t shape[2] = {2, 5};
  DLTensor tensor{};
  tensor.ndim = 2;
  tensor.shape = shape;
  const TensorView view(&tensor);
  EXPECT_EQ(view.stride(0), 5);
  EXPECT_EQ(view.stride(1), 1);
  EXPECT_THROW(view.strides(), Error);
}

}  // namespace
