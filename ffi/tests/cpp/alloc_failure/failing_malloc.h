// SPDX-License-Identifier: Apache-2.0
/*!
 * \file failing_malloc.h
 * \brief The allocator of this program: it counts, and fails where a test asks for it.
 */
#ifndef TVM_FFI_TESTS_CPP_ALLOC_FAILURE_FAILING_MALLOC_H_
#define TVM_FFI_TESTS_CPP_ALLOC_FAILURE_FAILING_MALLOC_H_

#include <cstdint>

namespace failing_malloc {

/*! \brief Allocations of this thread that have not been freed by it. */
int64_t LiveAllocations();

/*! \brief Lets the allocation after `count` more ones of this thread fail, once. */
void FailAfter(int64_t count);

/*! \brief Ends what FailAfter() began. Returns whether the failure has come. */
bool StopFailing();

}  // namespace failing_malloc

#endif  // TVM_FFI_TESTS_CPP_ALLOC_FAILURE_FAILING_MALLOC_H_
