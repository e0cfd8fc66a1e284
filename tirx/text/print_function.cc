// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/visitor.h"
#include "tirx/text/literal.h"
#include "tirx/text/printer.h"

namespace tvm {
namespace tirx {

namespace {

// Variables that types name, in order of first use.
class TypeVars final : public ExprVisitor {
 public:
  std::vector<const VarObj*> order;

 protected:
  void VisitVar(const VarObj* op) final {
    if (seen_.insert(op).second) order.push_back(op);
  }

 private:
  std::unordered_set<const VarObj*> seen_;
};

}  // namespace

std::string Printer::FunctionName(const ffi::String& name) const {
  std::string result = ToIdentifier({name.data(), name.size()});
  if (IsPythonKeyword(result) || result == tirx_prefix_) result += "_1";
  return result;
}

void Printer::PrintTypeParams(const FunctionObj* func,
                              const std::unordered_set<const VarObj*>& params) {
  TypeVars vars;
  for (const Var& param : func->params) vars.VisitType(param->ty);
  bool first = true;
  for (const VarObj* var : vars.order) {
    if (params.count(var) != 0 || IsNamed(var)) continue;
    Write(first ? "[" : ", ");
    first = false;
    Span span(this, var);
    Write(Define(var));
    if (!var->ty.is_prim() || !SameDType(var->dtype(), Int(32))) {
      Write(": ");
      PrintType(var->ty);
    }
  }
  if (!first) Write(']');
}

void Printer::PrintFunction(const FunctionObj* func, const std::string& name,
                            const ffi::String* global) {
  Span function_span(this, func);
  std::unordered_set<const VarObj*> params;
  for (const Var& param : func->params) params.insert(param.get());
  // A parameter that is also a size is declared before the function, like a free variable, and is
  // its own annotation.
  TypeVars sizes;
  for (const Var& param : func->params) sizes.VisitType(param->ty);
  std::unordered_set<const VarObj*> shared;
  for (const VarObj* var : sizes.order) {
    if (params.count(var) != 0) {
      DeclareFree(var);
      shared.insert(var);
    }
  }

  auto symbol = func->attrs.GetAttr<ffi::String>(attr::kGlobalSymbol);
  std::string options;
  if (!symbol) options = "private=True";
  if (func->attrs.HasAttr(attr::kPersistentKernel)) {
    options += options.empty() ? "persistent=True" : ", persistent=True";
  }
  BeginLine();
  Write('@');
  WriteT();
  Write("function");
  if (!options.empty()) Write("(" + options + ")");
  EndLine();
  BeginLine();
  Write("def ");
  Write(name);
  PrintTypeParams(func, params);
  Write('(');
  for (int64_t i = 0; i < static_cast<int64_t>(func->params.size()); ++i) {
    if (i != 0) Write(", ");
    annotated_ = true;
    Step step(this, "params", i);
    const VarObj* param = func->params[i].get();
    {
      Span span(this, param);
      Write(Define(param));
    }
    Write(": ");
    if (shared.count(param) != 0) {
      Write(NameOf(param));
      continue;
    }
    Step type_step(this, "ty");
    PrintType(param->ty);
  }
  Write(')');
  if (!func->ret_type.same_as(Type::Unit()) && !SameType(func->ret_type, Type::Unit())) {
    annotated_ = true;
    Write(" -> ");
    Step step(this, "ret_type");
    PrintType(func->ret_type);
  }
  Write(':');
  EndLine();

  indent_ += indent_step_;
  bool empty = true;
  if (symbol && (std::string(*symbol) != name || (global != nullptr && *symbol != *global))) {
    BeginLine();
    WriteT();
    Write("func_attr({\"global_symbol\": ");
    AppendQuoted(&out_, {symbol->data(), symbol->size()});
    Write("})");
    EndLine();
    empty = false;
  }
  DictAttrs rest = func->attrs.Without(attr::kGlobalSymbol).Without(attr::kPersistentKernel);
  if (rest.defined() && !rest->dict.empty()) {
    BeginLine();
    WriteT();
    Write("func_attr(");
    {
      Step step(this, "attrs");
      Span span(this, func->attrs.get());
      PrintObject(rest);
    }
    Write(')');
    EndLine();
    empty = false;
  }
  indent_ -= indent_step_;
  if (func->body.defined() && !func->body->seq.empty()) {
    PrintBlock(func->body, "body");
  } else if (empty) {
    PrintBlock(SeqStmt(), "body");
  }
}

void Printer::PrintModule(const IRModuleObj* module) {
  Span span(this, module);
  Write('@');
  WriteT();
  Write("ir_module");
  EndLine();
  Write("class ");
  Write(module_name_);
  Write(':');
  EndLine();
  indent_ += indent_step_;
  bool empty = true;
  if (module->attrs.defined() && !module->attrs->dict.empty()) {
    BeginLine();
    WriteT();
    Write("module_attrs(");
    {
      Step step(this, "attrs");
      PrintObject(module->attrs);
    }
    Write(')');
    EndLine();
    empty = false;
  }
  std::vector<std::pair<std::string, GlobalVar>> order;
  for (const auto& [var, func] : module->functions) order.emplace_back(var->name_hint, var);
  bool first = true;
  for (const auto& [name, var] : order) {
    BaseFunc func = module->functions.at(var);
    if (!first) EndLine();
    first = false;
    empty = false;
    Step step(this, "functions", ffi::Any(var));
    if (const auto* function = func.as<FunctionObj>()) {
      // Each function has its own names.
      auto outer_names = var_names_;
      size_t mark = names_.Mark();
      ffi::String hint = var->name_hint;
      PrintFunction(function, FunctionName(hint), &hint);
      var_names_ = std::move(outer_names);
      for (const auto& [free_var, free_name] : free_names_) var_names_[free_var] = free_name;
      names_.ReleaseTo(mark);
      for (const auto& [free_var, free_name] : free_names_) names_.Retake(free_name);
    } else {
      BeginLine();
      Write(name + " = ");
      PrintFallback(func);
      EndLine();
    }
  }
  if (empty) {
    BeginLine();
    Write("pass");
    EndLine();
  }
  indent_ -= indent_step_;
}

}  // namespace tirx
}  // namespace tvm
