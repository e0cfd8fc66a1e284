// SPDX-License-Identifier: Apache-2.0
/*!
 * \file env_signals.cc
 * \brief Lets native loops notice signals that a Python interpreter holds back.
 */
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

#include <atomic>
#include <string_view>

#include "c_arguments.h"

namespace {

// Functions of the interpreter; the library does not link it.
std::atomic<int (*)()> check_signals{nullptr};
std::atomic<void* (*)()> ensure_gil{nullptr};
std::atomic<void (*)(void*)> release_gil{nullptr};

}  // namespace

int TVMFFIEnvCheckSignals(void) {
  auto check = check_signals.load();
  if (check == nullptr) return 0;
  auto ensure = ensure_gil.load();
  auto release = release_gil.load();
  // An environment that registers no lock has none, or holds it around every native call.
  if (ensure == nullptr || release == nullptr) return check() != 0 ? -1 : 0;
  void* state = ensure();
  bool pending = check() != 0;
  release(state);
  return pending ? -1 : 0;
}

int TVMFFIEnvRegisterCAPI(const char* name, void* symbol) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_REQUIRE_ARGUMENT(name);
  std::string_view key = name;
  if (key == "PyErr_CheckSignals") {
    check_signals.store(reinterpret_cast<int (*)()>(symbol));
  } else if (key == "PyGILState_Ensure") {
    ensure_gil.store(reinterpret_cast<void* (*)()>(symbol));
  } else if (key == "PyGILState_Release") {
    release_gil.store(reinterpret_cast<void (*)(void*)>(symbol));
  } else {
    TVM_FFI_THROW(ValueError) << "Unknown env API " << key;
  }
  TVM_FFI_SAFE_CALL_END();
}
