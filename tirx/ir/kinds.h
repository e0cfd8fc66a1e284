// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tvm {
namespace tirx {

// Every dispatch of the compiler is a switch over these, without a default.
// Foreign: a node type that another library added.
enum class ExprKind : uint8_t {
  Foreign = 0,
#define TIRX_EXPR(Name, key) Name,
#include "tirx/defs/nodes.def"
};

enum class StmtKind : uint8_t {
  Foreign = 0,
#define TIRX_STMT(Name, key) Name,
#include "tirx/defs/nodes.def"
};

enum class TypeKind : uint8_t {
  Foreign = 0,
#define TIRX_TYPE(Name, key) Name,
#include "tirx/defs/nodes.def"
};

constexpr bool IsBinary(ExprKind kind) { return kind >= ExprKind::Add && kind <= ExprKind::RShift; }
constexpr bool IsComparison(ExprKind kind) { return kind >= ExprKind::EQ && kind <= ExprKind::GE; }
constexpr bool IsConstant(ExprKind kind) {
  return kind >= ExprKind::IntImm && kind <= ExprKind::GenericConst;
}

}  // namespace tirx
}  // namespace tvm
