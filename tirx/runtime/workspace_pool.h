// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_RUNTIME_WORKSPACE_POOL_H_
#define TIRX_RUNTIME_WORKSPACE_POOL_H_

#include <dlpack/dlpack.h>

#include <cstddef>

namespace tvm {
namespace runtime {

/// Temporary memory of this thread on a device, kept for reuse. Throws ffi::Error when there is
/// none.
void* AllocWorkspace(DLDevice device, size_t nbytes);

/// Gives memory back to the pool of this thread. Memory that another thread got goes back to the
/// device at once.
void FreeWorkspace(DLDevice device, void* data);

}  // namespace runtime
}  // namespace tvm

#endif  // TIRX_RUNTIME_WORKSPACE_POOL_H_
