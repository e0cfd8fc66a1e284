// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "tirx/text/literal.h"
#include "tirx/text/printer.h"

namespace tvm {
namespace tirx {

void Printer::PrintDType(DLDataType dtype) {
  WriteT();
  if (IsVoid(dtype)) return Write("void");
  ffi::String name = ffi::DLDataTypeToString(dtype);
  std::string_view text(name.data(), name.size());
  if (HasScriptName(dtype)) return Write(text);
  Write("PrimType(\"");
  Write(text);
  Write("\")");
}

void Printer::PrintType(const Type& type) {
  GuardStack();
  if (!type.defined()) return Write("None");
  Span span(this, type.get());
  switch (type->kind) {
    case TypeKind::PrimType:
      return PrintDType(static_cast<const PrimTypeObj*>(type.get())->dtype);
    case TypeKind::PtrType: {
      const auto* ptr = static_cast<const PtrTypeObj*>(type.get());
      WriteT();
      Write("Ptr(");
      {
        Step step(this, "element_type");
        PrintType(ptr->element_type);
      }
      if (!ptr->scope.is("global")) {
        Write(", ");
        AppendQuoted(&out_, {ptr->scope.name().data(), ptr->scope.name().size()});
      }
      return Write(')');
    }
    case TypeKind::TensorType:
      return PrintTensorType(static_cast<const TensorTypeObj*>(type.get()));
    case TypeKind::TupleType: {
      const auto& fields = static_cast<const TupleTypeObj*>(type.get())->fields;
      WriteT();
      Write("Tuple(");
      for (int64_t i = 0; i < static_cast<int64_t>(fields.size()); ++i) {
        if (i != 0) Write(", ");
        Step step(this, "fields", i);
        PrintType(fields[i]);
      }
      return Write(')');
    }
    case TypeKind::FuncType: {
      const auto* func = static_cast<const FuncTypeObj*>(type.get());
      WriteT();
      Write("Func(");
      PrintList(func->arg_types, "arg_types");
      Write(", ");
      Step step(this, "ret_type");
      PrintType(func->ret_type);
      return Write(')');
    }
    case TypeKind::StringType:
      WriteT();
      return Write("String()");
    case TypeKind::NoneType:
      WriteT();
      return Write("NoneType()");
    case TypeKind::AnyType:
      WriteT();
      return Write("Any()");
    case TypeKind::OpaqueType:
      WriteT();
      return Write("Opaque()");
    case TypeKind::MissingType:
      WriteT();
      return Write("Missing()");
    case TypeKind::TensorRegionType:
      WriteT();
      return Write("TensorRegionType()");
    case TypeKind::TensorMapType:
      WriteT();
      return Write("TensorMap()");
    case TypeKind::Foreign:
      return PrintFallback(type);
  }
}

void Printer::PrintTensorType(const TensorTypeObj* type) {
  // Sizes and layouts are read back as int32, whatever the options say of other literals.
  DLDataType int_dtype = std::exchange(int_dtype_, Int(32));
  bool typed = std::exchange(typed_literals_, false);
  WriteT();
  Write("Tensor((");
  int64_t rank = static_cast<int64_t>(type->shape.size());
  for (int64_t i = 0; i < rank; ++i) {
    if (i != 0) Write(", ");
    Step step(this, "shape", i);
    PrintExpr(type->shape[i]);
  }
  if (rank == 1) Write(',');
  Write("), ");
  {
    Step step(this, "dtype");
    PrintType(type->dtype);
  }
  if (!type->scope.is("global")) {
    Write(", scope=");
    AppendQuoted(&out_, {type->scope.name().data(), type->scope.name().size()});
  }
  if (type->data_alignment != 64) {
    Write(", data_alignment=");
    Write(std::to_string(type->data_alignment));
  }
  if (type->layout.defined()) {
    Write(", layout=");
    Step step(this, "layout");
    PrintLayout(type->layout);
  }
  Write(')');
  int_dtype_ = int_dtype;
  typed_literals_ = typed;
}

void Printer::PrintIters(const ffi::Array<Iter>& iters, const char* field) {
  Write('[');
  for (int64_t i = 0; i < static_cast<int64_t>(iters.size()); ++i) {
    if (i != 0) Write(", ");
    Step step(this, field, i);
    Iter iter = iters[i];
    Span span(this, iter.get());
    WriteT();
    Write("Iter(");
    {
      Step inner(this, "extent");
      PrintExpr(iter->extent);
    }
    Write(", ");
    {
      Step inner(this, "stride");
      PrintExpr(iter->stride);
    }
    Write(", ");
    AppendQuoted(&out_, {iter->axis.name().data(), iter->axis.name().size()});
    Write(')');
  }
  Write(']');
}

void Printer::PrintLayout(const Layout& layout) {
  if (!layout.defined()) return Write("None");
  Span span(this, layout.get());
  if (const auto* tile = layout.as<TileLayoutObj>()) {
    WriteT();
    Write("TileLayout.from_iters(shard=");
    PrintIters(tile->shard, "shard");
    Write(", replica=");
    PrintIters(tile->replica, "replica");
    if (!tile->offset.empty()) {
      std::vector<std::pair<std::string, Expr>> offset;
      for (const auto& [axis, value] : tile->offset) offset.emplace_back(axis.name(), value);
      std::sort(offset.begin(), offset.end(),
                [](const auto& a, const auto& b) { return a.first < b.first; });
      Write(", offset={");
      for (size_t i = 0; i < offset.size(); ++i) {
        if (i != 0) Write(", ");
        AppendQuoted(&out_, offset[i].first);
        Write(": ");
        PrintExpr(offset[i].second);
      }
      Write('}');
    }
    return Write(')');
  }
  if (const auto* compose = layout.as<ComposeLayoutObj>()) {
    WriteT();
    Write("ComposeLayout(" + std::to_string(compose->per_element) + ", " +
          std::to_string(compose->swizzle_len) + ", " + std::to_string(compose->atom_len) + ", ");
    {
      Step step(this, "tile_layout");
      PrintLayout(compose->tile_layout);
    }
    if (!compose->swizzle_inner) Write(", swizzle_inner=False");
    return Write(')');
  }
  PrintFallback(layout);
}

}  // namespace tirx
}  // namespace tvm
