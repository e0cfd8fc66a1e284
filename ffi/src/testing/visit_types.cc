// SPDX-License-Identifier: Apache-2.0
// Types for structural visits: definition regions of each kind, and a visit hook.
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/reflection/registry.h>

namespace tvm {
namespace ffi {
namespace testing {
namespace {

namespace refl = tvm::ffi::reflection;

class TestVisitRegionsObj : public Object {
 public:
  int64_t simple = 1;
  int64_t pattern = 2;
  int64_t ordinary = 3;

  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("testing.TestVisitRegions", TestVisitRegionsObj, Object);
};

class TestVisitHookObj : public Object {
 public:
  ObjectRef child;

  explicit TestVisitHookObj(ObjectRef c) : child(std::move(c)) {}

  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("testing.TestVisitHook", TestVisitHookObj, Object);
};

/// Visits the child in a Simple region, then the number 4 in the region around.
Any VisitHook(const ObjectRef& visitor, const TestVisitHookObj* self) {
  static const Function visit = Function::GetGlobalRequired("ffi.StructuralVisitorVisit");
  static const Function with_region =
      Function::GetGlobalRequired("ffi.StructuralVisitorWithDefRegionKind");
  const ObjectRef child = self->child;
  Function visit_child = Function::FromTyped([=]() -> Any { return visit(visitor, child); });
  Any result = with_region(visitor, static_cast<int64_t>(kTVMFFIDefRegionKindSimple), visit_child);
  if (result != nullptr) return result;
  return visit(visitor, 4);
}

void RegisterTypes() {
  refl::ObjectDef<TestVisitRegionsObj>()
      .def_ro("simple", &TestVisitRegionsObj::simple, refl::AttachFieldFlag::SEqHashDefSimple())
      .def_ro("pattern", &TestVisitRegionsObj::pattern, refl::AttachFieldFlag::SEqHashDefPattern())
      .def_ro("ordinary", &TestVisitRegionsObj::ordinary);
  refl::ObjectDef<TestVisitHookObj>(refl::init(false))
      .def_ro("child", &TestVisitHookObj::child)
      .def_type_attr("__s_visit__", &VisitHook);
  refl::GlobalDef().def("testing.make_visit_region_graph", [](bool with_hook) -> Any {
    ObjectRef regions(make_object<TestVisitRegionsObj>());
    if (!with_hook) return regions;
    return ObjectRef(make_object<TestVisitHookObj>(regions));
  });
}

}  // namespace

TVM_FFI_STATIC_INIT_BLOCK() { RegisterTypes(); }

}  // namespace testing
}  // namespace ffi
}  // namespace tvm
