// SPDX-License-Identifier: Apache-2.0
// json::Parse: JSON text to values (ffi-abi 11.2). Open containers live on an explicit stack, so
// nesting costs memory only.
//
// A parser of our own: numbers and the three non-finite words are read by rules that no strict JSON
// parser has.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/extra/json.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tvm {
namespace ffi {
namespace algo {
namespace {

class JsonParser {
 public:
  explicit JsonParser(std::string_view text)
      : begin_(text.data()), end_(text.data() + text.size()), cursor_(begin_) {}

  /// False when the text is not valid; error() says why and where.
  bool Parse(Any* out) {
    SkipSpace();
    if (!ParseValue()) return false;
    while (!stack_.empty()) {
      if (!Continue()) return false;
    }
    SkipSpace();
    if (cursor_ != end_) return Fail("Extra data", cursor_);
    *out = std::move(value_);
    return true;
  }

  const std::string& error() const { return error_; }

 private:
  struct Frame {
    bool is_object = false;
    bool is_empty_so_far = true;  // no comma is expected
    size_t first = 0;             // where its items begin in items_
  };

  bool Fail(const char* what, const char* where) {
    error_ = std::string(what) + ": line " + std::to_string(line_) + " column " +
             std::to_string(where - line_begin_ + 1) + " (char " + std::to_string(where - begin_) +
             ")";
    return false;
  }

  void SkipSpace() {
    for (; cursor_ != end_; ++cursor_) {
      const char c = *cursor_;
      if (c == '\n') {
        ++line_;
        line_begin_ = cursor_ + 1;
      } else if (c != ' ' && c != '\t' && c != '\r') {
        return;
      }
    }
  }

  /// Reads a scalar into value_, or opens a container and leaves its first item to Continue().
  bool ParseValue() {
    if (cursor_ == end_)
      return Fail(after_comma_ ? "Syntax error near" : "Expecting value", cursor_);
    after_comma_ = false;
    switch (*cursor_) {
      case '{':
        return Open(true, '}');
      case '[':
        return Open(false, ']');
      case '"':
        return ParseString(&value_);
      case 't':
        return ParseWord("true", Any(true));
      case 'f':
        return ParseWord("false", Any(false));
      case 'n':
        return ParseWord("null", Any());
      case 'N':
        return ParseWord("NaN", Any(std::numeric_limits<double>::quiet_NaN()));
      case 'I':
        return ParseWord("Infinity", Any(std::numeric_limits<double>::infinity()));
      default:
        return ParseNumber();
    }
  }

  bool ParseWord(std::string_view word, Any value) {
    if (static_cast<size_t>(end_ - cursor_) < word.size() ||
        std::string_view(cursor_, word.size()) != word) {
      return Fail("Expecting value", cursor_);
    }
    cursor_ += word.size();
    value_ = std::move(value);
    return Deliver();
  }

  bool ParseNumber() {
    const char* const start = cursor_;
    const char* p = cursor_;
    if (*p == '-') {
      ++p;
      if (end_ - p >= 8 && std::string_view(p, 8) == "Infinity") {
        cursor_ = p + 8;
        value_ = Any(-std::numeric_limits<double>::infinity());
        return Deliver();
      }
    }
    bool whole = true;
    for (; p != end_; ++p) {
      const char c = *p;
      if (c >= '0' && c <= '9') continue;
      if (c != '+' && c != '-' && c != '.' && c != 'e' && c != 'E') break;
      if (c == '.' || c == 'e' || c == 'E') whole = false;
    }
    if (p == start) return Fail("Expecting value", start);
    // from_chars takes no plus sign; strtoll and strtod, whose rules hold here, do.
    const char* const digits =
        *start == '+' && p - start > 1 && start[1] != '-' ? start + 1 : start;
    if (whole) {
      int64_t number = 0;
      const auto [last, error] = std::from_chars(digits, p, number, 10);
      if (error == std::errc() && last == p) {
        cursor_ = p;
        value_ = Any(number);
        return Deliver();
      }
    }
    double number = 0;
    if (!ParseDouble(digits, p, &number)) return Fail("Expecting value", start);
    cursor_ = p;
    value_ = Any(number);
    return Deliver();
  }

  /// from_chars and not strtod: the decimal point must not follow the process locale.
  static bool ParseDouble(const char* first, const char* last, double* out) {
    const auto [end, error] = std::from_chars(first, last, *out, std::chars_format::general);
    if (error == std::errc::result_out_of_range)
      return end == last && IsUnderflow(first, last, out);
    return error == std::errc() && end == last;
  }

  /// Too small is zero, too large is an error; from_chars reports both alike. The published parser
  /// also refuses subnormal numbers, which its own writer produces.
  static bool IsUnderflow(const char* first, const char* last, double* out) {
    const std::string copy(first, last);
    const double value = std::strtod(copy.c_str(), nullptr);
    if (value > 1 || value < -1) return false;
    *out = value;
    return true;
  }

  bool Open(bool is_object, char close) {
    ++cursor_;
    Frame frame;
    frame.is_object = is_object;
    frame.first = items_.size();
    stack_.push_back(frame);
    SkipSpace();
    if (cursor_ == end_ || *cursor_ != close) return true;  // the first item is read by Continue()
    ++cursor_;
    return Close();
  }

  /// Reads `"key" :` and the value after it (or opens that value).
  bool ParseKey() {
    if (cursor_ == end_) {
      return Fail(
          after_comma_ ? "Syntax error near" : "Expecting property name enclosed in double quotes",
          cursor_);
    }
    after_comma_ = false;
    if (*cursor_ != '"') return Fail("Expecting property name enclosed in double quotes", cursor_);
    Any key;
    if (!ReadString(&key)) return false;
    SkipSpace();
    if (cursor_ == end_ || *cursor_ != ':') return Fail("Expecting ':' delimiter", cursor_);
    ++cursor_;
    items_.push_back(std::move(key));
    SkipSpace();
    return ParseValue();
  }

  /// Goes on in the innermost container: its first item, or a comma with the next item, or the
  /// closing bracket.
  bool Continue() {
    const bool is_object = stack_.back().is_object;
    if (std::exchange(stack_.back().is_empty_so_far, false))
      return is_object ? ParseKey() : ParseValue();
    SkipSpace();
    if (cursor_ == end_) return Fail("Expecting ',' delimiter", cursor_);
    if (*cursor_ == (is_object ? '}' : ']')) {
      ++cursor_;
      return Close();
    }
    if (*cursor_ != ',') return Fail("Expecting ',' delimiter", cursor_);
    ++cursor_;
    SkipSpace();
    after_comma_ = true;
    return is_object ? ParseKey() : ParseValue();
  }

  /// Turns the items of the innermost container into a value and hands it to the container around.
  bool Close() {
    const Frame frame = stack_.back();
    stack_.pop_back();
    const auto first = items_.begin() + static_cast<std::ptrdiff_t>(frame.first);
    if (frame.is_object) {
      std::vector<std::pair<Any, Any>> entries;
      entries.reserve(static_cast<size_t>(items_.end() - first) / 2);
      for (auto it = first; it != items_.end(); it += 2)
        entries.emplace_back(std::move(it[0]), std::move(it[1]));
      value_ = Any(Map<Any, Any>(entries.begin(), entries.end()));
    } else {
      value_ =
          Any(Array<Any>(std::make_move_iterator(first), std::make_move_iterator(items_.end())));
    }
    items_.resize(frame.first);
    return Deliver();
  }

  bool Deliver() {
    if (!stack_.empty()) items_.push_back(std::move(value_));
    return true;
  }

  bool ParseString(Any* out) { return ReadString(out) && Deliver(); }

  bool ReadString(Any* out) {
    const char* const quote = cursor_++;
    const char* chunk = cursor_;
    // Without escapes the text is taken as it stands.
    while (cursor_ != end_ && *cursor_ != '"' && *cursor_ != '\\' &&
           static_cast<unsigned char>(*cursor_) >= 0x20) {
      ++cursor_;
    }
    if (cursor_ != end_ && *cursor_ == '"') {
      *out = Any(String(chunk, static_cast<size_t>(cursor_ - chunk)));
      ++cursor_;
      return true;
    }
    std::string text(chunk, cursor_);
    while (true) {
      if (cursor_ == end_) return Fail("Unterminated string starting at", quote);
      const char c = *cursor_;
      if (c == '"') {
        ++cursor_;
        *out = Any(String(text.data(), text.size()));
        return true;
      }
      if (static_cast<unsigned char>(c) < 0x20)
        return Fail("Invalid control character at", cursor_);
      if (c != '\\') {
        text += c;
        ++cursor_;
      } else if (!ReadEscape(&text)) {
        return false;
      }
    }
  }

  bool ReadEscape(std::string* text) {
    ++cursor_;
    if (cursor_ == end_) return Fail("Invalid \\escape", cursor_);
    switch (*cursor_) {
      case '"':
      case '\\':
      case '/':
        *text += *cursor_;
        break;
      case 'b':
        *text += '\b';
        break;
      case 'f':
        *text += '\f';
        break;
      case 'n':
        *text += '\n';
        break;
      case 'r':
        *text += '\r';
        break;
      case 't':
        *text += '\t';
        break;
      case 'u':
        return ReadUnicode(text);
      default:
        return Fail("Invalid \\escape", cursor_);
    }
    ++cursor_;
    return true;
  }

  bool ReadHex(const char* p, uint32_t* out) const {
    if (end_ - p < 4) return false;
    uint32_t code = 0;
    for (int i = 0; i < 4; ++i) {
      const char c = p[i];
      uint32_t digit = 0;
      if (c >= '0' && c <= '9') {
        digit = static_cast<uint32_t>(c - '0');
      } else if (c >= 'a' && c <= 'f') {
        digit = static_cast<uint32_t>(c - 'a') + 10;
      } else if (c >= 'A' && c <= 'F') {
        digit = static_cast<uint32_t>(c - 'A') + 10;
      } else {
        return false;
      }
      code = code * 16 + digit;
    }
    *out = code;
    return true;
  }

  /// cursor_ is at the `u`.
  bool ReadUnicode(std::string* text) {
    const char* const u = cursor_;
    uint32_t code = 0;
    if (!ReadHex(u + 1, &code)) return Fail("Invalid \\uXXXX escape", u);
    cursor_ = u + 5;
    if (code >= 0xDC00 && code <= 0xDFFF)
      return Fail("Invalid surrogate pair of \\uXXXX escapes", u);
    if (code >= 0xD800 && code <= 0xDBFF) {
      if (end_ - cursor_ < 2 || cursor_[0] != '\\' || cursor_[1] != 'u') {
        return Fail("Invalid surrogate pair of \\uXXXX escapes", u);
      }
      const char* const digits = cursor_ + 2;
      uint32_t low = 0;
      if (!ReadHex(digits, &low)) return Fail("Invalid \\uXXXX escape", digits);
      if (low < 0xDC00 || low > 0xDFFF)
        return Fail("Invalid surrogate pair of \\uXXXX escapes", digits);
      cursor_ = digits + 4;
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    AppendUtf8(code, text);
    return true;
  }

  static void AppendUtf8(uint32_t code, std::string* text) {
    if (code < 0x80) {
      *text += static_cast<char>(code);
    } else if (code < 0x800) {
      *text += static_cast<char>(0xC0 | (code >> 6));
      *text += static_cast<char>(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
      *text += static_cast<char>(0xE0 | (code >> 12));
      *text += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
      *text += static_cast<char>(0x80 | (code & 0x3F));
    } else {
      *text += static_cast<char>(0xF0 | (code >> 18));
      *text += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
      *text += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
      *text += static_cast<char>(0x80 | (code & 0x3F));
    }
  }

  const char* begin_;
  const char* end_;
  const char* cursor_;
  const char* line_begin_ = begin_;
  int64_t line_ = 1;
  bool after_comma_ = false;  // an end of input here is reported as a syntax error
  std::vector<Frame> stack_;
  std::vector<Any> items_;  // items (and keys) of all open containers
  Any value_;
  std::string error_;
};

}  // namespace
}  // namespace algo

namespace json {

json::Value Parse(const String& json_str, String* error_msg) {
  Any value;
  algo::JsonParser parser(std::string_view(json_str.data(), json_str.size()));
  const bool ok = parser.Parse(&value);
  if (error_msg != nullptr) *error_msg = String(ok ? std::string() : parser.error());
  if (ok) return value;
  if (error_msg == nullptr) TVM_FFI_THROW(ValueError) << parser.error();
  return Any();
}

}  // namespace json
}  // namespace ffi
}  // namespace tvm
