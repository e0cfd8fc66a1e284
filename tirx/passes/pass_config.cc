// SPDX-License-Identifier: Apache-2.0
#include "tirx/passes/pass_config.h"

#include <tvm/ffi/reflection/registry.h>

namespace tvm {
namespace tirx {
namespace {

using Config = ffi::Map<ffi::String, ffi::Any>;

Config& Current() {
  thread_local Config config;
  return config;
}

}  // namespace

bool ConfigFlag(const char* key, bool fallback) {
  const Config& config = Current();
  auto it = config.find(key);
  return it == config.end() ? fallback : (*it).second.cast<bool>();
}

int64_t ConfigField(const char* key, const char* field, int64_t fallback) {
  const Config& config = Current();
  auto it = config.find(key);
  if (it == config.end()) return fallback;
  auto record = (*it).second.cast<Config>();
  auto value = record.find(field);
  return value == record.end() ? fallback : (*value).second.cast<int64_t>();
}

TVM_FFI_STATIC_INIT_BLOCK() {
  ffi::reflection::GlobalDef().def("transform.SetConfig",
                                   [](Config config) { Current() = std::move(config); });
}

}  // namespace tirx
}  // namespace tvm
