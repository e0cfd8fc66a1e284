// SPDX-License-Identifier: Apache-2.0
// Loads, stores and addresses of tensor elements in C.
#include <algorithm>

#include "tirx/codegen/c_emitter.h"
#include "tirx/codegen/layout_index.h"
#include "tirx/ir/ops.h"

namespace tvm {
namespace tirx {

std::string CEmitter::Index(const Expr& expr) { return Scalar(expr); }

CEmitter::Place CEmitter::Resolve(const Expr& source, const ffi::Array<Expr>& indices) {
  if (!source.is(ExprKind::Var)) {
    TVM_FFI_THROW(RuntimeError) << "An access to a tensor that has no name";
  }
  auto* var = static_cast<const VarObj*>(source.get());
  const TensorTypeObj* type = AsTensorType(source);
  if (type == nullptr || indices.size() != type->shape.size()) {
    TVM_FFI_THROW(ValueError) << "The access to `" << var->name
                              << "` does not fit the dimensions of its type";
  }
  Place place;
  place.pointer = Find(var).leaves[0];
  place.element = Element(type->dtype->dtype);
  int element_lanes = tirx::Lanes(type->dtype->dtype);

  Lanes flat;
  if (type->layout.defined()) {
    flat = Vector(LayoutIndex(type, indices));
  } else if (indices.empty()) {
    flat = {"0"};
  } else {
    for (size_t d = 0; d < indices.size(); ++d) {
      Lanes next = Vector(indices[d]);
      if (d == 0) {
        flat = next;
        // Several dimensions multiply: in 64 bits from there on.
        if (indices.size() > 1) {
          for (std::string& lane : flat) lane = "(int64_t)" + lane;
        }
        continue;
      }
      std::string extent = Scalar(type->shape[d]);
      size_t lanes = std::max(flat.size(), next.size());
      flat.resize(lanes, flat[0]);
      next.resize(lanes, next[0]);
      for (size_t i = 0; i < lanes; ++i) {
        flat[i] = (d == 1 ? flat[i] : "(" + flat[i] + ")") + " * " + extent + " + " + next[i];
      }
    }
  }
  for (const std::string& index : flat) {
    for (int i = 0; i < element_lanes; ++i) {
      place.indices.push_back(element_lanes == 1
                                  ? index
                                  : "(" + index + ") * " + std::to_string(element_lanes) + " + " +
                                        std::to_string(i));
    }
  }
  return place;
}

std::string CEmitter::LoadLane(const Place& place, size_t lane) {
  const std::string& index = place.indices[lane];
  if (place.element.bits < 8) {
    Need("tirx_load_bits");
    std::string bits = "tirx_load_bits((const uint8_t*)" + place.pointer + ", " + index + ", " +
                       std::to_string(place.element.bits) + ")";
    if (IsInt(place.element)) {
      int shift = 32 - place.element.bits;
      return "((int8_t)((int32_t)(" + bits + " << " + std::to_string(shift) + ") >> " +
             std::to_string(shift) + "))";
    }
    return FromMemory(bits, place.element);
  }
  return FromMemory(place.pointer + "[" + index + "]", place.element);
}

void CEmitter::StoreLane(const Place& place, size_t lane, const std::string& value) {
  const std::string& index = place.indices[lane];
  std::string stored = ToMemory(value, place.element);
  if (place.element.bits < 8) {
    Need("tirx_store_bits");
    Line("tirx_store_bits((uint8_t*)" + place.pointer + ", " + index + ", " +
         std::to_string(place.element.bits) + ", (uint32_t)" + stored + ");");
    return;
  }
  Line(place.pointer + "[" + index + "] = " + stored + ";");
}

void CEmitter::Store(const TensorStoreObj* op) {
  Lanes values = Vector(op->value);
  Place place = Resolve(op->dest, op->indices);
  DLDataType from = Element(op->value->dtype());
  for (std::string& value : values) {
    if (!SameDType(from, place.element)) value = Convert(value, from, place.element);
  }
  if (place.indices.size() > 1) {
    // All lanes are calculated before the first is stored: the places may overlap what they read.
    values.resize(place.indices.size(), values[0]);
    for (std::string& value : values) value = Hold(ValueType(place.element), value);
  }
  for (size_t i = 0; i < place.indices.size(); ++i) StoreLane(place, i, values[i]);
}

std::string CEmitter::AddressOf(const Expr& expr) {
  if (expr.is(ExprKind::TensorLoad)) {
    auto* load = static_cast<const TensorLoadObj*>(expr.get());
    Place place = Resolve(load->source, load->indices);
    return "(&" + place.pointer + "[" + place.indices[0] + "])";
  }
  if (expr.is(ExprKind::Var)) {
    if (!expr->ty.is_prim()) return Scalar(expr);
    return "(&" + Hold(ValueType(expr->dtype()), Scalar(expr)) + ")";
  }
  TVM_FFI_THROW(RuntimeError) << "The address of an expression of type " << expr->GetTypeKey();
  throw;
}

std::string CEmitter::Bytes(const TensorTypeObj* type) {
  DLDataType dtype = type->dtype->dtype;
  int64_t bits = static_cast<int64_t>(dtype.bits) * tirx::Lanes(dtype);
  std::string count = "(int64_t)" + Scalar(cast(LayoutSpan(type), Int(64)));
  if (bits % 8 == 0) return count + " * " + std::to_string(bits / 8);
  return "(" + count + " * " + std::to_string(bits) + " + 7) / 8";
}

}  // namespace tirx
}  // namespace tvm
