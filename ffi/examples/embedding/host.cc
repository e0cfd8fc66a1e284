// SPDX-License-Identifier: Apache-2.0
// A C++ program that is extended in Python. It offers functions under `host.`, starts an
// interpreter, lets a script register functions under `plugin.`, and calls those from C++, also
// from a thread of its own. usage: embedding SCRIPT
#include <Python.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

#include <cstdio>
#include <string>
#include <thread>

namespace ffi = tvm::ffi;

namespace {

ffi::Array<ffi::String> log_lines;

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace refl = tvm::ffi::reflection;
  refl::GlobalDef()
      .def("host.log", [](const ffi::String& line) { log_lines.push_back(line); })
      .def("host.version", [] { return ffi::String("1.0"); });
}

// The interpreter of the environment that has tvm_ffi, from here to the end of the object.
class Interpreter {
 public:
  explicit Interpreter(const char* program) {
    PyConfig config;
    PyConfig_InitPythonConfig(&config);
    // As if this executable had been started: its environment decides what can be imported.
    PyConfig_SetBytesString(&config, &config.executable, program);
    PyConfig_SetBytesString(&config, &config.program_name, program);
    PyStatus status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    if (PyStatus_Exception(status)) Py_ExitStatusException(status);
  }
  ~Interpreter() { Py_FinalizeEx(); }

  bool Run(const char* path) {
    FILE* file = std::fopen(path, "rb");
    if (file == nullptr) return false;
    return PyRun_SimpleFileExFlags(file, path, /*closeit=*/1, nullptr) == 0;
  }
};

// Functions that Python registered are ordinary functions: typed, called from anywhere.
void UsePlugin() {
  ffi::TypedFunction<double(ffi::Array<double>)> score =
      ffi::Function::GetGlobalRequired("plugin.score");
  std::printf("score: %g\n", score({1, 2, 3}));

  auto describe = ffi::Function::GetGlobalRequired("plugin.describe");
  auto facts = describe("kiln").cast<ffi::Map<ffi::String, int64_t>>();
  std::printf("length %d, vowels %d\n", static_cast<int>(facts["length"]),
              static_cast<int>(facts["vowels"]));

  try {
    score({});
  } catch (const ffi::Error& error) {
    std::printf("%s: %s\n", error.kind().c_str(), error.message().c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  Interpreter python(PYTHON_EXECUTABLE);
  if (!python.Run(argv[1])) return 1;
  UsePlugin();
  // The main thread lets go of the interpreter, and any thread may call: the lock is taken for each
  // call.
  PyThreadState* state = PyEval_SaveThread();
  std::thread other([] {
    auto count = ffi::Function::GetGlobalRequired("plugin.count");
    for (int i = 0; i < 1000; ++i) count();
    std::printf("counted on another thread: %d\n", static_cast<int>(count().cast<int64_t>()));
  });
  other.join();
  PyEval_RestoreThread(state);
  for (const ffi::String& line : log_lines) std::printf("log: %s\n", line.c_str());
  return 0;
}
