// SPDX-License-Identifier: Apache-2.0
/*! \file tvm/ffi/string.h
 *  String and Bytes: immutable text and bytes of 16 bytes, small content stored inline.
 */
#ifndef TVM_FFI_STRING_H_
#define TVM_FFI_STRING_H_

#include <tvm/ffi/base_detail.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/type_traits.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#if defined(_MSC_VER)
#define TVM_FFI_SNPRINTF _snprintf_s
#else
#define TVM_FFI_SNPRINTF snprintf
#endif

namespace tvm {
namespace ffi {

/*! Views bytes as text. */
inline std::string_view ToStringView(TVMFFIByteArray bytes) {
  return std::string_view(bytes.data, bytes.size);
}

namespace detail {

/*! Heap form of Bytes. `data` is followed by a NUL that `size` does not count. */
class BytesObj : public Object, public TVMFFIByteArray {
 public:
  static constexpr int32_t _type_index = TypeIndex::kTVMFFIBytes;
  static constexpr bool _type_final = true;
  static constexpr uint32_t _type_child_slots = 0;
  static constexpr int32_t kSmallTypeIndex = TypeIndex::kTVMFFISmallBytes;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIBytes, BytesObj, Object);
};

/*! Heap form of String. `data` is followed by a NUL that `size` does not count. */
class StringObj : public Object, public TVMFFIByteArray {
 public:
  static constexpr int32_t _type_index = TypeIndex::kTVMFFIStr;
  static constexpr bool _type_final = true;
  static constexpr uint32_t _type_child_slots = 0;
  static constexpr int32_t kSmallTypeIndex = TypeIndex::kTVMFFISmallStr;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIStr, StringObj, Object);
};

/*! Heap form that keeps a std::string instead of copying it. */
template <typename Base>
class BytesObjStdImpl : public Base {
 public:
  explicit BytesObjStdImpl(std::string content) : content_(std::move(content)) {
    this->data = content_.data();
    this->size = content_.size();
  }

 private:
  std::string content_;
};

/*!
 * The one value a String or Bytes is made of. After a move it is None, which reads as empty.
 * It has the members of a TVMFFIAny, but no union: compilers keep these in registers, and copy a
 * union through memory in pieces, which stalls every read of the whole.
 */
template <typename Obj>
class BytesCell {
 public:
  static constexpr size_t kMaxSmallSize = sizeof(int64_t) - 1;

  BytesCell() noexcept = default;
  BytesCell(const char* data, size_t size) {
    if (TVM_FFI_PREDICT_FALSE(size > kMaxSmallSize)) {
      SetHeap(NewHeap(data, size));
      return;
    }
    small_size_ = static_cast<uint32_t>(size);
    if (size != 0) std::memcpy(&payload_, data, size);
  }
  TVM_FFI_NO_INLINE explicit BytesCell(std::string&& content) {
    SetHeap(ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(
        make_object<BytesObjStdImpl<Obj>>(std::move(content))));
  }
  BytesCell(const BytesCell& other) noexcept
      : type_index_(other.type_index_), small_size_(other.small_size_), payload_(other.payload_) {
    if (IsHeap()) IncRef(heap());
  }
  BytesCell(BytesCell&& other) noexcept
      : type_index_(other.type_index_), small_size_(other.small_size_), payload_(other.payload_) {
    other.SetNone();
  }
  BytesCell& operator=(const BytesCell& other) noexcept {
    BytesCell(other).swap(*this);
    return *this;
  }
  BytesCell& operator=(BytesCell&& other) noexcept {
    BytesCell(std::move(other)).swap(*this);
    return *this;
  }
  ~BytesCell() {
    if (IsHeap()) DecRef(heap());
  }

  void swap(BytesCell& other) noexcept {
    std::swap(type_index_, other.type_index_);
    std::swap(small_size_, other.small_size_);
    std::swap(payload_, other.payload_);
  }

  const char* data() const noexcept {
    return IsHeap() ? TVMFFIBytesGetByteArrayPtr(heap())->data
                    : reinterpret_cast<const char*>(&payload_);
  }
  size_t size() const noexcept {
    return IsHeap() ? TVMFFIBytesGetByteArrayPtr(heap())->size : small_size_;
  }

  /*! \brief Writes the value, which the cell still owns. */
  TVM_FFI_INLINE void CopyTo(TVMFFIAny* out) const {
    out->type_index = type_index_ == TypeIndex::kTVMFFINone ? Obj::kSmallTypeIndex : type_index_;
    out->small_str_len = small_size_;
    out->v_uint64 = payload_;
  }
  /*! \brief Writes the value, which `out` then owns. */
  TVM_FFI_INLINE void MoveTo(TVMFFIAny* out) {
    CopyTo(out);
    SetNone();
  }
  TVM_FFI_INLINE static BytesCell FromOwned(const TVMFFIAny& value) {
    BytesCell cell;
    cell.type_index_ = value.type_index;
    cell.small_size_ = value.small_str_len;
    cell.payload_ = value.v_uint64;
    return cell;
  }
  TVM_FFI_INLINE static BytesCell FromUnowned(const TVMFFIAny& value) {
    if (value.type_index >= TypeIndex::kTVMFFIStaticObjectBegin) IncRef(value.v_obj);
    return FromOwned(value);
  }

 private:
  bool IsHeap() const noexcept { return type_index_ >= TypeIndex::kTVMFFIStaticObjectBegin; }
  TVMFFIObject* heap() const noexcept {
    return reinterpret_cast<TVMFFIObject*>(static_cast<uintptr_t>(payload_));
  }
  void SetHeap(TVMFFIObject* owned) noexcept {
    type_index_ = Obj::_type_index;
    payload_ = reinterpret_cast<uintptr_t>(owned);
  }
  void SetNone() noexcept {
    type_index_ = TypeIndex::kTVMFFINone;
    small_size_ = 0;
    payload_ = 0;
  }
  // Out of line: strings are made in many places.
  TVM_FFI_NO_INLINE static TVMFFIObject* NewHeap(const char* data, size_t size) {
    ObjectPtr<Obj> obj = make_inplace_array_object<Obj, char>(size + 1);
    char* content = reinterpret_cast<char*>(obj.get()) + sizeof(Obj);
    std::memcpy(content, data, size);
    content[size] = '\0';
    obj->data = content;
    obj->size = size;
    return ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(std::move(obj));
  }

  int32_t type_index_ = Obj::kSmallTypeIndex;
  uint32_t small_size_ = 0;
  uint64_t payload_ = 0;  // the characters, or the address of the object
};

}  // namespace detail

/*! \brief Immutable bytes. */
class Bytes {
 public:
  Bytes() = default;
  Bytes(const char* data, size_t size) : cell_(data, size) {}
  Bytes(TVMFFIByteArray bytes) : cell_(bytes.data, bytes.size) {}         // NOLINT(*)
  Bytes(const std::string& other) : cell_(other.data(), other.size()) {}  // NOLINT(*)
  Bytes(std::string&& other) : cell_(std::move(other)) {}                 // NOLINT(*)

  void swap(Bytes& other) noexcept { cell_.swap(other.cell_); }
  const char* data() const noexcept { return cell_.data(); }
  size_t size() const noexcept { return cell_.size(); }
  operator std::string() const { return std::string(data(), size()); }  // NOLINT(*)

  /*! \brief Bytewise order of two blocks: negative, zero or positive. */
  static int memncmp(const char* lhs, const char* rhs, size_t lhs_count, size_t rhs_count) {
    if (lhs == rhs && lhs_count == rhs_count) return 0;
    const size_t shared = lhs_count < rhs_count ? lhs_count : rhs_count;
    for (size_t i = 0; i < shared; ++i) {
      if (lhs[i] < rhs[i]) return -1;
      if (lhs[i] > rhs[i]) return 1;
    }
    return lhs_count < rhs_count ? -1 : lhs_count > rhs_count ? 1 : 0;
  }
  static bool memequal(const void* lhs, const void* rhs, size_t lhs_count, size_t rhs_count) {
    return lhs_count == rhs_count &&
           (lhs == rhs || lhs_count == 0 || std::memcmp(lhs, rhs, lhs_count) == 0);
  }

 private:
  detail::BytesCell<detail::BytesObj> cell_;

  template <typename, typename>
  friend struct TypeTraits;
};

/*! \brief Immutable text, NUL-terminated, usually UTF-8; may contain NUL. */
class String {
 public:
  static constexpr size_t npos = static_cast<size_t>(-1);

  String() = default;
  String(std::nullptr_t) = delete;
  String(const char* other) : cell_(other, std::char_traits<char>::length(other)) {}  // NOLINT(*)
  String(const char* data, size_t size) : cell_(data, size) {}
  String(const std::string& other) : cell_(other.data(), other.size()) {}  // NOLINT(*)
  String(std::string&& other) : cell_(std::move(other)) {}                 // NOLINT(*)
  explicit String(TVMFFIByteArray bytes) : cell_(bytes.data, bytes.size) {}

  String& operator=(const std::string& other) { return *this = String(other); }
  String& operator=(std::string&& other) { return *this = String(std::move(other)); }
  String& operator=(const char* other) { return *this = String(other); }

  void swap(String& other) noexcept { cell_.swap(other.cell_); }
  const char* data() const noexcept { return cell_.data(); }
  const char* c_str() const noexcept { return cell_.data(); }
  size_t size() const noexcept { return cell_.size(); }
  size_t length() const noexcept { return cell_.size(); }
  bool empty() const noexcept { return cell_.size() == 0; }
  char at(size_t pos) const {
    if (pos >= size()) throw std::out_of_range("tvm::String index out of bounds");
    return data()[pos];
  }
  operator std::string() const { return std::string(data(), size()); }  // NOLINT(*)

  int compare(const String& other) const { return Compare(other.data(), other.size()); }
  int compare(const std::string& other) const { return Compare(other.data(), other.size()); }
  int compare(const char* other) const {
    return Compare(other, std::char_traits<char>::length(other));
  }
  int compare(const TVMFFIByteArray& other) const { return Compare(other.data, other.size); }

  size_t find(const String& str, size_t pos = 0) const { return view().find(str.view(), pos); }
  size_t find(const std::string& str, size_t pos = 0) const { return view().find(str, pos); }
  size_t find(const char* str, size_t pos = 0) const { return view().find(str, pos); }
  size_t find(const char* str, size_t pos, size_t count) const {
    return view().find(str, pos, count);
  }
  /*! \brief At most `count` characters from `pos` on. */
  String substr(size_t pos = 0, size_t count = npos) const {
    if (pos > size()) throw std::out_of_range("tvm::String substr index out of bounds");
    const size_t rest = size() - pos;
    return String(data() + pos, count < rest ? count : rest);
  }
  bool starts_with(const String& prefix) const { return starts_with(prefix.view()); }
  bool starts_with(std::string_view prefix) const {
    return view().substr(0, prefix.size()) == prefix;
  }
  bool starts_with(const char* prefix) const { return starts_with(std::string_view(prefix)); }
  bool starts_with(const char* prefix, size_t count) const {
    return starts_with(std::string_view(prefix, count));
  }
  bool ends_with(const String& suffix) const { return ends_with(suffix.view()); }
  bool ends_with(std::string_view suffix) const {
    return size() >= suffix.size() && view().substr(size() - suffix.size()) == suffix;
  }
  bool ends_with(const char* suffix) const { return ends_with(std::string_view(suffix)); }
  bool ends_with(const char* suffix, size_t count) const {
    return ends_with(std::string_view(suffix, count));
  }
  /*! \brief Parts between the separators; the views point into this string. */
  std::vector<std::string_view> Split(char separator) const {
    std::vector<std::string_view> parts;
    std::string_view rest = view();
    for (size_t stop; (stop = rest.find(separator)) != std::string_view::npos;) {
      parts.push_back(rest.substr(0, stop));
      rest.remove_prefix(stop + 1);
    }
    parts.push_back(rest);
    return parts;
  }

 private:
  std::string_view view() const { return std::string_view(data(), size()); }
  int Compare(const char* other, size_t count) const {
    return Bytes::memncmp(data(), other, size(), count);
  }

  detail::BytesCell<detail::StringObj> cell_;

  template <typename, typename>
  friend struct TypeTraits;
};

namespace detail {
TVM_FFI_INLINE std::string_view AsView(const String& s) {
  return std::string_view(s.data(), s.size());
}
TVM_FFI_INLINE std::string_view AsView(const std::string& s) { return s; }
TVM_FFI_INLINE std::string_view AsView(const char* s) { return s; }

TVM_FFI_NO_INLINE inline String ConcatStrings(std::string_view lhs, std::string_view rhs) {
  std::string result;
  result.reserve(lhs.size() + rhs.size());
  result.append(lhs);
  result.append(rhs);
  if (result.size() <= BytesCell<StringObj>::kMaxSmallSize) {
    return String(result.data(), result.size());
  }
  return String(std::move(result));
}
}  // namespace detail

// Each operator exists for String with String, std::string and const char*, in both orders.
#define TVM_FFI_STRING_OPERATORS_(Lhs, Rhs)                                                       \
  inline String operator+(Lhs lhs, Rhs rhs) {                                                     \
    return detail::ConcatStrings(detail::AsView(lhs), detail::AsView(rhs));                       \
  }                                                                                               \
  inline bool operator==(Lhs lhs, Rhs rhs) { return detail::AsView(lhs) == detail::AsView(rhs); } \
  inline bool operator!=(Lhs lhs, Rhs rhs) { return !(lhs == rhs); }                              \
  inline bool operator<(Lhs lhs, Rhs rhs) {                                                       \
    std::string_view a = detail::AsView(lhs), b = detail::AsView(rhs);                            \
    return Bytes::memncmp(a.data(), b.data(), a.size(), b.size()) < 0;                            \
  }                                                                                               \
  inline bool operator>(Lhs lhs, Rhs rhs) {                                                       \
    std::string_view a = detail::AsView(lhs), b = detail::AsView(rhs);                            \
    return Bytes::memncmp(a.data(), b.data(), a.size(), b.size()) > 0;                            \
  }                                                                                               \
  inline bool operator<=(Lhs lhs, Rhs rhs) {                                                      \
    std::string_view a = detail::AsView(lhs), b = detail::AsView(rhs);                            \
    return Bytes::memncmp(a.data(), b.data(), a.size(), b.size()) <= 0;                           \
  }                                                                                               \
  inline bool operator>=(Lhs lhs, Rhs rhs) {                                                      \
    std::string_view a = detail::AsView(lhs), b = detail::AsView(rhs);                            \
    return Bytes::memncmp(a.data(), b.data(), a.size(), b.size()) >= 0;                           \
  }
TVM_FFI_STRING_OPERATORS_(const String&, const String&)
TVM_FFI_STRING_OPERATORS_(const String&, const std::string&)
TVM_FFI_STRING_OPERATORS_(const std::string&, const String&)
TVM_FFI_STRING_OPERATORS_(const String&, const char*)
TVM_FFI_STRING_OPERATORS_(const char*, const String&)
#undef TVM_FFI_STRING_OPERATORS_

bool operator==(const String&, std::nullptr_t) = delete;
bool operator!=(const String&, std::nullptr_t) = delete;
bool operator==(std::nullptr_t, const String&) = delete;
bool operator!=(std::nullptr_t, const String&) = delete;

/*! A template, so that only those who use it need `<ostream>`. */
template <typename Traits>
inline std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                    const String& input) {
  return out.write(input.data(), static_cast<std::streamsize>(input.size()));
}

namespace detail {
template <>
struct MessageText<String> {
  static constexpr bool kKnown = true;
  static std::string_view Of(const String& value) { return AsView(value); }
};
}  // namespace detail

inline bool operator==(const Bytes& lhs, const Bytes& rhs) {
  return Bytes::memequal(lhs.data(), rhs.data(), lhs.size(), rhs.size());
}
inline bool operator!=(const Bytes& lhs, const Bytes& rhs) { return !(lhs == rhs); }

// Conversion rules

namespace detail {

template <typename T, typename Obj>
struct BytesTypeTraitsBase : public TypeTraitsBase {
 protected:
  static constexpr int32_t kHeap = Obj::_type_index;
  static constexpr int32_t kSmall = Obj::kSmallTypeIndex;

 public:
  TVM_FFI_INLINE static bool CheckAnyStrict(const TVMFFIAny* src) {
    return src->type_index == kSmall || src->type_index == kHeap;
  }
};

}  // namespace detail

template <>
struct TypeTraits<Bytes> : public detail::BytesTypeTraitsBase<Bytes, detail::BytesObj> {
  TVM_FFI_INLINE static void CopyToAnyView(const Bytes& src, TVMFFIAny* result) {
    src.cell_.CopyTo(result);
  }
  TVM_FFI_INLINE static void MoveToAny(Bytes src, TVMFFIAny* result) { src.cell_.MoveTo(result); }
  TVM_FFI_INLINE static Bytes CopyFromAnyViewAfterCheck(const TVMFFIAny* src) {
    Bytes result;
    result.cell_ = detail::BytesCell<detail::BytesObj>::FromUnowned(*src);
    return result;
  }
  TVM_FFI_INLINE static Bytes MoveFromAnyAfterCheck(TVMFFIAny* src) {
    Bytes result;
    result.cell_ = detail::BytesCell<detail::BytesObj>::FromOwned(*src);
    detail::SetNoneAny(src);
    return result;
  }
  template <typename Out = Bytes>
  TVM_FFI_INLINE static std::optional<Out> TryCastFromAnyView(const TVMFFIAny* src) {
    if (CheckAnyStrict(src)) return CopyFromAnyViewAfterCheck(src);
    if (src->type_index == TypeIndex::kTVMFFIByteArrayPtr) {
      return Bytes(*static_cast<const TVMFFIByteArray*>(src->v_ptr));
    }
    return std::nullopt;
  }
  TVM_FFI_INLINE static std::string TypeStr() { return "bytes"; }
  TVM_FFI_INLINE static std::string TypeSchema() { return R"({"type":"ffi.Bytes"})"; }
};

template <>
struct TypeTraits<String> : public detail::BytesTypeTraitsBase<String, detail::StringObj> {
  TVM_FFI_INLINE static void CopyToAnyView(const String& src, TVMFFIAny* result) {
    src.cell_.CopyTo(result);
  }
  TVM_FFI_INLINE static void MoveToAny(String src, TVMFFIAny* result) { src.cell_.MoveTo(result); }
  TVM_FFI_INLINE static String CopyFromAnyViewAfterCheck(const TVMFFIAny* src) {
    String result;
    result.cell_ = detail::BytesCell<detail::StringObj>::FromUnowned(*src);
    return result;
  }
  TVM_FFI_INLINE static String MoveFromAnyAfterCheck(TVMFFIAny* src) {
    String result;
    result.cell_ = detail::BytesCell<detail::StringObj>::FromOwned(*src);
    detail::SetNoneAny(src);
    return result;
  }
  template <typename Out = String>
  TVM_FFI_INLINE static std::optional<Out> TryCastFromAnyView(const TVMFFIAny* src) {
    if (CheckAnyStrict(src)) return CopyFromAnyViewAfterCheck(src);
    if (src->type_index == TypeIndex::kTVMFFIRawStr) return String(src->v_c_str);
    return std::nullopt;
  }
  TVM_FFI_INLINE static std::string TypeStr() { return "str"; }
  TVM_FFI_INLINE static std::string TypeSchema() { return R"({"type":"ffi.String"})"; }
};

/*! C strings: a view borrows them, an owning value copies them. */
template <>
struct TypeTraits<const char*> : public TypeTraitsBase {
  static constexpr bool storage_enabled = false;

  TVM_FFI_INLINE static void CopyToAnyView(const char* const& src, TVMFFIAny* result) {
    TVM_FFI_ICHECK_NOTNULL(src);
    result->type_index = TypeIndex::kTVMFFIRawStr;
    result->zero_padding = 0;
    TVM_FFI_CLEAR_PTR_PADDING_IN_FFI_ANY(result);
    result->v_c_str = src;
  }
  TVM_FFI_INLINE static void MoveToAny(const char* src, TVMFFIAny* result) {
    TVM_FFI_ICHECK_NOTNULL(src);
    TypeTraits<String>::MoveToAny(String(src), result);
  }
  template <typename Out = const char*>
  TVM_FFI_INLINE static std::optional<Out> TryCastFromAnyView(const TVMFFIAny* src) {
    if (src->type_index == TypeIndex::kTVMFFIRawStr) return src->v_c_str;
    return std::nullopt;
  }
  TVM_FFI_INLINE static std::string TypeStr() { return StaticTypeKey::kTVMFFIRawStr; }
  TVM_FFI_INLINE static std::string TypeSchema() { return R"({"type":"const char*"})"; }
};

template <size_t N>
struct TypeTraits<char[N]> : public TypeTraitsBase {
  static constexpr bool storage_enabled = false;

  TVM_FFI_INLINE static void CopyToAnyView(const char (&src)[N], TVMFFIAny* result) {
    result->type_index = TypeIndex::kTVMFFIRawStr;
    result->zero_padding = 0;
    TVM_FFI_CLEAR_PTR_PADDING_IN_FFI_ANY(result);
    result->v_c_str = src;
  }
  TVM_FFI_INLINE static void MoveToAny(const char (&src)[N], TVMFFIAny* result) {
    TypeTraits<String>::MoveToAny(String(src), result);
  }
};

template <>
struct TypeTraits<TVMFFIByteArray*> : public TypeTraitsBase {
  static constexpr bool storage_enabled = false;

  TVM_FFI_INLINE static void CopyToAnyView(TVMFFIByteArray* const& src, TVMFFIAny* result) {
    TVM_FFI_ICHECK_NOTNULL(src);
    result->type_index = TypeIndex::kTVMFFIByteArrayPtr;
    result->zero_padding = 0;
    TVM_FFI_CLEAR_PTR_PADDING_IN_FFI_ANY(result);
    result->v_ptr = src;
  }
  TVM_FFI_INLINE static void MoveToAny(TVMFFIByteArray* src, TVMFFIAny* result) {
    TVM_FFI_ICHECK_NOTNULL(src);
    TypeTraits<Bytes>::MoveToAny(Bytes(*src), result);
  }
  template <typename Out = TVMFFIByteArray*>
  TVM_FFI_INLINE static std::optional<Out> TryCastFromAnyView(const TVMFFIAny* src) {
    if (src->type_index == TypeIndex::kTVMFFIByteArrayPtr) {
      return static_cast<TVMFFIByteArray*>(src->v_ptr);
    }
    return std::nullopt;
  }
  TVM_FFI_INLINE static std::string TypeStr() { return StaticTypeKey::kTVMFFIByteArrayPtr; }
  TVM_FFI_INLINE static std::string TypeSchema() { return R"({"type":"TVMFFIByteArray*"})"; }
};

/*! A view borrows the C string: content after an embedded NUL is only kept by the owning form. */
template <>
struct TypeTraits<std::string>
    : public FallbackOnlyTraitsBase<std::string, const char*, TVMFFIByteArray*, Bytes, String> {
  TVM_FFI_INLINE static void CopyToAnyView(const std::string& src, TVMFFIAny* result) {
    result->type_index = TypeIndex::kTVMFFIRawStr;
    result->zero_padding = 0;
    TVM_FFI_CLEAR_PTR_PADDING_IN_FFI_ANY(result);
    result->v_c_str = src.c_str();
  }
  TVM_FFI_INLINE static void MoveToAny(std::string src, TVMFFIAny* result) {
    TypeTraits<String>::MoveToAny(String(std::move(src)), result);
  }
  TVM_FFI_INLINE static std::string ConvertFallbackValue(const char* src) { return src; }
  TVM_FFI_INLINE static std::string ConvertFallbackValue(TVMFFIByteArray* src) {
    return std::string(src->data, src->size);
  }
  TVM_FFI_INLINE static std::string ConvertFallbackValue(Bytes src) { return src; }
  TVM_FFI_INLINE static std::string ConvertFallbackValue(String src) { return src; }
  TVM_FFI_INLINE static std::string TypeStr() { return "std::string"; }
  TVM_FFI_INLINE static std::string TypeSchema() { return R"({"type":"std::string"})"; }
};

template <>
inline constexpr bool use_default_type_traits_v<Bytes> = false;
template <>
inline constexpr bool use_default_type_traits_v<String> = false;

// Escapes

namespace detail {

TVM_FFI_COLD_CODE inline void AppendHex(std::string* out, uint32_t value, int digits) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
    out->push_back("0123456789abcdef"[(value >> shift) & 15]);
  }
}

/*! Appends the JSON text of a string, quotes included; valid UTF-8 or not, bytes above 0x7f stay.
 */
TVM_FFI_COLD_CODE inline void AppendJSONString(std::string* out, std::string_view text) {
  out->push_back('"');
  for (char ch : text) {
    switch (ch) {
      case '"':
      case '\\':
      case '/':
        out->push_back('\\');
        out->push_back(ch);
        break;
      case '\b':
        out->append("\\b");
        break;
      case '\f':
        out->append("\\f");
        break;
      case '\n':
        out->append("\\n");
        break;
      case '\r':
        out->append("\\r");
        break;
      case '\t':
        out->append("\\t");
        break;
      default: {
        const uint8_t byte = static_cast<uint8_t>(ch);
        if (byte < 0x20 || byte == 0x7f) {
          out->append("\\u");
          AppendHex(out, byte, 4);
        } else {
          out->push_back(ch);
        }
      }
    }
  }
  out->push_back('"');
}

/*! Length of the valid UTF-8 sequence at the start of `text`, 0 when it is invalid. */
TVM_FFI_COLD_CODE inline size_t DecodeUTF8(std::string_view text, uint32_t* code_point) {
  const uint8_t lead = static_cast<uint8_t>(text[0]);
  size_t length = lead < 0x80                   ? 1
                  : lead >= 0xc2 && lead < 0xe0 ? 2
                  : lead >= 0xe0 && lead < 0xf0 ? 3
                  : lead >= 0xf0 && lead < 0xf5 ? 4
                                                : 0;
  if (length == 0 || length > text.size()) return 0;
  uint32_t code = length == 1 ? lead : lead & ((1u << (7 - length)) - 1u);
  for (size_t i = 1; i < length; ++i) {
    const uint8_t byte = static_cast<uint8_t>(text[i]);
    if ((byte & 0xc0) != 0x80) return 0;
    code = (code << 6) | (byte & 0x3fu);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  if (overlong || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return 0;
  *code_point = code;
  return length;
}

/*! Appends the text of a string as Python would show it, in double quotes and in ASCII only. */
TVM_FFI_COLD_CODE inline void AppendPyString(std::string* out, std::string_view text) {
  out->push_back('"');
  while (!text.empty()) {
    uint32_t code = 0;
    size_t length = DecodeUTF8(text, &code);
    if (length > 1) {
      out->append(length == 4 ? "\\U" : "\\u");
      AppendHex(out, code, length == 4 ? 8 : 4);
      text.remove_prefix(length);
      continue;
    }
    const char ch = text[0];
    const uint8_t byte = static_cast<uint8_t>(ch);
    text.remove_prefix(1);
    if (ch == '\n') {
      out->append("\\n");
    } else if (ch == '\t') {
      out->append("\\t");
    } else if (ch == '\r') {
      out->append("\\r");
    } else if (ch == '"' || ch == '\\') {
      out->push_back('\\');
      out->push_back(ch);
    } else if (byte < 0x20 || byte >= 0x7f) {
      out->append("\\x");
      AppendHex(out, byte, 2);
    } else {
      out->push_back(ch);
    }
  }
  out->push_back('"');
}

}  // namespace detail

/*! JSON text of a string, with quotes. */
TVM_FFI_COLD_CODE inline String EscapeStringJSON(const String& value) {
  std::string result;
  detail::AppendJSONString(&result, detail::AsView(value));
  return String(std::move(result));
}

[[deprecated("use EscapeStringJSON")]] inline String EscapeString(const String& value) {
  return EscapeStringJSON(value);
}

/*! Python-style text of a string: double quotes, ASCII only, escapes for everything else. */
TVM_FFI_COLD_CODE inline String EscapedStringPy(const String& value) {
  std::string result;
  detail::AppendPyString(&result, detail::AsView(value));
  return String(std::move(result));
}

}  // namespace ffi
}  // namespace tvm

namespace std {
template <>
struct hash<::tvm::ffi::Bytes> {
  size_t operator()(const ::tvm::ffi::Bytes& bytes) const {
    return std::hash<std::string_view>()(std::string_view(bytes.data(), bytes.size()));
  }
};
template <>
struct hash<::tvm::ffi::String> {
  size_t operator()(const ::tvm::ffi::String& str) const {
    return std::hash<std::string_view>()(std::string_view(str.data(), str.size()));
  }
};
}  // namespace std
#endif  // TVM_FFI_STRING_H_
