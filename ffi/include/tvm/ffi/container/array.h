// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/array.h
 * \brief Array: an immutable-by-sharing sequence. A writer that is not the only owner copies first.
 */
#ifndef TVM_FFI_CONTAINER_ARRAY_H_
#define TVM_FFI_CONTAINER_ARRAY_H_

#include <tvm/ffi/container/seq_reader.h>
#include <tvm/ffi/memory.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tvm {
namespace ffi {

/*! \brief Array object: the elements lie in the same allocation, right after the object. */
class ArrayObj : public SeqBaseObj {
 public:
  /*! \brief Capacity of an array made without a size. */
  static constexpr int64_t kInitSize = 4;
  /*! \brief Factor by which the capacity grows. */
  static constexpr int64_t kIncFactor = 2;

  /*! \brief A new array of no elements with room for `n`. */
  TVM_FFI_NO_INLINE static ObjectPtr<ArrayObj> Empty(int64_t n = kInitSize) {
    detail::CheckSeqCapacity(n);
    ObjectPtr<ArrayObj> p = make_inplace_array_object<ArrayObj, Any>(static_cast<size_t>(n));
    p->TVMFFISeqCell::data = reinterpret_cast<char*>(p.get()) + sizeof(ArrayObj);
    p->TVMFFISeqCell::capacity = n;
    return p;
  }

  /*! \brief A new array with the elements of `from` and room for `capacity`. */
  static ObjectPtr<ArrayObj> CopyFrom(int64_t capacity, const SeqBaseObj* from) {
    ObjectPtr<ArrayObj> p = Empty(detail::Larger(capacity, static_cast<int64_t>(from->size())));
    p->CopyElements(from);
    return p;
  }

  /*! \brief As CopyFrom; the elements are moved and `from` becomes empty. */
  static ObjectPtr<ArrayObj> MoveFrom(int64_t capacity, ArrayObj* from) {
    ObjectPtr<ArrayObj> p = Empty(detail::Larger(capacity, static_cast<int64_t>(from->size())));
    p->TakeElements(0, from);
    return p;
  }

  /*! \brief A new array that holds `value` `n` times. */
  static ObjectPtr<ArrayObj> CreateRepeated(int64_t n, const Any& value) {
    ObjectPtr<ArrayObj> p = Empty(n);
    p->EnlargeBy(n, value);
    return p;
  }

  /*!
   * \brief Makes `*ref` the only owner of an array with room for `extra` more elements.
   * \param ref Null or an array; replaced when it is null, shared or too small.
   */
  static ArrayObj* Writable(ObjectPtr<Object>* ref, int64_t extra) {
    ArrayObj* self = static_cast<ArrayObj*>(ref->get());
    if (TVM_FFI_PREDICT_TRUE(ref->unique() && extra <= self->FreeSlots())) return self;
    return MakeWritable(ref, extra);
  }

  /// \cond Doxygen_Suppress
  static constexpr const int32_t _type_index = TypeIndex::kTVMFFIArray;
  static constexpr const bool _type_final = true;
  static constexpr const char* kNullText = "a null array";
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIArray, ArrayObj, Object);
  /// \endcond

 private:
  template <typename, typename>
  friend class Array;
  template <typename...>
  friend class Tuple;

  int64_t FreeSlots() const { return TVMFFISeqCell::capacity - TVMFFISeqCell::size; }
  TVM_FFI_NO_INLINE static ArrayObj* MakeWritable(ObjectPtr<Object>* ref, int64_t extra) {
    ArrayObj* self = static_cast<ArrayObj*>(ref->get());
    if (self == nullptr) {
      *ref = Empty(detail::Larger(kInitSize, extra));
      return static_cast<ArrayObj*>(ref->get());
    }
    int64_t capacity = self->TVMFFISeqCell::capacity;
    if (extra > self->FreeSlots()) {
      detail::CheckSeqCapacity(extra);
      capacity = detail::Larger(capacity * kIncFactor, self->TVMFFISeqCell::size + extra);
    }
    *ref = ref->unique() ? MoveFrom(capacity, self) : CopyFrom(capacity, self);
    return static_cast<ArrayObj*>(ref->get());
  }
};

/*! \brief An empty Array object; plain construction would have no room for elements. */
template <>
inline ObjectPtr<ArrayObj> make_object<ArrayObj>() {
  return ArrayObj::Empty();
}

/*!
 * \brief Reference to a sequence of `T` with value semantics (copy on write).
 *
 * A default-constructed Array is an empty array. A moved-from one is null, which reads as empty.
 * A member that changes the array may be given elements and ranges of it. It invalidates the
 * iterators, as with std::vector: a loop that changes its array runs over a copy of the reference.
 * \tparam T Any, or a type that can be stored in Any.
 */
template <typename T, typename = typename std::enable_if_t<detail::storage_enabled_v<T>>>
class Array : public SeqReader<ArrayObj, T, false> {
  using Reader = SeqReader<ArrayObj, T, false>;

 public:
  using Reader::begin;
  using Reader::capacity;
  using Reader::empty;
  using Reader::size;
  using typename Reader::iterator;

  Array() : Reader(ObjectPtr<Object>(ArrayObj::Empty())) {}
  explicit Array(UnsafeInit tag) : Reader(tag) {}
  explicit Array(ObjectPtr<Object> data) : Reader(std::move(data)) {}
  Array(const Array&) = default;
  Array(Array&&) noexcept = default;
  Array& operator=(const Array&) = default;
  Array& operator=(Array&&) noexcept = default;

  template <typename U, typename = std::enable_if_t<type_subsumes_v<T, U> && !std::is_same_v<T, U>>>
  Array(const Array<U>& other)  // NOLINT(google-explicit-constructor)
      : Reader(static_cast<const ObjectRef&>(other)) {}
  template <typename U, typename = std::enable_if_t<type_subsumes_v<T, U> && !std::is_same_v<T, U>>>
  Array(Array<U>&& other)  // NOLINT(google-explicit-constructor)
      : Reader(static_cast<ObjectRef&&>(std::move(other))) {}

  /*! \brief Elements of [first, last); a `T` each, or anything when `T` is Any. */
  template <typename Iter, typename = std::enable_if_t<!std::is_arithmetic_v<Iter>>>
  Array(Iter first, Iter last) : Reader(UnsafeInit{}) {
    Assign(first, last);
  }
  Array(std::initializer_list<T> init)  // NOLINT(google-explicit-constructor)
      : Reader(UnsafeInit{}) {
    Assign(init.begin(), init.end());
  }
  Array(const std::vector<T>& init)  // NOLINT(google-explicit-constructor)
      : Reader(UnsafeInit{}) {
    Assign(init.begin(), init.end());
  }
  /*! \brief `n` times `value`; throws ValueError when `n` is negative. */
  explicit Array(int64_t n, const T& value) : Reader(UnsafeInit{}) {
    if (n < 0) detail::ThrowSeqNegativeSize("construct", "an Array of");
    data_ = ArrayObj::CreateRepeated(n, Any(value));
  }

  void push_back(const T& item) { Append(Any(item)); }
  template <typename... Args>
  void emplace_back(Args&&... args) {
    Append(Any(T(std::forward<Args>(args)...)));
  }

  void insert(iterator position, const T& value) {
    const int64_t idx = Position(position, "insert");
    Any item(value);
    ArrayObj::Writable(&data_, 1)->insert(idx, std::move(item));
  }
  /*! \brief Inserts [first, last), which may lie in this array, before `position`. */
  template <typename Iter>
  void insert(iterator position, Iter first, Iter last) {
    const int64_t idx = Position(position, "insert");
    const ObjectPtr<ArrayObj> items = FromRange(first, last);
    if (items->empty()) return;
    const int64_t count = static_cast<int64_t>(size());
    if (idx < 0 || idx > count) detail::ThrowSeqInsertIndex(idx, count);
    ArrayObj::Writable(&data_, static_cast<int64_t>(items->size()))->TakeElements(idx, items.get());
  }
  void pop_back() {
    if (GetArrayObj() == nullptr) detail::ThrowSeqNull("pop_back", ArrayObj::kNullText);
    if (empty()) detail::ThrowSeqEmpty("pop_back");
    CopyOnWrite()->pop_back();
  }
  void erase(iterator position) {
    const int64_t idx = Position(position, "erase");
    const int64_t count = static_cast<int64_t>(size());
    if (idx < 0 || idx >= count) detail::ThrowSeqIndex(idx, count);
    CopyOnWrite()->erase(idx);
  }
  void erase(iterator first, iterator last) {
    const int64_t begin_idx = Position(first, "erase");
    const int64_t end_idx = Position(last, "erase");
    if (begin_idx == end_idx) return;
    const int64_t count = static_cast<int64_t>(size());
    if (begin_idx < 0 || end_idx > count || begin_idx > end_idx) {
      detail::ThrowSeqEraseRange(begin_idx, end_idx, count);
    }
    CopyOnWrite()->erase(begin_idx, end_idx);
  }
  /*! \brief Drops elements at the end, or adds None. */
  void resize(int64_t n) {
    if (n < 0) detail::ThrowSeqNegativeSize("resize", "an Array to");
    const int64_t count = static_cast<int64_t>(size());
    if (n > count) {
      ArrayObj::Writable(&data_, n - count)->resize(n);
    } else if (n < count) {
      CopyOnWrite()->resize(n);
    }
  }
  /*! \brief Makes room for `n` elements in all. */
  void reserve(int64_t n) {
    if (data_ == nullptr || n > static_cast<int64_t>(capacity())) {
      ArrayObj::Writable(&data_, n - static_cast<int64_t>(size()));
    }
  }
  void clear() {
    if (data_ != nullptr) CopyOnWrite()->clear();
  }

  /*! \brief Replaces element `i`; throws IndexError outside [0, size()). */
  void Set(int64_t i, T value) {
    const int64_t count = static_cast<int64_t>(Required()->size());
    if (i < 0 || i >= count) detail::ThrowSeqIndex(i, count);
    CopyOnWrite()->SetItem(i, Any(std::move(value)));
  }

  /*! \brief Replaces all elements by those of [first, last), which may lie in this array. */
  template <typename Iter>
  void Assign(Iter first, Iter last) {
    data_ = FromRange(first, last);
  }

  ArrayObj* GetArrayObj() const { return this->Raw(); }

  /*! \brief Makes this reference the only owner of its object, and returns the object. */
  ArrayObj* CopyOnWrite() { return ArrayObj::Writable(&data_, 0); }

  /*!
   * \brief The array of `fmap(element)`.
   * \return This very array when every result is the element itself.
   */
  template <typename F, typename U = std::decay_t<std::invoke_result_t<F&, T>>>
  Array<U> Map(F fmap) const {
    const ArrayObj* self = GetArrayObj();
    if (self == nullptr) return Array<U>();
    constexpr bool kMayShare = type_subsumes_v<T, U> || type_subsumes_v<U, T>;
    // Keeps the elements alive when the callback drops the last other owner.
    const ObjectPtr<Object> keep = data_;
    ObjectPtr<ArrayObj> fresh;
    const int64_t count = static_cast<int64_t>(self->size());
    for (int64_t i = 0; i < count; ++i) {
      const Any& element = self->begin()[i];
      Any mapped(static_cast<U>(fmap(detail::ElementFromAny<T>(element))));
      if (fresh == nullptr) {
        if (kMayShare && mapped.same_as(element)) continue;
        fresh = ArrayObj::Empty(count);
        for (int64_t k = 0; k < i; ++k) fresh->EmplaceBackUnchecked(self->begin()[k]);
      }
      fresh->EmplaceBackUnchecked(std::move(mapped));
    }
    if (fresh != nullptr) return Array<U>(ObjectPtr<Object>(std::move(fresh)));
    if (kMayShare) return Array<U>(data_);
    return Array<U>();
  }

  /*!
   * \brief Replaces each element by `fmutate(element)`.
   *
   * When this is the only owner, each element is moved into the callback. If the callback then
   * throws, the element it received is missing from the array. While the callback runs, this
   * reference is null; what the callback puts there is lost.
   */
  template <typename F, typename = std::enable_if_t<
                            std::is_same_v<T, std::decay_t<std::invoke_result_t<F&, T>>>>>
  void MutateByApply(F fmutate) {
    if (data_ == nullptr) return;
    if (!data_.unique()) {
      *this = Map(std::move(fmutate));
      return;
    }
    // Out of the reach of the callback, which could see the missing element or free the array.
    ObjectPtr<Object> own = std::move(data_);
    ArrayObj* self = static_cast<ArrayObj*>(own.get());
    for (int64_t i = 0; i < static_cast<int64_t>(self->size()); ++i) {
      try {
        T element = detail::ElementMoveFromAny<T>(std::move(self->MutableBegin()[i]));
        Any mapped(fmutate(std::move(element)));
        self->MutableBegin()[i] = std::move(mapped);
      } catch (...) {
        self->erase(i);
        data_ = std::move(own);
        throw;
      }
    }
    data_ = std::move(own);
  }

  /*! \brief One array of the arguments in order: elements, and arrays of elements. */
  template <typename... Args>
  static Array<T> Agregate(Args&&... args) {
    Array<T> result;
    (result.AgregateOne(std::forward<Args>(args)), ...);
    return result;
  }

 protected:
  using ObjectRef::data_;

 private:
  using Reader::Position;
  using Reader::Required;

  void Append(Any item) { ArrayObj::Writable(&data_, 1)->EmplaceBackUnchecked(std::move(item)); }

  /*! \brief A new object: the range may lie in this array, and a conversion may throw. */
  template <typename Iter>
  static ObjectPtr<ArrayObj> FromRange(Iter first, Iter last) {
    static_assert(detail::is_valid_iterator_v<T, Iter>,
                  "Iter cannot be inserted into an Array of this element type");
    if constexpr (detail::is_multi_pass_v<Iter>) {
      const int64_t count = detail::CountRange(first, last);
      ObjectPtr<ArrayObj> fresh = ArrayObj::Empty(count);
      for (int64_t i = 0; i < count; ++i, ++first) fresh->EmplaceBackUnchecked(Any(*first));
      return fresh;
    } else {
      Array grown;
      for (; first != last; ++first) grown.Append(Any(*first));
      return detail::ObjectUnsafe::ObjectPtrFromObjectRef<ArrayObj>(std::move(grown));
    }
  }

  template <typename Arg>
  void AgregateOne(const Arg& arg) {
    if constexpr (std::is_convertible_v<const Arg&, T>) {
      Append(Any(T(arg)));
    } else {
      for (const auto& item : arg) Append(Any(T(item)));
    }
  }
};

/*! \brief The elements of `lhs`, then those of `rhs`. */
template <typename T, typename = typename std::enable_if_t<detail::storage_enabled_v<T>>>
inline Array<T> Concat(Array<T> lhs, const Array<T>& rhs) {
  lhs.reserve(static_cast<int64_t>(lhs.size() + rhs.size()));
  for (const T& item : rhs) lhs.push_back(item);
  return lhs;
}

/// \cond Doxygen_Suppress
template <typename T>
inline constexpr bool use_default_type_traits_v<Array<T>> = false;

template <typename T>
struct TypeTraits<Array<T>> : public ObjectRefTypeTraitsBase<Array<T>> {
  static constexpr int32_t field_static_type_index = TypeIndex::kTVMFFIArray;
  using ObjectRefTypeTraitsBase<Array<T>>::CopyFromAnyViewAfterCheck;

  static bool CheckAnyStrict(const TVMFFIAny* src) {
    return detail::SeqCheckStrict(src, TypeIndex::kTVMFFIArray, detail::kElementOps<T>);
  }
  static std::optional<Array<T>> TryCastFromAnyView(const TVMFFIAny* src) {
    ObjectPtr<ArrayObj> seq = detail::SeqTryConvert<ArrayObj>(src, detail::kElementOps<T>);
    if (seq == nullptr) return std::nullopt;
    return Array<T>(ObjectPtr<Object>(std::move(seq)));
  }
  static std::string GetMismatchTypeInfo(const TVMFFIAny* src) {
    return detail::SeqMismatchText("Array", src, detail::kElementOps<T>);
  }
  static std::string TypeStr() {
    return detail::ComposeTypeStr("Array", {detail::kElementOps<T>.type_str});
  }
  static std::string TypeSchema() {
    return detail::ComposeTypeSchema("ffi.Array", {detail::kElementOps<T>.type_schema});
  }
};

template <typename T, typename U>
inline constexpr bool type_subsumes_v<Array<T>, Array<U>> = type_subsumes_v<T, U>;
/// \endcond

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_CONTAINER_ARRAY_H_
