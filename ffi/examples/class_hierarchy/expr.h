// SPDX-License-Identifier: Apache-2.0
// Arithmetic expressions: an abstract class and three children. Nodes never change, so they can be
// shared.
#ifndef CLASS_HIERARCHY_EXPR_H_
#define CLASS_HIERARCHY_EXPR_H_

#include <tvm/ffi/container/map.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/string.h>

#include <string>

namespace class_hierarchy {

namespace ffi = tvm::ffi;

class Expr;
using Values = ffi::Map<ffi::String, double>;

class ExprObj : public ffi::Object {
 public:
  virtual ~ExprObj() = default;
  virtual double Evaluate(const Values& values) const = 0;
  virtual Expr Derivative(const ffi::String& variable) const = 0;
  virtual std::string Text() const = 0;

  TVM_FFI_DECLARE_OBJECT_INFO("class_hierarchy.Expr", ExprObj, ffi::Object);
};

// A reference that is never null.
class Expr : public ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Expr, ffi::ObjectRef, ExprObj);
};

class ConstObj : public ExprObj {
 public:
  double value;

  explicit ConstObj(double value) : value(value) {}
  double Evaluate(const Values& values) const override;
  Expr Derivative(const ffi::String& variable) const override;
  std::string Text() const override;

  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("class_hierarchy.Const", ConstObj, ExprObj);
};

class VarObj : public ExprObj {
 public:
  ffi::String name;

  explicit VarObj(ffi::String name) : name(std::move(name)) {}
  double Evaluate(const Values& values) const override;
  Expr Derivative(const ffi::String& variable) const override;
  std::string Text() const override;

  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("class_hierarchy.Var", VarObj, ExprObj);
};

// Abstract as well: what Add and Mul share.
class BinaryObj : public ExprObj {
 public:
  Expr lhs;
  Expr rhs;

  BinaryObj(Expr lhs, Expr rhs) : lhs(std::move(lhs)), rhs(std::move(rhs)) {}

  TVM_FFI_DECLARE_OBJECT_INFO("class_hierarchy.Binary", BinaryObj, ExprObj);
};

class AddObj : public BinaryObj {
 public:
  using BinaryObj::BinaryObj;
  double Evaluate(const Values& values) const override;
  Expr Derivative(const ffi::String& variable) const override;
  std::string Text() const override;

  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("class_hierarchy.Add", AddObj, BinaryObj);
};

class MulObj : public BinaryObj {
 public:
  using BinaryObj::BinaryObj;
  double Evaluate(const Values& values) const override;
  Expr Derivative(const ffi::String& variable) const override;
  std::string Text() const override;

  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("class_hierarchy.Mul", MulObj, BinaryObj);
};

}  // namespace class_hierarchy
#endif  // CLASS_HIERARCHY_EXPR_H_
