// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/given.h"
#include "tirx/ir/reflect.h"
#include "tirx/ir/stmt.h"

namespace tvm {
namespace tirx {

namespace {

namespace refl = ffi::reflection;

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<StmtObj>().def_ro("loc", &StmtObj::loc, refl::AttachFieldFlag::SEqHashIgnore(),
                                    refl::DefaultValue(Location::Unknown()));
#define TIRX_STMT(Name, key) RegisterNode<Name##Obj>();
#include "tirx/defs/nodes.def"
  refl::GlobalDef()
      .def("ir.SeqStmt", [](ffi::Array<Stmt> seq,
                            Location loc) { return SeqStmt(std::move(seq), std::move(loc)); })
      .def("ir.Bind",
           [](Given<Var> var, Expr value, Location loc) {
             return Bind(std::move(var), std::move(value), std::move(loc));
           })
      .def("ir.TensorStore",
           [](Expr dest, ffi::Array<PrimExpr> indices, PrimExpr value, Location loc) {
             return TensorStore(std::move(dest), ffi::Array<Expr>(indices.begin(), indices.end()),
                                std::move(value), std::move(loc));
           })
      .def("ir.For",
           [](Given<Var> var, PrimExpr begin, PrimExpr end, PrimExpr step, int64_t kind,
              Given<SeqStmt> body, ffi::Map<ffi::String, ffi::Any> annotations, Location loc) {
             return For(std::move(var), std::move(begin), std::move(end), std::move(step),
                        static_cast<ForKind>(kind), std::move(body), std::move(annotations),
                        std::move(loc));
           })
      .def("ir.While",
           [](PrimExpr condition, Given<SeqStmt> body, Location loc) {
             return While(std::move(condition), std::move(body), std::move(loc));
           })
      .def("ir.Break", [](Location loc) { return Break::Make(std::move(loc)); })
      .def("ir.Continue", [](Location loc) { return Continue::Make(std::move(loc)); })
      .def("ir.If",
           [](PrimExpr condition, Given<SeqStmt> then_case, SeqStmt else_case, Location loc) {
             return If(std::move(condition), std::move(then_case), std::move(else_case),
                       std::move(loc));
           })
      .def("ir.Return",
           [](Expr value, Location loc) { return Return(std::move(value), std::move(loc)); })
      .def("ir.AssertStmt",
           [](PrimExpr condition, Given<StringImm> error_kind, ffi::Array<Given<StringImm>> parts,
              Location loc) {
             return AssertStmt(std::move(condition), std::move(error_kind), std::move(parts),
                               std::move(loc));
           })
      .def("ir.Evaluate",
           [](Expr value, Location loc) { return Evaluate(std::move(value), std::move(loc)); })
      .def("ir.RegionStmt", [](Given<Op> op, DictAttrs attrs, ffi::Array<Given<Expr>> args,
                               ffi::Array<Given<Var>> body_params, Given<SeqStmt> body,
                               ffi::Array<Given<Var>> result_vars, Location loc) {
        return RegionStmt(std::move(op), std::move(args), std::move(attrs), std::move(body_params),
                          std::move(body), std::move(result_vars), std::move(loc));
      });
}

}  // namespace

}  // namespace tirx
}  // namespace tvm
