// SPDX-License-Identifier: Apache-2.0
// DeepCopy: a copy of a value graph that keeps its sharing (ffi-abi 11.6).
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/enum.h>
#include <tvm/ffi/extra/dataclass.h>

#include <unordered_map>
#include <utility>
#include <vector>

#include "field_storage.h"
#include "value_access.h"

namespace tvm {
namespace ffi {
namespace algo {
namespace {

// Every copy gets its final address before its children are copied, so a reference back into an
// open container, List or object, Array or Map alike, is simply the new address.
class Copier {
 public:
  Any Copy(const TVMFFIAny& root) {
    Any result = Begin(root);
    while (!stack_.empty()) Step();
    return result;
  }

 private:
  enum class Kind { kArray, kList, kMap, kFields };

  struct Frame {
    Any source;
    Any target;
    Kind kind = Kind::kArray;
    int64_t index = 0;
    MapCursor map;
    FieldCursor fields;
    const TVMFFIFieldInfo* pending_field = nullptr;
    Any pending;
  };

  static bool IsLeaf(const TVMFFIAny& v) {
    if (!IsObject(v)) return true;
    switch (v.type_index) {
      case kTVMFFIStr:
      case kTVMFFIBytes:
      case kTVMFFIShape:
      case kTVMFFIBigInt:
        return true;
      default:
        return v.type_index >= kTVMFFIDynObjectBegin &&
               IsSubtype(v.type_index, EnumObj::RuntimeTypeIndex());
    }
  }

  /// The copy of `v`: itself for leaves, else the address of its (possibly unfinished) copy.
  Any Begin(const TVMFFIAny& v) {
    if (IsLeaf(v)) return Own(v);
    auto it = copies_.find(v.v_obj);
    if (it != copies_.end()) return it->second;
    if (stack_.size() >= kMaxGraphDepth) {
      TVM_FFI_THROW(ValueError) << "ObjectGraphDFS: maximum stack depth (" << kMaxGraphDepth
                                << ") exceeded";
    }
    Frame frame;
    frame.source = Own(v);
    switch (v.type_index) {
      case kTVMFFIArray:
        frame.kind = Kind::kArray;
        frame.target = Any(ObjectRef(ArrayObj::CreateRepeated(SeqOf(v).size, Any())));
        break;
      case kTVMFFIList:
        frame.kind = Kind::kList;
        frame.target = Any(List<Any>());
        break;
      case kTVMFFIMap:
      case kTVMFFIDict: {
        frame.kind = Kind::kMap;
        frame.map = MapCursor(v);
        Dict<Any, Any> table;
        // Map and Dict share one layout, but only a Dict grows without changing its address. A
        // copied Map is filled as a Dict and carries the type index of a Map from the start, so
        // hooks that see it see a Map.
        if (v.type_index == kTVMFFIMap) {
          ffi::detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(table)->type_index = kTVMFFIMap;
        }
        frame.target = Any(ObjectRef(std::move(table)));
        break;
      }
      default: {
        static const HookColumn column("__ffi_shallow_copy__");
        Function hook = column.FindFunction(v.type_index, "__ffi_shallow_copy__");
        if (hook == nullptr) {
          TVM_FFI_THROW(InternalError)
              << "Cannot deep copy object of type \"" << TypeKeyOf(v.type_index)
              << "\" because it is not copy-constructible";
        }
        frame.kind = Kind::kFields;
        frame.fields = FieldCursor(TypeInfoOf(v.type_index));
        frame.target = hook(frame.source);
        if (Raw(frame.target).type_index != v.type_index) {
          TVM_FFI_THROW(TypeError) << "__ffi_shallow_copy__ of type `" << TypeKeyOf(v.type_index)
                                   << "` must return an object of the same type, but got `"
                                   << TypeKeyOf(Raw(frame.target).type_index) << "`";
        }
        break;
      }
    }
    Any target = frame.target;
    copies_.emplace(v.v_obj, target);
    keep_.push_back(frame.source);
    stack_.push_back(std::move(frame));
    return target;
  }

  void Step() {
    // Begin() may push and so move the frames: nothing of `frame` is used after it, except through
    // the index.
    Frame& frame = stack_.back();
    switch (frame.kind) {
      case Kind::kArray: {
        const TVMFFISeqCell& seq = SeqOf(Raw(frame.source));
        if (frame.index >= seq.size) return stack_.pop_back();
        const int64_t i = frame.index++;
        auto* target = static_cast<TVMFFIAny*>(SeqOf(Raw(frame.target)).data) + i;
        reinterpret_cast<Any&>(*target) = Begin(SeqItem(seq, i));
        return;
      }
      case Kind::kList: {
        const TVMFFISeqCell& seq = SeqOf(Raw(frame.source));
        if (frame.index >= seq.size) return stack_.pop_back();
        const int64_t i = frame.index++;
        List<Any> target = AsAny(Raw(frame.target)).cast<List<Any>>();
        const Any item = AsAny(SeqItem(seq, i));  // a copy hook may change the source list
        target.push_back(Begin(Raw(item)));
        return;
      }
      case Kind::kMap: {
        const MapCursor::Entry entry = frame.map.Next();
        if (!entry) return stack_.pop_back();
        const Any target = frame.target;
        const Any key = AsAny(*entry.key);
        const Any value = AsAny(*entry.value);
        Any new_key = Begin(Raw(key));
        AsDict(target).Set(new_key, Begin(Raw(value)));
        return;
      }
      case Kind::kFields: {
        // A field is written when its value is whole: a typed container checks its elements then.
        if (const TVMFFIFieldInfo* done = std::exchange(frame.pending_field, nullptr)) {
          const Any target = frame.target;
          Any copy = std::move(frame.pending);
          // A copy is what the field held before, so it needs no conversion.
          if (!StoreAsItIs(done, FieldAddress(Raw(target).v_obj, done), &copy)) {
            WriteField(Raw(target).v_obj, done, Raw(copy));
          }
          return;
        }
        const TVMFFIFieldInfo* field = frame.fields.Next();
        if (field == nullptr) return stack_.pop_back();
        const size_t at = stack_.size() - 1;
        const Any value = ReadField(Raw(frame.source).v_obj, field);
        Any copy = Begin(Raw(value));
        if (!SameBits(Raw(copy), Raw(value))) {
          stack_[at].pending_field = field;
          stack_[at].pending = std::move(copy);
        }
        return;
      }
    }
  }

  /// The table of a Map or Dict under construction, as a Dict whatever its type index says.
  static Dict<Any, Any> AsDict(const Any& table) {
    return Dict<Any, Any>(
        ffi::detail::ObjectUnsafe::ObjectPtrFromUnowned<Object>(Raw(table).v_obj));
  }

  std::vector<Frame> stack_;
  std::unordered_map<const TVMFFIObject*, Any> copies_;
  std::vector<Any> keep_;
};

}  // namespace
}  // namespace algo

Any DeepCopy(const Any& value) { return algo::Copier().Copy(algo::Raw(value)); }

}  // namespace ffi
}  // namespace tvm
