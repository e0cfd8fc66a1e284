// SPDX-License-Identifier: Apache-2.0
// StructuralHash: the hash that agrees with StructuralEqual (ffi-abi 11.3).
#include <tvm/ffi/extra/structural_hash.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "address_map.h"
#include "def_region.h"
#include "hash_fold.h"
#include "stack_guard.h"
#include "tensor_content.h"
#include "value_access.h"
#include "walk_scope.h"

namespace tvm {
namespace ffi {
namespace algo {
namespace {

class StructuralHasher {
 public:
  StructuralHasher(bool map_free_vars, bool skip_tensor_content)
      : root_region_(map_free_vars ? kTVMFFIDefRegionKindPattern : kTVMFFIDefRegionKindNone),
        skip_tensor_content_(skip_tensor_content) {}

  uint64_t Hash(const TVMFFIAny& root) { return Run(root, root_region_); }

 private:
  enum class Kind { kSequence, kMap, kFields };

  using Entries = std::vector<std::pair<uint64_t, Any>>;

  struct Frame {
    Frame(const TVMFFIAny& v, Kind k, uint64_t start, int32_t structural, Region outer,
          Region inner, bool remembered)
        : owner(AsAny(v)),
          h(start),
          kind(k),
          structural_kind(structural),
          region(outer),
          inner_region(inner),
          remember(remembered) {}

    Any owner;
    uint64_t h;
    Kind kind;
    int32_t structural_kind;
    Region region;
    Region inner_region;
    bool remember;
    bool waiting = false;  // a child was begun: its hash is in result_
    // False once a map below skipped a key whose hash was not known yet: a second visit may then
    // give another hash.
    bool repeatable = true;
    int64_t index = 0;  // kMap
    SeqCursor sequence;
    FieldCursor fields;
    std::unique_ptr<Entries> entries;  // kMap: sorted (key hash, value)
  };

  struct Memo {
    bool done = false;
    uint64_t hash = 0;
  };

  uint64_t Run(const TVMFFIAny& v, Region region) {
    NestingScope scope("StructuralHash");
    WalkScope walk;
    const size_t base = stack_.size();
    struct Restore {
      StructuralHasher* self;
      size_t base;
      ~Restore() {
        // Values left open by an error are forgotten: their hash is not known.
        while (self->stack_.size() > base) {
          Frame& frame = self->stack_.back();
          if (frame.remember) self->memo_.Erase(Raw(frame.owner).v_obj);
          self->stack_.pop_back();
        }
      }
    } restore{this, base};
    Begin(v, region, 0);
    while (stack_.size() > base) Step();
    return result_;
  }

  static uint64_t HashLeaf(const TVMFFIAny& v) {
    const uint64_t index = static_cast<uint64_t>(static_cast<int64_t>(v.type_index));
    switch (v.type_index) {
      case kTVMFFIFloat:
        return Combine(index, FloatBits(v.v_float64));
      case kTVMFFISmallStr:
      case kTVMFFIStr:
        return Combine(kTVMFFIStr, HashBytes(TextOf(v)));
      case kTVMFFIBytes:
        return Combine(index, HashBytes(TextOf(v)));
      case kTVMFFIBigInt:
        return Combine(index, HashBytes(BigIntWords(v)));
      default:  // small Bytes included, which therefore differ from heap Bytes
        return Combine(index, v.v_uint64);
    }
  }

  static bool IsLeaf(const TVMFFIAny& v) {
    return !IsObject(v) || v.type_index == kTVMFFIStr || v.type_index == kTVMFFIBytes ||
           v.type_index == kTVMFFIBigInt;
  }

  /// Objects are: whether the key of a map counts depends on whether it was hashed before.
  static bool AlwaysRemembered(const TVMFFIAny& v) {
    return v.type_index >= kTVMFFIStaticObjectEnd || v.type_index == kTVMFFIVisitInterrupt;
  }

  /// `v` may be a slot of a container: nothing runs that could change it before a frame owns the
  /// value.
  void Begin(const TVMFFIAny& v, Region region, uint32_t known_refs) {
    if (IsLeaf(v)) {
      result_ = HashLeaf(v);
      return;
    }
    switch (v.type_index) {
      case kTVMFFIShape:
        result_ = HashShape(v);
        return;
      case kTVMFFITensor:
        result_ = HashTensor(v);
        return;
      default:
        break;
    }
    const bool remember = AlwaysRemembered(v) || StrongCount(v) > known_refs;
    if (remember) {
      const auto [memo, fresh] = memo_.Insert(v.v_obj);
      if (!fresh) {
        if (!memo->done) {
          TVM_FFI_THROW(ValueError)
              << "StructuralHash: cyclic reference detected in a value of type `"
              << TypeKeyOf(v.type_index) << "`";
        }
        result_ = memo->hash;
        return;
      }
      keep_.push_back(AsAny(v));
    }
    switch (v.type_index) {
      case kTVMFFIArray:
      case kTVMFFIList: {
        const uint64_t h = Combine(TypeKeyHash(v.type_index), static_cast<uint64_t>(SeqOf(v).size));
        Push(v, Kind::kSequence, h, region, region, kTVMFFISEqHashKindTreeNode, remember).sequence =
            SeqCursor(v);
        return;
      }
      case kTVMFFIMap:
      case kTVMFFIDict:
        return PushMap(v, region, remember);
      default:
        return BeginObject(v, region);
    }
  }

  void BeginObject(const TVMFFIAny& v, Region region) {
    const TVMFFITypeInfo* info = types_.Of(v.type_index);
    int32_t kind = 0;
    try {
      kind = StructuralKindOf(info);
    } catch (...) {
      memo_.Erase(v.v_obj);
      throw;
    }
    // A UniqueInstance is hashed by its fields: equal (same) objects still agree, and the hash of
    // an enum entry is the same in every process.
    const Region inner = kind == kTVMFFISEqHashKindFreeVar ? InsideFreeVar(region) : region;
    static const HookColumn column("__s_hash__");
    if (column.Find(v.type_index) != nullptr) {
      const Function hook = column.FindFunction(v.type_index, "__s_hash__");
      const Any owner = AsAny(v);  // a hook may change the container that holds the value
      const uint64_t h = CallHook(hook, owner, info->type_key_hash, inner);
      result_ = Conclude(kind, region, Raw(owner), h);
      *memo_.Insert(Raw(owner).v_obj).first = Memo{true, result_};
      return;
    }
    Push(v, Kind::kFields, info->type_key_hash, region, inner, kind, true).fields =
        FieldCursor(info);
  }

  static uint64_t AddressHash(const TVMFFIAny& v) { return v.v_uint64; }

  uint64_t Conclude(int32_t kind, Region region, const TVMFFIAny& v, uint64_t h) {
    if (kind == kTVMFFISEqHashKindFreeVar) {
      return region == kTVMFFIDefRegionKindNone ? AddressHash(v) : Combine(h, free_var_counter_++);
    }
    if (kind == kTVMFFISEqHashKindDAGNode) return Combine(h, dag_counter_++);
    return h;
  }

  uint64_t HashTensor(const TVMFFIAny& v) const {
    const auto& tensor = CellOf<DLTensor>(v);
    uint64_t h = Combine(TypeKeyHash(kTVMFFITensor),
                         static_cast<uint64_t>(static_cast<int64_t>(tensor.ndim)));
    for (int32_t i = 0; i < tensor.ndim; ++i)
      h = Combine(h, static_cast<uint64_t>(tensor.shape[i]));
    TVMFFIAny dtype{};
    dtype.v_dtype = tensor.dtype;
    h = Combine(h, dtype.v_uint64);
    return skip_tensor_content_ ? h : Combine(h, HashBytes(TensorBytes(tensor)));
  }

  Frame& Push(const TVMFFIAny& v, Kind kind, uint64_t h, Region region, Region inner,
              int32_t structural_kind, bool remember) {
    return stack_.emplace_back(v, kind, h, structural_kind, region, inner, remember);
  }

  void PushMap(const TVMFFIAny& v, Region region, bool remember) {
    const uint64_t h = Combine(TypeKeyHash(v.type_index), MapCursor::SizeOf(v));
    Frame& frame = Push(v, Kind::kMap, h, region, region, kTVMFFISEqHashKindTreeNode, remember);
    frame.entries = std::make_unique<Entries>();
    Entries& entries = *frame.entries;
    entries.reserve(MapCursor::SizeOf(v));
    MapCursor cursor(v);
    while (MapCursor::Entry entry = cursor.Next()) {
      uint64_t key_hash = 0;
      if (KeyHash(*entry.key, &key_hash)) {
        entries.emplace_back(key_hash, AsAny(*entry.value));
      } else {
        frame.repeatable = false;
      }
    }
    std::sort(entries.begin(), entries.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
  }

  /// False when the hash of the key would depend on the order of the walk.
  bool KeyHash(const TVMFFIAny& key, uint64_t* out) const {
    const uint64_t index = static_cast<uint64_t>(static_cast<int64_t>(key.type_index));
    if (IsLeaf(key)) {
      // Unlike values, float keys keep the bits of their NaN: AnyEqual tells them apart.
      *out = key.type_index == kTVMFFIFloat ? Combine(index, key.v_uint64) : HashLeaf(key);
      return true;
    }
    // Containers are remembered for speed alone, so their keys never count.
    if (!AlwaysRemembered(key)) return false;
    const Memo* memo = memo_.Find(key.v_obj);
    if (memo == nullptr || !memo->done) return false;
    *out = memo->hash;
    return true;
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
    if (std::exchange(frame->waiting, false)) frame->h = Combine(frame->h, result_);
    uint64_t h = frame->h;
    while (const TVMFFIAny* slot = frame->sequence.Next()) {
      const TVMFFIAny& item = *slot;
      if (item.type_index == kTVMFFIInt) {
        h = Combine(h, Combine(kTVMFFIInt, item.v_uint64));
      } else if (IsLeaf(item)) {
        h = Combine(h, HashLeaf(item));
      } else {
        frame->h = h;
        frame->waiting = true;
        return Begin(item, frame->inner_region, 1);
      }
    }
    Pop(h);
  }

  void StepMap(Frame* frame) {
    if (std::exchange(frame->waiting, false)) frame->h = Combine(frame->h, result_);
    const Entries& entries = *frame->entries;
    const size_t count = entries.size();
    while (static_cast<size_t>(frame->index) < count) {
      const size_t begin = static_cast<size_t>(frame->index);
      size_t end = begin + 1;
      while (end < count && entries[end].first == entries[begin].first) ++end;
      frame->index = static_cast<int64_t>(end);
      frame->h = Combine(frame->h, entries[begin].first);
      // Keys that share a hash have no order of their own: their values stay out.
      if (end - begin != 1) continue;
      const TVMFFIAny& value = Raw(entries[begin].second);
      if (IsLeaf(value)) {
        frame->h = Combine(frame->h, HashLeaf(value));
        continue;
      }
      frame->waiting = true;
      return Begin(value, frame->inner_region, 2);
    }
    Pop(frame->h);
  }

  void StepFields(Frame* frame) {
    if (std::exchange(frame->waiting, false)) frame->h = Combine(frame->h, result_);
    while (const TVMFFIFieldInfo* field = frame->fields.Next()) {
      if ((field->flags & kTVMFFIFieldFlagBitMaskSEqHashIgnore) != 0) continue;
      const Any value = ReadField(Raw(frame->owner).v_obj, field);
      if (IsLeaf(Raw(value))) {
        frame->h = Combine(frame->h, HashLeaf(Raw(value)));
        continue;
      }
      frame->waiting = true;
      return Begin(Raw(value), FieldRegion(frame->inner_region, field->flags), 2);
    }
    Pop(Conclude(frame->structural_kind, frame->region, Raw(frame->owner), frame->h));
  }

  void Pop(uint64_t h) {
    Frame& frame = stack_.back();
    if (frame.remember) {
      if (frame.kind == Kind::kFields || frame.repeatable) {
        *memo_.Insert(Raw(frame.owner).v_obj).first = Memo{true, h};
      } else {
        memo_.Erase(Raw(frame.owner).v_obj);
      }
    }
    // Objects are remembered whatever lies below them, so what holds a finished object is
    // repeatable again.
    const bool repeatable = frame.repeatable || frame.kind == Kind::kFields;
    const Any owner = std::move(frame.owner);
    stack_.pop_back();
    if (!repeatable && !stack_.empty()) stack_.back().repeatable = false;
    result_ = h;
  }

  uint64_t CallHook(const Function& hook, const Any& owner, uint64_t init, Region region) {
    const Region outer = std::exchange(hook_region_, region);
    struct Restore {
      Region* slot;
      Region outer;
      ~Restore() { *slot = outer; }
    } restore{&hook_region_, outer};
    if (callback_ == nullptr) {
      callback_ = Function::FromTyped(
          [link = link_.ForHook()](AnyView value, int64_t seed, int kind) -> int64_t {
            const Any owned(value);
            return link.Enter("The hash function of __s_hash__", [&](StructuralHasher* self) {
              const uint64_t h = self->Run(Raw(owned), EnterRegion(self->hook_region_, kind));
              return static_cast<int64_t>(Combine(static_cast<uint64_t>(seed), h));
            });
          },
          "fn_hash");
    }
    return static_cast<uint64_t>(
        hook(owner, static_cast<int64_t>(init), callback_).cast<int64_t>());
  }

  const Region root_region_;
  const bool skip_tensor_content_;
  Region hook_region_ = kTVMFFIDefRegionKindNone;
  std::vector<Frame> stack_;
  uint64_t result_ = 0;
  uint64_t free_var_counter_ = 0;
  uint64_t dag_counter_ = 0;
  TypeInfoCache types_;
  AddressMap<Memo> memo_;
  std::vector<Any> keep_;  // addresses in memo_ must not be reused
  Function callback_{nullptr};
  WalkLink<StructuralHasher> link_{this};  // last: it ends first
};

}  // namespace
}  // namespace algo

uint64_t StructuralHash::Hash(const Any& value, bool map_free_vars, bool skip_tensor_content) {
  algo::StructuralHasher hasher(map_free_vars, skip_tensor_content);
  return hasher.Hash(algo::Raw(value));
}

}  // namespace ffi
}  // namespace tvm
