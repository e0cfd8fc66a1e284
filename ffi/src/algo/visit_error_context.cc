// SPDX-License-Identifier: Apache-2.0
// Reflection of VisitErrorContext, and where in a value the visit was when an error came (ffi-abi
// section 8).
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/extra/visit_error_context.h>
#include <tvm/ffi/reflection/access_path.h>
#include <tvm/ffi/reflection/registry.h>

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "quick_def.h"
#include "register.h"
#include "value_access.h"
#include "walk_scope.h"

namespace tvm {
namespace ffi {
namespace algo {
namespace {

using reflection::AccessPath;
using reflection::AccessStep;

bool IsContainer(int32_t type_index) {
  return type_index == kTVMFFIArray || type_index == kTVMFFIList || type_index == kTVMFFIMap ||
         type_index == kTVMFFIDict;
}

/// Depth-first search for the places that match a pattern of nested objects.
class PathFinder {
 public:
  PathFinder(std::vector<Any> pattern, bool allow_prefix)
      : pattern_(std::move(pattern)), allow_prefix_(allow_prefix) {}

  // No hook runs.
  Array<AccessPath> Find(const Any& root) {
    if (pattern_.empty() || !IsNode(Raw(root).type_index)) return Array<AccessPath>();
    Enter(root, 0);
    while (!stack_.empty()) Step();
    return Array<AccessPath>(found_.begin(), found_.end());
  }

 private:
  struct Frame {
    Any owner;
    size_t matched = 0;       // pattern entries matched, this node included
    size_t found_before = 0;  // paths reported when the node was entered
    bool is_node = false;
    bool has_step = false;  // a step of steps_ leads to the child that is being visited
    int64_t index = 0;
    MapCursor map;
    FieldCursor fields;
  };

  /// Objects of reflected types are nodes; everything else is a leaf or a container on the way.
  static bool IsNode(int32_t type_index) {
    return type_index >= kTVMFFIStaticObjectBegin && !IsContainer(type_index) &&
           TypeInfoOf(type_index)->metadata != nullptr;
  }

  void Enter(const Any& v, size_t matched) {
    const int32_t type_index = Raw(v).type_index;
    const bool is_node = IsNode(type_index);
    if (!is_node && !IsContainer(type_index)) return;
    if (is_node && Raw(v).v_obj == Raw(pattern_[matched]).v_obj) {
      ++matched;
      if (matched == pattern_.size()) {
        found_.push_back(AccessPath::FromSteps(steps_.begin(), steps_.end()));
        return;
      }
    }
    if (!open_.insert(Raw(v).v_obj).second)
      return;  // a cycle: its paths are endless, the first one stands for all
    Frame& frame = stack_.emplace_back();
    frame.owner = v;
    frame.matched = matched;
    frame.found_before = found_.size();
    frame.is_node = is_node;
    if (type_index == kTVMFFIMap || type_index == kTVMFFIDict) {
      frame.map = MapCursor(Raw(v));
    } else if (is_node) {
      frame.fields = FieldCursor(TypeInfoOf(type_index));
    }
  }

  void Step() {
    Frame& frame = stack_.back();
    if (std::exchange(frame.has_step, false)) steps_.pop_back();
    const TVMFFIAny& owner = Raw(frame.owner);
    switch (owner.type_index) {
      case kTVMFFIArray:
      case kTVMFFIList: {
        const TVMFFISeqCell& seq = SeqOf(owner);
        while (frame.index < seq.size) {
          const int64_t i = frame.index++;
          if (!IsObject(SeqItem(seq, i))) continue;
          return Descend(&frame, AccessStep::ArrayItem(i), AsAny(SeqItem(seq, i)));
        }
        return Leave();
      }
      case kTVMFFIMap:
      case kTVMFFIDict: {
        while (MapCursor::Entry entry = frame.map.Next()) {
          if (!IsObject(*entry.value)) continue;
          return Descend(&frame, AccessStep::MapItem(AsAny(*entry.key)), AsAny(*entry.value));
        }
        return Leave();
      }
      default: {
        while (const TVMFFIFieldInfo* field = frame.fields.Next()) {
          const Any value = ReadField(owner.v_obj, field);
          if (!IsObject(Raw(value))) continue;
          return Descend(&frame, AccessStep::Attr(String(field->name.data, field->name.size)),
                         value);
        }
        return Leave();
      }
    }
  }

  void Descend(Frame* frame, AccessStep step, Any child) {
    frame->has_step = true;
    const size_t matched = frame->matched;
    steps_.push_back(std::move(step));
    Enter(child, matched);
  }

  void Leave() {
    const Frame& frame = stack_.back();
    if (allow_prefix_ && frame.is_node && frame.matched > 0 &&
        found_.size() == frame.found_before && !steps_.empty()) {
      found_.push_back(AccessPath::FromSteps(steps_.begin(), steps_.end()));
    }
    open_.erase(Raw(frame.owner).v_obj);
    const Any owner = std::move(stack_.back().owner);
    stack_.pop_back();
  }

  const std::vector<Any> pattern_;
  const bool allow_prefix_;
  std::vector<Frame> stack_;
  std::vector<AccessStep> steps_;
  std::vector<AccessPath> found_;
  std::unordered_set<const TVMFFIObject*> open_;
};

}  // namespace

void RegisterVisitErrorContext() {
  namespace refl = tvm::ffi::reflection;
  refl::ObjectDef<VisitErrorContextObj>(refl::init(false))
      .def_ro("reverse_visit_pattern", &VisitErrorContextObj::reverse_visit_pattern)
      .def_ro("prev_error_context", &VisitErrorContextObj::prev_error_context);
  QuickDef().def("ffi.VisitErrorContext.FindAccessPaths",
                 [](const ObjectRef& root, const VisitErrorContext& context,
                    bool allow_prefix) -> Array<AccessPath> {
                   return VisitErrorContext::FindAccessPaths(root, context, allow_prefix);
                 });
}

}  // namespace algo

Array<reflection::AccessPath> VisitErrorContext::FindAccessPaths(
    const ObjectRef& root, const VisitErrorContext& visit_context, bool allow_prefix_match) {
  algo::WalkScope walk;
  // The list grows from the innermost node outward; the pattern reads the other way.
  std::vector<Any> pattern;
  const Any list = visit_context->reverse_visit_pattern;
  const TVMFFISeqCell& seq = algo::SeqOf(algo::Raw(list));
  for (int64_t i = seq.size; i-- > 0;) {
    const TVMFFIAny& entry = algo::SeqItem(seq, i);
    if (!algo::IsObject(entry)) continue;
    if (!pattern.empty() && algo::Raw(pattern.back()).v_obj == entry.v_obj) continue;
    pattern.push_back(algo::AsAny(entry));
  }
  return algo::PathFinder(std::move(pattern), allow_prefix_match).Find(Any(root));
}

}  // namespace ffi
}  // namespace tvm
