// SPDX-License-Identifier: Apache-2.0
// numpy arrays as tensors, without importing numpy and without its headers.
//
// The head of PyArrayObject has been the same in numpy 1 and 2. It is read directly, which is an
// order of magnitude faster than the buffer or capsule protocols and accepts what those refuse:
// read-only arrays and the types of ml_dtypes. The layout is checked once against what numpy itself
// says about an array; if it ever differs, arrays take the capsule protocol.
#include <tvm/ffi/extra/read_only.h>

#include <atomic>
#include <cstring>

#include "aliased_tensor.h"
#include "argument.h"
#include "tensor.h"

namespace tvm::ffi::detail::python {

namespace {

struct NumpyDescr {
  PyObject_HEAD PyTypeObject* typeobj;
  char kind;
  char type;
  char byteorder;
  char flags;
  int type_num;
};

struct NumpyArray {
  PyObject_HEAD char* data;
  int nd;
  Py_ssize_t* dimensions;
  Py_ssize_t* strides;  // bytes
  PyObject* base;
  NumpyDescr* descr;
  int flags;
};

constexpr int kWriteable = 0x0400;

struct NumpyTypes {
  PyTypeObject* array = nullptr;
  PyTypeObject* masked = nullptr;
  PyTypeObject* dtype = nullptr;
  PyTypeObject* generic = nullptr;  // base of all scalars
  PyTypeObject* boolean = nullptr;
  PyTypeObject* timedelta = nullptr;
  bool layout_ok = false;
};

bool LayoutAgrees(PyObject* module) {
  PyRef array(PyObject_CallMethod(module, "zeros", "(iii)s", 2, 3, 4, "int16"));
  PyRef strides(array ? PyObject_GetAttrString(array.get(), "strides") : nullptr);
  PyRef interface(array ? PyObject_GetAttrString(array.get(), "__array_interface__") : nullptr);
  PyObject* data = interface ? PyDict_GetItemString(interface.get(), "data") : nullptr;
  if (!strides || data == nullptr || !PyTuple_Check(data)) return false;
  auto* raw = reinterpret_cast<NumpyArray*>(array.get());
  if (raw->nd != 3 || raw->data != PyLong_AsVoidPtr(PyTuple_GET_ITEM(data, 0))) return false;
  for (Py_ssize_t i = 0; i < 3; ++i) {
    if (raw->dimensions[i] != i + 2) return false;
    if (raw->strides[i] != PyLong_AsSsize_t(PyTuple_GET_ITEM(strides.get(), i))) return false;
  }
  return raw->descr->type_num == 3 && raw->descr->kind == 'i' && (raw->flags & kWriteable) != 0;
}

// Reads the classes of an imported numpy. False without an exception when they can't be had.
bool ReadNumpyTypes(PyObject* module, NumpyTypes* types) {
  auto cls = [module](const char* name) -> PyTypeObject* {
    PyRef found(PyObject_GetAttrString(module, name));
    if (found && PyType_Check(found.get())) {
      return reinterpret_cast<PyTypeObject*>(found.release());
    }
    PyErr_Clear();
    return nullptr;
  };
  types->array = cls("ndarray");
  types->dtype = cls("dtype");
  types->generic = cls("generic");
  types->boolean = cls("bool_");
  types->timedelta = cls("timedelta64");
  types->layout_ok = types->array && types->dtype && LayoutAgrees(module);
  PyErr_Clear();
  return types->array != nullptr && types->dtype != nullptr;
}

// The classes of numpy once it has been imported by somebody, else NULL.
const NumpyTypes* LoadedNumpy() {
  static std::atomic<const NumpyTypes*> loaded{nullptr};
  if (const NumpyTypes* types = loaded.load(std::memory_order_acquire)) return types;
  PyObject* module = PyDict_GetItemString(PyImport_GetModuleDict(), "numpy");
  if (module == nullptr || !PyObject_HasAttrString(module, "ndarray")) return nullptr;
  auto* types = new NumpyTypes;
  const NumpyTypes* expected = nullptr;
  // Another thread may be as quick; the classes are the same and are kept for ever.
  if (!ReadNumpyTypes(module, types) ||
      !loaded.compare_exchange_strong(expected, types, std::memory_order_acq_rel)) {
    delete types;
    return expected;
  }
  return types;
}

bool IsMasked(PyTypeObject* type) {
  for (; type != nullptr; type = type->tp_base) {
    if (std::strstr(type->tp_name, "MaskedArray") != nullptr) return true;
  }
  return false;
}

struct NamedDtype {
  const char* name;
  DLDataType dtype;
  bool packed;  // numpy stores one value per byte although it has fewer bits
};
constexpr NamedDtype kExtensionDtypes[] = {
    {"bfloat16", {kDLBfloat, 16, 1}, false},
    {"float8_e3m4", {kDLFloat8_e3m4, 8, 1}, false},
    {"float8_e4m3", {kDLFloat8_e4m3, 8, 1}, false},
    {"float8_e4m3b11fnuz", {kDLFloat8_e4m3b11fnuz, 8, 1}, false},
    {"float8_e4m3fn", {kDLFloat8_e4m3fn, 8, 1}, false},
    {"float8_e4m3fnuz", {kDLFloat8_e4m3fnuz, 8, 1}, false},
    {"float8_e5m2", {kDLFloat8_e5m2, 8, 1}, false},
    {"float8_e5m2fnuz", {kDLFloat8_e5m2fnuz, 8, 1}, false},
    {"float8_e8m0fnu", {kDLFloat8_e8m0fnu, 8, 1}, false},
    {"float6_e2m3fn", {kDLFloat6_e2m3fn, 6, 1}, true},
    {"float6_e3m2fn", {kDLFloat6_e3m2fn, 6, 1}, true},
    {"float4_e2m1fn", {kDLFloat4_e2m1fn, 4, 1}, true},
    {"int4", {kDLInt, 4, 1}, true},
    {"uint4", {kDLUInt, 4, 1}, true},
    {"int2", {kDLInt, 2, 1}, true},
    {"uint2", {kDLUInt, 2, 1}, true},
};

// The entry of a scalar class, such as that of `ml_dtypes.bfloat16`; NULL when there is none.
const NamedDtype* ExtensionDtype(const char* class_name) {
  const char* dot = std::strrchr(class_name, '.');
  const char* name = dot ? dot + 1 : class_name;
  for (const NamedDtype& entry : kExtensionDtypes) {
    if (std::strcmp(name, entry.name) == 0) return &entry;
  }
  return nullptr;
}

// Element type of a descriptor; false (no exception) when DLPack has none.
bool DescrDtype(const NumpyDescr* descr, DLDataType* out, bool* packed) {
  *packed = false;
  switch (descr->type_num) {
    case 0:
      *out = {kDLBool, 8, 1};
      return true;
    case 1:
      *out = {kDLInt, 8, 1};
      return true;
    case 2:
      *out = {kDLUInt, 8, 1};
      return true;
    case 3:
      *out = {kDLInt, 16, 1};
      return true;
    case 4:
      *out = {kDLUInt, 16, 1};
      return true;
    case 5:
      *out = {kDLInt, 8 * sizeof(int), 1};
      return true;
    case 6:
      *out = {kDLUInt, 8 * sizeof(int), 1};
      return true;
    case 7:
      *out = {kDLInt, 8 * sizeof(long), 1};
      return true;
    case 8:
      *out = {kDLUInt, 8 * sizeof(long), 1};
      return true;
    case 9:
      *out = {kDLInt, 64, 1};
      return true;
    case 10:
      *out = {kDLUInt, 64, 1};
      return true;
    case 11:
      *out = {kDLFloat, 32, 1};
      return true;
    case 12:
      *out = {kDLFloat, 64, 1};
      return true;
    case 14:
      *out = {kDLComplex, 64, 1};
      return true;
    case 15:
      *out = {kDLComplex, 128, 1};
      return true;
    case 23:
      *out = {kDLFloat, 16, 1};
      return true;
    default:
      break;
  }
  const NamedDtype* named =
      descr->type_num < 256 ? nullptr : ExtensionDtype(descr->typeobj->tp_name);
  if (named == nullptr) return false;
  *out = named->dtype;
  *packed = named->packed;
  return true;
}

bool RefuseDtype(PyObject* descr, const char* advice) {
  PyErr_Format(PyExc_BufferError, "an array of dtype %S can't be a tensor: %s", descr, advice);
  return false;
}

// Checks the element type of an array. False with an exception.
bool ArrayDtype(const NumpyArray* array, DLDataType* out, Py_ssize_t* itemsize) {
  auto* descr = reinterpret_cast<PyObject*>(array->descr);
  bool packed = false;
  if (!DescrDtype(array->descr, out, &packed)) {
    return RefuseDtype(descr, "convert it to a number type with .astype(...)");
  }
  if (array->descr->byteorder == (PY_LITTLE_ENDIAN ? '>' : '<')) {
    return RefuseDtype(descr, "its bytes are swapped; use .astype(a.dtype.newbyteorder('='))");
  }
  if (packed) {
    return RefuseDtype(
        descr,
        "numpy keeps one value per byte, tensors pack them; pack the values and pass "
        "them as uint8");
  }
  *itemsize = out->bits / 8;
  return true;
}

AliasedTensor* FromArray(PyObject* object) {
  auto* array = reinterpret_cast<NumpyArray*>(object);
  DLDataType dtype;
  Py_ssize_t itemsize = 1;
  if (!ArrayDtype(array, &dtype, &itemsize)) return nullptr;
  auto ndim = static_cast<size_t>(array->nd);
  AliasedTensor* tensor = NewAliasedTensor(object, array->data, {kDLCPU, 0}, dtype, array->nd);
  if (tensor == nullptr) return nullptr;
  int64_t* shape = tensor->extents;
  int64_t* strides = shape + ndim;
  bool empty = false;
  for (size_t i = 0; i < ndim; ++i) {
    shape[i] = array->dimensions[i];
    empty = empty || shape[i] == 0;
  }
  int64_t compact = 1;
  for (size_t i = ndim; i-- > 0;) {
    if (empty || shape[i] == 1) {
      // The step is never taken, and numpy may hold anything there.
      strides[i] = compact;
    } else if (array->strides[i] % itemsize != 0) {
      ReleaseAliasedTensor(tensor);
      PyErr_SetString(PyExc_BufferError,
                      "the strides of the array are no multiple of its item size (a field of a "
                      "structured array?); pass numpy.ascontiguousarray(a)");
      return nullptr;
    } else {
      strides[i] = array->strides[i] / itemsize;
    }
    compact *= shape[i] == 0 ? 1 : shape[i];
  }
  if ((array->flags & kWriteable) == 0) tensor->header.__padding = TVM_FFI_TENSOR_READ_ONLY_BIT;
  return tensor;
}

}  // namespace

bool IsNumpyArray(PyTypeObject* type) {
  const NumpyTypes* numpy = LoadedNumpy();
  return numpy != nullptr && numpy->layout_ok &&
         (type == numpy->array || (PyType_IsSubtype(type, numpy->array) && !IsMasked(type)));
}

bool IsNumpyDtype(PyTypeObject* type) {
  const NumpyTypes* numpy = LoadedNumpy();
  return numpy != nullptr && PyType_IsSubtype(type, numpy->dtype);
}

NumpyScalar NumpyScalarOf(PyTypeObject* type) {
  const NumpyTypes* numpy = LoadedNumpy();
  auto is = [type](PyTypeObject* base) { return base && PyType_IsSubtype(type, base); };
  if (numpy == nullptr) return NumpyScalar::kOther;
  if (is(numpy->boolean)) return NumpyScalar::kBool;
  if (is(numpy->timedelta)) return NumpyScalar::kTime;
  const NamedDtype* named = is(numpy->generic) ? ExtensionDtype(type->tp_name) : nullptr;
  if (named == nullptr) return NumpyScalar::kOther;
  bool integral = named->dtype.code == kDLInt || named->dtype.code == kDLUInt;
  return integral ? NumpyScalar::kInt : NumpyScalar::kFloat;
}

TVMFFIObject* TensorFromNumpy(PyObject* array) {
  AliasedTensor* tensor = FromArray(array);
  return tensor ? &tensor->header : nullptr;
}

bool ConvertNumpyArray(PyObject* array, TVMFFIAny* out, ArgScope* scope) {
  AliasedTensor* tensor = FromArray(array);
  if (tensor == nullptr) return false;
  SetObject(out, &tensor->header);
  return scope->KeepAliased(tensor);
}

bool NumpyDtype(PyObject* value, DLDataType* out) {
  bool packed = false;
  auto* descr = reinterpret_cast<NumpyDescr*>(value);
  if (IsNumpyDtype(Py_TYPE(value)) && descr->byteorder != (PY_LITTLE_ENDIAN ? '>' : '<') &&
      descr->type_num != 0 && DescrDtype(descr, out, &packed)) {
    return true;
  }
  PyRef args(Py_BuildValue("(sO)", "Unsupported numpy or ml_dtypes dtype: ", value));
  if (args) PyErr_SetObject(PyExc_ValueError, args.get());
  return false;
}

bool IsReadOnlyTensor(const TVMFFIObject* tensor) {
  return (tensor->__padding & TVM_FFI_TENSOR_READ_ONLY_BIT) != 0;
}

}  // namespace tvm::ffi::detail::python
