// SPDX-License-Identifier: Apache-2.0
// One rule per Python class says how its instances are converted. The rule is found once, by trying
// the tests of FindRule in order, and kept together with the class.
#include <cstring>
#include <mutex>

#include "argument.h"
#include "error.h"
#include "function.h"
#include "tensor.h"
#include "value_types.h"

namespace tvm::ffi::detail::python {

namespace {

enum class Rule : uint8_t {
  kUnknown,
  kTensor,
  kContainer,
  kObject,
  kRValueRef,
  kObjectProtocol,
  kExchange,
  kTorchTensor,
  kCudaStream,
  kIntAsPointer,
  kDLPack,
  kNumpyArray,
  kBool,
  kTruth,
  kInt,
  kIndex,
  kFloat,
  kReal,
  kDataType,
  kDtype,
  kDevice,
  kNativeValue,
  kStr,
  kBytes,
  kByteArray,
  kTuple,
  kDict,
  kVoidPtr,
  kOpaquePtr,
  kHandler,
  kCallable,
  kNumpyDtype,
  kTorchDtype,
  kDLPackDataType,
  kDLPackDevice,
  kIntProtocol,
  kFloatProtocol,
  kValueProtocol,
  kException,
  kConvertible,
  kOpaque,
};

struct RuleEntry {
  PyObject* watch;  // weak reference that empties the entry when the class dies, or NULL
  Rule rule;
  const DLPackExchangeAPI* exchange;
  PyObject* handler;  // owned
};

PyTypeObject* const kGone = reinterpret_cast<PyTypeObject*>(1);

// Open addressing by class address. Found without a lock: an entry is complete before its class is
// shown, and the arrays that a growing table leaves behind stay for those who still look there.
class RuleTable {
 public:
  const RuleEntry* Find(PyTypeObject* type) const {
    const Slots* slots = slots_.load(std::memory_order_acquire);
    for (size_t i = Hash(type) & slots->mask;; i = (i + 1) & slots->mask) {
      PyTypeObject* at = slots->at(i).type.load(std::memory_order_acquire);
      if (at == type) return &slots->at(i).entry;
      if (at == nullptr) return nullptr;
    }
  }
  // Takes the references of `fresh` over.
  const RuleEntry* Insert(PyTypeObject* type, const RuleEntry& fresh) {
    std::lock_guard<SharedMutex> lock(mutex_);
    Slots* slots = slots_.load(std::memory_order_relaxed);
    if ((used_ + 1) * 2 > slots->mask + 1) slots = Grow(slots);
    ++used_;
    ++live_;
    return Place(slots, type, fresh);
  }
  // Returns the references that are to be released.
  RuleEntry Forget(PyObject* watch) {
    std::lock_guard<SharedMutex> lock(mutex_);
    Slots* slots = slots_.load(std::memory_order_relaxed);
    for (size_t i = 0; i <= slots->mask; ++i) {
      Slot& slot = slots->at(i);
      PyTypeObject* type = slot.type.load(std::memory_order_relaxed);
      if (type == nullptr || type == kGone || slot.entry.watch != watch) continue;
      slot.type.store(kGone, std::memory_order_release);
      --live_;
      return slot.entry;
    }
    return RuleEntry{};
  }
  size_t size() const { return live_; }

 private:
  struct Slot {
    std::atomic<PyTypeObject*> type{nullptr};  // borrowed; NULL: never used, kGone: class is dead
    RuleEntry entry{};
  };
  struct Slots {
    explicit Slots(size_t size) : mask(size - 1), content(new Slot[size]) {}
    Slot& at(size_t i) const { return content[i]; }
    size_t mask;
    Slot* content;
  };

  static size_t Hash(PyTypeObject* type) {
    return reinterpret_cast<uintptr_t>(type) * 0x9E3779B97F4A7C15u >> 32;
  }
  static const RuleEntry* Place(Slots* slots, PyTypeObject* type, const RuleEntry& fresh) {
    size_t i = Hash(type) & slots->mask;
    while (slots->at(i).type.load(std::memory_order_relaxed) != nullptr) i = (i + 1) & slots->mask;
    slots->at(i).entry = fresh;
    slots->at(i).type.store(type, std::memory_order_release);
    return &slots->at(i).entry;
  }
  Slots* Grow(Slots* old) {
    size_t size = old->mask + 1;
    auto* slots = new Slots(live_ * 4 < size ? size : size * 2);
    for (size_t i = 0; i < size; ++i) {
      PyTypeObject* type = old->at(i).type.load(std::memory_order_relaxed);
      if (type != nullptr && type != kGone) Place(slots, type, old->at(i).entry);
    }
    used_ = live_;
    slots_.store(slots, std::memory_order_release);
#ifndef Py_GIL_DISABLED
    delete[] old->content;
    delete old;
#endif
    return slots;
  }

  std::atomic<Slots*> slots_{new Slots(128)};
  SharedMutex mutex_;
  size_t used_ = 0;  // slots with a class, dead ones included
  size_t live_ = 0;
};

RuleTable table;

// An attribute of a module that is imported already; NULL without an exception otherwise.
PyRef LoadedAttr(const char* module_name, const char* attribute) {
  PyObject* modules = PyImport_GetModuleDict();
  PyObject* module = PyDict_GetItemString(modules, module_name);
  if (module == nullptr) return PyRef();
  PyRef value(PyObject_GetAttrString(module, attribute));
  if (!value) PyErr_Clear();
  return value;
}

// Protocol attributes are looked up on the class; one set on an instance does not count.
bool HasAttr(PyTypeObject* type, PyObject* name) { return _PyType_Lookup(type, name) != nullptr; }

// Subclass test that asks abstract base classes too: 1, 0, or -1 with an exception.
int IsNumber(PyTypeObject* type, const char* abc) {
  static Lazy lazy_module;
  PyObject* module = lazy_module.Get([] { return PyImport_ImportModule("numbers"); });
  PyRef cls(module ? PyObject_GetAttrString(module, abc) : nullptr);
  return cls ? PyObject_IsSubclass(reinterpret_cast<PyObject*>(type), cls.get()) : -1;
}

// Table behind __dlpack_c_exchange_api__: a capsule or an address. NULL with an exception.
const DLPackExchangeAPI* ExchangeOf(PyTypeObject* type) {
  PyRef value(PyObject_GetAttr(reinterpret_cast<PyObject*>(type), names.dlpack_exchange));
  if (!value) return nullptr;
  return ExchangeFromValue(value.get());
}

// Finds the rule of a class. False with an exception.
bool FindRule(PyTypeObject* type, RuleEntry* entry) {
  auto is = [type](PyTypeObject* base) { return base && PyType_IsSubtype(type, base); };
  auto rule = [entry](Rule found) {
    entry->rule = found;
    return true;
  };
  if (is(rt.tensor)) return rule(Rule::kTensor);
  if (is(rt.container_base)) return rule(Rule::kContainer);
  if (is(rt.object_base)) return rule(Rule::kObject);
  if (is(rt.rvalue_ref)) return rule(Rule::kRValueRef);
  if (IsNumpyArray(type)) return rule(Rule::kNumpyArray);
  if (HasAttr(type, names.tvm_ffi_object)) return rule(Rule::kObjectProtocol);
  if (!rt.skip_exchange && HasAttr(type, names.dlpack_exchange)) {
    entry->exchange = ExchangeOf(type);
    if (entry->exchange == nullptr) return false;
    bool viewed = entry->exchange->dltensor_from_py_object_no_sync != nullptr &&
                  IsSubclassOfLoaded(type, "torch", "Tensor");
    return rule(viewed ? Rule::kTorchTensor : Rule::kExchange);
  }
  if (HasAttr(type, names.cuda_stream)) return rule(Rule::kCudaStream);
  if (IsSubclassOfLoaded(type, "cuda.bindings.driver", "CUstream"))
    return rule(Rule::kIntAsPointer);
  if (HasAttr(type, names.dlpack)) return rule(Rule::kDLPack);
  if (is(&PyBool_Type)) return rule(Rule::kBool);
  if (is(&PyLong_Type)) return rule(Rule::kInt);
  if (is(&PyFloat_Type)) return rule(Rule::kFloat);
  switch (NumpyScalarOf(type)) {
    case NumpyScalar::kBool:
      return rule(Rule::kTruth);
    case NumpyScalar::kInt:
      return rule(Rule::kIndex);
    case NumpyScalar::kFloat:
      return rule(Rule::kReal);
    case NumpyScalar::kTime:
      return rule(Rule::kOpaque);
    case NumpyScalar::kOther:
      break;
  }
  if (!is(&PyUnicode_Type) && !is(&PyBytes_Type) && !is(&PyTuple_Type) && !is(&PyList_Type) &&
      !is(&PyDict_Type)) {
    int number = IsNumber(type, "Integral");
    if (number == 0) {
      number = IsNumber(type, "Real");
      if (number > 0) return rule(Rule::kReal);
    } else if (number > 0) {
      return rule(Rule::kIndex);
    }
    if (number < 0) return false;
  }
  if (is(rt.data_type)) return rule(Rule::kDataType);
  if (rt.class_dtype && is(reinterpret_cast<PyTypeObject*>(rt.class_dtype)))
    return rule(Rule::kDtype);
  if (is(rt.device) || (rt.class_device && is(reinterpret_cast<PyTypeObject*>(rt.class_device)))) {
    return rule(Rule::kDevice);
  }
  if (is(rt.native_value)) return rule(Rule::kNativeValue);
  if (is(&PyUnicode_Type)) return rule(Rule::kStr);
  if (is(&PyBytes_Type)) return rule(Rule::kBytes);
  if (is(&PyByteArray_Type)) return rule(Rule::kByteArray);
  if (is(&PyTuple_Type) || is(&PyList_Type)) return rule(Rule::kTuple);
  if (is(&PyDict_Type)) return rule(Rule::kDict);
  if (IsSubclassOfLoaded(type, "ctypes", "c_void_p")) return rule(Rule::kVoidPtr);
  if (HasAttr(type, names.tvm_ffi_opaque_ptr)) return rule(Rule::kOpaquePtr);
  PyRef handler = DictGet(rt.opaque_ptr_handlers, reinterpret_cast<PyObject*>(type));
  if (handler) {
    entry->handler = handler.release();
    return rule(Rule::kHandler);
  }
  if (PyErr_Occurred()) return false;
  if (type->tp_call != nullptr) return rule(Rule::kCallable);
  if (IsSubclassOfLoaded(type, "torch", "dtype")) return rule(Rule::kTorchDtype);
  if (IsNumpyDtype(type)) return rule(Rule::kNumpyDtype);
  if (HasAttr(type, names.dlpack_data_type)) return rule(Rule::kDLPackDataType);
  if (HasAttr(type, names.dlpack_device)) return rule(Rule::kDLPackDevice);
  if (HasAttr(type, names.tvm_ffi_int)) return rule(Rule::kIntProtocol);
  if (HasAttr(type, names.tvm_ffi_float)) return rule(Rule::kFloatProtocol);
  if (HasAttr(type, names.tvm_ffi_value)) return rule(Rule::kValueProtocol);
  if (is(reinterpret_cast<PyTypeObject*>(PyExc_Exception))) return rule(Rule::kException);
  if (is(rt.convertible)) return rule(Rule::kConvertible);
  return rule(Rule::kOpaque);
}

PyObject* ForgetClass(PyObject*, PyObject* watch) {
  RuleEntry gone = table.Forget(watch);
  Py_XDECREF(gone.handler);
  Py_XDECREF(gone.watch);
  Py_RETURN_NONE;
}

// Weak reference to a class that may die, so that the table keeps no class alive. NULL for a static
// class, and with an exception.
PyObject* Watch(PyTypeObject* type) {
  static PyMethodDef forget_def = {"forget_class", ForgetClass, METH_O, nullptr};
  static Lazy lazy_forget;
  PyObject* forget = lazy_forget.Get([] { return PyCFunction_New(&forget_def, nullptr); });
  if (!PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) return nullptr;
  return forget ? PyWeakref_NewRef(reinterpret_cast<PyObject*>(type), forget) : nullptr;
}

const RuleEntry* EntryOf(PyTypeObject* type) {
  if (const RuleEntry* entry = table.Find(type)) [[likely]]
    return entry;
  RuleEntry fresh{nullptr, Rule::kUnknown, nullptr, nullptr};
  if (!FindRule(type, &fresh)) return nullptr;
  fresh.watch = Watch(type);
  if (fresh.watch == nullptr && PyErr_Occurred()) {
    Py_XDECREF(fresh.handler);
    return nullptr;
  }
  // Another thread may have been as quick; the second entry of a class is never found.
  return table.Insert(type, fresh);
}

// Converts the result of a protocol method and keeps it alive for the call.
bool ConvertKept(PyObject* owned, TVMFFIAny* out, ArgScope* scope) {
  if (owned == nullptr || !scope->KeepPython(owned)) return false;
  if (Py_EnterRecursiveCall(" while converting an argument")) return false;
  bool ok = Convert(owned, out, scope);
  Py_LeaveRecursiveCall();
  return ok;
}

bool ConvertObjectWrapper(PyObject* value, TVMFFIAny* out) {
  TVMFFIObject* handle = HandleOf(value);
  if (handle == nullptr) return false;
  SetObject(out, handle);
  return true;
}

bool ConvertPointer(PyObject* number, TVMFFIAny* out) {
  if (number == nullptr) return false;
  if (number == Py_None) {
    SetPtr(out, nullptr);
    return true;
  }
  PyRef integer(PyNumber_Index(number));
  if (!integer) return false;
  void* ptr = PyLong_AsVoidPtr(integer.get());
  if (ptr == nullptr && PyErr_Occurred()) return false;
  SetPtr(out, ptr);
  return true;
}

bool ConvertIndex(PyObject* value, TVMFFIAny* out, ArgScope* scope) {
  PyRef integer(PyLong_Check(value) ? Py_NewRef(value) : PyNumber_Index(value));
  if (!integer) {
    PyErr_Clear();
    integer = PyRef(PyNumber_Long(value));
    if (!integer) return false;
  }
  int overflow = 0;
  long long number = PyLong_AsLongLongAndOverflow(integer.get(), &overflow);
  if (overflow != 0) return ConvertBigInt(integer.get(), out, scope);
  if (number == -1 && PyErr_Occurred()) return false;
  SetInt(out, number);
  return true;
}

bool ConvertFloat(PyObject* value, TVMFFIAny* out) {
  double number = PyFloat_AsDouble(value);
  if (number == -1.0 && PyErr_Occurred()) return false;
  SetFloat(out, number);
  return true;
}

bool ConvertNativeValue(PyObject* value, TVMFFIAny* out, ArgScope* scope) {
  if (TVMFFIObject* cached = CachedNative(value)) {
    // Of its own, as a conversion that follows may attach another object.
    IncRefNative(cached);
    SetObject(out, cached);
    return scope->KeepNative(cached);
  }
  PyRef attached(PyObject_GetAttr(value, names.tvm_ffi_cached_object));
  if (!attached) {
    PyErr_Clear();
  } else if (IsObject(attached.get())) {
    TVMFFIObject* handle = HandleOf(attached.get());
    if (handle == nullptr) return false;
    IncRefNative(handle);
    SetObject(out, handle);
    return scope->KeepNative(handle);
  }
  if (PyUnicode_Check(value)) return ConvertStr(value, out, scope);
  if (PyBytes_Check(value)) {
    return ConvertBytes(PyBytes_AS_STRING(value), static_cast<size_t>(PyBytes_GET_SIZE(value)), out,
                        scope);
  }
  PyErr_Format(PyExc_ValueError, "%s has no native object attached", Py_TYPE(value)->tp_name);
  return false;
}

bool ConvertException(PyObject* value, TVMFFIAny* out, ArgScope* scope) {
  TVMFFIObject* error = ErrorOf(value);
  if (error == nullptr) return false;
  SetObject(out, error);
  return scope->KeepNative(error);
}

bool KeepObject(TVMFFIObject* owned, TVMFFIAny* out, ArgScope* scope) {
  if (owned == nullptr) return false;
  SetObject(out, owned);
  return scope->KeepNative(owned);
}

bool ConvertDLPackProtocol(PyObject* value, TVMFFIAny* out, ArgScope* scope) {
  TVMFFIObject* tensor = TensorFromProtocol(value);
  if (tensor == nullptr) return false;
  DLTensor* view = TVMFFITensorGetDLTensorPtr(tensor);
  if (!KeepObject(tensor, out, scope)) return false;
  if (HasAttr(Py_TYPE(value), names.tvm_ffi_env_stream) && scope->has_device()) {
    PyRef stream(PyObject_CallMethodNoArgs(value, names.tvm_ffi_env_stream));
    if (!stream) return false;
    void* ptr = PyLong_AsVoidPtr(stream.get());
    if (ptr == nullptr && PyErr_Occurred()) return false;
    scope->SetStream(ptr);
  }
  (void)view;
  return true;
}

bool ConvertContainer(PyObject* value, TVMFFIAny* out, ArgScope* scope) {
  if (!ConvertObjectWrapper(value, out)) return false;
  const DLPackExchangeAPI* api = reinterpret_cast<ContainerPy*>(value)->exchange;
  if (api == nullptr) return true;
  if (scope->exchange == nullptr) scope->exchange = api;
  DLDevice device;
  if (!FirstDeviceOf(out->v_obj, &device)) return false;
  scope->NoteDevice(device, nullptr);
  return true;
}

bool ConvertTensorWrapper(PyObject* value, TVMFFIAny* out) {
  auto* tensor = reinterpret_cast<TensorPy*>(value);
  if (tensor->base.handle == nullptr && tensor->view != nullptr) {
    out->type_index = kTVMFFIDLTensorPtr;
    out->zero_padding = 0;
    out->v_ptr = tensor->view;
    return true;
  }
  return ConvertObjectWrapper(value, out);
}

bool ConvertCudaStream(PyObject* value, TVMFFIAny* out) {
  PyRef result(PyObject_CallMethodNoArgs(value, names.cuda_stream));
  if (!result) return false;
  PyRef address(PySequence_GetItem(result.get(), 1));
  return ConvertPointer(address.get(), out);
}

bool ConvertVoidPtr(PyObject* value, TVMFFIAny* out) {
  PyRef address(PyObject_GetAttr(value, names.value));
  return ConvertPointer(address.get(), out);
}

bool ConvertFloatProtocol(PyObject* value, TVMFFIAny* out) {
  PyRef result(PyObject_CallMethodNoArgs(value, names.tvm_ffi_float));
  if (!result) return false;
  PyRef number(PyNumber_Float(result.get()));
  return number && ConvertFloat(number.get(), out);
}

bool ConvertIntProtocol(PyObject* value, TVMFFIAny* out, ArgScope* scope) {
  PyRef result(PyObject_CallMethodNoArgs(value, names.tvm_ffi_int));
  if (!result) return false;
  PyRef number(PyNumber_Long(result.get()));
  return number && ConvertIndex(number.get(), out, scope);
}

bool ConvertRValueRef(PyObject* value, TVMFFIAny* out, ArgScope* scope) {
  PyRef wrapper(PyObject_GetAttr(value, names.obj));
  return wrapper && scope->Move(wrapper.get(), out);
}

bool SetDtype(DLDataType dtype, TVMFFIAny* out) {
  *out = TVMFFIAny{};
  out->type_index = kTVMFFIDataType;
  out->v_dtype = dtype;
  return true;
}

bool SetDevice(DLDevice device, TVMFFIAny* out) {
  out->type_index = kTVMFFIDevice;
  out->zero_padding = 0;
  out->v_device = device;
  return true;
}

}  // namespace

bool ConvertSlow(PyObject* value, TVMFFIAny* out, ArgScope* scope) {
  if (PyUnicode_CheckExact(value)) return ConvertStr(value, out, scope);
  if (PyLong_CheckExact(value)) return ConvertBigInt(value, out, scope);
  const RuleEntry* entry = EntryOf(Py_TYPE(value));
  if (entry == nullptr) return false;
  DLDataType dtype;
  DLDevice device;
  switch (entry->rule) {
    case Rule::kTensor:
      return ConvertTensorWrapper(value, out);
    case Rule::kContainer:
      return ConvertContainer(value, out, scope);
    case Rule::kObject:
      return ConvertObjectWrapper(value, out);
    case Rule::kRValueRef:
      return ConvertRValueRef(value, out, scope);
    case Rule::kNumpyArray:
      return ConvertNumpyArray(value, out, scope);
    case Rule::kObjectProtocol:
      return ConvertKept(PyObject_CallMethodNoArgs(value, names.tvm_ffi_object), out, scope);
    case Rule::kExchange:
      return ConvertExchange(value, entry->exchange, out, scope);
    case Rule::kTorchTensor:
      return ConvertTorchTensor(value, entry->exchange, out, scope);
    case Rule::kCudaStream:
      return ConvertCudaStream(value, out);
    case Rule::kIntAsPointer: {
      PyRef number(PyNumber_Long(value));
      return ConvertPointer(number.get(), out);
    }
    case Rule::kDLPack:
      return ConvertDLPackProtocol(value, out, scope);
    case Rule::kBool:
      SetBool(out, value == Py_True);
      return true;
    case Rule::kTruth: {
      int truth = PyObject_IsTrue(value);
      SetBool(out, truth == 1);
      return truth >= 0;
    }
    case Rule::kInt:
    case Rule::kIndex:
      return ConvertIndex(value, out, scope);
    case Rule::kFloat:
    case Rule::kReal:
      return ConvertFloat(value, out);
    case Rule::kDataType:
      return SetDtype(reinterpret_cast<DataTypePy*>(value)->dtype, out);
    case Rule::kDtype:
      return DtypeOf(value, &dtype) && SetDtype(dtype, out);
    case Rule::kDevice:
      return DeviceOf(value, &device) && SetDevice(device, out);
    case Rule::kNativeValue:
      return ConvertNativeValue(value, out, scope);
    case Rule::kStr:
      return ConvertStr(value, out, scope);
    case Rule::kBytes:
      return ConvertBytes(PyBytes_AS_STRING(value), static_cast<size_t>(PyBytes_GET_SIZE(value)),
                          out, scope);
    case Rule::kByteArray: {
      PythonSection section(value);
      return ConvertBytes(PyByteArray_AS_STRING(value),
                          static_cast<size_t>(PyByteArray_GET_SIZE(value)), out, scope);
    }
    case Rule::kTuple: {
      if (!MakeArray(value, out, &scope->exchange)) return false;
      return scope->KeepNative(out->v_obj);
    }
    case Rule::kDict:
      if (!MakeMapping(rt.fn_map, value, out, &scope->exchange)) return false;
      return scope->KeepNative(out->v_obj);
    case Rule::kVoidPtr:
      return ConvertVoidPtr(value, out);
    case Rule::kOpaquePtr: {
      PyRef number(PyObject_CallMethodNoArgs(value, names.tvm_ffi_opaque_ptr));
      return ConvertPointer(number.get(), out);
    }
    case Rule::kHandler: {
      PyRef number(PyObject_CallOneArg(entry->handler, value));
      return ConvertPointer(number.get(), out);
    }
    case Rule::kCallable:
      return KeepObject(MakeCallback(value, nullptr), out, scope);
    case Rule::kNumpyDtype:
      return NumpyDtype(value, &dtype) && SetDtype(dtype, out);
    case Rule::kTorchDtype:
      return TorchDtype(value, &dtype) && SetDtype(dtype, out);
    case Rule::kDLPackDataType:
      return ProtocolDtype(value, &dtype) && SetDtype(dtype, out);
    case Rule::kDLPackDevice:
      return ProtocolDevice(value, &device) && SetDevice(device, out);
    case Rule::kIntProtocol:
      return ConvertIntProtocol(value, out, scope);
    case Rule::kFloatProtocol:
      return ConvertFloatProtocol(value, out);
    case Rule::kValueProtocol:
      return ConvertKept(PyObject_CallMethodNoArgs(value, names.tvm_ffi_value), out, scope);
    case Rule::kException:
      return ConvertException(value, out, scope);
    case Rule::kConvertible:
      return ConvertKept(PyObject_CallMethodNoArgs(value, names.asobject), out, scope);
    case Rule::kOpaque:
    case Rule::kUnknown:
      break;
  }
  return KeepObject(MakeOpaque(value), out, scope);
}

bool ConvertExchange(PyObject* value, const DLPackExchangeAPI* api, TVMFFIAny* out,
                     ArgScope* scope) {
  TVMFFIObject* tensor = TensorFromExchange(value, api);
  if (tensor == nullptr) return false;
  if (scope->exchange == nullptr) scope->exchange = api;
  scope->NoteDevice(TVMFFITensorGetDLTensorPtr(tensor)->device, nullptr);
  SetObject(out, tensor);
  return scope->KeepNative(tensor);
}

bool IsSubclassOfLoaded(PyTypeObject* type, const char* module_name, const char* attribute) {
  PyRef cls = LoadedAttr(module_name, attribute);
  return cls && PyType_Check(cls.get()) &&
         PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(cls.get()));
}

size_t RuleCount() { return table.size(); }

}  // namespace tvm::ffi::detail::python
