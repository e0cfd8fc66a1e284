// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/ptx_table.h"

#include <tvm/ffi/container/map.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

#include <string>

namespace tvm {
namespace tirx {

const std::vector<PtxRow>& PtxTable() {
  static const std::vector<PtxRow>& table = *new std::vector<PtxRow>{
#define TIRX_PTX(name, mnemonic, family, modifiers, operands, arch, is_volatile, orders_memory) \
  {name, mnemonic, family, modifiers, operands, arch, is_volatile != 0, orders_memory != 0},
#include "tirx/defs/ptx.def"
  };
  return table;
}

namespace {

// The table for the script, columns in the order of PtxRow.
ffi::String TableText() {
  std::string text;
  for (const PtxRow& row : PtxTable()) {
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
#define TIRX_PTX_DTYPE(token, dtypes) result.Set(token, dtypes);
#include "tirx/defs/ptx.def"
  return result;
}

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace refl = ffi::reflection;
  refl::GlobalDef().def("tirx.ptx.Table", TableText).def("tirx.ptx.DTypes", DTypes);
}

}  // namespace
}  // namespace tirx
}  // namespace tvm
