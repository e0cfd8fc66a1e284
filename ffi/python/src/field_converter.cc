// SPDX-License-Identifier: Apache-2.0
// What a declared type does with a value is written in Python, in tvm_ffi._type_convert. Here is
// the part of it that most values need: those that have the declared type already, and numbers of
// another kind. It needs no interpreter, so a graph is read with the GIL dropped. Every other
// value, wrong ones too, is left to Python.
#include "field_converter.h"

#include <memory>
#include <string_view>
#include <vector>

#include "argument.h"
#include "container.h"
#include "core_functions.h"
#include "error.h"
#include "field.h"
#include "result.h"

namespace tvm::ffi::detail::python {

namespace {

enum class Kind : uint8_t {
  kPython,  // none of those below
  kAny,
  kInt,
  kFloat,
  kBool,
  kExact,     // one of two type indices
  kObject,    // a type or one derived from it
  kSequence,  // Array or List
  kMapping,   // Map or Dict
  kTuple,     // Array with an own type for each element
  kOptional,
  kUnion,
};

struct TypeRule {
  Kind kind = Kind::kPython;
  int32_t index = 0;        // kExact, kObject: type index; containers: that of the result
  int32_t alternative = 0;  // kExact: the other type index
  std::vector<TypeRule> args;
};

enum class Found { kSame, kOther, kUnknown };

Found Convert(const TypeRule& rule, const TVMFFIAny& in, TVMFFIAny* out);

Found Same(const TVMFFIAny& in, TVMFFIAny* out) {
  *out = in;
  if (in.type_index >= kTVMFFIStaticObjectBegin) IncRefNative(in.v_obj);
  return Found::kSame;
}

Found Other(const TVMFFIAny& value, TVMFFIAny* out) {
  *out = value;
  return Found::kOther;
}

Found ToInt(const TVMFFIAny& in, TVMFFIAny* out) {
  if (in.type_index == kTVMFFIInt) return Same(in, out);
  if (in.type_index != kTVMFFIBool) return Found::kUnknown;
  SetInt(out, in.v_int64 != 0);
  return Found::kOther;
}

Found ToFloat(const TVMFFIAny& in, TVMFFIAny* out) {
  if (in.type_index == kTVMFFIFloat) return Same(in, out);
  if (in.type_index != kTVMFFIInt && in.type_index != kTVMFFIBool) return Found::kUnknown;
  SetFloat(out, static_cast<double>(in.v_int64));
  return Found::kOther;
}

Found ToBool(const TVMFFIAny& in, TVMFFIAny* out) {
  if (in.type_index == kTVMFFIBool) return Same(in, out);
  if (in.type_index != kTVMFFIInt) return Found::kUnknown;
  SetBool(out, in.v_int64 != 0);
  return Found::kOther;
}

// A value that stays: the hooks of keys, which building a Map or Dict runs, may change what holds
// it.
class Kept {
 public:
  explicit Kept(const TVMFFIAny& value) : value_(value) {
    if (value.type_index >= kTVMFFIStaticObjectBegin) IncRefNative(value.v_obj);
  }
  ~Kept() { DecRefAny(value_); }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  const TVMFFIAny& get() const { return value_; }

 private:
  const TVMFFIAny value_;
};

// Elements in the making; released unless they are built into a container.
class Elements {
 public:
  Elements() = default;
  Elements(const Elements&) = delete;
  Elements& operator=(const Elements&) = delete;
  ~Elements() {
    for (const TVMFFIAny& value : values_) DecRefAny(value);
  }
  // False when the element is not to be converted here.
  bool Add(const TypeRule& rule, const TVMFFIAny& in) {
    Kept kept(in);
    TVMFFIAny value;
    Found found = Convert(rule, kept.get(), &value);
    if (found == Found::kUnknown) return false;
    same_ = same_ && found == Found::kSame;
    values_.push_back(value);
    return true;
  }
  // The container that `in` is when it has the wanted kind and nothing has changed, else a new one.
  Found Build(int32_t index, const TVMFFIAny& in, TVMFFIAny* out) {
    if (same_ && in.type_index == index) return Same(in, out);
    if (values_.size() > INT32_MAX) return Found::kUnknown;
    TVMFFIAny made{};
    if (TVMFFIFunctionCall(Builder(index), values_.data(), static_cast<int32_t>(values_.size()),
                           &made) != 0) {
      TVMFFIObjectHandle error = nullptr;
      TVMFFIErrorMoveFromRaised(&error);
      DecRefNative(static_cast<TVMFFIObject*>(error));
      return Found::kUnknown;
    }
    return Other(made, out);
  }

 private:
  static TVMFFIObject* Builder(int32_t index) {
    switch (index) {
      case kTVMFFIArray:
        return rt.fn_array;
      case kTVMFFIList:
        return rt.fn_list;
      case kTVMFFIMap:
        return rt.fn_map;
      default:
        return rt.fn_dict;
    }
  }

  std::vector<TVMFFIAny> values_;
  bool same_ = true;
};

// Whether a container can be read here: others change List and Dict while this thread has dropped
// the GIL. Where there is none, a place among the walks keeps them from that.
bool Readable(const TVMFFIAny& in) {
  if (in.type_index == kTVMFFIArray || in.type_index == kTVMFFIMap) return true;
#ifdef Py_GIL_DISABLED
  return true;
#else
  return PyGILState_Check() != 0;
#endif
}

Found ToSequence(const TypeRule& rule, const TVMFFIAny& in, TVMFFIAny* out) {
  if (!IsSequenceIndex(in.type_index) || !Readable(in)) return Found::kUnknown;
  const TypeRule& element = rule.args[0];
  if (element.kind == Kind::kAny && in.type_index == rule.index) return Same(in, out);
  const TVMFFISeqCell* cell = SequenceOf(in.v_obj);
  Elements elements;
  for (int64_t i = 0, size = cell->size; i < size && i < cell->size; ++i) {
    if (!elements.Add(element, static_cast<const TVMFFIAny*>(cell->data)[i])) {
      return Found::kUnknown;
    }
  }
  return elements.Build(rule.index, in, out);
}

Found ToTuple(const TypeRule& rule, const TVMFFIAny& in, TVMFFIAny* out) {
  if (!IsSequenceIndex(in.type_index) || !Readable(in)) return Found::kUnknown;
  const TVMFFISeqCell* cell = SequenceOf(in.v_obj);
  if (cell->size != static_cast<int64_t>(rule.args.size())) return Found::kUnknown;
  Elements elements;
  for (size_t i = 0; i < rule.args.size(); ++i) {
    if (cell->size != static_cast<int64_t>(rule.args.size()) ||
        !elements.Add(rule.args[i], static_cast<const TVMFFIAny*>(cell->data)[i])) {
      return Found::kUnknown;
    }
  }
  return elements.Build(kTVMFFIArray, in, out);
}

Found ToMapping(const TypeRule& rule, const TVMFFIAny& in, TVMFFIAny* out) {
  if (!IsMappingIndex(in.type_index) || !Readable(in)) return Found::kUnknown;
  if (rule.args[0].kind == Kind::kAny && rule.args[1].kind == Kind::kAny &&
      in.type_index == rule.index) {
    return Same(in, out);
  }
  Elements elements;
  MapCursor cursor(in.v_obj);
  TVMFFIAny key, value;
  for (;;) {
    switch (cursor.Next(in.v_obj, &key, &value)) {
      case MapCursor::Step::kEntry:
        break;
      case MapCursor::Step::kEnd:
        return elements.Build(rule.index, in, out);
      case MapCursor::Step::kChanged:
        return Found::kUnknown;
    }
    Kept kept_value(value);
    if (!elements.Add(rule.args[0], key) || !elements.Add(rule.args[1], value)) {
      return Found::kUnknown;
    }
  }
}

// A value of these types is what it is; any other may say itself what it converts to.
bool IsPlain(int32_t type_index) {
  return type_index == kTVMFFINone || type_index == kTVMFFIInt || type_index == kTVMFFIBool ||
         type_index == kTVMFFIFloat || type_index == kTVMFFISmallStr || type_index == kTVMFFIStr;
}

// Whether a type surely takes no such plain value, which Python would find out by an error.
bool Refuses(const TypeRule& rule, int32_t plain) {
  bool number = plain == kTVMFFIInt || plain == kTVMFFIBool;
  switch (rule.kind) {
    case Kind::kInt:
    case Kind::kBool:
      return !number;
    case Kind::kFloat:
      return !number && plain != kTVMFFIFloat;
    case Kind::kExact:
      return rule.index == kTVMFFINone || rule.index == kTVMFFISmallStr ||
             rule.index == kTVMFFISmallBytes;
    case Kind::kSequence:
    case Kind::kMapping:
    case Kind::kTuple:
      return true;
    default:
      return false;
  }
}

Found ToUnion(const TypeRule& rule, const TVMFFIAny& in, TVMFFIAny* out) {
  for (const TypeRule& member : rule.args) {
    Found found = Convert(member, in, out);
    if (found != Found::kUnknown) return found;
    if (!IsPlain(in.type_index) || !Refuses(member, in.type_index)) return Found::kUnknown;
  }
  return Found::kUnknown;
}

Found Convert(const TypeRule& rule, const TVMFFIAny& in, TVMFFIAny* out) {
  switch (rule.kind) {
    case Kind::kPython:
      return Found::kUnknown;
    case Kind::kAny:
      switch (in.type_index) {
        case kTVMFFIRawStr:
        case kTVMFFIByteArrayPtr:
        case kTVMFFIObjectRValueRef:
        case kTVMFFIDLTensorPtr:
        case kTVMFFIOpaquePyObject:
          return Found::kUnknown;
        default:
          return Same(in, out);
      }
    case Kind::kInt:
      return ToInt(in, out);
    case Kind::kFloat:
      return ToFloat(in, out);
    case Kind::kBool:
      return ToBool(in, out);
    case Kind::kExact:
      if (in.type_index != rule.index && in.type_index != rule.alternative) return Found::kUnknown;
      return Same(in, out);
    case Kind::kObject:
      if (in.type_index < kTVMFFIStaticObjectBegin || in.type_index == kTVMFFIOpaquePyObject ||
          !IsInstanceOf(in.type_index, rule.index)) {
        return Found::kUnknown;
      }
      return Same(in, out);
    case Kind::kSequence:
      return ToSequence(rule, in, out);
    case Kind::kMapping:
      return ToMapping(rule, in, out);
    case Kind::kTuple:
      return ToTuple(rule, in, out);
    case Kind::kOptional:
      return in.type_index == kTVMFFINone ? Same(in, out) : Convert(rule.args[0], in, out);
    case Kind::kUnion:
      return ToUnion(rule, in, out);
  }
  return Found::kUnknown;
}

// ---- rules of schemas --------------------------------------------------------------------------

bool Compile(PyObject* schema, TypeRule* rule);

// Compiles the arguments of a schema; `*given` is false when it has none. False with an exception.
bool CompileArgs(PyObject* schema, TypeRule* rule, bool* given) {
  PyRef args(PyObject_GetAttrString(schema, "args"));
  if (!args) return false;
  *given = args.get() != Py_None;
  if (!*given) return true;
  PyRef items(PySequence_Tuple(args.get()));
  if (!items) return false;
  rule->args.resize(static_cast<size_t>(PyTuple_GET_SIZE(items.get())));
  for (size_t i = 0; i < rule->args.size(); ++i) {
    if (!Compile(PyTuple_GET_ITEM(items.get(), static_cast<Py_ssize_t>(i)), &rule->args[i])) {
      return false;
    }
  }
  return true;
}

struct NamedRule {
  std::string_view origin;
  Kind kind;
  int32_t index, alternative;
};
constexpr NamedRule kRules[] = {
    {"Any", Kind::kAny, 0, 0},
    {"None", Kind::kExact, kTVMFFINone, kTVMFFINone},
    {"int", Kind::kInt, 0, 0},
    {"float", Kind::kFloat, 0, 0},
    {"bool", Kind::kBool, 0, 0},
    {"str", Kind::kExact, kTVMFFISmallStr, kTVMFFIStr},
    {"bytes", Kind::kExact, kTVMFFISmallBytes, kTVMFFIBytes},
    {"dtype", Kind::kExact, kTVMFFIDataType, kTVMFFIDataType},
    {"Device", Kind::kExact, kTVMFFIDevice, kTVMFFIDevice},
    {"ctypes.c_void_p", Kind::kExact, kTVMFFIOpaquePtr, kTVMFFIOpaquePtr},
    {"Tensor", Kind::kExact, kTVMFFITensor, kTVMFFITensor},
    {"Callable", Kind::kExact, kTVMFFIFunction, kTVMFFIFunction},
    {"Array", Kind::kSequence, kTVMFFIArray, 0},
    {"List", Kind::kSequence, kTVMFFIList, 0},
    {"list", Kind::kSequence, kTVMFFIList, 0},
    {"Map", Kind::kMapping, kTVMFFIMap, 0},
    {"Dict", Kind::kMapping, kTVMFFIDict, 0},
    {"dict", Kind::kMapping, kTVMFFIDict, 0},
    {"tuple", Kind::kTuple, kTVMFFIArray, 0},
    {"Optional", Kind::kOptional, 0, 0},
    {"Union", Kind::kUnion, 0, 0},
};

// What a rule needs of its arguments; one that lacks them is left to Python.
bool ArgsFit(const TypeRule& rule, bool given) {
  switch (rule.kind) {
    case Kind::kSequence:
    case Kind::kOptional:
      return rule.args.size() == 1;
    case Kind::kMapping:
      return rule.args.size() == 2;
    case Kind::kTuple:
      return given;
    default:
      return true;
  }
}

bool Compile(PyObject* schema, TypeRule* rule) {
  PyRef origin(PyObject_GetAttrString(schema, "origin"));
  PyRef index(PyObject_GetAttrString(schema, "origin_type_index"));
  if (!origin || !index) return false;
  TVMFFIByteArray text;
  long type_index = PyLong_AsLong(index.get());
  if ((type_index == -1 && PyErr_Occurred()) || !Utf8(origin.get(), &text)) return false;
  std::string_view name(text.data, text.size);
  for (const NamedRule& named : kRules) {
    if (named.origin != name) continue;
    rule->kind = named.kind;
    rule->index = named.index;
    rule->alternative = named.alternative;
    bool given = false;
    if (!CompileArgs(schema, rule, &given)) return false;
    if (!ArgsFit(*rule, given)) rule->kind = Kind::kPython;
    return true;
  }
  if (type_index >= kTVMFFIStaticObjectBegin) {
    rule->kind = Kind::kObject;
    rule->index = static_cast<int32_t>(type_index);
  }
  return true;
}

struct FieldConverter {
  TypeRule rule;
  PyObject* schema;  // owned
};

// Leaves the conversion to Python. The result is owned; false with an exception.
bool ConvertInPython(PyObject* schema, const TVMFFIAny& value, TVMFFIAny* out) {
  PyRef py_value(ResultOfView(value, nullptr));
  PyRef result(
      py_value ? PyObject_CallFunctionObjArgs(rt.convert_schema, schema, py_value.get(), nullptr)
               : nullptr);
  if (!result) return false;
  const TVMFFIAny* any = AnyOf(result.get());
  if (any == nullptr) return ConvertOwned(result.get(), out);
  *out = *any;
  if (out->type_index >= kTVMFFIStaticObjectBegin) IncRefNative(out->v_obj);
  return true;
}

// False when the value is not to be converted here.
bool ConvertHere(const TypeRule& rule, const TVMFFIAny& value, TVMFFIAny* out) {
  if (!IsSequenceIndex(value.type_index) && !IsMappingIndex(value.type_index)) {
    return Convert(rule, value, out) != Found::kUnknown;
  }
  GroupScope walking(Group::kWalking);
  return Convert(rule, value, out) != Found::kUnknown;
}

}  // namespace

int ConvertForField(void* converter, const TVMFFIAny* value, TVMFFIAny* out) {
  auto* field = static_cast<const FieldConverter*>(converter);
  if (ConvertHere(field->rule, *value, out)) return 0;
  *out = TVMFFIAny{};
  GilScope gil;
  if (!gil.ok()) {
    TVMFFIErrorSetRaisedFromCStr("RuntimeError", "a field was set after the interpreter shut down");
    return -1;
  }
#ifndef Py_GIL_DISABLED
  if (ConvertHere(field->rule, *value, out)) return 0;  // with the GIL now
  *out = TVMFFIAny{};
#endif
  if (ConvertInPython(field->schema, *value, out)) return 0;
  SetSlotFromPython();
  PyErr_Clear();
  return -1;
}

void* MakeFieldConverter(PyObject* schema) {
  auto made = std::make_unique<FieldConverter>();
  if (!Compile(schema, &made->rule)) return nullptr;
  made->schema = Py_NewRef(schema);
  return made.release();
}

}  // namespace tvm::ffi::detail::python
