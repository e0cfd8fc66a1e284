// SPDX-License-Identifier: Apache-2.0
// The dispatch table: an operator and a dtype give a kernel.
#ifndef KERNEL_LIBRARY_DISPATCH_H_
#define KERNEL_LIBRARY_DISPATCH_H_

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/dtype.h>
#include <tvm/ffi/string.h>

#include <map>
#include <string>
#include <utility>

namespace kernel_library {

namespace ffi = tvm::ffi;

// out[i] = f(a[i], b[i]) for `n` elements.
using Kernel = void (*)(const void* a, const void* b, void* out, int64_t n);

class DispatchTable {
 public:
  static DispatchTable& Global() {
    static DispatchTable table;
    return table;
  }

  template <typename T>
  void Add(const std::string& op, Kernel kernel) {
    kernels_[{op, Name(ffi::dtype_trait<T>::value)}] = kernel;
  }

  // TypeError that lists what there is, when there is no kernel.
  Kernel Find(const std::string& op, DLDataType dtype) const {
    auto found = kernels_.find({op, Name(dtype)});
    if (found != kernels_.end()) return found->second;
    std::string known;
    for (const auto& entry : kernels_) {
      if (entry.first.first == op) known += (known.empty() ? "" : ", ") + entry.first.second;
    }
    if (known.empty()) TVM_FFI_THROW(ValueError) << "there is no operator `" << op << "`";
    TVM_FFI_THROW(TypeError) << "`" << op << "` has no kernel for " << dtype << ", only for "
                             << known;
  }

  ffi::Array<ffi::String> List() const {
    ffi::Array<ffi::String> names;
    for (const auto& entry : kernels_)
      names.push_back(entry.first.first + ":" + entry.first.second);
    return names;
  }

 private:
  static std::string Name(DLDataType dtype) { return ffi::DLDataTypeToString(dtype); }

  std::map<std::pair<std::string, std::string>, Kernel> kernels_;
};

}  // namespace kernel_library
#endif  // KERNEL_LIBRARY_DISPATCH_H_
