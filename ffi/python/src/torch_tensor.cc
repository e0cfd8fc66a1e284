// SPDX-License-Identifier: Apache-2.0
// torch tensors as arguments.
//
// The view function of torch's exchange table fills a DLTensor and allocates nothing. What keeps
// the memory alive is the Python object: torch's managed form holds the same tensor and no more, so
// its memory is gone just as early when somebody gives that tensor other storage. Other exchange
// tables are not used like this, because a view can't tell that data is read-only, which torch has
// not.
#include <algorithm>

#include "aliased_tensor.h"
#include "argument.h"
#include "tensor.h"

namespace tvm::ffi::detail::python {

namespace {

bool IsComplex(const DLTensor& view) { return view.dtype.code == kDLComplex; }

// A tensor may be the negative of its memory. Such are the imaginary parts of conjugates, in which
// every second element is another number's, so of those with one element in the place of the next
// it need not be asked.
bool MayBeNegative(const DLTensor& view) {
  if (IsComplex(view)) return true;
  if (view.dtype.code != kDLFloat) return false;
  int64_t step = 1;
  for (int32_t i = view.ndim - 1; i >= 0; --i) {
    if (view.shape[i] == 1) continue;
    if (view.strides[i] % 2 != 0) return false;
    step *= view.shape[i];
  }
  return step != 0;
}

// False with an exception when `method`, which tells of a pending operation, says yes.
bool Resolved(PyObject* value, PyObject* method, const char* what, const char* advice) {
  PyRef answer(PyObject_CallMethodNoArgs(value, method));
  if (!answer) return false;
  if (answer.get() == Py_False) return true;
  PyErr_Format(PyExc_BufferError, "the memory of the %s holds its %s; pass x.%s()",
               Py_TYPE(value)->tp_name, what, advice);
  return false;
}

// A view has all strides, but no memory when the tensor is a fake or has elements of none.
bool HasMemory(const DLTensor& view) {
  if (view.data != nullptr) return true;
  return std::find(view.shape, view.shape + view.ndim, 0) != view.shape + view.ndim;
}

}  // namespace

bool CheckTorchTensor(PyObject* value, const DLTensor& view) {
  if (IsComplex(view) && !Resolved(value, names.is_conj, "conjugate", "resolve_conj")) return false;
  return !MayBeNegative(view) || Resolved(value, names.is_neg, "negative", "resolve_neg");
}

bool ConvertTorchTensor(PyObject* value, const DLPackExchangeAPI* api, TVMFFIAny* out,
                        ArgScope* scope) {
  DLTensor view;
  if (api->dltensor_from_py_object_no_sync(value, &view) != 0) return ExchangeFailed(value);
  if (!HasMemory(view)) return ConvertExchange(value, api, out, scope);  // which says what is wrong
  if (!CheckTorchTensor(value, view)) return false;
  AliasedTensor* tensor = NewAliasedTensor(value, view.data, view.device, view.dtype, view.ndim);
  if (tensor == nullptr) return false;
  tensor->tensor.byte_offset = view.byte_offset;
  for (int32_t i = 0; i < view.ndim; ++i) {
    tensor->extents[i] = view.shape[i];
    tensor->extents[view.ndim + i] = view.strides[i];
  }
  if (scope->exchange == nullptr) scope->exchange = api;
  scope->NoteDevice(view.device, nullptr);
  SetObject(out, &tensor->header);
  return scope->KeepAliased(tensor);
}

}  // namespace tvm::ffi::detail::python
