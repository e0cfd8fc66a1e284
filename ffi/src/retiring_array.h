// SPDX-License-Identifier: Apache-2.0
/*!
 * \file retiring_array.h
 * \brief Growing array whose former storage stays readable.
 */
#ifndef TVM_FFI_SRC_RETIRING_ARRAY_H_
#define TVM_FFI_SRC_RETIRING_ARRAY_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace tvm {
namespace ffi {

/*! \brief Stores a value for readers without a lock: who sees it sees all that was written before.
 */
template <typename T>
void Publish(T* slot, std::type_identity_t<T> value) {
  std::atomic_ref<T>(*slot).store(value, std::memory_order_release);
}

/*!
 * \brief Array of plain values for tables that are read without a lock.
 *
 * Growing moves the elements to new storage and keeps the old one until the array dies, so a reader
 * that fetched the address before still reads valid, if older, elements. Capacity doubles: all
 * storage together stays below twice the size in use.
 */
template <typename T>
class RetiringArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  T* data() { return storage_.empty() ? nullptr : storage_.back().get(); }
  const T* data() const { return storage_.empty() ? nullptr : storage_.back().get(); }
  size_t size() const { return size_; }

  /*! \brief Adds an element. */
  void Append(const T& value) {
    Reserve(size_ + 1, T{});
    data()[size_++] = value;
  }

  /*! \brief Takes an element out. Readers that know of it still find elements in its place. */
  void Remove(size_t place) {
    // The last one stays where it is, and the next Append moves to new storage. So does the rest
    // here, as readers may be in the old one.
    if (place + 1 != size_) {
      std::unique_ptr<T[]> next(new T[capacity_]);
      for (size_t i = 0; i < capacity_; ++i) {
        const size_t from = i < place ? i : i + 1;
        next[i] = data()[from < size_ ? from : size_ - 1];
      }
      storage_.push_back(std::move(next));
    }
    --size_;
    capacity_ = size_;
  }

  /*! \brief Forgets the elements, for data that nobody reads any more. */
  void Clear() { size_ = 0; }

  /*! \brief Makes the size at least `size`; new elements are copies of `fill`, here and later. */
  void Extend(size_t size, const T& fill) {
    Reserve(size, fill);
    if (size > size_) size_ = size;
  }

 private:
  void Reserve(size_t size, const T& fill) {
    if (size <= capacity_) return;
    size_t capacity = capacity_ == 0 ? 4 : capacity_;
    while (capacity < size) capacity *= 2;
    std::unique_ptr<T[]> next(new T[capacity]);
    for (size_t i = 0; i < capacity; ++i) next[i] = i < size_ ? data()[i] : fill;
    storage_.push_back(std::move(next));
    capacity_ = capacity;
  }

  std::vector<std::unique_ptr<T[]>> storage_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace ffi
}  // namespace tvm

#endif  // TVM_FFI_SRC_RETIRING_ARRAY_H_
