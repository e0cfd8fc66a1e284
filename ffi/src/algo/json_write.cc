// SPDX-License-Identifier: Apache-2.0
// json::Stringify: values to JSON text (ffi-abi 11.2), with open containers on an explicit stack.
#include <tvm/ffi/extra/json.h>
#include <tvm/ffi/optional.h>

#include <charconv>
#include <string>
#include <unordered_set>
#include <vector>

#include "float_text.h"
#include "value_access.h"
#include "walk_scope.h"

namespace tvm {
namespace ffi {
namespace algo {
namespace {

// Shared values are written once per use, which can make the text exponentially longer than the
// value.
constexpr size_t kMaxTextBytes = size_t{1} << 31;

class JsonWriter {
 public:
  explicit JsonWriter(int indent) : indent_(indent) {}

  // Owns nothing that it meets: no hook runs.
  std::string Write(const TVMFFIAny& root) {
    WalkScope walk;
    Begin(root);
    while (!stack_.empty()) Step();
    return std::move(out_);
  }

 private:
  struct Frame {
    TVMFFIAny owner;
    bool is_map = false;
    int64_t index = 0;
    MapCursor map;
  };

  void Begin(const TVMFFIAny& v) {
    switch (v.type_index) {
      case kTVMFFINone:
        out_ += "null";
        return;
      case kTVMFFIBool:
        out_ += v.v_int64 != 0 ? "true" : "false";
        return;
      case kTVMFFIInt: {
        char text[24];
        const auto end = std::to_chars(text, text + sizeof(text), v.v_int64);
        out_.append(text, end.ptr);
        return;
      }
      case kTVMFFIFloat:
        out_ += FloatJsonText(v.v_float64);
        return;
      case kTVMFFISmallStr:
      case kTVMFFIStr:
        return PutString(TextOf(v));
      case kTVMFFIArray:
      case kTVMFFIList:
      case kTVMFFIMap:
        return Push(v);
      default:
        TVM_FFI_THROW(ValueError) << "Unsupported type: `" << TypeKeyOf(v.type_index) << "`";
    }
  }

  void Push(const TVMFFIAny& v) {
    // Only a List can hold itself: an Array or Map never changes after its items are in place.
    if (v.type_index == kTVMFFIList && StrongCount(v) > 1 && !open_lists_.insert(v.v_obj).second) {
      TVM_FFI_THROW(ValueError) << "Cycle detected: List contains itself";
    }
    if (out_.size() > kMaxTextBytes) {
      TVM_FFI_THROW(ValueError) << "JSON text exceeds " << kMaxTextBytes << " bytes";
    }
    Frame& frame = stack_.emplace_back();
    frame.owner = v;
    frame.is_map = v.type_index == kTVMFFIMap;
    if (frame.is_map) frame.map = MapCursor(v);
    out_ += frame.is_map ? '{' : '[';
  }

  void NewLine(size_t level) {
    if (indent_ == 0) return;
    out_ += '\n';
    if (indent_ > 0) out_.append(level * static_cast<size_t>(indent_), ' ');
  }

  void Step() {
    Frame& frame = stack_.back();
    if (frame.is_map) {
      const MapCursor::Entry entry = frame.map.Next();
      if (!entry) return Close('}');
      if (frame.index++ != 0) out_ += ',';
      NewLine(stack_.size());
      if (!IsStr(*entry.key)) {
        TVM_FFI_THROW(ValueError) << "Expect key to be string, got `"
                                  << TypeKeyOf(entry.key->type_index) << "`";
      }
      PutString(TextOf(*entry.key));
      out_ += indent_ == 0 ? ":" : ": ";
      return Begin(*entry.value);
    }
    const TVMFFISeqCell& seq = SeqOf(frame.owner);
    if (frame.index >= seq.size) return Close(']');
    const int64_t i = frame.index++;
    if (i != 0) out_ += ',';
    NewLine(stack_.size());
    Begin(SeqItem(seq, i));
  }

  void Close(char bracket) {
    open_lists_.erase(stack_.back().owner.v_obj);
    stack_.pop_back();
    NewLine(stack_.size());
    out_ += bracket;
  }

  void PutString(std::string_view text) {
    static const char* const kHex = "0123456789abcdef";
    out_ += '"';
    for (char c : text) {
      switch (c) {
        case '"':
          out_ += "\\\"";
          break;
        case '\\':
          out_ += "\\\\";
          break;
        case '/':
          out_ += "\\/";
          break;
        case '\b':
          out_ += "\\b";
          break;
        case '\f':
          out_ += "\\f";
          break;
        case '\n':
          out_ += "\\n";
          break;
        case '\r':
          out_ += "\\r";
          break;
        case '\t':
          out_ += "\\t";
          break;
        default: {
          const unsigned char u = static_cast<unsigned char>(c);
          if (u < 0x20 || u == 0x7f) {
            out_ += "\\u00";
            out_ += kHex[u >> 4];
            out_ += kHex[u & 15];
          } else {
            out_ += c;
          }
        }
      }
    }
    out_ += '"';
  }

  const int indent_;
  std::string out_;
  std::vector<Frame> stack_;
  std::unordered_set<const TVMFFIObject*> open_lists_;
};

}  // namespace
}  // namespace algo

namespace json {

String Stringify(const json::Value& value, const Optional<int>& indent) {
  algo::JsonWriter writer(indent.has_value() ? indent.value() : 0);
  return String(writer.Write(algo::Raw(value)));
}

}  // namespace json
}  // namespace ffi
}  // namespace tvm
