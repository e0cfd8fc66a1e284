// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/tensor.h
 * \brief Tensor, which owns its data, and TensorView, which borrows a DLTensor.
 */
#ifndef TVM_FFI_CONTAINER_TENSOR_H_
#define TVM_FFI_CONTAINER_TENSOR_H_

#include <tvm/ffi/c_api.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/type_traits.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace tvm {
namespace ffi {

/*! \brief Whether `DLTensor::data` on this device is an address that offsets can be added to. */
inline bool IsDirectAddressDevice(const DLDevice& device) {
  return device.device_type <= kDLCUDAHost || device.device_type == kDLCUDAManaged ||
         device.device_type == kDLROCM || device.device_type == kDLROCMHost;
}

/*!
 * \brief Whether the elements lie in row-major order without gaps.
 *
 * Null strides and tensors without elements are contiguous; strides of extents 1 do not matter.
 */
inline bool IsContiguous(const DLTensor& arr) {
  if (arr.strides == nullptr) return true;
  for (int32_t i = 0; i < arr.ndim; ++i) {
    if (arr.shape[i] == 0) return true;
  }
  int64_t expected = 1;
  for (int32_t i = arr.ndim; i > 0; --i) {
    const int32_t k = i - 1;
    if (arr.shape[k] == 1) continue;
    if (arr.strides[k] != expected) return false;
    expected *= arr.shape[k];
  }
  return true;
}

/*!
 * \brief Whether the first element is aligned to `alignment` bytes.
 *
 * On devices whose data is an opaque handle, only the byte offset is looked at.
 */
inline bool IsAligned(const DLTensor& arr, size_t alignment) {
  if (alignment == 0) return true;
  if (IsDirectAddressDevice(arr.device)) {
    return (reinterpret_cast<uintptr_t>(arr.data) + static_cast<uintptr_t>(arr.byte_offset)) %
               alignment ==
           0;
  }
  return arr.byte_offset % alignment == 0;
}

/*! \brief Bytes taken by `numel` elements packed without gaps. */
inline size_t GetDataSize(size_t numel, DLDataType dtype) {
  return (numel * dtype.bits * dtype.lanes + 7) / 8;
}
/*! \brief Bytes taken by the elements of `arr` when packed without gaps. */
inline size_t GetDataSize(const DLTensor& arr) {
  size_t numel = 1;
  for (int32_t i = 0; i < arr.ndim; ++i) numel *= static_cast<size_t>(arr.shape[i]);
  return GetDataSize(numel, arr.dtype);
}

namespace detail {

TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowTensorIndex(int64_t index, int32_t ndim) {
  TVM_FFI_THROW(IndexError) << "Index " << index << " out of bounds for tensor with " << ndim
                            << " dimensions";
}

/*! \brief Position of dimension `index`, which counts from the end when it is negative. */
inline int32_t TensorDim(int64_t index, int32_t ndim) {
  const int64_t dim = index < 0 ? index + ndim : index;
  if (TVM_FFI_PREDICT_FALSE(dim < 0 || dim >= ndim)) ThrowTensorIndex(index, ndim);
  return static_cast<int32_t>(dim);
}

inline int64_t TensorSize(const DLTensor& arr, int64_t index) {
  return arr.shape[TensorDim(index, arr.ndim)];
}

inline int64_t TensorStride(const DLTensor& arr, int64_t index) {
  const int32_t dim = TensorDim(index, arr.ndim);
  if (arr.strides != nullptr) return arr.strides[dim];
  int64_t stride = 1;
  for (int32_t i = dim + 1; i < arr.ndim; ++i) stride *= arr.shape[i];
  return stride;
}

inline ShapeView TensorShape(const DLTensor& arr) {
  return ShapeView(arr.shape, static_cast<size_t>(arr.ndim));
}

inline ShapeView TensorStrides(const DLTensor& arr) {
  if (arr.strides == nullptr && arr.ndim != 0) {
    TVM_FFI_THROW(RuntimeError)
        << "the tensor is compact and has no strides in memory; use stride(i)";
  }
  return ShapeView(arr.strides, static_cast<size_t>(arr.ndim));
}

inline void CheckSameRank(ShapeView shape, ShapeView strides) {
  if (TVM_FFI_PREDICT_TRUE(shape.size() == strides.size())) return;
  TVM_FFI_THROW(ValueError) << "shape and strides must have the same size.";
}

/*! \brief `arr` with another shape, strides and start; nothing is copied. */
inline DLTensor StridedPrototype(DLTensor arr, ShapeView shape, ShapeView strides,
                                 std::optional<int64_t> element_offset) {
  CheckSameRank(shape, strides);
  arr.ndim = static_cast<int32_t>(shape.size());
  arr.shape = const_cast<int64_t*>(shape.data());
  arr.strides = const_cast<int64_t*>(strides.data());
  const int64_t offset = element_offset.value_or(0);
  if (offset != 0) {
    if (offset < 0) {
      TVM_FFI_THROW(ValueError) << "element_offset must not be negative, got " << offset;
    }
    arr.byte_offset += GetDataSize(static_cast<size_t>(offset), arr.dtype);
  }
  if (arr.byte_offset != 0 && IsDirectAddressDevice(arr.device)) {
    arr.data = static_cast<char*>(arr.data) + arr.byte_offset;
    arr.byte_offset = 0;
  }
  return arr;
}

}  // namespace detail

/*! \brief Object behind Tensor: a DLTensor whose shape and strides it owns. */
class TensorObj : public Object, public DLTensor {
 public:
  TensorObj() : DLTensor{} {}

  /*! \brief A new DLPack tensor that shares the data and keeps this object alive. */
  DLManagedTensor* ToDLPack() const {
    DLManagedTensor* out = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFITensorToDLPack(detail::ObjectUnsafe::GetHeader(this), &out));
    return out;
  }
  DLManagedTensorVersioned* ToDLPackVersioned() const {
    DLManagedTensorVersioned* out = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(
        TVMFFITensorToDLPackVersioned(detail::ObjectUnsafe::GetHeader(this), &out));
    return out;
  }

  /// \cond Doxygen_Suppress
  static constexpr const int32_t _type_index = TypeIndex::kTVMFFITensor;
  static constexpr const bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFITensor, TensorObj, Object);
  /// \endcond
};

namespace detail {

/*! \brief A tensor whose data comes from an allocator object; the extents follow the object. */
template <typename TNDAlloc>
class TensorObjFromNDAlloc : public TensorObj {
 public:
  template <typename... ExtraArgs>
  TensorObjFromNDAlloc(TNDAlloc alloc, ShapeView extents, const int64_t* steps,
                       DLDataType element_type, DLDevice where, ExtraArgs&&... extra_args)
      : alloc_(std::move(alloc)) {
    this->device = where;
    this->ndim = static_cast<int32_t>(extents.size());
    this->dtype = element_type;
    this->shape =
        reinterpret_cast<int64_t*>(reinterpret_cast<char*>(this) + sizeof(TensorObjFromNDAlloc));
    this->strides = this->shape + extents.size();
    for (size_t i = 0; i < extents.size(); ++i) {
      this->shape[i] = extents[i];
      if (steps != nullptr) this->strides[i] = steps[i];
    }
    if (steps == nullptr) FillStridesFromShape(extents, this->strides);
    // Last: when it throws, nothing else is to be undone.
    alloc_.AllocData(static_cast<DLTensor*>(this), std::forward<ExtraArgs>(extra_args)...);
  }
  ~TensorObjFromNDAlloc() { alloc_.FreeData(static_cast<DLTensor*>(this)); }

 private:
  TNDAlloc alloc_;
};

}  // namespace detail

/*! \brief Reference to a tensor that owns or keeps alive its data. May be null. */
class Tensor : public ObjectRef {
 public:
  Tensor() = default;
  explicit Tensor(ObjectPtr<TensorObj> n) : ObjectRef(ObjectPtr<Object>(std::move(n))) {}
  explicit Tensor(UnsafeInit tag) : ObjectRef(tag) {}
  TVM_FFI_DEFINE_DEFAULT_COPY_MOVE_AND_ASSIGN(Tensor);

  void* data_ptr() const { return get()->data; }
  DLDevice device() const { return get()->device; }
  int32_t ndim() const { return get()->ndim; }
  DLDataType dtype() const { return get()->dtype; }
  /*! \brief Extents; valid while this tensor is. */
  ShapeView shape() const { return detail::TensorShape(*get()); }
  /*! \brief Strides in elements; valid while this tensor is. */
  ShapeView strides() const { return detail::TensorStrides(*get()); }
  /*! \brief Extent of dimension `idx`, which may count from the end (-1 is the last). */
  int64_t size(int64_t idx) const { return detail::TensorSize(*get(), idx); }
  /*! \brief Stride, in elements, of dimension `idx`, which may count from the end. */
  int64_t stride(int64_t idx) const { return detail::TensorStride(*get(), idx); }
  /*! \brief Number of elements. */
  int64_t numel() const { return shape().Product(); }
  /*! \brief Bytes from `data_ptr()` to the first element. */
  uint64_t byte_offset() const { return get()->byte_offset; }
  bool IsContiguous() const { return tvm::ffi::IsContiguous(*get()); }
  /*! \brief Whether the first element is aligned to `alignment` bytes. */
  bool IsAligned(size_t alignment) const { return tvm::ffi::IsAligned(*get(), alignment); }
  int32_t dim() const { return ndim(); }
  ShapeView sizes() const { return shape(); }
  bool is_contiguous() const { return IsContiguous(); }

  /*!
   * \brief A tensor over the same data that keeps this one alive.
   * \param shape, strides Copied; as many strides as extents.
   * \param element_offset Elements, from the start of this tensor, to its first one.
   */
  Tensor as_strided(ShapeView shape, ShapeView strides,
                    std::optional<int64_t> element_offset = std::nullopt) const {
    DLTensor prototype = detail::StridedPrototype(*get(), shape, strides, element_offset);
    int64_t no_stride = 0;
    if (prototype.ndim == 0) prototype.strides = &no_stride;
    TVMFFIObjectHandle out = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFITensorCreateUnsafeView(
        detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(*this), &prototype, &out));
    return FromHandle(out);
  }

  /*! \brief The DLTensor inside the object, or null; valid while this tensor is. */
  const DLTensor* GetDLTensorPtr() const { return get(); }
  DLManagedTensor* ToDLPack() const { return get()->ToDLPack(); }
  DLManagedTensorVersioned* ToDLPackVersioned() const { return get()->ToDLPackVersioned(); }

  /*!
   * \brief A new tensor with data from an allocator object, in row-major order.
   * \param alloc Has `void AllocData(DLTensor*, extra...)`, which sets `data`, and
   *        `void FreeData(DLTensor*)`. It is kept until the data is freed.
   */
  template <typename TNDAlloc, typename... ExtraArgs>
  static Tensor FromNDAlloc(TNDAlloc alloc, ShapeView shape, DLDataType dtype, DLDevice device,
                            ExtraArgs&&... extra_args) {
    return Tensor(make_inplace_array_object<detail::TensorObjFromNDAlloc<TNDAlloc>, int64_t>(
        shape.size() * 2, std::move(alloc), shape, static_cast<const int64_t*>(nullptr), dtype,
        device, std::forward<ExtraArgs>(extra_args)...));
  }
  /*! \brief As FromNDAlloc with explicit strides, in elements. */
  template <typename TNDAlloc, typename... ExtraArgs>
  static Tensor FromNDAllocStrided(TNDAlloc alloc, ShapeView shape, ShapeView strides,
                                   DLDataType dtype, DLDevice device, ExtraArgs&&... extra_args) {
    detail::CheckSameRank(shape, strides);
    return Tensor(make_inplace_array_object<detail::TensorObjFromNDAlloc<TNDAlloc>, int64_t>(
        shape.size() * 2, std::move(alloc), shape, strides.data(), dtype, device,
        std::forward<ExtraArgs>(extra_args)...));
  }
  /*! \brief A new tensor from an allocator of the environment, such as TVMFFIEnvTensorAlloc. */
  static Tensor FromEnvAlloc(int (*env_alloc)(DLTensor*, TVMFFIObjectHandle*), ShapeView shape,
                             DLDataType dtype, DLDevice device) {
    DLTensor prototype{};
    prototype.device = device;
    prototype.dtype = dtype;
    prototype.shape = const_cast<int64_t*>(shape.data());
    prototype.ndim = static_cast<int32_t>(shape.size());
    TVMFFIObjectHandle out = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(env_alloc(&prototype, &out));
    return FromHandle(out);
  }
  /*!
   * \brief Takes a DLPack tensor over; on failure it stays with the caller.
   * \param require_alignment Bytes the data must be aligned to, 0 for any.
   */
  static Tensor FromDLPack(DLManagedTensor* tensor, size_t require_alignment = 0,
                           bool require_contiguous = false) {
    TVMFFIObjectHandle out = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFITensorFromDLPack(tensor, static_cast<int32_t>(require_alignment),
                                                   static_cast<int32_t>(require_contiguous), &out));
    return FromHandle(out);
  }
  static Tensor FromDLPackVersioned(DLManagedTensorVersioned* tensor, size_t require_alignment = 0,
                                    bool require_contiguous = false) {
    TVMFFIObjectHandle out = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(
        TVMFFITensorFromDLPackVersioned(tensor, static_cast<int32_t>(require_alignment),
                                        static_cast<int32_t>(require_contiguous), &out));
    return FromHandle(out);
  }

  /// \cond Doxygen_Suppress
  static constexpr bool _type_is_nullable = true;
  using ContainerType = TensorObj;
  /// \endcond

 protected:
  const TensorObj* get() const { return static_cast<const TensorObj*>(ObjectRef::get()); }

 private:
  static Tensor FromHandle(TVMFFIObjectHandle handle) {
    return Tensor(
        detail::ObjectUnsafe::ObjectPtrFromOwned<TensorObj>(static_cast<TVMFFIObject*>(handle)));
  }
};

/*!
 * \brief A borrowed tensor: a copy of a DLTensor whose data, shape and strides belong to others.
 *
 * It is meant for parameters of exported functions; keep a Tensor to keep the data.
 */
class TensorView {
 public:
  /*! \brief Throws InternalError when the tensor is null. */
  TensorView(const Tensor& tensor)  // NOLINT(google-explicit-constructor)
      : tensor_(*TVM_FFI_ICHECK_NOTNULL(tensor.GetDLTensorPtr())) {}
  TensorView(const DLTensor* tensor)  // NOLINT(google-explicit-constructor)
      : tensor_(*TVM_FFI_ICHECK_NOTNULL(tensor)) {}
  // The view would outlive the tensor.
  TensorView(Tensor&& tensor) = delete;
  TensorView& operator=(Tensor&& tensor) = delete;
  TensorView(const TensorView&) = default;
  TensorView(TensorView&&) = default;
  TensorView& operator=(const TensorView&) = default;
  TensorView& operator=(TensorView&&) = default;

  void* data_ptr() const { return tensor_.data; }
  DLDevice device() const { return tensor_.device; }
  int32_t ndim() const { return tensor_.ndim; }
  DLDataType dtype() const { return tensor_.dtype; }
  ShapeView shape() const { return detail::TensorShape(tensor_); }
  /*! \brief Strides in elements; throws RuntimeError when the DLTensor has none in memory. */
  ShapeView strides() const { return detail::TensorStrides(tensor_); }
  /*! \brief Extent of dimension `idx`, which may count from the end (-1 is the last). */
  int64_t size(int64_t idx) const { return detail::TensorSize(tensor_, idx); }
  /*! \brief Stride, in elements, of dimension `idx`, which may count from the end. */
  int64_t stride(int64_t idx) const { return detail::TensorStride(tensor_, idx); }
  /*! \brief Number of elements. */
  int64_t numel() const { return shape().Product(); }
  uint64_t byte_offset() const { return tensor_.byte_offset; }
  bool IsContiguous() const { return tvm::ffi::IsContiguous(tensor_); }
  bool IsAligned(size_t alignment) const { return tvm::ffi::IsAligned(tensor_, alignment); }
  int32_t dim() const { return ndim(); }
  ShapeView sizes() const { return shape(); }
  bool is_contiguous() const { return IsContiguous(); }

  /*! \brief A view over the same data; `shape` and `strides` are borrowed and must outlive it. */
  TensorView as_strided(ShapeView shape, ShapeView strides,
                        std::optional<int64_t> element_offset = std::nullopt) const {
    const DLTensor view = detail::StridedPrototype(tensor_, shape, strides, element_offset);
    return TensorView(&view);
  }

  const DLTensor* GetDLTensorPtr() const { return &tensor_; }

 private:
  DLTensor tensor_;
};

inline size_t GetDataSize(const Tensor& tensor) { return GetDataSize(*tensor.GetDLTensorPtr()); }
inline size_t GetDataSize(const TensorView& tensor) {
  return GetDataSize(*tensor.GetDLTensorPtr());
}

/// \cond Doxygen_Suppress
template <>
struct TypeTraits<TensorView> : public TypeTraitsBase {
  static constexpr bool storage_enabled = false;
  static constexpr int32_t field_static_type_index = TypeIndex::kTVMFFIDLTensorPtr;

  // Points into the view, which outlives the call it is passed to.
  TVM_FFI_INLINE static void CopyToAnyView(const TensorView& src, TVMFFIAny* result) {
    result->type_index = TypeIndex::kTVMFFIDLTensorPtr;
    result->zero_padding = 0;
    TVM_FFI_CLEAR_PTR_PADDING_IN_FFI_ANY(result);
    result->v_ptr = const_cast<DLTensor*>(src.GetDLTensorPtr());
  }
  TVM_FFI_INLINE static bool CheckAnyStrict(const TVMFFIAny* src) {
    return src->type_index == TypeIndex::kTVMFFIDLTensorPtr && src->v_ptr != nullptr;
  }
  TVM_FFI_INLINE static TensorView CopyFromAnyViewAfterCheck(const TVMFFIAny* src) {
    return TensorView(static_cast<const DLTensor*>(src->v_ptr));
  }
  template <typename Out = TensorView>
  TVM_FFI_INLINE static std::optional<Out> TryCastFromAnyView(const TVMFFIAny* src) {
    if (CheckAnyStrict(src)) return CopyFromAnyViewAfterCheck(src);
    if (src->type_index == TypeIndex::kTVMFFITensor) {
      return TensorView(static_cast<const DLTensor*>(TVMFFITensorGetDLTensorPtr(src->v_obj)));
    }
    return std::nullopt;
  }
  TVM_FFI_INLINE static std::string TypeStr() { return StaticTypeKey::kTVMFFIDLTensorPtr; }
  TVM_FFI_INLINE static std::string TypeSchema() { return R"({"type":"DLTensor*"})"; }
};
/// \endcond

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_CONTAINER_TENSOR_H_
