// SPDX-License-Identifier: Apache-2.0
// Reflection of VisitInterrupt and StructuralVisitor, the `__s_visit__` hooks of builtin
// containers, and the functions that walk and visit with callbacks.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/extra/structural_visit.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/reflection/registry.h>

#include "quick_def.h"
#include "register.h"
#include "stack_guard.h"
#include "structural_leaf.h"
#include "structural_visit.h"

namespace tvm {
namespace ffi {
namespace algo {
namespace {

using CallbackList = Array<Tuple<int32_t, Function>>;

/// `__s_visit__` of containers, for visitors that are not an engine of this library: elements, or
/// values of maps.
TVMFFIAny VisitContainer(VisitorCell* visitor, AnyView value) noexcept {
  return ErrorAsResult([&]() -> Any {
    NestingScope scope("StructuralVisit");
    WalkScope walk;
    const Any held(value);
    const TVMFFIAny& raw = Raw(held);
    if (raw.type_index == kTVMFFIArray || raw.type_index == kTVMFFIList) {
      SeqCursor cursor(raw);
      while (const TVMFFIAny* slot = cursor.Next()) {
        const Any item = AsAny(*slot);
        Any result = TakeResult(visitor->vtable->visit(visitor, AnyView(item)));
        if (result.type_index() != kTVMFFINone) return result;
      }
      return Any();
    }
    MapCursor cursor(raw);
    while (MapCursor::Entry entry = cursor.Next()) {
      const Any item = AsAny(*entry.value);
      Any result = TakeResult(visitor->vtable->visit(visitor, AnyView(item)));
      if (result.type_index() != kTVMFFINone) return result;
    }
    return Any();
  });
}

void AppendCallbacks(const CallbackList& list, bool extra_argument,
                     std::vector<TypedCallback>* out) {
  for (const auto& entry : list) {
    out->push_back(TypedCallback{entry.get<0>(), entry.get<1>(), extra_argument});
  }
}

Optional<VisitInterrupt> AsInterrupt(Any result) {
  if (result.type_index() == kTVMFFINone) return std::nullopt;
  return std::move(result).cast<VisitInterrupt>();
}

Optional<VisitInterrupt> RunEngine(VisitEngine::Mode mode, std::vector<TypedCallback> callbacks,
                                   const Any& root) {
  // On the heap: callbacks get the visitor as a value and may keep it.
  const ObjectPtr<VisitEngine> engine = make_object<VisitEngine>(mode, std::move(callbacks));
  return AsInterrupt(engine->Visit(root));
}

Optional<VisitInterrupt> Walk(const Any& root, const CallbackList& callbacks,
                              const CallbackList& with_region, int32_t order) {
  std::vector<TypedCallback> all;
  AppendCallbacks(callbacks, false, &all);
  AppendCallbacks(with_region, true, &all);
  return RunEngine(
      order == 0 ? VisitEngine::Mode::kWalkPreOrder : VisitEngine::Mode::kWalkPostOrder,
      std::move(all), root);
}

Optional<VisitInterrupt> VisitWith(const Any& root, const CallbackList& callbacks) {
  std::vector<TypedCallback> all;
  AppendCallbacks(callbacks, false, &all);
  return RunEngine(VisitEngine::Mode::kVisit, std::move(all), root);
}

VisitorCell* CellOfVisitor(const StructuralVisitor& visitor) {
  return const_cast<VisitorCell*>(
      reinterpret_cast<const VisitorCell*>(static_cast<const Object*>(visitor.get())));
}

}  // namespace

void RegisterStructuralVisit() {
  namespace refl = tvm::ffi::reflection;
  refl::ObjectDef<StructuralVisitorObj>(refl::init(false));
  RegisterNativeHook("__s_visit__", reinterpret_cast<void*>(&VisitContainer),
                     {kTVMFFIArray, kTVMFFIList, kTVMFFIMap, kTVMFFIDict});
  QuickDef()
      .def("ffi.StructuralWalk", &Walk)
      .def("ffi.StructuralVisit", &VisitWith)
      .def("ffi.VisitInterrupt",
           [](const Any& value) -> VisitInterrupt { return VisitInterrupt(value); })
      .def("ffi.StructuralVisitorVisit",
           [](const StructuralVisitor& visitor, const Any& value) -> Optional<VisitInterrupt> {
             VisitorCell* cell = CellOfVisitor(visitor);
             NestingScope scope("StructuralVisit");
             return AsInterrupt(TakeResult(cell->vtable->visit(cell, AnyView(value))));
           })
      .def("ffi.StructuralVisitorDefaultVisit",
           [](const StructuralVisitor& visitor, const Any& value) -> Optional<VisitInterrupt> {
             return AsInterrupt(DefaultVisitOf(CellOfVisitor(visitor), value));
           })
      .def("ffi.StructuralVisitorDefRegionKind",
           [](const StructuralVisitor& visitor) -> int32_t {
             return CellOfVisitor(visitor)->def_region_mode;
           })
      .def("ffi.StructuralVisitorWithDefRegionKind",
           [](const StructuralVisitor& visitor, int64_t kind, const Function& body) -> Any {
             VisitorCell* cell = CellOfVisitor(visitor);
             RegionScope<VisitorCell> region(
                 cell, SwitchRegion(cell->def_region_mode, CheckedRegion(kind)));
             return body();
           });
}

void RegisterVisitInterrupt() {
  namespace refl = tvm::ffi::reflection;
  refl::ObjectDef<VisitInterruptObj>(refl::init(false))
      .def_ro("value", &VisitInterruptObj::value, refl::default_value(Any()));
}

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
