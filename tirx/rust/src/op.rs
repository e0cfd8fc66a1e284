// SPDX-License-Identifier: Apache-2.0
//! Declaring and registering operators.

use crate::expr::{Call, Expr, Type, Var};
use tvm_ffi::{cached_global_func, Any, AnyCompatible, AnyView, Array, Function, ObjectArc, Result, String};

/// What a call of an operator may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Marks a value and changes nothing.
    ExprAnnotation = 0,
    /// Computes from its operands alone.
    Pure = 1,
    /// Reads memory.
    ReadState = 2,
    /// Reads or writes memory, or does anything else.
    UpdateState = 3,
    /// States a fact.
    EmbedInfo = 5,
    /// Leaves the straight line of control.
    ControlJump = 6,
}

/// The object behind [`Op`].
#[repr(C)]
#[derive(tvm_ffi::derive::Object)]
#[type_key = "ir.Op"]
pub struct OpObj {
    base: crate::expr::ExprObj,
}

/// A registered operator; one for the whole process.
#[repr(C)]
#[derive(tvm_ffi::derive::ObjectRef, Clone)]
pub struct Op {
    data: ObjectArc<OpObj>,
}

impl Op {
    /// The operator of a name; `AttributeError` when it is not registered.
    pub fn get(name: &str) -> Result<Self> {
        cached_global_func!("ir.OpGet").call_tuple((name,))?.try_into()
    }

    /// Sets a value in a column of the registry; `ValueError` when it has one and `replace` is false.
    pub fn set_attr(&self, column: &str, value: impl Into<Any>, replace: bool) -> Result<()> {
        cached_global_func!("ir.OpSetAttr").call_tuple((self, column, value.into(), replace)).map(drop)
    }
}

/// An operator that is being declared.
#[must_use = "an operator takes effect when it is registered"]
pub struct Operator {
    name: std::string::String,
    doc: std::string::String,
    args: Vec<(std::string::String, std::string::String)>,
    attributes: Vec<(&'static str, Any)>,
    attrs_type_key: Option<std::string::String>,
}

impl Operator {
    /// An operator of a full name, such as `tirx.lerp`.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            doc: std::string::String::new(),
            args: Vec::new(),
            attributes: Vec::new(),
            attrs_type_key: None,
        }
    }

    /// What it means.
    pub fn doc(mut self, text: &str) -> Self {
        let lines = text.trim().lines().map(str::trim_start);
        self.doc = lines.collect::<Vec<_>>().join("\n");
        self
    }

    /// The next operand.
    pub fn arg(mut self, name: &str, doc: &str) -> Self {
        self.args.push((name.into(), doc.into()));
        self
    }

    /// Calls take an attribute dictionary.
    pub fn takes_attrs(mut self) -> Self {
        self.attrs_type_key = Some("ir.DictAttrs".into());
        self
    }

    /// What a call may do. Without this it may do anything.
    pub fn effect(self, effect: Effect) -> Self {
        self.attribute("TCallEffectKind", effect as i64)
    }

    /// Works lane by lane on vectors.
    pub fn vectorizable(self) -> Self {
        self.attribute("TVectorizable", true)
    }

    /// The type of a call, from its operands.
    pub fn infer_type(self, rule: impl Fn(&[Expr]) -> Result<Type> + Send + Sync + 'static) -> Self {
        let hook = Function::from_typed(move |call: Call| rule(&call.args()?));
        self.attribute("FInferType", hook)
    }

    /// The type of a call is that of its first operand.
    pub fn type_of_first(self) -> Self {
        self.infer_type(|args| match args.first() {
            Some(first) => first.ty(),
            None => tvm_ffi::bail!(tvm_ffi::TYPE_ERROR, "the operator takes at least one operand"),
        })
    }

    /// Calls give nothing.
    pub fn gives_nothing(self) -> Self {
        self.infer_type(|_| {
            let none = tvm_ffi::DLDataType { code: 3, bits: 0, lanes: 0 };
            cached_global_func!("ir.PrimType").call_tuple((none,))?.try_into()
        })
    }

    /// The same value with other operators; with this the operator works on every target.
    pub fn expands_to(self, expansion: impl Fn(&[Expr]) -> Result<Expr> + Send + Sync + 'static) -> Self {
        let hook = Function::from_typed(move |call: Call| expansion(&call.args()?));
        self.attribute("default.FLowerIntrin", hook)
    }

    /// Makes it a region: `with T.name(operands) as params:`. The hook makes the variables that the body may use.
    pub fn region(self, params: impl Fn(&[Expr]) -> Result<Vec<Var>> + Send + Sync + 'static) -> Self {
        let hook = Function::from_packed(move |args: &[AnyView<'_>]| {
            let operands: Array<Expr> = match args.first() {
                Some(operands) => (*operands).try_into()?,
                None => tvm_ffi::bail!(tvm_ffi::TYPE_ERROR, "the hook takes the operands"),
            };
            let operands = operands.iter().collect::<Result<Vec<Expr>>>()?;
            Ok(Any::from(Array::new(params(&operands)?)))
        });
        self.attribute("FRegionGetBodyParams", hook)
    }

    fn attribute(mut self, column: &'static str, value: impl AnyCompatible) -> Self {
        self.attributes.push((column, Any::from(value)));
        self
    }

    /// Puts the operator into the registry. Doing it again replaces what it says.
    pub fn register(self) -> Result<Op> {
        let op: Op = cached_global_func!("ir.RegisterOp")
            .call_tuple((self.name.as_str(), self.doc.as_str()))?
            .try_into()?;
        let pair = |(name, doc): &(std::string::String, std::string::String)| {
            Array::new(vec![String::from(name), String::from(doc)])
        };
        let args: Array<Array<String>> = self.args.iter().map(pair).collect();
        let none: Array<Any> = Array::default();
        cached_global_func!("ir.OpSetSignature").call_tuple((&op, &args, &none, (), ()))?;
        if let Some(key) = &self.attrs_type_key {
            cached_global_func!("ir.OpSetAttrsTypeKey").call_tuple((&op, key.as_str()))?;
        }
        for (column, value) in self.attributes {
            op.set_attr(column, value, true)?;
        }
        Ok(op)
    }
}
