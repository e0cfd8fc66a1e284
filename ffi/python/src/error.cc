// SPDX-License-Identifier: Apache-2.0
// Exceptions cross the boundary unchanged.
//
// An exception that leaves a callback is stored, as an opaque object, in the extra context of the
// error that native code sees. When that error comes back to Python the very same exception is
// raised again; its class, arguments, cause and notes never take another form. The link is cut at
// that moment, so that exception and error form no reference cycle.
#include "error.h"

#include <cstring>
#include <string_view>

#include "argument.h"
#include "borrow.h"
#include "function.h"
#include "result.h"

namespace tvm::ffi::detail::python {

namespace {

// ffi.VisitErrorContext: 24 list of visited nodes, 32 the context that was there before.
struct VisitErrorContext {
  TVMFFIObject header;
  TVMFFIObject* reverse_visit_pattern;
  TVMFFIObject* prev_error_context;
};

int32_t VisitErrorContextIndex() {
  static std::atomic<int32_t> index{-2};
  int32_t known = index.load(std::memory_order_relaxed);
  if (known < 0) {
    TVMFFIByteArray key{"ffi.VisitErrorContext", 21};
    known = TVMFFITypeGetOrAllocIndex(&key, -1, 0, 0, 0, -2);
    index.store(known, std::memory_order_relaxed);
  }
  return known;
}

// Slot that holds, or could hold, the exception of `error`: the end of its chain of contexts.
TVMFFIObject** ExceptionSlot(TVMFFIObject* error) {
  auto* slot = reinterpret_cast<TVMFFIObject**>(&TVMFFIErrorGetCellPtr(error)->extra_context);
  while (*slot != nullptr && (*slot)->type_index == VisitErrorContextIndex()) {
    slot = &reinterpret_cast<VisitErrorContext*>(*slot)->prev_error_context;
  }
  return slot;
}

// The exception in the context of `error`, borrowed, or NULL.
PyObject* ContextException(TVMFFIObject* error) {
  TVMFFIObject* held = *ExceptionSlot(error);
  if (held == nullptr || held->type_index != kTVMFFIOpaquePyObject) return nullptr;
  auto* value = static_cast<PyObject*>(TVMFFIOpaqueObjectGetCellPtr(held)->handle);
  return value != nullptr && PyExceptionInstance_Check(value) ? value : nullptr;
}

PyObject* TextOf(const TVMFFIByteArray& bytes) {
  PyObject* text =
      PyUnicode_DecodeUTF8(bytes.data, static_cast<Py_ssize_t>(bytes.size), "surrogatepass");
  if (text != nullptr) return text;
  PyErr_Clear();
  return PyUnicode_DecodeUTF8(bytes.data, static_cast<Py_ssize_t>(bytes.size), "backslashreplace");
}

// UTF-8 of a str, lone surrogates included. Never fails.
std::string BytesOf(PyObject* text) {
  PyRef bytes(text ? PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass") : nullptr);
  if (!bytes) {
    PyErr_Clear();
    return std::string();
  }
  return std::string(PyBytes_AS_STRING(bytes.get()),
                     static_cast<size_t>(PyBytes_GET_SIZE(bytes.get())));
}

std::string MessageOf(PyObject* exception) {
  auto* base = reinterpret_cast<PyTypeObject*>(PyExc_BaseException);
  PyObject* args = reinterpret_cast<PyBaseExceptionObject*>(exception)->args;
  if (Py_TYPE(exception)->tp_str == base->tp_str && args != nullptr &&
      PyTuple_GET_SIZE(args) == 1 && PyUnicode_CheckExact(PyTuple_GET_ITEM(args, 0))) {
    // What str() returns. Near the recursion limit, str() itself would fail.
    return BytesOf(PyTuple_GET_ITEM(args, 0));
  }
  PyRef text(PyObject_Str(exception));
  if (!text) {
    PyErr_Clear();
    return std::string("<str() of ") + Py_TYPE(exception)->tp_name + " failed>";
  }
  return BytesOf(text.get());
}

// The exception that `error` stands for, borrowed, or NULL. Native code that reports a failure in
// words of its own may hand the context on to its new error; that one is another exception.
PyObject* HeldException(TVMFFIObject* error) {
  PyObject* exception = ContextException(error);
  if (exception == nullptr) return nullptr;
  TVMFFIByteArray text = TVMFFIErrorGetCellPtr(error)->message;
  return MessageOf(exception) == std::string_view(text.data, text.size) ? exception : nullptr;
}

// Registered name of the class or of its nearest registered base. Interrupts and exits, which have
// none, keep their own name so that native code can tell them from errors.
std::string KindOf(PyObject* exception) {
  // A metaclass may hash its classes by code that gives them other bases.
  PyRef mro = PyRef::Borrow(Py_TYPE(exception)->tp_mro);
  for (Py_ssize_t i = 0; mro && i < PyTuple_GET_SIZE(mro.get()); ++i) {
    PyRef name = DictGet(rt.error_type_to_name, PyTuple_GET_ITEM(mro.get(), i));
    if (name && PyUnicode_Check(name.get())) return BytesOf(name.get());
    PyErr_Clear();
  }
  if (PyObject_TypeCheck(exception, reinterpret_cast<PyTypeObject*>(PyExc_Exception))) {
    return "RuntimeError";
  }
  const char* dot = std::strrchr(Py_TYPE(exception)->tp_name, '.');
  return dot ? dot + 1 : Py_TYPE(exception)->tp_name;
}

// The error that the exception already carries, or nothing. The attribute may be made anew each
// time it is read, so nobody else need keep the error.
NativeRef CarriedError(PyObject* exception) {
  PyObject* found = nullptr;
#if PY_VERSION_HEX >= 0x030D0000
  int is = PyObject_GetOptionalAttr(exception, names.tvm_ffi_error, &found);
#else
  int is = _PyObject_LookupAttr(exception, names.tvm_ffi_error, &found);
#endif
  if (is < 0) PyErr_Clear();
  PyRef wrapper(found);
  if (!wrapper || !PyObject_TypeCheck(wrapper.get(), rt.error)) return NativeRef();
  TVMFFIObject* error = AsObject(wrapper.get())->handle;
  return error != nullptr && error->type_index == kTVMFFIError ? NativeRef::Borrow(error)
                                                               : NativeRef();
}

// The message of an exception is that of the error alone, so a kind without a class of its own goes
// into a note, which tracebacks show (Python 3.11).
void NoteKind([[maybe_unused]] PyObject* exception, [[maybe_unused]] PyObject* kind) {
#if PY_VERSION_HEX >= 0x030B0000
  PyRef note(PyUnicode_FromFormat(
      "native error of kind %U (tvm_ffi.register_error gives a kind its own class)", kind));
  PyRef done(note ? PyObject_CallMethod(exception, "add_note", "O", note.get()) : nullptr);
  if (!done) PyErr_Clear();
#endif
}

PyObject* NewException(TVMFFIObject* error) {
  TVMFFIErrorCell* cell = TVMFFIErrorGetCellPtr(error);
  PyRef kind(TextOf(cell->kind));
  PyRef message(TextOf(cell->message));
  if (!kind || !message) return nullptr;
  PyRef cls = DictGet(rt.error_name_to_type, kind.get());
  if (!cls) {
    if (PyErr_Occurred()) return nullptr;
    PyRef exception(PyObject_CallOneArg(PyExc_RuntimeError, message.get()));
    if (exception && cell->kind.size != 0) NoteKind(exception.get(), kind.get());
    return exception.release();
  }
  PyRef exception(PyObject_CallOneArg(cls.get(), message.get()));
  if (!exception || !PyExceptionInstance_Check(exception.get())) {
    // A registered class that can't be made from a message must not hide the error.
    PyErr_Clear();
    PyRef text(PyUnicode_FromFormat("%U: %U", kind.get(), message.get()));
    if (!text) return nullptr;
    exception = PyRef(PyObject_CallOneArg(PyExc_RuntimeError, text.get()));
    if (!exception) return nullptr;
  }
  return exception.release();
}

void AttachError(PyObject* exception, TVMFFIObject* error) {
  if (CarriedError(exception).get() == error) return;
  PyRef wrapper(WrapAs(rt.error, NativeRef::Borrow(error).release()));
  if (!wrapper || PyObject_SetAttr(exception, names.tvm_ffi_error, wrapper.get()) < 0) {
    PyErr_Clear();
  }
}

// Sets __cause__ along the chain of causes. The chain has no cycle: causes are older errors.
void AttachCauses(PyObject* exception, TVMFFIObject* error) {
  PyRef current = PyRef::Borrow(exception);
  auto* cause = static_cast<TVMFFIObject*>(TVMFFIErrorGetCellPtr(error)->cause_chain);
  for (; cause != nullptr && cause->type_index == kTVMFFIError;
       cause = static_cast<TVMFFIObject*>(TVMFFIErrorGetCellPtr(cause)->cause_chain)) {
    PyObject* held = HeldException(cause);
    PyRef next(held ? Py_NewRef(held) : NewException(cause));
    if (!next) {
      PyErr_Clear();
      return;
    }
    PyException_SetCause(current.get(), Py_NewRef(next.get()));
    if (held != nullptr) return;
    AttachError(next.get(), cause);
    current = std::move(next);
  }
  // A new error without a cause may still carry the exception that led to it.
  PyObject* context = ContextException(error);
  PyRef known(PyException_GetCause(exception));
  if (context != nullptr && context != exception && !known) {
    PyException_SetCause(exception, Py_NewRef(context));
  }
}

// Lines of the error's backtrace that the traceback of the exception does not show yet. What was
// raised in Python has its own frames first in both.
std::pair<const char*, size_t> NewLines(TVMFFIObject* error, PyObject* traceback) {
  TVMFFIByteArray all = TVMFFIErrorGetCellPtr(error)->backtrace;
  std::string known = BacktraceText(traceback);
  size_t skip = 0;
  size_t limit = std::min(known.size(), all.size);
  for (size_t i = 0; i < limit && known[i] == all.data[i]; ++i) {
    if (all.data[i] == '\n') skip = i + 1;
  }
  return {all.data + skip, all.size - skip};
}

// The error in a wrapper; NULL with an exception. Classes can be assigned, so it may hold any
// object.
TVMFFIObject* ErrorIn(PyObject* self) {
  TVMFFIObject* handle = HandleOf(self);
  if (handle == nullptr || handle->type_index == kTVMFFIError) return handle;
  PyErr_Format(PyExc_TypeError, "%s holds no error", Py_TYPE(self)->tp_name);
  return nullptr;
}

PyObject* ErrorGetText(PyObject* self, TVMFFIByteArray TVMFFIErrorCell::* member) {
  TVMFFIObject* handle = ErrorIn(self);
  return handle ? TextOf(TVMFFIErrorGetCellPtr(handle)->*member) : nullptr;
}
PyObject* ErrorKind(PyObject* self, void*) { return ErrorGetText(self, &TVMFFIErrorCell::kind); }
PyObject* ErrorMessage(PyObject* self, void*) {
  return ErrorGetText(self, &TVMFFIErrorCell::message);
}
PyObject* ErrorBacktrace(PyObject* self, void*) {
  return ErrorGetText(self, &TVMFFIErrorCell::backtrace);
}

PyObject* ErrorExtraContext(PyObject* self, void*) {
  TVMFFIObject* handle = ErrorIn(self);
  if (handle == nullptr) return nullptr;
  auto* context = static_cast<TVMFFIObject*>(TVMFFIErrorGetCellPtr(handle)->extra_context);
  if (context == nullptr || context->type_index == kTVMFFIOpaquePyObject) Py_RETURN_NONE;
  TVMFFIAny value;
  SetObject(&value, context);
  return ResultOfView(value, nullptr);
}

PyObject* ErrorUpdateBacktrace(PyObject* self, PyObject* text) {
  TVMFFIObject* handle = ErrorIn(self);
  if (handle == nullptr) return nullptr;
  if (!PyUnicode_Check(text)) {
    return PyErr_Format(PyExc_TypeError, "backtrace must be str, got %s", Py_TYPE(text)->tp_name);
  }
  std::string bytes = BytesOf(text);
  TVMFFIByteArray view{bytes.data(), bytes.size()};
  TVMFFIErrorGetCellPtr(handle)->update_backtrace(handle, &view, kTVMFFIBacktraceUpdateModeReplace);
  Py_RETURN_NONE;
}

PyObject* ErrorPyError(PyObject* self, PyObject*) {
  TVMFFIObject* handle = ErrorIn(self);
  return handle ? ExceptionOf(handle) : nullptr;
}

int ErrorInit(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"kind", "message", "backtrace", nullptr};
  PyObject *kind, *message, *backtrace;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "UUU:Error", const_cast<char**>(keywords), &kind,
                                   &message, &backtrace)) {
    return -1;
  }
  std::string text[3] = {BytesOf(kind), BytesOf(message), BytesOf(backtrace)};
  TVMFFIByteArray views[3];
  for (int i = 0; i < 3; ++i) views[i] = {text[i].data(), text[i].size()};
  TVMFFIObjectHandle out = nullptr;
  if (TVMFFIErrorCreate(&views[0], &views[1], &views[2], &out) != 0) {
    PyErr_NoMemory();
    return -1;
  }
  ReplaceHandle(self, static_cast<TVMFFIObject*>(out));
  return 0;
}

PyObject* ErrorReduce(PyObject* self, PyObject*) {
  PyRef kind(ErrorKind(self, nullptr)), message(ErrorMessage(self, nullptr)),
      backtrace(ErrorBacktrace(self, nullptr));
  if (!kind || !message || !backtrace) return nullptr;
  return Py_BuildValue("O(OOO)", Py_TYPE(self), kind.get(), message.get(), backtrace.get());
}

PyMethodDef error_methods[] = {
    {"update_backtrace", ErrorUpdateBacktrace, METH_O,
     "Replaces the backtrace text (lines `  File \"<file>\", line <n>, in <function>`, most recent "
     "call first)."},
    {"py_error", ErrorPyError, METH_NOARGS, "The exception to raise for this error."},
    {"__reduce__", ErrorReduce, METH_NOARGS, "Support for pickle; the extra context is dropped."},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef error_getset[] = {
    {"kind", ErrorKind, nullptr, "Name of the exception class.", nullptr},
    {"message", ErrorMessage, nullptr, "Text of the error.", nullptr},
    {"backtrace", ErrorBacktrace, nullptr, "Backtrace lines, most recent call first.", nullptr},
    {"extra_context", ErrorExtraContext, nullptr, "Object attached by native code, or None.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot error_slots[] = {
    {Py_tp_init, reinterpret_cast<void*>(ErrorInit)},
    {Py_tp_methods, error_methods},
    {Py_tp_getset, error_getset},
    {Py_tp_doc, const_cast<char*>("Error(kind, message, backtrace)\n--\n\nAn error of native code. "
                                  "Not an exception; see py_error().")},
    {0, nullptr}};
PyType_Spec error_spec = {"tvm_ffi.core.Error", sizeof(ObjectPy), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, error_slots};

}  // namespace

PyObject* ExceptionOf(TVMFFIObject* error) {
  if (PyObject* held = HeldException(error)) return Py_NewRef(held);
  PyRef exception(NewException(error));
  if (!exception) return nullptr;
  AttachError(exception.get(), error);
  AttachCauses(exception.get(), error);
  TVMFFIByteArray text = TVMFFIErrorGetCellPtr(error)->backtrace;
  PyRef traceback(ExtendTraceback(nullptr, text.data, text.size));
  if (!traceback) {
    PyErr_Clear();
  } else if (traceback.get() != Py_None) {
    PyException_SetTraceback(exception.get(), traceback.get());
  }
  return exception.release();
}

PyObject* RaiseFromSlot() {
  OutsideGroups outside;  // classes of exceptions are Python code
  TVMFFIObjectHandle moved = nullptr;
  TVMFFIErrorMoveFromRaised(&moved);
  NativeRef error(moved);
  if (!error) {
    if (!PyErr_Occurred()) {
      PyErr_SetString(PyExc_SystemError, "native code reported a failure without an error");
    }
    return nullptr;
  }
  TVMFFIByteArray kind = TVMFFIErrorGetCellPtr(error.get())->kind;
  if (kind.size == 18 && std::memcmp(kind.data, "EnvErrorAlreadySet", 18) == 0 &&
      PyErr_Occurred()) {
    return nullptr;
  }
  // Whatever was left pending has been replaced by the error that was reported last.
  PyErr_Clear();
  PyRef exception(ExceptionOf(error.get()));
  if (!exception) return nullptr;
  PyRef traceback(PyException_GetTraceback(exception.get()));
  TVMFFIObject** slot = ExceptionSlot(error.get());
  if (HeldException(error.get()) != nullptr) {
    auto [lines, size] = NewLines(error.get(), traceback.get());
    PyRef extended(ExtendTraceback(traceback.get(), lines, size));
    if (!extended) {
      PyErr_Clear();
    } else if (extended.get() != Py_None) {
      traceback = std::move(extended);
    }
    bool carried = CarriedError(exception.get()).get() == error.get();
    // An error that native code still holds may be raised again, so it keeps its exception.
    if (UseCount(error.get()) <= (carried ? 2u : 1u)) DecRefNative(std::exchange(*slot, nullptr));
    AttachError(exception.get(), error.get());
  }
  PyObject* type = Py_NewRef(reinterpret_cast<PyObject*>(Py_TYPE(exception.get())));
  PyErr_Restore(type, exception.release(), traceback.release());
  return nullptr;
}

PyObject* RaiseAbout(const std::string& subject, int code) {
  if (code == -2 && PyErr_Occurred()) return nullptr;
  OutsideGroups outside;
  TVMFFIObjectHandle moved = nullptr;
  TVMFFIErrorMoveFromRaised(&moved);
  NativeRef error(moved);
  if (!error) return RaiseFromSlot();
  TVMFFIErrorCell* cell = TVMFFIErrorGetCellPtr(error.get());
  std::string_view kind(cell->kind.data, cell->kind.size);
  bool is_mismatch = kind == "TypeError" || kind == "OverflowError";
  if (is_mismatch && cell->extra_context != nullptr) {
    PyObject* held = HeldException(error.get());
    is_mismatch = held != nullptr && PyObject_HasAttr(held, names.ffi_mismatch);
  }
  if (is_mismatch) {
    std::string text = subject + ": " + std::string(cell->message.data, cell->message.size);
    TVMFFIByteArray message{text.data(), text.size()};
    TVMFFIObjectHandle out = nullptr;
    if (TVMFFIErrorCreateWithCauseAndExtraContext(&cell->kind, &message, &cell->backtrace,
                                                  cell->cause_chain, nullptr, &out) == 0) {
      error = NativeRef(out);
    }
  }
  TVMFFIErrorSetRaised(error.get());
  error = NativeRef();
  return RaiseFromSlot();
}

TVMFFIObject* ErrorOf(PyObject* exception) {
  PyRef traceback(PyException_GetTraceback(exception));
  std::string backtrace = BacktraceText(traceback.get());
  NativeRef error = CarriedError(exception);
  if (error) {
    TVMFFIByteArray view{backtrace.data(), backtrace.size()};
    TVMFFIErrorGetCellPtr(error.get())
        ->update_backtrace(error.get(), &view, kTVMFFIBacktraceUpdateModeReplace);
    return error.release();
  }
  std::string kind = KindOf(exception), message = MessageOf(exception);
  TVMFFIByteArray views[3] = {{kind.data(), kind.size()},
                              {message.data(), message.size()},
                              {backtrace.data(), backtrace.size()}};
  TVMFFIObjectHandle out = nullptr;
  if (TVMFFIErrorCreate(&views[0], &views[1], &views[2], &out) != 0) {
    PyErr_NoMemory();
    return nullptr;
  }
  return static_cast<TVMFFIObject*>(out);
}

int SetSlotFromPython() {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  PyRef type_ref(type), exception(value), traceback_ref(traceback);
  if (traceback != nullptr) PyException_SetTraceback(value, traceback);
  NativeRef error(ErrorOf(value));
  NativeRef held(error ? MakeOpaque(value) : nullptr);
  if (!error || !held) {
    PyErr_Clear();
    TVMFFIErrorSetRaisedFromCStr("MemoryError", "no memory for the error of a callback");
    return -1;
  }
  TVMFFIObject** slot = ExceptionSlot(error.get());
  DecRefNative(std::exchange(*slot, held.release()));
  const TVMFFIByteArray* native = TVMFFIBacktrace(nullptr, 0, nullptr, 0);
  if (native != nullptr && native->size != 0) {
    TVMFFIErrorGetCellPtr(error.get())
        ->update_backtrace(error.get(), native, kTVMFFIBacktraceUpdateModeAppend);
  }
  TVMFFIErrorSetRaised(error.get());
  return -1;
}

bool InitErrors(PyObject* module) {
  rt.error_name_to_type = PyDict_New();
  rt.error_type_to_name = PyDict_New();
  if (rt.error_name_to_type == nullptr || rt.error_type_to_name == nullptr) return false;
  PyObject* known[] = {PyExc_RuntimeError,      PyExc_ValueError,    PyExc_TypeError,
                       PyExc_AttributeError,    PyExc_KeyError,      PyExc_IndexError,
                       PyExc_AssertionError,    PyExc_MemoryError,   PyExc_OverflowError,
                       PyExc_ZeroDivisionError, PyExc_RecursionError};
  for (PyObject* cls : known) {
    const char* name = reinterpret_cast<PyTypeObject*>(cls)->tp_name;
    PyRef text(PyUnicode_FromString(name));
    if (!text || PyDict_SetItem(rt.error_name_to_type, text.get(), cls) < 0 ||
        PyDict_SetItem(rt.error_type_to_name, cls, text.get()) < 0) {
      return false;
    }
  }
  return PyModule_AddObjectRef(module, "ERROR_NAME_TO_TYPE", rt.error_name_to_type) == 0 &&
         PyModule_AddObjectRef(module, "ERROR_TYPE_TO_NAME", rt.error_type_to_name) == 0 &&
         MakeType(module, &error_spec, rt.object_base, &rt.error);
}

}  // namespace tvm::ffi::detail::python
