// SPDX-License-Identifier: Apache-2.0
#include "structural_mutate.h"

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>

#include "stack_guard.h"
#include "visit_context.h"

namespace tvm {
namespace ffi {
namespace algo {
namespace {

constexpr const char* kName = "StructuralMutate";

const HookColumn& MutateColumn() {
  static const HookColumn column("__s_mutate__");
  return column;
}

const HookColumn& InplaceColumn() {
  static const HookColumn column("__s_maybe_inplace_mutate__");
  return column;
}

const HookColumn& CopyColumn() {
  static const HookColumn column("__ffi_shallow_copy__");
  return column;
}

Any MutatorValue(MutatorCell* mutator) {
  return Any(ObjectRef(ffi::detail::ObjectUnsafe::ObjectPtrFromUnowned<Object>(mutator)));
}

/// Calls a mutate hook; `value` is passed as a view, so an in-place hook sees the true reference
/// count.
Any CallHook(const TVMFFIAny& hook, MutatorCell* mutator, AnyView value) {
  NestingScope scope(kName);
  if (hook.type_index == kTVMFFIOpaquePtr) {
    return TakeResult(reinterpret_cast<MutateHook>(hook.v_ptr)(mutator, value));
  }
  if (hook.type_index != kTVMFFIFunction) {
    TVM_FFI_THROW(TypeError) << "__s_mutate__ must be a native hook or an ffi.Function, but got `"
                             << TypeKeyOf(hook.type_index) << "`";
  }
  const Function function = AsAny(hook).cast<Function>();
  Any result = function(MutatorValue(mutator), value);
  if (result.type_index() == kTVMFFIError) throw std::move(result).cast<Error>();
  return result;
}

Function CopyHookOf(int32_t type_index) {
  Function hook = CopyColumn().FindFunction(type_index, "__ffi_shallow_copy__");
  if (hook == nullptr) TVM_FFI_THROW(TypeError) << "__ffi_shallow_copy__ must be an ffi.Function";
  return hook;
}

void RequireCopyHook(int32_t type_index) {
  const TVMFFIAny* hook = CopyColumn().Find(type_index);
  if (hook == nullptr || hook->type_index != kTVMFFIFunction) CopyHookOf(type_index);
}

Any ShallowCopy(const Function& hook, const Any& value) {
  Any copy = hook(value);
  if (Raw(copy).type_index != Raw(value).type_index || Raw(copy).v_obj == Raw(value).v_obj) {
    TVM_FFI_THROW(TypeError) << "__ffi_shallow_copy__ of type `" << value.GetTypeKey()
                             << "` must return a new object of the same type";
  }
  return copy;
}

bool IsMutableLeaf(int32_t type_index) {
  return type_index < kTVMFFIStaticObjectBegin || type_index == kTVMFFIStr ||
         type_index == kTVMFFIBytes || type_index == kTVMFFIBigInt;
}

}  // namespace

const MutatorVTable MutateEngine::kVTable = {&MutateEngine::MutateThunk,
                                             &MutateEngine::InplaceThunk, &MutateEngine::GetThunk,
                                             &MutateEngine::SetThunk};

MutateEngine::MutateEngine(Mode mode, std::vector<TypedCallback> callbacks)
    : mode_(mode), callbacks_(std::move(callbacks)) {
  vtable = &kVTable;
}

MutateEngine* MutateEngine::From(MutatorCell* mutator) {
  return mutator->vtable == &kVTable ? static_cast<MutateEngine*>(mutator) : nullptr;
}

TVMFFIAny MutateEngine::MutateThunk(MutatorCell* self, AnyView value) noexcept {
  return ErrorAsResult([&] {
    const Any held(value);
    return static_cast<MutateEngine*>(self)->Mutate(held, false);
  });
}

TVMFFIAny MutateEngine::InplaceThunk(MutatorCell* self, AnyView value) noexcept {
  // No reference is added: the one that counts is the caller's slot.
  return ErrorAsResult([&] {
    const TVMFFIAny raw = value.CopyToTVMFFIAny();
    return static_cast<MutateEngine*>(self)->Run(raw, true, false);
  });
}

TVMFFIAny MutateEngine::GetThunk(MutatorCell* self, AnyView var) noexcept {
  return ErrorAsResult([&] { return static_cast<MutateEngine*>(self)->VarRemapGet(Any(var)); });
}

TVMFFIAny MutateEngine::SetThunk(MutatorCell* self, AnyView var, AnyView value) noexcept {
  return ErrorAsResult([&] {
    static_cast<MutateEngine*>(self)->VarRemapSet(Any(var), Any(value));
    return Any();
  });
}

Any MutateEngine::VarRemapGet(const Any& var) const {
  if (!IsObject(Raw(var))) return Any();
  const EngineOwner::Scope use(&owner_, "The mutator");
  auto it = remap_.find(Raw(var).v_obj);
  return it == remap_.end() ? Any() : it->second.second;
}

void MutateEngine::VarRemapSet(const Any& var, const Any& value) {
  if (!IsObject(Raw(var))) {
    TVM_FFI_THROW(TypeError) << "A variable must be an object, but got `" << var.GetTypeKey()
                             << "`";
  }
  const EngineOwner::Scope use(&owner_, "The mutator");
  std::pair<Any, Any>& entry = remap_[Raw(var).v_obj];
  const std::pair<Any, Any> old = std::exchange(entry, {var, value});
}

Any MutateEngine::Mutate(const Any& value, bool inplace) { return Run(Raw(value), inplace, false); }

Any MutateEngine::DefaultMutate(const Any& value) { return Run(Raw(value), false, true); }

Any MutateEngine::Run(const TVMFFIAny& value, bool inplace, bool default_only) {
  NestingScope scope(kName);
  const EngineOwner::Scope use(&owner_, "The mutator");
  WalkScope walk;
  const size_t base = stack_.size();
  struct Restore {
    MutateEngine* self;
    size_t base;
    ~Restore() {
      while (self->stack_.size() > base) self->Pop();
    }
  } restore{this, base};
  try {
    if (default_only) {
      Push(value, def_region_mode, false, true);
    } else {
      Begin(value, def_region_mode, inplace);
    }
    while (stack_.size() > base) Step();
    return std::exchange(result_, Any());
  } catch (const Error& error) {
    List<ObjectRef> path = VisitPathOf(error);
    for (size_t i = stack_.size(); i-- > base;) {
      if (!stack_[i].default_only) NoteVisited(&path, stack_[i].input);
    }
    throw;
  }
}

/// Leaves the result of a plain value in result_, or pushes a frame for an object.
void MutateEngine::Begin(const TVMFFIAny& value, Region region, bool inplace, bool held_below) {
  if (!IsMutableLeaf(value.type_index)) return Push(value, region, inplace, false, held_below);
  const TypedCallback* callback = FindCallback(callbacks_, value.type_index);
  if (callback == nullptr) {
    result_ = UnchangedMarker();
    return;
  }
  if (IsObject(value)) return Push(value, region, inplace, false);
  const Any input = AsAny(value);
  Any result = Call(*callback, input, region, false);
  if (mode_ == Mode::kMapPreOrder && IsObject(Raw(result))) {
    // A plain value replaced by an object: the default mutation goes on below the object.
    Push(Raw(result), region, false, false);
    Frame& frame = stack_.back();
    Expand(&frame, std::exchange(frame.input, input));
    frame.phase = Phase::kDefault;
    return;
  }
  result_ = IsChange(result, Raw(input)) ? std::move(result) : UnchangedMarker();
}

void MutateEngine::Push(const TVMFFIAny& value, Region region, bool inplace, bool default_only,
                        bool held_below) {
  stack_.emplace_back(value, region, inplace, default_only, held_below);
}

void MutateEngine::Pop() {
  Frame& frame = stack_.back();
  CloseFrame(&frame);
  if (frame.expanded) --expansions_;
  Frame last = std::move(frame);
  stack_.pop_back();
}

/// True when the value is held by its slot and this frame alone.
bool MutateEngine::IsUnique(const Frame& frame) {
  constexpr uint64_t kTwoReferences = (uint64_t{1} << 32) + 2;
  return !frame.has_replaced && IsObject(Raw(frame.input)) &&
         __atomic_load_n(&Raw(frame.input).v_obj->combined_ref_count, __ATOMIC_ACQUIRE) ==
             kTwoReferences;
}

bool MutateEngine::IsChange(const Any& result, const TVMFFIAny& input) {
  return !IsUnchanged(result) && !SameBits(Raw(result), input);
}

void MutateEngine::Step() {
  Frame& frame = stack_.back();
  switch (frame.phase) {
    case Phase::kBefore:
      return StepBefore(&frame);
    case Phase::kDefault:
      return StepDefault(&frame);
    case Phase::kSequence:
      return StepSequence(&frame);
    case Phase::kMap:
      return StepMap(&frame);
    case Phase::kFields:
      return StepFields(&frame);
    case Phase::kAfter:
      return StepAfter(&frame);
  }
}

Any MutateEngine::Call(const TypedCallback& callback, const Any& value, Region region,
                       bool inplace) {
  RegionScope<MutatorCell> scope(this, region);
  Any result;
  if (mode_ == Mode::kMutate) {
    result = callback.extra_argument ? callback.function(value, MutatorValue(this),
                                                         static_cast<int64_t>(inplace ? 1 : 0))
                                     : callback.function(value, MutatorValue(this));
  } else {
    result = callback.extra_argument ? callback.function(value, static_cast<int64_t>(region))
                                     : callback.function(value);
  }
  if (result.type_index() == kTVMFFIError) throw std::move(result).cast<Error>();
  return result;
}

void MutateEngine::StepBefore(Frame* frame) {
  frame->phase = Phase::kDefault;
  if (mode_ == Mode::kMapPostOrder) return;
  const TypedCallback* callback = FindCallback(callbacks_, Raw(Current(*frame)).type_index);
  if (callback == nullptr) return;
  if (mode_ == Mode::kMutate) frame->phase = Phase::kAfter;  // the callback owns the descent
  const bool inplace = frame->inplace && IsUnique(*frame);
  Any result = Call(*callback, Any(Current(*frame)), frame->region, inplace);
  Frame& after = stack_.back();  // the call may have moved the stack
  if (!IsChange(result, Raw(Current(after)))) return;
  if (mode_ == Mode::kMapPreOrder) {
    Expand(&after, std::move(result));
  } else {
    Replace(&after, std::move(result));
  }
}

/// Replaces a value whose replacement is mapped next: callbacks that always put something new into
/// what they return would go on for ever.
void MutateEngine::Expand(Frame* frame, Any value) {
  if (expansions_ == kMaxExpansions) {
    TVM_FFI_THROW(RecursionError) << kName << ": more than " << kMaxExpansions
                                  << " replacements within each other: does a pre-order callback "
                                     "replace what it has put into a replacement?";
  }
  frame->expanded = true;
  ++expansions_;
  Replace(frame, std::move(value));
}

void MutateEngine::StepDefault(Frame* frame) {
  const TVMFFIAny raw = Raw(Current(*frame));
  if (IsMutableLeaf(raw.type_index)) {
    frame->phase = Phase::kAfter;
    return;
  }
  frame->inplace = frame->inplace && IsUnique(*frame);
  switch (raw.type_index) {
    case kTVMFFIArray:
    case kTVMFFIList:
      OpenFrame(frame);
      frame->sequence = SeqCursor(raw);
      frame->phase = Phase::kSequence;
      return;
    case kTVMFFIMap:
    case kTVMFFIDict:
      OpenFrame(frame);
      frame->map = {MapCursor(raw), {}};
      frame->phase = Phase::kMap;
      return;
    default:
      break;
  }
  const TVMFFIAny* hook = frame->inplace ? InplaceColumn().Find(raw.type_index) : nullptr;
  const bool by_inplace_hook = hook != nullptr;
  if (hook == nullptr) hook = MutateColumn().Find(raw.type_index);
  if (hook != nullptr) {
    frame->phase = Phase::kAfter;
    const TVMFFIAny entry = *hook;
    RegionScope<MutatorCell> region(this, frame->region);
    Any result;
    if (by_inplace_hook) {
      // The frame lets go of its reference, so that the hook finds the value as unique as its slot
      // has it.
      frame->input = Any();
      try {
        result = CallHook(entry, this, ViewOf(raw));
      } catch (...) {
        stack_.back().input = AsAny(raw);
        throw;
      }
      stack_.back().input = AsAny(raw);
    } else {
      const Any held = Current(*frame);
      result = CallHook(entry, this, AnyView(held));
    }
    Frame& after = stack_.back();
    if (IsChange(result, Raw(Current(after)))) Replace(&after, std::move(result));
    return;
  }
  BeginFields(frame, types_.Of(raw.type_index));
}

void MutateEngine::BeginFields(Frame* frame, const TVMFFITypeInfo* info) {
  frame->kind = WalkKindOf(info);
  const bool is_variable = frame->kind == kTVMFFISEqHashKindFreeVar;
  if (is_variable || frame->kind == kTVMFFISEqHashKindDAGNode) {
    const Any known = VarRemapGet(Current(*frame));
    if (known.type_index() != kTVMFFINone) {
      frame->phase = Phase::kAfter;
      if (IsChange(known, Raw(Current(*frame)))) Replace(frame, known);
      return;
    }
  }
  if (is_variable && frame->region == kTVMFFIDefRegionKindNone) {
    frame->phase = Phase::kAfter;  // bound elsewhere: not ours to change
    return;
  }
  RequireCopyHook(info->type_index);  // also where nothing will change
  OpenFrame(frame);
  if (is_variable) frame->inner_region = InsideFreeVar(frame->region);
  frame->fields = {FieldCursor(info), nullptr};
  frame->phase = Phase::kFields;
}

void MutateEngine::OpenFrame(Frame* frame) {
  const Any& value = Current(*frame);
  // Unshared objects can't be met again: their references are the slot and the frames'.
  if (StrongCount(Raw(value)) <= (frame->held_below && !frame->has_replaced ? 3u : 2u)) return;
  if (!open_.insert(Raw(value).v_obj).second) {
    TVM_FFI_THROW(ValueError) << kName << ": cyclic reference detected in a value of type `"
                              << value.GetTypeKey() << "`";
  }
  frame->opened = Raw(value).v_obj;
}

void MutateEngine::CloseFrame(Frame* frame) {
  if (frame->opened != nullptr) open_.erase(std::exchange(frame->opened, nullptr));
}

// Callbacks, and what dies with a result, may run code that moves the stack: frames are looked up
// again after them.

void MutateEngine::StepSequence(Frame* frame) {
  if (std::exchange(frame->waiting, false)) TakeItem(frame);
  const size_t depth = stack_.size();
  for (;;) {
    frame = &stack_.back();
    const TVMFFIAny* item = frame->sequence.Next();
    if (item == nullptr) break;
    frame->waiting = true;
    Begin(*item, frame->inner_region, frame->inplace);
    if (stack_.size() != depth) return;
    frame = &stack_.back();
    frame->waiting = false;
    TakeItem(frame);
  }
  if (frame->change != nullptr) {
    const std::vector<Any>& items = frame->change->items;
    Any copy = Raw(Current(*frame)).type_index == kTVMFFIArray
                   ? Any(Array<Any>(items.begin(), items.end()))
                   : Any(List<Any>(items.begin(), items.end()));
    CloseFrame(frame);
    frame->phase = Phase::kAfter;
    return Replace(frame, std::move(copy));
  }
  frame->phase = Phase::kAfter;
}

/// Takes result_ as what became of the last element that the cursor gave.
void MutateEngine::TakeItem(Frame* frame) {
  if (IsUnchanged(result_) && frame->change == nullptr) return;
  Any result = std::exchange(result_, Any());
  const TVMFFISeqCell& seq = SeqOf(Raw(Current(*frame)));
  const int64_t i = frame->sequence.index() - 1;
  if (i >= seq.size) return;  // a callback made the List shorter
  const TVMFFIAny& slot = SeqItem(seq, i);
  const bool change = IsChange(result, slot);
  if (frame->inplace) {
    if (change) const_cast<Any&>(AsAny(slot)).swap(result);  // the old element dies last
  } else if (change || frame->change != nullptr) {
    if (frame->change == nullptr) {
      std::vector<Any>& items = ChangeOf(frame).items;
      items.reserve(static_cast<size_t>(seq.size));
      for (int64_t k = 0; k < i; ++k) items.push_back(AsAny(SeqItem(seq, k)));
    }
    if (!change) result = AsAny(slot);
    frame->change->items.push_back(std::move(result));
  }
}

void MutateEngine::StepMap(Frame* frame) {
  if (std::exchange(frame->waiting, false)) TakeMapItem(frame);
  const size_t depth = stack_.size();
  for (;;) {
    frame = &stack_.back();
    const MapCursor::Entry entry = frame->map.entry = frame->map.cursor.Next();
    if (!entry) break;
    const int32_t type_index = entry.value->type_index;
    if (IsMutableLeaf(type_index) && FindCallback(callbacks_, type_index) == nullptr) {
      if (frame->change != nullptr) {
        frame->change->keys.push_back(AsAny(*entry.key));
        frame->change->items.push_back(AsAny(*entry.value));
      }
      continue;
    }
    frame->waiting = true;
    Any key, value;  // in the end, those of the entry before
    if (!frame->inplace) {
      // A callback may change a Dict. In place it can't reach it, and the value must have no other
      // reference.
      key = AsAny(*entry.key);
      value = AsAny(*entry.value);
      frame->key.swap(key);
      frame->child.swap(value);
    }
    Begin(*entry.value, frame->inner_region, frame->inplace, !frame->inplace);
    if (stack_.size() != depth) return;
    frame = &stack_.back();
    frame->waiting = false;
    TakeMapItem(frame);
  }
  if (frame->change != nullptr) {
    // Keys keep their order, and each is set once: nothing moves to the end. The hooks of keys may
    // move the stack.
    const std::unique_ptr<Change> change = std::move(frame->change);
    const bool is_map = Raw(Current(*frame)).type_index == kTVMFFIMap;
    Any copy = is_map ? TableOf<Map<Any, Any>>(*change) : TableOf<Dict<Any, Any>>(*change);
    frame = &stack_.back();
    CloseFrame(frame);
    frame->phase = Phase::kAfter;
    return Replace(frame, std::move(copy));
  }
  frame->phase = Phase::kAfter;
}

template <typename Table>
Any MutateEngine::TableOf(const Change& change) {
  Table table;
  for (size_t i = 0; i < change.items.size(); ++i) table.Set(change.keys[i], change.items[i]);
  return table;
}

/// Takes result_ as what became of the value of the current entry.
void MutateEngine::TakeMapItem(Frame* frame) {
  if (IsUnchanged(result_) && frame->change == nullptr) return;
  Any result = std::exchange(result_, Any());
  if (frame->inplace) {
    const TVMFFIAny& slot = *frame->map.entry.value;
    if (IsChange(result, slot)) const_cast<Any&>(AsAny(slot)).swap(result);
    return;
  }
  const bool change = IsChange(result, Raw(frame->child));
  if (!change && frame->change == nullptr) return;
  if (frame->change == nullptr) {
    Change& fresh = ChangeOf(frame);
    MapCursor cursor(Raw(Current(*frame)));
    while (MapCursor::Entry entry = cursor.Next()) {
      if (SameBits(*entry.key, Raw(frame->key))) break;
      fresh.keys.push_back(AsAny(*entry.key));
      fresh.items.push_back(AsAny(*entry.value));
    }
  }
  frame->change->keys.push_back(frame->key);
  frame->change->items.push_back(change ? std::move(result) : frame->child);
}

void MutateEngine::StepFields(Frame* frame) {
  if (std::exchange(frame->waiting, false)) TakeFieldResult(frame);
  frame = &stack_.back();
  const size_t depth = stack_.size();
  for (;;) {
    frame = &stack_.back();
    const TVMFFIFieldInfo* field = frame->fields.cursor.Next();
    if (field == nullptr) break;
    if ((field->flags & kTVMFFIFieldFlagBitMaskSEqHashIgnore) != 0) continue;
    frame->fields.field = field;
    Any child = ReadField(Raw(Current(*frame)).v_obj, field);
    const TVMFFIAny raw = Raw(child);
    frame->child.swap(child);  // the one before dies at the end
    frame->waiting = true;
    Begin(raw, FieldRegion(frame->inner_region, field->flags), false, true);
    if (stack_.size() != depth) return;
    frame = &stack_.back();
    frame->waiting = false;
    TakeFieldResult(frame);
  }
  FinishVariable(frame);
}

void MutateEngine::TakeFieldResult(Frame* frame) {
  if (IsUnchanged(result_)) return;
  const Any result = std::exchange(result_, Any());
  const Any child = std::exchange(frame->child, Any());
  if (!IsChange(result, Raw(child))) return;
  const TVMFFIFieldInfo* field = frame->fields.field;
  if (frame->change == nullptr) {
    const Any source = Current(*frame);
    InterpreterWatch interpreter;
    Any copy = ShallowCopy(CopyHookOf(Raw(source).type_index), source);
    frame = &stack_.back();
    ChangeOf(frame).copy = std::move(copy);
    frame->change->known = interpreter.HasRun();
  }
  const Any copy = frame->change->copy;
  if (frame->change->known) {
    ChangeScope change;
    WriteField(Raw(copy).v_obj, field, Raw(result));
  } else {
    InterpreterWatch interpreter;
    WriteField(Raw(copy).v_obj, field, Raw(result));
    if (interpreter.HasRun()) stack_.back().change->known = true;
  }
}

void MutateEngine::FinishVariable(Frame* frame) {
  frame->phase = Phase::kAfter;
  const bool changed = frame->change != nullptr;
  const bool remember = frame->kind == kTVMFFISEqHashKindDAGNode ||
                        (frame->kind == kTVMFFISEqHashKindFreeVar &&
                         (changed || frame->region == kTVMFFIDefRegionKindPattern));
  if (remember) VarRemapSet(Current(*frame), changed ? frame->change->copy : UnchangedMarker());
  if (!changed) return;
  frame = &stack_.back();
  CloseFrame(frame);
  Replace(frame, std::move(frame->change->copy));
}

void MutateEngine::StepAfter(Frame* frame) {
  if (mode_ == Mode::kMapPostOrder && !frame->default_only) {
    const TypedCallback* callback = FindCallback(callbacks_, Raw(Current(*frame)).type_index);
    if (callback != nullptr) {
      CloseFrame(frame);
      Any result = Call(*callback, Any(Current(*frame)), frame->region, false);
      Frame& after = stack_.back();
      if (IsChange(result, Raw(Current(after)))) Replace(&after, std::move(result));
    }
  }
  Frame& last = stack_.back();
  CloseFrame(&last);
  result_ = SameBits(Raw(Current(last)), Raw(last.input)) ? UnchangedMarker() : Current(last);
  Pop();
}

Any DefaultMutateOf(MutatorCell* mutator, const Any& value) {
  WalkScope walk;
  if (MutateEngine* engine = MutateEngine::From(mutator); engine != nullptr)
    return engine->DefaultMutate(value);
  const TVMFFIAny& raw = Raw(value);
  if (!IsObject(raw)) return UnchangedMarker();
  if (const TVMFFIAny* hook = MutateColumn().Find(raw.type_index); hook != nullptr) {
    return CallHook(TVMFFIAny(*hook), mutator, AnyView(value));
  }
  NestingScope scope(kName);
  const TVMFFITypeInfo* info = TypeInfoOf(raw.type_index);
  const int32_t kind = WalkKindOf(info);
  const bool is_variable = kind == kTVMFFISEqHashKindFreeVar;
  const Region region = mutator->def_region_mode;
  if (is_variable || kind == kTVMFFISEqHashKindDAGNode) {
    Any known = TakeResult(mutator->vtable->var_remap_get(mutator, AnyView(value)));
    if (known.type_index() != kTVMFFINone) return known;
  }
  if (is_variable && region == kTVMFFIDefRegionKindNone) return UnchangedMarker();
  const Function copy_hook = CopyHookOf(info->type_index);
  const Region inner = is_variable ? InsideFreeVar(region) : region;
  Any copy;
  FieldCursor fields(info);
  while (const TVMFFIFieldInfo* field = fields.Next()) {
    if ((field->flags & kTVMFFIFieldFlagBitMaskSEqHashIgnore) != 0) continue;
    const Any child = ReadField(raw.v_obj, field);
    Any result;
    {
      RegionScope<MutatorCell> scope_held_below(mutator, FieldRegion(inner, field->flags));
      result = TakeResult(mutator->vtable->mutate(mutator, AnyView(child)));
    }
    if (IsUnchanged(result) || SameBits(Raw(result), Raw(child))) continue;
    if (copy.type_index() == kTVMFFINone) copy = ShallowCopy(copy_hook, value);
    WriteField(Raw(copy).v_obj, field, Raw(result));
  }
  const bool changed = copy.type_index() != kTVMFFINone;
  Any out = changed ? copy : UnchangedMarker();
  if (kind == kTVMFFISEqHashKindDAGNode ||
      (is_variable && (changed || region == kTVMFFIDefRegionKindPattern))) {
    TakeResult(mutator->vtable->var_remap_set(mutator, AnyView(value), AnyView(out)));
  }
  return out;
}

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
