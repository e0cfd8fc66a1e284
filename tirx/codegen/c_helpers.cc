// SPDX-License-Identifier: Apache-2.0
// Helper functions that C texts define when they use them.
#include <cstdint>
#include <cstdio>

#include "tirx/codegen/c_emitter.h"

namespace tvm {
namespace tirx {
namespace {

struct HelperRow {
  const char* name;
  const char* needs;  // another helper, or null
  const char* text;   // without the prefix `static inline`
};

constexpr HelperRow kHelpers[] = {
    {"tirx_half_to_float", nullptr, R"(float tirx_half_to_float(uint16_t h) {
  uint32_t sign = (uint32_t)(h & 0x8000u) << 16, rest = h & 0x7FFFu, bits;
  float value;
  if (rest >= 0x7C00u) {
    bits = sign | 0x7F800000u | ((rest & 0x3FFu) << 13);
    memcpy(&value, &bits, 4);
  } else {
    bits = rest << 13;
    memcpy(&value, &bits, 4);
    value *= 5192296858534827628530496329220096.0f; /* 2^112 */
    memcpy(&bits, &value, 4);
    bits |= sign;
    memcpy(&value, &bits, 4);
  }
  return value;
})"},
    {"tirx_float_to_half", nullptr, R"(uint16_t tirx_float_to_half(float value) {
  uint32_t bits, sign, rest;
  memcpy(&bits, &value, 4);
  sign = (bits >> 16) & 0x8000u;
  rest = bits & 0x7FFFFFFFu;
  if (rest > 0x7F800000u) return (uint16_t)(sign | 0x7E00u);
  if (rest >= 0x477FF000u) return (uint16_t)(sign | 0x7C00u);
  if (rest < 0x38800000u) {
    float sum;
    memcpy(&sum, &rest, 4);
    sum += 0.5f; /* the processor rounds at the last bit of a subnormal half */
    memcpy(&rest, &sum, 4);
    return (uint16_t)(sign | (rest - 0x3F000000u));
  }
  rest += 0xFFFu + ((rest >> 13) & 1u);
  return (uint16_t)(sign | ((rest - 0x38000000u) >> 13));
})"},
    {"tirx_bfloat_to_float", nullptr, R"(float tirx_bfloat_to_float(uint16_t h) {
  uint32_t bits = (uint32_t)h << 16;
  float value;
  memcpy(&value, &bits, 4);
  return value;
})"},
    {"tirx_float_to_bfloat", nullptr, R"(uint16_t tirx_float_to_bfloat(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  if (value != value) return (uint16_t)((bits >> 16) | 0x40u);
  return (uint16_t)((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
})"},
    {"tirx_small_to_float", nullptr,
     R"(float tirx_small_to_float(uint32_t x, int bits, int mantissa, int bias, int infinity, int nan_from,
                          int nan_code, int max_code, int overflow, int one_zero, int exponent_only) {
  uint32_t rest = x & ((1u << (bits - 1)) - 1u), sign = (x >> (bits - 1)) & 1u, out;
  float value;
  (void)max_code; (void)overflow;
  if (exponent_only) {
    out = x == 0xFFu ? 0x7FC00000u : x == 0u ? 0x00400000u : x << 23;
    memcpy(&value, &out, 4);
    return value;
  }
  if (one_zero ? x == (uint32_t)nan_code : nan_from >= 0 && rest >= (uint32_t)nan_from) return NAN;
  if (infinity >= 0 && rest == (uint32_t)infinity) return sign ? -INFINITY : INFINITY;
  out = rest << (23 - mantissa);
  memcpy(&value, &out, 4);
  value *= ldexpf(1.0f, 127 - bias);
  return sign ? -value : value;
})"},
    {"tirx_float_to_small", nullptr,
     R"(uint32_t tirx_float_to_small(float value, int bits, int mantissa, int bias, int infinity, int nan_from,
                             int nan_code, int max_code, int overflow, int one_zero, int exponent_only) {
  uint32_t in, sign, rest, code;
  int drop = 23 - mantissa;
  (void)infinity; (void)nan_from;
  memcpy(&in, &value, 4);
  rest = in & 0x7FFFFFFFu;
  if (exponent_only) {
    if (value != value) return 0xFFu;
    code = (rest + 0x00400000u) >> 23;
    return code > 0xFEu ? 0xFEu : code;
  }
  sign = (in >> 31) << (bits - 1);
  if (value != value && nan_code >= 0) return one_zero ? (uint32_t)nan_code : (uint32_t)nan_code | sign;
  if (rest < (uint32_t)(128 - bias) << 23) {
    uint32_t magic = (uint32_t)(127 + drop + 1 - bias) << 23;
    float sum, add;
    memcpy(&sum, &rest, 4);
    memcpy(&add, &magic, 4);
    sum += add;
    memcpy(&code, &sum, 4);
    code -= magic;
  } else {
    code = (rest + ((rest >> drop) & 1u) + ((1u << (drop - 1)) - 1u) -
            ((uint32_t)(127 - bias) << 23)) >> drop;
    if (code > (uint32_t)max_code || rest >= 0x47800000u) code = (uint32_t)overflow;
  }
  if (one_zero && (code == 0u || code == (uint32_t)nan_code)) return code;
  return code | sign;
})"},
    {"tirx_double_to_odd", nullptr, R"(float tirx_double_to_odd(double value) {
  float near = (float)value;
  uint32_t bits;
  if ((double)near == value || value != value) return near;
  memcpy(&bits, &near, 4);
  if (fabs((double)near) > fabs(value)) --bits;
  bits |= 1u;
  memcpy(&near, &bits, 4);
  return near;
})"},
    {"tirx_load_bits", nullptr,
     R"(uint32_t tirx_load_bits(const uint8_t* data, int64_t index, int bits) {
  int64_t at = index * bits;
  return ((uint32_t)data[at >> 3] >> (at & 7)) & ((1u << bits) - 1u);
})"},
    {"tirx_store_bits", nullptr,
     R"(void tirx_store_bits(uint8_t* data, int64_t index, int bits, uint32_t value) {
  int64_t at = index * bits;
  uint32_t mask = ((1u << bits) - 1u) << (at & 7);
  data[at >> 3] = (uint8_t)((data[at >> 3] & ~mask) | ((value << (at & 7)) & mask));
})"},
    {"tirx_popcount", nullptr, R"(int tirx_popcount(uint64_t x) {
  int count = 0;
  for (; x != 0; x &= x - 1) ++count;
  return count;
})"},
    {"tirx_clz", nullptr, R"(int tirx_clz(uint64_t x, int bits) {
  int count = bits;
  for (; x != 0; x >>= 1) --count;
  return count;
})"},
    {"tirx_min_float", nullptr, R"(float tirx_min_float(float a, float b) {
  if (a != a) return a;
  if (b != b) return b;
  return a < b || (a == b && signbit(a)) ? a : b;
})"},
    {"tirx_max_float", nullptr, R"(float tirx_max_float(float a, float b) {
  if (a != a) return a;
  if (b != b) return b;
  return a > b || (a == b && !signbit(a)) ? a : b;
})"},
    {"tirx_min_double", nullptr, R"(double tirx_min_double(double a, double b) {
  if (a != a) return a;
  if (b != b) return b;
  return a < b || (a == b && signbit(a)) ? a : b;
})"},
    {"tirx_max_double", nullptr, R"(double tirx_max_double(double a, double b) {
  if (a != a) return a;
  if (b != b) return b;
  return a > b || (a == b && !signbit(a)) ? a : b;
})"},
};

bool EndsWith(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// tirx_<word>_<type>: written for each type.
std::string TypedHelper(const std::string& name) {
  size_t at = name.find('_', 5);
  std::string word = name.substr(5, at - 5), type = name.substr(at + 1);
  bool is_unsigned = type.compare(0, 4, "uint") == 0;
  std::string head = type + " " + name + "(" + type + " a, " + type + " b) {\n";
  if (word == "min" || word == "max") {
    return head + "  return a " + (word == "min" ? "<" : ">") + " b ? a : b;\n}";
  }
  bool quotient = EndsWith(word, "div");
  if (word == "truncdiv" || word == "truncmod" || word == "floordiv" || word == "floormod") {
    // The divisor is checked before; 0 gets here only where the value is not used.
    std::string text = head + "  if (b == 0) return 0;\n";
    if (is_unsigned)
      return text + "  return (" + type + ")(a " + (quotient ? "/" : "%") + " b);\n}";
    // The processor traps on the smallest number divided by -1.
    text += quotient ? "  if (b == -1) return (" + type + ")(0 - (u" + type + ")a);\n"
                     : "  if (b == -1) return 0;\n";
    if (word.compare(0, 5, "trunc") == 0) {
      return text + "  return (" + type + ")(a " + (quotient ? "/" : "%") + " b);\n}";
    }
    text += "  " + type + " r = (" + type + ")(a % b);\n";
    if (quotient) {
      text += "  return (" + type + ")(a / b - (r != 0 && (r < 0) != (b < 0)));\n}";
    } else {
      text += "  return (" + type + ")(r != 0 && (r < 0) != (b < 0) ? r + b : r);\n}";
    }
    return text;
  }
  return "";
}

// tirx_to_int32 and the like: out of range gives the nearest value, NaN gives 0.
std::string ToIntHelper(const std::string& name) {
  std::string kind = name.substr(8);
  bool is_unsigned = kind[0] == 'u';
  int bits = std::stoi(kind.substr(is_unsigned ? 4 : 3));
  int storage = bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : 64;
  std::string type = std::string(is_unsigned ? "uint" : "int") + std::to_string(storage) + "_t";
  double limit = 1;
  for (int i = 0; i < bits - (is_unsigned ? 0 : 1); ++i) limit *= 2;
  char bound[64];
  std::snprintf(bound, sizeof(bound), "%.1f", limit);
  std::string max, min = "0";
  if (is_unsigned) {
    max =
        bits == 64 ? "18446744073709551615ULL" : std::to_string((uint64_t{1} << bits) - 1) + "ULL";
  } else {
    max = std::to_string((bits == 64 ? INT64_MAX : (int64_t{1} << (bits - 1)) - 1)) + "LL";
    min = "(-" + max + " - 1)";
  }
  std::string text = type + " " + name + "(double x) {\n  if (x != x) return 0;\n";
  text += "  if (x >= " + std::string(bound) + ") return (" + type + ")" + max + ";\n";
  text += "  if (x <= " + std::string(is_unsigned ? "0.0" : "-" + std::string(bound)) +
          ") return (" + type + ")" + min + ";\n";
  return text + "  return (" + type + ")x;\n}";
}

}  // namespace

void CEmitter::Need(const std::string& helper) {
  if (helpers_->text.count(helper) != 0) return;
  for (const HelperRow& row : kHelpers) {
    if (helper != row.name) continue;
    if (row.needs != nullptr) Need(row.needs);
    return AddHelper(helper, dialect_.helper_prefix + std::string(row.text));
  }
  std::string text;
  if (helper.compare(0, 8, "tirx_to_") == 0) {
    text = ToIntHelper(helper);
  } else if (helper.compare(0, 16, "tirx_atomic_add_") == 0) {
    std::string type = helper.substr(16);
    std::string bits = type == "float" ? "uint32_t" : type == "double" ? "uint64_t" : "";
    text = type + " " + helper + "(" + type + "* place, " + type + " value) {\n";
    if (bits.empty()) {
      text += "  return __atomic_fetch_add(place, value, __ATOMIC_SEQ_CST);\n}";
    } else {
      text += "  " + bits + " old_bits, new_bits;\n  " + type + " old_value, sum;\n" +
              "  old_bits = __atomic_load_n((" + bits + "*)place, __ATOMIC_SEQ_CST);\n  do {\n" +
              "    memcpy(&old_value, &old_bits, sizeof(sum));\n    sum = old_value + value;\n" +
              "    memcpy(&new_bits, &sum, sizeof(sum));\n" +
              "  } while (!__atomic_compare_exchange_n((" + bits +
              "*)place, &old_bits, new_bits, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));\n" +
              "  return old_value;\n}";
    }
  } else {
    text = TypedHelper(helper);
  }
  if (text.empty()) TVM_FFI_THROW(InternalError) << "There is no C helper `" << helper << "`";
  AddHelper(helper, dialect_.helper_prefix + text);
}

}  // namespace tirx
}  // namespace tvm
