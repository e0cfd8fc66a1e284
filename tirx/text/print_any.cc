// SPDX-License-Identifier: Apache-2.0
#include <tvm/ffi/extra/structural_equal.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/accessor.h>

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <utility>

#include "tirx/ir/ops.h"
#include "tirx/text/literal.h"
#include "tirx/text/printer.h"

namespace tvm {
namespace tirx {

namespace {

std::vector<std::pair<std::string, ffi::Any>> SortedEntries(
    const ffi::Map<ffi::String, ffi::Any>& dict) {
  std::vector<std::pair<std::string, ffi::Any>> entries;
  for (const auto& [key, value] : dict) entries.emplace_back(key, value);
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return entries;
}

}  // namespace

void Printer::PrintDict(const ffi::Map<ffi::String, ffi::Any>& dict) {
  Write('{');
  bool first = true;
  for (const auto& [key, value] : SortedEntries(dict)) {
    if (!first) Write(", ");
    first = false;
    AppendQuoted(&out_, key);
    Write(": ");
    Step step(this, nullptr, ffi::Any(ffi::String(key)));
    PrintAny(value);
  }
  Write('}');
}

void Printer::PrintAny(const ffi::Any& value) {
  GuardStack();
  switch (value.type_index()) {
    case kTVMFFINone:
      return Write("None");
    case kTVMFFIBool:
      return Write(value.cast<bool>() ? "True" : "False");
    case kTVMFFIInt:
      return Write(std::to_string(value.cast<int64_t>()));
    case kTVMFFIFloat:
      return AppendFloat(&out_, value.cast<double>());
    case kTVMFFISmallStr:
    case kTVMFFIStr: {
      ffi::String text = value.cast<ffi::String>();
      return AppendQuoted(&out_, {text.data(), text.size()});
    }
    case kTVMFFIDataType:
      return PrintDType(value.cast<DLDataType>());
    default:
      break;
  }
  if (auto object = value.as<ffi::ObjectRef>(); object && object->defined()) {
    return PrintObject(*object);
  }
  if (auto big = value.as<ffi::BigInt>()) {
    std::ostringstream digits;
    digits << *big;
    return Write(digits.str());
  }
  Write(value.GetTypeKey());
}

void Printer::PrintObject(const ffi::ObjectRef& node) {
  GuardStack();
  if (node.as<ExprObj>()) {
    if (const auto* func = node.as<FunctionObj>()) {
      return PrintFallback(ffi::GetRef<Function>(func));
    }
    return PrintExpr(ffi::GetRef<Expr>(node.as<ExprObj>()));
  }
  if (const auto* type = node.as<TypeObj>()) return PrintType(ffi::GetRef<Type>(type));
  if (const auto* range = node.as<RangeObj>()) return PrintRange(ffi::GetRef<Range>(range));
  if (const auto* layout = node.as<LayoutObj>()) return PrintLayout(ffi::GetRef<Layout>(layout));
  if (const auto* dict = node.as<DictAttrsObj>()) {
    // Numbers that are IR constants keep their type: a bare one is a plain number.
    bool typed = std::exchange(typed_literals_, true);
    bool in_attrs = std::exchange(in_attrs_, true);
    {
      Step step(this, "dict");
      PrintDict(dict->dict);
    }
    typed_literals_ = typed;
    in_attrs_ = in_attrs;
    return;
  }
  if (const auto* list = node.as<ffi::ArrayObj>()) {
    Write('[');
    for (int64_t i = 0; i < static_cast<int64_t>(list->size()); ++i) {
      if (i != 0) Write(", ");
      Step step(this, nullptr, i);
      PrintAny((*list)[i]);
    }
    return Write(']');
  }
  if (node.as<ffi::MapObj>()) {
    if (auto dict = ffi::Any(node).try_cast<ffi::Map<ffi::String, ffi::Any>>()) {
      return PrintDict(*dict);
    }
  }
  if (const auto* scope = node.as<ThreadScopeObj>()) {
    WriteT();
    Write("ThreadScope(");
    AppendQuoted(&out_, {scope->_str_index.data(), scope->_str_index.size()});
    return Write(')');
  }
  if (const auto* scope = node.as<MemoryScopeObj>()) {
    return AppendQuoted(&out_, {scope->_str_index.data(), scope->_str_index.size()});
  }
  if (const auto* axis = node.as<AxisObj>()) {
    return AppendQuoted(&out_, {axis->_str_index.data(), axis->_str_index.size()});
  }
  if (const auto* map = node.as<IndexMapObj>()) {
    WriteT();
    Write("index_map(");
    PrintLambda(map->initial_indices, [&] {
      Write('(');
      for (int64_t i = 0; i < static_cast<int64_t>(map->final_indices.size()); ++i) {
        if (i != 0) Write(", ");
        Step step(this, "final_indices", i);
        PrintExpr(map->final_indices[i]);
      }
      Write(map->final_indices.size() == 1 ? ",)" : ")");
    });
    return Write(')');
  }
  if (const auto* iter = node.as<IterObj>()) {
    ffi::Array<Iter> one{ffi::GetRef<Iter>(iter)};
    size_t begin = out_.size();
    PrintIters(one, "");
    out_.erase(begin, 1);
    out_.pop_back();
    return;
  }
  // Targets export themselves; this file knows only the name of the hook.
  if (node->GetTypeKey() == "target.Target") {
    static const std::optional<ffi::Function> target_export =
        ffi::Function::GetGlobal("target.TargetExport");
    if (target_export) {
      WriteT();
      Write("target(");
      PrintDict((*target_export)(node).cast<ffi::Map<ffi::String, ffi::Any>>());
      return Write(')');
    }
  }
  PrintFallback(node);
}

void Printer::PrintAttrs(const Attrs& attrs, bool* first) {
  auto separate = [&] {
    if (!*first) Write(", ");
    *first = false;
  };
  if (attrs.as<DictAttrsObj>()) {
    separate();
    Write("attrs=");
    return PrintObject(attrs);
  }
  // Fields that differ from their default, by name.
  namespace refl = ffi::reflection;
  std::vector<std::pair<std::string, ffi::Any>> fields;
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(attrs->type_index());
  refl::ForEachFieldInfo(info, [&](const TVMFFIFieldInfo* field) {
    ffi::Any value = refl::FieldGetter(field)(attrs);
    constexpr int64_t kDefault = kTVMFFIFieldFlagBitMaskHasDefault;
    if ((field->flags & kDefault) != 0) {
      ffi::Any fallback = ffi::AnyView::CopyFromTVMFFIAny(field->default_value_or_factory);
      if ((field->flags & kTVMFFIFieldFlagBitMaskDefaultFromFactory) != 0) {
        fallback = fallback.cast<ffi::Function>()();
      }
      if (ffi::StructuralEqual()(value, fallback)) return;
    }
    fields.emplace_back(std::string(field->name.data, field->name.size), std::move(value));
  });
  std::sort(fields.begin(), fields.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [name, value] : fields) {
    separate();
    Write(name);
    Write('=');
    if (value.type_index() == kTVMFFIDataType) {
      // The data type of a field, not a type of the program.
      ffi::String text = ffi::DLDataTypeToString(value.cast<DLDataType>());
      AppendQuoted(&out_, {text.data(), text.size()});
    } else {
      PrintAny(value);
    }
  }
}

void Printer::PrintRange(const Range& range) {
  Span span(this, range.get());
  WriteT();
  Write("Range(");
  PrintExpr(range->begin);
  Write(", ");
  PrintExpr(add(range->begin, range->extent));
  Write(')');
}

void Printer::PrintFallback(const ffi::ObjectRef& node) {
  char address[32];
  std::snprintf(address, sizeof(address), "(%p)", static_cast<const void*>(node.get()));
  Write(node->GetTypeKey());
  Write(address);
}

}  // namespace tirx
}  // namespace tvm
