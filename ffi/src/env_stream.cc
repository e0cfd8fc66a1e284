// SPDX-License-Identifier: Apache-2.0
/*!
 * \file env_stream.cc
 * \brief The current stream of each device, per thread.
 */
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

#include <vector>

#include "thread_owned.h"

namespace {

// Far above what exists; keeps the tables small when a caller passes nonsense.
constexpr int32_t kMaxDeviceType = 1 << 12;
constexpr int32_t kMaxDeviceId = 1 << 16;

// [device_type][device_id]; grown on demand, missing entries are NULL.
struct Streams {
  std::vector<std::vector<TVMFFIStreamHandle>> all;
};

}  // namespace

int TVMFFIEnvSetStream(int32_t device_type, int32_t device_id, TVMFFIStreamHandle stream,
                       TVMFFIStreamHandle* opt_out_original_stream) {
  TVM_FFI_SAFE_CALL_BEGIN();
  if (device_type < 0 || device_type >= kMaxDeviceType || device_id < 0 ||
      device_id >= kMaxDeviceId) {
    TVM_FFI_THROW(ValueError) << "No such device: type " << device_type << ", id " << device_id;
  }
  size_t type = static_cast<size_t>(device_type);
  size_t id = static_cast<size_t>(device_id);
  std::vector<std::vector<TVMFFIStreamHandle>>& streams = tvm::ffi::ThreadOwned<Streams>().all;
  if (type >= streams.size()) streams.resize(type + 1);
  std::vector<TVMFFIStreamHandle>& of_type = streams[type];
  if (id >= of_type.size()) of_type.resize(id + 1, nullptr);
  if (opt_out_original_stream != nullptr) *opt_out_original_stream = of_type[id];
  of_type[id] = stream;
  TVM_FFI_SAFE_CALL_END();
}

TVMFFIStreamHandle TVMFFIEnvGetStream(int32_t device_type, int32_t device_id) {
  // Negative numbers become large ones and find nothing.
  size_t type = static_cast<size_t>(device_type);
  size_t id = static_cast<size_t>(device_id);
  const std::vector<std::vector<TVMFFIStreamHandle>>& streams =
      tvm::ffi::ThreadOwned<Streams>().all;
  if (type >= streams.size() || id >= streams[type].size()) return nullptr;
  return streams[type][id];
}
