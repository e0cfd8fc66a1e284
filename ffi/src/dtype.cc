// SPDX-License-Identifier: Apache-2.0
/*!
 * \file dtype.cc
 * \brief Text form of data types.
 */
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "c_arguments.h"

namespace tvm {
namespace ffi {
namespace {

// Types whose name fixes the width.
struct NarrowFloat {
  std::string_view name;
  uint8_t code;
  uint8_t bits;
};
constexpr NarrowFloat kNarrowFloats[] = {
    {"float8_e3m4", kDLFloat8_e3m4, 8},
    {"float8_e4m3", kDLFloat8_e4m3, 8},
    {"float8_e4m3b11fnuz", kDLFloat8_e4m3b11fnuz, 8},
    {"float8_e4m3fn", kDLFloat8_e4m3fn, 8},
    {"float8_e4m3fnuz", kDLFloat8_e4m3fnuz, 8},
    {"float8_e5m2", kDLFloat8_e5m2, 8},
    {"float8_e5m2fnuz", kDLFloat8_e5m2fnuz, 8},
    {"float8_e8m0fnu", kDLFloat8_e8m0fnu, 8},
    {"float6_e2m3fn", kDLFloat6_e2m3fn, 6},
    {"float6_e3m2fn", kDLFloat6_e3m2fn, 6},
    {"float4_e2m1fn", kDLFloat4_e2m1fn, 4},
};

// Types whose name is followed by a width.
struct WideType {
  std::string_view name;
  uint8_t code;
  uint8_t default_bits;
};
constexpr WideType kWideTypes[] = {
    {"int", kDLInt, 32},       {"uint", kDLUInt, 32}, {"float", kDLFloat, 32},
    {"bfloat", kDLBfloat, 16}, {"bool", kDLBool, 8},  {"handle", kDLOpaqueHandle, 64},
};

struct Alias {
  std::string_view name;
  std::string_view expansion;
  bool before_digit;  // an alias only when a digit follows
};
constexpr Alias kAliases[] = {
    {"fp8_", "float8_", false}, {"fp6_", "float6_", false}, {"fp4_", "float4_", false},
    {"f8_", "float8_", false},  {"f6_", "float6_", false},  {"f4_", "float4_", false},
    {"i", "int", true},         {"u", "uint", true},        {"f", "float", true},
    {"bf", "bfloat", true},
};

constexpr uint8_t kHandleCode = kDLOpaqueHandle;
constexpr uint8_t kFirstCustomCode = kDLExtCustomBegin;

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string ExpandAlias(std::string_view text) {
  for (const Alias& alias : kAliases) {
    if (!StartsWith(text, alias.name)) continue;
    std::string_view rest = text.substr(alias.name.size());
    if (alias.before_digit && (rest.empty() || !IsDigit(rest[0]))) continue;
    return std::string(alias.expansion).append(rest);
  }
  return std::string(text);
}

class DTypeParser {
 public:
  explicit DTypeParser(std::string_view input) : text_(ExpandAlias(input)), rest_(text_) {}

  DLDataType Parse() {
    if (text_.empty() || text_ == "void") return {kHandleCode, 0, 0};
    DLDataType dtype{0, 0, 1};
    bool packed_lanes = false;  // "float4_e2m1fn_x2" as well as "float4_e2m1fnx2"
    if (!ParseNarrowFloat(&dtype)) {
      ParseWideType(&dtype);
    } else {
      packed_lanes = dtype.code == kDLFloat4_e2m1fn;
    }
    ParseLanes(packed_lanes, &dtype);
    if (!rest_.empty()) Unknown();
    return dtype;
  }

 private:
  [[noreturn]] void Unknown() { TVM_FFI_THROW(ValueError) << "unknown dtype `" << text_ << "`"; }

  bool Consume(std::string_view prefix) {
    if (!StartsWith(rest_, prefix)) return false;
    rest_.remove_prefix(prefix.size());
    return true;
  }

  // Digits at the front, nullopt when there is none.
  std::optional<uint32_t> ConsumeNumber() {
    size_t size = 0;
    uint64_t value = 0;
    bool fits = true;
    for (; size < rest_.size() && IsDigit(rest_[size]); ++size) {
      value = value * 10 + static_cast<uint64_t>(rest_[size] - '0');
      if (value > std::numeric_limits<uint32_t>::max()) {
        fits = false;
        value = std::numeric_limits<uint32_t>::max();
      }
    }
    if (size == 0) return std::nullopt;
    if (!fits) {
      TVM_FFI_THROW(ValueError) << "Integer value in dtype string '" << rest_.substr(0, size)
                                << "' is out of range for uint32_t";
    }
    rest_.remove_prefix(size);
    return static_cast<uint32_t>(value);
  }

  bool ParseNarrowFloat(DLDataType* dtype) {
    for (std::string_view family : {"float8", "float6", "float4"}) {
      if (!StartsWith(rest_, family) || rest_.size() <= family.size() ||
          rest_[family.size()] != '_') {
        continue;
      }
      // The longest name wins: float8_e4m3 begins float8_e4m3fn and float8_e4m3fnuz.
      const NarrowFloat* best = nullptr;
      for (const NarrowFloat& type : kNarrowFloats) {
        if (StartsWith(rest_, type.name) && (!best || type.name.size() > best->name.size())) {
          best = &type;
        }
      }
      if (best != nullptr) rest_.remove_prefix(best->name.size());
      // Only lanes may follow a name.
      if (best == nullptr ||
          (best->code != kDLFloat4_e2m1fn && !rest_.empty() && rest_[0] != 'x')) {
        TVM_FFI_THROW(ValueError) << "unknown " << family << " type `" << text_ << "`";
      }
      dtype->code = best->code;
      dtype->bits = best->bits;
      return true;
    }
    return false;
  }

  void ParseWideType(DLDataType* dtype) {
    uint8_t default_bits = 0;
    if (Consume("custom")) {
      dtype->code = ParseCustomCode();
      default_bits = 32;
    } else {
      const WideType* found = nullptr;
      for (const WideType& type : kWideTypes) {
        if (found == nullptr && Consume(type.name)) found = &type;
      }
      if (found == nullptr) Unknown();
      dtype->code = found->code;
      default_bits = found->default_bits;
    }
    uint32_t bits = ConsumeNumber().value_or(0);
    if (bits > std::numeric_limits<uint8_t>::max()) {
      TVM_FFI_THROW(ValueError) << "Bits value " << bits
                                << " is out of range for uint8_t in dtype '" << text_ << "'";
    }
    dtype->bits = bits == 0 ? default_bits : static_cast<uint8_t>(bits);
  }

  uint8_t ParseCustomCode() {
    if (!Consume("[")) {
      TVM_FFI_THROW(ValueError) << "expected opening brace after 'custom' type in" << text_;
    }
    size_t end = rest_.find(']');
    if (end == std::string_view::npos) {
      TVM_FFI_THROW(ValueError) << "expected closing brace after 'custom' type in" << text_;
    }
    String name(rest_.data(), end);
    rest_.remove_prefix(end + 1);
    int64_t code = Function::GetGlobalRequired("dtype.get_custom_type_code")(name).cast<int64_t>();
    if (code < 0 || code > std::numeric_limits<uint8_t>::max()) {
      TVM_FFI_THROW(ValueError) << "Type code " << code << " of custom type `" << name
                                << "` is out of range for uint8_t";
    }
    return static_cast<uint8_t>(code);
  }

  void ParseLanes(bool packed_lanes, DLDataType* dtype) {
    bool scalable = false;
    if (Consume("xvscalex")) {
      scalable = true;
    } else if (!(packed_lanes && Consume("_x")) && !Consume("x")) {
      return;
    }
    uint32_t lanes = ConsumeNumber().value_or(0);
    if (lanes == 0) {
      TVM_FFI_THROW(ValueError) << "Invalid lanes specification in dtype '" << text_
                                << "'. Lanes must be a positive integer.";
    }
    if (lanes > (scalable ? 1u << 15 : std::numeric_limits<uint16_t>::max())) {
      TVM_FFI_THROW(ValueError) << "Lanes value " << lanes
                                << " is out of range for uint16_t in dtype '" << text_ << "'";
    }
    // A multiple of the vector length is stored negated.
    dtype->lanes = static_cast<uint16_t>(scalable ? 0u - lanes : lanes);
  }

  std::string text_;
  std::string_view rest_;
};

std::string NameOfCode(DLDataType dtype) {
  if (dtype.code >= kFirstCustomCode) {
    Function get_name = Function::GetGlobalRequired("dtype.get_custom_type_name");
    return "custom[" + get_name(static_cast<int64_t>(dtype.code)).cast<std::string>() + "]";
  }
  for (const NarrowFloat& type : kNarrowFloats) {
    if (type.code == dtype.code) return std::string(type.name);
  }
  for (const WideType& type : kWideTypes) {
    if (type.code != dtype.code) continue;
    bool implied = dtype.code == kHandleCode || (dtype.code == kDLBool && dtype.bits == 8);
    return implied ? std::string(type.name) : std::string(type.name) + std::to_string(dtype.bits);
  }
  TVM_FFI_THROW(ValueError) << "DLDataType contains unknown type_code="
                            << static_cast<int>(dtype.code);
  TVM_FFI_UNREACHABLE();
}

std::string PrintDType(DLDataType dtype) {
  if (dtype.code == kHandleCode && dtype.bits == 0 && dtype.lanes == 0) return "";
  std::string text = NameOfCode(dtype);
  if (dtype.code == kHandleCode) return text;
  int lanes = static_cast<int16_t>(dtype.lanes);
  if (lanes > 1) text += "x" + std::to_string(lanes);
  if (lanes < -1) text += "xvscalex" + std::to_string(-lanes);
  return text;
}

}  // namespace
}  // namespace ffi
}  // namespace tvm

int TVMFFIDataTypeFromString(const TVMFFIByteArray* str, DLDataType* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_REQUIRE_ARGUMENT(out);
  *out = tvm::ffi::DTypeParser(TVM_FFI_TEXT_ARGUMENT(str)).Parse();
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIDataTypeToString(const DLDataType* dtype, TVMFFIAny* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_REQUIRE_ARGUMENT(dtype);
  TVM_FFI_REQUIRE_ARGUMENT(out);
  // Of an rvalue std::string, which gives an object whatever the length: callers rely on that.
  tvm::ffi::Any text(tvm::ffi::String(tvm::ffi::PrintDType(*dtype)));
  *out = tvm::ffi::detail::AnyUnsafe::MoveAnyToTVMFFIAny(std::move(text));
  TVM_FFI_SAFE_CALL_END();
}
