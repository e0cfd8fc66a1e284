// SPDX-License-Identifier: Apache-2.0
#include "register.h"

#include <tvm/ffi/any.h>
#include <tvm/ffi/base_detail.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/extra/structural_equal.h>
#include <tvm/ffi/extra/structural_hash.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/reflection/access_path.h>
#include <tvm/ffi/reflection/registry.h>

#include <cstring>

#include "quick_def.h"

namespace tvm {
namespace ffi {
namespace algo {
namespace {

struct BuiltinType {
  const char* key;
  int32_t static_index;
  int32_t depth;
  bool can_overflow;
  const char* parent;
};

// In order of their indices (ffi-abi 5.10): ffi.EnumState is 128.
constexpr BuiltinType kBuiltinTypes[] = {
    {"ffi.VisitInterrupt", kTVMFFIVisitInterrupt, 1, false, "ffi.Object"},
    {"ffi.EnumState", -1, 1, false, "ffi.Object"},
    {"ffi.Enum", -1, 1, true, "ffi.Object"},
    {"ffi.IntEnum", -1, 2, true, "ffi.Enum"},
    {"ffi.StrEnum", -1, 2, true, "ffi.Enum"},
    {"ffi.reflection.AccessStep", -1, 1, false, "ffi.Object"},
    {"ffi.reflection.AccessPath", -1, 1, false, "ffi.Object"},
    {"ffi.StructuralVisitor", -1, 1, true, "ffi.Object"},
    {"ffi.VisitErrorContext", -1, 1, false, "ffi.Object"},
    {"ffi.StructuralMutator", -1, 1, true, "ffi.Object"},
    {"ffi.StructuralKey", -1, 1, false, "ffi.Object"},
};

/// Gives the builtin types their indices before any other initialiser of the library can ask for
/// one: the headers allocate an index for each of them in an initialiser of its own, whose order
/// the linker decides.
__attribute__((constructor(201))) void ReserveTypeIndices() {
  for (const BuiltinType& type : kBuiltinTypes) {
    const TVMFFIByteArray parent{type.parent, std::strlen(type.parent)};
    int32_t parent_index = kTVMFFIObject;
    if (TVMFFITypeKeyToIndex(&parent, &parent_index) != 0) return;
    const TVMFFIByteArray key{type.key, std::strlen(type.key)};
    TVMFFITypeGetOrAllocIndex(&key, type.static_index, type.depth, 0, type.can_overflow,
                              parent_index);
  }
}

}  // namespace

void RegisterDataclassFunctions() {
  QuickDef()
      .def("ffi.ReprPrint", &ReprPrint)
      .def("ffi.RecursiveHash", &RecursiveHash)
      .def("ffi.RecursiveEq", &RecursiveEq)
      .def("ffi.RecursiveLt", &RecursiveLt)
      .def("ffi.RecursiveLe", &RecursiveLe)
      .def("ffi.RecursiveGt", &RecursiveGt)
      .def("ffi.RecursiveGe", &RecursiveGe);
}

void RegisterStructuralFunctions() {
  QuickDef()
      .def("ffi.StructuralEqual", &StructuralEqual::Equal)
      .def("ffi.GetFirstStructuralMismatch", &StructuralEqual::GetFirstMismatch)
      .def("ffi.StructuralHash",
           [](const Any& value, bool map_free_vars, bool skip_tensor_content) -> int64_t {
             return static_cast<int64_t>(
                 StructuralHash::Hash(value, map_free_vars, skip_tensor_content));
           });
}

void RegisterAlgorithms() {
  RegisterVisitInterrupt();
  RegisterEnums();
  RegisterAccessPath();
  RegisterStructuralVisit();
  RegisterVisitErrorContext();
  RegisterStructuralMutate();
  RegisterStructuralKey();
  RegisterBigInt();
  RegisterConversions();
  RegisterSentinels();
  RegisterContainerDevice();
  RegisterCopies();
  RegisterDataclassFunctions();
  RegisterStructuralFunctions();
  RegisterJsonGraph();
  RegisterFieldStorage();
  RegisterPyClassFunctions();
  RegisterWalkHooks();
  // Last: definitions above get no generated constructor, as their types are made by functions of
  // their own.
  RegisterAutoInitFunctions();
}

}  // namespace algo
}  // namespace ffi
}  // namespace tvm

TVM_FFI_STATIC_INIT_BLOCK() { tvm::ffi::algo::RegisterAlgorithms(); }
