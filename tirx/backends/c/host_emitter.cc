// SPDX-License-Identifier: Apache-2.0
#include "tirx/backends/c/host_emitter.h"

#include <tvm/ffi/c_api.h>
#include <tvm/ffi/cast.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "tirx/codegen/c_emitter.h"
#include "tirx/codegen/size_params.h"
#include "tirx/ir/analysis.h"
#include "tirx/ir/ops.h"
#include "tirx/passes/abi_fields.h"

namespace tvm {
namespace tirx {
namespace c_backend {
namespace {

constexpr int64_t kMaxStackTensor = 16 * 1024;  // bytes; larger ones are workspaces

// What the functions of one text share.
struct ModuleText {
  CNames names;
  std::string prototypes, functions;
  std::set<std::string> context_pointers;
  std::set<std::string> externs;                     // declared C functions
  std::map<std::string, std::string> packed_caches;  // function name -> variable
  std::map<std::string, std::string> inner_names;    // module function -> C function
  std::map<std::string, Function> inner;
  bool launches = false, allocates = false;
};

class HostEmitter : public CEmitter {
 public:
  HostEmitter(ModuleText& module, HelperList* helpers, std::string name)
      : CEmitter(CDialect{}), m_(module), name_(std::move(name)) {
    helpers_ = helpers;
    names_ = module.names;
  }

  void EmitPacked(const std::string& symbol, const Function& function) {
    packed_ = true;
    std::string head = "TVM_FFI_DLL_EXPORT int32_t " + symbol + "(";
    for (size_t i = 0; i < function->params.size(); ++i) {
      std::string type = TypeOf(function->params[i]->ty);
      head += (i == 0 ? "" : ", ") + type + " " + Declare(function->params[i].get())[0];
    }
    head += ")";
    m_.prototypes += head + ";\n";
    Open(head + " {");
    Block(function->body);
    Line("return 0;");
    Close();
    m_.functions += out_ + "\n";
  }

  void EmitInner(const Function& function) {
    std::string head = "static int32_t " + name_ + "(";
    bool first = true;
    auto parameter = [&](const std::string& text) {
      head += (first ? "" : ", ") + text;
      first = false;
    };
    for (const Var& param : function->params) {
      std::vector<std::string> types = LeafTypes(param->ty);
      Lanes names = Declare(param.get());
      for (size_t i = 0; i < types.size(); ++i) parameter(types[i] + " " + names[i]);
    }
    for (const Var& size : SizeParams(function.get())) {
      parameter(TypeOf(size->ty) + " " + Declare(size.get())[0]);
    }
    for (const std::string& type : LeafTypes(function->ret_type)) {
      results_.push_back(names_.Unique("result"));
      parameter(type + "* " + results_.back());
    }
    head += first ? "void)" : ")";
    m_.prototypes += head + ";\n";
    Open(head + " {");
    Block(function->body);
    Line("return 0;");
    Close();
    m_.functions += out_ + "\n";
  }

 protected:
  void Return_(const Expr& value) override {
    if (!team_.empty()) TVM_FFI_THROW(ValueError) << "A `return` cannot leave a parallel loop";
    if (packed_) {
      std::string status = Scalar(value);
      FreeDownTo(0);
      return Line("return " + status + ";");
    }
    Lanes values = Leaves(value);
    if (values.size() != results_.size()) {
      TVM_FFI_THROW(TypeError) << "A `return` gives " << values.size()
                               << " values, the function declares " << results_.size();
    }
    for (size_t i = 0; i < values.size(); ++i) Line("*" + results_[i] + " = " + values[i] + ";");
    FreeDownTo(0);
    Line("return 0;");
  }

  void FreeDownTo(size_t depth) override {
    for (size_t i = heap_.size(); i-- > depth;) Line("tirx_free_workspace(" + heap_[i] + ");");
  }

  void Fail() {
    FreeDownTo(0);
    Line("return -1;");
  }

  void RaiseIf(const std::string& condition, const std::string& kind,
               const std::vector<std::string>& parts) override {
    Open("if (" + condition + ") {");
    std::string list;
    for (const std::string& part : parts) list += (list.empty() ? "" : ", ") + CStringLiteral(part);
    Line("const char* parts[] = {" + list + "};");
    Line("TVMFFIErrorSetRaisedFromCStrParts(" + CStringLiteral(kind) + ", parts, " +
         std::to_string(parts.size()) + ");");
    Fail();
    Close();
  }

  void Alloc(const VarObj* var) override {
    const TensorTypeObj* type = AsTensorType(ffi::GetRef<Var>(var));
    int64_t elements = 1;
    bool constant = true;
    for (const Expr& extent : type->shape) {
      auto value = as_const_int(extent);
      constant &= value.has_value();
      elements *= value.value_or(1);
    }
    DLDataType dtype = type->dtype->dtype;
    int64_t bytes = (elements * dtype.bits * tirx::Lanes(dtype) + 7) / 8;
    if (constant && !type->layout.defined() && bytes <= kMaxStackTensor) {
      std::string name = names_.Unique(std::string(var->name));
      vars_[var] = Variable{{name}};
      int64_t count = dtype.bits < 8 ? bytes : elements * tirx::Lanes(dtype);
      Line(MemoryType(Element(dtype)) + " " + name + "[" +
           std::to_string(std::max<int64_t>(count, 1)) + "];");
      return;
    }
    m_.allocates = true;
    m_.context_pointers.insert("__TVMBackendAllocWorkspace");
    m_.context_pointers.insert("__TVMBackendFreeWorkspace");
    std::string pointer = MemoryType(Element(dtype)) + "*";
    std::string size = Hold("int64_t", Bytes(type));
    RaiseIf(size + " < 0", "ValueError", {"A tensor has a negative extent"});
    std::string name = names_.Unique(std::string(var->name));
    vars_[var] = Variable{{name}};
    Line(pointer + " " + name + " = (" + pointer + ")tirx_alloc_workspace((uint64_t)" + size +
         ");");
    RaiseIf(name + " == NULL", "MemoryError", {"Cannot allocate temporary memory"});
    heap_.push_back(name);
  }

  void Loop(const ForObj* op) override {
    if (op->loop_kind() != ForKind::Parallel) return CountedLoop(op);
    if (team_.empty())
      return Launch(ffi::GetRef<For>(op), [op](HostEmitter& task) { task.TeamLoop(op); });
    if (splits_loops_) return TeamLoop(op);
    CountedLoop(op);
  }

  void Region(const RegionStmtObj* op) override {
    switch (op->op->id()) {
      case OpId::tirx_device_context:
      case OpId::tirx_compute_scope:
        Open("{");
        Block(op->body);
        return Close();
      case OpId::tirx_parallel_launch:
        if (!team_.empty()) return Block(op->body);
        return Launch(op->body, [op](HostEmitter& task) { task.Block(op->body); });
      default:
        CEmitter::Region(op);
    }
  }

  Lanes Call_(const CallObj* call) override {
    const OpObj* op = CalledOp(call);
    if (op == nullptr) return CEmitter::Call_(call);
    switch (op->id()) {
      case OpId::tirx_abi_field_get: {
        std::string place = AbiPlace(call);
        if (as_const_int(call->args[2]).value_or(-1) == kTensorAddress) return {place};
        return {"((" + TypeOf(call->ty) + ")" + place + ")"};
      }
      case OpId::tirx_abi_field_set: {
        std::string value = Scalar(call->args[3]);
        Line(AbiPlace(call) + " = " + value + ";");
        return {};
      }
      case OpId::tirx_call_packed:
        return PackedCall(call, /*c_symbol=*/false);
      case OpId::tirx_call_cpacked:
        return PackedCall(call, /*c_symbol=*/true);
      case OpId::tirx_call_extern:
      case OpId::tirx_call_pure_extern:
        DeclareExtern(call);
        return CEmitter::Call_(call);
      case OpId::tirx_cpu_parallel_barrier:
        if (team_.empty()) return {};
        m_.context_pointers.insert("__TVMBackendParallelBarrier");
        Line(
            "if (__TVMBackendParallelBarrier != NULL) ((int (*)(int, "
            "TirxTeam*))__TVMBackendParallelBarrier)("
            "task_id, " +
            team_ + ");");
        return {};
      default:
        return CEmitter::Call_(call);
    }
  }

  Lanes ModuleCall(const CallObj* call, const GlobalVarObj* callee) override {
    auto it = m_.inner.find(callee->name_hint);
    if (it == m_.inner.end()) {
      TVM_FFI_THROW(ValueError) << "The module has no function `" << callee->name_hint << "`";
    }
    const Function& target = it->second;
    if (call->args.size() != target->params.size()) {
      TVM_FFI_THROW(TypeError) << "`" << callee->name_hint << "` takes " << target->params.size()
                               << " arguments, the call gives " << call->args.size();
    }
    std::string text;
    auto argument = [&](const std::string& value) { text += (text.empty() ? "" : ", ") + value; };
    std::unordered_map<const VarObj*, std::string> sizes;
    for (size_t i = 0; i < call->args.size(); ++i) {
      for (const std::string& leaf : Leaves(call->args[i])) argument(leaf);
      const TensorTypeObj* wanted = AsTensorType(target->params[i]);
      const TensorTypeObj* given = AsTensorType(call->args[i]);
      if ((wanted == nullptr) != (given == nullptr) ||
          (wanted != nullptr && wanted->shape.size() != given->shape.size())) {
        TVM_FFI_THROW(TypeError) << "Argument #" << i << " of `" << callee->name_hint
                                 << "` is not what the parameter declares";
      }
      for (size_t d = 0; wanted != nullptr && d < wanted->shape.size(); ++d) {
        if (wanted->shape[d].is(ExprKind::Var)) {
          sizes.emplace(static_cast<const VarObj*>(wanted->shape[d].get()),
                        Scalar(given->shape[d]));
        }
      }
    }
    for (const Var& size : SizeParams(target.get())) argument(sizes[size.get()]);
    Lanes results;
    for (const std::string& type : LeafTypes(target->ret_type)) {
      results.push_back(names_.Unique("r"));
      Line(type + " " + results.back() + ";");
      argument("&" + results.back());
    }
    Open("if (" + m_.inner_names[callee->name_hint] + "(" + text + ") != 0) {");
    Fail();
    Close();
    return results;
  }

 private:
  std::string AbiPlace(const CallObj* call) {
    int64_t field = as_const_int(call->args[2]).value_or(-1);
    std::string base = Scalar(call->args[0]), index = Scalar(call->args[1]);
    auto tensor = [&](const char* member) {
      return "((DLTensor*)" + base + ")[" + index + "]" + member;
    };
    auto any = [&](const char* member) {
      return "((TVMFFIAny*)" + base + ")[" + index + "]" + member;
    };
    switch (field) {
      case kTensorAddress:
        return "((void*)&" + tensor("") + ")";
      case kTensorData:
        return tensor(".data");
      case kTensorShape:
        return tensor(".shape");
      case kTensorStrides:
        return tensor(".strides");
      case kTensorNdim:
        return tensor(".ndim");
      case kTensorTypeCode:
        return tensor(".dtype.code");
      case kTensorTypeBits:
        return tensor(".dtype.bits");
      case kTensorTypeLanes:
        return tensor(".dtype.lanes");
      case kTensorByteOffset:
        return tensor(".byte_offset");
      case kTensorDeviceId:
        return tensor(".device.device_id");
      case kTensorDeviceType:
        return tensor(".device.device_type");
      case kAnyTypeIndex:
        return any(".type_index");
      case kAnyZeroPadding:
        return any(".zero_padding");
      case kAnyUnion: {
        const Type& type = call->args.size() > 3 ? call->args[3]->ty : call->ty;
        if (!type.is_prim()) return any(".v_ptr");
        return any(IsFloating(static_cast<const PrimTypeObj*>(type.get())->dtype) ? ".v_float64"
                                                                                  : ".v_int64");
      }
      case kValueContent:
      case kInt64Element:
        return "((int64_t*)" + base + ")[" + index + "]";
      default:
        break;
    }
    TVM_FFI_THROW(ValueError) << "There is no ABI field " << field;
    throw;
  }

  void DeclareExtern(const CallObj* call) {
    std::string name = static_cast<const StringImmObj*>(call->args[0].get())->value;
    if (CNames::IsWord(name) || !m_.externs.insert(name).second) return;
    std::string result = call->ty.is(TypeKind::MissingType) ? "void" : TypeOf(call->ty);
    std::string text = result + " " + name + "(";
    for (size_t i = 1; i < call->args.size(); ++i) {
      text += (i == 1 ? "" : ", ") + TypeOf(call->args[i]->ty);
    }
    m_.prototypes += text + (call->args.size() == 1 ? "void);\n" : ");\n");
  }

  Lanes PackedCall(const CallObj* call, bool c_symbol) {
    std::string name = static_cast<const StringImmObj*>(call->args[0].get())->value;
    size_t count = call->args.size() - 1;
    std::vector<std::pair<std::string, std::string>> slots;  // type index, payload
    for (size_t i = 1; i <= count; ++i) slots.push_back(PackedArgument(call->args[i]));
    std::string stack = names_.Unique("stack");
    Line("TVMFFIAny " + stack + "[" + std::to_string(count + 1) + "];");
    Line("memset(" + stack + ", 0, sizeof(" + stack + "));");
    for (size_t i = 0; i < count; ++i) {
      std::string slot = stack + "[" + std::to_string(i) + "]";
      Line(slot + ".type_index = " + slots[i].first + ";");
      if (!slots[i].second.empty()) Line(slot + slots[i].second + ";");
    }
    std::string result = stack + "[" + std::to_string(count) + "]";
    std::string numbers = stack + ", " + std::to_string(count) + ", &" + result + ") != 0) {";
    if (c_symbol) {
      if (m_.externs.insert(name).second) {
        m_.prototypes += "int32_t " + name + "(void*, const TVMFFIAny*, int32_t, TVMFFIAny*);\n";
      }
      Open("if (" + name + "(NULL, " + numbers);
    } else {
      m_.context_pointers.insert("__tvm_ffi__library_ctx");
      std::string& cache = m_.packed_caches[name];
      if (cache.empty()) cache = m_.names.Unique("packed_" + name);
      Open("if (" + cache + " == NULL) {");
      std::string found = names_.Unique("found");
      Line("void* " + found + " = NULL;");
      Open("if (TVMFFIEnvModLookupFromImports(__tvm_ffi__library_ctx, " + CStringLiteral(name) +
           ", &" + found + ") != 0) {");
      Fail();
      Close();
      Line(cache + " = " + found + ";");
      Close();
      Open("if (TVMFFIFunctionCall(" + cache + ", " + numbers);
    }
    Fail();
    Close();
    Lanes leaves;
    if (call->ty.is_prim() && !IsVoid(static_cast<const PrimTypeObj*>(call->ty.get())->dtype)) {
      DLDataType dtype = call->dtype();
      DLDataType wide = IsFloating(dtype) ? Float(64) : Int(64);
      std::string type = ValueType(wide), held = names_.Unique("r");
      Line(type + " " + held + " = " + result + ".type_index == 3 ? (" + type + ")" + result +
           ".v_float64 : " + result + ".type_index <= 3 ? (" + type + ")" + result +
           ".v_int64 : 0;");
      leaves.push_back(Convert(held, wide, dtype));
    } else if (call->ty.is(TypeKind::PtrType)) {
      leaves.push_back("((" + TypeOf(call->ty) + ")" + result + ".v_ptr)");
    }
    Line("if (" + result + ".type_index >= 64) TVMFFIObjectDecRef(" + result + ".v_obj);");
    return leaves;
  }

  std::pair<std::string, std::string> PackedArgument(const Expr& arg) {
    if (const TensorTypeObj* type = AsTensorType(arg)) {
      std::string record = names_.Unique("tensor"), shape = names_.Unique("shape");
      size_t ndim = type->shape.size();
      Line("int64_t " + shape + "[" + std::to_string(std::max<size_t>(1, ndim)) + "];");
      for (size_t d = 0; d < ndim; ++d) {
        Line(shape + "[" + std::to_string(d) + "] = " + Scalar(type->shape[d]) + ";");
      }
      DLDataType dtype = type->dtype->dtype;
      Line("DLTensor " + record + ";");
      Line("memset(&" + record + ", 0, sizeof(" + record + "));");
      Line(record + ".data = " + Leaves(arg)[0] + ";");
      Line(record + ".device.device_type = kDLCPU;");
      Line(record + ".ndim = " + std::to_string(ndim) + ";");
      Line(record + ".dtype.code = " + std::to_string(dtype.code) + ";");
      Line(record + ".dtype.bits = " + std::to_string(dtype.bits) + ";");
      Line(record + ".dtype.lanes = " + std::to_string(dtype.lanes) + ";");
      Line(record + ".shape = " + shape + ";");
      return {std::to_string(kTVMFFIDLTensorPtr), ".v_ptr = &" + record};
    }
    if (arg.is(ExprKind::StringImm))
      return {std::to_string(kTVMFFIRawStr), ".v_c_str = " + Scalar(arg)};
    if (arg->ty.is(TypeKind::NoneType)) return {std::to_string(kTVMFFINone), ""};
    if (!arg->ty.is_prim()) {
      return {std::to_string(kTVMFFIOpaquePtr), ".v_ptr = (void*)" + Scalar(arg)};
    }
    DLDataType dtype = arg->dtype();
    if (IsFloating(dtype)) {
      return {std::to_string(kTVMFFIFloat), ".v_float64 = (double)" + Scalar(arg)};
    }
    return {std::to_string(IsBool(dtype) ? kTVMFFIBool : kTVMFFIInt),
            ".v_int64 = (int64_t)" + Scalar(arg)};
  }

  // ---- parallel loops

  void Launch(const Stmt& region, const std::function<void(HostEmitter&)>& emit) {
    m_.launches = true;
    m_.context_pointers.insert("__TVMBackendParallelLaunch");
    std::vector<const VarObj*> captured;
    auto capture = [&](const Var& var) {
      if (vars_.count(var.get()) != 0 &&
          std::find(captured.begin(), captured.end(), var.get()) == captured.end()) {
        captured.push_back(var.get());
      }
    };
    ffi::Array<Var> used = UndefinedVars(region);
    for (const Var& var : used) capture(var);
    for (const Var& var : used) {
      if (const TensorTypeObj* tensor = AsTensorType(var)) {
        for (const Expr& extent : tensor->shape) {
          for (const Var& size : UndefinedVars(extent)) capture(size);
        }
      }
    }
    std::string task_name = m_.names.Unique(name_ + "_task");
    std::string record = task_name + "_record";
    HostEmitter task(m_, helpers_, task_name);
    task.names_ = names_;
    task.names_.Reserve("task_id");
    task.names_.Reserve("team");
    task.team_ = "team";
    std::string fields, loads;
    std::string closure = names_.Unique("closure");
    std::vector<std::string> stores;
    for (const VarObj* var : captured) {
      std::vector<std::string> types = LeafTypes(var->ty);
      const Lanes& names = Find(var).leaves;
      for (size_t i = 0; i < names.size(); ++i) {
        fields += "  " + types[i] + " " + names[i] + ";\n";
        stores.push_back(closure + "." + names[i] + " = " + names[i] + ";");
        loads += "  " + types[i] + " " + names[i] + " = record->" + names[i] + ";\n";
      }
      task.vars_[var] = Find(var);
    }
    if (fields.empty()) fields = "  int unused;\n";
    task.names_.Reserve("record");
    task.Open("static int " + task_name + "(int task_id, TirxTeam* team, void* cdata) {");
    task.Line(record + "* record = (" + record + "*)cdata;");
    task.Line("(void)task_id; (void)team; (void)record;");
    task.out_ += loads;
    emit(task);
    task.Line("return 0;");
    task.Close();
    m_.functions += "typedef struct {\n" + fields + "} " + record + ";\n\n" + task.out_ + "\n";
    Line(record + " " + closure + ";");
    for (const std::string& store : stores) Line(store);
    Open("if (tirx_launch(" + task_name + ", &" + closure + ") != 0) {");
    Fail();
    Close();
  }

  void TeamLoop(const ForObj* op) {
    std::string begin = Hold("int64_t", Scalar(op->begin)), end = Hold("int64_t", Scalar(op->end));
    std::string step = Hold("int64_t", Scalar(op->step));
    if (as_const_int(op->step).value_or(0) == 0) {
      RaiseIf(step + " == 0", "ValueError", {"range step cannot be zero"});
    }
    std::string count = names_.Unique("count"), i = names_.Unique("i");
    Line("int64_t " + count + " = " + step + " > 0 ? (" + end + " - " + begin + " + " + step +
         " - 1) / " + step + " : (" + begin + " - " + end + " - " + step + " - 1) / -" + step +
         ";");
    bool cyclic = op->annotations.defined() &&
                  op->annotations.find("codegen.parallel_stride_pattern") != op->annotations.end();
    if (cyclic) {
      Open("for (int64_t " + i + " = task_id; " + i + " < " + count + "; " + i + " += " + team_ +
           "->num_task) {");
    } else {
      std::string share = names_.Unique("share"), to = names_.Unique("to");
      Line("int64_t " + share + " = (" + count + " + " + team_ + "->num_task - 1) / " + team_ +
           "->num_task;");
      Line("int64_t " + to + " = (task_id + 1) * " + share + " < " + count + " ? (task_id + 1) * " +
           share + " : " + count + ";");
      Open("for (int64_t " + i + " = task_id * " + share + "; " + i + " < " + to + "; ++" + i +
           ") {");
    }
    std::string type = ValueType(op->var->dtype());
    std::string name = Declare(op->var.get())[0];
    Line(type + " " + name + " = (" + type + ")(" + begin + " + " + i + " * " + step + ");");
    loop_heap_depth_.push_back(heap_.size());
    loop_is_parallel_.push_back(true);
    splits_loops_ = false;
    Block(op->body);
    splits_loops_ = true;
    loop_heap_depth_.pop_back();
    loop_is_parallel_.pop_back();
    Close();
  }

  ModuleText& m_;
  const std::string name_;
  bool packed_ = false;
  std::vector<std::string> results_;
  std::string team_;  // the parameter of a task; empty outside tasks
  bool splits_loops_ = true;

 public:
  using CEmitter::HelperList;
};

constexpr const char* kIncludes = R"(#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_env_api.h>

#if defined(__GNUC__)
#define TIRX_WEAK __attribute__((weak))
#else
#define TIRX_WEAK
#endif

#ifdef __cplusplus
extern "C" {
#endif

)";

constexpr const char* kWorkspace = R"(static void* tirx_alloc_workspace(uint64_t bytes) {
  if (__TVMBackendAllocWorkspace != NULL) {
    return ((void* (*)(int, int, uint64_t, int, int))__TVMBackendAllocWorkspace)(1, 0, bytes, 1, 8);
  }
  return malloc(bytes == 0 ? 1 : (size_t)bytes);
}

static void tirx_free_workspace(void* data) {
  if (__TVMBackendFreeWorkspace != NULL) {
    ((int (*)(int, int, void*))__TVMBackendFreeWorkspace)(1, 0, data);
  } else {
    free(data);
  }
}

)";

constexpr const char* kTeam = R"(typedef struct {
  void* sync_handle;
  int32_t num_task;
} TirxTeam;

)";

constexpr const char* kLaunch =
    R"(static int tirx_launch(int (*task)(int, TirxTeam*, void*), void* cdata) {
  TirxTeam alone = {NULL, 1};
  if (__TVMBackendParallelLaunch != NULL) {
    return ((int (*)(int (*)(int, TirxTeam*, void*), void*, int))__TVMBackendParallelLaunch)(task, cdata, 0);
  }
  return task(0, &alone, cdata);
}

)";

}  // namespace

std::string EmitHostModule(const IRModule& module, const std::string& target_text,
                           std::vector<std::string>* exported) {
  ModuleText text;
  HostEmitter::HelperList helpers;
  struct Item {
    std::string symbol, name;
    Function function;
  };
  std::vector<Item> items;
  std::string entry;
  ForEachFunction(module, [&](const GlobalVar& var, const Function& function) {
    if (!function->body.defined()) return;
    Item item;
    item.function = function;
    auto symbol = function.GetAttr<ffi::String>(attr::kGlobalSymbol);
    int64_t conv = function.GetAttr<int64_t>(attr::kCallingConv).value_or(0);
    if (conv == static_cast<int64_t>(CallingConv::CPackedFunc) && symbol.has_value()) {
      item.symbol = *symbol;
      text.names.Reserve(item.symbol);
      exported->push_back(item.symbol.substr(std::string("__tvm_ffi_").size()));
      if (function.GetAttr<bool>(attr::kIsEntryFunc).value_or(false)) entry = item.symbol;
    }
    item.name = text.names.Unique(std::string(var->name_hint));
    if (item.symbol.empty()) {
      text.inner_names[var->name_hint] = item.name;
      text.inner[var->name_hint] = function;
    }
    items.push_back(std::move(item));
  });
  for (const Item& item : items) {
    HostEmitter emitter(text, &helpers, item.name);
    if (item.symbol.empty()) {
      emitter.EmitInner(item.function);
    } else {
      emitter.EmitPacked(item.symbol, item.function);
    }
  }
  if (!entry.empty() && entry != "__tvm_ffi_main" &&
      std::find(exported->begin(), exported->end(), "main") == exported->end()) {
    text.functions +=
        "TVM_FFI_DLL_EXPORT int32_t __tvm_ffi_main(void* self_handle, void* args, int32_t "
        "num_args, "
        "void* result) {\n  return " +
        entry + "(self_handle, args, num_args, result);\n}\n\n";
    exported->push_back("main");
  }
  std::string out = "// tvm target: " + target_text + "\n" + kIncludes;
  for (const std::string& name : text.context_pointers) {
    out += "TVM_FFI_DLL_EXPORT TIRX_WEAK void* " + name + " = NULL;\n";
  }
  for (const auto& [name, cache] : text.packed_caches) {
    out += "static void* " + cache + " = NULL; /* " + name + " */\n";
  }
  out += "\n";
  for (const std::string& helper : helpers.order) out += helpers.text[helper] + "\n\n";
  if (text.allocates) out += kWorkspace;
  if (text.launches || text.context_pointers.count("__TVMBackendParallelBarrier") != 0)
    out += kTeam;
  if (text.launches) out += kLaunch;
  out += text.prototypes + "\n" + text.functions;
  out += "#ifdef __cplusplus\n}\n#endif\n";
  return out;
}

}  // namespace c_backend
}  // namespace tirx
}  // namespace tvm
