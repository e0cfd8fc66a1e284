// SPDX-License-Identifier: Apache-2.0
#include "tirx/text/printer.h"

#include <algorithm>
#include <utility>

#include "tirx/text/script.h"

namespace tvm {
namespace tirx {

namespace {

DLDataType DTypeOption(const PrinterConfig& config, const char* key, DLDataType fallback) {
  if (!config.defined()) return fallback;
  auto value = config->extra_config.Get(key);
  if (!value || *value == nullptr) return fallback;
  if (auto text = value->as<ffi::String>()) {
    if (*text == "void") return Void();
    return ffi::StringToDLDataType(*text);
  }
  return value->cast<DLDataType>();
}

std::string TextOption(const PrinterConfig& config, const char* key, const char* fallback) {
  if (!config.defined()) return fallback;
  auto value = config->extra_config.Get(key);
  return value && *value != nullptr ? std::string(value->cast<ffi::String>()) : fallback;
}

}  // namespace

Printer::Printer(const PrinterConfig& config)
    : int_dtype_(DTypeOption(config, "ir.int_dtype", Int(32))),
      float_dtype_(DTypeOption(config, "ir.float_dtype", Void())),
      tirx_prefix_(TextOption(config, "tirx.prefix", "T")),
      ir_prefix_(TextOption(config, "ir.prefix", "I")),
      config_(config) {
  if (config.defined()) {
    indent_step_ = std::max<int64_t>(config->indent_spaces, 0);
    comment_imports_ = !config->show_meta;
    auto comment = config->extra_config.Get("ir.comment_imports");
    if (comment && *comment != nullptr) comment_imports_ = comment->cast<bool>();
  }
  names_.Reserve(tirx_prefix_);
  names_.Reserve(ir_prefix_);
  names_.Reserve("range");
  if (Marks::Wanted(config)) marks_ = std::make_unique<Marks>(config);
}

const std::string& Printer::Define(const VarObj* var) {
  auto [it, fresh] = var_names_.try_emplace(var);
  if (fresh) it->second = names_.Fresh({var->name.data(), var->name.size()});
  return it->second;
}

const std::string& Printer::NameOf(const VarObj* var) {
  auto it = var_names_.find(var);
  if (it != var_names_.end()) return it->second;
  DeclareFree(var);
  return var_names_.at(var);
}

std::string Printer::Declaration(const VarObj* var, const std::string& name) {
  std::string line = name + " = " + tirx_prefix_;
  std::string quoted(var->name.data(), var->name.size());
  if (var->ty.is_prim()) {
    ffi::String dtype = ffi::DLDataTypeToString(var->dtype());
    return line + ".dynamic(\"" + quoted + "\", dtype=\"" + std::string(dtype) + "\")\n";
  }
  // The type is written by this printer, so it may name (and declare) other variables.
  std::string saved = std::move(out_);
  out_.clear();
  auto marks = std::move(marks_);
  PrintType(var->ty);
  marks_ = std::move(marks);
  std::string type = std::exchange(out_, std::move(saved));
  return line + ".Var(\"" + quoted + "\", " + type + ")\n";
}

void Printer::DeclareFree(const VarObj* var) {
  if (IsNamed(var)) return;
  std::string name = Define(var);
  free_names_.emplace_back(var, name);
  if (declare_free_) free_declarations_ += Declaration(var, name);
}

void Printer::EndLine() { Write('\n'); }

void Printer::SwapTail(size_t a, size_t b) {
  if (a == b || b == out_.size()) return;
  if (marks_) marks_->Swap(a, b, out_.size());
  std::rotate(out_.begin() + static_cast<int64_t>(a), out_.begin() + static_cast<int64_t>(b),
              out_.end());
}

std::string Printer::PrintBare(const ffi::ObjectRef& node) {
  PrintObject(node);
  return std::move(out_);
}

std::string Printer::Print(const ffi::Any& value) {
  auto object = value.as<ffi::ObjectRef>();
  const ffi::Object* node = object && object->defined() ? object->get() : nullptr;
  std::string wanted;
  if (config_.defined() && !config_->binding_names.empty()) wanted = config_->binding_names[0];
  if (node == nullptr) {
    PrintAny(value);
    return Finish(false, 0);
  }
  if (const auto* module = object->as<IRModuleObj>()) {
    if (!wanted.empty()) module_name_ = wanted;
    names_.Reserve(module_name_);
    declare_free_ = true;
    PrintModule(module);
    return Finish(true, 0);
  }
  if (const auto* func = object->as<FunctionObj>()) {
    declare_free_ = true;
    auto symbol = func->attrs.GetAttr<ffi::String>(attr::kGlobalSymbol);
    bool names_match = wanted.empty() || !symbol || std::string(*symbol) == wanted;
    TVM_FFI_CHECK(names_match, TypeError)
        << "printer function global_symbol must match its definition name";
    std::string name = !wanted.empty() ? wanted : symbol ? std::string(*symbol) : "main";
    PrintFunction(func, FunctionName(name), nullptr);
    return Finish(true, 0);
  }
  if (const auto* stmt = object->as<StmtObj>()) {
    declare_free_ = true;
    PrintStmt(ffi::GetRef<Stmt>(stmt));
    return Finish(false, 0);
  }
  PrintObject(*object);
  return Finish(false, 0);
}

std::string Printer::Finish(bool header, size_t) {
  std::string front;
  if (header) {
    if (annotated_) front += "from __future__ import annotations\n\n";
    if (comment_imports_) front += "# ";
    front += "from tvm_tirx.script import tirx";
    if (tirx_prefix_ != "tirx") front += " as " + tirx_prefix_;
    front += "\n\n";
  }
  front += free_declarations_;
  while (!out_.empty() && out_.back() == '\n') out_.pop_back();
  if (marks_) {
    marks_->Insert(0, front.size());
    return marks_->Render(front + out_);
  }
  out_.insert(0, front);
  if (config_.defined() && config_->print_line_numbers) return NumberLines(out_);
  return std::move(out_);
}

std::string Script(const ffi::Any& node, const PrinterConfig& config) {
  return Printer(config).Print(node);
}

TVM_FFI_STATIC_INIT_BLOCK() {
  SetNodeText([](const ffi::ObjectRef& node) -> std::string {
    if (!node.defined()) return "None";
    return Printer(PrinterConfig()).PrintBare(node);
  });
}

}  // namespace tirx
}  // namespace tvm
