// SPDX-License-Identifier: Apache-2.0
// Functions exported by symbol, with metadata and documentation.
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

namespace tvm {
namespace ffi {
namespace testing {
namespace {

int64_t SchemaIdInt(int64_t x) { return x; }

int64_t AddWithDocstring(int64_t a, int64_t b) { return a + b; }

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(testing_dll_schema_id_int, SchemaIdInt);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(testing_dll_test_add_with_docstring, AddWithDocstring);
TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(testing_dll_test_add_with_docstring,
                                  R"(Add two integers and return the sum.

Parameters
----------
a : int
    First integer
b : int
    Second integer

Returns
-------
result : int
    Sum of a and b)");

}  // namespace testing
}  // namespace ffi
}  // namespace tvm
