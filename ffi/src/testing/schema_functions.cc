// SPDX-License-Identifier: Apache-2.0
// Identity functions, one for each kind of schema, and functions with composite schemas.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/container/variant.h>
#include <tvm/ffi/device.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

#include <utility>

namespace tvm {
namespace ffi {
namespace testing {
namespace {

namespace refl = tvm::ffi::reflection;

template <typename T>
T Identity(T value) {
  return value;
}

void RegisterIdentities() {
  refl::GlobalDef()
      .def("testing.schema_id_int", &Identity<int64_t>,
           refl::Metadata{{"bool_attr", true}, {"int_attr", 1}, {"str_attr", "hello"}})
      .def("testing.schema_id_float", &Identity<double>)
      .def("testing.schema_id_bool", &Identity<bool>)
      .def("testing.schema_id_device", &Identity<DLDevice>)
      .def("testing.schema_id_dtype", &Identity<DLDataType>)
      .def("testing.schema_id_string", &Identity<String>)
      .def("testing.schema_id_bytes", &Identity<Bytes>)
      .def("testing.schema_id_func", &Identity<Function>)
      .def("testing.schema_id_func_typed", &Identity<TypedFunction<void(int64_t, float, Function)>>)
      .def("testing.schema_id_any", &Identity<Any>)
      .def("testing.schema_id_object", &Identity<ObjectRef>)
      .def("testing.schema_id_dltensor", &Identity<DLTensor*>)
      .def("testing.schema_id_tensor", &Identity<Tensor>)
      .def("testing.schema_id_opt_int", &Identity<Optional<int64_t>>)
      .def("testing.schema_id_opt_str", &Identity<Optional<String>>)
      .def("testing.schema_id_opt_obj", &Identity<Optional<ObjectRef>>)
      .def("testing.schema_id_arr_int", &Identity<Array<int64_t>>)
      .def("testing.schema_id_arr_str", &Identity<Array<String>>)
      .def("testing.schema_id_arr_obj", &Identity<Array<ObjectRef>>)
      .def("testing.schema_id_list_int", &Identity<List<int64_t>>)
      .def("testing.schema_id_list_str", &Identity<List<String>>)
      .def("testing.schema_id_list_obj", &Identity<List<ObjectRef>>)
      .def("testing.schema_id_map_str_int", &Identity<Map<String, int64_t>>)
      .def("testing.schema_id_map_str_str", &Identity<Map<String, String>>)
      .def("testing.schema_id_map_str_obj", &Identity<Map<String, ObjectRef>>)
      .def("testing.schema_id_dict_str_int", &Identity<Dict<String, int64_t>>)
      .def("testing.schema_id_dict_str_str", &Identity<Dict<String, String>>)
      .def("testing.schema_id_variant_int_str", &Identity<Variant<int64_t, String>>)
      .def("testing.schema_variant_mix", &Identity<Variant<int64_t, String, Array<int64_t>>>);
}

void RegisterOthers() {
  refl::GlobalDef()
      // Containers without element types show a schema without arguments.
      .def("testing.schema_id_arr", [](const ArrayObj* array) -> const ArrayObj* { return array; })
      .def("testing.schema_id_map", [](const MapObj* map) -> const MapObj* { return map; })
      .def_packed("testing.schema_packed", [](PackedArgs, Any*) {})
      .def("testing.schema_tensor_view_input", [](TensorView) -> void {})
      .def("testing.schema_no_args", []() -> int64_t { return 1; })
      .def("testing.schema_no_return", [](int64_t) -> void {})
      .def("testing.schema_no_args_no_return", []() -> void {})
      .def("testing.schema_arr_map_opt",
           [](const Array<Optional<int64_t>>& numbers, Map<String, Array<int64_t>> map,
              const Optional<String>& key) -> Map<String, Array<int64_t>> {
             if (!key.has_value()) return map;
             Array<int64_t> present;
             for (const Optional<int64_t>& number : numbers) {
               if (number.has_value()) present.push_back(number.value());
             }
             map.Set(key.value(), present);
             return map;
           });
}

}  // namespace

TVM_FFI_STATIC_INIT_BLOCK() {
  RegisterIdentities();
  RegisterOthers();
}

}  // namespace testing
}  // namespace ffi
}  // namespace tvm
