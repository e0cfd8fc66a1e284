// SPDX-License-Identifier: Apache-2.0
// Python value -> FFI value.
#ifndef TVM_FFI_PYTHON_ARGUMENT_H_
#define TVM_FFI_PYTHON_ARGUMENT_H_

#include <algorithm>
#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "object.h"

namespace tvm::ffi::detail::python {

struct AliasedTensor;

// Keeps what converted arguments borrow alive until the call is over. Runs under the GIL. Every
// call makes one, so only the members that say what is in use are initialised.
class ArgScope {
 public:
  ArgScope() {}
  ArgScope(const ArgScope&) = delete;
  ArgScope& operator=(const ArgScope&) = delete;
  ~ArgScope() {
    if ((count_ | static_cast<uint32_t>(env_changed_)) != 0) [[unlikely]]
      Release();
  }

  // Each takes over a reference; on false (no memory) it has been released and an exception is set.
  bool KeepNative(TVMFFIObject* owned) { return Keep(reinterpret_cast<uintptr_t>(owned)); }
  bool KeepPython(PyObject* owned) { return Keep(reinterpret_cast<uintptr_t>(owned) | kPython); }
  bool KeepAliased(AliasedTensor* owned) {
    return Keep(reinterpret_cast<uintptr_t>(owned) | kAliased);
  }
  // The object of a wrapper, taken out for a callee that may keep it: a value that refers to it.
  // The wrapper gets back what the callee leaves. False with an exception.
  bool Move(PyObject* wrapper, TVMFFIAny* out);

  // Table of the first framework tensor among the arguments; NULL when there was none.
  const DLPackExchangeAPI* exchange = nullptr;

  // Records the device of a tensor argument; the first one that is not the CPU decides.
  void NoteDevice(DLDevice device, void* stream) {
    if (device_type_ == 0 && device.device_type != kDLCPU) {
      device_type_ = device.device_type;
      device_id_ = device.device_id;
      stream_ = stream;
    }
  }
  bool has_device() const { return device_type_ != 0; }
  void SetStream(void* stream) { stream_ = stream; }

  // Installs stream and allocator of the arguments for the call. False with an exception.
  bool EnterEnvironment() {
    return (exchange == nullptr && device_type_ == 0) || InstallEnvironment();
  }

 private:
  bool Keep(uintptr_t item) {
    if (count_ < kInline) [[likely]] {
      inline_[count_++] = item;
      return true;
    }
    return KeepMore(item);
  }
  bool KeepMore(uintptr_t item);
  bool InstallEnvironment();
  void Release();
  static void Drop(uintptr_t item);

  // Kinds of references, told in the low bits of the address. Native objects have none.
  static constexpr uintptr_t kPython = 1, kAliased = 2, kMoved = 3, kKinds = 3;
  static constexpr uint32_t kInline = 8;
  uint32_t count_ = 0;
  int32_t device_type_ = 0;  // 0: none
  bool env_changed_ = false;
  // Valid with a device:
  int32_t device_id_;
  void* stream_;
  // Valid when env_changed_:
  bool stream_set_;
  bool allocator_set_;
  void* old_stream_;
  DLPackManagedTensorAllocator old_allocator_;
  // Valid when count_ > kInline:
  uint32_t capacity_;
  uintptr_t* more_;
  uintptr_t inline_[kInline];
};

// Converts any value by the rules of its class. `*out` is a view that lives as long as `scope`.
// False with an exception.
bool ConvertSlow(PyObject* value, TVMFFIAny* out, ArgScope* scope);

// str -> small string or ffi.String that the caller owns. False with an exception.
bool ConvertOwnedStr(PyObject* value, TVMFFIAny* out);
// str -> small string or kept ffi.String. False with an exception.
bool ConvertStr(PyObject* value, TVMFFIAny* out, ArgScope* scope);
bool ConvertBytes(const char* data, size_t size, TVMFFIAny* out, ArgScope* scope);
bool ConvertBigInt(PyObject* value, TVMFFIAny* out, ArgScope* scope);

// Writes a whole value at once. A callee that copies it reads 16 bytes, which a processor takes
// from its store buffer only when one store wrote them all.
inline void SetValue(TVMFFIAny* out, int32_t type_index, uint32_t padding, uint64_t payload) {
  struct Words {
    uint64_t head, payload;
  };
  static_assert(sizeof(Words) == sizeof(TVMFFIAny));
#if PY_LITTLE_ENDIAN
  Words words{static_cast<uint32_t>(type_index) | static_cast<uint64_t>(padding) << 32, payload};
#else
  Words words{static_cast<uint64_t>(static_cast<uint32_t>(type_index)) << 32 | padding, payload};
#endif
#if defined(__SSE2__)
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out),
                   _mm_unpacklo_epi64(_mm_cvtsi64_si128(static_cast<int64_t>(words.head)),
                                      _mm_cvtsi64_si128(static_cast<int64_t>(words.payload))));
#else
  std::memcpy(out, &words, sizeof(words));
#endif
}

inline void SetNone(TVMFFIAny* out) { *out = TVMFFIAny{}; }

inline void SetInt(TVMFFIAny* out, int64_t value) {
  SetValue(out, kTVMFFIInt, 0, static_cast<uint64_t>(value));
}

inline void SetBool(TVMFFIAny* out, bool value) { SetValue(out, kTVMFFIBool, 0, value); }

inline void SetFloat(TVMFFIAny* out, double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  SetValue(out, kTVMFFIFloat, 0, bits);
}

inline void SetPtr(TVMFFIAny* out, void* value) {
  SetValue(out, kTVMFFIOpaquePtr, 0, reinterpret_cast<uintptr_t>(value));
}

inline void SetObject(TVMFFIAny* out, TVMFFIObject* borrowed) {
  SetValue(out, borrowed->type_index, 0, reinterpret_cast<uintptr_t>(borrowed));
}

inline bool SmallStr(int32_t type_index, const char* data, size_t size, TVMFFIAny* out) {
  if (size > 7) return false;
#if PY_LITTLE_ENDIAN
  // Two loads that may overlap, instead of a copy of unknown length.
  uint64_t bytes = 0;
  if (size >= 4) {
    uint32_t low, high;
    std::memcpy(&low, data, 4);
    std::memcpy(&high, data + size - 4, 4);
    bytes = low | static_cast<uint64_t>(high) << (8 * (size - 4));
  } else if (size != 0) {
    auto byte = [data](size_t i) {
      return static_cast<uint64_t>(static_cast<unsigned char>(data[i])) << (8 * i);
    };
    bytes = byte(0) | byte(size / 2) | byte(size - 1);
  }
  SetValue(out, type_index, static_cast<uint32_t>(size), bytes);
#else
  SetValue(out, type_index, static_cast<uint32_t>(size), 0);
  std::copy(data, data + size, out->v_bytes);
#endif
  return true;
}

// Value of an int of one digit, the usual case; false for a longer one.
inline bool OneDigit(PyObject* number, int64_t* out) {
#if PY_VERSION_HEX < 0x030C0000
  Py_ssize_t digits = Py_SIZE(number);
  if (digits < -1 || digits > 1) return false;
  *out = digits * static_cast<int64_t>(reinterpret_cast<PyLongObject*>(number)->ob_digit[0]);
  return true;
#else
  auto* integer = reinterpret_cast<PyLongObject*>(number);
  if (!PyUnstable_Long_IsCompact(integer)) return false;
  *out = PyUnstable_Long_CompactValue(integer);
  return true;
#endif
}

// Characters of a str that keeps them as ASCII behind its header, the usual case, else NULL.
inline const char* CompactAscii(PyObject* text) {
  auto* header = reinterpret_cast<PyASCIIObject*>(text);
  if (!header->state.compact || !header->state.ascii) return nullptr;
  return reinterpret_cast<const char*>(header + 1);
}

// Converts an argument of the classes that calls see most, if nothing has to be kept alive for it.
// False, without an exception, for every other.
inline bool ConvertPlain(PyObject* value, TVMFFIAny* out) {
  PyTypeObject* type = Py_TYPE(value);
  if (type == &PyLong_Type) {
    int64_t number;
    if (!OneDigit(value, &number)) [[unlikely]] {
      int overflow = 0;
      number = PyLong_AsLongLongAndOverflow(value, &overflow);
      if (overflow != 0) return false;
    }
    SetInt(out, number);
    return true;
  }
  if (type == rt.tensor) {
    TVMFFIObject* handle = AsObject(value)->handle;
    if (handle == nullptr) [[unlikely]]
      return false;
    SetObject(out, handle);
    return true;
  }
  if (type == &PyFloat_Type) {
    SetFloat(out, PyFloat_AS_DOUBLE(value));
    return true;
  }
  if (type == &PyUnicode_Type) {
    const char* text = CompactAscii(value);
    return text != nullptr &&
           SmallStr(kTVMFFISmallStr, text, static_cast<size_t>(PyUnicode_GET_LENGTH(value)), out);
  }
  if (value == Py_None) {
    SetNone(out);
    return true;
  }
  if (type == &PyBool_Type) {
    SetBool(out, value == Py_True);
    return true;
  }
  return false;
}

// Converts one argument. The classes that calls see most are tested here, the rest by rule.
inline bool Convert(PyObject* value, TVMFFIAny* out, ArgScope* scope) {
  return ConvertPlain(value, out) || ConvertSlow(value, out, scope);
}

// Converts to a value that the caller owns. False with an exception.
bool ConvertOwned(PyObject* value, TVMFFIAny* out);

// Makes a container of a list, a tuple or any other iterable, or of a mapping with `fn` (ffi.Map or
// ffi.Dict). `*out` is owned. `*exchange` (may be NULL) becomes the table of the first framework
// tensor inside. False with an exception.
bool MakeArray(PyObject* values, TVMFFIAny* out, const DLPackExchangeAPI** exchange);
bool MakeList(PyObject* values, TVMFFIAny* out, const DLPackExchangeAPI** exchange);
bool MakeMapping(TVMFFIObject* fn, PyObject* mapping, TVMFFIAny* out,
                 const DLPackExchangeAPI** exchange);

// Whether a class derives from one in a module that is imported already.
bool IsSubclassOfLoaded(PyTypeObject* type, const char* module_name, const char* attribute);

// Number of classes whose rule is known.
size_t RuleCount();

// Names and compiled rules that need Python classes. False with an exception.
bool InitArguments();

// numpy.ndarray -> Tensor without the buffer protocol. `*handled` is false when `type` is another
// class. False with an exception.
bool IsNumpyArray(PyTypeObject* type);
bool ConvertNumpyArray(PyObject* array, TVMFFIAny* out, ArgScope* scope);
// The element type of a numpy.dtype; false with an exception.
bool NumpyDtype(PyObject* dtype, DLDataType* out);
bool IsNumpyDtype(PyTypeObject* type);
// What a scalar class of numpy or ml_dtypes converts to where the abstract number classes don't
// tell: numpy.bool_ and the types of ml_dtypes belong to none, numpy.timedelta64 to a wrong one.
enum class NumpyScalar { kOther, kBool, kInt, kFloat, kTime };
NumpyScalar NumpyScalarOf(PyTypeObject* type);
// Whether the data of a tensor object may only be read.
bool IsReadOnlyTensor(const TVMFFIObject* tensor);

}  // namespace tvm::ffi::detail::python

#endif  // TVM_FFI_PYTHON_ARGUMENT_H_
