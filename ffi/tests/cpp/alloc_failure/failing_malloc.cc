// SPDX-License-Identifier: Apache-2.0
#include "failing_malloc.h"

#include <cerrno>
#include <cstddef>

// The real functions of glibc, under the names that stay when a program brings its own malloc.
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* block, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* block);
}

namespace {

// Initial-exec: the storage of such variables is there before the first allocation.
thread_local __attribute__((tls_model("initial-exec"))) int64_t live = 0;
thread_local __attribute__((tls_model("initial-exec"))) int64_t until_failure = -1;
thread_local __attribute__((tls_model("initial-exec"))) bool has_failed = false;

bool Fails() {
  if (until_failure < 0) return false;
  if (until_failure-- != 0) return false;
  has_failed = true;
  errno = ENOMEM;
  return true;
}

void* Counted(void* block) {
  live += block != nullptr;
  return block;
}

}  // namespace

namespace failing_malloc {

int64_t LiveAllocations() { return live; }

void FailAfter(int64_t count) {
  has_failed = false;
  until_failure = count;
}

bool StopFailing() {
  until_failure = -1;
  return has_failed;
}

}  // namespace failing_malloc

extern "C" {

void* malloc(size_t size) { return Fails() ? nullptr : Counted(__libc_malloc(size)); }

void* calloc(size_t count, size_t size) {
  return Fails() ? nullptr : Counted(__libc_calloc(count, size));
}

void* realloc(void* block, size_t size) {
  if (Fails()) return nullptr;
  void* moved = __libc_realloc(block, size);
  if (block == nullptr) live += moved != nullptr;
  return moved;
}

void* memalign(size_t alignment, size_t size) {
  return Fails() ? nullptr : Counted(__libc_memalign(alignment, size));
}

void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void** out, size_t alignment, size_t size) {
  void* block = memalign(alignment, size);
  if (block == nullptr) return ENOMEM;
  *out = block;
  return 0;
}

void free(void* block) {
  if (block == nullptr) return;
  --live;
  __libc_free(block);
}
}
