// SPDX-License-Identifier: Apache-2.0
#include "structural_visit.h"

#include "stack_guard.h"
#include "visit_context.h"

namespace tvm {
namespace ffi {
namespace algo {
namespace {

constexpr const char* kName = "StructuralVisit";

const HookColumn& VisitColumn() {
  static const HookColumn column("__s_visit__");
  return column;
}

Any VisitorValue(VisitorCell* visitor) {
  return Any(ObjectRef(ffi::detail::ObjectUnsafe::ObjectPtrFromUnowned<Object>(visitor)));
}

/// Result of the hook of a type: None, VisitInterrupt or (thrown) Error.
Any CallHook(const TVMFFIAny& hook, VisitorCell* visitor, const Any& value) {
  NestingScope scope(kName);
  if (hook.type_index == kTVMFFIOpaquePtr) {
    return TakeResult(reinterpret_cast<VisitHook>(hook.v_ptr)(visitor, AnyView(value)));
  }
  if (hook.type_index != kTVMFFIFunction) {
    TVM_FFI_THROW(TypeError) << "__s_visit__ must be a native hook or an ffi.Function, but got `"
                             << TypeKeyOf(hook.type_index) << "`";
  }
  const Function function = AsAny(hook).cast<Function>();
  Any result = function(VisitorValue(visitor), value);
  if (result.type_index() == kTVMFFIError) throw std::move(result).cast<Error>();
  return result;
}

}  // namespace

const VisitorVTable VisitEngine::kVTable = {&VisitEngine::VisitThunk};

VisitEngine::VisitEngine(Mode mode, std::vector<TypedCallback> callbacks)
    : mode_(mode), callbacks_(std::move(callbacks)) {
  vtable = &kVTable;
}

VisitEngine* VisitEngine::From(VisitorCell* visitor) {
  return visitor->vtable == &kVTable ? static_cast<VisitEngine*>(visitor) : nullptr;
}

TVMFFIAny VisitEngine::VisitThunk(VisitorCell* self, AnyView value) noexcept {
  return ErrorAsResult([&] { return static_cast<VisitEngine*>(self)->Visit(Any(value)); });
}

Any VisitEngine::Visit(const Any& value) { return Run(value, false); }

Any VisitEngine::DefaultVisit(const Any& value) { return Run(value, true); }

Any VisitEngine::Run(const Any& value, bool children_only) {
  NestingScope scope(kName);
  const EngineOwner::Scope use(&owner_, "The visitor");
  WalkScope walk;
  const size_t base = stack_.size();
  struct Restore {
    VisitEngine* self;
    size_t base;
    ~Restore() {
      while (self->stack_.size() > base) self->Pop();
    }
  } restore{this, base};
  try {
    bool go_on = true;
    if (children_only) {
      Push(value, def_region_mode, true);
    } else {
      go_on = Begin(value, def_region_mode);
    }
    while (go_on && stack_.size() > base) go_on = Step();
    return go_on ? Any() : std::exchange(interrupt_, Any());
  } catch (const Error& error) {
    List<ObjectRef> path = VisitPathOf(error);
    for (size_t i = stack_.size(); i-- > base;) {
      if (!stack_[i].children_only) NoteVisited(&path, stack_[i].value);
    }
    throw;
  }
}

bool VisitEngine::Begin(const Any& value, Region region) {
  const TVMFFIAny& raw = Raw(value);
  if (raw.type_index == kTVMFFINone) return true;
  if (IsObject(raw)) {
    const bool is_leaf = raw.type_index == kTVMFFIStr || raw.type_index == kTVMFFIBytes;
    if (is_leaf && FindCallback(callbacks_, raw.type_index) == nullptr) return true;
    Push(value, region, false);
    return true;
  }
  const TypedCallback* callback = FindCallback(callbacks_, raw.type_index);
  if (callback == nullptr) return true;
  bool skip = false;
  return mode_ == Mode::kVisit ? CallVisit(*callback, value, region)
                               : CallWalk(*callback, value, region, &skip);
}

void VisitEngine::Push(const Any& value, Region region, bool children_only) {
  stack_.emplace_back(value, region, children_only);
}

void VisitEngine::Pop() {
  Frame& frame = stack_.back();
  if (frame.open) open_.erase(Raw(frame.value).v_obj);
  const Any value = std::move(frame.value);
  stack_.pop_back();
}

bool VisitEngine::Step() {
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
  return false;
}

bool VisitEngine::StepBefore(Frame* frame) {
  frame->phase = Phase::kDefault;
  if (mode_ == Mode::kWalkPostOrder) return true;
  const TypedCallback* callback = FindCallback(callbacks_, Raw(frame->value).type_index);
  if (callback == nullptr) return true;
  const Any value = frame->value;  // a callback may move the stack
  if (mode_ == Mode::kVisit) {
    frame->phase = Phase::kAfter;  // the callback owns the descent
    return CallVisit(*callback, value, frame->region);
  }
  bool skip = false;
  if (!CallWalk(*callback, value, frame->region, &skip)) return false;
  if (skip) stack_.back().phase = Phase::kAfter;
  return true;
}

bool VisitEngine::StepDefault(Frame* frame) {
  const TVMFFIAny raw = Raw(frame->value);
  switch (raw.type_index) {
    case kTVMFFIStr:
    case kTVMFFIBytes:
      frame->phase = Phase::kAfter;
      return true;
    case kTVMFFIArray:
    case kTVMFFIList:
      OpenFrame(frame);
      frame->sequence = SeqCursor(raw);
      frame->phase = Phase::kSequence;
      return true;
    case kTVMFFIMap:
    case kTVMFFIDict:
      OpenFrame(frame);
      frame->map = MapCursor(raw);
      frame->phase = Phase::kMap;
      return true;
    default:
      break;
  }
  if (!IsObject(raw)) {
    frame->phase = Phase::kAfter;
    return true;
  }
  if (const TVMFFIAny* hook = VisitColumn().Find(raw.type_index); hook != nullptr) {
    frame->phase = Phase::kAfter;
    const Any value = frame->value;  // a hook may move the stack
    const TVMFFIAny entry = *hook;
    RegionScope<VisitorCell> region(this, frame->region);
    return TakeInterrupt(CallHook(entry, this, value), "Optional<ffi.VisitInterrupt>");
  }
  OpenFrame(frame);
  const TVMFFITypeInfo* info = types_.Of(raw.type_index);
  if (WalkKindOf(info) == kTVMFFISEqHashKindFreeVar) {
    frame->inner_region = InsideFreeVar(frame->region);
  }
  frame->fields = FieldCursor(info);
  frame->phase = Phase::kFields;
  return true;
}

void VisitEngine::OpenFrame(Frame* frame) {
  // Unshared objects can't be met again: their references are the slot they were found in and the
  // frame's.
  if (StrongCount(Raw(frame->value)) <= 2) return;
  if (!open_.insert(Raw(frame->value).v_obj).second) {
    TVM_FFI_THROW(ValueError) << kName << ": cyclic reference detected in a value of type `"
                              << frame->value.GetTypeKey() << "`";
  }
  frame->open = true;
}

bool VisitEngine::StepSequence(Frame* frame) {
  const size_t depth = stack_.size();
  while (const TVMFFIAny* item = frame->sequence.Next()) {
    if (!Begin(AsAny(*item), frame->inner_region)) return false;
    if (stack_.size() != depth) return true;
    frame = &stack_.back();  // a callback may have moved the stack
  }
  frame->phase = Phase::kAfter;
  return true;
}

bool VisitEngine::StepMap(Frame* frame) {
  const MapCursor::Entry entry = frame->map.Next();
  if (!entry) {
    frame->phase = Phase::kAfter;
    return true;
  }
  return Begin(AsAny(*entry.value), frame->inner_region);
}

bool VisitEngine::StepFields(Frame* frame) {
  const size_t depth = stack_.size();
  while (const TVMFFIFieldInfo* field = frame->fields.Next()) {
    if ((field->flags & kTVMFFIFieldFlagBitMaskSEqHashIgnore) != 0) continue;
    if (!BeginField(*frame, field)) return false;
    if (stack_.size() != depth) return true;
    frame = &stack_.back();  // a callback may have moved the stack
  }
  frame->phase = Phase::kAfter;
  return true;
}

bool VisitEngine::BeginField(const Frame& frame, const TVMFFIFieldInfo* field) {
  const Any value = ReadField(Raw(frame.value).v_obj, field);
  return Begin(value, FieldRegion(frame.inner_region, field->flags));
}

bool VisitEngine::StepAfter(Frame* frame) {
  if (!frame->children_only && mode_ == Mode::kWalkPostOrder) {
    const TypedCallback* callback = FindCallback(callbacks_, Raw(frame->value).type_index);
    if (callback != nullptr) {
      const Any value = frame->value;  // a callback may move the stack
      bool skip = false;
      if (!CallWalk(*callback, value, frame->region, &skip)) return false;
    }
  }
  Pop();
  return true;
}

bool VisitEngine::CallWalk(const TypedCallback& callback, const Any& value, Region region,
                           bool* skip) {
  Any result;
  {
    RegionScope<VisitorCell> scope(this, region);
    result = callback.extra_argument ? callback.function(value, static_cast<int64_t>(region))
                                     : callback.function(value);
  }
  switch (result.type_index()) {
    case kTVMFFINone:
      return true;
    case kTVMFFIInt:
    case kTVMFFIBool:
      *skip = Raw(result).v_int64 == 1;
      return true;
    default:
      return TakeInterrupt(std::move(result), "WalkResult");
  }
}

bool VisitEngine::CallVisit(const TypedCallback& callback, const Any& value, Region region) {
  Any result;
  {
    RegionScope<VisitorCell> scope(this, region);
    result = callback.function(value, VisitorValue(this));
  }
  return TakeInterrupt(std::move(result), "Optional<ffi.VisitInterrupt>");
}

bool VisitEngine::TakeInterrupt(Any result, const char* expected) {
  switch (result.type_index()) {
    case kTVMFFINone:
      return true;
    case kTVMFFIVisitInterrupt:
      interrupt_ = std::move(result);
      return false;
    case kTVMFFIError:
      throw std::move(result).cast<Error>();
    default:
      TVM_FFI_THROW(TypeError) << "CallExpected: result type mismatch, expected " << expected
                               << ", but got " << result.GetTypeKey();
      return false;
  }
}

Any DefaultVisitOf(VisitorCell* visitor, const Any& value) {
  WalkScope walk;
  if (VisitEngine* engine = VisitEngine::From(visitor); engine != nullptr)
    return engine->DefaultVisit(value);
  const TVMFFIAny& raw = Raw(value);
  if (!IsObject(raw)) return Any();
  if (const TVMFFIAny* hook = VisitColumn().Find(raw.type_index); hook != nullptr) {
    return CallHook(TVMFFIAny(*hook), visitor, value);
  }
  NestingScope scope(kName);
  const TVMFFITypeInfo* info = TypeInfoOf(raw.type_index);
  const Region inner = WalkKindOf(info) == kTVMFFISEqHashKindFreeVar
                           ? InsideFreeVar(visitor->def_region_mode)
                           : visitor->def_region_mode;
  FieldCursor fields(info);
  while (const TVMFFIFieldInfo* field = fields.Next()) {
    if ((field->flags & kTVMFFIFieldFlagBitMaskSEqHashIgnore) != 0) continue;
    const Any child = ReadField(raw.v_obj, field);
    RegionScope<VisitorCell> region(visitor, FieldRegion(inner, field->flags));
    Any result = TakeResult(visitor->vtable->visit(visitor, AnyView(child)));
    if (result.type_index() != kTVMFFINone) return result;
  }
  return Any();
}

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
