// SPDX-License-Identifier: Apache-2.0
// Operators of the PTX dialect, and its table for the script.
#include <tvm/ffi/reflection/registry.h>

#include <string>

#include "tirx/ir/op.h"

namespace tvm {
namespace tirx {
namespace {

struct PtxRow {
  const char *name, *mnemonic, *family, *modifiers, *operands, *arch;
  bool is_volatile, orders_memory;
};

constexpr PtxRow kRows[] = {
#define TIRX_PTX(name, mnemonic, family, modifiers, operands, arch, is_volatile, orders_memory) \
  {name, mnemonic, family, modifiers, operands, arch, is_volatile != 0, orders_memory != 0},
#include "tirx/defs/ptx.def"
};

struct DTypeRow {
  const char *token, *dtypes;
};

constexpr DTypeRow kDTypes[] = {
#define TIRX_PTX_DTYPE(token, dtypes) {token, dtypes},
#include "tirx/defs/ptx.def"
};

// Columns: name, mnemonic, family, modifiers, operands, arch, volatile, memory.
ffi::String Table() {
  std::string text;
  for (const PtxRow& row : kRows) {
    for (const char* column :
         {row.name, row.mnemonic, row.family, row.modifiers, row.operands, row.arch}) {
      text.append(column).push_back('\t');
    }
    text += row.is_volatile ? "1\t" : "0\t";
    text += row.orders_memory ? "1\n" : "0\n";
  }
  return text;
}

ffi::Map<ffi::String, ffi::String> DTypes() {
  ffi::Map<ffi::String, ffi::String> result;
  for (const DTypeRow& row : kDTypes) result.Set(row.token, row.dtypes);
  return result;
}

void RegisterPtxOperators() {
  Type void_type = PrimType(Void());
  ArgumentInfo operands("operands", "");
  for (const PtxRow& row : kRows) {
    Op op = Op::Register(std::string("tirx.ptx.") + row.name);
    auto* node = const_cast<OpObj*>(op.get());
    node->doc = row.name;
    node->var_args_info = operands;
    op.SetAttr("TCallEffectKind", static_cast<int64_t>(Effect::UpdateState));
    op.SetAttr("TFixedReturnType", void_type);
    op.SetAttr("TScriptPrinterName", ffi::String(std::string("ptx.") + row.family));
  }
  Op addr = Op::Register("tirx.ptx.addr");
  auto* node = const_cast<OpObj*>(addr.get());
  node->doc = "PTX address expression";
  node->args_info = {ArgumentInfo("base", ""), ArgumentInfo("byte_offset", "")};
  addr.SetAttr("TCallEffectKind", static_cast<int64_t>(Effect::Pure));
  addr.SetAttr("FInferType", ffi::Function::FromTyped([](Call call) -> Type {
                 TVM_FFI_CHECK_EQ(call->args.size(), 2, TypeError)
                     << "tirx.ptx.addr takes a base and a byte offset";
                 return call->args[0]->ty;
               }));
}

TVM_FFI_STATIC_INIT_BLOCK() {
  RegisterPtxOperators();
  namespace refl = ffi::reflection;
  refl::GlobalDef().def("tirx.ptx.Table", Table).def("tirx.ptx.DTypes", DTypes);
}

}  // namespace
}  // namespace tirx
}  // namespace tvm
