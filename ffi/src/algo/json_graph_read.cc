// SPDX-License-Identifier: Apache-2.0
// FromJSONGraph: the value that a JSON graph describes (ffi-abi 11.4).
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/device.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/extra/base64.h>
#include <tvm/ffi/extra/json.h>
#include <tvm/ffi/extra/serialization.h>
#include <tvm/ffi/reflection/registry.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "json_graph.h"
#include "quick_def.h"
#include "register.h"
#include "value_access.h"
#include "walk_scope.h"

namespace tvm {
namespace ffi {
namespace algo {
namespace {

using JsonObject = Map<Any, Any>;

std::optional<Any> FindKey(const JsonObject& object, const char* key) {
  return object.Get(Any(String(key)));
}

class GraphReader {
 public:
  explicit GraphReader(const Any& graph) {
    if (graph.type_index() != kTVMFFIMap) {
      TVM_FFI_THROW(ValueError) << "Invalid JSON Object Graph, expected an object";
    }
    const auto object = graph.cast<JsonObject>();
    const auto root = FindKey(object, "root_index");
    if (!root.has_value() || root->type_index() != kTVMFFIInt) {
      TVM_FFI_THROW(ValueError) << "Invalid JSON Object Graph, expected `root_index` integer field";
    }
    const auto nodes = FindKey(object, "nodes");
    if (!nodes.has_value() || nodes->type_index() != kTVMFFIArray) {
      TVM_FFI_THROW(ValueError) << "Invalid JSON Object Graph, expected `nodes` array field";
    }
    root_ = root->cast<int64_t>();
    nodes_ = nodes->cast<Array<Any>>();
    state_.resize(nodes_.size(), State::kNew);
    values_.resize(nodes_.size());
  }

  Any Read() {
    WalkScope walk;  // the graph may hold Lists and Dicts of others
    Require(root_);
    while (!pending_.empty()) {
      const int64_t index = pending_.back();
      State& state = state_[static_cast<size_t>(index)];
      if (state == State::kNew) {
        state = State::kOpen;
        const size_t before = pending_.size();
        Scan(index);
        // The children found in order are decoded in order.
        std::reverse(pending_.begin() + static_cast<std::ptrdiff_t>(before), pending_.end());
      } else {
        if (state == State::kOpen) {
          values_[static_cast<size_t>(index)] = Decode(index);
          state_[static_cast<size_t>(index)] = State::kDone;
        }
        pending_.pop_back();
      }
    }
    return values_[static_cast<size_t>(root_)];
  }

 private:
  enum class State : uint8_t { kNew, kOpen, kDone };

  /// Makes sure that a node will be decoded before the one that is being scanned.
  void Require(int64_t index) {
    if (index < 0 || index >= static_cast<int64_t>(state_.size())) {
      TVM_FFI_THROW(ValueError) << "Invalid JSON Object Graph: invalid node index " << index;
    }
    switch (state_[static_cast<size_t>(index)]) {
      case State::kNew:
        pending_.push_back(index);
        return;
      case State::kOpen:
        TVM_FFI_THROW(ValueError) << "Invalid JSON Object Graph: node " << index
                                  << " refers to itself";
      case State::kDone:
        return;
    }
  }

  JsonObject NodeAt(int64_t index) const { return Any(nodes_[index]).cast<JsonObject>(); }

  static int32_t TypeOf(const JsonObject& node) {
    const String key = node.at(Any(String("type"))).cast<String>();
    const TVMFFIByteArray bytes{key.data(), key.size()};
    int32_t type_index = 0;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeKeyToIndex(&bytes, &type_index));
    return type_index;
  }

  static Any DataOf(const JsonObject& node) { return node.at(Any(String("data"))); }

  static bool HasDecoder(int32_t type_index) {
    static const HookColumn column("__data_from_json__");
    return column.Find(type_index) != nullptr;
  }

  /// Requires the children of a node.
  void Scan(int64_t index) {
    const JsonObject node = NodeAt(index);
    const int32_t type_index = TypeOf(node);
    switch (type_index) {
      case kTVMFFIMap:
      case kTVMFFIDict:
      case kTVMFFIArray:
      case kTVMFFIList: {
        const auto data = DataOf(node).cast<Array<Any>>();
        if ((type_index == kTVMFFIMap || type_index == kTVMFFIDict) && data.size() % 2 != 0) {
          TVM_FFI_THROW(ValueError)
              << "Invalid JSON Object Graph: Map/Dict data must contain an even number of "
                 "[key, value] entries, got "
              << data.size();
        }
        for (const Any& child : data) Require(child.cast<int64_t>());
        return;
      }
      default:
        break;
    }
    if (type_index < kTVMFFIStaticObjectBegin || type_index == kTVMFFIStr ||
        type_index == kTVMFFIBytes || type_index == kTVMFFIShape || IsEnumType(type_index) ||
        HasDecoder(type_index)) {
      return;
    }
    const auto data = DataOf(node).cast<JsonObject>();
    FieldCursor fields(TypeInfoOf(type_index));
    while (const TVMFFIFieldInfo* field = fields.Next()) {
      if (IsInlinedField(field)) continue;
      const auto child = data.Get(Any(String(field->name.data, field->name.size)));
      if (child.has_value()) Require(child->cast<int64_t>());
    }
  }

  Any Decode(int64_t index) const {
    const JsonObject node = NodeAt(index);
    const int32_t type_index = TypeOf(node);
    switch (type_index) {
      case kTVMFFINone:
        return Any();
      case kTVMFFIBool:
        return Any(DataOf(node).cast<bool>());
      case kTVMFFIInt:
        return Any(DataOf(node).cast<int64_t>());
      case kTVMFFIFloat:
        return Any(DataOf(node).cast<double>());
      case kTVMFFIDataType:
        return Any(ParseDType(DataOf(node).cast<String>()));
      case kTVMFFIDevice:
        return DecodeDevice(DataOf(node).cast<Array<Any>>());
      case kTVMFFIStr:
        return Any(DataOf(node).cast<String>());
      case kTVMFFIBytes:
        return Any(Base64Decode(DataOf(node).cast<String>()));
      case kTVMFFIShape:
        return Any(Shape(DataOf(node).cast<Array<int64_t>>()));
      case kTVMFFIArray: {
        Array<Any> out;
        FillSequence(node, &out);
        return out;
      }
      case kTVMFFIList: {
        List<Any> out;
        FillSequence(node, &out);
        return out;
      }
      case kTVMFFIMap: {
        Map<Any, Any> out;
        FillMap(node, &out);
        return out;
      }
      case kTVMFFIDict: {
        Dict<Any, Any> out;
        FillMap(node, &out);
        return out;
      }
      default:
        return DecodeObject(node, type_index);
    }
  }

  template <typename Sequence>
  void FillSequence(const JsonObject& node, Sequence* out) const {
    const auto data = DataOf(node).cast<Array<Any>>();
    out->reserve(static_cast<int64_t>(data.size()));
    for (const Any& child : data) out->push_back(ValueAt(child));
  }

  template <typename Table>
  void FillMap(const JsonObject& node, Table* out) const {
    const auto data = DataOf(node).cast<Array<Any>>();
    for (int64_t i = 0; i + 1 < static_cast<int64_t>(data.size()); i += 2) {
      out->Set(ValueAt(data[i]), ValueAt(data[i + 1]));
    }
  }

  /// Decoded value of a node that Scan() has required.
  const Any& ValueAt(const Any& index) const {
    return values_[static_cast<size_t>(index.cast<int64_t>())];
  }

  static DLDataType ParseDType(const String& text) {
    const TVMFFIByteArray bytes{text.data(), text.size()};
    DLDataType dtype{};
    TVM_FFI_CHECK_SAFE_CALL(TVMFFIDataTypeFromString(&bytes, &dtype));
    return dtype;
  }

  static Any DecodeDevice(const Array<Any>& data) {
    if (data.size() != 2) {
      TVM_FFI_THROW(ValueError)
          << "Invalid JSON Object Graph: Device data must be an array of [device_type, "
             "device_id], got "
          << data.size() << " element(s)";
    }
    return Any(
        TVMFFIDLDeviceFromIntPair(Any(data[0]).cast<int32_t>(), Any(data[1]).cast<int32_t>()));
  }

  Any DecodeObject(const JsonObject& node, int32_t type_index) const {
    const TVMFFITypeInfo* info = TypeInfoOf(type_index);
    if (type_index < kTVMFFIStaticObjectBegin) {
      TVM_FFI_THROW(RuntimeError) << "Cannot deserialize type `" << ViewOfBytes(info->type_key)
                                  << "`";
    }
    const Any data = DataOf(node);
    if (IsEnumType(type_index)) return DecodeEnum(data, type_index);
    static const HookColumn column("__data_from_json__");
    if (Function hook = column.FindFunction(type_index, "__data_from_json__"); hook != nullptr)
      return hook(data);
    const auto fields_by_name = data.cast<JsonObject>();
    const Any object = CreateEmpty(info);
    const TVMFFIObject* header = Raw(object).v_obj;
    FieldCursor fields(info);
    while (const TVMFFIFieldInfo* field = fields.Next()) {
      const auto text = fields_by_name.Get(Any(String(field->name.data, field->name.size)));
      if (text.has_value()) {
        const Any value = IsInlinedField(field) ? InlinedValue(field, *text) : ValueAt(*text);
        WriteField(header, field, Raw(value));
      } else if ((field->flags & kTVMFFIFieldFlagBitMaskHasDefault) != 0) {
        const Any value = FieldDefault(field);
        WriteField(header, field, Raw(value));
      } else {
        TVM_FFI_THROW(TypeError) << "Required field `" << ViewOfBytes(field->name)
                                 << "` not set in type `" << ViewOfBytes(info->type_key) << "`";
      }
    }
    return object;
  }

  static Any InlinedValue(const TVMFFIFieldInfo* field, const Any& value) {
    switch (field->field_static_type_index) {
      case kTVMFFIDataType:
        return IsStr(Raw(value)) ? Any(ParseDType(value.cast<String>())) : value;
      default:
        return value;  // the setter converts, and says what is wrong
    }
  }

  static Any DecodeEnum(const Any& key, int32_t type_index) {
    if (Raw(key).type_index == kTVMFFIInt) {
      return EnumObj::_GetByIntIndex(type_index, key.cast<int64_t>());
    }
    return EnumObj::_GetByStrIndex(type_index, key.cast<String>());
  }

  int64_t root_ = 0;
  Array<Any> nodes_;
  std::vector<State> state_;
  std::vector<Any> values_;
  std::vector<int64_t> pending_;
};

}  // namespace

void RegisterJsonGraph() {
  QuickDef()
      .def(
          "ffi.ToJSONGraph",
          [](const Any& value, const Any& metadata) -> Any { return ToJSONGraph(value, metadata); })
      .def("ffi.ToJSONGraphString",
           [](const Any& value, const Any& metadata) -> String {
             return json::Stringify(ToJSONGraph(value, metadata));
           })
      .def("ffi.FromJSONGraph", [](const Any& graph) -> Any { return FromJSONGraph(graph); })
      .def("ffi.FromJSONGraphString",
           [](const String& text) -> Any { return FromJSONGraph(json::Parse(text)); })
      .def("ffi.json.Parse", [](const String& text) -> Any { return json::Parse(text); })
      .def("ffi.json.Stringify", [](const Any& value, const Optional<int>& indent) -> String {
        return json::Stringify(value, indent);
      });
}

}  // namespace algo

Any FromJSONGraph(const json::Value& value) { return algo::GraphReader(value).Read(); }

}  // namespace ffi
}  // namespace tvm
