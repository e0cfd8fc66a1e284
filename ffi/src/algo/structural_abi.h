// SPDX-License-Identifier: Apache-2.0
/// \file structural_abi.h
/// \brief Binary form of structural visitors, mutators and their hooks (ffi-abi 5.10).
///
/// The engines here are written against the layout, so that visitors made by any compiler and any
/// header version are driven the same way.
#ifndef TVM_FFI_SRC_ALGO_STRUCTURAL_ABI_H_
#define TVM_FFI_SRC_ALGO_STRUCTURAL_ABI_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/object.h>

#include <exception>
#include <utility>

#include "def_region.h"
#include "value_access.h"

namespace tvm {
namespace ffi {
namespace algo {

struct VisitorCell;
struct MutatorCell;

struct VisitorVTable {
  TVMFFIAny (*visit)(VisitorCell* self, AnyView value) noexcept;
};

struct MutatorVTable {
  TVMFFIAny (*mutate)(MutatorCell* self, AnyView value) noexcept;
  TVMFFIAny (*maybe_inplace_mutate)(MutatorCell* self, AnyView value) noexcept;
  TVMFFIAny (*var_remap_get)(MutatorCell* self, AnyView var) noexcept;
  TVMFFIAny (*var_remap_set)(MutatorCell* self, AnyView var, AnyView value) noexcept;
};

/// An object of type ffi.StructuralVisitor or derived.
struct VisitorCell : public Object {
  const VisitorVTable* vtable = nullptr;
  int32_t def_region_mode = kTVMFFIDefRegionKindNone;
};
static_assert(sizeof(VisitorCell) == 40, "layout of ffi.StructuralVisitor");

/// An object of type ffi.StructuralMutator or derived.
struct MutatorCell : public Object {
  const MutatorVTable* vtable = nullptr;
  int32_t def_region_mode = kTVMFFIDefRegionKindNone;
};
static_assert(sizeof(MutatorCell) == 40, "layout of ffi.StructuralMutator");

using VisitHook = TVMFFIAny (*)(VisitorCell* visitor, AnyView value) noexcept;
using MutateHook = TVMFFIAny (*)(MutatorCell* mutator, AnyView value) noexcept;

/// Takes over a result that carries failure as an Error value, and throws that.
inline Any TakeResult(TVMFFIAny raw) {
  Any result = ffi::detail::AnyUnsafe::MoveTVMFFIAnyToAny(&raw);
  if (result.type_index() == kTVMFFIError) throw std::move(result).cast<Error>();
  return result;
}

/// Runs `body` (returning Any) for a caller that takes failure as an Error value.
template <typename Body>
inline TVMFFIAny ErrorAsResult(Body&& body) noexcept {
  try {
    return ffi::detail::AnyUnsafe::MoveAnyToTVMFFIAny(body());
  } catch (const Error& error) {
    return ffi::detail::AnyUnsafe::MoveAnyToTVMFFIAny(Any(error));
  } catch (const std::exception& error) {
    return ffi::detail::AnyUnsafe::MoveAnyToTVMFFIAny(
        Any(Error("InternalError", error.what(), "")));
  }
}

/// The marker for "keep the value".
inline Any UnchangedMarker() {
  TVMFFIAny raw{};
  raw.type_index = kTVMFFIUnchanged;
  return ffi::detail::AnyUnsafe::MoveTVMFFIAnyToAny(&raw);
}
inline bool IsUnchanged(const Any& v) { return Raw(v).type_index == kTVMFFIUnchanged; }

/// Switches the region of a visitor or mutator while alive.
template <typename Cell>
class RegionScope {
 public:
  RegionScope(Cell* cell, Region region) : cell_(cell), outer_(cell->def_region_mode) {
    cell->def_region_mode = region;
  }
  ~RegionScope() { cell_->def_region_mode = outer_; }
  RegionScope(const RegionScope&) = delete;
  RegionScope& operator=(const RegionScope&) = delete;

 private:
  Cell* cell_;
  Region outer_;
};

/// Region that WithDefRegionKind sets: like EnterRegion, but None is a request of its own.
inline Region SwitchRegion(Region current, Region requested) {
  return current == kTVMFFIDefRegionKindPattern ? current : requested;
}

/// A region kind that came from outside. \throws ValueError for an unknown one.
inline Region CheckedRegion(int64_t kind) {
  if (kind < kTVMFFIDefRegionKindNone || kind > kTVMFFIDefRegionKindSimple) {
    TVM_FFI_THROW(ValueError) << "Unknown definition region kind " << kind;
  }
  return static_cast<Region>(kind);
}

/// Structural kind for walks, which take any type: 0 when the type has no metadata.
inline int32_t WalkKindOf(const TVMFFITypeInfo* info) {
  return info->metadata == nullptr ? 0 : info->metadata->structural_eq_hash_kind;
}

inline bool IsBuiltinContainer(int32_t type_index) {
  return type_index == kTVMFFIArray || type_index == kTVMFFIList || type_index == kTVMFFIMap ||
         type_index == kTVMFFIDict;
}

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_SRC_ALGO_STRUCTURAL_ABI_H_
