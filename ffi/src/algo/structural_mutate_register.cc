// SPDX-License-Identifier: Apache-2.0
// Reflection of StructuralMutator, the mutate hooks of builtin types, and the functions that map
// and mutate with callbacks.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/extra/structural_mutate.h>
#include <tvm/ffi/reflection/registry.h>

#include "quick_def.h"
#include "register.h"
#include "stack_guard.h"
#include "structural_leaf.h"
#include "structural_mutate.h"

namespace tvm {
namespace ffi {
namespace algo {
namespace {

bool Changes(const Any& result, const TVMFFIAny& input) {
  return !IsUnchanged(result) && !SameBits(Raw(result), input);
}

bool IsUniqueObject(const TVMFFIAny& v) {
  return IsObject(v) &&
         __atomic_load_n(&v.v_obj->combined_ref_count, __ATOMIC_ACQUIRE) == (uint64_t{1} << 32) + 1;
}

Any MutateChild(MutatorCell* mutator, const TVMFFIAny& child) {
  const Any held = AsAny(child);
  return TakeResult(mutator->vtable->mutate(mutator, AnyView(held)));
}

/// Mutates the value of a slot in a container that is changed in place.
void MutateSlot(MutatorCell* mutator, const TVMFFIAny& slot) {
  Any result = IsUniqueObject(slot)
                   ? TakeResult(mutator->vtable->maybe_inplace_mutate(mutator, ViewOf(slot)))
                   : MutateChild(mutator, slot);
  if (Changes(result, slot)) const_cast<Any&>(AsAny(slot)).swap(result);
}

template <typename Sequence>
Any MutateSequence(MutatorCell* mutator, const TVMFFIAny& raw) {
  const TVMFFISeqCell& seq = SeqOf(raw);
  std::vector<Any> items;
  bool changed = false;
  SeqCursor cursor(raw);
  for (int64_t i = 0; cursor.HasNext(); ++i) {
    Any result = MutateChild(mutator, *cursor.Next());
    if (i >= seq.size) break;  // a callback made the List shorter
    const bool change = Changes(result, SeqItem(seq, i));
    if (change && !changed) {
      changed = true;
      items.reserve(static_cast<size_t>(seq.size));
      for (int64_t k = 0; k < i; ++k) items.push_back(AsAny(SeqItem(seq, k)));
    }
    if (changed) items.push_back(change ? std::move(result) : AsAny(SeqItem(seq, i)));
  }
  return changed ? Any(Sequence(items.begin(), items.end())) : UnchangedMarker();
}

template <typename Table>
Any MutateTable(MutatorCell* mutator, const TVMFFIAny& raw) {
  std::vector<std::pair<Any, Any>> entries;
  entries.reserve(MapCursor::SizeOf(raw));
  bool changed = false;
  MapCursor cursor(raw);
  while (MapCursor::Entry entry = cursor.Next()) {
    const Any key = AsAny(*entry.key);
    const Any value = AsAny(*entry.value);
    Any result = MutateChild(mutator, Raw(value));
    const bool change = Changes(result, Raw(value));
    changed = changed || change;
    entries.emplace_back(key, change ? std::move(result) : value);
  }
  if (!changed) return UnchangedMarker();
  Table copy;
  for (auto& [key, value] : entries) copy.Set(key, std::move(value));
  return copy;
}

/// `__s_mutate__` of containers, for mutators that are not an engine of this library.
TVMFFIAny MutateContainer(MutatorCell* mutator, AnyView value) noexcept {
  return ErrorAsResult([&]() -> Any {
    NestingScope scope("StructuralMutate");
    WalkScope walk;
    const Any held(value);
    switch (held.type_index()) {
      case kTVMFFIArray:
        return MutateSequence<Array<Any>>(mutator, Raw(held));
      case kTVMFFIList:
        return MutateSequence<List<Any>>(mutator, Raw(held));
      case kTVMFFIMap:
        return MutateTable<Map<Any, Any>>(mutator, Raw(held));
      default:
        return MutateTable<Dict<Any, Any>>(mutator, Raw(held));
    }
  });
}

/// `__s_maybe_inplace_mutate__` of containers: `value` is held by its slot alone.
TVMFFIAny MutateContainerInplace(MutatorCell* mutator, AnyView value) noexcept {
  return ErrorAsResult([&]() -> Any {
    NestingScope scope("StructuralMutate");
    WalkScope walk;
    const TVMFFIAny raw = value.CopyToTVMFFIAny();
    if (!IsUniqueObject(raw)) return TakeResult(MutateContainer(mutator, value));
    if (raw.type_index == kTVMFFIArray || raw.type_index == kTVMFFIList) {
      const TVMFFISeqCell& seq = SeqOf(raw);
      for (int64_t i = 0; i < seq.size; ++i) MutateSlot(mutator, SeqItem(seq, i));
    } else {
      MapCursor cursor(raw);
      while (MapCursor::Entry entry = cursor.Next()) MutateSlot(mutator, *entry.value);
    }
    return UnchangedMarker();
  });
}

template <typename List>
void AppendCallbacks(const List& list, bool extra_argument, std::vector<TypedCallback>* out) {
  for (const auto& entry : list) {
    out->push_back(TypedCallback{entry.template get<0>(), entry.template get<1>(), extra_argument});
  }
}

using CallbackList = Array<Tuple<int32_t, Function>>;

Any RunEngine(MutateEngine::Mode mode, std::vector<TypedCallback> callbacks, Any root) {
  // On the heap: callbacks get the mutator as a value and may keep it.
  const ObjectPtr<MutateEngine> engine = make_object<MutateEngine>(mode, std::move(callbacks));
  Any result = engine->Mutate(root, true);
  return IsUnchanged(result) ? root : result;
}

Any MapWith(Any root, const CallbackList& callbacks, const CallbackList& with_region,
            int32_t order) {
  std::vector<TypedCallback> all;
  AppendCallbacks(callbacks, false, &all);
  AppendCallbacks(with_region, true, &all);
  return RunEngine(
      order == 0 ? MutateEngine::Mode::kMapPreOrder : MutateEngine::Mode::kMapPostOrder,
      std::move(all), std::move(root));
}

Any MutateWith(Any root, const Array<Tuple<int32_t, Function, bool>>& callbacks) {
  std::vector<TypedCallback> all;
  for (const auto& entry : callbacks) {
    all.push_back(TypedCallback{entry.get<0>(), entry.get<1>(), entry.get<2>()});
  }
  return RunEngine(MutateEngine::Mode::kMutate, std::move(all), std::move(root));
}

MutatorCell* CellOfMutator(const StructuralMutator& mutator) {
  return const_cast<MutatorCell*>(
      reinterpret_cast<const MutatorCell*>(static_cast<const Object*>(mutator.get())));
}

Any OrInput(Any result, const Any& input) { return IsUnchanged(result) ? input : result; }

void RegisterMutatorMethods() {
  QuickDef()
      .def("ffi.StructuralMutatorMutate",
           [](const StructuralMutator& mutator, const Any& value) -> Any {
             MutatorCell* cell = CellOfMutator(mutator);
             NestingScope scope("StructuralMutate");
             return OrInput(TakeResult(cell->vtable->mutate(cell, AnyView(value))), value);
           })
      .def("ffi.StructuralMutatorDefaultMutate",
           [](const StructuralMutator& mutator, const Any& value) -> Any {
             return OrInput(DefaultMutateOf(CellOfMutator(mutator), value), value);
           })
      .def("ffi.StructuralMutatorVarRemapGet",
           [](const StructuralMutator& mutator, const Any& var) -> Any {
             MutatorCell* cell = CellOfMutator(mutator);
             return OrInput(TakeResult(cell->vtable->var_remap_get(cell, AnyView(var))), var);
           })
      .def("ffi.StructuralMutatorVarRemapSet",
           [](const StructuralMutator& mutator, const Any& var, const Any& value) -> void {
             MutatorCell* cell = CellOfMutator(mutator);
             TakeResult(cell->vtable->var_remap_set(cell, AnyView(var), AnyView(value)));
           })
      .def("ffi.StructuralMutatorDefRegionKind",
           [](const StructuralMutator& mutator) -> int32_t {
             return CellOfMutator(mutator)->def_region_mode;
           })
      .def("ffi.StructuralMutatorWithDefRegionKind",
           [](const StructuralMutator& mutator, int64_t kind, const Function& body) -> Any {
             MutatorCell* cell = CellOfMutator(mutator);
             RegionScope<MutatorCell> region(
                 cell, SwitchRegion(cell->def_region_mode, CheckedRegion(kind)));
             return body();
           });
}

}  // namespace

void RegisterStructuralMutate() {
  namespace refl = tvm::ffi::reflection;
  refl::ObjectDef<StructuralMutatorObj>(refl::init(false));
  RegisterNativeHook("__s_mutate__", reinterpret_cast<void*>(&MutateContainer),
                     {kTVMFFIArray, kTVMFFIList, kTVMFFIMap, kTVMFFIDict});
  RegisterNativeHook("__s_maybe_inplace_mutate__", reinterpret_cast<void*>(&MutateContainerInplace),
                     {kTVMFFIArray, kTVMFFIList, kTVMFFIMap, kTVMFFIDict});
  RegisterStructuralLeaf(kTVMFFIStr);
  RegisterStructuralLeaf(kTVMFFIBytes);
  QuickDef().def("ffi.StructuralMap", &MapWith).def("ffi.StructuralMutate", &MutateWith);
  RegisterMutatorMethods();
}

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
