// SPDX-License-Identifier: Apache-2.0
// Traceback objects <-> lines `  File "<file>", line <n>, in <function>`, innermost first.
#include "error.h"

#include <frameobject.h>

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tvm::ffi::detail::python {

namespace {

struct Frame {
  std::string file, function;
  int line;
};

// Parses one line; false when it is not a frame.
bool ParseFrame(std::string_view text, Frame* out) {
  constexpr std::string_view kFile = "File \"", kLine = "\", line ", kIn = ", in ";
  size_t begin = text.find(kFile);
  if (begin == std::string_view::npos) return false;
  begin += kFile.size();
  size_t line = text.find(kLine, begin);
  if (line == std::string_view::npos) return false;
  size_t in = text.find(kIn, line + kLine.size());
  if (in == std::string_view::npos) return false;
  out->file = text.substr(begin, line - begin);
  out->line = 0;
  for (char c : text.substr(line + kLine.size(), in - line - kLine.size())) {
    if (c < '0' || c > '9' || out->line > 100000000) return false;
    out->line = out->line * 10 + (c - '0');
  }
  out->function = text.substr(in + kIn.size());
  return true;
}

struct KnownFrame {
  PyObject* frame;  // owned
  int line;
};

struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

// New reference to a frame without locals for one line; NULL with an exception.
PyObject* NewFrame(const Frame& frame) {
  static Lazy lazy_globals;
  PyObject* globals =
      lazy_globals.Get([] { return Py_BuildValue("{s:s}", "__name__", "<native>"); });
  PyRef code(reinterpret_cast<PyObject*>(
      PyCode_NewEmpty(frame.file.c_str(), frame.function.c_str(), frame.line)));
  if (globals == nullptr || !code) return nullptr;
  return reinterpret_cast<PyObject*>(PyFrame_New(
      PyThreadState_Get(), reinterpret_cast<PyCodeObject*>(code.get()), globals, nullptr));
}

// Frames by the line that they stand for. The same line always gets the same frame: it has no state
// that two tracebacks could disagree about.
class FrameCache {
 public:
  bool Find(std::string_view text, KnownFrame* out) {
    std::lock_guard<SharedMutex> lock(mutex_);
    auto it = frames_.find(text);
    if (it == frames_.end()) return false;
    *out = {Py_NewRef(it->second.frame), it->second.line};
    return true;
  }
  void Add(std::string_view text, const KnownFrame& known) {
    Map old;
    {
      std::lock_guard<SharedMutex> lock(mutex_);
      // Generated code may bring ever new lines; a full cache starts again.
      if (frames_.size() >= 1024) old.swap(frames_);
      if (frames_.emplace(text, known).second) Py_INCREF(known.frame);
    }
    for (auto& [line, dropped] : old) Py_DECREF(dropped.frame);
  }

 private:
  using Map = std::unordered_map<std::string, KnownFrame, TextHash, std::equal_to<>>;
  SharedMutex mutex_;
  Map frames_;
};

// The frame of a line as a new reference. False, with an exception or without one when the line is
// no frame.
bool FrameOf(std::string_view text, KnownFrame* out) {
  // Never destroyed: the interpreter may be gone by then.
  static auto* cache = new FrameCache();
  if (cache->Find(text, out)) return true;
  Frame frame;
  if (!ParseFrame(text, &frame)) return false;
  *out = {NewFrame(frame), frame.line};
  if (out->frame == nullptr) return false;
  cache->Add(text, *out);
  return true;
}

// What `types.TracebackType(next, frame, 0, line)` makes, without its arguments. Takes `next` (may
// be NULL) and `known.frame` over.
PyObject* PushFrame(PyObject* next, const KnownFrame& known) {
  auto* traceback = PyObject_GC_New(PyTracebackObject, &PyTraceBack_Type);
  if (traceback == nullptr) {
    Py_XDECREF(next);
    Py_DECREF(known.frame);
    return nullptr;
  }
  traceback->tb_next = reinterpret_cast<PyTracebackObject*>(next);
  traceback->tb_frame = reinterpret_cast<PyFrameObject*>(known.frame);
  traceback->tb_lasti = 0;
  traceback->tb_lineno = known.line;
  PyObject_GC_Track(traceback);
  return reinterpret_cast<PyObject*>(traceback);
}

}  // namespace

std::string BacktraceText(PyObject* traceback) {
  std::vector<PyTracebackObject*> entries;
  if (traceback != nullptr && PyTraceBack_Check(traceback)) {
    for (auto* tb = reinterpret_cast<PyTracebackObject*>(traceback); tb != nullptr;
         tb = tb->tb_next) {
      entries.push_back(tb);
    }
  }
  std::string text;
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    auto* tb = *entry;
    int line = tb->tb_lineno;
    if (line < 0) {
      PyRef number(PyObject_GetAttrString(reinterpret_cast<PyObject*>(tb), "tb_lineno"));
      if (number && PyLong_Check(number.get()))
        line = static_cast<int>(PyLong_AsLong(number.get()));
      PyErr_Clear();
    }
    PyRef code(reinterpret_cast<PyObject*>(PyFrame_GetCode(tb->tb_frame)));
    PyObject* file = reinterpret_cast<PyCodeObject*>(code.get())->co_filename;
    PyObject* name = reinterpret_cast<PyCodeObject*>(code.get())->co_name;
    PyRef row(
        PyUnicode_FromFormat("  File \"%U\", line %d, in %U\n", file, line < 0 ? 0 : line, name));
    PyRef bytes(row ? PyUnicode_AsEncodedString(row.get(), "utf-8", "surrogatepass") : nullptr);
    if (bytes) {
      text.append(PyBytes_AS_STRING(bytes.get()),
                  static_cast<size_t>(PyBytes_GET_SIZE(bytes.get())));
    } else {
      PyErr_Clear();
    }
  }
  return text;
}

PyObject* ExtendTraceback(PyObject* traceback, const char* data, size_t size) {
  PyRef result = PyRef::Borrow(traceback == Py_None ? nullptr : traceback);
  std::string_view rest(data, size);
  while (!rest.empty()) {
    size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    KnownFrame known;
    if (!FrameOf(line, &known)) {
      if (PyErr_Occurred()) return nullptr;
      continue;
    }
    result = PyRef(PushFrame(result.release(), known));
    if (!result) return nullptr;
  }
  if (!result) return Py_NewRef(Py_None);
  return result.release();
}

}  // namespace tvm::ffi::detail::python
