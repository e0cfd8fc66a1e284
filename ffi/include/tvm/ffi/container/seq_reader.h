// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/seq_reader.h
 * \brief The reading half of the references to sequences, one for Array and List.
 */
#ifndef TVM_FFI_CONTAINER_SEQ_READER_H_
#define TVM_FFI_CONTAINER_SEQ_READER_H_

#include <tvm/ffi/container/container_detail.h>
#include <tvm/ffi/container/seq_base.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {
namespace detail {
/*!
 * \brief A position in a sequence object that others may change: it is looked up when it is read,
 *        and reading past the end throws IndexError.
 */
template <typename Obj>
class SeqCursor {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using difference_type = std::ptrdiff_t;
  using value_type = Any;
  using pointer = const Any*;
  using reference = const Any&;

  SeqCursor() = default;
  SeqCursor(const Obj* seq, int64_t index) : seq_(seq), index_(index) {}

  reference operator*() const {
    if (TVM_FFI_PREDICT_FALSE(seq_ == nullptr)) ThrowSeqNullIndex(Obj::kNullText);
    return (*seq_)[index_];
  }
  SeqCursor& operator++() {
    ++index_;
    return *this;
  }
  SeqCursor& operator--() {
    --index_;
    return *this;
  }
  SeqCursor& operator+=(difference_type offset) {
    index_ += offset;
    return *this;
  }
  SeqCursor& operator-=(difference_type offset) {
    index_ -= offset;
    return *this;
  }
  SeqCursor operator+(difference_type offset) const { return SeqCursor(seq_, index_ + offset); }
  SeqCursor operator-(difference_type offset) const { return SeqCursor(seq_, index_ - offset); }
  difference_type operator-(const SeqCursor& other) const { return index_ - other.index_; }

  bool operator==(const SeqCursor& other) const { return index_ == other.index_; }
  bool operator!=(const SeqCursor& other) const { return index_ != other.index_; }
  bool operator<(const SeqCursor& other) const { return index_ < other.index_; }
  bool operator>(const SeqCursor& other) const { return index_ > other.index_; }
  bool operator<=(const SeqCursor& other) const { return index_ <= other.index_; }
  bool operator>=(const SeqCursor& other) const { return index_ >= other.index_; }

 private:
  const Obj* seq_ = nullptr;
  int64_t index_ = 0;
};
}  // namespace detail

/*!
 * \brief Read access to a sequence object; a null reference reads as empty.
 * \tparam Obj ArrayObj or ListObj; `Obj::kNullText` names a null reference in errors.
 * \tparam kShared Whether other holders may change the object, so that elements are checked.
 */
template <typename Obj, typename T, bool kShared>
class SeqReader : public ObjectRef {
 public:
  using value_type = T;
  /// \cond Doxygen_Suppress
  using ContainerType = Obj;
  static constexpr bool _type_container_is_exact = false;
  static constexpr bool _type_is_nullable = false;

  class ValueConverter {
   public:
    using ResultType = T;
    static T convert(const Any& value) {
      if constexpr (kShared) {
        return detail::SharedElementFromAny<T>(value);
      } else {
        return detail::ElementFromAny<T>(value);
      }
    }
  };
  /// \endcond

  /// \cond Doxygen_Suppress
  using Cursor = std::conditional_t<kShared, detail::SeqCursor<Obj>, const Any*>;
  /// \endcond
  using iterator = detail::IterAdapter<ValueConverter, Cursor>;
  using reverse_iterator = detail::IterAdapter<ValueConverter, std::reverse_iterator<Cursor>>;

  iterator begin() const { return iterator(CursorAt(0)); }
  iterator end() const { return iterator(CursorAt(size())); }
  reverse_iterator rbegin() const {
    return reverse_iterator(std::reverse_iterator<Cursor>(CursorAt(size())));
  }
  reverse_iterator rend() const {
    return reverse_iterator(std::reverse_iterator<Cursor>(CursorAt(0)));
  }

  /*! \brief Element `i`, by value; throws IndexError outside [0, size()). */
  T operator[](int64_t i) const { return ValueConverter::convert((*Required())[i]); }
  T front() const { return ValueConverter::convert(Required()->front()); }
  T back() const { return ValueConverter::convert(Required()->back()); }

  size_t size() const {
    const Obj* p = Raw();
    return p == nullptr ? 0 : p->size();
  }
  size_t capacity() const {
    const Obj* p = Raw();
    return p == nullptr ? 0 : p->capacity();
  }
  bool empty() const { return size() == 0; }

 protected:
  using ObjectRef::ObjectRef;
  explicit SeqReader(const ObjectRef& other) : ObjectRef(other) {}
  explicit SeqReader(ObjectRef&& other) : ObjectRef(std::move(other)) {}

  Obj* Raw() const { return static_cast<Obj*>(data_.get()); }
  Obj* Required() const {
    Obj* p = Raw();
    if (TVM_FFI_PREDICT_FALSE(p == nullptr)) detail::ThrowSeqNullIndex(Obj::kNullText);
    return p;
  }
  /*! \brief The index `position` stands for. */
  int64_t Position(iterator position, const char* operation) const {
    if (data_ == nullptr) detail::ThrowSeqNull(operation, Obj::kNullText);
    return static_cast<int64_t>(position - begin());
  }

 private:
  Cursor CursorAt(size_t index) const {
    const Obj* p = Raw();
    if constexpr (kShared) {
      return Cursor(p, static_cast<int64_t>(index));
    } else {
      return p == nullptr ? nullptr : p->begin() + index;
    }
  }
};

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_CONTAINER_SEQ_READER_H_
