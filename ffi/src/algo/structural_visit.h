// SPDX-License-Identifier: Apache-2.0
/// \file structural_visit.h
/// \brief The engine behind ffi.StructuralWalk and ffi.StructuralVisit.
#ifndef TVM_FFI_SRC_ALGO_STRUCTURAL_VISIT_H_
#define TVM_FFI_SRC_ALGO_STRUCTURAL_VISIT_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/extra/structural_visit.h>
#include <tvm/ffi/function.h>

#include <unordered_set>
#include <utility>
#include <vector>

#include "structural_abi.h"
#include "walk_scope.h"

namespace tvm {
namespace ffi {
namespace algo {

/// A callback for the values of one type (and the types derived from it).
struct TypedCallback {
  int32_t type_index = kTVMFFIAny;
  Function function;
  bool extra_argument = false;  // region (walk, map) or in-place mode (mutate) is passed as well
};

/// The first callback that takes a value of this type, or nullptr.
inline const TypedCallback* FindCallback(const std::vector<TypedCallback>& callbacks,
                                         int32_t type_index) {
  for (const TypedCallback& callback : callbacks) {
    if (DynamicMatch(type_index, callback.type_index)) return &callback;
  }
  return nullptr;
}

/// A visitor that walks fields and builtin containers on a stack of its own. Only hooks and
/// callbacks that call the visitor nest C frames.
class VisitEngine : public VisitorCell {
 public:
  enum class Mode { kWalkPreOrder, kWalkPostOrder, kVisit };

  VisitEngine(Mode mode, std::vector<TypedCallback> callbacks);

  /// Visits a value in the current region. The result is None or the VisitInterrupt that ended the
  /// walk.
  Any Visit(const Any& value);

  /// Visits what the default visit of a value visits, in the current region: its hook, fields or
  /// elements.
  Any DefaultVisit(const Any& value);

  /// The engine behind a visitor, or nullptr for a visitor made elsewhere.
  static VisitEngine* From(VisitorCell* visitor);

  static int32_t RuntimeTypeIndex() { return StructuralVisitorObj::RuntimeTypeIndex(); }

 private:
  enum class Phase { kBefore, kDefault, kSequence, kMap, kFields, kAfter };

  // Filled in place and without what a phase does not use: most of the work is to push frames.
  struct Frame {
    Frame(const Any& v, Region r, bool only_children)
        : value(v),
          phase(only_children ? Phase::kDefault : Phase::kBefore),
          region(r),
          inner_region(r),
          children_only(only_children),
          sequence() {}

    Any value;
    Phase phase;
    Region region;
    Region inner_region;
    bool children_only;  // no callbacks, and no note in error contexts
    bool open = false;   // listed in open_
    union {
      SeqCursor sequence;
      MapCursor map;
      FieldCursor fields;
    };
  };

  static TVMFFIAny VisitThunk(VisitorCell* self, AnyView value) noexcept;
  static const VisitorVTable kVTable;

  Any Run(const Any& value, bool children_only);
  /// False when the walk is interrupted; interrupt_ then holds why. `value` may be a slot of a
  /// container: nothing runs that could change it before a frame owns the value.
  bool Begin(const Any& value, Region region);
  void Push(const Any& value, Region region, bool children_only);
  bool Step();
  bool StepBefore(Frame* frame);
  bool StepDefault(Frame* frame);
  bool StepSequence(Frame* frame);
  bool StepMap(Frame* frame);
  bool StepFields(Frame* frame);
  bool BeginField(const Frame& frame, const TVMFFIFieldInfo* field);
  bool StepAfter(Frame* frame);
  void OpenFrame(Frame* frame);
  void Pop();
  bool CallWalk(const TypedCallback& callback, const Any& value, Region region, bool* skip);
  bool CallVisit(const TypedCallback& callback, const Any& value, Region region);
  bool TakeInterrupt(Any result, const char* expected);

  const Mode mode_;
  const std::vector<TypedCallback> callbacks_;
  std::vector<Frame> stack_;
  std::unordered_set<const TVMFFIObject*> open_;  // shared objects whose children are being visited
  Any interrupt_;
  TypeInfoCache types_;
  EngineOwner owner_;
};

/// Default visit for any visitor. \returns None or a VisitInterrupt.
Any DefaultVisitOf(VisitorCell* visitor, const Any& value);

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_SRC_ALGO_STRUCTURAL_VISIT_H_
