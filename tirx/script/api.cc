// SPDX-License-Identifier: Apache-2.0
//
// The global functions script.ir_builder.*. `loc` parameters are packed locations (builder.h).

#include <tvm/ffi/enum.h>
#include <tvm/ffi/extra/structural_equal.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/creator.h>
#include <tvm/ffi/reflection/registry.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "tirx/ir/analysis.h"
#include "tirx/ir/ops.h"
#include "tirx/script/builder.h"
#include "tirx/script/index.h"

namespace tvm {
namespace tirx {

void PushBuilder(const IRBuilder& builder);
void PopBuilder(const IRBuilder& builder);

namespace {

using AttrMap = ffi::Map<ffi::String, ffi::Any>;

Expr Located(Expr expr, const Location& loc) {
  StampLocation(expr, loc);
  return expr;
}

Expr AsCondition(Expr condition, const char* what) {
  if (!condition.is_prim() || !IsBool(condition.dtype()) || !IsScalar(condition.dtype())) {
    std::string got = condition.is_prim() ? std::string(ffi::DLDataTypeToString(condition.dtype()))
                                          : condition->ty->GetTypeKey();
    TVM_FFI_THROW(TypeError) << "The condition of " << what << " must be a bool, but got " << got
                             << "; compare it with a value, for example `x != 0`";
  }
  return condition;
}

IRBuilderFrame MakeFor(Expr begin, Expr end, ffi::Optional<Expr> step, int64_t kind,
                       AttrMap annotations) {
  auto check = [](const Expr& expr, const char* what) {
    if (!expr.is_prim() || !IsInteger(expr.dtype()) || !IsScalar(expr.dtype())) {
      TVM_FFI_THROW(TypeError) << "The " << what << " of a loop must be an integer, got "
                               << (expr.is_prim()
                                       ? std::string(ffi::DLDataTypeToString(expr.dtype()))
                                       : expr->ty->GetTypeKey());
    }
  };
  check(begin, "begin");
  check(end, "end");
  promote(&begin, &end);
  Expr by = step.has_value() ? *step : one(begin.dtype());
  check(by, "step");
  if (is_zero(by)) TVM_FFI_THROW(ValueError) << "range step cannot be zero";
  if (!SameDType(by.dtype(), begin.dtype())) {
    if (as_const_int(by)) {
      by = cast(by, begin.dtype());
    } else {
      promote(&begin, &by);
      end = cast(end, begin.dtype());
    }
  }
  auto frame = ffi::make_object<ForFrameObj>();
  frame->vars = {Var("v", begin.dtype())};
  frame->doms = {Range(begin, end)};
  frame->begins = {begin};
  frame->ends = {end};
  frame->steps = {by};
  frame->for_kind = static_cast<ForKind>(kind);
  frame->annotations = std::move(annotations);
  return IRBuilderFrame(std::move(frame));
}

// The frame of a plain `for`, entered, with its variables named.
ffi::Array<Var> BeginFor(const IRBuilderFrame& frame, const ffi::Array<ffi::String>& names,
                         int64_t packed) {
  if (frame->kind != FrameKind::For) {
    TVM_FFI_THROW(TypeError) << "A primitive for loop requires an iteration specification";
  }
  auto* loop = static_cast<ForFrameObj*>(const_cast<IRBuilderFrameObj*>(frame.get()));
  if (names.size() != loop->vars.size()) {
    TVM_FFI_THROW(ValueError)
        << "Check failed: (targets.size() == vars.size()) is false: Loop target count differs "
           "from iteration dimensions";
  }
  loop->loc = UnpackLocation(packed);
  for (size_t i = 0; i < names.size(); ++i) {
    auto* var = const_cast<VarObj*>(loop->vars[i].get());
    var->name = names[i];
    var->loc = loop->loc;
    StampLocation(loop->begins[i], loop->loc);
    StampLocation(loop->ends[i], loop->loc);
    StampLocation(loop->steps[i], loop->loc);
  }
  EnterFrame(frame);
  return loop->vars;
}

template <typename T>
IRBuilderFrame Entered(ffi::ObjectPtr<T> node, int64_t packed) {
  node->loc = UnpackLocation(packed);
  IRBuilderFrame frame(std::move(node));
  EnterFrame(frame);
  return frame;
}

IRBuilderFrame MakeRegion(Op op, ffi::Array<Expr> args, ffi::Array<Var> body_params,
                          DictAttrs attrs) {
  auto frame = ffi::make_object<RegionFrameObj>();
  frame->op = std::move(op);
  frame->args = std::move(args);
  frame->body_params = std::move(body_params);
  frame->attrs = attrs.defined() ? attrs : DictAttrs(AttrMap());
  return IRBuilderFrame(std::move(frame));
}

Var BindValue(Expr value, ffi::String name, ffi::Optional<Type> ty, int64_t packed) {
  Location loc = UnpackLocation(packed);
  StampLocation(value, loc);
  Var var(std::move(name), ty.has_value() ? *ty : value->ty, loc);
  AddToParent(Bind(var, std::move(value), loc));
  return var;
}

// A tensor of one element, with its first value when one is given.
TensorLoad DeclareCell(PrimType dtype, ffi::String name, MemoryScope scope,
                       ffi::Optional<Expr> init, AttrMap annotations, int64_t packed) {
  Location loc = UnpackLocation(packed);
  TensorType ty({int32(1)}, dtype, scope);
  DictAttrs attrs;
  if (!annotations.empty()) attrs = DictAttrs(annotations);
  Call alloc(Op::Get(OpId::tirx_alloc_tensor), {}, attrs, {ty}, ty, loc);
  Var var(std::move(name), ty, loc);
  AddToParent(Bind(var, alloc, loc));
  TensorLoad cell(var, {int32(0)}, loc);
  if (init.has_value()) {
    AddToParent(
        TensorStore(var, {int32(0)}, ConvertStored(Located(*init, loc), dtype->dtype, loc), loc));
  }
  return cell;
}

Stmt StoreCell(Expr cell, Expr value, int64_t packed) {
  Location loc = UnpackLocation(packed);
  Expr source = cell;
  ffi::Array<Expr> indices = {int32(0)};
  if (cell.is(ExprKind::TensorLoad)) {
    auto* load = static_cast<const TensorLoadObj*>(cell.get());
    source = load->source;
    indices = load->indices;
  }
  const TensorTypeObj* tensor = AsTensorType(source);
  if (tensor == nullptr || indices.size() != tensor->shape.size()) {
    TVM_FFI_THROW(TypeError) << "A mutable assignment requires scalar storage";
  }
  TensorStore store(source, indices, ConvertStored(Located(value, loc), tensor->dtype->dtype, loc),
                    loc);
  AddToParent(store);
  return store;
}

GlobalVar DeclareFunction(ffi::String name, FuncType ty) {
  auto* module = static_cast<IRModuleFrameObj*>(FindFrame(FrameKind::Module));
  if (module == nullptr) TVM_FFI_THROW(RuntimeError) << "A declaration must stand in a module";
  if (module->global_vars.find(name) != module->global_vars.end()) {
    TVM_FFI_THROW(ValueError) << "Duplicate function declaration `" << name << "`";
  }
  GlobalVar var(name, ty);
  module->global_vars.Set(name, var);
  return var;
}

FunctionFrameObj* CurrentFunction() {
  auto* frame = static_cast<FunctionFrameObj*>(FindFrame(FrameKind::Function));
  if (frame == nullptr) TVM_FFI_THROW(RuntimeError) << "There is no open function";
  return frame;
}

IRModuleFrameObj* CurrentModule() {
  auto* frame = static_cast<IRModuleFrameObj*>(FindFrame(FrameKind::Module));
  if (frame == nullptr) TVM_FFI_THROW(RuntimeError) << "There is no open module";
  return frame;
}

// `T.int32(value)`: a number, the text of a float ("inf", "nan"), or an expression, in a format.
Expr MakeConstant(const PrimType& ty, const ffi::Any& value) {
  DLDataType dtype = ty->dtype;
  if (auto expr = value.as<Expr>()) return cast(*expr, dtype);
  if (!IsScalar(dtype)) {
    Expr element = MakeConstant(PrimType(Element(dtype)), value);
    return Broadcast(element, int32(Lanes(dtype)));
  }
  if (IsFloating(dtype)) {
    if (auto text = value.as<ffi::String>()) {
      std::string digits(text->data(), text->size());
      char* end = nullptr;
      double number = std::strtod(digits.c_str(), &end);
      if (digits.empty() || *end != '\0') {
        TVM_FFI_THROW(ValueError) << "could not convert string to float: '" << digits << "'";
      }
      return FloatImm(dtype, number);
    }
    return FloatImm(dtype, value.cast<double>());
  }
  ffi::BigInt number;
  if (auto real = value.as<double>(); real && value.type_index() == ffi::TypeIndex::kTVMFFIFloat) {
    if (!(std::abs(*real) < 9.2e18)) {
      TVM_FFI_THROW(ValueError) << "cannot convert float " << *real << " to integer";
    }
    number = ffi::BigInt(static_cast<int64_t>(*real));
  } else {
    number = value.cast<ffi::BigInt>();
  }
  if (IsUInt(dtype)) {
    if (auto small = value.as<int64_t>(); small && *small < 0) {
      TVM_FFI_THROW(RuntimeError) << "Check failed: cannot make uint from negative value "
                                  << *small;
    }
  }
  return IntImm(dtype, number);
}

template <typename T>
T* Node(const ffi::ObjectRef& ref) {
  return const_cast<T*>(static_cast<const T*>(ref.get()));
}

}  // namespace

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace refl = tvm::ffi::reflection;
  refl::ObjectDef<IRBuilderObj>(refl::init(false))
      .def_ro("frames", &IRBuilderObj::frames)
      .def_ro("result", &IRBuilderObj::result);
  refl::ObjectDef<IRBuilderFrameObj>(refl::init(false)).def_ro("loc", &IRBuilderFrameObj::loc);
  refl::ObjectDef<IRModuleFrameObj>(refl::init(false))
      .def_ro("global_vars", &IRModuleFrameObj::global_vars)
      .def_ro("functions", &IRModuleFrameObj::functions)
      .def_ro("attrs", &IRModuleFrameObj::attrs)
      .def_ro("global_infos", &IRModuleFrameObj::global_infos);
  refl::ObjectDef<StmtFrameObj>(refl::init(false)).def_ro("stmts", &StmtFrameObj::stmts);
  refl::ObjectDef<FunctionFrameObj>(refl::init(false))
      .def_ro("name", &FunctionFrameObj::name)
      .def_ro("args", &FunctionFrameObj::args)
      .def_ro("is_private", &FunctionFrameObj::is_private)
      .def_ro("ret_type", &FunctionFrameObj::ret_type)
      .def_ro("attrs", &FunctionFrameObj::attrs)
      .def_ro("persistent", &FunctionFrameObj::persistent)
      .def_ro("is_declaration", &FunctionFrameObj::is_declaration)
      .def_ro("function", &FunctionFrameObj::function)
      .def_ro("global_var", &FunctionFrameObj::global_var);
  refl::ObjectDef<ForFrameObj>(refl::init(false))
      .def_ro("vars", &ForFrameObj::vars)
      .def_ro("doms", &ForFrameObj::doms);
  refl::ObjectDef<WhileFrameObj>(refl::init(false)).def_ro("condition", &WhileFrameObj::condition);
  refl::ObjectDef<IfFrameObj>(refl::init(false))
      .def_ro("condition", &IfFrameObj::condition)
      .def_ro("then_stmts", &IfFrameObj::then_stmts)
      .def_ro("else_stmts", &IfFrameObj::else_stmts);
  refl::ObjectDef<ThenFrameObj>(refl::init(false));
  refl::ObjectDef<ElseFrameObj>(refl::init(false));
  refl::ObjectDef<AssertFrameObj>(refl::init(false))
      .def_ro("condition", &AssertFrameObj::condition)
      .def_ro("error_kind", &AssertFrameObj::error_kind)
      .def_ro("message_parts", &AssertFrameObj::message_parts);
  refl::ObjectDef<RegionFrameObj>(refl::init(false))
      .def_ro("op", &RegionFrameObj::op)
      .def_ro("args", &RegionFrameObj::args)
      .def_ro("body_params", &RegionFrameObj::body_params)
      .def_ro("attrs", &RegionFrameObj::attrs);
}

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace refl = tvm::ffi::reflection;
  refl::GlobalDef()
      // ---- builders and frames
      .def("script.ir_builder.IRBuilder",
           []() { return IRBuilder(ffi::make_object<IRBuilderObj>()); })
      .def("script.ir_builder.IRBuilderEnter", [](IRBuilder b) { PushBuilder(b); })
      .def("script.ir_builder.IRBuilderExit", [](IRBuilder b) { PopBuilder(b); })
      .def("script.ir_builder.IRBuilderCurrent", []() { return IRBuilder::CurrentRef(); })
      .def("script.ir_builder.IRBuilderIsInScope", []() { return IRBuilder::IsInScope(); })
      .def("script.ir_builder.IRBuilderGet",
           [](IRBuilder b) {
             if (!b->result.defined()) {
               TVM_FFI_THROW(RuntimeError) << "Nothing was built, or it is not finished";
             }
             return b->result;
           })
      .def("script.ir_builder.IRBuilderName",
           [](ffi::String name, Expr value) { NameValue(name, value); })
      .def("script.ir_builder.FrameEnter",
           [](IRBuilderFrame frame, int64_t loc) {
             if (loc != 0) Node<IRBuilderFrameObj>(frame)->loc = UnpackLocation(loc);
             EnterFrame(frame);
           })
      .def("script.ir_builder.FrameEnterImplicit",
           [](IRBuilderFrame frame, int64_t loc) {
             if (loc != 0) Node<IRBuilderFrameObj>(frame)->loc = UnpackLocation(loc);
             Node<IRBuilderFrameObj>(frame)->implicit = true;
             EnterFrame(frame);
           })
      .def("script.ir_builder.FrameExit", [](IRBuilderFrame frame) { ExitFrame(frame); })
      .def("script.ir_builder.FrameAddCallback",
           [](IRBuilderFrame frame, ffi::Function callback) {
             Node<IRBuilderFrameObj>(frame)->callbacks.push_back(std::move(callback));
           })
      .def("script.ir_builder.EndBlock", []() { ExitBlock(); })
      .def("script.ir_builder.AddToParent", [](Stmt stmt) { AddToParent(std::move(stmt)); })
      .def("script.ir_builder.PushSource",
           [](ffi::String name, ffi::Optional<Location> caller) {
             PushSource(name, caller.has_value() ? *caller : Location());
           })
      .def("script.ir_builder.PushLocation", [](Location loc) { PushLocation(std::move(loc)); })
      .def("script.ir_builder.PopSource", []() { PopSource(); })
      .def("script.ir_builder.UnpackLocation", [](int64_t loc) { return UnpackLocation(loc); })
      .def("script.ir_builder.StampLocation",
           [](Expr expr, int64_t loc) { StampLocation(expr, UnpackLocation(loc)); })
      .def("script.ir_builder.ReadsMemory",
           [](Expr expr) { return SideEffect(expr) > Effect::Pure; })

      .def("script.MakeConstant", MakeConstant)
      // The name of a memory scope, a thread scope or an axis.
      .def("script.EntryName", [](ffi::Enum entry) { return entry->_str_index; })
      // An object of a registered type from its fields by name.
      .def("script.MakeNode",
           [](ffi::String type_key, AttrMap fields) {
             return refl::ObjectCreator(std::string_view(type_key.data(), type_key.size()))(fields);
           })

      // ---- modules and functions
      .def("script.ir_builder.IRModule",
           []() { return IRBuilderFrame(ffi::make_object<IRModuleFrameObj>()); })
      .def("script.ir_builder.DeclFunction", DeclareFunction)
      .def("script.ir_builder.ModuleAttrs",
           [](AttrMap attrs, bool allow_overwrite) {
             auto* module = CurrentModule();
             for (const auto& [key, value] : attrs) {
               if (!allow_overwrite && module->attrs.find(key) != module->attrs.end()) {
                 TVM_FFI_THROW(ValueError) << "Duplicate module attribute `" << key << "`";
               }
               module->attrs.Set(key, value);
             }
           })
      .def("script.ir_builder.ModuleGetAttr",
           [](ffi::String key) -> ffi::Any {
             auto* module = CurrentModule();
             auto it = module->attrs.find(key);
             return it == module->attrs.end() ? ffi::Any(nullptr) : ffi::Any((*it).second);
           })
      .def("script.ir_builder.ModuleGlobalInfos",
           [](ffi::Map<ffi::String, ffi::Array<GlobalInfo>> infos) {
             auto* module = CurrentModule();
             if (!module->global_infos.empty()) {
               TVM_FFI_THROW(ValueError) << "Duplicate module global_infos";
             }
             module->global_infos = std::move(infos);
           })
      .def("script.ir_builder.tirx.Function",
           [](bool is_private, bool persistent, bool declaration) {
             auto frame = ffi::make_object<FunctionFrameObj>();
             frame->is_private = is_private;
             frame->persistent = persistent;
             frame->is_declaration = declaration;
             return IRBuilderFrame(std::move(frame));
           })
      .def("script.ir_builder.tirx.FuncName",
           [](ffi::String name) {
             auto* function = CurrentFunction();
             if (function->name.has_value()) {
               TVM_FFI_THROW(ValueError)
                   << "The function is named `" << *function->name << "` already";
             }
             function->name = std::move(name);
           })
      .def("script.ir_builder.tirx.Arg",
           [](ffi::String name, Type ty, int64_t loc) {
             Var var(std::move(name), std::move(ty), UnpackLocation(loc));
             CurrentFunction()->args.push_back(var);
             return var;
           })
      .def("script.ir_builder.tirx.ArgVar",
           [](ffi::String name, Var var) {
             NameValue(name, var);
             CurrentFunction()->args.push_back(var);
             return var;
           })
      .def("script.ir_builder.tirx.FuncRet",
           [](Type ty) {
             auto* function = CurrentFunction();
             if (function->ret_type.defined()) {
               TVM_FFI_THROW(ValueError) << "The result type of the function is set already";
             }
             function->ret_type = std::move(ty);
           })
      .def("script.ir_builder.tirx.FuncAttrs",
           [](AttrMap attrs) {
             auto* function = CurrentFunction();
             for (const auto& [key, value] : attrs) {
               auto it = function->attrs.find(key);
               if (it != function->attrs.end() && !ffi::StructuralEqual()((*it).second, value)) {
                 TVM_FFI_THROW(ValueError) << "Duplicate function attribute `" << key << "`";
               }
               function->attrs.Set(key, value);
             }
           })

      // ---- blocks
      .def("script.ir_builder.For", MakeFor)
      .def("script.ir_builder.Grid",
           [](ffi::Array<Expr> begins, ffi::Array<Expr> ends) {
             auto nest = ffi::make_object<ForFrameObj>();
             for (size_t i = 0; i < begins.size(); ++i) {
               IRBuilderFrame one = MakeFor(begins[i], ends[i], std::nullopt, 0, {});
               auto* loop = Node<ForFrameObj>(one);
               nest->vars.push_back(loop->vars[0]);
               nest->doms.push_back(loop->doms[0]);
               nest->begins.push_back(loop->begins[0]);
               nest->ends.push_back(loop->ends[0]);
               nest->steps.push_back(loop->steps[0]);
             }
             return IRBuilderFrame(std::move(nest));
           })
      .def("script.ir_builder.BeginFor", BeginFor)
      .def("script.ir_builder.BeginForOne",
           [](IRBuilderFrame frame, ffi::String name, int64_t loc) {
             return BeginFor(frame, {name}, loc)[0];
           })
      .def("script.ir_builder.BeginRange",
           [](Expr begin, Expr end, ffi::Optional<Expr> step, ffi::String name, int64_t loc) {
             return BeginFor(MakeFor(begin, end, step, 0, {}), {name}, loc)[0];
           })
      .def("script.ir_builder.While",
           [](Expr condition) {
             auto frame = ffi::make_object<WhileFrameObj>();
             frame->condition = AsCondition(std::move(condition), "a while loop");
             return IRBuilderFrame(std::move(frame));
           })
      .def("script.ir_builder.BeginWhile",
           [](Expr condition, int64_t loc) {
             auto frame = ffi::make_object<WhileFrameObj>();
             frame->condition =
                 Located(AsCondition(std::move(condition), "a while loop"), UnpackLocation(loc));
             Entered(std::move(frame), loc);
           })
      .def("script.ir_builder.If",
           [](Expr condition) {
             auto frame = ffi::make_object<IfFrameObj>();
             frame->condition = AsCondition(std::move(condition), "an if");
             return IRBuilderFrame(std::move(frame));
           })
      .def("script.ir_builder.Then",
           []() { return IRBuilderFrame(ffi::make_object<ThenFrameObj>()); })
      .def("script.ir_builder.Else",
           []() { return IRBuilderFrame(ffi::make_object<ElseFrameObj>()); })
      .def("script.ir_builder.BeginIf",
           [](Expr condition, int64_t loc) {
             auto frame = ffi::make_object<IfFrameObj>();
             frame->condition =
                 Located(AsCondition(std::move(condition), "an if"), UnpackLocation(loc));
             Entered(std::move(frame), loc);
             Entered(ffi::make_object<ThenFrameObj>(), loc);
           })
      .def("script.ir_builder.BeginElse",
           [](int64_t loc) {
             ExitBlock();
             Entered(ffi::make_object<ElseFrameObj>(), loc);
           })
      .def("script.ir_builder.EndIf",
           []() {
             ExitBlock();
             ExitBlock();
           })
      .def("script.ir_builder.Assert",
           [](Expr condition, ffi::String kind, ffi::Array<ffi::String> parts) {
             auto frame = ffi::make_object<AssertFrameObj>();
             frame->condition = std::move(condition);
             frame->error_kind = StringImm(std::move(kind));
             for (const auto& part : parts) frame->message_parts.push_back(StringImm(part));
             return IRBuilderFrame(std::move(frame));
           })
      .def("script.ir_builder.Region", MakeRegion)
      .def("script.ir_builder.RegionBodyParams",
           [](Op op, ffi::Array<Expr> args, ffi::Optional<DictAttrs> attrs) {
             auto hook = op.GetAttr("FRegionGetBodyParams").cast<ffi::Function>();
             DictAttrs given = attrs.has_value() ? *attrs : DictAttrs(AttrMap());
             return hook(args, given).cast<ffi::Array<Var>>();
           })

      // ---- statements
      .def("script.ir_builder.Bind", BindValue)
      .def("script.ir_builder.DeclareCell", DeclareCell)
      .def("script.ir_builder.StoreCell", StoreCell)
      .def("script.ir_builder.Index",
           [](Expr source, ScriptIndices indices) { return IndexValue(source, indices); })
      .def("script.ir_builder.tirx.TensorStore",
           [](Expr dest, ScriptIndices indices, PrimExpr value, int64_t packed) {
             Location loc = UnpackLocation(packed);
             Stmt store = StoreValue(dest, indices, Located(value, loc), loc);
             for (const Expr& index : static_cast<const TensorStoreObj*>(store.get())->indices) {
               StampLocation(index, loc);
             }
             AddToParent(store);
             return store;
           })
      .def("script.ir_builder.Evaluate",
           [](Expr value, int64_t packed) {
             if (value.is(ExprKind::TensorRegion)) {
               TVM_FFI_THROW(TypeError)
                   << "T.evaluate does not accept TensorRegion values; construct a TensorLoad with "
                      "explicit indices";
             }
             Location loc = UnpackLocation(packed);
             Evaluate stmt(Located(std::move(value), loc), loc);
             AddToParent(stmt);
             return stmt;
           })
      .def("script.ir_builder.Return",
           [](Expr value, int64_t packed) {
             Location loc = UnpackLocation(packed);
             Return stmt(Located(std::move(value), loc), loc);
             AddToParent(stmt);
             return stmt;
           })
      .def("script.ir_builder.Break",
           [](int64_t packed) {
             Break stmt = Break::Make(UnpackLocation(packed));
             AddToParent(stmt);
             return stmt;
           })
      .def("script.ir_builder.Continue",
           [](int64_t packed) {
             Continue stmt = Continue::Make(UnpackLocation(packed));
             AddToParent(stmt);
             return stmt;
           })
      .def("script.ir_builder.AssertStmt",
           [](Expr condition, ffi::String kind, ffi::Array<ffi::String> parts, int64_t packed) {
             Location loc = UnpackLocation(packed);
             ffi::Array<StringImm> texts;
             for (const auto& part : parts) texts.push_back(StringImm(part));
             AddToParent(AssertStmt(Located(std::move(condition), loc), StringImm(std::move(kind)),
                                    texts, loc));
           });
}

}  // namespace tirx
}  // namespace tvm
