// SPDX-License-Identifier: Apache-2.0
// RecursiveHash: the hash that agrees with RecursiveEq (ffi-abi 11.7).
#include <tvm/ffi/extra/dataclass.h>

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <vector>

#include "hash_fold.h"
#include "stack_guard.h"
#include "value_access.h"
#include "walk_scope.h"

namespace tvm {
namespace ffi {
namespace algo {
namespace {

class RecursiveHasher {
 public:
  uint64_t Hash(const TVMFFIAny& root) {
    NestingScope scope("RecursiveHash");
    WalkScope walk;
    const size_t base = stack_.size();
    struct Restore {
      RecursiveHasher* self;
      size_t base;
      ~Restore() {
        // Values left open by an error are forgotten: their hash is not known.
        while (self->stack_.size() > base) {
          Frame& frame = self->stack_.back();
          if (frame.shared) self->memo_.erase(Raw(frame.owner).v_obj);
          self->stack_.pop_back();
        }
      }
    } restore{this, base};
    Begin(root, 0);
    while (stack_.size() > base) Step();
    return result_;
  }

 private:
  enum class Kind { kSequence, kMap, kFields };

  struct Frame {
    Any owner;
    Kind kind = Kind::kSequence;
    bool shared = false;
    bool waiting = false;  // a child was begun: its hash is in result_
    bool has_key = false;
    uint64_t h = 0;
    uint64_t key_hash = 0;
    SeqCursor seq;
    MapCursor map;
    Any value;  // kMap: what belongs to the key
    FieldCursor fields;
    std::vector<uint64_t> entries;
  };

  struct Memo {
    bool done = false;
    uint64_t hash = 0;
  };

  static uint64_t HashLeaf(const TVMFFIAny& v) {
    const uint64_t index = static_cast<uint64_t>(static_cast<int64_t>(v.type_index));
    switch (v.type_index) {
      case kTVMFFINone:
        return Combine(0, 0);
      case kTVMFFIFloat:
        return Combine(index, FloatBits(v.v_float64 == 0 ? 0.0 : v.v_float64));
      case kTVMFFIDataType:
        return Combine(Combine(Combine(index, v.v_dtype.code), v.v_dtype.bits), v.v_dtype.lanes);
      case kTVMFFIDevice:
        return Combine(
            Combine(index, static_cast<uint64_t>(static_cast<int64_t>(v.v_device.device_type))),
            static_cast<uint64_t>(static_cast<int64_t>(v.v_device.device_id)));
      case kTVMFFISmallStr:
      case kTVMFFIStr:
        return Combine(kTVMFFIStr, HashBytes(TextOf(v)));
      case kTVMFFISmallBytes:
      case kTVMFFIBytes:
        return Combine(kTVMFFIBytes, HashBytes(TextOf(v)));
      default:
        return Combine(index, v.v_uint64);
    }
  }

  static bool IsLeaf(const TVMFFIAny& v) {
    return !IsObject(v) || v.type_index == kTVMFFIStr || v.type_index == kTVMFFIBytes;
  }

  void Begin(const TVMFFIAny& v, uint32_t known_refs) {
    if (IsLeaf(v)) {
      result_ = HashLeaf(v);
      return;
    }
    if (v.type_index == kTVMFFIShape) {
      result_ = HashShape(v);
      return;
    }
    const bool shared = StrongCount(v) > known_refs;
    if (shared) {
      auto [it, fresh] = memo_.try_emplace(v.v_obj);
      if (!fresh) {
        result_ = it->second.done ? it->second.hash : TypeKeyHash(v.type_index);
        return;
      }
      keep_.push_back(AsAny(v));
    }
    switch (v.type_index) {
      case kTVMFFIArray:
      case kTVMFFIList:
        return Push(v, shared, Kind::kSequence,
                    Combine(TypeKeyHash(v.type_index), static_cast<uint64_t>(SeqOf(v).size)));
      case kTVMFFIMap:
      case kTVMFFIDict:
        return Push(v, shared, Kind::kMap,
                    Combine(TypeKeyHash(v.type_index), MapCursor::SizeOf(v)));
      default:
        break;
    }
    static const HookColumn hash_column("__ffi_hash__");
    if (Function hook = hash_column.FindFunction(v.type_index, "__ffi_hash__"); hook != nullptr) {
      const Any owner = AsAny(v);  // a hook may change the container that holds the value
      result_ = CallHook(hook, owner);
      if (shared) memo_[Raw(owner).v_obj] = Memo{true, result_};
      return;
    }
    static const HookColumn eq_column("__ffi_eq__");
    static const HookColumn compare_column("__ffi_compare__");
    if (eq_column.Find(v.type_index) != nullptr || compare_column.Find(v.type_index) != nullptr) {
      TVM_FFI_THROW(ValueError)
          << "RecursiveHash: type '" << TypeKeyOf(v.type_index)
          << "' defines __ffi_eq__ or __ffi_compare__ but not __ffi_hash__; equal values "
             "could get different hashes. Define __ffi_hash__ as well.";
    }
    Push(v, shared, Kind::kFields, TypeKeyHash(v.type_index));
  }

  void Push(const TVMFFIAny& v, bool shared, Kind kind, uint64_t h) {
    if (stack_.size() >= kMaxGraphDepth) {
      TVM_FFI_THROW(ValueError) << "ObjectGraphDFS: maximum stack depth (" << kMaxGraphDepth
                                << ") exceeded";
    }
    Frame& frame = stack_.emplace_back();
    frame.owner = AsAny(v);
    frame.kind = kind;
    frame.shared = shared;
    frame.h = h;
    if (kind == Kind::kMap) {
      frame.map = MapCursor(v);
      frame.entries.reserve(MapCursor::SizeOf(v));
    } else if (kind == Kind::kFields) {
      frame.fields = FieldCursor(TypeInfoOf(v.type_index));
    } else {
      frame.seq = SeqCursor(v);
    }
  }

  void Step() {
    Frame& frame = stack_.back();
    switch (frame.kind) {
      case Kind::kSequence:
        return StepSequence(&frame);
      case Kind::kMap:
        return StepMap(&frame);
      case Kind::kFields:
        return StepFields(&frame);
    }
  }

  void StepSequence(Frame* frame) {
    int64_t i = frame->seq.index();
    uint64_t h = frame->h;
    if (std::exchange(frame->waiting, false)) {
      h = Combine(h, Combine(result_, static_cast<uint64_t>(i++)));
    }
    // Leaves are folded here, without a turn through the main loop.
    const TVMFFIAny* items = frame->seq.items();
    for (const int64_t end = frame->seq.end(); i < end; ++i) {
      if (IsObject(items[i])) {
        frame->h = h;
        frame->seq.MoveTo(i);
        frame->waiting = true;
        return Begin(items[i], 1);
      }
      h = Combine(h, Combine(HashLeaf(items[i]), static_cast<uint64_t>(i)));
    }
    Pop(h);
  }

  void StepMap(Frame* frame) {
    if (std::exchange(frame->waiting, false)) {
      if (frame->has_key) {
        frame->entries.push_back(Combine(frame->key_hash, result_));
        frame->has_key = false;
      } else {
        frame->key_hash = result_;
        frame->has_key = true;
        frame->waiting = true;
        const Any value = std::move(frame->value);
        return Begin(Raw(value), 2);
      }
    }
    if (const MapCursor::Entry entry = frame->map.Next()) {
      frame->waiting = true;
      if (IsLeaf(*entry.key)) {
        frame->key_hash = HashLeaf(*entry.key);
        frame->has_key = true;
        return Begin(*entry.value, 1);
      }
      frame->value = AsAny(*entry.value);  // the hook of the key may change the Dict
      return Begin(*entry.key, 1);
    }
    std::sort(frame->entries.begin(), frame->entries.end());
    uint64_t h = frame->h;
    for (uint64_t entry : frame->entries) h = Combine(h, entry);
    Pop(h);
  }

  void StepFields(Frame* frame) {
    if (std::exchange(frame->waiting, false)) frame->h = Combine(frame->h, result_);
    const TVMFFIObject* header = Raw(frame->owner).v_obj;
    constexpr int64_t kSkip = kTVMFFIFieldFlagBitMaskHashOff | kTVMFFIFieldFlagBitMaskCompareOff;
    while (const TVMFFIFieldInfo* field = frame->fields.Next()) {
      if ((field->flags & kSkip) != 0) continue;
      frame->waiting = true;
      const Any value = ReadField(header, field);
      return Begin(Raw(value), 2);
    }
    Pop(frame->h);
  }

  void Pop(uint64_t h) {
    Frame& frame = stack_.back();
    if (frame.shared) memo_[Raw(frame.owner).v_obj] = Memo{true, h};
    const Any owner = std::move(frame.owner);
    stack_.pop_back();
    result_ = h;
  }

  uint64_t CallHook(const Function& hook, const Any& owner) {
    if (callback_ == nullptr) {
      callback_ = Function::FromTyped(
          [link = link_.ForHook()](AnyView value) -> int64_t {
            const Any owned(value);
            return link.Enter("The hash function of __ffi_hash__", [&](RecursiveHasher* self) {
              return static_cast<int64_t>(self->Hash(Raw(owned)));
            });
          },
          "fn_hash");
    }
    return static_cast<uint64_t>(hook(owner, callback_).cast<int64_t>());
  }

  std::vector<Frame> stack_;
  uint64_t result_ = 0;
  std::unordered_map<const TVMFFIObject*, Memo> memo_;
  std::vector<Any> keep_;
  Function callback_{nullptr};
  WalkLink<RecursiveHasher> link_{this};  // last: it ends first
};

}  // namespace
}  // namespace algo

int64_t RecursiveHash(const Any& value) {
  algo::RecursiveHasher hasher;
  return static_cast<int64_t>(hasher.Hash(algo::Raw(value)));
}

}  // namespace ffi
}  // namespace tvm
