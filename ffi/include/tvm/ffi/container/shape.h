// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/shape.h
 * \brief Shape: an immutable sequence of int64 extents, and ShapeView, which borrows one.
 */
#ifndef TVM_FFI_CONTAINER_SHAPE_H_
#define TVM_FFI_CONTAINER_SHAPE_H_

#include <tvm/ffi/c_api.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>

#include <cstring>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tvm {
namespace ffi {
namespace detail {

[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowShapeIndex(int64_t index,
                                                                             size_t size) {
  TVM_FFI_THROW(IndexError) << "indexing " << index << " on a Shape of size " << size;
  TVM_FFI_UNREACHABLE();
}

}  // namespace detail

/*!
 * \brief Borrowed extents: a pointer and a count, valid while the memory they lie in is.
 */
class ShapeView {
 public:
  ShapeView() : cell_{nullptr, 0} {}
  ShapeView(const int64_t* data, size_t size) : cell_{data, size} {}
  /*! \brief The list lives to the end of the full expression only. */
  ShapeView(const std::initializer_list<int64_t>& other)  // NOLINT(google-explicit-constructor)
      : cell_{other.begin(), other.size()} {}

  const int64_t* data() const { return cell_.data; }
  size_t size() const { return cell_.size; }
  bool empty() const { return cell_.size == 0; }
  /*! \brief Extent `idx`, unchecked. */
  int64_t operator[](size_t idx) const { return cell_.data[idx]; }
  /*! \brief Extent `idx`; throws IndexError outside [0, size()). */
  int64_t at(size_t idx) const {
    if (idx >= cell_.size) detail::ThrowShapeIndex(static_cast<int64_t>(idx), cell_.size);
    return cell_.data[idx];
  }
  int64_t front() const { return at(0); }
  int64_t back() const { return at(cell_.size - 1); }
  const int64_t* begin() const { return cell_.data; }
  const int64_t* end() const { return cell_.data + cell_.size; }
  /*! \brief Product of the extents; 1 when there are none. ValueError when int64 is too small. */
  int64_t Product() const {
    int64_t product = 1;
    bool overflow = false;
    for (size_t i = 0; i < cell_.size; ++i) {
      overflow |= __builtin_mul_overflow(product, cell_.data[i], &product);
    }
    return TVM_FFI_PREDICT_FALSE(overflow) ? ProductBeyondInt64() : product;
  }

 private:
  // Still 0 when an extent is.
  TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE int64_t ProductBeyondInt64() const {
    for (size_t i = 0; i < cell_.size; ++i) {
      if (cell_.data[i] == 0) return 0;
    }
    TVM_FFI_THROW(ValueError) << "the product of the extents does not fit int64";
    TVM_FFI_UNREACHABLE();
  }

  TVMFFIShapeCell cell_;
};

/*! \brief Object behind Shape: the extents usually follow the object in its allocation. */
class ShapeObj : public Object, public TVMFFIShapeCell {
 public:
  using index_type = int64_t;

  ShapeObj() {
    TVMFFIShapeCell::data = nullptr;
    TVMFFIShapeCell::size = 0;
  }
  /*! \brief Product of the extents; 1 when there are none. */
  int64_t Product() const { return ShapeView(this->data, this->size).Product(); }

  /// \cond Doxygen_Suppress
  static constexpr const int32_t _type_index = TypeIndex::kTVMFFIShape;
  static constexpr const bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIShape, ShapeObj, Object);
  /// \endcond
};

namespace detail {

/*! \brief A new shape of `size` extents for the caller to fill in through `data`. */
inline ObjectPtr<ShapeObj> MakeUninitializedShape(size_t size, int64_t** data) {
  CheckSeqCapacity(static_cast<int64_t>(size));
  ObjectPtr<ShapeObj> p = make_inplace_array_object<ShapeObj, int64_t>(size);
  *data = reinterpret_cast<int64_t*>(reinterpret_cast<char*>(p.get()) + sizeof(ShapeObj));
  p->data = *data;
  p->size = size;
  return p;
}

template <typename Iter>
inline ObjectPtr<ShapeObj> MakeShape(Iter first, Iter last) {
  int64_t* data = nullptr;
  const auto count = std::distance(first, last);
  ObjectPtr<ShapeObj> p = MakeUninitializedShape(static_cast<size_t>(count > 0 ? count : 0), &data);
  for (; first != last; ++first) *data++ = static_cast<int64_t>(*first);
  return p;
}

/*! \brief Row-major strides, in elements; an extent of 0 counts as any other. */
inline void FillStridesFromShape(ShapeView shape, int64_t* out_strides) {
  int64_t stride = 1;
  for (size_t i = shape.size(); i > 0; --i) {
    out_strides[i - 1] = stride;
    stride *= shape[i - 1];
  }
}

}  // namespace detail

/*! \brief Reference to an immutable sequence of int64 extents. */
class Shape : public ObjectRef {
 public:
  using index_type = ShapeObj::index_type;

  Shape() : Shape(ShapeView()) {}
  Shape(std::initializer_list<int64_t> shape)  // NOLINT(google-explicit-constructor)
      : Shape(shape.begin(), shape.end()) {}
  Shape(Array<int64_t> shape)  // NOLINT(google-explicit-constructor)
      : Shape(shape.begin(), shape.end()) {}
  Shape(const std::vector<int64_t>& shape)  // NOLINT(google-explicit-constructor)
      : Shape(shape.begin(), shape.end()) {}
  Shape(ShapeView view) : Shape(view.begin(), view.end()) {}  // NOLINT(google-explicit-constructor)
  template <typename Iter, typename = std::enable_if_t<!std::is_arithmetic_v<Iter>>>
  Shape(Iter first, Iter last)
      : ObjectRef(ObjectPtr<Object>(detail::MakeShape(std::move(first), std::move(last)))) {}

  operator ShapeView() const {  // NOLINT(google-explicit-constructor)
    const ShapeObj* self = get();
    return self == nullptr ? ShapeView() : ShapeView(self->data, self->size);
  }

  const int64_t* data() const { return ShapeView(*this).data(); }
  size_t size() const { return ShapeView(*this).size(); }
  bool empty() const { return size() == 0; }
  /*! \brief Extent `idx`, unchecked. */
  int64_t operator[](size_t idx) const { return get()->data[idx]; }
  /*! \brief Extent `idx`; throws IndexError outside [0, size()). */
  int64_t at(size_t idx) const { return ShapeView(*this).at(idx); }
  int64_t front() const { return at(0); }
  int64_t back() const { return at(size() - 1); }
  const int64_t* begin() const { return data(); }
  const int64_t* end() const { return data() + size(); }
  /*! \brief Product of the extents; 1 when there are none. */
  int64_t Product() const { return ShapeView(*this).Product(); }

  /*! \brief Row-major strides of a shape, in elements. */
  static Shape StridesFromShape(ShapeView shape) {
    int64_t* strides = nullptr;
    ObjectPtr<ShapeObj> p = detail::MakeUninitializedShape(shape.size(), &strides);
    detail::FillStridesFromShape(shape, strides);
    return Shape(std::move(p));
  }

  /// \cond Doxygen_Suppress
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Shape, ObjectRef, ShapeObj);
  /// \endcond

 private:
  explicit Shape(ObjectPtr<ShapeObj> data) : ObjectRef(ObjectPtr<Object>(std::move(data))) {}
};

namespace detail {
template <>
struct MessageText<Shape> {
  static constexpr bool kKnown = true;
  TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE static std::string Of(const Shape& shape) {
    std::string text = "[";
    for (size_t i = 0; i < shape.size(); ++i) {
      if (i != 0) text += ", ";
      text += IntegerText(shape[i]);
    }
    text += ']';
    return text;
  }
};
}  // namespace detail

/*! \brief Prints `[1, 2]`. */
template <typename Traits>
inline std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& os,
                                                    const Shape& shape) {
  return os << detail::MessageText<Shape>::Of(shape);
}

/// \cond Doxygen_Suppress
template <>
inline constexpr bool use_default_type_traits_v<Shape> = false;

/*! \brief A Shape, or whatever converts to Array<int64_t>. */
template <>
struct TypeTraits<Shape> : public ObjectRefWithFallbackTraitsBase<Shape, Array<int64_t>> {
  static constexpr int32_t field_static_type_index = TypeIndex::kTVMFFIShape;
  static Shape ConvertFallbackValue(Array<int64_t> src) { return Shape(std::move(src)); }
};
/// \endcond

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_CONTAINER_SHAPE_H_
