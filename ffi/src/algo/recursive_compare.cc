// SPDX-License-Identifier: Apache-2.0
// RecursiveEq, Lt, Le, Gt, Ge: comparison by content over reflected fields (ffi-abi 11.7).
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/extra/dataclass.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "big_int_text.h"
#include "object_pair.h"
#include "stack_guard.h"
#include "value_access.h"
#include "walk_scope.h"

namespace tvm {
namespace ffi {
namespace algo {
namespace {

template <typename T>
int Order(T a, T b) {
  return a < b ? -1 : (b < a ? 1 : 0);
}

int OrderText(std::string_view a, std::string_view b) {
  const int c = a.compare(b);
  return c < 0 ? -1 : (c > 0 ? 1 : 0);
}

class Comparer {
 public:
  /// Without `ordering`, any nonzero result means "different" and incomparable values are
  /// different, not an error.
  explicit Comparer(bool ordering) : ordering_(ordering) {}

  int Compare(const TVMFFIAny& a, const TVMFFIAny& b) {
    NestingScope scope(kName);
    WalkScope walk;
    const size_t base = stack_.size();
    struct Restore {
      Comparer* self;
      size_t base;
      ~Restore() {
        // Pairs left open by a difference or an error are forgotten: nothing is known about them.
        while (self->stack_.size() > base) {
          Frame& frame = self->stack_.back();
          if (frame.shared) self->pairs_.erase({Raw(frame.a).v_obj, Raw(frame.b).v_obj});
          self->stack_.pop_back();
        }
      }
    } restore{this, base};
    int result = Begin(a, b, 0);
    while (result == 0 && stack_.size() > base) result = Step();
    if (result != 0 && ordering_) {
      for (size_t i = base; i < stack_.size(); ++i) {
        if (stack_[i].kind == Kind::kMap)
          TVM_FFI_THROW(TypeError) << "Cannot order Map/Dict values";
      }
    }
    return result;
  }

 private:
  static constexpr const char* kName = "RecursiveCompare";
  enum class Kind { kSequence, kMap, kFields };
  enum class State { kOpen, kEqual };

  struct Frame {
    Any a, b;
    Kind kind = Kind::kSequence;
    bool shared = false;
    SeqCursor seq_a, seq_b;
    MapCursor map;
    FieldCursor fields;
  };

  /// 0 while nothing different was found; pushes a frame when children remain to be compared.
  int Begin(const TVMFFIAny& a, const TVMFFIAny& b, uint32_t known_refs) {
    if (IsStr(a) && IsStr(b)) return OrderText(TextOf(a), TextOf(b));
    if (IsBytes(a) && IsBytes(b)) return OrderText(TextOf(a), TextOf(b));
    if (a.type_index != b.type_index) return CompareDifferentTypes(a, b);
    if (!IsObject(a)) return ComparePod(a, b);
    if (a.v_obj == b.v_obj) return 0;
    switch (a.type_index) {
      case kTVMFFIBigInt:
        return CompareBigIntWords(BigIntWords(a), BigIntWords(b));
      case kTVMFFIShape: {
        const auto& x = CellOf<TVMFFIShapeCell>(a);
        const auto& y = CellOf<TVMFFIShapeCell>(b);
        for (size_t i = 0; i < std::min(x.size, y.size); ++i) {
          if (x.data[i] != y.data[i]) return Order(x.data[i], y.data[i]);
        }
        return Order(x.size, y.size);
      }
      case kTVMFFIArray:
      case kTVMFFIList:
        if (!ordering_ && SeqOf(a).size != SeqOf(b).size) return 1;
        return Push(a, b, Kind::kSequence, known_refs);
      case kTVMFFIMap:
      case kTVMFFIDict:
        if (MapCursor::SizeOf(a) != MapCursor::SizeOf(b)) return DifferentMaps();
        return Push(a, b, Kind::kMap, known_refs);
      default:
        break;
    }
    if (int result = 0; CallHooks(a, b, &result)) return result;
    return Push(a, b, Kind::kFields, known_refs);
  }

  int CompareDifferentTypes(const TVMFFIAny& a, const TVMFFIAny& b) const {
    if (a.type_index == kTVMFFINone) return -1;
    if (b.type_index == kTVMFFINone) return 1;
    if (!ordering_) return 1;
    const bool a_int = a.type_index == kTVMFFIInt || a.type_index == kTVMFFIBigInt;
    const bool b_int = b.type_index == kTVMFFIInt || b.type_index == kTVMFFIBigInt;
    if (a_int && b_int) return CompareBigIntWords(BigIntWords(a), BigIntWords(b));
    TVM_FFI_THROW(TypeError) << "Cannot compare values of different types: "
                             << TypeKeyOf(a.type_index) << " vs " << TypeKeyOf(b.type_index);
    return 0;
  }

  int ComparePod(const TVMFFIAny& a, const TVMFFIAny& b) const {
    switch (a.type_index) {
      case kTVMFFINone:
        return 0;
      case kTVMFFIInt:
      case kTVMFFIBool:
        return Order(a.v_int64, b.v_int64);
      case kTVMFFIFloat: {
        const bool a_nan = a.v_float64 != a.v_float64;
        const bool b_nan = b.v_float64 != b.v_float64;
        if (a_nan || b_nan) {
          if (ordering_) TVM_FFI_THROW(TypeError) << "Cannot order NaN values";
          return a_nan && b_nan ? 0 : 1;
        }
        return Order(a.v_float64, b.v_float64);
      }
      case kTVMFFIDataType: {
        if (a.v_dtype.code != b.v_dtype.code) return Order(a.v_dtype.code, b.v_dtype.code);
        if (a.v_dtype.bits != b.v_dtype.bits) return Order(a.v_dtype.bits, b.v_dtype.bits);
        return Order(a.v_dtype.lanes, b.v_dtype.lanes);
      }
      case kTVMFFIDevice: {
        const int by_type = Order(static_cast<int32_t>(a.v_device.device_type),
                                  static_cast<int32_t>(b.v_device.device_type));
        return by_type != 0 ? by_type : Order(a.v_device.device_id, b.v_device.device_id);
      }
      default:
        if (SameBits(a, b)) return 0;
        if (ordering_) {
          TVM_FFI_THROW(TypeError) << "Cannot order values of type " << TypeKeyOf(a.type_index);
        }
        return 1;
    }
  }

  int DifferentMaps() const {
    if (ordering_) TVM_FFI_THROW(TypeError) << "Cannot order Map/Dict values";
    return 1;
  }

  int Push(const TVMFFIAny& a, const TVMFFIAny& b, Kind kind, uint32_t known_refs) {
    // Only a pair whose both sides are shared can come up again.
    const bool shared = StrongCount(a) > known_refs && StrongCount(b) > known_refs;
    if (shared) {
      auto [it, fresh] = pairs_.try_emplace({a.v_obj, b.v_obj}, State::kOpen);
      if (!fresh) {
        if (it->second == State::kOpen && ordering_) {
          TVM_FFI_THROW(ValueError) << "RecursiveCompare: cyclic reference detected in ordering";
        }
        return 0;
      }
    }
    Frame& frame = stack_.emplace_back();
    frame.a = AsAny(a);
    frame.b = AsAny(b);
    frame.kind = kind;
    frame.shared = shared;
    if (kind == Kind::kMap) {
      frame.map = MapCursor(a);
    } else if (kind == Kind::kFields) {
      frame.fields = FieldCursor(TypeInfoOf(a.type_index));
    } else {
      frame.seq_a = SeqCursor(a);
      frame.seq_b = SeqCursor(b);
    }
    return 0;
  }

  int Step() {
    Frame& frame = stack_.back();
    switch (frame.kind) {
      case Kind::kSequence:
        return StepSequence(&frame);
      case Kind::kMap:
        return StepMap(&frame);
      case Kind::kFields:
        return StepFields(&frame);
    }
    return 0;
  }

  int StepSequence(Frame* frame) {
    const TVMFFIAny* left = frame->seq_a.items();
    const TVMFFIAny* right = frame->seq_b.items();
    const int64_t end = std::min(frame->seq_a.end(), frame->seq_b.end());
    // Plain values run no code.
    for (int64_t i = frame->seq_a.index(); i < end; ++i) {
      if (IsObject(left[i]) || IsObject(right[i])) {
        frame->seq_a.MoveTo(i + 1);
        frame->seq_b.MoveTo(i + 1);
        return Begin(left[i], right[i], 1);
      }
      if (const int result = Begin(left[i], right[i], 0); result != 0) return result;
    }
    const int64_t x_size = SeqOf(Raw(frame->a)).size;
    const int64_t y_size = SeqOf(Raw(frame->b)).size;
    if (x_size != y_size) return Order(x_size, y_size);
    Pop();
    return 0;
  }

  int StepMap(Frame* frame) {
    const MapCursor::Entry entry = frame->map.Next();
    if (!entry) {
      Pop();
      return 0;
    }
    const auto* other = reinterpret_cast<const MapBaseObj*>(Raw(frame->b).v_obj);
    if (!ffi::detail::RunsHooks(AsAny(*entry.key))) {
      auto it = other->find(AsAny(*entry.key));
      if (it == other->end()) return DifferentMaps();
      return Begin(*entry.value, Raw(it->second), 1);
    }
    const Any value = AsAny(*entry.value);  // the hooks of the key may change a Dict
    const Any key = AsAny(*entry.key);
    auto it = other->find(key);
    if (it == other->end()) return DifferentMaps();
    const Any other_value = it->second;
    return Begin(Raw(value), Raw(other_value), 2);
  }

  int StepFields(Frame* frame) {
    while (const TVMFFIFieldInfo* field = frame->fields.Next()) {
      if ((field->flags & kTVMFFIFieldFlagBitMaskCompareOff) != 0) continue;
      const Any a = ReadField(Raw(frame->a).v_obj, field);
      const Any b = ReadField(Raw(frame->b).v_obj, field);
      return Begin(Raw(a), Raw(b), 2);
    }
    Pop();
    return 0;
  }

  void Pop() {
    Frame& frame = stack_.back();
    if (frame.shared) {
      pairs_[{Raw(frame.a).v_obj, Raw(frame.b).v_obj}] = State::kEqual;
      keep_.push_back(frame.a);
      keep_.push_back(frame.b);
    }
    const Any a = std::move(frame.a);
    const Any b = std::move(frame.b);
    stack_.pop_back();
  }

  /// True when a hook decided; the result is then in `*result`.
  bool CallHooks(const TVMFFIAny& a, const TVMFFIAny& b, int* result) {
    static const HookColumn eq_column("__ffi_eq__");
    static const HookColumn compare_column("__ffi_compare__");
    if (a.type_index < kTVMFFIStaticObjectEnd) return false;
    const Any left = AsAny(a);
    const Any right = AsAny(b);
    if (!ordering_) {
      if (Function hook = eq_column.FindFunction(a.type_index, "__ffi_eq__"); hook != nullptr) {
        *result = hook(left, right, EqCallback()).cast<bool>() ? 0 : 1;
        return true;
      }
    }
    Function hook = compare_column.FindFunction(a.type_index, "__ffi_compare__");
    if (hook == nullptr) return false;
    const int64_t order = hook(left, right, CompareCallback()).cast<int64_t>();
    *result = order < 0 ? -1 : (order > 0 ? 1 : 0);
    return true;
  }

  static constexpr const char* kFunction = "The comparison function of a hook";

  const Function& EqCallback() {
    if (eq_callback_ == nullptr) {
      eq_callback_ = Function::FromTyped(
          [link = link_.ForHook()](AnyView a, AnyView b) -> bool {
            const Any left(a), right(b);
            return link.Enter(kFunction, [&](Comparer* self) {
              return self->Compare(Raw(left), Raw(right)) == 0;
            });
          },
          "fn_eq");
    }
    return eq_callback_;
  }

  const Function& CompareCallback() {
    if (compare_callback_ == nullptr) {
      compare_callback_ = Function::FromTyped(
          [link = link_.ForHook()](AnyView a, AnyView b) -> int64_t {
            const Any left(a), right(b);
            return link.Enter(kFunction, [&](Comparer* self) -> int64_t {
              return self->Compare(Raw(left), Raw(right));
            });
          },
          "fn_compare");
    }
    return compare_callback_;
  }

  const bool ordering_;
  std::vector<Frame> stack_;
  std::unordered_map<ObjectPair, State, ObjectPairHash> pairs_;
  std::vector<Any> keep_;  // addresses in pairs_ must not be reused
  Function eq_callback_{nullptr};
  Function compare_callback_{nullptr};
  WalkLink<Comparer> link_{this};  // last: it ends first
};

int Ordered(const Any& a, const Any& b) { return Comparer(true).Compare(Raw(a), Raw(b)); }

}  // namespace
}  // namespace algo

bool RecursiveEq(const Any& lhs, const Any& rhs) {
  return algo::Comparer(false).Compare(algo::Raw(lhs), algo::Raw(rhs)) == 0;
}
bool RecursiveLt(const Any& lhs, const Any& rhs) { return algo::Ordered(lhs, rhs) < 0; }
bool RecursiveLe(const Any& lhs, const Any& rhs) { return algo::Ordered(lhs, rhs) <= 0; }
bool RecursiveGt(const Any& lhs, const Any& rhs) { return algo::Ordered(lhs, rhs) > 0; }
bool RecursiveGe(const Any& lhs, const Any& rhs) { return algo::Ordered(lhs, rhs) >= 0; }

}  // namespace ffi
}  // namespace tvm
