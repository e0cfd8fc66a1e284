// SPDX-License-Identifier: Apache-2.0
// StructuralEqual and GetFirstStructuralMismatch (ffi-abi 11.3).
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/extra/structural_equal.h>
#include <tvm/ffi/reflection/access_path.h>

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "address_map.h"
#include "def_region.h"
#include "hash_fold.h"
#include "object_pair.h"
#include "stack_guard.h"
#include "tensor_content.h"
#include "value_access.h"
#include "walk_scope.h"

namespace tvm {
namespace ffi {
namespace algo {
namespace {

using reflection::AccessPath;
using reflection::AccessPathPair;
using reflection::AccessStep;

class StructuralComparer {
 public:
  StructuralComparer(bool map_free_vars, bool skip_tensor_content, bool want_path)
      : root_region_(map_free_vars ? kTVMFFIDefRegionKindPattern : kTVMFFIDefRegionKindNone),
        skip_tensor_content_(skip_tensor_content),
        want_path_(want_path) {}

  bool Equal(const TVMFFIAny& a, const TVMFFIAny& b) { return Run(a, b, root_region_); }

  /// Paths of the first difference, after Equal() returned false with `want_path`.
  AccessPathPair Mismatch() const {
    return AccessPathPair(AccessPath::FromSteps(lhs_steps_.rbegin(), lhs_steps_.rend()),
                          AccessPath::FromSteps(rhs_steps_.rbegin(), rhs_steps_.rend()));
  }

 private:
  static constexpr const char* kName = "StructuralEqual";
  enum class Kind { kSequence, kMap, kFields };
  enum class State { kOpen, kEqual };

  // Filled in place and without what a kind does not use: most of the work is to push frames.
  struct Frame {
    struct SequencePart {
      SeqCursor a, b;
    };
    struct MapPart {
      MapCursor cursor;
      bool has_entry;
    };
    struct FieldPart {
      FieldCursor cursor;
      const TVMFFIFieldInfo* field;
    };

    Frame(const TVMFFIAny& lhs, const TVMFFIAny& rhs, Kind k, int32_t structural, Region outer,
          Region inner, bool is_shared)
        : a(AsAny(lhs)),
          b(AsAny(rhs)),
          kind(k),
          structural_kind(structural),
          region(outer),
          inner_region(inner),
          shared(is_shared),
          sequence{} {}

    Any a, b;
    Any key;  // kMap, when paths are wanted: the key of the current entry
    Kind kind;
    int32_t structural_kind;
    Region region;        // on entry
    Region inner_region;  // for the children
    bool shared;
    union {
      SequencePart sequence;
      MapPart map;
      FieldPart fields;
    };
  };

  bool Run(const TVMFFIAny& a, const TVMFFIAny& b, Region region) {
    NestingScope scope(kName);
    WalkScope walk;
    const size_t base = stack_.size();
    struct Restore {
      StructuralComparer* self;
      size_t base;
      ~Restore() {
        while (self->stack_.size() > base) {
          Frame& frame = self->stack_.back();
          if (frame.shared) self->pairs_.erase({Raw(frame.a).v_obj, Raw(frame.b).v_obj});
          self->stack_.pop_back();
        }
      }
    } restore{this, base};
    if (Begin(a, b, region, 0)) {
      while (stack_.size() > base) {
        if (Step()) continue;
        RecordPath(base);
        return false;
      }
      return true;
    }
    return false;
  }

  /// `a` and `b` may be slots of containers: nothing runs that could change those before a frame
  /// owns the values. `known_refs` counts the references that the walk can account for.
  bool Begin(const TVMFFIAny& a, const TVMFFIAny& b, Region region, uint32_t known_refs) {
    if (IsStr(a) && IsStr(b)) return TextOf(a) == TextOf(b);
    if (IsBytes(a) && IsBytes(b)) return TextOf(a) == TextOf(b);
    if (a.type_index != b.type_index) return false;
    if (!IsObject(a)) {
      if (a.type_index == kTVMFFIFloat) return FloatBits(a.v_float64) == FloatBits(b.v_float64);
      return SameBits(a, b);
    }
    switch (a.type_index) {
      case kTVMFFIBigInt:
        return BigIntWords(a) == BigIntWords(b);
      case kTVMFFIShape: {
        const auto& x = CellOf<TVMFFIShapeCell>(a);
        const auto& y = CellOf<TVMFFIShapeCell>(b);
        return x.size == y.size && std::equal(x.data, x.data + x.size, y.data);
      }
      case kTVMFFITensor:
        return EqualTensors(a, b);
      case kTVMFFIArray:
      case kTVMFFIList:
        if (!want_path_ && SeqOf(a).size != SeqOf(b).size) return false;
        return Push(a, b, Kind::kSequence, region, region, kTVMFFISEqHashKindTreeNode, known_refs);
      case kTVMFFIMap:
      case kTVMFFIDict:
        if (!want_path_ && MapCursor::SizeOf(a) != MapCursor::SizeOf(b)) return false;
        return Push(a, b, Kind::kMap, region, region, kTVMFFISEqHashKindTreeNode, known_refs);
      default:
        return BeginObject(a, b, region, known_refs);
    }
  }

  bool BeginObject(const TVMFFIAny& a, const TVMFFIAny& b, Region region, uint32_t known_refs) {
    const int32_t kind = StructuralKindOf(types_.Of(a.type_index));
    if (kind == kTVMFFISEqHashKindUniqueInstance) return a.v_obj == b.v_obj;
    if (kind == kTVMFFISEqHashKindConstTreeNode && a.v_obj == b.v_obj) return true;
    if (kind == kTVMFFISEqHashKindDAGNode || kind == kTVMFFISEqHashKindFreeVar) {
      if (const Any* partner = to_rhs_.Find(a.v_obj)) return Raw(*partner).v_obj == b.v_obj;
      if (to_lhs_.Find(b.v_obj) != nullptr) return false;
    }
    const Region inner = kind == kTVMFFISEqHashKindFreeVar ? InsideFreeVar(region) : region;
    static const HookColumn column("__s_equal__");
    if (column.Find(a.type_index) != nullptr) {
      const Function hook = column.FindFunction(a.type_index, "__s_equal__");
      // A hook may change the container that holds the values.
      const Any left = AsAny(a);
      const Any right = AsAny(b);
      return CallHook(hook, left, right, inner) && Conclude(kind, region, Raw(left), Raw(right));
    }
    return Push(a, b, Kind::kFields, region, inner, kind, known_refs);
  }

  /// What has to hold, and to be recorded, once the fields of two objects are equal.
  bool Conclude(int32_t kind, Region region, const TVMFFIAny& a, const TVMFFIAny& b) {
    if (kind == kTVMFFISEqHashKindFreeVar && a.v_obj != b.v_obj &&
        region == kTVMFFIDefRegionKindNone)
      return false;
    if (kind == kTVMFFISEqHashKindFreeVar || kind == kTVMFFISEqHashKindDAGNode) {
      if (auto [slot, fresh] = to_rhs_.Insert(a.v_obj); fresh) *slot = AsAny(b);
      if (auto [slot, fresh] = to_lhs_.Insert(b.v_obj); fresh) *slot = AsAny(a);
    }
    return true;
  }

  bool EqualTensors(const TVMFFIAny& a, const TVMFFIAny& b) const {
    if (a.v_obj == b.v_obj) return true;
    const auto& x = CellOf<DLTensor>(a);
    const auto& y = CellOf<DLTensor>(b);
    if (x.ndim != y.ndim || !std::equal(x.shape, x.shape + x.ndim, y.shape)) return false;
    if (x.dtype.code != y.dtype.code || x.dtype.bits != y.dtype.bits ||
        x.dtype.lanes != y.dtype.lanes)
      return false;
    return skip_tensor_content_ || TensorBytes(x) == TensorBytes(y);
  }

  bool Push(const TVMFFIAny& a, const TVMFFIAny& b, Kind kind, Region region, Region inner,
            int32_t structural_kind, uint32_t known_refs) {
    // A pair whose both sides are shared may come up again: equal once means equal later too, since
    // every variable paired on the way stays paired; open means a cycle.
    const bool shared = StrongCount(a) > known_refs && StrongCount(b) > known_refs;
    if (shared) {
      auto [it, fresh] = pairs_.try_emplace({a.v_obj, b.v_obj}, State::kOpen);
      if (!fresh) {
        if (it->second == State::kOpen) {
          TVM_FFI_THROW(ValueError)
              << "StructuralEqual: cyclic reference detected in a value of type `"
              << TypeKeyOf(a.type_index) << "`";
        }
        return true;
      }
    }
    Frame& frame = stack_.emplace_back(a, b, kind, structural_kind, region, inner, shared);
    if (kind == Kind::kMap) {
      frame.map = {MapCursor(Raw(frame.a)), false};
    } else if (kind == Kind::kFields) {
      frame.fields = {FieldCursor(types_.Of(Raw(frame.a).type_index)), nullptr};
    } else {
      frame.sequence = {SeqCursor(Raw(frame.a)), SeqCursor(Raw(frame.b))};
    }
    return true;
  }

  bool Step() {
    Frame& frame = stack_.back();
    switch (frame.kind) {
      case Kind::kSequence:
        return StepSequence(&frame);
      case Kind::kMap:
        return StepMap(&frame);
      case Kind::kFields:
        return StepFields(&frame);
    }
    return false;
  }

  // What an iteration below drops may run code, as hooks do, and so move the stack: each begins
  // with the frame as it is then.

  bool StepSequence(Frame* frame) {
    const size_t depth = stack_.size();
    while (frame->sequence.a.HasNext() && frame->sequence.b.HasNext()) {
      SeqCursor& a = frame->sequence.a;
      SeqCursor& b = frame->sequence.b;
      const TVMFFIAny* left = a.items();
      const TVMFFIAny* right = b.items();
      const int64_t end = std::min(a.end(), b.end());
      int64_t i = a.index();
      // Of plain values alone, no code runs.
      bool equal = true;
      for (; i < end && !IsObject(left[i]) && !IsObject(right[i]) && equal; ++i) {
        equal = Begin(left[i], right[i], kTVMFFIDefRegionKindNone, 0);
      }
      a.MoveTo(i);
      b.MoveTo(i);
      if (!equal) return false;
      if (i == end) break;
      a.MoveTo(i + 1);
      b.MoveTo(i + 1);
      if (!Begin(left[i], right[i], frame->inner_region, 1)) return false;
      if (stack_.size() != depth) return true;
      frame = &stack_.back();
    }
    if (SeqOf(Raw(frame->a)).size != SeqOf(Raw(frame->b)).size) {
      // The path names the first element that only one side has.
      if (frame->sequence.a.Next() == nullptr)
        frame->sequence.a.MoveTo(frame->sequence.a.index() + 1);
      return false;
    }
    return Pop();
  }

  bool StepMap(Frame* frame) {
    const size_t depth = stack_.size();
    while (true) {
      const MapCursor::Entry entry = frame->map.cursor.Next();
      frame->map.has_entry = static_cast<bool>(entry);
      if (!entry) {
        return MapCursor::SizeOf(Raw(frame->a)) == MapCursor::SizeOf(Raw(frame->b)) && Pop();
      }
      if (!CompareEntry(frame, entry)) return false;
      if (stack_.size() != depth) return true;
      frame = &stack_.back();
    }
  }

  bool CompareEntry(Frame* frame, const MapCursor::Entry& entry) {
    if (want_path_) frame->key = AsAny(*entry.key);
    const auto* other = reinterpret_cast<const MapBaseObj*>(Raw(frame->b).v_obj);
    if (!ffi::detail::RunsHooks(AsAny(*entry.key))) {
      auto it = other->find(MappedKey(*entry.key));
      if (it == other->end()) return false;
      return Begin(*entry.value, Raw(it->second), frame->inner_region, 1);
    }
    // The hooks of the key may change a Dict, and move the stack.
    const Any value = AsAny(*entry.value);
    const Any map = frame->b;
    const Region region = frame->inner_region;
    auto it = other->find(MappedKey(*entry.key));
    if (it == other->end()) return false;
    const Any other_value = it->second;
    return Begin(Raw(value), Raw(other_value), region, 2);
  }

  Any MappedKey(const TVMFFIAny& key) const {
    if (IsObject(key)) {
      if (const Any* partner = to_rhs_.Find(key.v_obj)) return *partner;
    }
    return AsAny(key);
  }

  bool StepFields(Frame* frame) {
    const size_t depth = stack_.size();
    while (const TVMFFIFieldInfo* field = frame->fields.cursor.Next()) {
      frame->fields.field = field;
      if ((field->flags & kTVMFFIFieldFlagBitMaskSEqHashIgnore) != 0) continue;
      if (!CompareField(*frame, field)) return false;
      if (stack_.size() != depth) return true;
      frame = &stack_.back();
    }
    frame->fields.field = nullptr;
    return Conclude(frame->structural_kind, frame->region, Raw(frame->a), Raw(frame->b)) && Pop();
  }

  bool CompareField(const Frame& frame, const TVMFFIFieldInfo* field) {
    const Any a = ReadField(Raw(frame.a).v_obj, field);
    const Any b = ReadField(Raw(frame.b).v_obj, field);
    return Begin(Raw(a), Raw(b), FieldRegion(frame.inner_region, field->flags), 2);
  }

  bool Pop() {
    Frame& frame = stack_.back();
    if (frame.shared) {
      pairs_[{Raw(frame.a).v_obj, Raw(frame.b).v_obj}] = State::kEqual;
      keep_.push_back(frame.a);
      keep_.push_back(frame.b);
    }
    const Any a = std::move(frame.a);
    const Any b = std::move(frame.b);
    stack_.pop_back();
    return true;
  }

  bool CallHook(const Function& hook, const Any& left, const Any& right, Region region) {
    const Region outer = std::exchange(hook_region_, region);
    struct Restore {
      Region* slot;
      Region outer;
      ~Restore() { *slot = outer; }
    } restore{&hook_region_, outer};
    if (callback_ == nullptr) {
      callback_ = Function::FromTyped(
          [link = link_.ForHook()](AnyView lhs, AnyView rhs, int kind, AnyView field_name) -> bool {
            const Any a(lhs), b(rhs), name(field_name);
            return link.Enter(
                "The comparison function of __s_equal__",
                [&](StructuralComparer* self) { return self->CompareFromHook(a, b, kind, name); });
          },
          "fn_equal");
    }
    return hook(left, right, callback_).cast<bool>();
  }

  bool CompareFromHook(const Any& a, const Any& b, int kind, const Any& field_name) {
    if (Run(Raw(a), Raw(b), EnterRegion(hook_region_, kind))) return true;
    if (want_path_ && IsStr(Raw(field_name))) {
      const std::string_view text = TextOf(Raw(field_name));
      const String name(text.data(), text.size());
      lhs_steps_.push_back(AccessStep::Attr(name));
      rhs_steps_.push_back(AccessStep::Attr(name));
    }
    return false;
  }

  /// Appends the steps of the open frames, innermost first.
  void RecordPath(size_t base) {
    if (!want_path_) return;
    for (size_t i = stack_.size(); i-- > base;) {
      const Frame& frame = stack_[i];
      switch (frame.kind) {
        case Kind::kSequence: {
          const int64_t index = frame.sequence.a.index() - 1;
          lhs_steps_.push_back(SequenceStep(frame.a, index));
          rhs_steps_.push_back(SequenceStep(frame.b, index));
          break;
        }
        case Kind::kMap:
          RecordMapStep(frame);
          break;
        case Kind::kFields:
          // A failed Conclude() has no field: the path ends at the object itself.
          if (frame.fields.field != nullptr) {
            const TVMFFIByteArray& text = frame.fields.field->name;
            const String name(text.data, text.size);
            lhs_steps_.push_back(AccessStep::Attr(name));
            rhs_steps_.push_back(AccessStep::Attr(name));
          }
          break;
      }
    }
  }

  static AccessStep SequenceStep(const Any& sequence, int64_t index) {
    return index < SeqOf(Raw(sequence)).size ? AccessStep::ArrayItem(index)
                                             : AccessStep::ArrayItemMissing(index);
  }

  void RecordMapStep(const Frame& frame) {
    const auto* rhs = reinterpret_cast<const MapBaseObj*>(Raw(frame.b).v_obj);
    if (frame.map.has_entry) {
      const Any& key = frame.key;
      const Any other = MappedKey(Raw(key));
      lhs_steps_.push_back(AccessStep::MapItem(key));
      rhs_steps_.push_back(rhs->find(other) == rhs->end() ? AccessStep::MapItemMissing(other)
                                                          : AccessStep::MapItem(other));
      return;
    }
    // Every key of the left side was found: the right side has more. Its first key without a
    // partner is named.
    std::unordered_set<Any, AnyHash, AnyEqual> partners;
    MapCursor left(Raw(frame.a));
    while (MapCursor::Entry entry = left.Next()) partners.insert(MappedKey(*entry.key));
    MapCursor right(Raw(frame.b));
    while (MapCursor::Entry entry = right.Next()) {
      const Any key = AsAny(*entry.key);
      if (partners.count(key) != 0) continue;
      lhs_steps_.push_back(AccessStep::MapItemMissing(key));
      rhs_steps_.push_back(AccessStep::MapItem(key));
      return;
    }
  }

  const Region root_region_;
  const bool skip_tensor_content_;
  const bool want_path_;
  Region hook_region_ = kTVMFFIDefRegionKindNone;
  std::vector<Frame> stack_;
  TypeInfoCache types_;
  AddressMap<Any> to_rhs_;
  AddressMap<Any> to_lhs_;
  std::unordered_map<ObjectPair, State, ObjectPairHash> pairs_;
  std::vector<Any> keep_;  // addresses in pairs_ must not be reused
  std::vector<AccessStep> lhs_steps_;
  std::vector<AccessStep> rhs_steps_;
  Function callback_{nullptr};
  WalkLink<StructuralComparer> link_{this};  // last: it ends first
};

}  // namespace
}  // namespace algo

bool StructuralEqual::Equal(const Any& lhs, const Any& rhs, bool map_free_vars,
                            bool skip_tensor_content) {
  algo::StructuralComparer comparer(map_free_vars, skip_tensor_content, false);
  return comparer.Equal(algo::Raw(lhs), algo::Raw(rhs));
}

Optional<reflection::AccessPathPair> StructuralEqual::GetFirstMismatch(const Any& lhs,
                                                                       const Any& rhs,
                                                                       bool map_free_vars,
                                                                       bool skip_tensor_content) {
  algo::StructuralComparer comparer(map_free_vars, skip_tensor_content, true);
  if (comparer.Equal(algo::Raw(lhs), algo::Raw(rhs))) return std::nullopt;
  return comparer.Mismatch();
}

}  // namespace ffi
}  // namespace tvm
