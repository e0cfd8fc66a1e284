// SPDX-License-Identifier: Apache-2.0
#include "thread_owned.h"

#if !defined(_WIN32)
#include <dlfcn.h>

namespace {

// Threads call into this library when they end, so it is never unmapped, nor is a library that it
// is linked into.
__attribute__((constructor)) void StayMapped() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&StayMapped), &info) == 0) return;
  dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

}  // namespace
#endif
