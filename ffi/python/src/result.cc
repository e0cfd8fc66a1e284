// SPDX-License-Identifier: Apache-2.0
// FFI value -> Python value, beyond the plain ones that result.h does inline.
#include "result.h"

#include "argument.h"
#include "error.h"
#include "function.h"
#include "tensor.h"
#include "value_types.h"

namespace tvm::ffi::detail::python {

namespace {

PyObject* BigIntResult(const TVMFFIAny& value) {
  TVMFFIByteArray words = TVMFFIBigIntGetContentByteArray(&value);
  PyRef bytes(PyBytes_FromStringAndSize(words.data, static_cast<Py_ssize_t>(words.size)));
  PyRef from_bytes(PyObject_GetAttr(reinterpret_cast<PyObject*>(&PyLong_Type), names.from_bytes));
  PyRef keywords(Py_BuildValue("{s:O}", "signed", Py_True));
  PyRef args(bytes ? Py_BuildValue("(Os)", bytes.get(), PY_LITTLE_ENDIAN ? "little" : "big")
                   : nullptr);
  if (!from_bytes || !keywords || !args) return nullptr;
  return PyObject_Call(from_bytes.get(), args.get(), keywords.get());
}

PyObject* ObjectResult(TVMFFIObject* owned, const DLPackExchangeAPI* exchange) {
  switch (owned->type_index) {
    case kTVMFFIStr:
      return MakeString(owned);
    case kTVMFFIBytes:
      return MakeBytes(owned);
    case kTVMFFITensor:
      return MakeTensor(owned, exchange);
    case kTVMFFIOpaquePyObject: {
      auto* value = static_cast<PyObject*>(TVMFFIOpaqueObjectGetCellPtr(owned)->handle);
      Py_XINCREF(value);
      DecRefNative(owned);
      if (value == nullptr) PyErr_SetString(PyExc_ValueError, "the opaque object is empty");
      return value;
    }
    case kTVMFFIArray:
    case kTVMFFIList:
    case kTVMFFIMap:
    case kTVMFFIDict: {
      PyObject* self = WrapObject(owned);
      if (self != nullptr && exchange != nullptr && PyObject_TypeCheck(self, rt.container_base)) {
        reinterpret_cast<ContainerPy*>(self)->exchange = exchange;
      }
      return self;
    }
    case kTVMFFIBigInt: {
      TVMFFIAny value;
      SetObject(&value, owned);
      PyObject* result = BigIntResult(value);
      DecRefNative(owned);
      return result;
    }
    default:
      return WrapObject(owned);
  }
}

PyObject* SmallText(const TVMFFIAny* value) {
  size_t size = value->small_str_len;
  uint64_t bytes = value->v_uint64;
  // Single characters are left to the decoder, which has shared objects for them.
  if (size < 2 || (bytes & 0x8080808080808080u) != 0) {
    return PyUnicode_DecodeUTF8(value->v_bytes, static_cast<Py_ssize_t>(size), nullptr);
  }
  PyObject* text = PyUnicode_New(static_cast<Py_ssize_t>(size), 127);
  if (text == nullptr) return nullptr;
  auto* data = reinterpret_cast<char*>(PyUnicode_1BYTE_DATA(text));
#if PY_LITTLE_ENDIAN
  // Two stores that may overlap, instead of a copy of unknown length.
  if (size >= 4) {
    auto low = static_cast<uint32_t>(bytes), high = static_cast<uint32_t>(bytes >> 8 * (size - 4));
    std::memcpy(data, &low, 4);
    std::memcpy(data + size - 4, &high, 4);
  } else {
    auto low = static_cast<uint16_t>(bytes), high = static_cast<uint16_t>(bytes >> 8 * (size - 2));
    std::memcpy(data, &low, 2);
    std::memcpy(data + size - 2, &high, 2);
  }
#else
  std::memcpy(data, value->v_bytes, size);
#endif
  return text;
}

PyObject* Unsupported(int32_t type_index) {
  const char* name = type_index == kTVMFFIRawStr            ? "const char*"
                     : type_index == kTVMFFIByteArrayPtr    ? "TVMFFIByteArray*"
                     : type_index == kTVMFFIObjectRValueRef ? "ObjectRValueRef"
                                                            : nullptr;
  if (name != nullptr) {
    return PyErr_Format(PyExc_ValueError,
                        "a `%s` can't be a result: nothing owns what it points to", name);
  }
  return PyErr_Format(PyExc_ValueError, "a value of type index %d can't be returned to Python",
                      type_index);
}

}  // namespace

PyObject* MakeCVoidP(void* ptr) {
  static Lazy lazy_cls;
  PyObject* cls = lazy_cls.Get([] {
    PyRef module(PyImport_ImportModule("ctypes"));
    return module ? PyObject_GetAttrString(module.get(), "c_void_p") : nullptr;
  });
  if (cls == nullptr) return nullptr;
  PyRef address(ptr ? PyLong_FromVoidPtr(ptr) : Py_NewRef(Py_None));
  return address ? PyObject_CallOneArg(cls, address.get()) : nullptr;
}

PyObject* ResultSlow(const TVMFFIAny* value, const DLPackExchangeAPI* exchange) {
  switch (value->type_index) {
    case kTVMFFINone:
      Py_RETURN_NONE;
    case kTVMFFIInt:
      return PyLong_FromLongLong(value->v_int64);
    case kTVMFFIBool:
      return PyBool_FromLong(value->v_int64 != 0);
    case kTVMFFIFloat:
      return PyFloat_FromDouble(value->v_float64);
    case kTVMFFISmallStr:
      return SmallText(value);
    case kTVMFFISmallBytes:
      return PyBytes_FromStringAndSize(value->v_bytes, value->small_str_len);
    case kTVMFFIOpaquePtr:
      return MakeCVoidP(value->v_ptr);
    case kTVMFFIDataType:
      return MakeDtype(value->v_dtype);
    case kTVMFFIDevice:
      return MakeDevice(value->v_device);
    case kTVMFFIDLTensorPtr:
      return MakeTensorView(static_cast<DLTensor*>(value->v_ptr));
    default:
      break;
  }
  if (value->type_index >= kTVMFFIStaticObjectBegin) return ObjectResult(value->v_obj, exchange);
  return Unsupported(value->type_index);
}

PyObject* ResultOfView(const TVMFFIAny& view, const DLPackExchangeAPI* exchange) {
  if (view.type_index >= kTVMFFIStaticObjectBegin) {
    IncRefNative(view.v_obj);
    return ObjectResult(view.v_obj, exchange);
  }
  switch (view.type_index) {
    case kTVMFFIRawStr:
      return PyUnicode_FromString(view.v_c_str);
    case kTVMFFIByteArrayPtr: {
      auto* content = static_cast<const TVMFFIByteArray*>(view.v_ptr);
      return PyBytes_FromStringAndSize(content->data, static_cast<Py_ssize_t>(content->size));
    }
    case kTVMFFIObjectRValueRef: {
      auto* slot = static_cast<TVMFFIObject**>(view.v_ptr);
      if (*slot == nullptr) {
        PyErr_SetString(PyExc_ValueError, "RValueRef already moved");
        return nullptr;
      }
      return ObjectResult(std::exchange(*slot, nullptr), exchange);
    }
    default:
      return Result(view, exchange);
  }
}

}  // namespace tvm::ffi::detail::python
