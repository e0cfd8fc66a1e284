// SPDX-License-Identifier: Apache-2.0
// Equality of containers: Array, List and their Python counterparts compare by elements, Map and
// Dict by entries. The walk keeps its own stack, and a pair of containers that is being compared
// already counts as equal, so depth and cycles do no harm. Nor do hooks of the elements that change
// the containers: what is still to be compared is owned.
#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "container.h"
#include "error.h"
#include "function.h"

namespace tvm::ffi::detail::python {

namespace {

bool IsText(int32_t type_index) {
  return type_index == kTVMFFISmallStr || type_index == kTVMFFIStr;
}

TVMFFIByteArray TextOf(const TVMFFIAny& value) {
  return value.type_index == kTVMFFIStr ? *TVMFFIBytesGetByteArrayPtr(value.v_obj)
                                        : TVMFFISmallBytesGetContentByteArray(&value);
}

TVMFFIObject* Global(const char* name) { return FindGlobal(name); }

void IncRefAny(const TVMFFIAny& value) {
  if (value.type_index >= kTVMFFIStaticObjectBegin) IncRefNative(value.v_obj);
}

class Comparison {
 public:
  Comparison() = default;
  Comparison(const Comparison&) = delete;
  Comparison& operator=(const Comparison&) = delete;
  ~Comparison() {
    for (const auto& [a, b] : pending_) {
      DecRefAny(a);
      DecRefAny(b);
    }
    for (const auto& [a, b] : seen_) {
      DecRefNative(a);
      DecRefNative(b);
    }
  }

  // 1 equal, 0 different, -1 exception.
  int Run(const TVMFFIAny& left, const TVMFFIAny& right) {
    GroupScope walking(Group::kWalking);
    int equal = Step(left, right);
    while (equal == 1 && !pending_.empty()) {
      auto [a, b] = pending_.back();
      pending_.pop_back();
      equal = Step(a, b);
      DecRefAny(a);
      DecRefAny(b);
    }
    return equal;
  }

 private:
  void Add(const TVMFFIAny& a, const TVMFFIAny& b) {
    pending_.emplace_back(a, b);
    IncRefAny(a);
    IncRefAny(b);
  }

  int Step(const TVMFFIAny& a, const TVMFFIAny& b) {
    if (std::memcmp(&a, &b, sizeof(TVMFFIAny)) == 0) return 1;
    if (IsText(a.type_index) && IsText(b.type_index)) {
      TVMFFIByteArray x = TextOf(a), y = TextOf(b);
      return x.size == y.size && std::memcmp(x.data, y.data, x.size) == 0;
    }
    if (IsSequenceIndex(a.type_index) && IsSequenceIndex(b.type_index)) {
      return StepSequence(a.v_obj, b.v_obj);
    }
    if (IsMappingIndex(a.type_index) && IsMappingIndex(b.type_index)) {
      return StepMapping(a.v_obj, b.v_obj);
    }
    if (a.type_index <= kTVMFFIBool || b.type_index <= kTVMFFIBool) return 0;
    static TVMFFIObject* recursive_eq = Global("ffi.RecursiveEq");
    if (recursive_eq == nullptr) return 0;
    TVMFFIAny args[2] = {a, b};
    AnyRef result;
    if (!CallConverted(recursive_eq, args, 2, &result)) return -1;
    return result->v_int64 != 0;
  }

  // Both are kept until the end, so that no other object can take the place of a seen one.
  bool SeenBefore(TVMFFIObject* a, TVMFFIObject* b) {
    if (!seen_.emplace(a, b).second) return true;
    IncRefNative(a);
    IncRefNative(b);
    return false;
  }

  int StepSequence(TVMFFIObject* a, TVMFFIObject* b) {
    TVMFFISeqCell *x = SequenceOf(a), *y = SequenceOf(b);
    if (x->size != y->size) return 0;
    if (SeenBefore(a, b)) return 1;
    auto* left = static_cast<const TVMFFIAny*>(x->data);
    auto* right = static_cast<const TVMFFIAny*>(y->data);
    // Plain elements decide at once; the others wait on the stack.
    for (int64_t i = x->size; i-- > 0;) {
      if (std::memcmp(&left[i], &right[i], sizeof(TVMFFIAny)) == 0) continue;
      if (left[i].type_index <= kTVMFFIBool || right[i].type_index <= kTVMFFIBool) return 0;
      Add(left[i], right[i]);
    }
    return 1;
  }

  int StepMapping(TVMFFIObject* a, TVMFFIObject* b) {
    if (MapOf(a)->size != MapOf(b)->size) return 0;
    if (SeenBefore(a, b)) return 1;
    static TVMFFIObject* map_get = Global("ffi.MapGetItemOrMissing");
    static TVMFFIObject* dict_get = Global("ffi.DictGetItemOrMissing");
    TVMFFIObject* get = b->type_index == kTVMFFIMap ? map_get : dict_get;
    if (get == nullptr) return 0;
    TVMFFIAny args[2];
    SetObject(&args[0], b);
    for (MapCursor cursor(a);;) {
      TVMFFIAny next_key, next_value;
      MapCursor::Step step = cursor.Next(a, &next_key, &next_value);
      if (step == MapCursor::Step::kEnd) return 1;
      if (step == MapCursor::Step::kChanged) {
        PyErr_SetString(PyExc_RuntimeError, "a mapping changed size during comparison");
        return -1;
      }
      AnyRef key, value, other;
      *&key = next_key;
      *&value = next_value;
      IncRefAny(*key);
      IncRefAny(*value);
      args[1] = *key;
      if (!CallConverted(get, args, 2, &other)) return -1;
      if (other->type_index == kTVMFFIObject && other->v_obj == rt.missing) return 0;
      Add(*value, *other);
    }
  }

  std::vector<std::pair<TVMFFIAny, TVMFFIAny>> pending_;
  std::set<std::pair<TVMFFIObject*, TVMFFIObject*>> seen_;
};

}  // namespace

int ValuesEqual(const TVMFFIAny& left, const TVMFFIAny& right) {
  return Comparison().Run(left, right);
}

}  // namespace tvm::ffi::detail::python
