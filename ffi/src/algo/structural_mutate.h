// SPDX-License-Identifier: Apache-2.0
/// \file structural_mutate.h
/// \brief The engine behind ffi.StructuralMap and ffi.StructuralMutate.
#ifndef TVM_FFI_SRC_ALGO_STRUCTURAL_MUTATE_H_
#define TVM_FFI_SRC_ALGO_STRUCTURAL_MUTATE_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/extra/structural_mutate.h>
#include <tvm/ffi/function.h>

#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "structural_abi.h"
#include "structural_visit.h"
#include "walk_scope.h"

namespace tvm {
namespace ffi {
namespace algo {

/// A mutator that rebuilds fields and builtin containers on a stack of its own. Only hooks and
/// callbacks that call the mutator nest C frames.
///
/// All results are Unchanged or a new value. In-place work is done on containers that are
/// referenced from the slot they were found in and from nowhere else.
class MutateEngine : public MutatorCell {
 public:
  enum class Mode { kMapPreOrder, kMapPostOrder, kMutate };

  MutateEngine(Mode mode, std::vector<TypedCallback> callbacks);

  /// Mutates a value in the current region. With `inplace`, `value` is the slot itself (its only
  /// reference may be changed).
  Any Mutate(const Any& value, bool inplace);

  /// What the default mutation makes of a value, in the current region; never in place.
  Any DefaultMutate(const Any& value);

  Any VarRemapGet(const Any& var) const;
  void VarRemapSet(const Any& var, const Any& value);

  /// The engine behind a mutator, or nullptr for a mutator made elsewhere.
  static MutateEngine* From(MutatorCell* mutator);

  static int32_t RuntimeTypeIndex() { return StructuralMutatorObj::RuntimeTypeIndex(); }

 private:
  enum class Phase { kBefore, kDefault, kSequence, kMap, kFields, kAfter };

  // What a copy is made of, once something below a value changed.
  struct Change {
    std::vector<Any> items;  // elements (values of maps)
    std::vector<Any> keys;   // of maps
    Any copy;                // of an object
    bool known = false;      // other threads may have met the copy
  };

  // Filled in place and without what a phase does not use: most of the work is to push frames.
  struct Frame {
    struct MapPart {
      MapCursor cursor;
      MapCursor::Entry entry;  // read after hooks in place only: they can't reach the map then
    };
    struct FieldPart {
      FieldCursor cursor;
      const TVMFFIFieldInfo* field;
    };

    Frame(const TVMFFIAny& value, Region r, bool in_place, bool only_default, bool is_child)
        : input(Own(value)),
          phase(only_default ? Phase::kDefault : Phase::kBefore),
          region(r),
          inner_region(r),
          inplace(in_place),
          default_only(only_default),
          held_below(is_child),
          sequence() {}

    Any input;     // the value as it was found
    Any replaced;  // the value as it is now, when has_replaced
    Any child;     // the value that is being mutated, of a field or of a map
    Any key;       // of that value in a map
    std::unique_ptr<Change> change;
    Phase phase;
    Region region;
    Region inner_region;
    int32_t kind = 0;
    bool inplace;       // the slot allows changing a value that nobody else holds
    bool default_only;  // no callbacks, and no note in error contexts
    bool held_below;    // the frame below holds the value as well, in `child`
    bool has_replaced = false;
    bool expanded = false;  // by a callback of a pre-order map; counted in expansions_
    bool waiting = false;   // a child was begun: its result is in result_
    const TVMFFIObject* opened = nullptr;  // its entry in open_
    union {
      SeqCursor sequence;
      MapPart map;
      FieldPart fields;
    };
  };

  static TVMFFIAny MutateThunk(MutatorCell* self, AnyView value) noexcept;
  static TVMFFIAny InplaceThunk(MutatorCell* self, AnyView value) noexcept;
  static TVMFFIAny GetThunk(MutatorCell* self, AnyView var) noexcept;
  static TVMFFIAny SetThunk(MutatorCell* self, AnyView var, AnyView value) noexcept;
  static const MutatorVTable kVTable;

  Any Run(const TVMFFIAny& value, bool inplace, bool default_only);
  void Begin(const TVMFFIAny& value, Region region, bool inplace, bool held_below = false);
  void Push(const TVMFFIAny& value, Region region, bool inplace, bool default_only,
            bool held_below = false);
  void Step();
  void StepBefore(Frame* frame);
  void StepDefault(Frame* frame);
  void StepSequence(Frame* frame);
  void StepMap(Frame* frame);
  void StepFields(Frame* frame);
  void StepAfter(Frame* frame);
  void BeginFields(Frame* frame, const TVMFFITypeInfo* info);
  void TakeItem(Frame* frame);
  void TakeMapItem(Frame* frame);
  void TakeFieldResult(Frame* frame);
  template <typename Table>
  static Any TableOf(const Change& change);
  void FinishVariable(Frame* frame);
  void Expand(Frame* frame, Any value);
  void OpenFrame(Frame* frame);
  void CloseFrame(Frame* frame);
  static const Any& Current(const Frame& frame) {
    return frame.has_replaced ? frame.replaced : frame.input;
  }
  static void Replace(Frame* frame, Any value) {
    // What was there dies with the argument, and may run code that moves the stack: last.
    frame->has_replaced = true;
    frame->replaced.swap(value);
  }
  static Change& ChangeOf(Frame* frame) {
    if (frame->change == nullptr) frame->change = std::make_unique<Change>();
    return *frame->change;
  }
  void Pop();
  Any Call(const TypedCallback& callback, const Any& value, Region region, bool inplace);
  static bool IsUnique(const Frame& frame);
  static bool IsChange(const Any& result, const TVMFFIAny& input);

  // Values may be as deep as memory allows, so only what can't be a value is refused.
  static constexpr int64_t kMaxExpansions = 500000;

  const Mode mode_;
  const std::vector<TypedCallback> callbacks_;
  std::vector<Frame> stack_;
  std::unordered_set<const TVMFFIObject*> open_;  // shared objects whose children are being mutated
  std::unordered_map<const TVMFFIObject*, std::pair<Any, Any>>
      remap_;  // variable -> (itself, result)
  Any result_;
  int64_t expansions_ = 0;  // frames of stack_ that are expanded
  TypeInfoCache types_;
  mutable EngineOwner owner_;
};

/// Default mutation for any mutator; never in place. \returns Unchanged or a new value.
Any DefaultMutateOf(MutatorCell* mutator, const Any& value);

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_SRC_ALGO_STRUCTURAL_MUTATE_H_
