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
#include "quick_def.h"
#include "register.h"
#include "value_access.h"
#include "walk_scope.h"

namespace tvm {
namespace ffi {
namespace algo {
namespace {

// Every copy gets its final address before its children are copied, so a reference back into an
// open container, List or object, Array or Map alike, is simply the new address.
class Copier {
 public:
  Any Copy(const TVMFFIAny& root) {
    WalkScope walk;
    try {
      Any result = Begin(root);
      while (!stack_.empty()) Step();
      return result;
    } catch (...) {
      Abandon();
      throw;
    }
  }

 private:
  enum class Kind { kArray, kList, kMap, kFields };

  struct Frame {
    Any source;
    Any target;
    Kind kind = Kind::kArray;
    SeqCursor seq;
    MapCursor map;
    FieldCursor fields;
    const TVMFFIFieldInfo* pending_field = nullptr;
    Any pending;
    bool known = false;  // other threads may have met the target
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
        frame.seq = SeqCursor(v);
        frame.target = Any(ObjectRef(ArrayObj::CreateRepeated(SeqOf(v).size, Any())));
        break;
      case kTVMFFIList:
        frame.kind = Kind::kList;
        frame.seq = SeqCursor(v);
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
        InterpreterWatch interpreter;
        frame.target = hook(frame.source);
        frame.known = interpreter.HasRun();
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
        const int64_t i = frame.seq.index();
        const TVMFFIAny* item = frame.seq.Next();
        if (item == nullptr) return Pop();
        auto* target = static_cast<TVMFFIAny*>(SeqOf(Raw(frame.target)).data) + i;
        Any copy = Begin(*item);
        reinterpret_cast<Any&>(*target) = std::move(copy);
        return;
      }
      case Kind::kList: {
        const TVMFFIAny* slot = frame.seq.Next();
        if (slot == nullptr) return Pop();
        const Any item = AsAny(*slot);  // a copy hook may change the source list
        List<Any> target = AsAny(Raw(frame.target)).cast<List<Any>>();
        Any copy = Begin(Raw(item));
        PushTo(target, copy);
        return;
      }
      case Kind::kMap: {
        const MapCursor::Entry entry = frame.map.Next();
        if (!entry) return Pop();
        const Any target = frame.target;
        const Any key = AsAny(*entry.key);
        const Any value = AsAny(*entry.value);
        Any new_key = Begin(Raw(key));
        SetIn(target, new_key, Begin(Raw(value)));
        return;
      }
      case Kind::kFields: {
        // A field is written when its value is whole: a typed container checks its elements then.
        if (const TVMFFIFieldInfo* done = std::exchange(frame.pending_field, nullptr)) {
          const Any target = frame.target;
          Any copy = std::move(frame.pending);
          const bool known = frame.known;
          if (known || known_) {
            ChangeScope change;
            Store(target, done, std::move(copy));
          } else {
            Store(target, done, std::move(copy));
          }
          return;
        }
        const TVMFFIFieldInfo* field = frame.fields.Next();
        if (field == nullptr) return Pop();
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

  /// Gives a field its copy, which needs no conversion: it is what the field held before.
  void Store(const Any& target, const TVMFFIFieldInfo* field, Any copy) {
    if (StoreAsItIs(field, FieldAddress(Raw(target).v_obj, field), &copy)) return;
    InterpreterWatch interpreter;
    WriteField(Raw(target).v_obj, field, Raw(copy));
    known_ = known_ || interpreter.HasRun();
  }

  void PushTo(List<Any> target, const Any& item) {
    if (!known_) return target.push_back(item);
    ChangeScope change;
    target.push_back(item);
  }

  void SetIn(const Any& target, const Any& key, const Any& value) {
    if (!known_) return AsDict(target).Set(key, value);
    ChangeScope change;
    AsDict(target).Set(key, value);
  }

  void Pop() {
    const Frame done = std::move(stack_.back());  // what dies with it may run code
    stack_.pop_back();
  }

  /// The table of a Map or Dict under construction, as a Dict whatever its type index says.
  static Dict<Any, Any> AsDict(const Any& table) {
    return Dict<Any, Any>(
        ffi::detail::ObjectUnsafe::ObjectPtrFromUnowned<Object>(Raw(table).v_obj));
  }

  /// Empties what was copied before an error: copies of a cycle would keep each other.
  void Abandon() {
    if (known_) return;
    for (const auto& [source, copy] : copies_) {
      switch (Raw(copy).type_index) {
        case kTVMFFIList:
          AsAny(Raw(copy)).cast<List<Any>>().clear();
          break;
        case kTVMFFIMap:
        case kTVMFFIDict:
          AsDict(copy).clear();
          break;
        default:
          break;
      }
    }
  }

  std::vector<Frame> stack_;
  std::unordered_map<const TVMFFIObject*, Any> copies_;
  std::vector<Any> keep_;
  bool known_ = false;  // other threads may have met any of the copies
};

/// What `__ffi_shallow_copy__` of a type makes of an object, whose fields it reads.
Any ShallowCopy(const ObjectRef& source) {
  WalkScope walk;
  static const HookColumn column("__ffi_shallow_copy__");
  const Any value(source);
  const int32_t type_index = Raw(value).type_index;
  const Function hook = column.FindFunction(type_index, "__ffi_shallow_copy__");
  if (hook == nullptr) {
    TVM_FFI_THROW(TypeError) << "Type `" << TypeKeyOf(type_index) << "` does not support copy";
  }
  return hook(value);
}

}  // namespace

void RegisterCopies() {
  QuickDef().def("ffi.DeepCopy", &DeepCopy).def("ffi._ShallowCopy", &ShallowCopy);
}

}  // namespace algo

Any DeepCopy(const Any& value) { return algo::Copier().Copy(algo::Raw(value)); }

}  // namespace ffi
}  // namespace tvm
