// SPDX-License-Identifier: Apache-2.0
// The extension module tvm_ffi.core.
#include <cstdlib>
#include <cstring>
#if !defined(_WIN32)
#include <dlfcn.h>
#endif

#include "argument.h"
#include "container.h"
#include "core_functions.h"
#include "error.h"
#include "field.h"
#include "function.h"
#include "native_cycle.h"
#include "result.h"
#include "tensor.h"
#include "type_table.h"
#include "value_types.h"

namespace tvm::ffi::detail::python {

Runtime rt;
Names names;

bool MakeType(PyObject* module, PyType_Spec* spec, PyTypeObject* base, PyTypeObject** out) {
  PyRef type(PyType_FromModuleAndSpec(module, spec, reinterpret_cast<PyObject*>(base)));
  if (!type) return false;
  const char* dot = std::strrchr(spec->name, '.');
  if (PyModule_AddObjectRef(module, dot ? dot + 1 : spec->name, type.get()) < 0) return false;
  *out = reinterpret_cast<PyTypeObject*>(type.release());
  return true;
}

namespace {

bool InitNames() {
#define TVM_FFI_PY_NAME(field, text)              \
  names.field = PyUnicode_InternFromString(text); \
  if (names.field == nullptr) return false;
  TVM_FFI_PY_NAMES(TVM_FFI_PY_NAME)
#undef TVM_FFI_PY_NAME
  return true;
}

bool IsOne(const char* variable, bool otherwise) {
  const char* value = std::getenv(variable);
  return value == nullptr || *value == '\0' ? otherwise : std::atoi(value) != 0;
}

// A library of another release is told apart before anything of it is used.
bool CheckVersion() {
  TVMFFIVersion version;
  TVMFFIGetVersion(&version);
  if (version.major == TVM_FFI_VERSION_MAJOR && version.minor == TVM_FFI_VERSION_MINOR) return true;
  PyErr_Format(PyExc_ImportError, "tvm_ffi.core was built for libtvm_ffi %d.%d.%d, found %u.%u.%u",
               TVM_FFI_VERSION_MAJOR, TVM_FFI_VERSION_MINOR, TVM_FFI_VERSION_PATCH, version.major,
               version.minor, version.patch);
  return false;
}

// Libraries that are loaded later find the symbols of libtvm_ffi without naming it.
void ShareLibrarySymbols() {
#if !defined(_WIN32)
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(TVMFFIGetVersion), &info) != 0 && info.dli_fname != nullptr) {
    dlopen(info.dli_fname, RTLD_LAZY | RTLD_GLOBAL | RTLD_NOLOAD);
  }
#endif
}

bool InitHelpers() {
  struct Helper {
    const char* name;
    TVMFFIObject** slot;
  } helpers[] = {{"ffi.Array", &rt.fn_array},
                 {"ffi.List", &rt.fn_list},
                 {"ffi.Map", &rt.fn_map},
                 {"ffi.Dict", &rt.fn_dict},
                 {"ffi.Shape", &rt.fn_shape}};
  for (const Helper& helper : helpers) {
    *helper.slot = FindGlobal(helper.name);
    if (*helper.slot == nullptr) {
      PyErr_Format(PyExc_ImportError, "libtvm_ffi lacks the function %s", helper.name);
      return false;
    }
  }
  rt.fn_repr = FindGlobal("ffi.ReprPrint");
  return true;
}

// MISSING and KWARGS: native singletons that mark absent and keyword arguments.
bool InitSentinels(PyObject* module) {
  struct Sentinel {
    const char* function;
    const char* name;
    TVMFFIObject** native;
    PyObject** python;
  } sentinels[] = {{"ffi.GetInvalidObject", "MISSING", &rt.missing, &rt.py_missing},
                   {"ffi.GetKwargsObject", "KWARGS", &rt.kwargs, &rt.py_kwargs}};
  for (const Sentinel& sentinel : sentinels) {
    NativeRef get(FindGlobal(sentinel.function));
    AnyRef value;
    if (!get || !CallConverted(get.get(), nullptr, 0, &value) ||
        value->type_index < kTVMFFIStaticObjectBegin) {
      PyErr_Format(PyExc_ImportError, "libtvm_ffi lacks the function %s", sentinel.function);
      return false;
    }
    *sentinel.native = value.release().v_obj;
    IncRefNative(*sentinel.native);
    *sentinel.python = WrapAs(rt.object, *sentinel.native);
    if (*sentinel.python == nullptr ||
        PyModule_AddObjectRef(module, sentinel.name, *sentinel.python) < 0) {
      return false;
    }
  }
  return true;
}

// Object has a metaclass of its own, which is written in Python.
bool InitObjectClass(PyObject* module) {
  PyRef meta_module(PyImport_ImportModule("tvm_ffi._object_meta"));
  PyRef meta(meta_module ? PyObject_GetAttrString(meta_module.get(), "_ObjectSlotsMeta") : nullptr);
  if (!meta) return false;
  PyRef body(Py_BuildValue("{s:s,s:()}", "__module__", "tvm_ffi.core", "__slots__"));
  PyRef doc(PyUnicode_FromString("Base of the classes of native objects."));
  PyRef copy(PyObject_GetAttrString(meta_module.get(), "_shallow_copy"));
  PyRef deepcopy(PyObject_GetAttrString(meta_module.get(), "_deep_copy"));
  if (!body || !doc || !copy || !deepcopy ||
      PyDict_SetItemString(body.get(), "__doc__", doc.get()) < 0 ||
      PyDict_SetItemString(body.get(), "__copy__", copy.get()) < 0 ||
      PyDict_SetItemString(body.get(), "__deepcopy__", deepcopy.get()) < 0) {
    return false;
  }
  PyRef cls(PyObject_CallFunction(meta.get(), "s(O)O", "Object", rt.object_base, body.get()));
  if (!cls || PyModule_AddObjectRef(module, "Object", cls.get()) < 0 ||
      PyModule_AddObjectRef(module, "_ObjectSlotsMeta", meta.get()) < 0) {
    return false;
  }
  rt.object_meta = reinterpret_cast<PyTypeObject*>(meta.release());
  rt.object = reinterpret_cast<PyTypeObject*>(cls.release());
  return true;
}

bool InitClassTable(PyObject* module) {
  struct Entry {
    int32_t index;
    PyTypeObject* cls;
  } entries[] = {{kTVMFFIObject, rt.object},        {kTVMFFIError, rt.error},
                 {kTVMFFIDataType, rt.data_type},   {kTVMFFIDevice, rt.device},
                 {kTVMFFIStr, rt.string},           {kTVMFFIBytes, rt.bytes},
                 {kTVMFFITensor, rt.tensor},        {kTVMFFIFunction, rt.function},
                 {kTVMFFIOpaquePyObject, rt.opaque}};
  for (const Entry& entry : entries) {
    if (!SetClassOf(entry.index, entry.cls)) return false;
  }
  rt.class_device = Py_NewRef(reinterpret_cast<PyObject*>(rt.device));
  rt.class_tensor = Py_NewRef(reinterpret_cast<PyObject*>(rt.tensor));
  rt.class_object = Py_NewRef(reinterpret_cast<PyObject*>(rt.object));
  return PyModule_AddObjectRef(module, "_CLASS_DEVICE", rt.class_device) == 0 &&
         PyModule_AddObjectRef(module, "_CLASS_TENSOR", rt.class_tensor) == 0 &&
         PyModule_AddObjectRef(module, "_CLASS_OBJECT", rt.class_object) == 0 &&
         PyModule_AddObjectRef(module, "_CLASS_DTYPE", Py_None) == 0;
}

int CheckSignals() {
  OutsideGroups outside;
  int code = PyErr_CheckSignals();
  if (code != 0) rt.interrupted = true;
  return code;
}

// Signal checks and attachment to the interpreter, for native code that knows no Python.
bool InitEnvironment(PyObject* module) {
  struct Api {
    const char* name;
    void* symbol;
  } apis[] = {{"PyErr_CheckSignals", reinterpret_cast<void*>(CheckSignals)},
              {"PyGILState_Ensure", reinterpret_cast<void*>(PyGILState_Ensure)},
              {"PyGILState_Release", reinterpret_cast<void*>(PyGILState_Release)}};
  for (const Api& api : apis) {
    if (int code = TVMFFIEnvRegisterCAPI(api.name, api.symbol)) {
      RaiseFor(code);
      return false;
    }
  }
  PyRef atexit(PyImport_ImportModule("atexit"));
  PyRef hook(PyObject_GetAttrString(module, "_tvm_ffi_atexit"));
  if (!atexit || !hook) return false;
  PyRef registered(PyObject_CallMethod(atexit.get(), "register", "O", hook.get()));
  return static_cast<bool>(registered);
}

bool InitConstants(PyObject* module) {
  PyRef version(Py_BuildValue("(ii)", DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION));
  rt.opaque_ptr_handlers = PyDict_New();
  return version && rt.opaque_ptr_handlers &&
         PyModule_AddObjectRef(module, "__dlpack_version__", version.get()) == 0 &&
         PyModule_AddObjectRef(module, "_OPAQUE_PTR_HANDLERS", rt.opaque_ptr_handlers) == 0;
}

bool Init(PyObject* module) {
  rt.alive = true;
  ShareLibrarySymbols();
  rt.release_gil = IsOne("TVM_FFI_RELEASE_GIL_BY_DEFAULT", true);
  rt.skip_exchange = IsOne("TVM_FFI_SKIP_DLPACK_C_EXCHANGE_API", false);
  if (!CheckVersion() || !InitNames() || !InitConcurrency() || !InitConstants(module) ||
      !InitObjectTypes(module) || !InitErrors(module) || !InitFunctions(module) ||
      !InitContainers(module) || !InitTensors(module) || !InitValueTypes(module) ||
      !InitNativeStr(module) || !InitFields(module) || !InitMethods(module) ||
      !InitTypeTable(module) || !InitPyClass(module) || !InitCoreFunctions(module) ||
      !InitTestTensor(module) || !InitObjectClass(module) || !InitClassTable(module) ||
      !InitHelpers() || !InitSentinels(module) || !InitEnvironment(module) ||
      !InitNativeCycles(module) || !InitWalkLock()) {
    return false;
  }
  // TypeInfo and TypeSchema are plain Python and only needed off the call path.
  PyRef type_info(PyImport_ImportModule("tvm_ffi._type_info"));
  if (!type_info) return false;
  PyRef done(PyObject_CallMethod(type_info.get(), "install", "O", module));
  return static_cast<bool>(done);
}

int Exec(PyObject* module) {
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    PyErr_SetString(PyExc_ImportError, "tvm_ffi can only be imported in the main interpreter");
    return -1;
  }
  if (rt.ready) {
    PyErr_SetString(PyExc_ImportError, "tvm_ffi.core can only be initialised once per process");
    return -1;
  }
  rt.ready = true;
  return Init(module) ? 0 : -1;
}

PyModuleDef_Slot slots[] = {
    {Py_mod_exec, reinterpret_cast<void*>(Exec)},
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
#if PY_VERSION_HEX >= 0x030D0000
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, nullptr}};

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "core",
                          "Values, objects, functions and errors of tvm-ffi.",
                          0,
                          nullptr,
                          slots,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace

}  // namespace tvm::ffi::detail::python

PyMODINIT_FUNC PyInit_core(void) { return PyModuleDef_Init(&tvm::ffi::detail::python::definition); }
