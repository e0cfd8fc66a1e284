// SPDX-License-Identifier: Apache-2.0
/*!
 * \file backtrace.cc
 * \brief Text of the native call stack, most recent call first.
 */
#include <tvm/ffi/base_detail.h>
#include <tvm/ffi/c_api.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "symbolizer.h"

#if defined(__unix__) || defined(__APPLE__)
#include <signal.h>
#include <unwind.h>
#endif

namespace tvm {
namespace ffi {
namespace {

constexpr int32_t kDefaultLineLimit = 512;

// Stack frames looked at, whatever is printed: a runaway recursion must not fill the memory.
constexpr size_t kMaxStackFrames = 1 << 14;

bool StartsWithAny(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  for (std::string_view prefix : prefixes) {
    if (text.substr(0, prefix.size()) == prefix) return true;
  }
  return false;
}

bool ContainsAny(std::string_view text, std::initializer_list<std::string_view> parts) {
  for (std::string_view part : parts) {
    if (text.find(part) != std::string_view::npos) return true;
  }
  return false;
}

// Qualified name of a demangled function, without parameters: instances of templates have their
// return type before it, as in "int demo::f<int>(int)".
std::string_view QualifiedName(std::string_view function) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  size_t start = 0;
  size_t end = function.size();
  int depth = 0;
  for (size_t i = 0; i < function.size(); ++i) {
    char c = function[i];
    if (c == '<') {
      ++depth;
    } else if (c == '>') {
      --depth;
    } else if (depth == 0 && c == '(') {
      if (function.substr(i, kAnonymous.size()) != kAnonymous) {
        end = i;
        break;
      }
      i += kAnonymous.size() - 1;
    } else if (depth == 0 && c == ' ') {
      start = i + 1;
    } else if (depth == 0 && function.substr(i, 8) == "operator") {
      break;  // conversion operators and operator< hold blanks and brackets of their own
    }
  }
  return function.substr(start, end - start);
}

// What compilers put between a lambda and a pointer to it.
bool IsLambdaThunk(std::string_view function) {
  return function == "_FUN" || ContainsAny(function, {"}::_FUN(", "::__invoke("});
}

// Frames of the call glue between two user functions.
bool IsGlue(std::string_view function, std::string_view file) {
  return IsLambdaThunk(function) ||
         StartsWithAny(QualifiedName(function),
                       {"tvm::ffi::Function", "tvm::ffi::detail::", "TVMFFIBacktrace",
                        "TVMFFIErrorSetRaisedFromCStr", "__libc_", "ffi_call_"}) ||
         ContainsAny(file, {"include/tvm/ffi/error.h", "include/tvm/ffi/function_detail.h",
                            "include/tvm/ffi/function.h", "include/tvm/ffi/any.h", "include/c++/"});
}

// Frames where a call enters from another language.
bool IsLanguageBoundary(std::string_view function) {
  return StartsWithAny(function, {"TVMFFIFunctionCall", "slot_tp_call", "object_is_not_callable",
                                  "_Py", "PyObject"});
}

int32_t LineLimit() {
  const char* text = std::getenv("TVM_TRACEBACK_LIMIT");
  if (text == nullptr || *text == '\0') return kDefaultLineLimit;
  char* end = nullptr;
  errno = 0;
  long value = std::strtol(text, &end, 10);  // NOLINT(runtime/int): type of strtol
  if (errno != 0 || *end != '\0' || value < 0 || value > INT32_MAX) return kDefaultLineLimit;
  return static_cast<int32_t>(value);
}

class TraceWriter {
 public:
  explicit TraceWriter(std::string* out) : out_(out), limit_(LineLimit()) { out_->clear(); }

  bool full() const { return num_lines_ >= limit_; }

  void Add(std::string_view function, std::string_view file, int line) {
    if (full()) return;
    if (file.empty()) {
      if (function.empty()) return;
      file = "<unknown>";
      line = 0;
    }
    if (function.empty()) function = "<unknown>";
    out_->append("  File \"").append(file).append("\", line ").append(std::to_string(line));
    out_->append(", in ").append(function).append("\n");
    ++num_lines_;
  }

 private:
  std::string* out_;
  int32_t limit_;
  int32_t num_lines_ = 0;
};

// Addresses that earlier traces of this thread ended at. Unwinding is what a trace costs, and below
// a boundary the stack of an interpreter may be deep.
std::unordered_set<uintptr_t>& KnownBoundaries() {
  thread_local std::unordered_set<uintptr_t> boundaries;
  return boundaries;
}

#if defined(__unix__) || defined(__APPLE__)

struct StackWalk {
  std::vector<uintptr_t> addresses;
  size_t num_skipped;
  bool cross_ffi_boundary;
};

// Addresses of the callers, innermost first, without the `skip` innermost ones. Inlined, so that
// the frame of the caller is the first of them.
inline __attribute__((always_inline)) std::vector<uintptr_t> WalkStack(size_t skip,
                                                                       bool cross_ffi_boundary) {
  StackWalk walk{{}, skip, cross_ffi_boundary};
  auto visit = [](_Unwind_Context* context, void* opaque) -> _Unwind_Reason_Code {
    auto* state = static_cast<StackWalk*>(opaque);
    int before_instruction = 0;
    uintptr_t address = _Unwind_GetIPInfo(context, &before_instruction);
    if (state->num_skipped > 0) {
      --state->num_skipped;
      return _URC_NO_REASON;
    }
    if (address == 0 || state->addresses.size() >= kMaxStackFrames) return _URC_END_OF_STACK;
    // A return address may already belong to the next line or function.
    if (!before_instruction) --address;
    state->addresses.push_back(address);
    return !state->cross_ffi_boundary && KnownBoundaries().count(address) != 0 ? _URC_END_OF_STACK
                                                                               : _URC_NO_REASON;
  };
  _Unwind_Backtrace(visit, &walk);
  return std::move(walk.addresses);
}

#else

inline std::vector<uintptr_t> WalkStack(size_t, bool) { return {}; }

#endif

// The line that the caller of TVMFFIBacktrace describes itself; no function when it does not.
struct PrintedLine {
  std::string_view function;
  std::string_view file;
  int line;

  bool IsAt(const SourceFrame& frame) const {
    if (function.empty()) return false;
    if (!frame.file.empty()) return frame.line == line && frame.file == file;
    return QualifiedName(frame.function) == QualifiedName(function);
  }
};

// Prints `addresses`, without a leading frame that is printed already.
void AddFrames(const std::vector<uintptr_t>& addresses, bool cross_ffi_boundary,
               const PrintedLine& printed, TraceWriter* writer) {
  constexpr size_t kStep = 32;  // resolved at once; a trace often ends long before the stack does
  bool first = true;
  for (size_t begin = 0; begin < addresses.size(); begin += kStep) {
    if (writer->full()) return;
    size_t end = std::min(addresses.size(), begin + kStep);
    std::vector<SourceFrames> resolved =
        Symbolize({addresses.begin() + static_cast<ptrdiff_t>(begin),
                   addresses.begin() + static_cast<ptrdiff_t>(end)});
    for (size_t i = 0; i < resolved.size(); ++i) {
      for (const SourceFrame& frame : *resolved[i]) {
        if (!cross_ffi_boundary && IsLanguageBoundary(frame.function)) {
          KnownBoundaries().insert(addresses[begin + i]);
          return;
        }
        if (IsGlue(frame.function, frame.file)) continue;
        bool repeated = first && printed.IsAt(frame);
        first = false;
        if (!repeated) writer->Add(frame.function, frame.file, frame.line);
        if (writer->full()) return;
      }
    }
  }
}

}  // namespace
}  // namespace ffi
}  // namespace tvm

const TVMFFIByteArray* TVMFFIBacktrace(const char* filename, int lineno, const char* func,
                                       int cross_ffi_boundary) {
  namespace ffi = tvm::ffi;
  thread_local std::string text;
  thread_local TVMFFIByteArray result;
  TVM_FFI_LOG_EXCEPTION_CALL_BEGIN();
  try {
    ffi::TraceWriter writer(&text);
    ffi::PrintedLine printed{"", "", 0};
    bool located = filename != nullptr && func != nullptr;
    if (located && !ffi::IsGlue(func, filename)) {
      printed = {func, filename, lineno};
      writer.Add(func, filename, lineno);
    }
    // Without this function and, when `func` names a place, its caller: the function that `func`
    // names or a helper that throws for it.
    std::vector<uintptr_t> addresses = ffi::WalkStack(located ? 2 : 1, cross_ffi_boundary != 0);
    ffi::AddFrames(addresses, cross_ffi_boundary != 0, printed, &writer);
  } catch (const std::bad_alloc&) {
    text.clear();  // an error without a backtrace is better than none
  }
  TVM_FFI_LOG_EXCEPTION_CALL_END(TVMFFIBacktrace);
  result = {text.data(), text.size()};
  return &result;
}

#if TVM_FFI_BACKTRACE_ON_SEGFAULT && (defined(__unix__) || defined(__APPLE__))

namespace {

void PrintTraceAndDie(int signal_number) {
  // Not async-signal-safe; the process is lost anyway, and the default action follows.
  const TVMFFIByteArray* trace = TVMFFIBacktrace(nullptr, 0, nullptr, 1);
  std::fprintf(stderr, "!!! Segmentation fault; most recent call first:\n%.*s",
               static_cast<int>(trace->size), trace->data);
  std::fflush(stderr);
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

// Only on request: a host such as Python may have a handler of its own.
TVM_FFI_STATIC_INIT_BLOCK() {
  const char* wanted = std::getenv("TVM_FFI_BACKTRACE_ON_SEGFAULT");
  if (wanted == nullptr) return;
  std::string_view value = wanted;
  if (value != "1" && value != "ON" && value != "on" && value != "true") return;
  // A stack of its own: the fault may be an overflow of the usual one.
  static char stack[1 << 18];
  stack_t alternate = {};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof(stack);
  struct sigaction action = {};
  action.sa_handler = PrintTraceAndDie;
  action.sa_flags = SA_ONSTACK;
  if (sigaltstack(&alternate, nullptr) != 0) action.sa_flags = 0;
  sigaction(SIGSEGV, &action, nullptr);
}

}  // namespace

#endif
