// SPDX-License-Identifier: Apache-2.0
#include "tirx/codegen/c_names.h"

#include <cctype>
#include <cstdio>

namespace tvm {
namespace tirx {
namespace {

// Words of C and C++ (a C text may be compiled as C++), and of the library functions that the
// emitters call: a local variable of that name would hide the function.
constexpr const char* kWords[] = {
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
    "_Bool",
    "_Complex",
    "_Generic",
    "_Imaginary",
    "_Noreturn",
    "_Static_assert",
    "_Thread_local",
    "_Atomic",
    "_Alignas",
    "_Alignof",
    // types and macros
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "size_t",
    "uintptr_t",
    "ptrdiff_t",
    "NULL",
    "INFINITY",
    "NAN",
    "EOF",
    "errno",
    "stdin",
    "stdout",
    "stderr",
    "assert",
    "INT32_MIN",
    "INT64_MIN",
    "I",
    "linux",
    "unix",
    "half",
    "uchar",
    "ushort",
    "uint",
    "ulong",
    "kernel",
    "global",
    "local",
    "constant",
    "DLTensor",
    "TVMFFIAny",
    // functions
    "main",
    "malloc",
    "free",
    "calloc",
    "realloc",
    "aligned_alloc",
    "memcpy",
    "memset",
    "memmove",
    "abs",
    "labs",
    "printf",
    "exit",
    "abort",
    "rand",
    "time",
    "clock",
    "signal",
    "index",
    "read",
    "write",
    "open",
    "close",
    "div",
    "ldiv",
    "remove",
    "rename",
    "isnan",
    "isinf",
    "isfinite",
    "signbit",
    "acos",
    "acosf",
    "acosh",
    "acoshf",
    "asin",
    "asinf",
    "asinh",
    "asinhf",
    "atan",
    "atanf",
    "atan2",
    "atan2f",
    "atanh",
    "atanhf",
    "cbrt",
    "cbrtf",
    "ceil",
    "ceilf",
    "copysign",
    "copysignf",
    "cos",
    "cosf",
    "cosh",
    "coshf",
    "erf",
    "erff",
    "erfc",
    "exp",
    "expf",
    "exp2",
    "exp2f",
    "exp10",
    "exp10f",
    "expm1",
    "fabs",
    "fabsf",
    "floor",
    "floorf",
    "fma",
    "fmaf",
    "fmax",
    "fmin",
    "fmod",
    "fmodf",
    "hypot",
    "hypotf",
    "ldexp",
    "ldexpf",
    "log",
    "logf",
    "log10",
    "log10f",
    "log1p",
    "log1pf",
    "log2",
    "log2f",
    "nearbyint",
    "nearbyintf",
    "nextafter",
    "nextafterf",
    "pow",
    "powf",
    "rint",
    "round",
    "roundf",
    "sin",
    "sinf",
    "sinh",
    "sinhf",
    "sqrt",
    "sqrtf",
    "tan",
    "tanf",
    "tanh",
    "tanhf",
    "tgamma",
    "lgamma",
    "trunc",
    "truncf",
    "y0",
    "y1",
    "yn",
    "j0",
    "j1",
    "jn",
    "gamma",
    "select",
    "step",
    "mix",
    "sign",
    "min",
    "max",
    "clamp",
};

}  // namespace

CNames::CNames() {
  for (const char* word : kWords) used_.insert(word);
}

bool CNames::IsWord(const std::string& name) {
  for (const char* word : kWords) {
    if (name == word) return true;
  }
  return false;
}

std::string CNames::Unique(const std::string& hint) {
  std::string name;
  for (char c : hint) {
    name += std::isalnum(static_cast<unsigned char>(c)) || c == '_' ? c : '_';
  }
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) name = "v" + name;
  // Two underscores, or one before a capital, belong to the implementation.
  if (name[0] == '_') name = "v" + name;
  if (used_.insert(name).second) return name;
  for (int& number = next_[name];;) {
    std::string numbered = name + "_" + std::to_string(++number);
    if (used_.insert(numbered).second) return numbered;
  }
}

std::string CStringLiteral(const std::string& text) {
  std::string result = "\"";
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned char c = text[i];
    switch (c) {
      case '\\':
        result += "\\\\";
        break;
      case '"':
        result += "\\\"";
        break;
      case '\n':
        result += "\\n";
        break;
      case '\t':
        result += "\\t";
        break;
      case '?':
        result += "\\?";
        break;  // no trigraphs
      default:
        if (c < 0x20 || c >= 0x7F) {
          // Octal has at most three digits, so the next character can't join it.
          char buffer[8];
          std::snprintf(buffer, sizeof(buffer), "\\%03o", c);
          result += buffer;
        } else {
          result += static_cast<char>(c);
        }
    }
  }
  return result + "\"";
}

}  // namespace tirx
}  // namespace tvm
