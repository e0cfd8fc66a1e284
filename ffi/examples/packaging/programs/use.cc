// SPDX-License-Identifier: Apache-2.0
// Uses the library of the wheel from C++. The classes are not known at compile time: reflection
// finds them by name.
// usage: use_cpp LIBRARY
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/accessor.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

namespace {

DLTensor View(std::vector<float>* data, int64_t* size) {
  *size = static_cast<int64_t>(data->size());
  return {data->data(), {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, size, nullptr, 0};
}

void AddOne(const ffi::Module& module) {
  ffi::Function add_one = module->GetFunction("add_one", false).value();
  std::vector<float> in{1, 2, 3};
  std::vector<float> out(3);
  int64_t in_size = 0;
  int64_t out_size = 0;
  DLTensor x = View(&in, &in_size);
  DLTensor y = View(&out, &out_size);
  add_one(&x, &y);
  std::printf("%g %g %g\n", out[0], out[1], out[2]);
  out_size = 2;  // wrong on purpose
  try {
    add_one(&x, &y);
  } catch (const ffi::Error& error) {
    std::printf("%s: %s\n", error.kind().c_str(), error.message().c_str());
  }
}

void IntPair() {
  const char* key = "my_ffi_extension.IntPair";
  ffi::ObjectRef pair = refl::GetMethod(key, "__ffi_init__")(1, 2).cast<ffi::ObjectRef>();
  auto second = refl::GetMethod(key, "static_get_second")(pair).cast<int64_t>();
  std::printf("second = %d\n", static_cast<int>(second));
}

void RaiseError() {
  try {
    ffi::Function::GetGlobalRequired("my_ffi_extension.raise_error")("from C++");
  } catch (const ffi::Error& error) {
    std::printf("%s: %s\n", error.kind().c_str(), error.message().c_str());
  }
}

// Whether anything of Python is mapped into this process.
bool HasPython() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("libpython") != std::string::npos || line.find("/core.") != std::string::npos) {
      return true;
    }
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    ffi::Module module = ffi::Module::LoadFromFile(argv[1]);
    AddOne(module);
    IntPair();
    RaiseError();
  } catch (const ffi::Error& error) {
    std::fputs(error.FullMessage().c_str(), stderr);
    return 1;
  }
  std::printf("Python in the process: %s\n", HasPython() ? "yes" : "no");
  return 0;
}
