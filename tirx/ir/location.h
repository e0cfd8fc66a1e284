// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tirx/ir/node.h"

namespace tvm {
namespace tirx {

// Where a node came from. Never part of structural equality.
struct LocationObj : ffi::Object {
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  static constexpr uint32_t _type_child_slots = 4;
  TVM_FFI_DECLARE_OBJECT_INFO("ir.Location", LocationObj, ffi::Object);
};
struct Location : ffi::ObjectRef {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Location, ffi::ObjectRef, LocationObj);
  // The one UnknownLoc of the process.
  TIRX_API static const Location& Unknown();
};
// What a node stores for a location argument: a null one becomes UnknownLoc.
inline Location OrUnknown(Location loc) { return loc.defined() ? loc : Location::Unknown(); }

struct UnknownLocObj : LocationObj {
  static constexpr auto Fields() { return std::make_tuple(); }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.UnknownLoc", UnknownLocObj, LocationObj);
};
struct UnknownLoc : Location {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(UnknownLoc, Location, UnknownLocObj);
};

struct SourceNameObj : ffi::Object {
  ffi::String name;
  // The file-like object or frame that the name belongs to; may be None.
  static constexpr auto Fields() { return std::make_tuple(Field("name", &SourceNameObj::name)); }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.SourceName", SourceNameObj, ffi::Object);
};
struct SourceName : ffi::ObjectRef {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(SourceName, ffi::ObjectRef, SourceNameObj);
  // The same object for the same name, for the whole process.
  TIRX_API static SourceName Get(const ffi::String& name);
};

// Lines count from 1, columns from 1; the end is exclusive.
struct SourceLocObj : LocationObj {
  SourceName source_name;
  int64_t start_line = 0, start_column = 0, end_line = 0, end_column = 0;

  static constexpr auto Fields() {
    return std::make_tuple(Field("source_name", &SourceLocObj::source_name),
                           Field("start_line", &SourceLocObj::start_line),
                           Field("start_column", &SourceLocObj::start_column),
                           Field("end_line", &SourceLocObj::end_line),
                           Field("end_column", &SourceLocObj::end_column));
  }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.SourceLoc", SourceLocObj, LocationObj);
};
struct SourceLoc : Location {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(SourceLoc, Location, SourceLocObj);
  TIRX_API SourceLoc(SourceName source_name, int64_t start_line, int64_t start_column,
                     int64_t end_line, int64_t end_column);
};

// A node made by a helper: where in the helper, and where the helper was called.
struct CallSiteLocObj : LocationObj {
  Location callee, caller;

  static constexpr auto Fields() {
    return std::make_tuple(Field("callee", &CallSiteLocObj::callee),
                           Field("caller", &CallSiteLocObj::caller));
  }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.CallSiteLoc", CallSiteLocObj, LocationObj);
};
struct CallSiteLoc : Location {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(CallSiteLoc, Location, CallSiteLocObj);
  TIRX_API CallSiteLoc(Location callee, Location caller);
};

}  // namespace tirx
}  // namespace tvm
