// SPDX-License-Identifier: Apache-2.0
// What other languages see: `binary(op, a, b, out)`, streams, and the list of kernels.
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

#include "dispatch.h"
#include "streams.h"

namespace kernel_library {

void AddElementwiseKernels();

namespace {

struct StreamObj : ffi::Object {
  Stream stream;

  // The address that `tvm_ffi.use_raw_stream` takes; valid while the object lives.
  void* Handle() const { return const_cast<Stream*>(&stream); }
  void Synchronize() { stream.Synchronize(); }

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("kernel_library.Stream", StreamObj, ffi::Object);
};

void CheckOperand(const ffi::Tensor& tensor, const ffi::Tensor& out, const char* name) {
  TVM_FFI_CHECK(tensor.device().device_type == kDLCPU, ValueError) << name << " is not on the CPU";
  TVM_FFI_CHECK(tensor.dtype() == out.dtype(), TypeError)
      << name << " is " << tensor.dtype() << " and out is " << out.dtype();
  TVM_FFI_CHECK(tensor.IsContiguous(), ValueError) << name << " is not contiguous";
  TVM_FFI_CHECK(tensor.numel() == out.numel(), ValueError)
      << name << " has " << tensor.numel() << " elements and out has " << out.numel();
}

// Everything that can be wrong is found here, on the thread of the caller. The work holds
// references to the tensors, so they live until it has run, even if the caller drops them at once.
void Binary(const ffi::String& op, ffi::Tensor a, ffi::Tensor b, ffi::Tensor out) {
  CheckOperand(out, out, "out");
  CheckOperand(a, out, "a");
  CheckOperand(b, out, "b");
  Kernel kernel = DispatchTable::Global().Find(op, out.dtype());
  auto work = [kernel, a, b, out] {
    kernel(a.data_ptr(), b.data_ptr(), out.data_ptr(), out.numel());
  };
  DLDevice device = out.device();
  auto* stream = static_cast<Stream*>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  if (stream == nullptr) {
    work();
  } else {
    stream->Submit(work);
  }
}

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace refl = tvm::ffi::reflection;
  AddElementwiseKernels();
  refl::ObjectDef<StreamObj>()
      .def(refl::init<>())
      .def("handle", &StreamObj::Handle, "The address of the stream.")
      .def("synchronize", &StreamObj::Synchronize, "Waits for all work; raises its first error.");
  refl::GlobalDef().def("kernel_library.binary", Binary).def("kernel_library.kernels", [] {
    return DispatchTable::Global().List();
  });
}

}  // namespace
}  // namespace kernel_library
