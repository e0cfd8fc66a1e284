// SPDX-License-Identifier: Apache-2.0
#pragma once

// Marks what other libraries (backends, extensions) may use; everything else is hidden.
#if defined(_WIN32)
#define TIRX_API
#else
#define TIRX_API __attribute__((visibility("default")))
#endif
