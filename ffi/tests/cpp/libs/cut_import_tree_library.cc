// SPDX-License-Identifier: Apache-2.0
// A library whose import tree says that it is longer than it is.
#include <cstdint>

extern "C" __attribute__((visibility("default")))
const uint64_t __tvm_ffi__library_bin[3] = {uint64_t{1} << 40, 2, 0};
