// SPDX-License-Identifier: Apache-2.0
// DataType and Device.
#include "value_types.h"

#include <cstring>
#include <string_view>

#include "argument.h"
#include "error.h"
#include "result.h"

namespace tvm::ffi::detail::python {

namespace {

// ---- DataType ----------------------------------------------------------------------------------

PyObject* NewDataType(PyTypeObject* cls, DLDataType dtype) {
  PyObject* self = cls->tp_alloc(cls, 0);
  if (self != nullptr) reinterpret_cast<DataTypePy*>(self)->dtype = dtype;
  return self;
}

DLDataType& Dtype(PyObject* self) { return reinterpret_cast<DataTypePy*>(self)->dtype; }

// Scalable vectors have negative lanes.
int Lanes(DLDataType dtype) { return static_cast<int16_t>(dtype.lanes); }

uint32_t DtypeBits(DLDataType dtype) {
  return dtype.code | static_cast<uint32_t>(dtype.bits) << 8 |
         static_cast<uint32_t>(dtype.lanes) << 16;
}

int DataTypeInit(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"dtype_str", nullptr};
  PyObject* text;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "U:DataType", const_cast<char**>(keywords),
                                   &text)) {
    return -1;
  }
  return DtypeFromText(text, &Dtype(self)) ? 0 : -1;
}

void PlainDealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* DtypeText(DLDataType dtype) {
  if (dtype.code == kDLComplex) {
    // Complex numbers have no text form in the library, but arrays of them exist.
    if (dtype.lanes == 1) return PyUnicode_FromFormat("complex%d", dtype.bits);
    return PyUnicode_FromFormat("complex%dx%d", dtype.bits, dtype.lanes);
  }
  AnyRef text;
  if (TVMFFIDataTypeToString(&dtype, &text) != 0) return RaiseFor(-1);
  if (text->type_index == kTVMFFIStr) return UnicodeFrom(*TVMFFIBytesGetByteArrayPtr(text->v_obj));
  return UnicodeFrom(TVMFFISmallBytesGetContentByteArray(&text));
}

PyObject* DataTypeStr(PyObject* self) { return DtypeText(Dtype(self)); }

Py_hash_t DataTypeHash(PyObject* self) {
  return static_cast<Py_hash_t>(DtypeBits(Dtype(self)) * uint64_t{0x9E3779B1});
}

PyObject* DataTypeCompare(PyObject* self, PyObject* other, int op) {
  if ((op != Py_EQ && op != Py_NE) || !PyObject_TypeCheck(other, rt.data_type)) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  return PyBool_FromLong((DtypeBits(Dtype(self)) == DtypeBits(Dtype(other))) == (op == Py_EQ));
}

PyObject* DataTypeCode(PyObject* self, void*) { return PyLong_FromLong(Dtype(self).code); }
PyObject* DataTypeBits(PyObject* self, void*) { return PyLong_FromLong(Dtype(self).bits); }
PyObject* DataTypeLanes(PyObject* self, void*) { return PyLong_FromLong(Lanes(Dtype(self))); }

PyObject* DataTypeItemsize(PyObject* self, void*) {
  int lanes = Lanes(Dtype(self));
  if (lanes < 0) {
    PyErr_SetString(PyExc_ValueError, "a scalable vector has no fixed itemsize");
    return nullptr;
  }
  return PyLong_FromLong((Dtype(self).bits * lanes + 7) / 8);
}

PyObject* DataTypeReduce(PyObject* self, PyObject*) {
  PyRef module(PyImport_ImportModule("tvm_ffi.core"));
  PyRef make(module ? PyObject_GetAttrString(module.get(), "_create_cdtype_from_tuple") : nullptr);
  if (!make) return nullptr;
  return Py_BuildValue("O(Oiii)", make.get(), Py_TYPE(self), Dtype(self).code, Dtype(self).bits,
                       Lanes(Dtype(self)));
}

PyMethodDef data_type_methods[] = {
    {"__reduce__", DataTypeReduce, METH_NOARGS, "Support for pickle."},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef data_type_getset[] = {
    {"type_code", DataTypeCode, nullptr, "DLPack type code.", nullptr},
    {"bits", DataTypeBits, nullptr, "Bits of one lane.", nullptr},
    {"lanes", DataTypeLanes, nullptr, "Number of lanes, negative for scalable vectors.", nullptr},
    {"itemsize", DataTypeItemsize, nullptr, "Bytes of one element.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot data_type_slots[] = {
    {Py_tp_init, reinterpret_cast<void*>(DataTypeInit)},
    {Py_tp_dealloc, reinterpret_cast<void*>(PlainDealloc)},
    {Py_tp_str, reinterpret_cast<void*>(DataTypeStr)},
    {Py_tp_hash, reinterpret_cast<void*>(DataTypeHash)},
    {Py_tp_richcompare, reinterpret_cast<void*>(DataTypeCompare)},
    {Py_tp_methods, data_type_methods},
    {Py_tp_getset, data_type_getset},
    {Py_tp_doc, const_cast<char*>("DataType(dtype_str)\n--\n\nNative form of a dtype.")},
    {0, nullptr}};
PyType_Spec data_type_spec = {"tvm_ffi.core.DataType", sizeof(DataTypePy), 0,
                              Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, data_type_slots};

// ---- Device ------------------------------------------------------------------------------------

struct DeviceName {
  const char* name;
  int32_t type;
  bool accepted;  // else only printed
};
// The first name of a type is the one that is printed.
constexpr DeviceName kDeviceNames[] = {
    {"cpu", kDLCPU, true},
    {"cuda", kDLCUDA, true},
    {"cuda_host", kDLCUDAHost, false},
    {"opencl", kDLOpenCL, true},
    {"vulkan", kDLVulkan, true},
    {"metal", kDLMetal, true},
    {"mps", kDLMetal, true},
    {"vpi", kDLVPI, true},
    {"rocm", kDLROCM, true},
    {"rocm_host", kDLROCMHost, false},
    {"ext_dev", kDLExtDev, true},
    {"cuda_managed", kDLCUDAManaged, false},
    {"oneapi", kDLOneAPI, false},
    {"webgpu", kDLWebGPU, true},
    {"wgpu", kDLWebGPU, true},
    {"hexagon", kDLHexagon, true},
    {"maia", kDLMAIA, true},
    {"trn", kDLTrn, true},
};

DLDevice& Dev(PyObject* self) { return reinterpret_cast<DevicePy*>(self)->device; }

const char* FindDeviceTypeName(int32_t type) {
  for (const DeviceName& entry : kDeviceNames) {
    if (entry.type == type) return entry.name;
  }
  return nullptr;
}

// NULL with KeyError for a number without a name.
const char* DeviceTypeName(int32_t type) {
  if (const char* name = FindDeviceTypeName(type)) return name;
  PyRef number(PyLong_FromLong(type));
  if (number) PyErr_SetObject(PyExc_KeyError, number.get());
  return nullptr;
}

bool IndexFromObject(PyObject* index, int32_t* out) {
  PyRef number;
  if (PyIndex_Check(index)) {
    number = PyRef(PyNumber_Index(index));
  } else {
    PyRef item(PyObject_CallMethod(index, "item", nullptr));
    if (!item) {
      PyErr_Clear();
    } else if (PyIndex_Check(item.get())) {
      number = PyRef(PyNumber_Index(item.get()));
    }
  }
  if (!number) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "Invalid device index: %S", index);
    return false;
  }
  int overflow = 0;
  long value = PyLong_AsLongAndOverflow(number.get(), &overflow);
  if (overflow != 0 || value > INT32_MAX || value < INT32_MIN) {
    PyErr_Format(PyExc_ValueError, "Invalid device index: %S", index);
    return false;
  }
  *out = static_cast<int32_t>(value);
  return true;
}

// Parses `name[:index]`, ignoring what follows a blank.
bool DeviceFromText(PyObject* object, DLDevice* out, bool* has_index) {
  TVMFFIByteArray bytes;
  if (!Utf8(object, &bytes)) return false;
  std::string_view text(bytes.data, bytes.size);
  text = text.substr(0, text.find(' '));
  size_t colon = text.find(':');
  std::string_view name = text.substr(0, colon);
  *has_index = colon != std::string_view::npos;
  if (*has_index) {
    std::string_view digits = text.substr(colon + 1);
    if (digits.find(':') != std::string_view::npos) {
      PyErr_Format(PyExc_ValueError, "Invalid device: %U", object);
      return false;
    }
    PyRef digits_text(
        PyUnicode_DecodeUTF8(digits.data(), static_cast<Py_ssize_t>(digits.size()), "replace"));
    PyRef number(digits_text ? PyLong_FromUnicodeObject(digits_text.get(), 10) : nullptr);
    int overflow = 0;
    long value = number ? PyLong_AsLongAndOverflow(number.get(), &overflow) : 0;
    if (!number || overflow != 0 || value > INT32_MAX || value < INT32_MIN) {
      PyErr_Clear();
      PyErr_Format(PyExc_ValueError, "Invalid device index: %U", digits_text.get());
      return false;
    }
    out->device_id = static_cast<int32_t>(value);
  }
  for (const DeviceName& entry : kDeviceNames) {
    if (entry.accepted && name == entry.name) {
      out->device_type = static_cast<DLDeviceType>(entry.type);
      return true;
    }
  }
  PyRef name_text(
      PyUnicode_DecodeUTF8(name.data(), static_cast<Py_ssize_t>(name.size()), "replace"));
  if (name_text) PyErr_Format(PyExc_ValueError, "Unknown device: %U", name_text.get());
  return false;
}

int DeviceInit(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"device_type", "index", nullptr};
  PyObject *type, *index = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:Device", const_cast<char**>(keywords), &type,
                                   &index)) {
    return -1;
  }
  DLDevice device{kDLCPU, 0};
  bool has_index = false;
  if (PyUnicode_Check(type)) {
    if (!DeviceFromText(type, &device, &has_index)) return -1;
  } else {
    PyRef number(PyNumber_Index(type));
    if (!number) {
      PyErr_Format(PyExc_TypeError, "a device type is a name or a number, got %s",
                   Py_TYPE(type)->tp_name);
      return -1;
    }
    long value = PyLong_AsLong(number.get());
    if (value == -1 && PyErr_Occurred()) return -1;
    if (value > INT32_MAX || value < INT32_MIN) {
      PyErr_Format(PyExc_ValueError, "Unknown device: %ld", value);
      return -1;
    }
    device.device_type = static_cast<DLDeviceType>(value);
  }
  if (index != Py_None) {
    int32_t given = 0;
    if (!IndexFromObject(index, &given)) return -1;
    if (!has_index) device.device_id = given;
  }
  Dev(self) = device;
  return 0;
}

// A number without a name, as another runtime or Device.__new__ gives it, is shown as it is.
PyObject* DeviceStr(PyObject* self) {
  int type = Dev(self).device_type;
  if (const char* name = FindDeviceTypeName(type)) {
    return PyUnicode_FromFormat("%s:%d", name, Dev(self).device_id);
  }
  return PyUnicode_FromFormat("unknown(%d):%d", type, Dev(self).device_id);
}

PyObject* DeviceRepr(PyObject* self) {
  int type = Dev(self).device_type;
  if (const char* name = FindDeviceTypeName(type)) {
    return PyUnicode_FromFormat("device(type='%s', index=%d)", name, Dev(self).device_id);
  }
  return PyUnicode_FromFormat("device(type=%d, index=%d)", type, Dev(self).device_id);
}

Py_hash_t DeviceHash(PyObject* self) {
  PyRef pair(Py_BuildValue("(ii)", static_cast<int>(Dev(self).device_type), Dev(self).device_id));
  return pair ? PyObject_Hash(pair.get()) : -1;
}

PyObject* DeviceCompare(PyObject* self, PyObject* other, int op) {
  if ((op != Py_EQ && op != Py_NE) || !PyObject_TypeCheck(other, rt.device)) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  bool same = Dev(self).device_type == Dev(other).device_type &&
              Dev(self).device_id == Dev(other).device_id;
  return PyBool_FromLong(same == (op == Py_EQ));
}

PyObject* DeviceType(PyObject* self, void*) {
  const char* name = DeviceTypeName(Dev(self).device_type);
  return name ? PyUnicode_FromString(name) : nullptr;
}
PyObject* DeviceIndex(PyObject* self, void*) { return PyLong_FromLong(Dev(self).device_id); }
PyObject* DeviceTypeMethod(PyObject* self, PyObject*) { return DeviceType(self, nullptr); }
PyObject* DeviceDLPackType(PyObject* self, PyObject*) {
  return PyLong_FromLong(Dev(self).device_type);
}

PyObject* NewDevice(PyTypeObject* cls, DLDevice device) {
  PyObject* self = cls->tp_alloc(cls, 0);
  if (self != nullptr) Dev(self) = device;
  return self;
}

PyObject* DeviceReduce(PyObject* self, PyObject*) {
  PyRef module(PyImport_ImportModule("tvm_ffi.core"));
  PyRef make(module ? PyObject_GetAttrString(module.get(), "_create_device_from_tuple") : nullptr);
  if (!make) return nullptr;
  return Py_BuildValue("O(Oii)", make.get(), Py_TYPE(self), static_cast<int>(Dev(self).device_type),
                       Dev(self).device_id);
}

PyMethodDef device_methods[] = {
    {"dlpack_device_type", DeviceDLPackType, METH_NOARGS, "The DLDeviceType as an int."},
    {"__device_type_name__", DeviceTypeMethod, METH_NOARGS, "Name of the device type."},
    {"__reduce__", DeviceReduce, METH_NOARGS, "Support for pickle."},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef device_getset[] = {
    {"type", DeviceType, nullptr, "Name of the device type, such as \"cuda\".", nullptr},
    {"index", DeviceIndex, nullptr, "Number of the device within its type.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot device_slots[] = {
    {Py_tp_init, reinterpret_cast<void*>(DeviceInit)},
    {Py_tp_dealloc, reinterpret_cast<void*>(PlainDealloc)},
    {Py_tp_str, reinterpret_cast<void*>(DeviceStr)},
    {Py_tp_repr, reinterpret_cast<void*>(DeviceRepr)},
    {Py_tp_hash, reinterpret_cast<void*>(DeviceHash)},
    {Py_tp_richcompare, reinterpret_cast<void*>(DeviceCompare)},
    {Py_tp_methods, device_methods},
    {Py_tp_getset, device_getset},
    {Py_tp_doc, const_cast<char*>("Device(device_type, index=None)\n--\n\n"
                                  "A device: `Device(\"cuda\", 1)`, `Device(\"cuda:1\")`.")},
    {0, nullptr}};
PyType_Spec device_spec = {"tvm_ffi.core.Device", sizeof(DevicePy), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, device_slots};

// ---- module functions --------------------------------------------------------------------------

bool CheckDtypeRange(int code, int bits, int lanes) {
  if (code >= 0 && code <= 255 && bits >= 0 && bits <= 255 && lanes >= INT16_MIN &&
      lanes <= UINT16_MAX) {
    return true;
  }
  PyErr_Format(PyExc_ValueError, "not a data type: code %d, bits %d, lanes %d", code, bits, lanes);
  return false;
}

PyObject* CreateDataType(PyObject*, PyObject* args) {
  PyTypeObject* cls;
  int code, bits, lanes;
  if (!PyArg_ParseTuple(args, "O!iii:_create_cdtype_from_tuple", &PyType_Type, &cls, &code, &bits,
                        &lanes)) {
    return nullptr;
  }
  if (!PyType_IsSubtype(cls, rt.data_type)) {
    PyErr_SetString(PyExc_TypeError, "the class must be DataType or a subclass");
    return nullptr;
  }
  if (!CheckDtypeRange(code, bits, lanes)) return nullptr;
  return NewDataType(
      cls, {static_cast<uint8_t>(code), static_cast<uint8_t>(bits), static_cast<uint16_t>(lanes)});
}

PyObject* CreateDevice(PyObject*, PyObject* args) {
  PyTypeObject* cls;
  int type, index;
  if (!PyArg_ParseTuple(args, "O!ii:_create_device_from_tuple", &PyType_Type, &cls, &type,
                        &index)) {
    return nullptr;
  }
  if (!PyType_IsSubtype(cls, rt.device)) {
    PyErr_SetString(PyExc_TypeError, "the class must be Device or a subclass");
    return nullptr;
  }
  return NewDevice(cls, {static_cast<DLDeviceType>(type), index});
}

PyObject* ConvertNumpyDtype(PyObject*, PyObject* value) {
  DLDataType dtype;
  return NumpyDtype(value, &dtype) ? NewDataType(rt.data_type, dtype) : nullptr;
}

PyObject* ConvertTorchDtype(PyObject*, PyObject* value) {
  DLDataType dtype;
  return TorchDtype(value, &dtype) ? NewDataType(rt.data_type, dtype) : nullptr;
}

// Stores a class in a slot of the runtime and in the module attribute of the same meaning.
PyObject* SetSlot(PyObject* module, PyObject* cls, PyObject** slot, const char* attribute,
                  PyTypeObject* base) {
  if (!PyType_Check(cls) ||
      (base && !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(cls), base))) {
    return PyErr_Format(PyExc_TypeError, "expected a class%s%s, got %R", base ? " below " : "",
                        base ? base->tp_name : "", cls);
  }
  Py_XSETREF(*slot, Py_NewRef(cls));
  if (PyObject_SetAttrString(module, attribute, cls) < 0) return nullptr;
  Py_RETURN_NONE;
}

PyObject* SetClassDevice(PyObject* module, PyObject* cls) {
  return SetSlot(module, cls, &rt.class_device, "_CLASS_DEVICE", rt.device);
}
PyObject* SetClassDtype(PyObject* module, PyObject* cls) {
  PyDict_Clear(rt.dtype_cache);
  return SetSlot(module, cls, &rt.class_dtype, "_CLASS_DTYPE", &PyUnicode_Type);
}
PyObject* SetClassTensor(PyObject* module, PyObject* cls) {
  return SetSlot(module, cls, &rt.class_tensor, "_CLASS_TENSOR", rt.tensor);
}
PyObject* SetClassObject(PyObject* module, PyObject* cls) {
  return SetSlot(module, cls, &rt.class_object, "_CLASS_OBJECT", rt.object_base);
}

PyMethodDef module_functions[] = {
    {"_create_cdtype_from_tuple", CreateDataType, METH_VARARGS,
     "_create_cdtype_from_tuple(cls, code, bits, lanes)"},
    {"_create_device_from_tuple", CreateDevice, METH_VARARGS,
     "_create_device_from_tuple(cls, device_type, device_id)"},
    {"_convert_numpy_dtype_to_ffi_dtype", ConvertNumpyDtype, METH_O, "DataType of a numpy.dtype."},
    {"_convert_torch_dtype_to_ffi_dtype", ConvertTorchDtype, METH_O, "DataType of a torch.dtype."},
    {"_set_class_device", SetClassDevice, METH_O, "Sets the class of returned devices."},
    {"_set_class_dtype", SetClassDtype, METH_O, "Sets the class of returned data types."},
    {"_set_class_tensor", SetClassTensor, METH_O, "Sets the class of returned tensors."},
    {"_set_class_object", SetClassObject, METH_O, "Sets the class of plain objects."},
    {nullptr, nullptr, 0, nullptr}};

bool TwoInts(PyObject* pair, int* first, int* second) {
  if (pair == nullptr) return false;
  PyRef items(PySequence_Tuple(pair));
  return items && PyArg_ParseTuple(items.get(), "ii", first, second);
}

}  // namespace

bool DtypeFromText(PyObject* text, DLDataType* out) {
  TVMFFIByteArray bytes;
  if (!Utf8(text, &bytes)) return false;
  std::string_view name(bytes.data, bytes.size);
  if (name == "complex64" || name == "complex128") {
    *out = {kDLComplex, static_cast<uint8_t>(name == "complex64" ? 64 : 128), 1};
    return true;
  }
  if (int code = TVMFFIDataTypeFromString(&bytes, out)) {
    RaiseFor(code);
    return false;
  }
  return true;
}

bool DtypeOf(PyObject* value, DLDataType* out) {
  if (PyObject_TypeCheck(value, rt.data_type)) {
    *out = Dtype(value);
    return true;
  }
  PyRef native(PyObject_GetAttr(value, names.tvm_ffi_dtype));
  if (!native) return false;
  if (!PyObject_TypeCheck(native.get(), rt.data_type)) {
    PyErr_SetString(PyExc_TypeError, "_tvm_ffi_dtype must be a DataType");
    return false;
  }
  *out = Dtype(native.get());
  return true;
}

bool TorchDtype(PyObject* value, DLDataType* out) {
  PyRef text(PyObject_Str(value));  // "torch.float32"
  TVMFFIByteArray bytes;
  if (!text || !Utf8(text.get(), &bytes)) return false;
  std::string_view name(bytes.data, bytes.size);
  if (size_t dot = name.rfind('.'); dot != std::string_view::npos) name = name.substr(dot + 1);
  if (name.substr(0, 7) != "complex" && name.substr(0, 1) != "q") {
    TVMFFIByteArray view{name.data(), name.size()};
    if (TVMFFIDataTypeFromString(&view, out) == 0) return true;
    TVMFFIObjectHandle error = nullptr;
    TVMFFIErrorMoveFromRaised(&error);
    DecRefNative(static_cast<TVMFFIObject*>(error));
  } else if (name == "complex64" || name == "complex128") {
    *out = {kDLComplex, static_cast<uint8_t>(name == "complex64" ? 64 : 128), 1};
    return true;
  }
  PyErr_Format(PyExc_ValueError, "Unsupported torch dtype: %U", text.get());
  return false;
}

bool ProtocolDtype(PyObject* value, DLDataType* out) {
  PyRef result(PyObject_CallMethodNoArgs(value, names.dlpack_data_type));
  PyRef items(result ? PySequence_Tuple(result.get()) : nullptr);
  int code, bits, lanes;
  if (!items || !PyArg_ParseTuple(items.get(), "iii", &code, &bits, &lanes)) return false;
  if (!CheckDtypeRange(code, bits, lanes)) return false;
  *out = {static_cast<uint8_t>(code), static_cast<uint8_t>(bits), static_cast<uint16_t>(lanes)};
  return true;
}

bool DeviceOf(PyObject* value, DLDevice* out) {
  if (PyObject_TypeCheck(value, rt.device)) {
    *out = Dev(value);
    return true;
  }
  PyErr_Format(PyExc_TypeError, "expected a Device, got %s", Py_TYPE(value)->tp_name);
  return false;
}

bool ProtocolDevice(PyObject* value, DLDevice* out) {
  PyRef pair(PyObject_CallMethodNoArgs(value, names.dlpack_device));
  int type, index;
  if (!TwoInts(pair.get(), &type, &index)) return false;
  *out = {static_cast<DLDeviceType>(type), index};
  return true;
}

PyObject* MakeDevice(DLDevice device) {
  auto* cls = reinterpret_cast<PyTypeObject*>(rt.class_device);
  return NewDevice(cls ? cls : rt.device, device);
}

PyObject* MakeDtype(DLDataType dtype) {
  PyRef key(PyLong_FromUnsignedLong(DtypeBits(dtype)));
  if (!key) return nullptr;
  PyRef known = DictGet(rt.dtype_cache, key.get());
  if (known) return known.release();
  if (PyErr_Occurred()) return nullptr;
  PyRef native(NewDataType(rt.data_type, dtype));
  if (!native || rt.class_dtype == nullptr) return native.release();
  PyRef text(DtypeText(dtype));
  PyRef args(text ? PyTuple_Pack(1, text.get()) : nullptr);
  if (!args) return nullptr;
  // str.__new__: dtype.__new__ would parse the text again.
  PyRef value(
      PyUnicode_Type.tp_new(reinterpret_cast<PyTypeObject*>(rt.class_dtype), args.get(), nullptr));
  if (!value || PyObject_SetAttr(value.get(), names.tvm_ffi_dtype, native.get()) < 0 ||
      PyDict_SetItem(rt.dtype_cache, key.get(), value.get()) < 0) {
    return nullptr;
  }
  return value.release();
}

bool InitValueTypes(PyObject* module) {
  rt.dtype_cache = PyDict_New();
  return rt.dtype_cache != nullptr && MakeType(module, &data_type_spec, nullptr, &rt.data_type) &&
         MakeType(module, &device_spec, nullptr, &rt.device) &&
         PyModule_AddFunctions(module, module_functions) == 0;
}

}  // namespace tvm::ffi::detail::python
