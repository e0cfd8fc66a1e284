// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_PASSES_PASS_CONFIG_H_
#define TIRX_PASSES_PASS_CONFIG_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/string.h>

#include <cstdint>

#include "tirx/ir/api.h"

namespace tvm {
namespace tirx {

/// What the innermost PassContext of this thread configures. Python tells it by
/// `transform.SetConfig`.
TIRX_API bool ConfigFlag(const char* key, bool fallback = false);

/// A field of a record such as `tirx.UnrollLoop`.
TIRX_API int64_t ConfigField(const char* key, const char* field, int64_t fallback);

}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_PASSES_PASS_CONFIG_H_
