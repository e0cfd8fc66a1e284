// SPDX-License-Identifier: Apache-2.0
// ToJSONGraph: a value graph as a list of nodes that refer to each other by index (ffi-abi 11.4).
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/extra/base64.h>
#include <tvm/ffi/extra/json.h>
#include <tvm/ffi/extra/serialization.h>

#include <unordered_map>
#include <vector>

#include "json_graph.h"
#include "value_access.h"
#include "walk_scope.h"

namespace tvm {
namespace ffi {
namespace algo {
namespace {

using JsonObject = Map<Any, Any>;

class GraphWriter {
 public:
  Any Write(const Any& root, const Any& metadata) {
    WalkScope walk;
    Begin(root);
    while (!stack_.empty()) Step();
    JsonObject out;
    out.Set(String("root_index"), result_);
    out.Set(String("nodes"), Array<Any>(nodes_.begin(), nodes_.end()));
    if (metadata.type_index() != kTVMFFINone) out.Set(String("metadata"), metadata);
    return out;
  }

 private:
  static constexpr int64_t kOpen = -1;
  enum class Kind { kSequence, kMap, kFields };

  struct Frame {
    Any owner;
    Kind kind = Kind::kSequence;
    bool waiting = false;  // a child was begun: its node index is in result_
    SeqCursor sequence;
    MapCursor map;
    bool has_value = false;  // kMap: the key is written, its value comes next
    Any value;
    FieldCursor fields;
    const TVMFFIFieldInfo* field = nullptr;
    std::vector<Any> children;
    JsonObject data;
  };

  /// Leaves the node index of `v` in result_, or pushes a frame that will.
  void Begin(const Any& v) {
    auto [it, fresh] = index_of_.try_emplace(v, kOpen);
    if (!fresh) {
      if (it->second == kOpen) ThrowCycle(v);
      result_ = it->second;
      return;
    }
    const TVMFFIAny& raw = Raw(v);
    switch (raw.type_index) {
      case kTVMFFINone:
        return AddNode(v, nullptr);
      case kTVMFFIBool:
      case kTVMFFIInt:
      case kTVMFFIFloat:
        return AddNode(v, &v);
      case kTVMFFIDataType:
        return AddNode(v, Any(DTypeText(raw.v_dtype)));
      case kTVMFFIDevice:
        return AddNode(v, Any(Array<Any>{static_cast<int64_t>(raw.v_device.device_type),
                                         static_cast<int64_t>(raw.v_device.device_id)}));
      case kTVMFFISmallStr:
      case kTVMFFIStr:
        return AddNode(v, &v, kTVMFFIStr);
      case kTVMFFISmallBytes:
      case kTVMFFIBytes: {
        const std::string_view bytes = TextOf(raw);
        const Any text(Base64Encode(TVMFFIByteArray{bytes.data(), bytes.size()}));
        return AddNode(v, &text, kTVMFFIBytes);
      }
      case kTVMFFIShape: {
        const auto& shape = CellOf<TVMFFIShapeCell>(raw);
        return AddNode(v, Any(Array<Any>(shape.data, shape.data + shape.size)));
      }
      case kTVMFFIArray:
      case kTVMFFIList:
        return Push(v, Kind::kSequence);
      case kTVMFFIMap:
      case kTVMFFIDict:
        return Push(v, Kind::kMap);
      default:
        return BeginObject(v);
    }
  }

  void BeginObject(const Any& v) {
    const TVMFFIAny& raw = Raw(v);
    if (!IsObject(raw)) {
      TVM_FFI_THROW(RuntimeError) << "Cannot serialize type `" << TypeKeyOf(raw.type_index) << "`";
    }
    static const HookColumn column("__data_to_json__");
    if (IsEnumType(raw.type_index)) {
      const auto* entry = v.cast<const EnumObj*>();
      if (IsSubtype(raw.type_index, IntEnumObj::RuntimeTypeIndex())) {
        return AddNode(v, Any(entry->_int_index));
      }
      return AddNode(v, Any(entry->_str_index));
    }
    if (Function hook = column.FindFunction(raw.type_index, "__data_to_json__"); hook != nullptr) {
      return AddNode(v, hook(v));
    }
    if (!CanCreate(TypeInfoOf(raw.type_index))) {
      TVM_FFI_THROW(TypeError)
          << "Type `" << TypeKeyOf(raw.type_index)
          << "` does not support ToJSONGraph (no native creator or __ffi_new__ type attr)";
    }
    Push(v, Kind::kFields);
  }

  void Push(const Any& v, Kind kind) {
    Frame& frame = stack_.emplace_back();
    frame.owner = v;
    frame.kind = kind;
    if (kind == Kind::kMap) {
      frame.map = MapCursor(Raw(v));
    } else if (kind == Kind::kFields) {
      frame.fields = FieldCursor(TypeInfoOf(Raw(v).type_index));
    } else {
      frame.sequence = SeqCursor(Raw(v));
    }
  }

  void Step() {
    Frame& frame = stack_.back();
    const bool waiting = std::exchange(frame.waiting, false);
    switch (frame.kind) {
      case Kind::kSequence: {
        if (waiting) frame.children.emplace_back(result_);
        const TVMFFIAny* slot = frame.sequence.Next();
        if (slot == nullptr) return FinishList();
        frame.waiting = true;
        const Any item = AsAny(*slot);  // a hook may change the List
        return Begin(item);
      }
      case Kind::kMap: {
        if (waiting) frame.children.emplace_back(result_);
        if (std::exchange(frame.has_value, false)) {
          const Any value = std::move(frame.value);
          frame.waiting = true;
          return Begin(value);
        }
        const MapCursor::Entry entry = frame.map.Next();
        if (!entry) return FinishList();
        frame.waiting = true;
        frame.has_value = true;
        frame.value = AsAny(*entry.value);  // the hooks of the key may change the Dict
        const Any key = AsAny(*entry.key);
        return Begin(key);
      }
      case Kind::kFields:
        if (waiting) frame.data.Set(FieldName(frame.field), result_);
        return StepFields(&frame);
    }
  }

  void StepFields(Frame* frame) {
    while ((frame->field = frame->fields.Next()) != nullptr) {
      const Any value = ReadField(Raw(frame->owner).v_obj, frame->field);
      if (!IsInlinedField(frame->field)) {
        frame->waiting = true;
        return Begin(value);
      }
      frame->data.Set(FieldName(frame->field), Raw(value).type_index == kTVMFFIDataType
                                                   ? Any(DTypeText(Raw(value).v_dtype))
                                                   : value);
    }
    const Any owner = std::move(frame->owner);
    const Any data(std::move(frame->data));
    stack_.pop_back();
    AddNode(owner, data);
  }

  void FinishList() {
    Frame& frame = stack_.back();
    const Any owner = std::move(frame.owner);
    const Any data(Array<Any>(frame.children.begin(), frame.children.end()));
    stack_.pop_back();
    AddNode(owner, data);
  }

  static String FieldName(const TVMFFIFieldInfo* field) {
    return String(field->name.data, field->name.size);
  }

  static String DTypeText(DLDataType dtype) {
    Any text;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFIDataTypeToString(&dtype, reinterpret_cast<TVMFFIAny*>(&text)));
    return text.cast<String>();
  }

  void AddNode(const Any& v, const Any& data) { AddNode(v, &data); }

  void AddNode(const Any& v, const Any* data) { AddNode(v, data, Raw(v).type_index); }

  void AddNode(const Any& v, const Any* data, int32_t type_index) {
    JsonObject node;
    node.Set(type_key_, TypeText(type_index));
    if (data != nullptr) node.Set(data_key_, *data);
    result_ = static_cast<int64_t>(nodes_.size());
    nodes_.emplace_back(std::move(node));
    index_of_[v] = result_;
  }

  /// Type key as a value; one object for all nodes of a type.
  const Any& TypeText(int32_t type_index) {
    Any& text = type_texts_[type_index];
    if (text.type_index() == kTVMFFINone) text = Any(String(TypeKeyOf(type_index)));
    return text;
  }

  [[noreturn]] static void ThrowCycle(const Any& v) {
    switch (Raw(v).type_index) {
      case kTVMFFIList:
        TVM_FFI_THROW(ValueError) << "Cycle detected during serialization: a List contains itself";
      case kTVMFFIDict:
        TVM_FFI_THROW(ValueError) << "Cycle detected during serialization: a Dict contains itself";
      default:
        TVM_FFI_THROW(ValueError) << "Cycle detected during serialization: an object of type `"
                                  << TypeKeyOf(Raw(v).type_index) << "` contains itself";
    }
    std::abort();  // unreachable: every branch throws
  }

  std::vector<Frame> stack_;
  std::vector<Any> nodes_;
  const Any type_key_ = Any(String("type"));
  const Any data_key_ = Any(String("data"));
  std::unordered_map<int32_t, Any> type_texts_;
  int64_t result_ = 0;
  std::unordered_map<Any, int64_t, AnyHash, AnyEqual> index_of_;
};

}  // namespace
}  // namespace algo

json::Value ToJSONGraph(const Any& value, const Any& metadata) {
  return algo::GraphWriter().Write(value, metadata);
}

}  // namespace ffi
}  // namespace tvm
