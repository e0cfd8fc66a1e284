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
#include <unordered_map>
#include <vector>

#include "stack_walk.h"
#include "symbolizer.h"
#include "thread_owned.h"

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
  if (StartsWithAny(function, {"TVMFFIFunctionCall", "_Py", "PyObject"})) return true;
  // Functions of CPython that call into extension modules. They are C: their names have no
  // brackets.
  return function.find('(') == std::string_view::npos &&
         StartsWithAny(function, {"slot_tp_", "object_is_not_callable", "type_call", "cfunction_",
                                  "method_vectorcall_", "wrapperdescr_", "type_new"});
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

// The lines of one address. An error may be raised often: its lines are made once a thread.
struct AddressLines {
  std::string text;  // of the frames that are printed
  int32_t num_lines = 0;
  SourceFrame first;      // the first of them
  size_t first_size = 0;  // its part of the text
  // Where a call enters from another language: the frames before it are printed, the rest of the
  // stack on request alone.
  bool is_boundary = false;
  size_t boundary_size = 0;  // text of the frames before the boundary
  int32_t boundary_lines = 0;
};

AddressLines MakeLines(const std::vector<SourceFrame>& frames) {
  AddressLines lines;
  for (const SourceFrame& frame : frames) {
    if (!lines.is_boundary && IsLanguageBoundary(frame.function)) {
      lines.is_boundary = true;
      lines.boundary_size = lines.text.size();
      lines.boundary_lines = lines.num_lines;
    }
    if (IsGlue(frame.function, frame.file)) continue;
    if (frame.file.empty() && frame.function.empty()) continue;
    lines.text.append("  File \"").append(frame.file.empty() ? "<unknown>" : frame.file);
    lines.text.append("\", line ").append(std::to_string(frame.file.empty() ? 0 : frame.line));
    lines.text.append(", in ").append(frame.function.empty() ? "<unknown>" : frame.function);
    lines.text.push_back('\n');
    if (lines.num_lines++ == 0) {
      lines.first = frame;
      lines.first_size = lines.text.size();
    }
  }
  return lines;
}

// Lines of the addresses that this thread has printed. Forgotten when the symbolizer reads the list
// of loaded files again.
class LineCache {
 public:
  const AddressLines* Find(uintptr_t address) const {
    auto it = lines_.find(address);
    return it == lines_.end() ? nullptr : &it->second;
  }

  // Valid until the next call.
  const AddressLines& FindOrMake(const std::vector<uintptr_t>& addresses, size_t index) {
    if (const AddressLines* known = Find(addresses[index])) return *known;
    constexpr size_t kStep = 32;  // resolved at once; a trace often ends long before the stack does
    const size_t end = std::min(addresses.size(), index + kStep);
    const auto at = [&](size_t i) { return addresses.begin() + static_cast<ptrdiff_t>(i); };
    const std::vector<uintptr_t> wanted(at(index), at(end));
    const std::vector<SourceFrames> resolved = Symbolize(wanted);
    Expire();
    for (size_t i = 0; i < wanted.size(); ++i) {
      lines_.insert_or_assign(wanted[i], MakeLines(*resolved[i]));
    }
    return lines_.at(wanted[0]);
  }

  // Drops what may be out of date.
  void Expire() {
    constexpr size_t kMaxAddresses = 4096;
    const uint64_t now = SymbolGeneration();
    if (now == generation_ && lines_.size() < kMaxAddresses) return;
    lines_.clear();
    generation_ = now;
  }

 private:
  std::unordered_map<uintptr_t, AddressLines> lines_;
  uint64_t generation_ = 0;
};

#if defined(__unix__) || defined(__APPLE__)

// The last walk; here for its room.
struct StackAddresses {
  std::vector<uintptr_t> all;
};

struct StackWalk {
  std::vector<uintptr_t>* addresses;
  size_t num_skipped;
  bool cross_ffi_boundary;
  const LineCache* known;

  // Whether the walk ends at an address that an earlier trace met as a boundary: below it the stack
  // of an interpreter may be deep.
  bool EndsAt(uintptr_t address) const {
    if (cross_ffi_boundary) return false;
    const AddressLines* lines = known->Find(address);
    return lines != nullptr && lines->is_boundary;
  }
};

// Addresses of the callers, innermost first, without the `skip` innermost ones. Inlined, so that
// the frame of the caller is the first of them.
inline __attribute__((always_inline)) const std::vector<uintptr_t>& WalkStack(
    size_t skip, bool cross_ffi_boundary) {
  std::vector<uintptr_t>& addresses = ThreadOwned<StackAddresses>().all;
  addresses.clear();
  LineCache& lines = ThreadOwned<LineCache>();
  lines.Expire();
  StackWalk walk{&addresses, skip, cross_ffi_boundary, &lines};
  auto ends_at = [](uintptr_t address, void* opaque) {
    return static_cast<StackWalk*>(opaque)->EndsAt(address);
  };
  if (WalkStackQuickly(skip, kMaxStackFrames, ends_at, &walk, &addresses)) return addresses;
  addresses.clear();
  auto visit = [](_Unwind_Context* context, void* opaque) -> _Unwind_Reason_Code {
    auto* state = static_cast<StackWalk*>(opaque);
    int before_instruction = 0;
    uintptr_t address = _Unwind_GetIPInfo(context, &before_instruction);
    if (state->num_skipped > 0) {
      --state->num_skipped;
      return _URC_NO_REASON;
    }
    if (address == 0 || state->addresses->size() >= kMaxStackFrames) return _URC_END_OF_STACK;
    // A return address may already belong to the next line or function.
    if (!before_instruction) --address;
    state->addresses->push_back(address);
    return state->EndsAt(address) ? _URC_END_OF_STACK : _URC_NO_REASON;
  };
  _Unwind_Backtrace(visit, &walk);
  return addresses;
}

#else

inline const std::vector<uintptr_t>& WalkStack(size_t, bool) {
  static const std::vector<uintptr_t> none;
  return none;
}

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

class TraceWriter {
 public:
  explicit TraceWriter(std::string* out) : out_(out), lines_left_(LineLimit()) { out_->clear(); }

  bool full() const { return lines_left_ <= 0; }

  void Add(const PrintedLine& printed) {
    if (full()) return;
    out_->append("  File \"").append(printed.file);
    out_->append("\", line ").append(std::to_string(printed.line));
    out_->append(", in ").append(printed.function).push_back('\n');
    --lines_left_;
  }

  // `num_lines` whole lines.
  void Add(std::string_view text, int32_t num_lines) {
    if (num_lines > lines_left_) {
      size_t size = 0;
      for (int32_t i = 0; i < lines_left_; ++i) size = text.find('\n', size) + 1;
      text = text.substr(0, size);
      num_lines = lines_left_;
    }
    out_->append(text);
    lines_left_ -= num_lines;
  }

 private:
  std::string* out_;
  int32_t lines_left_;
};

// Prints `addresses`, without a leading frame that is printed already.
void AddFrames(const std::vector<uintptr_t>& addresses, bool cross_ffi_boundary,
               const PrintedLine& printed, TraceWriter* writer) {
  LineCache& cache = ThreadOwned<LineCache>();
  bool first = true;
  for (size_t i = 0; i < addresses.size() && !writer->full(); ++i) {
    const AddressLines& lines = cache.FindOrMake(addresses, i);
    const bool ends = lines.is_boundary && !cross_ffi_boundary;
    std::string_view text = lines.text;
    int32_t num_lines = lines.num_lines;
    if (ends) {
      text = text.substr(0, lines.boundary_size);
      num_lines = lines.boundary_lines;
    }
    if (first && num_lines > 0) {
      first = false;
      if (printed.IsAt(lines.first)) {
        text.remove_prefix(lines.first_size);
        --num_lines;
      }
    }
    writer->Add(text, num_lines);
    if (ends) return;
  }
}

// What the last trace of a thread says.
struct Trace {
  std::string text;
  TVMFFIByteArray view = {"", 0};
};

}  // namespace
}  // namespace ffi
}  // namespace tvm

const TVMFFIByteArray* TVMFFIBacktrace(const char* filename, int lineno, const char* func,
                                       int cross_ffi_boundary) {
  namespace ffi = tvm::ffi;
  static const TVMFFIByteArray kNone = {"", 0};
  ffi::Trace* trace = nullptr;
  TVM_FFI_LOG_EXCEPTION_CALL_BEGIN();
  try {
    trace = &ffi::ThreadOwned<ffi::Trace>();
    std::string& text = trace->text;
    ffi::TraceWriter writer(&text);
    ffi::PrintedLine printed{"", "", 0};
    bool located = filename != nullptr && func != nullptr;
    if (located && !ffi::IsGlue(func, filename)) {
      printed = {func, filename, lineno};
      writer.Add(printed);
    }
    // Without this function and, when `func` names a place, its caller: the function that `func`
    // names or a helper that throws for it.
    const std::vector<uintptr_t>& addresses =
        ffi::WalkStack(located ? 2 : 1, cross_ffi_boundary != 0);
    ffi::AddFrames(addresses, cross_ffi_boundary != 0, printed, &writer);
  } catch (const std::bad_alloc&) {
    if (trace == nullptr) return &kNone;
    trace->text.clear();  // an error without a backtrace is better than none
  }
  TVM_FFI_LOG_EXCEPTION_CALL_END(TVMFFIBacktrace);
  trace->view = {trace->text.data(), trace->text.size()};
  return &trace->view;
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
