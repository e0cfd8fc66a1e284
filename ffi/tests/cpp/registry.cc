// SPDX-License-Identifier: Apache-2.0
// Registration of types, fields, methods, functions and attributes, and reading them back.
#include <gtest/gtest.h>
#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/reflection/creator.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "expect_error.h"

namespace {

using namespace tvm::ffi;
namespace refl = tvm::ffi::reflection;

class ShapeBaseObj : public Object {
 public:
  int64_t id = 7;
  int64_t Id() const { return id; }
  static constexpr bool _type_mutable = true;
  static constexpr uint32_t _type_child_slots = 2;
  TVM_FFI_DECLARE_OBJECT_INFO("test.registry.Base", ShapeBaseObj, Object);
};

class BoxObj : public ShapeBaseObj {
 public:
  int64_t width = 1;
  double height = 1.5;
  String label;
  Array<int64_t> sizes;
  Any extra;
  int8_t small = 0;

  BoxObj() = default;
  BoxObj(int64_t w, String text) : width(w), label(std::move(text)) {}
  double Area(double scale) const noexcept { return static_cast<double>(width) * height * scale; }
  void Widen(int64_t by) { width += by; }
  int64_t Get(int64_t factor) const { return width * factor; }
  String Get(const String& suffix) { return label + suffix; }

  static constexpr bool _type_mutable = true;
  static constexpr uint32_t _type_child_slots = 0;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO("test.registry.Box", BoxObj, ShapeBaseObj);
};

class Box : public ObjectRef {
 public:
  explicit Box(int64_t width) { data_ = make_object<BoxObj>(width, "box"); }
  int64_t Twice() const { return get()->width * 2; }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Box, ObjectRef, BoxObj);
};

// Neither default constructible nor copyable.
class PinnedObj : public Object {
 public:
  explicit PinnedObj(int64_t v) : value(v) {}
  PinnedObj(const PinnedObj&) = delete;
  int64_t value;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.registry.Pinned", PinnedObj, Object);
};

// A polymorphic class: the header does not lie at its start.
class VirtualObj : public Object {
 public:
  virtual int64_t Kind() const { return 1; }
  int64_t value = 5;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.registry.Virtual", VirtualObj, Object);
};

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<ShapeBaseObj>().def_ro("id", &ShapeBaseObj::id).def("id_of", &ShapeBaseObj::Id);
  refl::ObjectDef<BoxObj>("A box.")
      .def(refl::init<int64_t, String>(), "Makes a box.")
      .def_rw("width", &BoxObj::width, "Width in meters.", refl::default_value(3),
              refl::Metadata{{"unit", "m"}, {"scale", 2}, {"exact", true}})
      .def_ro("height", &BoxObj::height, refl::default_value(2.5), refl::repr(false))
      .def_rw("label", &BoxObj::label, refl::kw_only(true), refl::init(false), refl::hash(false),
              refl::compare(false), refl::default_value("none"))
      .def_rw("sizes", &BoxObj::sizes,
              refl::default_factory(Function::FromTyped([] { return Array<int64_t>{1, 2}; })))
      .def_ro("extra", &BoxObj::extra, refl::AttachFieldFlag::SEqHashIgnore(),
              refl::default_value(Any(nullptr)))
      .def_ro("small", &BoxObj::small, refl::default_value(0))
      .def("area", &BoxObj::Area, "Area times a scale.")
      .def("widen", &BoxObj::Widen)
      .def("label_size", [](const Box& box) { return box->label.size(); })
      .def("get_int", refl::overload_cast<int64_t>(&BoxObj::Get, refl::const_))
      .def("get_text", refl::overload_cast<const String&>(&BoxObj::Get))
      .def_static("unit", [] { return Box(1); })
      .def_type_attr("test.registry.number", 42)
      .def_type_attr("test.registry.function", [](int64_t x) { return x + 1; })
      .def_convert<Box>();
  refl::ObjectDef<PinnedObj>(refl::init(false)).def_ro("value", &PinnedObj::value);
  refl::ObjectDef<VirtualObj>().def_ro("value", &VirtualObj::value);
  refl::TypeAttrDef<PinnedObj>()
      .def("test.registry.number", 43)
      .attr("test.registry.text", String("attached"))
      .attr(refl::AttrKey<double>{"test.registry.double"}, 2);
  refl::GlobalDef()
      .def(
          "test.registry.add", [](int64_t a, int64_t b) { return a + b; }, "Adds.")
      .def_packed("test.registry.count",
                  [](PackedArgs args, Any* rv) { *rv = static_cast<int64_t>(args.size()); })
      .def_method("test.registry.area", &BoxObj::Area)
      .def_method("test.registry.twice", &Box::Twice)
      .def(
          "test.registry.named", [](int64_t x, int64_t y) { return x - y; },
          refl::param_names("x, y"), refl::param_defaults(R"({"y": 1})"), refl::never_blocks());
}

std::string Text(const TVMFFIByteArray& bytes) {
  return bytes.data == nullptr ? std::string("<null>") : std::string(bytes.data, bytes.size);
}
const TVMFFITypeInfo* InfoOf(const char* key) { return TVMFFIGetTypeInfo(TypeKeyToIndex(key)); }

TEST(Registry, FieldInfo) {
  const TVMFFIFieldInfo* width = refl::GetFieldInfo("test.registry.Box", "width");
  EXPECT_EQ(Text(width->name), "width");
  EXPECT_EQ(Text(width->doc), "Width in meters.");
  EXPECT_EQ(Text(width->metadata),
            R"({"type_schema":"{\"type\":\"int\"}","unit":"m","scale":2,"exact":true})");
  EXPECT_EQ(width->flags, kTVMFFIFieldFlagBitMaskWritable | kTVMFFIFieldFlagBitMaskHasDefault);
  EXPECT_EQ(width->size, 8);
  EXPECT_EQ(width->alignment, 8);
  EXPECT_EQ(width->offset, 32);  // header 24, id 8
  EXPECT_EQ(width->field_static_type_index, kTVMFFIInt);

  const TVMFFIFieldInfo* height = refl::GetFieldInfo("test.registry.Box", "height");
  EXPECT_EQ(Text(height->doc), "<null>");
  EXPECT_EQ(height->flags, kTVMFFIFieldFlagBitMaskHasDefault | kTVMFFIFieldFlagBitMaskReprOff);
  EXPECT_EQ(height->field_static_type_index, kTVMFFIFloat);

  const TVMFFIFieldInfo* label = refl::GetFieldInfo("test.registry.Box", "label");
  EXPECT_EQ(label->flags, kTVMFFIFieldFlagBitMaskWritable | kTVMFFIFieldFlagBitMaskHasDefault |
                              kTVMFFIFieldFlagBitMaskKwOnly | kTVMFFIFieldFlagBitMaskInitOff |
                              kTVMFFIFieldFlagBitMaskHashOff | kTVMFFIFieldFlagBitMaskCompareOff);
  EXPECT_EQ(label->size, 16);
  EXPECT_EQ(label->field_static_type_index, kTVMFFIAny);

  const TVMFFIFieldInfo* sizes = refl::GetFieldInfo("test.registry.Box", "sizes");
  EXPECT_NE(sizes->flags & kTVMFFIFieldFlagBitMaskDefaultFromFactory, 0);
  EXPECT_EQ(sizes->field_static_type_index, kTVMFFIArray);
  EXPECT_EQ(refl::GetFieldInfo("test.registry.Box", "extra")->field_static_type_index, kTVMFFIAny);
  EXPECT_EQ(refl::GetFieldInfo("test.registry.Virtual", "value")->offset, 24);
  EXPECT_EQ(refl::GetFieldByteOffsetToObject(&BoxObj::height), 40);

  ExpectError("RuntimeError", "Cannot find field  `id` in test.registry.Box",
              [] { refl::GetFieldInfo("test.registry.Box", "id"); });
  ExpectError("RuntimeError", "Cannot find method nope in test.registry.Box",
              [] { refl::GetMethod("test.registry.Box", "nope"); });
}

TEST(Registry, TypeMetadata) {
  const TVMFFITypeInfo* box = InfoOf("test.registry.Box");
  ASSERT_NE(box->metadata, nullptr);
  EXPECT_EQ(box->metadata->total_size, static_cast<int32_t>(sizeof(BoxObj)));
  EXPECT_EQ(box->metadata->structural_eq_hash_kind, kTVMFFISEqHashKindTreeNode);
  EXPECT_EQ(Text(box->metadata->doc), "A box.");
  EXPECT_NE(box->metadata->creator, nullptr);
  EXPECT_EQ(box->type_depth, 2);
  EXPECT_EQ(InfoOf("test.registry.Pinned")->metadata->creator, nullptr);
}

TEST(Registry, GettersAndSetters) {
  const Box box(4);
  const refl::FieldGetter width("test.registry.Box", "width");
  EXPECT_EQ(width(box).cast<int64_t>(), 4);
  const refl::FieldSetter set_width("test.registry.Box", "width");
  set_width(box, 9);
  EXPECT_EQ(box->width, 9);
  ExpectError("TypeError", "Cannot convert from type `const char*` to `int`",
              [&] { set_width(box, "x"); });
  EXPECT_EQ(box->width, 9);
  const refl::FieldSetter set_small("test.registry.Box", "small");
  set_small(box, -128);
  EXPECT_EQ(box->small, -128);
  ExpectError("OverflowError",
              "Cannot convert integer 300 to `int8_t`, expected a value in [-128, 127]",
              [&] { set_small(box, 300); });
  EXPECT_EQ(box->small, -128);
  // A setter exists for read-only fields too: they are only not offered for writing.
  refl::FieldSetter("test.registry.Box", "extra")(box, Array<int64_t>{5});
  EXPECT_EQ(box->extra.cast<Array<int64_t>>()[0], 5);
  EXPECT_EQ(
      refl::FieldGetter("test.registry.Virtual", "value")(ObjectRef(make_object<VirtualObj>()))
          .cast<int64_t>(),
      5);
}

TEST(Registry, FieldsFromRootToLeaf) {
  std::vector<std::string> names;
  refl::ForEachFieldInfo(InfoOf("test.registry.Box"),
                         [&](const TVMFFIFieldInfo* field) { names.push_back(Text(field->name)); });
  EXPECT_EQ(names, (std::vector<std::string>{"id", "width", "height", "label", "sizes", "extra",
                                             "small"}));
  int seen = 0;
  EXPECT_TRUE(refl::ForEachFieldInfoWithEarlyStop(
      InfoOf("test.registry.Box"), [&](const TVMFFIFieldInfo*) { return ++seen == 2; }));
  EXPECT_EQ(seen, 2);
}

TEST(Registry, Methods) {
  const Box box(2);
  EXPECT_EQ(refl::GetMethod("test.registry.Box", "area")(box, 10).cast<double>(), 30.0);
  refl::GetMethod("test.registry.Box", "widen")(box, 5);
  EXPECT_EQ(box->width, 7);
  EXPECT_EQ(refl::GetMethod("test.registry.Box", "label_size")(box).cast<int64_t>(), 3);
  EXPECT_EQ(refl::GetMethod("test.registry.Box", "get_int")(box, 3).cast<int64_t>(), 21);
  EXPECT_EQ(refl::GetMethod("test.registry.Box", "get_text")(box, "!").cast<String>(), "box!");
  EXPECT_EQ(refl::GetMethod("test.registry.Box", "unit")().cast<Box>()->width, 1);
  // A method of the base works on derived objects.
  EXPECT_EQ(refl::GetMethod("test.registry.Base", "id_of")(box).cast<int64_t>(), 7);

  const TVMFFIMethodInfo* area = refl::GetMethodInfo("test.registry.Box", "area");
  EXPECT_EQ(Text(area->doc), "Area times a scale.");
  EXPECT_EQ(area->flags, 0);
  EXPECT_EQ(
      Text(area->metadata),
      R"({"type_schema":"{\"type\":\"ffi.Function\",\"named_args\":{\"return\":[{\"type\":\"float\"}],)"
      R"(\"params\":[{\"type\":\"test.registry.Box\"},{\"type\":\"float\"}]}}"})");
  EXPECT_EQ(refl::GetMethodInfo("test.registry.Box", "unit")->flags,
            kTVMFFIFieldFlagBitMaskIsStaticMethod);
  ExpectError("TypeError",
              "Mismatched type on argument #1 when calling: `test.registry.Box.area(0: "
              "test.registry.Box, 1: float) -> float`. Expected `float` but got `const char*`",
              [&] { refl::GetMethod("test.registry.Box", "area")(box, "x"); });
  ExpectError("TypeError",
              "Mismatched type on argument #0 when calling: `test.registry.Box.area(0: "
              "test.registry.Box, 1: float) -> float`. Expected `test.registry.Box` but got "
              "`ffi.Array`",
              [&] { refl::GetMethod("test.registry.Box", "area")(Array<Any>{}, 1.0); });
}

TEST(Registry, Constructor) {
  const Function init = refl::GetMethod("test.registry.Box", "__ffi_init__");
  EXPECT_EQ(init(6, "six").cast<Box>()->label, "six");
  const refl::TypeAttrColumn column(type_attr::kInit);
  EXPECT_TRUE(column[TypeKeyToIndex("test.registry.Box")].cast<Function>().same_as(init));
  const std::string schema =
      Text(refl::GetMethodInfo("test.registry.Box", "__ffi_init__")->metadata);
  EXPECT_NE(schema.find(R"(\"return\":[{\"type\":\"ffi.Object\"}])"), std::string::npos) << schema;
  // Suppressed by init(false); generated where nothing was said.
  EXPECT_TRUE(column[TypeKeyToIndex("test.registry.Pinned")] == nullptr);
  EXPECT_TRUE(column[TypeKeyToIndex("test.registry.Virtual")] != nullptr);
}

TEST(Registry, CopyNewAndFinal) {
  const int32_t box_index = TypeKeyToIndex("test.registry.Box");
  const int32_t pinned_index = TypeKeyToIndex("test.registry.Pinned");
  const Box box(8);
  const Function copy = refl::TypeAttrColumn(type_attr::kShallowCopy)[box_index].cast<Function>();
  const Box copied = copy(box).cast<Box>();
  EXPECT_FALSE(copied.same_as(box));
  EXPECT_EQ(copied->width, 8);
  EXPECT_EQ(copied.use_count(), 1);
  EXPECT_THROW(copy(Array<Any>{}), Error);
  EXPECT_EQ(refl::TypeAttrColumn(type_attr::kNew)[box_index].cast<Function>()().cast<Box>()->width,
            1);
  EXPECT_TRUE(refl::TypeAttrColumn(type_attr::kShallowCopy)[pinned_index] == nullptr);
  EXPECT_TRUE(refl::TypeAttrColumn(type_attr::kNew)[pinned_index] == nullptr);
  EXPECT_FALSE(refl::TypeAttrColumn(type_attr::kTypeFinal)[box_index].cast<bool>());
  EXPECT_TRUE(refl::TypeAttrColumn(type_attr::kTypeFinal)[pinned_index].cast<bool>());
}

TEST(Registry, TypeAttributes) {
  const refl::TypeAttrColumn numbers("test.registry.number");
  EXPECT_EQ(numbers[TypeKeyToIndex("test.registry.Box")].cast<int64_t>(), 42);
  EXPECT_EQ(numbers[TypeKeyToIndex("test.registry.Pinned")].cast<int64_t>(), 43);
  EXPECT_TRUE(numbers[TypeKeyToIndex("test.registry.Base")] == nullptr);
  EXPECT_TRUE(numbers[1 << 20] == nullptr);
  EXPECT_TRUE(numbers[-5] == nullptr);
  const refl::TypeAttrColumn functions("test.registry.function");
  EXPECT_EQ(functions[TypeKeyToIndex("test.registry.Box")].cast<Function>()(1).cast<int64_t>(), 2);
  const refl::AttrKey<double> key{"test.registry.double"};
  // Converted to the type of the key when it was stored.
  EXPECT_EQ(key.ValueFrom(refl::TypeAttrColumn(key)[TypeKeyToIndex("test.registry.Pinned")]), 2.0);
  EXPECT_EQ(key.ValueFrom(AnyView(nullptr)), std::nullopt);
  ExpectError("TypeError", "Cannot treat type `int` as type `float`",
              [&] { key.ValueFrom(AnyView(1)); });
  ExpectError("RuntimeError", "Cannot find type attribute test.registry.absent",
              [] { refl::TypeAttrColumn column("test.registry.absent"); });
  refl::EnsureTypeAttrColumn("test.registry.ensured");
  EXPECT_TRUE(refl::TypeAttrColumn("test.registry.ensured")[0] == nullptr);
}

TEST(Registry, Convert) {
  const Function convert =
      refl::TypeAttrColumn(type_attr::kConvert)[TypeKeyToIndex("test.registry.Box")]
          .cast<Function>();
  const Box box(1);
  EXPECT_TRUE(convert(box).cast<Box>().same_as(box));
  ExpectError("TypeError", "Cannot cast from `int` to `test.registry.Box`", [&] { convert(1); });
}

TEST(Registry, GlobalFunctions) {
  EXPECT_EQ(Function::GetGlobalRequired("test.registry.add")(2, 3).cast<int64_t>(), 5);
  EXPECT_EQ(Function::GetGlobalRequired("test.registry.count")(1, 2, 3).cast<int64_t>(), 3);
  EXPECT_EQ(Function::GetGlobalRequired("test.registry.area")(Box(2), 1).cast<double>(), 3.0);
  EXPECT_EQ(Function::GetGlobalRequired("test.registry.twice")(Box(2)).cast<int64_t>(), 4);
  const Function metadata = Function::GetGlobalRequired("ffi.GetGlobalFuncMetadata");
  EXPECT_EQ(metadata("test.registry.add").cast<String>(),
            R"({"type_schema":"{\"type\":\"ffi.Function\",\"named_args\":{\"return\":[{\"type\":)"
            R"(\"int\"}],\"params\":[{\"type\":\"int\"},{\"type\":\"int\"}]}}"})");
  EXPECT_EQ(metadata("test.registry.count").cast<String>(),
            R"({"type_schema":"{\"type\":\"ffi.Function\"}"})");
  const std::string named = metadata("test.registry.named").cast<String>();
  const std::string want =
      R"(","param_names":"x, y","param_defaults":"{\"y\": 1}","never_blocks":true})";
  EXPECT_EQ(named.substr(named.size() - want.size()), want);
  try {
    refl::GlobalDef().def("test.registry.add", [] {});
    ADD_FAILURE() << "a taken name was accepted";
  } catch (const Error& err) {
    EXPECT_EQ(err.kind(), "RuntimeError");
    EXPECT_EQ(err.message().find("Global Function `test.registry.add` is already registered"), 0u);
  }
  ExpectError(
      "TypeError", "Metadata can be only int, bool or string, but on key `bad`, the type is float",
      [] { refl::GlobalDef().def("test.registry.bad", [] {}, refl::Metadata{{"bad", 1.5}}); });
  EXPECT_FALSE(Function::GetGlobal("test.registry.bad").has_value());
}

TEST(Registry, ObjectCreator) {
  const refl::ObjectCreator creator("test.registry.Box");
  EXPECT_TRUE(HasCreator(InfoOf("test.registry.Box")));
  // `id` has no default.
  ExpectError("TypeError", "Required field `id` not set in type `test.registry.Box`",
              [&] { creator({{"width", 1}}); });
  const Box box = creator({{"id", 11}, {"height", 8}}).cast<Box>();
  EXPECT_EQ(box->id, 11);
  EXPECT_EQ(box->width, 3);
  EXPECT_EQ(box->height, 8.0);
  EXPECT_EQ(box->label, "none");
  EXPECT_EQ(box->sizes.size(), 2u);
  // The factory makes a new value each time.
  EXPECT_FALSE(box->sizes.same_as(creator({{"id", 1}}).cast<Box>()->sizes));
  ExpectError("TypeError", "Type `test.registry.Box` does not have field `depth`",
              [&] { creator({{"id", 1}, {"depth", 1}}); });
  ExpectError(
      "RuntimeError",
      "Type `test.registry.Pinned` does not support default constructor, as a result cannot "
      "be created via reflection",
      [] { refl::ObjectCreator pinned("test.registry.Pinned"); });
  ExpectError("RuntimeError",
              "Type `test.registry.Pinned` does not support reflection creation (no native creator "
              "or __ffi_new__ type attr)",
              [] { CreateEmptyObject(InfoOf("test.registry.Pinned")); });
}

TEST(Registry, SetterThatIsAFunction) {
  TVMFFIFieldInfo info = *refl::GetFieldInfo("test.registry.Box", "width");
  const Function setter = Function::FromTyped(
      [](void* address, int64_t value) { *static_cast<int64_t*>(address) = value * 100; });
  info.setter = detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(setter);
  info.flags |= kTVMFFIFieldFlagBitSetterIsFunctionObj;
  const Box box(1);
  refl::FieldSetter set(&info);
  set(box, 3);
  EXPECT_EQ(box->width, 300);
  refl::SetFieldToDefault(&info, const_cast<int64_t*>(&box->width));
  EXPECT_EQ(box->width, 300);  // the default is 3
  info.setter = nullptr;
  info.flags = 0;
  ExpectError("TypeError", "the field has no setter", [&] {
    refl::FieldSetter none(&info);
    none(box, 1);
  });
}

TEST(Registry, GenericAlgorithmsSeeTheFields) {
  const Box box(2);
  EXPECT_EQ(ReprPrint(box),
            "test.registry.Box(id=7, width=2, label=\"box\", sizes=(), extra=None, small=0)");
  const Box copy = DeepCopy(box).cast<Box>();
  EXPECT_FALSE(copy.same_as(box));
  EXPECT_TRUE(RecursiveEq(box, copy));
  copy->label = "other";  // left out of comparisons
  EXPECT_TRUE(RecursiveEq(box, copy));
  copy->width = 9;
  EXPECT_FALSE(RecursiveEq(box, copy));
}

int64_t FreeFunction(int64_t a) { return a; }
int64_t FreeFunction(int64_t a, double) { return a + 1; }
int64_t FreeFunction(const String&) { return 3; }

TEST(Registry, OverloadCast) {
  EXPECT_EQ(refl::overload_cast<int64_t>(&FreeFunction)(1), 1);
  EXPECT_EQ((refl::overload_cast<int64_t, double>(&FreeFunction)(1, 2.0)), 2);
  EXPECT_EQ(refl::overload_cast<const String&>(&FreeFunction)("x"), 3);
}

}  // namespace
