// SPDX-License-Identifier: Apache-2.0
/*!
 * \file dlpack.cc
 * \brief DLPack imports of any geometry: a tensor, or an error that leaves the source alone.
 *
 * An import that succeeds must describe elements whose places can be computed: the target reads the
 * first and the last one when the memory is real.
 */
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/dataclass.h>

#include <memory>
#include <vector>

#include "input.h"

namespace {

using namespace tvm::ffi;

constexpr size_t kDataBytes = 4096;
// More dimensions than that must be refused without a look at the extents.
constexpr int32_t kMostDims = 2048;

struct Source {
  DLManagedTensorVersioned versioned{};
  DLManagedTensor plain{};
  std::unique_ptr<int64_t[]> shape, strides;
  int num_deleted = 0;
};

int64_t Extent(fuzz::Input* input) {
  switch (input->Below(8)) {
    case 0:
      return input->Take<int64_t>();
    case 1:
      return int64_t{1} << input->Below(64);
    case 2:
      return -static_cast<int64_t>(input->Below(9));
    default:
      return static_cast<int64_t>(input->Below(9));
  }
}

std::unique_ptr<int64_t[]> Extents(fuzz::Input* input, int32_t ndim) {
  if (input->Below(8) == 0) return nullptr;
  // Exact size: reading one more is caught.
  const size_t count = ndim < 0 || ndim > kMostDims ? 1 : static_cast<size_t>(ndim);
  auto out = std::make_unique<int64_t[]>(count);
  for (size_t i = 0; i < count; ++i) out[i] = Extent(input);
  return out;
}

void ReadTensor(const DLTensor& tensor, const char* memory) {
  for (int32_t i = 0; i < tensor.ndim; ++i) {
    fuzz::Require(tensor.shape[i] >= 0, "extents are not negative");
    if (tensor.shape[i] == 0) return;
  }
  const auto bits = static_cast<__int128>(tensor.dtype.bits) * tensor.dtype.lanes;
  fuzz::Require(bits > 0, "elements have a size");
  fuzz::Require(tensor.device.device_type != kDLCPU || tensor.data != nullptr,
                "elements have memory");
  __int128 first = 0, last = 0;  // of the elements' positions
  for (int32_t i = 0; i < tensor.ndim; ++i) {
    const __int128 span = static_cast<__int128>(tensor.shape[i] - 1) * tensor.strides[i];
    (span < 0 ? first : last) += span;
  }
  const __int128 limit = static_cast<__int128>(1) << 63;
  const __int128 begin = first * bits / 8 + tensor.byte_offset;
  const __int128 end = (last + 1) * bits / 8 + tensor.byte_offset;
  fuzz::Require(begin > -limit && end < limit, "places of elements fit int64");
  if (tensor.data != memory || begin < 0 || end > static_cast<__int128>(kDataBytes)) return;
  volatile char sink = memory[static_cast<size_t>(begin)];
  sink = memory[static_cast<size_t>(end) - (end > begin ? 1 : 0)];
  (void)sink;
}

template <typename Managed, typename Import>
void ImportOne(Source* source, Managed* managed, const DLTensor& tensor, const char* memory,
               int32_t align, int32_t contiguous, Import import) {
  managed->dl_tensor = tensor;
  managed->manager_ctx = source;
  managed->deleter = [](Managed* self) { ++static_cast<Source*>(self->manager_ctx)->num_deleted; };
  source->num_deleted = 0;
  TVMFFIObjectHandle out = nullptr;
  if (import(managed, align, contiguous, &out) != 0) {
    TVMFFIObjectHandle error = nullptr;
    TVMFFIErrorMoveFromRaised(&error);
    fuzz::Require(error != nullptr, "a failure has an error");
    TVMFFIObjectDecRef(error);
    fuzz::Require(source->num_deleted == 0 && out == nullptr, "a failed import takes nothing");
    return;
  }
  {
    const Tensor imported(
        detail::ObjectUnsafe::ObjectPtrFromOwned<TensorObj>(static_cast<TVMFFIObject*>(out)));
    ReadTensor(*imported.GetDLTensorPtr(), memory);
    fuzz::Succeeds([&] { ReprPrint(Any(imported)); });
    imported.IsContiguous();
    fuzz::Succeeds([&] { imported.numel(); });
    DLManagedTensor* exported = imported.ToDLPack();
    exported->deleter(exported);
  }
  fuzz::Require(source->num_deleted == 1, "a tensor gives its source back once");
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto memory = std::make_unique<char[]>(kDataBytes);
  fuzz::Input input(data, size);
  Source source;
  DLTensor tensor{};
  const uint8_t what = input.Byte();
  switch (what % 4) {
    case 0:
      tensor.data = nullptr;
      break;
    case 1:
      tensor.data = reinterpret_cast<void*>(input.Take<uintptr_t>());
      break;
    default:
      tensor.data = memory.get();
  }
  tensor.ndim = what & 16 ? input.Take<int32_t>() : static_cast<int32_t>(input.Below(6));
  tensor.device = what & 32 ? input.Take<DLDevice>() : DLDevice{kDLCPU, 0};
  tensor.dtype = what & 64 ? input.Take<DLDataType>() : DLDataType{kDLFloat, 32, 1};
  tensor.byte_offset = what & 128 ? input.Take<uint64_t>() : input.Below(64);
  source.shape = Extents(&input, tensor.ndim);
  source.strides = Extents(&input, tensor.ndim);
  tensor.shape = source.shape.get();
  tensor.strides = source.strides.get();
  const int32_t align = input.Below(4) == 0 ? input.Take<int32_t>() : 0;
  const int32_t contiguous = static_cast<int32_t>(input.Below(2));
  ImportOne(&source, &source.plain, tensor, memory.get(), align, contiguous,
            TVMFFITensorFromDLPack);
  source.versioned.version = {1, input.Byte()};
  source.versioned.flags = input.Byte() % 8;
  ImportOne(&source, &source.versioned, tensor, memory.get(), align, contiguous,
            TVMFFITensorFromDLPackVersioned);
  return 0;
}
