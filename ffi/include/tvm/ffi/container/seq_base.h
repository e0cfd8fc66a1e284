// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/seq_base.h
 * \brief Storage and element operations shared by the array and the list object.
 */
#ifndef TVM_FFI_CONTAINER_SEQ_BASE_H_
#define TVM_FFI_CONTAINER_SEQ_BASE_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/container/container_detail.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/object.h>

#include <cstring>
#include <new>
#include <string>
#include <utility>

namespace tvm {
namespace ffi {
namespace detail {

[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowSeqIndex(int64_t index,
                                                                           int64_t size) {
  TVM_FFI_THROW(IndexError) << "Index " << index << " out of bounds " << size;
  TVM_FFI_UNREACHABLE();
}

[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowSeqInsertIndex(int64_t index,
                                                                                 int64_t size) {
  TVM_FFI_THROW(IndexError) << "Index " << index << " out of bounds [0, " << size << "]";
  TVM_FFI_UNREACHABLE();
}

[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowSeqEraseRange(int64_t begin,
                                                                                int64_t end,
                                                                                int64_t size) {
  TVM_FFI_THROW(IndexError) << "Erase range [" << begin << ", " << end << ") out of bounds "
                            << size;
  TVM_FFI_UNREACHABLE();
}

[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowSeqEmpty(const char* operation) {
  TVM_FFI_THROW(IndexError) << operation << " on empty sequence";
  TVM_FFI_UNREACHABLE();
}

/*! \brief "cannot index a null array" and its like. */
[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowSeqNullIndex(const char* what) {
  TVM_FFI_THROW(IndexError) << "cannot index " << what;
  TVM_FFI_UNREACHABLE();
}

[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowSeqNull(const char* operation,
                                                                          const char* what) {
  TVM_FFI_THROW(RuntimeError) << "cannot " << operation << " " << what;
  TVM_FFI_UNREACHABLE();
}

[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowSeqNegativeSize(
    const char* operation, const char* what) {
  TVM_FFI_THROW(ValueError) << "cannot " << operation << " " << what << " negative size";
  TVM_FFI_UNREACHABLE();
}

/*! \brief Largest number of elements whose bytes can be counted at all. */
inline constexpr int64_t kMaxSeqCapacity = INT64_MAX / static_cast<int64_t>(sizeof(Any) * 4);

/*! \brief Throws std::bad_alloc for a capacity that no allocation could satisfy. */
inline void CheckSeqCapacity(int64_t capacity) {
  if (capacity < 0 || capacity > kMaxSeqCapacity) throw std::bad_alloc();
}

}  // namespace detail

/*!
 * \brief Base of ArrayObj and ListObj: a block of `capacity` Any slots, the first `size` in use.
 *
 * Elements are moved by their bytes: an Any holds no pointer into itself.
 * An element that goes away is destroyed only after the sequence is whole again, so code that
 * runs in its destructor may use the sequence.
 */
class SeqBaseObj : public Object, protected TVMFFISeqCell {
 public:
  using iterator = Any*;
  using const_iterator = const Any*;

  SeqBaseObj() {
    TVMFFISeqCell::data = nullptr;
    TVMFFISeqCell::size = 0;
    TVMFFISeqCell::capacity = 0;
    TVMFFISeqCell::data_deleter = nullptr;
  }
  SeqBaseObj(const SeqBaseObj&) = delete;
  SeqBaseObj& operator=(const SeqBaseObj&) = delete;

  /*! \brief Destroys the elements, then gives the block to its deleter. */
  ~SeqBaseObj() {
    Any* elements = MutableBegin();
    for (int64_t i = 0; i < TVMFFISeqCell::size; ++i) elements[i].~Any();
    if (TVMFFISeqCell::data_deleter != nullptr) {
      TVMFFISeqCell::data_deleter(TVMFFISeqCell::data);
    }
  }

  size_t size() const { return static_cast<size_t>(TVMFFISeqCell::size); }
  size_t capacity() const { return static_cast<size_t>(TVMFFISeqCell::capacity); }
  bool empty() const { return TVMFFISeqCell::size == 0; }

  /*! \brief Element at `idx`; throws IndexError outside [0, size). */
  const Any& at(int64_t idx) const { return (*this)[idx]; }
  const Any& operator[](int64_t idx) const {
    if (TVM_FFI_PREDICT_FALSE(idx < 0 || idx >= TVMFFISeqCell::size)) {
      detail::ThrowSeqIndex(idx, TVMFFISeqCell::size);
    }
    return begin()[idx];
  }
  const Any& front() const {
    if (empty()) detail::ThrowSeqEmpty("front()");
    return *begin();
  }
  const Any& back() const {
    if (empty()) detail::ThrowSeqEmpty("back()");
    return *(end() - 1);
  }

  const Any* begin() const { return static_cast<const Any*>(TVMFFISeqCell::data); }
  const Any* end() const { return begin() + TVMFFISeqCell::size; }
  Any* MutableBegin() { return static_cast<Any*>(TVMFFISeqCell::data); }
  Any* MutableEnd() { return MutableBegin() + TVMFFISeqCell::size; }

  /*! \brief Removes all elements, last one first; the block stays. */
  void clear() { ShrinkBy(TVMFFISeqCell::size); }

  void SetItem(int64_t idx, Any item) {
    if (idx < 0 || idx >= TVMFFISeqCell::size) detail::ThrowSeqIndex(idx, TVMFFISeqCell::size);
    // After the swap `item` holds the old element, which dies with the parameter.
    MutableBegin()[idx].swap(item);
  }

  /*! \brief Inserts before `idx`; the block must have room for one more. */
  void insert(int64_t idx, Any item) {
    if (idx < 0 || idx > TVMFFISeqCell::size) detail::ThrowSeqInsertIndex(idx, TVMFFISeqCell::size);
    RequireRoom(1);
    new (OpenGap(idx, 1)) Any(std::move(item));
    ++TVMFFISeqCell::size;
  }

  /*!
   * \brief Inserts the values of [first, last), which may lie in this sequence, before `idx`; the
   *        block must have room.
   */
  template <typename Iter>
  void insert(int64_t idx, Iter first, Iter last) {
    if (idx < 0 || idx > TVMFFISeqCell::size) detail::ThrowSeqInsertIndex(idx, TVMFFISeqCell::size);
    const int64_t old_size = TVMFFISeqCell::size;
    // Append first: the sequence is whole at every step, also when a conversion throws.
    for (; first != last; ++first) {
      Any item(*first);
      RequireRoom(1);
      EmplaceBackUnchecked(std::move(item));
    }
    RotateToPosition(idx, old_size);
  }

  void erase(int64_t idx) {
    if (idx < 0 || idx >= TVMFFISeqCell::size) detail::ThrowSeqIndex(idx, TVMFFISeqCell::size);
    Any removed = std::move(MutableBegin()[idx]);
    CloseGap(idx, 1);
  }

  /*! \brief Removes [first, last). */
  void erase(int64_t first, int64_t last) {
    if (first < 0 || last > TVMFFISeqCell::size || first > last) {
      detail::ThrowSeqEraseRange(first, last, TVMFFISeqCell::size);
    }
    TVMFFIAny* raw = RawBegin();
    detail::RotateCells(raw + first, raw + last, raw + TVMFFISeqCell::size);
    ShrinkBy(last - first);
  }

  void pop_back() {
    if (empty()) detail::ThrowSeqEmpty("pop_back");
    ShrinkBy(1);
  }

  void Reverse() { detail::ReverseCells(RawBegin(), RawBegin() + TVMFFISeqCell::size); }

  /*! \brief Drops elements at the end, or adds None; the block must have room. */
  void resize(int64_t n) {
    if (n < TVMFFISeqCell::size) {
      ShrinkBy(n < 0 ? TVMFFISeqCell::size : TVMFFISeqCell::size - n);
    } else {
      RequireRoom(n - TVMFFISeqCell::size);
      EnlargeBy(n - TVMFFISeqCell::size, Any());
    }
  }

 protected:
  template <typename, typename>
  friend class Array;
  template <typename, typename>
  friend class List;
  template <typename...>
  friend class Tuple;

  TVMFFIAny* RawBegin() { return static_cast<TVMFFIAny*>(TVMFFISeqCell::data); }

  /*! \brief Appends without looking at the capacity. */
  void EmplaceBackUnchecked(Any item) {
    new (MutableEnd()) Any(std::move(item));
    ++TVMFFISeqCell::size;
  }

  void EnlargeBy(int64_t delta, const Any& value) {
    for (; delta > 0; --delta) EmplaceBackUnchecked(value);
  }

  void ShrinkBy(int64_t delta) {
    for (; delta > 0 && TVMFFISeqCell::size > 0; --delta) {
      Any removed = std::move(*(MutableEnd() - 1));
      --TVMFFISeqCell::size;
    }
  }

  /*! \brief Brings the elements appended since `old_size` to position `idx`. */
  void RotateToPosition(int64_t idx, int64_t old_size) {
    if (TVMFFISeqCell::size == old_size) return;
    TVMFFIAny* raw = RawBegin();
    detail::RotateCells(raw + idx, raw + old_size, raw + TVMFFISeqCell::size);
  }

  /*!
   * \brief Moves the bytes of all elements of `from`, which becomes empty, before `idx`; the block
   *        must have room.
   */
  void TakeElements(int64_t idx, SeqBaseObj* from) {
    const int64_t old_size = TVMFFISeqCell::size;
    if (from->TVMFFISeqCell::size != 0) {
      std::memcpy(RawBegin() + old_size, from->TVMFFISeqCell::data,
                  static_cast<size_t>(from->TVMFFISeqCell::size) * sizeof(TVMFFIAny));
    }
    TVMFFISeqCell::size += from->TVMFFISeqCell::size;
    from->TVMFFISeqCell::size = 0;
    RotateToPosition(idx, old_size);
  }

  void CopyElements(const SeqBaseObj* from) {
    for (const Any& item : *from) EmplaceBackUnchecked(item);
  }

 private:
  void RequireRoom(int64_t count) const {
    TVM_FFI_ICHECK_LE(count, TVMFFISeqCell::capacity - TVMFFISeqCell::size)
        << "no room in the sequence";
  }
  Any* OpenGap(int64_t idx, int64_t count) {
    TVMFFIAny* raw = RawBegin();
    std::memmove(raw + idx + count, raw + idx,
                 static_cast<size_t>(TVMFFISeqCell::size - idx) * sizeof(TVMFFIAny));
    return MutableBegin() + idx;
  }
  void CloseGap(int64_t idx, int64_t count) {
    TVMFFIAny* raw = RawBegin();
    TVMFFISeqCell::size -= count;
    std::memmove(raw + idx, raw + idx + count,
                 static_cast<size_t>(TVMFFISeqCell::size - idx) * sizeof(TVMFFIAny));
  }
};

namespace detail {

/*! \brief The sequence held by a value, or null when the value is neither Array nor List. */
inline const SeqBaseObj* SeqFromAnyView(const TVMFFIAny* src) {
  if (src->type_index != TypeIndex::kTVMFFIArray && src->type_index != TypeIndex::kTVMFFIList) {
    return nullptr;
  }
  return ObjectUnsafe::RawObjectPtrFromUnowned<SeqBaseObj>(src->v_obj);
}

/*! \brief Index of the first element that is not strictly of the element type, or -1. */
inline int64_t SeqFirstNotStrict(const SeqBaseObj* seq, const ElementOps& ops) {
  if (ops.check_strict == nullptr) return -1;
  for (size_t i = 0; i < seq->size(); ++i) {
    if (!ops.check_strict(RawAny(seq->begin()[i]))) return static_cast<int64_t>(i);
  }
  return -1;
}

/*! \brief Whether the value has the container index and only strict elements. */
inline bool SeqCheckStrict(const TVMFFIAny* src, int32_t type_index, const ElementOps& ops) {
  return src->type_index == type_index && SeqFirstNotStrict(SeqFromAnyView(src), ops) < 0;
}

/*!
 * \brief Converts an Array or a List element by element.
 * \param out Receives the elements; it has room for all of them.
 * \return false when an element does not convert.
 */
template <typename SeqObj>
TVM_FFI_NO_INLINE inline ObjectPtr<SeqObj> SeqTryConvert(const TVMFFIAny* src,
                                                         const ElementOps& ops) {
  const SeqBaseObj* seq = SeqFromAnyView(src);
  if (seq == nullptr) return nullptr;
  if (src->type_index == SeqObj::_type_index && SeqFirstNotStrict(seq, ops) < 0) {
    return ObjectUnsafe::ObjectPtrFromUnowned<SeqObj>(src->v_obj);
  }
  ObjectPtr<SeqObj> result = SeqObj::Empty(static_cast<int64_t>(seq->size()));
  // The source may be a list that a conversion changes, so its size is read every time.
  for (size_t i = 0; i < seq->size() && i < result->capacity(); ++i) {
    Any converted;
    if (!ops.convert(RawAny(seq->begin()[i]), &converted)) return nullptr;
    result->insert(static_cast<int64_t>(result->size()), std::move(converted));
  }
  return result;
}

/*! \brief Says which element made the conversion to `kind` fail. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline std::string SeqMismatchText(const char* kind,
                                                                       const TVMFFIAny* src,
                                                                       const ElementOps& ops) {
  const SeqBaseObj* seq = SeqFromAnyView(src);
  if (seq != nullptr && ops.mismatch != nullptr) {
    for (size_t i = 0; i < seq->size(); ++i) {
      const TVMFFIAny* element = RawAny(seq->begin()[i]);
      Any converted;
      if (ops.check_strict(element) || ops.convert(element, &converted)) continue;
      return ElementMismatchText(kind, static_cast<int64_t>(i), ops.mismatch(element));
    }
  }
  return TypeIndexToTypeKey(src->type_index);
}

}  // namespace detail
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_CONTAINER_SEQ_BASE_H_
