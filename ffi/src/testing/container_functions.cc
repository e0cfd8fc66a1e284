// SPDX-License-Identifier: Apache-2.0
// Functions that return tensors inside containers.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

namespace tvm {
namespace ffi {
namespace testing {

TVM_FFI_STATIC_INIT_BLOCK() {
  reflection::GlobalDef()
      .def("testing.make_array_with_tensor",
           [](const Tensor& t) -> Array<Any> { return Array<Any>{t}; })
      .def("testing.make_array_with_mixed",
           [](const Tensor& t, int64_t x) -> Array<Any> {
             return Array<Any>{t, x, String("hello")};
           })
      .def("testing.make_nested_array_with_tensor",
           [](const Tensor& t) -> Array<Any> { return Array<Any>{Array<Any>{t, 42}, t}; })
      .def("testing.make_list_with_tensor",
           [](const Tensor& t, int64_t x) -> List<Any> { return List<Any>{t, x}; })
      .def("testing.make_map_with_tensor",
           [](const Tensor& t) -> Map<String, Any> {
             return Map<String, Any>{{"tensor", t}, {"value", 42}, {"name", String("test")}};
           })
      .def("testing.make_dict_with_tensor",
           [](const Tensor& t) -> Dict<String, Any> {
             return Dict<String, Any>{{"tensor", t}, {"value", 42}};
           })
      .def("testing.make_empty_array_with_tensor_input",
           [](const Tensor&) -> Array<Any> { return Array<Any>(); })
      .def("testing.make_nested_map_with_tensor",
           [](const Tensor& first, const Tensor& second) -> Map<String, Any> {
             return Map<String, Any>{{"array", Array<Any>{first, second}},
                                     {"map", Map<String, Any>{{"t", first}}},
                                     {"scalar", 99}};
           });
}

}  // namespace testing
}  // namespace ffi
}  // namespace tvm
