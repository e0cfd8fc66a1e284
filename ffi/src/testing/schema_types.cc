// SPDX-License-Identifier: Apache-2.0
// One class with a field of every kind of schema.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/variant.h>
#include <tvm/ffi/device.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

#include <utility>

namespace tvm {
namespace ffi {
namespace testing {
namespace {

namespace refl = tvm::ffi::reflection;

class SchemaAllTypesObj : public Object {
 public:
  bool v_bool;
  int64_t v_int;
  double v_float;
  DLDevice v_device;
  DLDataType v_dtype;
  String v_string;
  Bytes v_bytes;
  Optional<int64_t> v_opt_int;
  Optional<String> v_opt_str;
  Array<int64_t> v_arr_int;
  Array<String> v_arr_str;
  Map<String, int64_t> v_map_str_int;
  Map<String, Array<int64_t>> v_map_str_arr_int;
  Variant<String, Array<int64_t>, Map<String, int64_t>> v_variant;
  Optional<Array<Variant<int64_t, String>>> v_opt_arr_variant;

  SchemaAllTypesObj(int64_t number, double real, String text)
      : v_bool(true),
        v_int(number),
        v_float(real),
        v_device(DLDevice{kDLCPU, 0}),
        v_dtype(DLDataType{kDLFloat, 32, 1}),
        v_string(std::move(text)),
        v_bytes("bytes", 5),
        v_arr_int({1, 2, 3}),
        v_arr_str({"x", "y"}),
        v_map_str_int({{"a", 1}, {"b", 2}}),
        v_map_str_arr_int({{"k", Array<int64_t>({4, 5})}}),
        v_variant(String("v")) {}

  int64_t AddInt(int64_t other) const { return v_int + other; }

  Array<int64_t> AppendInt(Array<int64_t> numbers, int64_t number) const {
    numbers.push_back(number);
    return numbers;
  }

  Optional<String> MaybeConcat(Optional<String> first, Optional<String> second) const {
    if (first.has_value() && second.has_value()) return first.value() + second.value();
    return first.has_value() ? first : second;
  }

  Map<String, Array<int64_t>> MergeMap(Map<String, Array<int64_t>> lhs,
                                       Map<String, Array<int64_t>> rhs) const {
    for (const auto& [key, value] : rhs) lhs.Set(key, value);
    return lhs;
  }

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("testing.SchemaAllTypes", SchemaAllTypesObj, Object);
};

class SchemaAllTypes : public ObjectRef {
 public:
  static SchemaAllTypes MakeWith(int64_t v_int, double v_float, String v_string) {
    return SchemaAllTypes(make_object<SchemaAllTypesObj>(v_int, v_float, std::move(v_string)));
  }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(SchemaAllTypes, ObjectRef, SchemaAllTypesObj);
};

void RegisterTypes() {
  refl::ObjectDef<SchemaAllTypesObj>(refl::init(false))
      .def_rw("v_bool", &SchemaAllTypesObj::v_bool, "bool field",
              refl::Metadata{{"bool_attr", true}, {"int_attr", 1}, {"str_attr", "hello"}})
      .def_rw("v_int", &SchemaAllTypesObj::v_int, refl::default_value(0), "int field")
      .def_rw("v_float", &SchemaAllTypesObj::v_float, refl::default_value(0.0), "float field")
      .def_rw("v_device", &SchemaAllTypesObj::v_device, "device field")
      .def_rw("v_dtype", &SchemaAllTypesObj::v_dtype, "dtype field")
      .def_rw("v_string", &SchemaAllTypesObj::v_string, refl::default_value("s"), "string field")
      .def_rw("v_bytes", &SchemaAllTypesObj::v_bytes, "bytes field")
      .def_rw("v_opt_int", &SchemaAllTypesObj::v_opt_int, "optional int")
      .def_rw("v_opt_str", &SchemaAllTypesObj::v_opt_str, "optional str")
      .def_rw("v_arr_int", &SchemaAllTypesObj::v_arr_int, "array<int>")
      .def_rw("v_arr_str", &SchemaAllTypesObj::v_arr_str, "array<str>")
      .def_rw("v_map_str_int", &SchemaAllTypesObj::v_map_str_int, "map<str,int>")
      .def_rw("v_map_str_arr_int", &SchemaAllTypesObj::v_map_str_arr_int, "map<str,array<int>>")
      .def_rw("v_variant", &SchemaAllTypesObj::v_variant, "variant<str,array<int>,map<str,int>>")
      .def_rw("v_opt_arr_variant", &SchemaAllTypesObj::v_opt_arr_variant,
              "optional<array<variant<int,str>>>")
      .def("add_int", &SchemaAllTypesObj::AddInt, "add int method",
           refl::Metadata{{"bool_attr", true}, {"int_attr", 1}, {"str_attr", "hello"}})
      .def("append_int", &SchemaAllTypesObj::AppendInt, "append int to array")
      .def("maybe_concat", &SchemaAllTypesObj::MaybeConcat, "optional concat")
      .def("merge_map", &SchemaAllTypesObj::MergeMap, "merge maps")
      .def_static("make_with", &SchemaAllTypes::MakeWith, "Constructor with subset of fields");
}

}  // namespace

TVM_FFI_STATIC_INIT_BLOCK() { RegisterTypes(); }

}  // namespace testing
}  // namespace ffi
}  // namespace tvm
