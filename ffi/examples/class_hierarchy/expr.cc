// SPDX-License-Identifier: Apache-2.0
#include "expr.h"

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

#include <sstream>

namespace class_hierarchy {
namespace {

template <typename Node, typename... Args>
Expr Make(Args&&... args) {
  return ffi::ObjectRef(ffi::make_object<Node>(std::forward<Args>(args)...)).as<Expr>().value();
}

bool IsConst(const Expr& expr, double value) {
  const auto* constant = expr.as<ConstObj>();
  return constant != nullptr && constant->value == value;
}

// Constructors that leave out what changes nothing.
Expr Sum(const Expr& a, const Expr& b) {
  if (IsConst(a, 0)) return b;
  if (IsConst(b, 0)) return a;
  return Make<AddObj>(a, b);
}
Expr Product(const Expr& a, const Expr& b) {
  if (IsConst(a, 0) || IsConst(b, 1)) return a;
  if (IsConst(b, 0) || IsConst(a, 1)) return b;
  return Make<MulObj>(a, b);
}

}  // namespace

double ConstObj::Evaluate(const Values&) const { return value; }
Expr ConstObj::Derivative(const ffi::String&) const { return Make<ConstObj>(0.0); }
std::string ConstObj::Text() const {
  std::ostringstream text;
  text << value;
  return text.str();
}

double VarObj::Evaluate(const Values& values) const {
  std::optional<double> value = values.Get(name);
  TVM_FFI_CHECK(value.has_value(), KeyError) << "`" << name << "` has no value";
  return *value;
}
Expr VarObj::Derivative(const ffi::String& variable) const {
  return Make<ConstObj>(name == variable ? 1.0 : 0.0);
}
std::string VarObj::Text() const { return name; }

double AddObj::Evaluate(const Values& values) const {
  return lhs->Evaluate(values) + rhs->Evaluate(values);
}
Expr AddObj::Derivative(const ffi::String& variable) const {
  return Sum(lhs->Derivative(variable), rhs->Derivative(variable));
}
std::string AddObj::Text() const { return "(" + lhs->Text() + " + " + rhs->Text() + ")"; }

double MulObj::Evaluate(const Values& values) const {
  return lhs->Evaluate(values) * rhs->Evaluate(values);
}
Expr MulObj::Derivative(const ffi::String& variable) const {
  return Sum(Product(lhs->Derivative(variable), rhs), Product(lhs, rhs->Derivative(variable)));
}
std::string MulObj::Text() const { return lhs->Text() + " * " + rhs->Text(); }

namespace {

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace refl = tvm::ffi::reflection;
  // A method of the base is found through every child, and calls the child's override.
  refl::ObjectDef<ExprObj>(refl::init(false))
      .def("evaluate", &ExprObj::Evaluate, "The value, given one for each variable.")
      .def("derivative", &ExprObj::Derivative, "The derivative by a variable.")
      .def("text", [](const ExprObj* self) { return ffi::String(self->Text()); });
  refl::ObjectDef<ConstObj>().def(refl::init<double>()).def_ro("value", &ConstObj::value);
  refl::ObjectDef<VarObj>().def(refl::init<ffi::String>()).def_ro("name", &VarObj::name);
  refl::ObjectDef<BinaryObj>(refl::init(false))
      .def_ro("lhs", &BinaryObj::lhs)
      .def_ro("rhs", &BinaryObj::rhs);
  refl::ObjectDef<AddObj>().def(refl::init<Expr, Expr>());
  refl::ObjectDef<MulObj>().def(refl::init<Expr, Expr>());
  refl::GlobalDef().def("class_hierarchy.as_expr", [](const ffi::Any& value) -> Expr {
    if (auto expr = value.as<Expr>()) return *expr;
    if (auto number = value.try_cast<double>()) return Make<ConstObj>(*number);
    if (auto name = value.try_cast<ffi::String>()) return Make<VarObj>(*name);
    TVM_FFI_THROW(TypeError) << "no expression can be made of a value of type "
                             << value.GetTypeKey();
  });
}

}  // namespace
}  // namespace class_hierarchy
