// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/list.h
 * \brief List: a mutable sequence. All holders see every change.
 */
#ifndef TVM_FFI_CONTAINER_LIST_H_
#define TVM_FFI_CONTAINER_LIST_H_

#include <tvm/ffi/container/seq_reader.h>
#include <tvm/ffi/memory.h>

#include <initializer_list>
#include <iterator>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tvm {
namespace ffi {

/*!
 * \brief List object: the elements lie in a block of their own, which growth replaces.
 *
 * The block comes from the global `operator new`. Code compiled elsewhere grows a list by calling
 * the present deleter and leaving it in place, so the deleter of every list takes null and any
 * block of `operator new`.
 */
class ListObj : public SeqBaseObj {
 public:
  /*! \brief Capacity of the first block of a list that grew from a null reference. */
  static constexpr int64_t kInitSize = 4;
  /*! \brief Factor by which the capacity grows. */
  static constexpr int64_t kIncFactor = 2;

  ListObj() { TVMFFISeqCell::data_deleter = FreeBlock; }

  /*! \brief A new list of no elements with room for `n`. */
  TVM_FFI_NO_INLINE static ObjectPtr<ListObj> Empty(int64_t n = 0) {
    ObjectPtr<ListObj> p = make_object<ListObj>();
    p->Reserve(n);
    return p;
  }
  /*! \brief A new list with the elements of `from` and room for `capacity`. */
  static ObjectPtr<ListObj> CopyFrom(int64_t capacity, const SeqBaseObj* from) {
    ObjectPtr<ListObj> p = Empty(detail::Larger(capacity, static_cast<int64_t>(from->size())));
    p->CopyElements(from);
    return p;
  }
  /*! \brief A new list that holds `value` `n` times. */
  static ObjectPtr<ListObj> CreateRepeated(int64_t n, const Any& value) {
    ObjectPtr<ListObj> p = Empty(n);
    p->EnlargeBy(n, value);
    return p;
  }

  /*! \brief A new list with the values of [first, last). */
  template <typename Iter>
  static ObjectPtr<ListObj> FromRange(Iter first, Iter last) {
    ObjectPtr<ListObj> p = Empty(detail::CountRange(first, last));
    for (; first != last; ++first) p->Append(Any(*first));
    return p;
  }

  /*! \brief Makes room for `n` elements in all. */
  void Reserve(int64_t n) {
    if (n > TVMFFISeqCell::capacity) ReplaceBlock(n);
  }
  /*! \brief Makes room for `extra` more elements, growing by a factor. */
  void EnsureRoom(int64_t extra) {
    if (TVM_FFI_PREDICT_TRUE(extra <= TVMFFISeqCell::capacity - TVMFFISeqCell::size)) return;
    detail::CheckSeqCapacity(extra);
    ReplaceBlock(detail::Larger(TVMFFISeqCell::capacity * kIncFactor, TVMFFISeqCell::size + extra));
  }

  /*! \brief Adds an element at the end. */
  void Append(Any item) {
    EnsureRoom(1);
    EmplaceBackUnchecked(std::move(item));
  }
  void insert(int64_t idx, Any item) {
    CheckInsertIndex(idx);
    EnsureRoom(1);
    SeqBaseObj::insert(idx, std::move(item));
  }
  /*! \brief Inserts the values of [first, last), which may lie in this list, before `idx`. */
  template <typename Iter>
  void insert(int64_t idx, Iter first, Iter last) {
    const ObjectPtr<ListObj> items = FromRange(first, last);
    InsertAll(idx, items.get());
  }
  void resize(int64_t n) {
    EnsureRoom(n - TVMFFISeqCell::size);
    SeqBaseObj::resize(n);
  }

  /// \cond Doxygen_Suppress
  static constexpr const int32_t _type_index = TypeIndex::kTVMFFIList;
  static constexpr const bool _type_final = true;
  static constexpr const char* kNullText = "a null list";
  static constexpr const bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIList, ListObj, Object);
  /// \endcond

 private:
  template <typename, typename>
  friend class List;

  static void FreeBlock(void* data) { ::operator delete(data); }

  /*! \brief Inserts the elements of another list, which becomes empty. */
  void InsertAll(int64_t idx, ListObj* items) {
    CheckInsertIndex(idx);
    EnsureRoom(items->TVMFFISeqCell::size);
    TakeElements(idx, items);
  }
  void CheckInsertIndex(int64_t idx) const {
    if (idx < 0 || idx > TVMFFISeqCell::size) detail::ThrowSeqInsertIndex(idx, TVMFFISeqCell::size);
  }
  TVM_FFI_NO_INLINE void ReplaceBlock(int64_t capacity) {
    detail::CheckSeqCapacity(capacity);
    void* fresh = ::operator new(static_cast<size_t>(capacity) * sizeof(TVMFFIAny));
    void* old = TVMFFISeqCell::data;
    if (TVMFFISeqCell::size != 0) {
      std::memcpy(fresh, old, static_cast<size_t>(TVMFFISeqCell::size) * sizeof(TVMFFIAny));
    }
    TVMFFISeqCell::data = fresh;
    TVMFFISeqCell::capacity = capacity;
    if (TVMFFISeqCell::data_deleter != nullptr) {
      TVMFFISeqCell::data_deleter(old);
    } else {
      TVMFFISeqCell::data_deleter = FreeBlock;
    }
  }
};

/*!
 * \brief Reference to a shared, mutable sequence of `T`.
 *
 * Copies of a List refer to the same object. A moved-from List is null, which reads as empty and
 * becomes a new list when it is appended to. Members that change the list may be given elements
 * and ranges of it. Iterators are positions in the list object: they stay valid when it changes,
 * and reading one that is past the end throws IndexError. They do not keep the object alive.
 * \tparam T Any, or a type that can be stored in Any.
 */
template <typename T, typename = typename std::enable_if_t<detail::storage_enabled_v<T>>>
class List : public SeqReader<ListObj, T, true> {
  using Reader = SeqReader<ListObj, T, true>;

 public:
  using Reader::begin;
  using Reader::capacity;
  using Reader::empty;
  using Reader::size;
  using typename Reader::iterator;

  List() : Reader(ObjectPtr<Object>(ListObj::Empty())) {}
  explicit List(UnsafeInit tag) : Reader(tag) {}
  explicit List(ObjectPtr<Object> data) : Reader(std::move(data)) {}
  List(const List&) = default;
  List(List&&) noexcept = default;
  List& operator=(const List&) = default;
  List& operator=(List&&) noexcept = default;

  template <typename U, typename = std::enable_if_t<type_subsumes_v<T, U> && !std::is_same_v<T, U>>>
  List(const List<U>& other)  // NOLINT(google-explicit-constructor)
      : Reader(static_cast<const ObjectRef&>(other)) {}
  template <typename U, typename = std::enable_if_t<type_subsumes_v<T, U> && !std::is_same_v<T, U>>>
  List(List<U>&& other)  // NOLINT(google-explicit-constructor)
      : Reader(static_cast<ObjectRef&&>(std::move(other))) {}

  /*! \brief Elements of [first, last); a `T` each, or anything when `T` is Any. */
  template <typename Iter, typename = std::enable_if_t<!std::is_arithmetic_v<Iter>>>
  List(Iter first, Iter last) : Reader(ObjectPtr<Object>(FromRange(first, last))) {}
  List(std::initializer_list<T> init)  // NOLINT(google-explicit-constructor)
      : Reader(ObjectPtr<Object>(FromRange(init.begin(), init.end()))) {}
  List(const std::vector<T>& init)  // NOLINT(google-explicit-constructor)
      : Reader(ObjectPtr<Object>(FromRange(init.begin(), init.end()))) {}
  /*! \brief `n` times `value`; throws ValueError when `n` is negative. */
  explicit List(int64_t n, const T& value) : Reader(UnsafeInit{}) {
    if (n < 0) detail::ThrowSeqNegativeSize("construct", "a List of");
    data_ = ListObj::CreateRepeated(n, Any(value));
  }

  void push_back(const T& item) { Materialize()->Append(Any(item)); }
  template <typename... Args>
  void emplace_back(Args&&... args) {
    Any item(T(std::forward<Args>(args)...));
    Materialize()->Append(std::move(item));
  }

  void insert(iterator position, const T& value) {
    const int64_t idx = Position(position, "insert to");
    GetListObj()->insert(idx, Any(value));
  }
  /*! \brief Inserts [first, last) before `position`; the range may lie in this list. */
  template <typename Iter>
  void insert(iterator position, Iter first, Iter last) {
    const int64_t idx = Position(position, "insert to");
    // Copied first: growth would pull the block from under a range of this list.
    const ObjectPtr<ListObj> items = FromRange(first, last);
    GetListObj()->InsertAll(idx, items.get());
  }
  void pop_back() {
    if (data_ == nullptr) detail::ThrowSeqNull("pop_back", ListObj::kNullText);
    GetListObj()->pop_back();
  }
  void erase(iterator position) {
    const int64_t idx = Position(position, "erase");
    GetListObj()->erase(idx);
  }
  void erase(iterator first, iterator last) {
    const int64_t begin_idx = Position(first, "erase");
    const int64_t end_idx = Position(last, "erase");
    GetListObj()->erase(begin_idx, end_idx);
  }
  /*! \brief Drops elements at the end, or adds None. */
  void resize(int64_t n) {
    if (n < 0) detail::ThrowSeqNegativeSize("resize", "a List to");
    Materialize()->resize(n);
  }
  /*! \brief Makes room for `n` elements in all. */
  void reserve(int64_t n) { Materialize()->Reserve(n); }
  void clear() {
    if (ListObj* p = GetListObj()) p->clear();
  }

  /*! \brief Replaces element `i`; throws IndexError outside [0, size()). */
  void Set(int64_t i, T value) { Required()->SetItem(i, Any(std::move(value))); }

  /*! \brief Replaces all elements by those of [first, last), which may lie in this list. */
  template <typename Iter>
  void Assign(Iter first, Iter last) {
    const ObjectPtr<ListObj> items = FromRange(first, last);
    ListObj* self = Materialize();
    self->clear();
    self->InsertAll(0, items.get());
  }

  ListObj* GetListObj() const { return this->Raw(); }

 protected:
  using ObjectRef::data_;

 private:
  using Reader::Position;
  using Reader::Required;

  template <typename Iter>
  static ObjectPtr<ListObj> FromRange(Iter first, Iter last) {
    static_assert(detail::is_valid_iterator_v<T, Iter>,
                  "Iter cannot be inserted into a List of this element type");
    return ListObj::FromRange(first, last);
  }
  ListObj* Materialize() {
    if (TVM_FFI_PREDICT_FALSE(data_ == nullptr)) data_ = ListObj::Empty(ListObj::kInitSize);
    return GetListObj();
  }
};

/// \cond Doxygen_Suppress
template <typename T>
inline constexpr bool use_default_type_traits_v<List<T>> = false;

template <typename T>
struct TypeTraits<List<T>> : public ObjectRefTypeTraitsBase<List<T>> {
  static constexpr int32_t field_static_type_index = TypeIndex::kTVMFFIList;
  using ObjectRefTypeTraitsBase<List<T>>::CopyFromAnyViewAfterCheck;

  static bool CheckAnyStrict(const TVMFFIAny* src) {
    return detail::SeqCheckStrict(src, TypeIndex::kTVMFFIList, detail::kElementOps<T>);
  }
  static std::optional<List<T>> TryCastFromAnyView(const TVMFFIAny* src) {
    ObjectPtr<ListObj> seq = detail::SeqTryConvert<ListObj>(src, detail::kElementOps<T>);
    if (seq == nullptr) return std::nullopt;
    return List<T>(ObjectPtr<Object>(std::move(seq)));
  }
  static std::string GetMismatchTypeInfo(const TVMFFIAny* src) {
    return detail::SeqMismatchText("List", src, detail::kElementOps<T>);
  }
  static std::string TypeStr() {
    return detail::ComposeTypeStr("List", {detail::kElementOps<T>.type_str});
  }
  static std::string TypeSchema() {
    return detail::ComposeTypeSchema("ffi.List", {detail::kElementOps<T>.type_schema});
  }
};

template <typename T, typename U>
inline constexpr bool type_subsumes_v<List<T>, List<U>> = type_subsumes_v<T, U>;
/// \endcond

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_CONTAINER_LIST_H_
