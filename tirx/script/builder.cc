// SPDX-License-Identifier: Apache-2.0
#include "tirx/script/builder.h"

#include "tirx/ir/stack_guard.h"
#include "tirx/ir/visitor.h"

namespace tvm {
namespace tirx {
namespace {

std::vector<IRBuilder>& BuilderStack() {
  thread_local std::vector<IRBuilder> stack;
  return stack;
}

struct Source {
  SourceName name;
  Location caller;  // null outside of helpers
  Location given;   // of what says no location itself; null: unknown
};
std::vector<Source>& SourceStack() {
  thread_local std::vector<Source> stack;
  return stack;
}

template <typename T>
T* As(IRBuilderFrameObj* frame) {
  return static_cast<T*>(frame);
}

Stmt MakeLoops(ForFrameObj* frame) {
  SeqStmt body(std::move(frame->stmts), frame->loc);
  Stmt loop;
  for (size_t i = frame->vars.size(); i-- > 0;) {
    bool innermost = i + 1 == frame->vars.size();
    loop =
        For(frame->vars[i], frame->begins[i], frame->ends[i], frame->steps[i], frame->for_kind,
            body, innermost ? frame->annotations : ffi::Map<ffi::String, ffi::Any>(), frame->loc);
    if (i > 0) body = SeqStmt({loop}, frame->loc);
  }
  return loop;
}

void FinishFunction(IRBuilderObj* builder, FunctionFrameObj* frame) {
  ffi::Map<ffi::String, ffi::Any> attrs = frame->attrs;
  if (!frame->name.has_value() && !frame->is_private) {
    TVM_FFI_THROW(ValueError) << "A public function needs a name";
  }
  if (!frame->is_private && attrs.find(attr::kGlobalSymbol) == attrs.end()) {
    attrs.Set(attr::kGlobalSymbol, *frame->name);
  }
  if (frame->persistent) attrs.Set(attr::kPersistentKernel, true);
  SeqStmt body = frame->is_declaration ? SeqStmt() : SeqStmt(std::move(frame->stmts), frame->loc);
  frame->function = Function(frame->args, body, frame->ret_type, DictAttrs(attrs), frame->loc);
  if (builder->frames.empty()) {
    builder->result = frame->function;
    return;
  }
  IRBuilderFrame parent = builder->frames.back();
  if (parent->kind != FrameKind::Module) {
    TVM_FFI_THROW(RuntimeError) << "A function cannot be defined inside another construct";
  }
  auto* module = As<IRModuleFrameObj>(const_cast<IRBuilderFrameObj*>(parent.get()));
  if (!frame->name.has_value()) {
    TVM_FFI_THROW(ValueError) << "A function of a module needs a name";
  }
  auto declared = module->global_vars.find(*frame->name);
  if (declared == module->global_vars.end()) {
    frame->global_var = GlobalVar(*frame->name, frame->function->ty, frame->loc);
    module->global_vars.Set(*frame->name, frame->global_var);
  } else {
    frame->global_var = (*declared).second;
  }
  if (!frame->is_declaration) module->functions.Set(frame->global_var, frame->function);
}

void FinishBranch(IRBuilderObj* builder, StmtFrameObj* frame) {
  if (builder->frames.empty() || builder->frames.back()->kind != FrameKind::If) {
    TVM_FFI_THROW(RuntimeError) << "A branch must stand directly inside an if";
  }
  IRBuilderFrame parent = builder->frames.back();
  auto* branch_of = As<IfFrameObj>(const_cast<IRBuilderFrameObj*>(parent.get()));
  auto& slot = frame->kind == FrameKind::Then ? branch_of->then_stmts : branch_of->else_stmts;
  if (slot.has_value()) {
    TVM_FFI_THROW(ValueError) << "An if has one "
                              << (frame->kind == FrameKind::Then ? "then" : "else") << " branch";
  }
  slot = std::move(frame->stmts);
}

// What a frame becomes when it ends. It has left `builder->frames` already.
void Finish(IRBuilderObj* builder, IRBuilderFrameObj* frame) {
  switch (frame->kind) {
    case FrameKind::Module: {
      auto* f = As<IRModuleFrameObj>(frame);
      for (const auto& [name, var] : f->global_vars) {
        if (f->functions.find(var) == f->functions.end()) {
          TVM_FFI_THROW(ValueError) << "Function `" << name << "` is declared but not defined";
        }
      }
      IRModule module(f->functions, DictAttrs(f->attrs), f->global_infos);
      if (!builder->frames.empty()) {
        TVM_FFI_THROW(RuntimeError) << "A module cannot be defined inside another construct";
      }
      builder->result = module;
      return;
    }
    case FrameKind::Function:
      return FinishFunction(builder, As<FunctionFrameObj>(frame));
    case FrameKind::For:
      return AddToParent(MakeLoops(As<ForFrameObj>(frame)));
    case FrameKind::While: {
      auto* f = As<WhileFrameObj>(frame);
      return AddToParent(While(f->condition, SeqStmt(std::move(f->stmts), f->loc), f->loc));
    }
    case FrameKind::If: {
      auto* f = As<IfFrameObj>(frame);
      if (!f->then_stmts.has_value()) {
        TVM_FFI_THROW(ValueError) << "An if needs a then branch";
      }
      SeqStmt otherwise;
      if (f->else_stmts.has_value()) otherwise = SeqStmt(*f->else_stmts, f->loc);
      return AddToParent(If(f->condition, SeqStmt(*f->then_stmts, f->loc), otherwise, f->loc));
    }
    case FrameKind::Then:
    case FrameKind::Else:
      return FinishBranch(builder, As<StmtFrameObj>(frame));
    case FrameKind::Assert: {
      auto* f = As<AssertFrameObj>(frame);
      AddToParent(AssertStmt(f->condition, f->error_kind, f->message_parts, f->loc));
      for (const Stmt& stmt : f->stmts) AddToParent(stmt);
      return;
    }
    case FrameKind::Region: {
      auto* f = As<RegionFrameObj>(frame);
      return AddToParent(RegionStmt(f->op, f->args, f->attrs, f->body_params,
                                    SeqStmt(std::move(f->stmts), f->loc), {}, f->loc));
    }
  }
}

void ExitInnermost(IRBuilderObj* builder) {
  IRBuilderFrame frame = builder->frames.back();
  auto* node = const_cast<IRBuilderFrameObj*>(frame.get());
  // Callbacks may still add statements to the frame.
  while (!node->callbacks.empty()) {
    ffi::Function callback = std::move(node->callbacks.back());
    node->callbacks.pop_back();
    callback();
  }
  builder->frames.pop_back();
  Finish(builder, node);
}

// Finds nodes without a location below an expression.
struct Stamper final : ExprVisitor {
  const Location& loc;
  const ffi::Object* unknown = Location::Unknown().get();

  explicit Stamper(const Location& loc) : loc(loc) {}
  void VisitExpr(const Expr& expr) final {
    switch (expr.kind()) {
      // Shared by all their users, or located where they are defined.
      case ExprKind::IntImm:
      case ExprKind::FloatImm:
      case ExprKind::StringImm:
      case ExprKind::DataTypeImm:
      case ExprKind::Var:
      case ExprKind::GlobalVar:
      case ExprKind::Op:
      case ExprKind::Function:
        return;
      default:
        break;
    }
    if (expr->loc.get() != unknown) return;
    const_cast<ExprObj*>(expr.get())->loc = loc;
    ExprVisitor::VisitExpr(expr);
  }
  void VisitType(const Type&) final {}
};

}  // namespace

bool IRBuilder::IsInScope() { return !BuilderStack().empty(); }

IRBuilder IRBuilder::CurrentRef() {
  Current();
  return BuilderStack().back();
}

IRBuilderObj* IRBuilder::Current() {
  if (BuilderStack().empty()) {
    TVM_FFI_THROW(RuntimeError)
        << "No IRBuilder is entered: statements can be built inside a script function or a "
           "`with IRBuilder()` block only";
  }
  return const_cast<IRBuilderObj*>(BuilderStack().back().get());
}

void AddToParent(Stmt stmt) {
  IRBuilderObj* builder = IRBuilder::Current();
  if (builder->frames.empty() || builder->frames.back()->kind == FrameKind::Module) {
    TVM_FFI_THROW(RuntimeError) << "A statement must stand inside a function";
  }
  IRBuilderFrame frame = builder->frames.back();
  if (frame->kind == FrameKind::If) {
    TVM_FFI_THROW(RuntimeError) << "A statement inside an if must stand in one of its branches";
  }
  As<StmtFrameObj>(const_cast<IRBuilderFrameObj*>(frame.get()))->stmts.push_back(std::move(stmt));
}

void EnterFrame(const IRBuilderFrame& frame) {
  IRBuilderObj* builder = IRBuilder::Current();
  FrameKind kind = frame->kind;
  bool branch = kind == FrameKind::Then || kind == FrameKind::Else;
  bool inside_if = !builder->frames.empty() && builder->frames.back()->kind == FrameKind::If;
  if (branch != inside_if) {
    TVM_FFI_THROW(RuntimeError) << (branch ? "A branch must stand directly inside an if"
                                           : "A block inside an if must stand in a branch");
  }
  bool top_level = kind == FrameKind::Module || kind == FrameKind::Function;
  bool in_function = FindFrame(FrameKind::Function) != nullptr;
  if (top_level == in_function) {
    TVM_FFI_THROW(RuntimeError) << (top_level ? "A function cannot be defined inside another one"
                                              : "A statement must stand inside a function");
  }
  builder->frames.push_back(frame);
}

void ExitFrame(const IRBuilderFrame& frame) {
  IRBuilderObj* builder = IRBuilder::Current();
  while (!builder->frames.empty() && builder->frames.back()->implicit &&
         !builder->frames.back().same_as(frame)) {
    ExitInnermost(builder);
  }
  if (builder->frames.empty() || !builder->frames.back().same_as(frame)) {
    TVM_FFI_THROW(RuntimeError) << "A frame that is not the innermost one was ended";
  }
  ExitInnermost(builder);
}

void ExitBlock() {
  IRBuilderObj* builder = IRBuilder::Current();
  while (!builder->frames.empty()) {
    bool implicit = builder->frames.back()->implicit;
    ExitInnermost(builder);
    if (!implicit) return;
  }
  TVM_FFI_THROW(RuntimeError) << "There is no open block";
}

IRBuilderFrameObj* FindFrame(FrameKind kind) {
  const auto& frames = IRBuilder::Current()->frames;
  for (size_t i = frames.size(); i-- > 0;) {
    if (frames[i]->kind == kind) return const_cast<IRBuilderFrameObj*>(frames[i].get());
  }
  return nullptr;
}

void PushSource(const ffi::String& filename, Location caller) {
  SourceStack().push_back({SourceName::Get(filename), std::move(caller), Location()});
}

void PushLocation(Location loc) {
  SourceStack().push_back({SourceName(), Location(), std::move(loc)});
}

void PopSource() {
  if (!SourceStack().empty()) SourceStack().pop_back();
}

Location UnpackLocation(int64_t packed) {
  if (SourceStack().empty()) return Location::Unknown();
  const Source& source = SourceStack().back();
  if (packed == 0 || !source.name.defined()) {
    return source.given.defined() ? source.given : Location::Unknown();
  }
  int64_t line = packed >> 40;
  SourceLoc loc(source.name, line, (packed >> 28) & 0xFFF, line + ((packed >> 16) & 0xFFF),
                packed & 0xFFFF);
  if (!source.caller.defined()) return loc;
  return CallSiteLoc(loc, source.caller);
}

void StampLocation(const Expr& expr, const Location& loc) { Stamper(loc).VisitExpr(expr); }

void NameValue(const ffi::String& name, const Expr& value) {
  Expr var = value;
  if (value.is(ExprKind::TensorLoad)) {
    var = static_cast<const TensorLoadObj*>(value.get())->source;
  }
  if (var.is(ExprKind::Var)) {
    const_cast<VarObj*>(static_cast<const VarObj*>(var.get()))->name = name;
  }
}

// Used by the registered functions of api.cc.
void PushBuilder(const IRBuilder& builder) {
  auto* node = const_cast<IRBuilderObj*>(builder.get());
  node->frames = {};
  node->result = ffi::ObjectRef();
  BuilderStack().push_back(builder);
}

void PopBuilder(const IRBuilder& builder) {
  auto& stack = BuilderStack();
  if (stack.empty() || !stack.back().same_as(builder)) {
    TVM_FFI_THROW(RuntimeError) << "An IRBuilder that is not the innermost one was left";
  }
  stack.pop_back();
}

}  // namespace tirx
}  // namespace tvm
