// SPDX-License-Identifier: Apache-2.0
#include "tirx/script/index.h"

#include <cmath>

#include "tirx/ir/ops.h"
#include "tirx/script/builder.h"

namespace tvm {
namespace tirx {
namespace {

bool IsSlice(const ffi::Any& index) { return index.as<ffi::Array<ffi::Any>>().has_value(); }

struct Slice {
  Expr begin, end;
  Expr step;  // null when none was given
};

Expr ToExpr(const ffi::Any& value) {
  auto expr = value.try_cast<Expr>();
  if (!expr.has_value() || !expr->defined()) {
    TVM_FFI_THROW(TypeError) << "An index must be an integer expression or a slice, got `"
                             << value.GetTypeKey() << "`";
  }
  if (expr->is_prim() && IsFloating(expr->dtype())) {
    TVM_FFI_THROW(TypeError) << "An index must be an integer expression or a slice, got a "
                             << ffi::DLDataTypeToString(expr->dtype())
                             << "; T.int32(x) cuts the fraction off";
  }
  return *expr;
}

Slice ToSlice(const ffi::Any& index, const Expr& extent) {
  auto parts = index.cast<ffi::Array<ffi::Any>>();
  if (parts.size() != 3) {
    TVM_FFI_THROW(TypeError) << "An index must be an integer expression or a slice, got an array";
  }
  Slice slice;
  slice.begin = parts[0] == nullptr ? zero(extent.dtype()) : ToExpr(parts[0]);
  slice.end = parts[1] == nullptr ? extent : ToExpr(parts[1]);
  if (parts[2] != nullptr) slice.step = ToExpr(parts[2]);
  return slice;
}

Expr IndexTuple(const Expr& source, const ScriptIndices& indices, const Location& loc) {
  if (indices.size() != 1 || IsSlice(indices[0])) {
    TVM_FFI_THROW(TypeError) << "A tuple is indexed with one integer";
  }
  auto index = as_const_int(ToExpr(indices[0]));
  if (!index) TVM_FFI_THROW(TypeError) << "A tuple is indexed with a constant integer";
  int64_t size = 0;
  if (source->ty.is(TypeKind::TupleType)) {
    size = static_cast<const TupleTypeObj*>(source->ty.get())->fields.size();
  }
  return TupleGetItem(source, *index < 0 ? *index + size : *index, loc);
}

// Begin, stride and lanes of a slice that is stored to.
Expr SliceAsRamp(const Slice& slice, const Location& loc) {
  Expr step = slice.step.defined() ? slice.step : int_imm(slice.begin.dtype(), 1);
  auto stride = as_const_int(step);
  if (!stride || *stride == 0) {
    TVM_FFI_THROW(ValueError) << "The step of a slice that is stored to must be a constant other "
                                 "than zero";
  }
  auto length = ConstantDifference(slice.end, slice.begin);
  if (!length) {
    TVM_FFI_THROW(RuntimeError) << "A slice that is stored to must have a constant length, got "
                                   "begin and end whose difference is unknown";
  }
  int64_t toward = *stride > 0 ? *length : -*length;
  int64_t width = std::abs(*stride);
  int64_t lanes = toward <= 0 ? 0 : (toward + width - 1) / width;
  if (lanes < 1) TVM_FFI_THROW(ValueError) << "A slice that is stored to is empty";
  if (lanes == 1) return slice.begin;
  return Ramp(slice.begin, cast(step, slice.begin.dtype()), int32(lanes), loc);
}

}  // namespace

Expr IndexValue(const Expr& source, const ScriptIndices& indices, const Location& loc) {
  const TensorTypeObj* tensor = AsTensorType(source);
  if (tensor == nullptr) {
    if (source->ty.is(TypeKind::TupleType)) return IndexTuple(source, indices, loc);
    if (source.is(ExprKind::TensorRegion)) {
      auto* region = static_cast<const TensorRegionObj*>(source.get());
      ScriptIndices moved;
      for (size_t i = 0; i < region->region.size(); ++i) {
        const Range& range = region->region[i];
        if (i >= indices.size()) {
          moved.push_back(ffi::Array<ffi::Any>{range->begin, add(range->begin, range->extent),
                                               ffi::Any(nullptr)});
        } else if (IsSlice(indices[i])) {
          Slice slice = ToSlice(indices[i], range->extent);
          moved.push_back(ffi::Array<ffi::Any>{add(range->begin, slice.begin),
                                               add(range->begin, slice.end), slice.step});
        } else {
          moved.push_back(add(range->begin, ToExpr(indices[i])));
        }
      }
      for (size_t i = region->region.size(); i < indices.size(); ++i) moved.push_back(indices[i]);
      return IndexValue(region->source, moved, loc);
    }
    TVM_FFI_THROW(TypeError) << "`" << source->GetTypeKey() << "` of type `"
                             << source->ty->GetTypeKey() << "` cannot be indexed";
  }
  size_t ndim = tensor->shape.size();
  if (indices.size() > ndim) {
    TVM_FFI_THROW(IndexError) << "Too many indices for a " << ndim << "-dimensional tensor";
  }
  bool is_region = indices.size() < ndim;
  for (const ffi::Any& index : indices) is_region = is_region || IsSlice(index);
  if (!is_region) {
    ffi::Array<Expr> points;
    points.reserve(ndim);
    for (const ffi::Any& index : indices) points.push_back(ToExpr(index));
    return TensorLoad(source, points, loc);
  }
  ffi::Array<Range> region;
  for (size_t i = 0; i < ndim; ++i) {
    const Expr& extent = tensor->shape[i];
    if (i >= indices.size()) {
      region.push_back(Range::FromMinExtent(zero(extent.dtype()), extent, loc));
    } else if (!IsSlice(indices[i])) {
      Expr point = ToExpr(indices[i]);
      if (!point.is_prim()) TVM_FFI_THROW(TypeError) << "An index must be an integer expression";
      region.push_back(Range::FromMinExtent(point, one(point.dtype()), loc));
    } else {
      Slice slice = ToSlice(indices[i], extent);
      if (slice.step.defined() && !is_one(slice.step)) {
        TVM_FFI_THROW(ValueError) << "Tensor slices with a non-unit step are not supported";
      }
      promote(&slice.begin, &slice.end);
      if (auto length = ConstantDifference(slice.end, slice.begin)) {
        region.push_back(
            Range::FromMinExtent(slice.begin, int_imm(slice.begin.dtype(), *length), loc));
      } else {
        region.push_back(Range(slice.begin, slice.end, loc));
      }
    }
  }
  return TensorRegion(source, region, loc);
}

Expr ConvertStored(const Expr& value, DLDataType element, const Location& loc) {
  if (!value.is_prim()) return value;  // refused by the statement
  DLDataType dtype = value.dtype();
  if (SameElement(dtype, element)) return value;
  if (auto number = as_const_float(value); number && IsInteger(element)) {
    if (*number != std::floor(*number)) {
      TVM_FFI_THROW(ValueError) << "The constant " << *number << " would lose its fraction in a "
                                << "tensor of " << ffi::DLDataTypeToString(element)
                                << "; use T.cast to truncate it";
    }
  }
  return cast(value, WithLanesOf(element, dtype), loc);
}

Stmt StoreValue(const Expr& dest, const ScriptIndices& indices, const Expr& value,
                const Location& loc) {
  const TensorTypeObj* tensor = AsTensorType(dest);
  if (tensor == nullptr) {
    std::string what = dest.is(ExprKind::Var)
                           ? "`" + std::string(static_cast<const VarObj*>(dest.get())->name) + "`"
                           : "A `" + dest->GetTypeKey() + "`";
    TVM_FFI_THROW(TypeError) << what << " is not a tensor and cannot be stored to";
  }
  if (indices.size() != tensor->shape.size()) {
    std::string name = dest.is(ExprKind::Var)
                           ? std::string(static_cast<const VarObj*>(dest.get())->name)
                           : std::string("tensor");
    TVM_FFI_THROW(RuntimeError)
        << "Check failed: (indices.size() == tensor->shape.size()) is false: Destination " << name
        << " is " << tensor->shape.size() << "-dimensional, cannot be indexed with the "
        << indices.size() << "-dimensional indices provided.";
  }
  ffi::Array<Expr> points;
  points.reserve(indices.size());
  for (size_t i = 0; i < indices.size(); ++i) {
    if (IsSlice(indices[i])) {
      points.push_back(SliceAsRamp(ToSlice(indices[i], tensor->shape[i]), loc));
    } else {
      points.push_back(ToExpr(indices[i]));
    }
  }
  return TensorStore(dest, points, ConvertStored(value, tensor->dtype->dtype, loc), loc);
}

}  // namespace tirx
}  // namespace tvm
