// SPDX-License-Identifier: Apache-2.0
// Traceback objects <-> lines `  File "<file>", line <n>, in <function>`, innermost first.
#include "error.h"

#include <frameobject.h>

#include <string>
#include <string_view>
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

// Frames only need some code object and some globals, so both are shared: code by its text, the
// globals by all. New reference, NULL with an exception.
PyObject* SyntheticFrame(std::string_view text, const Frame& frame) {
  static Lazy lazy_cache, lazy_globals;
  PyObject* cache = lazy_cache.Get(PyDict_New);
  PyObject* globals =
      lazy_globals.Get([] { return Py_BuildValue("{s:s}", "__name__", "<native>"); });
  if (cache == nullptr || globals == nullptr) return nullptr;
  PyRef key(PyBytes_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
  if (!key) return nullptr;
  PyRef code = DictGet(cache, key.get());
  if (!code) {
    if (PyErr_Occurred()) return nullptr;
    code = PyRef(reinterpret_cast<PyObject*>(
        PyCode_NewEmpty(frame.file.c_str(), frame.function.c_str(), frame.line)));
    if (!code) return nullptr;
    // Generated code may bring ever new lines; a full cache starts again.
    if (PyDict_GET_SIZE(cache) >= 4096) PyDict_Clear(cache);
    if (PyDict_SetItem(cache, key.get(), code.get()) < 0) return nullptr;
  }
  return reinterpret_cast<PyObject*>(PyFrame_New(
      PyThreadState_Get(), reinterpret_cast<PyCodeObject*>(code.get()), globals, nullptr));
}

PyObject* PushFrame(PyObject* traceback, std::string_view text, const Frame& frame) {
  PyRef py_frame(SyntheticFrame(text, frame));
  if (!py_frame) return nullptr;
  return PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyTraceBack_Type), "OOii",
                               traceback ? traceback : Py_None, py_frame.get(), 0, frame.line);
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
    Frame frame;
    if (!ParseFrame(line, &frame)) continue;
    PyObject* extended = PushFrame(result.get(), line, frame);
    if (extended == nullptr) return nullptr;
    result = PyRef(extended);
  }
  if (!result) return Py_NewRef(Py_None);
  return result.release();
}

}  // namespace tvm::ffi::detail::python
