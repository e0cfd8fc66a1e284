// SPDX-License-Identifier: Apache-2.0
/*! \file tvm/ffi/message_detail.h
 *  The stream behind TVM_FFI_THROW and the checks.
 *
 *  Most messages are text and numbers. Those are put together here, so that an extension does not
 *  compile the stream library for them; anything else goes to a std::ostream, which is made when
 *  the first such operand arrives and needs `<ostream>` in the file that streams it.
 */
#ifndef TVM_FFI_MESSAGE_DETAIL_H_
#define TVM_FFI_MESSAGE_DETAIL_H_

#include <tvm/ffi/base_detail.h>

#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {

/*! A namespace without operators of its own, which would hide those of users. */
namespace message_detail {

/*! Whether argument-dependent lookup finds `operator<<(std::ostream&, T)` of the user. */
template <typename T, typename = void>
inline constexpr bool has_free_operator_v = false;
template <typename T>
inline constexpr bool has_free_operator_v<
    T, std::void_t<decltype(operator<<(std::declval<std::ostream&>(), std::declval<const T&>()))>> =
    true;

/*! Whether a `T` goes into a std::ostream, as far as the file has seen it. */
template <typename T, typename = void>
inline constexpr bool is_streamable_v = false;
template <typename T>
inline constexpr bool is_streamable_v<
    T, std::void_t<decltype(std::declval<std::ostream&>() << std::declval<const T&>())>> = true;

template <typename Stream, typename T>
inline void Write(Stream& stream, const T& value) {
  stream << value;
}

}  // namespace message_detail

namespace detail {

/*! Text of a value of these headers: `static std::string_view Of(const T&)`, or std::string. */
template <typename T, typename = void>
struct MessageText {
  static constexpr bool kKnown = false;
};

/*! Operands that are no text, as 64 bits. Signed ones keep their width, which std::hex shows. */
enum class MessageNumber { kInt16, kInt32, kInt64, kUInt, kBool, kDouble, kPointer };

class MessageStream;

/*! Takes the operands of a message from the time on that a std::ostream is needed. */
class MessageOstreamBase {
 public:
  virtual ~MessageOstreamBase() = default;
  virtual void PutText(const char* data, size_t size) = 0;
  virtual void PutNumber(MessageNumber kind, uint64_t bits) = 0;
  /*! \brief Where the characters go. */
  MessageStream* message;
};

template <typename Char>
class MessageOstream;

/*!
 * Collects the text of a message; takes what a std::ostream takes, and converts to one.
 *
 * What is longer than the room inside lies in memory of the message, which whoever ends it gives
 * back with Release; the destructor is for a message that an operand which throws leaves
 * unfinished.
 */
class MessageStream {
 public:
  // Not defaulted: `MessageStream()` would fill the room with zeros.
  MessageStream() {}  // NOLINT(modernize-use-equals-default)
  MessageStream(const MessageStream&) = delete;
  MessageStream& operator=(const MessageStream&) = delete;
  // Without a test, as it only runs while an exception leaves: one call in cold code.
  ~MessageStream() { Release(); }
  /*! \brief The stream itself, also that of a temporary. */
  MessageStream& stream() { return *this; }

  MessageStream& operator<<(const char* text) { return PutText(text); }
  MessageStream& operator<<(const signed char* text) {
    return PutText(reinterpret_cast<const char*>(text));
  }
  MessageStream& operator<<(const unsigned char* text) {
    return PutText(reinterpret_cast<const char*>(text));
  }
  MessageStream& operator<<(const std::string& text) { return PutText(text.data(), text.size()); }
  MessageStream& operator<<(std::string_view text) { return PutText(text.data(), text.size()); }
  MessageStream& operator<<(char ch) { return PutText(&ch, 1); }
  MessageStream& operator<<(signed char ch) { return *this << static_cast<char>(ch); }
  MessageStream& operator<<(unsigned char ch) { return *this << static_cast<char>(ch); }
  MessageStream& operator<<(bool value) { return PutNumber(MessageNumber::kBool, value); }
  MessageStream& operator<<(short value) { return PutInt(value); }  // NOLINT(runtime/int)
  MessageStream& operator<<(int value) { return PutInt(value); }
  MessageStream& operator<<(long value) { return PutInt(value); }       // NOLINT(runtime/int)
  MessageStream& operator<<(long long value) { return PutInt(value); }  // NOLINT(runtime/int)
  MessageStream& operator<<(unsigned value) { return PutNumber(MessageNumber::kUInt, value); }
  MessageStream& operator<<(unsigned long value) {  // NOLINT(runtime/int)
    return PutNumber(MessageNumber::kUInt, value);
  }
  MessageStream& operator<<(unsigned long long value) {  // NOLINT(runtime/int)
    return PutNumber(MessageNumber::kUInt, value);
  }
  TVM_FFI_COLD_CODE MessageStream& operator<<(double value) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof(value));
    return PutNumber(MessageNumber::kDouble, bits);
  }
  TVM_FFI_COLD_CODE MessageStream& operator<<(const void* pointer) {
    return PutNumber(MessageNumber::kPointer, reinterpret_cast<uintptr_t>(pointer));
  }
  MessageStream& operator<<(std::nullptr_t) { return PutText("nullptr"); }
  /*! \brief Manipulators such as std::endl, then such as std::hex. */
  template <typename Char = char>
  MessageStream& operator<<(std::basic_ostream<Char>& (*manipulator)(std::basic_ostream<Char>&)) {
    return Manipulate<Char>(manipulator);
  }
  template <typename S, typename = std::enable_if_t<std::is_class_v<S>>>
  MessageStream& operator<<(S& (*manipulator)(S&)) {
    return Manipulate<char>(manipulator);
  }
  /*! \brief Types of these headers, then what else goes into a std::ostream. */
  template <typename T, typename = std::enable_if_t<MessageText<T>::kKnown>>
  TVM_FFI_COLD_CODE MessageStream& operator<<(const T& value) {
    const auto& text = MessageText<T>::Of(value);
    return PutText(text.data(), text.size());
  }
  template <typename T, typename = std::enable_if_t<!MessageText<T>::kKnown>,
            typename = std::enable_if_t<
                (std::is_class_v<T> && !std::is_same_v<T, std::string> &&
                 !std::is_same_v<T, std::string_view> && message_detail::is_streamable_v<T>) ||
                std::is_same_v<T, long double> ||
                ((std::is_enum_v<T> || std::is_pointer_v<T> || std::is_union_v<T>) &&
                 message_detail::has_free_operator_v<T>)>>
  TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE MessageStream& operator<<(const T& value) {
    message_detail::Write(Ostream<char>(), value);
    return *this;
  }
  /*! \brief For operators of users that argument-dependent lookup does not find from here. */
  template <typename Stream, typename = std::enable_if_t<std::is_same_v<Stream, std::ostream>>>
  operator Stream&() {  // NOLINT(google-explicit-constructor)
    return Ostream<typename Stream::char_type>();
  }

  /*! \brief Appends what a text function returns. Not inline: its string needs clean-up code. */
  template <typename... Args>
  TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE MessageStream& PutResult(std::string (*text)(Args...),
                                                               Args... args) {
    const std::string result = text(args...);
    return PutText(result.data(), result.size());
  }

  /*! \brief The text so far. */
  std::string_view view() const {
    return overflow_ != nullptr ? std::string_view(*overflow_) : std::string_view(room_, size_);
  }
  /*! \brief Frees what the message holds; its text is gone. */
  TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE void Release() {
    delete ostream_;
    delete overflow_;
    ostream_ = nullptr;
    overflow_ = nullptr;
    size_ = 0;
  }
  /*! \brief The text as a string; frees what the message holds. */
  TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE std::string Take() {
    std::string text(view());
    Release();
    return text;
  }
  /*! \brief Appends text past a std::ostream. */
  TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE void Append(const char* data, size_t size) {
    if (overflow_ == nullptr) {
      if (size <= kRoom - size_) {
        std::memcpy(room_ + size_, data, size);
        size_ += size;
        return;
      }
      overflow_ = new std::string(room_, size_);
    }
    overflow_->append(data, size);
  }

 private:
  static constexpr size_t kRoom = 168;

  template <typename Char>
  TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE std::basic_ostream<Char>& Ostream() {
    if (ostream_ == nullptr) {
      ostream_ = new MessageOstream<Char>();
      ostream_->message = this;
    }
    return static_cast<MessageOstream<Char>*>(ostream_)->stream();
  }
  template <typename Char, typename S>
  TVM_FFI_COLD_CODE MessageStream& Manipulate(S& (*manipulator)(S&)) {
    Ostream<Char>() << manipulator;
    return *this;
  }

  TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE MessageStream& PutText(const char* text) {
    if (text == nullptr) text = "(null)";
    return PutText(text, std::strlen(text));
  }
  TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE MessageStream& PutText(const char* data, size_t size) {
    if (ostream_ != nullptr) {
      ostream_->PutText(data, size);
    } else {
      Append(data, size);
    }
    return *this;
  }
  template <typename Int>
  MessageStream& PutInt(Int value) {
    return PutNumber(sizeof(Int) == 2   ? MessageNumber::kInt16
                     : sizeof(Int) == 4 ? MessageNumber::kInt32
                                        : MessageNumber::kInt64,
                     static_cast<uint64_t>(static_cast<int64_t>(value)));
  }
  TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE MessageStream& PutNumber(MessageNumber kind, uint64_t bits) {
    if (ostream_ != nullptr) {
      ostream_->PutNumber(kind, bits);
      return *this;
    }
    char text[32];
    int size;
    if (kind <= MessageNumber::kInt64) {
      size = std::snprintf(text, sizeof(text), "%" PRId64, static_cast<int64_t>(bits));
    } else if (kind == MessageNumber::kDouble) {
      double value;
      std::memcpy(&value, &bits, sizeof(value));
      size = std::snprintf(text, sizeof(text), "%g", value);
    } else if (kind == MessageNumber::kPointer && bits != 0) {
      size = std::snprintf(text, sizeof(text), "0x%" PRIx64, bits);
    } else {
      size = std::snprintf(text, sizeof(text), "%" PRIu64, bits);
    }
    Append(text, static_cast<size_t>(size));
    return *this;
  }

  MessageOstreamBase* ostream_ = nullptr;
  std::string* overflow_ = nullptr;  // all of the text, once it is longer than the room
  size_t size_ = 0;
  char room_[kRoom];
};

/*! A std::ostream that appends to a message. `Char` is char: as a template it needs `<ostream>`
 * only where it is used. */
template <typename Char>
class MessageOstream final : public MessageOstreamBase, public std::basic_streambuf<Char> {
 public:
  using Traits = std::char_traits<Char>;

  MessageOstream() : stream_(this) {}
  std::basic_ostream<Char>& stream() { return stream_; }

  void PutText(const char* data, size_t size) override {
    stream_ << std::basic_string_view<Char>(data, size);
  }
  void PutNumber(MessageNumber kind, uint64_t bits) override {
    switch (kind) {
      case MessageNumber::kInt16:
        stream_ << static_cast<int16_t>(bits);
        break;
      case MessageNumber::kInt32:
        stream_ << static_cast<int32_t>(bits);
        break;
      case MessageNumber::kInt64:
        stream_ << static_cast<int64_t>(bits);
        break;
      case MessageNumber::kUInt:
        stream_ << bits;
        break;
      case MessageNumber::kBool:
        stream_ << (bits != 0);
        break;
      case MessageNumber::kDouble: {
        double value;
        std::memcpy(&value, &bits, sizeof(value));
        stream_ << value;
        break;
      }
      case MessageNumber::kPointer:
        stream_ << reinterpret_cast<const void*>(static_cast<uintptr_t>(bits));
        break;
    }
  }

 private:
  typename Traits::int_type overflow(typename Traits::int_type ch) override {
    if (!Traits::eq_int_type(ch, Traits::eof())) {
      const Char text = Traits::to_char_type(ch);
      this->message->Append(&text, 1);
    }
    return Traits::not_eof(ch);
  }
  std::streamsize xsputn(const Char* data, std::streamsize size) override {
    this->message->Append(data, static_cast<size_t>(size));
    return size;
  }

  std::basic_ostream<Char> stream_;
};

/*! The message whose stream an operator of a user returned. */
template <typename Char>
TVM_FFI_COLD_CODE MessageStream& MessageOf(std::basic_ostream<Char>& stream) {
  return *static_cast<MessageOstream<Char>*>(stream.rdbuf())->message;
}
TVM_FFI_INLINE MessageStream& MessageOf(MessageStream& message) { return message; }

}  // namespace detail
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_MESSAGE_DETAIL_H_
