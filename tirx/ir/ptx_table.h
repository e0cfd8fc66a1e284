// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace tvm {
namespace tirx {

// A row of defs/ptx.def: one form of a PTX instruction, operator tirx.ptx.<name>.
struct PtxRow {
  const char *name, *mnemonic, *family, *modifiers, *operands, *arch;
  bool is_volatile, orders_memory;
};

const std::vector<PtxRow>& PtxTable();

}  // namespace tirx
}  // namespace tvm
