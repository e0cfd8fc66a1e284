// SPDX-License-Identifier: Apache-2.0
//! Expressions and types of the compiler's IR, as far as operators need them.
//!
//! Arithmetic on [`Expr`] builds IR with the promotion and folding of the script language. What the compiler refuses (a float
//! modulo, say) panics with the compiler's message; inside a hook the panic becomes the error of the compilation.

use std::ops::{Add, Mul, Neg, Sub};
use tvm_ffi::{
    cached_global_func, AnyView, Array, FieldGetter, Object, ObjectArc, ObjectCore, ObjectRefCore, Result,
};

macro_rules! node {
    ($(#[$doc:meta])* $name:ident, $object:ident, $parent:ty, $key:literal) => {
        #[doc = concat!("The object behind [`", stringify!($name), "`].")]
        #[repr(C)]
        #[derive(tvm_ffi::derive::Object)]
        #[type_key = $key]
        pub struct $object {
            base: $parent,
        }

        $(#[$doc])*
        #[repr(C)]
        #[derive(tvm_ffi::derive::ObjectRef, Clone)]
        pub struct $name {
            data: ObjectArc<$object>,
        }
    };
}

node! {
    /// A type, such as `float32`.
    Type, TypeObj, Object, "ir.Type"
}
node! {
    /// An expression.
    Expr, ExprObj, Object, "ir.Expr"
}
node! {
    /// A variable.
    Var, VarObj, ExprObj, "ir.Var"
}
node! {
    /// A call of an operator.
    Call, CallObj, ExprObj, "ir.Call"
}

tvm_ffi::impl_object_upcast!(Var => Expr, Call => Expr);

/// Reads a reflected field of a node.
fn field<R, T>(node: &R, name: &str) -> Result<T>
where
    R: ObjectRefCore,
    T: TryFrom<tvm_ffi::Any, Error = tvm_ffi::Error>,
{
    FieldGetter::new(<R::ContainerType as ObjectCore>::type_index(), name)?.get(&**R::data(node))
}

impl Call {
    /// The operands.
    pub fn args(&self) -> Result<Vec<Expr>> {
        let args: Array<Expr> = field(self, "args")?;
        args.iter().collect()
    }
}

impl Var {
    /// A new variable; it is itself, whatever others are called.
    pub fn new(name: &str, ty: &Type) -> Result<Self> {
        cached_global_func!("ir.Var").call_tuple((name, ty, ()))?.try_into()
    }
}

impl Expr {
    /// The type of the value.
    pub fn ty(&self) -> Result<Type> {
        field(self, "ty")
    }

    /// An integer of the type of `self`.
    pub fn int_like(&self, value: i64) -> Result<Self> {
        cached_global_func!("ir.IntImm").call_tuple((&self.ty()?, value, ()))?.try_into()
    }

    /// The smaller of two values.
    pub fn min(&self, other: &Self) -> Result<Self> {
        cached_global_func!("prim._op.min").call_tuple((self, other, ()))?.try_into()
    }

    /// The larger of two values.
    pub fn max(&self, other: &Self) -> Result<Self> {
        cached_global_func!("prim._op.max").call_tuple((self, other, ()))?.try_into()
    }
}

macro_rules! arithmetic {
    ($($operator:ident $method:ident $function:literal;)*) => { $(
        impl $operator for Expr {
            type Output = Expr;
            fn $method(self, other: Expr) -> Expr {
                let built = cached_global_func!($function)
                    .call_packed(&[AnyView::from(&self), AnyView::from(&other), AnyView::new()]);
                match built.and_then(Expr::try_from) {
                    Ok(expr) => expr,
                    Err(error) => panic!("{}", error.message()),
                }
            }
        }
    )* };
}

arithmetic! {
    Add add "prim._op.add";
    Sub sub "prim._op.sub";
    Mul mul "prim._op.mul";
}

impl Neg for Expr {
    type Output = Expr;
    fn neg(self) -> Expr {
        let built = cached_global_func!("prim._op.neg").call_packed(&[AnyView::from(&self), AnyView::new()]);
        match built.and_then(Expr::try_from) {
            Ok(expr) => expr,
            Err(error) => panic!("{}", error.message()),
        }
    }
}
