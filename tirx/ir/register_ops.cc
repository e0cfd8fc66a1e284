// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/analysis.h"
#include "tirx/ir/given.h"
#include "tirx/ir/ops.h"
#include "tirx/ir/reflect.h"

namespace tvm {
namespace tirx {

namespace {

namespace refl = ffi::reflection;

Op Ref(const OpObj* op) { return ffi::GetRef<Op>(op); }

void AddArg(const OpObj* op, ffi::String name, ffi::String doc) {
  const_cast<OpObj*>(op)->args_info.push_back(ArgumentInfo(std::move(name), std::move(doc)));
}

void SetAttrsTypeKey(const OpObj* op, ffi::String key) {
  const_cast<OpObj*>(op)->attrs_type_key = std::move(key);
}

void RegisterRegistry() {
  RegisterNode<ArgumentInfoObj>();
  {
    refl::ObjectDef<OpObj> def(refl::init(false));
    ForEachField<OpObj>([&](const auto& field) {
      def.def_ro(field.name, field.member, refl::AttachFieldFlag(static_cast<int32_t>(field.role)));
    });
    def.def("get_attr", [](const OpObj* op, ffi::String name) { return Ref(op).GetAttr(name); })
        .def("has_attr", [](const OpObj* op, ffi::String name) { return Ref(op).HasAttr(name); })
        .def("_set_attr", [](const OpObj* op, ffi::String name, ffi::Any value,
                             bool override) { Ref(op).SetAttr(name, std::move(value), override); })
        .def("reset_attr", [](const OpObj* op, ffi::String name) { Ref(op).ResetAttr(name); })
        .def("add_arg", &AddArg)
        .def("add_ty_arg",
             [](const OpObj* op, ffi::String name, ffi::String doc) {
               const_cast<OpObj*>(op)->ty_args_info.push_back(ArgumentInfo(name, doc));
             })
        .def("set_attrs_type_key", &SetAttrsTypeKey);
    def.def_type_attr("__data_to_json__", [](const OpObj* op) { return ffi::Any(op->name); })
        .def_type_attr("__data_from_json__",
                       [](ffi::String name) { return Op::Get({name.data(), name.size()}); });
  }
  refl::GlobalDef()
      .def("ir.OpGet",
           [](ffi::String name) { return Op::Get(std::string_view(name.data(), name.size())); })
      .def("ir.ListOpNames",
           [] {
             std::vector<ffi::String> names = Op::ListNames();
             return ffi::Array<ffi::String>(names.begin(), names.end());
           })
      .def("ir.ListOpAttrNames",
           [] {
             std::vector<ffi::String> names = Op::ListAttrNames();
             return ffi::Array<ffi::String>(names.begin(), names.end());
           })
      .def("ir.OpHasAttr", [](Given<Op> op, ffi::String name) { return op.HasAttr(name); })
      .def("ir.OpGetAttr", [](Given<Op> op, ffi::String name) { return op.GetAttr(name); })
      .def("ir.OpSetAttr", [](Given<Op> op, ffi::String name, ffi::Any value,
                              bool override) { op.SetAttr(name, std::move(value), override); })
      .def("ir.OpResetAttr", [](Given<Op> op, ffi::String name) { op.ResetAttr(name); })
      .def("ir.OpSetSignature",
           [](Given<Op> op, ffi::Array<ffi::Any> args, ffi::Array<ffi::Any> ty_args,
              ffi::Any var_args, ffi::Any var_ty_args) {
             auto info = [](const ffi::Any& entry) {
               if (auto name = entry.as<ffi::String>()) return ArgumentInfo(*name, "");
               auto pair = entry.cast<ffi::Array<ffi::String>>();
               TVM_FFI_CHECK(pair.size() == 2, TypeError)
                   << "an operand is a name or a pair of name and documentation";
               return ArgumentInfo(pair[0], pair[1]);
             };
             auto* node = const_cast<OpObj*>(op.get());
             node->args_info.clear();
             for (const ffi::Any& entry : args) node->args_info.push_back(info(entry));
             node->ty_args_info.clear();
             for (const ffi::Any& entry : ty_args) node->ty_args_info.push_back(info(entry));
             node->var_args_info = std::nullopt;
             if (var_args != nullptr) node->var_args_info = info(var_args);
             node->var_ty_args_info = std::nullopt;
             if (var_ty_args != nullptr) node->var_ty_args_info = info(var_ty_args);
           })
      .def("ir.OpAddArg",
           [](Given<Op> op, ffi::String name, ffi::String doc) { AddArg(op.get(), name, doc); })
      .def("ir.OpSetAttrsTypeKey",
           [](Given<Op> op, ffi::String key) { SetAttrsTypeKey(op.get(), key); })
      .def("ir.RegisterOp",
           [](ffi::String name, ffi::String doc) {
             Op op = Op::Register({name.data(), name.size()});
             if (doc.size() != 0) const_cast<OpObj*>(op.get())->doc = doc;
             return op;
           })
      .def("ir.RegisterOpAttr",
           [](ffi::String name, ffi::String column, ffi::Any value, bool override) {
             Op::Register({name.data(), name.size()}).SetAttr(column, std::move(value), override);
           })
      .def("ir.CallValidate", [](Given<Call> call) { ValidateCall(call); })
      .def("ir.ReinferType", [](Given<Call> call) {
        return Call(call->op, call->args, call->attrs, call->ty_args, {}, call->loc);
      });
}

// Calls convert operands loosely (any expression), so the functions themselves say what is wrong.
void RegisterOperators() {
  using Binary = Expr (*)(Expr, Expr, Location);
  using Unary = Expr (*)(Expr, Location);
  struct BinaryRow {
    const char* name;
    Binary function;
  };
  static const BinaryRow kBinary[] = {
      {"add", add},
      {"sub", sub},
      {"mul", mul},
      {"div", div},
      {"truncdiv", truncdiv},
      {"truncmod", truncmod},
      {"floordiv", floordiv},
      {"floormod", floormod},
      {"ceildiv", ceildiv},
      {"indexdiv", floordiv},
      {"indexmod", floormod},
      {"min", min},
      {"max", max},
      {"eq", eq},
      {"ne", ne},
      {"lt", lt},
      {"le", le},
      {"gt", gt},
      {"ge", ge},
      {"logical_and", logical_and},
      {"logical_or", logical_or},
      {"bitwise_and", bitwise_and},
      {"bitwise_or", bitwise_or},
      {"bitwise_xor", bitwise_xor},
      {"shift_left", shift_left},
      {"shift_right", shift_right},
  };
  for (const BinaryRow& row : kBinary) {
    refl::GlobalDef().def((std::string("prim._op.") + row.name).c_str(), row.function);
  }
  struct UnaryRow {
    const char* name;
    Unary function;
  };
  static const UnaryRow kUnary[] = {
      {"logical_not", logical_not},
      {"bitwise_not", bitwise_not},
      {"neg", neg},
      {"abs", abs},
      {"isnan", isnan},
      {"isinf", isinf},
      {"isfinite", isfinite},
  };
  for (const UnaryRow& row : kUnary) {
    refl::GlobalDef().def((std::string("prim._op.") + row.name).c_str(), row.function);
  }
  refl::GlobalDef()
      .def("prim._op.cast",
           [](Expr value, DLDataType dtype, Location loc) {
             return cast(std::move(value), dtype, std::move(loc));
           })
      .def("prim._op.select", &select)
      .def("prim._op.if_then_else", &if_then_else)
      .def("prim._op.convert", [](Expr value) { return value; })
      .def("prim._op.max_value", &max_value)
      .def("prim._op.min_value", &min_value)
      .def("prim._op.infinity", &infinity)
      .def("prim.expr_deep_equal", &DeepEqual);
}

TVM_FFI_STATIC_INIT_BLOCK() {
  RegisterRegistry();
  RegisterOperators();
}

}  // namespace

}  // namespace tirx
}  // namespace tvm
