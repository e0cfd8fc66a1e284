// SPDX-License-Identifier: Apache-2.0
// Small functions of tvm_ffi.core that belong to no class: explicit conversions, traceback texts.
#include "core_functions.h"

#include <thread>

#include "argument.h"
#include "error.h"
#include "function.h"
#include "result.h"
#include "tensor.h"

namespace tvm::ffi::detail::python {

namespace {

PyObject* ObjectReprFn(PyObject*, PyObject* obj) {
  if (!IsObject(obj)) {
    return PyErr_Format(PyExc_TypeError, "object_repr expects an object, got %s",
                        Py_TYPE(obj)->tp_name);
  }
  return ReprOf(obj);
}

PyObject* ToError(PyObject*, PyObject* exception) {
  if (!PyExceptionInstance_Check(exception)) {
    return PyErr_Format(PyExc_TypeError, "expected an exception, got %s",
                        Py_TYPE(exception)->tp_name);
  }
  TVMFFIObject* error = ErrorOf(exception);
  return error ? WrapAs(rt.error, error) : nullptr;
}

PyObject* ToFunction(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"pyfunc", "tensor_cls", nullptr};
  PyObject *callable, *tensor_cls = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:_convert_to_ffi_func",
                                   const_cast<char**>(keywords), &callable, &tensor_cls)) {
    return nullptr;
  }
  if (!PyCallable_Check(callable)) {
    return PyErr_Format(PyExc_TypeError, "expected a callable, got %s", Py_TYPE(callable)->tp_name);
  }
  const DLPackExchangeAPI* exchange = nullptr;
  if (tensor_cls != Py_None) {
    PyRef table(PyObject_GetAttr(tensor_cls, names.dlpack_exchange));
    if (!table) {
      PyErr_Clear();
      return PyErr_Format(PyExc_TypeError, "%R has no __dlpack_c_exchange_api__", tensor_cls);
    }
    exchange = ExchangeFromValue(table.get());
    if (exchange == nullptr) return nullptr;
  }
  TVMFFIObject* function = MakeCallback(callable, exchange);
  return function ? WrapObject(function) : nullptr;
}

// The Python callable behind a function, or None.
PyObject* CallableOfFunction(PyObject*, PyObject* function) {
  TVMFFIObject* handle =
      PyObject_TypeCheck(function, rt.function) ? AsObject(function)->handle : nullptr;
  PyObject* callable = handle ? CallableOf(handle) : nullptr;
  return Py_NewRef(callable ? callable : Py_None);
}

PyObject* ToOpaque(PyObject*, PyObject* value) {
  TVMFFIObject* opaque = MakeOpaque(value);
  return opaque ? WrapAs(rt.opaque, opaque) : nullptr;
}

PyObject* TracebackToText(PyObject*, PyObject* traceback) {
  std::string text = BacktraceText(traceback);
  return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogatepass");
}

PyObject* AppendTraceback(PyObject*, PyObject* args) {
  PyObject *traceback, *text;
  TVMFFIByteArray bytes;
  if (!PyArg_ParseTuple(args, "OU:_append_traceback", &traceback, &text) || !Utf8(text, &bytes)) {
    return nullptr;
  }
  if (traceback != Py_None && !PyTraceBack_Check(traceback)) {
    PyErr_SetString(PyExc_TypeError, "expected a traceback or None");
    return nullptr;
  }
  return ExtendTraceback(traceback, bytes.data, bytes.size);
}

PyObject* WithAppendBacktrace(PyObject*, PyObject* args) {
  PyObject *exception, *text;
  TVMFFIByteArray bytes;
  if (!PyArg_ParseTuple(args, "OU:_WITH_APPEND_BACKTRACE", &exception, &text) ||
      !Utf8(text, &bytes)) {
    return nullptr;
  }
  if (!PyExceptionInstance_Check(exception)) {
    PyErr_SetString(PyExc_TypeError, "expected an exception");
    return nullptr;
  }
  PyRef old(PyException_GetTraceback(exception));
  PyRef extended(ExtendTraceback(old.get(), bytes.data, bytes.size));
  if (!extended || PyException_SetTraceback(exception, extended.get()) < 0) return nullptr;
  return Py_NewRef(exception);
}

PyObject* PrintDebugInfo(PyObject*, PyObject*) {
  PySys_WriteStdout("conversion rules: %zu classes\n", RuleCount());
  Py_RETURN_NONE;
}

// Drops the last reference to a Python object on a thread that Python does not know.
PyObject* DropWithoutThreadState(PyObject*, PyObject*) {
  PyRef value(PyList_New(0));
  TVMFFIObject* opaque = value ? MakeOpaque(value.get()) : nullptr;
  if (opaque == nullptr) return nullptr;
  value = PyRef();
  Py_BEGIN_ALLOW_THREADS;
  std::thread([opaque] { DecRefNative(opaque); }).join();
  Py_END_ALLOW_THREADS;
  Py_RETURN_NONE;
}

PyObject* SetHook(PyObject*, PyObject* args) {
  const char* name;
  PyObject* hook;
  if (!PyArg_ParseTuple(args, "sO:_set_hook", &name, &hook)) return nullptr;
  PyObject** slot = nullptr;
  if (std::string(name) == "make_class") slot = &rt.make_class;
  if (std::string(name) == "convert_schema") slot = &rt.convert_schema;
  if (slot == nullptr) return PyErr_Format(PyExc_ValueError, "unknown hook %s", name);
  Py_XSETREF(*slot, Py_NewRef(hook));
  Py_RETURN_NONE;
}

// The interpreter begins to shut down: native code must not enter Python any more.
PyObject* AtExit(PyObject*, PyObject*) {
  rt.alive = false;
  Py_RETURN_NONE;
}

PyMethodDef module_functions[] = {
    {"object_repr", ObjectReprFn, METH_O, "Text of an object; never raises."},
    {"_convert_to_ffi_error", ToError, METH_O, "Error of an exception."},
    {"_convert_to_ffi_func",
     reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(ToFunction)),
     METH_VARARGS | METH_KEYWORDS, "_convert_to_ffi_func(pyfunc, tensor_cls=None)"},
    {"_callable_of", CallableOfFunction, METH_O, "The Python callable of a Function, or None."},
    {"_convert_to_opaque_object", ToOpaque, METH_O, "OpaquePyObject that holds a value."},
    {"_TRACEBACK_TO_BACKTRACE_STR", TracebackToText, METH_O,
     "Backtrace lines of a traceback, innermost first."},
    {"_append_traceback", AppendTraceback, METH_VARARGS,
     "_append_traceback(traceback, lines): the traceback with one more frame per backtrace line."},
    {"_WITH_APPEND_BACKTRACE", WithAppendBacktrace, METH_VARARGS,
     "_WITH_APPEND_BACKTRACE(py_error, backtrace): the exception with the frames added."},
    {"_print_debug_info", PrintDebugInfo, METH_NOARGS, "Prints the size of the dispatch cache."},
    {"_testing_drop_last_ref_without_thread_state", DropWithoutThreadState, METH_NOARGS,
     "Releases a Python object on a thread without a thread state."},
    {"_set_hook", SetHook, METH_VARARGS, "_set_hook(name, function)"},
    {"_tvm_ffi_atexit", AtExit, METH_NOARGS, "Tells native code that Python goes away."},
    {nullptr, nullptr, 0, nullptr}};

// ---- CAny --------------------------------------------------------------------------------------

struct AnyPy {
  PyObject_HEAD TVMFFIAny value;
};

int AnyInit(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"value", nullptr};
  PyObject* value = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:CAny", const_cast<char**>(keywords), &value)) {
    return -1;
  }
  TVMFFIAny owned{};
  if (!ConvertOwned(value, &owned)) return -1;
  auto* any = reinterpret_cast<AnyPy*>(self);
  TVMFFIAny old = std::exchange(any->value, owned);
  DecRefAny(old);
  return 0;
}

int AnyTraverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  const TVMFFIAny& value = reinterpret_cast<AnyPy*>(self)->value;
  return value.type_index >= kTVMFFIStaticObjectBegin ? VisitNative(value.v_obj, visit, arg) : 0;
}

int AnyClear(PyObject* self) {
  TVMFFIAny old = std::exchange(reinterpret_cast<AnyPy*>(self)->value, TVMFFIAny{});
  DecRefAny(old);
  return 0;
}

void AnyDealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  AnyClear(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* AnyValue(PyObject* self) {
  return ResultOfView(reinterpret_cast<AnyPy*>(self)->value, nullptr);
}

PyObject* AnyRepr(PyObject* self) {
  const TVMFFIAny& value = reinterpret_cast<AnyPy*>(self)->value;
  const char* kind = nullptr;
  switch (value.type_index) {
    case kTVMFFINone:
      return PyUnicode_FromString("CAny(None)");
    case kTVMFFIInt:
      kind = "int";
      break;
    case kTVMFFIBool:
      kind = "bool";
      break;
    case kTVMFFIFloat:
      kind = "float";
      break;
    default:
      break;
  }
  if (kind == nullptr) {
    return PyUnicode_FromFormat(value.type_index >= kTVMFFIStaticObjectBegin
                                    ? "CAny(object, type_index=%d)"
                                    : "CAny(type_index=%d)",
                                value.type_index);
  }
  PyRef py_value(AnyValue(self));
  return py_value ? PyUnicode_FromFormat("CAny(%s=%R)", kind, py_value.get()) : nullptr;
}

PyObject* AnyTypeIndex(PyObject* self, void*) {
  return PyLong_FromLong(reinterpret_cast<AnyPy*>(self)->value.type_index);
}

PyGetSetDef any_getset[] = {
    {"type_index", AnyTypeIndex, nullptr, "Type index of the value.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot any_slots[] = {{Py_tp_init, reinterpret_cast<void*>(AnyInit)},
                           {Py_tp_dealloc, reinterpret_cast<void*>(AnyDealloc)},
                           {Py_tp_traverse, reinterpret_cast<void*>(AnyTraverse)},
                           {Py_tp_clear, reinterpret_cast<void*>(AnyClear)},
                           {Py_tp_repr, reinterpret_cast<void*>(AnyRepr)},
                           {Py_tp_getset, any_getset},
                           {Py_tp_doc, const_cast<char*>("CAny(value=None)\n--\n\nOwns one value "
                                                         "in its native form.")},
                           {0, nullptr}};
PyType_Spec any_spec = {"tvm_ffi.core.CAny", sizeof(AnyPy), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, any_slots};

PyObject* ToPyClassValue(PyObject*, PyObject* self) {
  if (!PyObject_TypeCheck(self, rt.any)) {
    return PyErr_Format(PyExc_TypeError, "expected a CAny, got %s", Py_TYPE(self)->tp_name);
  }
  return AnyValue(self);
}

PyMethodDef any_functions[] = {
    {"_to_py_class_value", ToPyClassValue, METH_O, "Python value of a CAny."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

const TVMFFIAny* AnyOf(PyObject* value) {
  return PyObject_TypeCheck(value, rt.any) ? &reinterpret_cast<AnyPy*>(value)->value : nullptr;
}

bool InitCoreFunctions(PyObject* module) {
  return MakeType(module, &any_spec, nullptr, &rt.any) &&
         PyModule_AddFunctions(module, module_functions) == 0 &&
         PyModule_AddFunctions(module, any_functions) == 0;
}

}  // namespace tvm::ffi::detail::python
