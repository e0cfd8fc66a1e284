// SPDX-License-Identifier: Apache-2.0
//! Constructors of types that other libraries define.

use crate::error::{Error, Result, TYPE_ERROR};
use crate::object::{ObjectCore, NO_TYPE};
use crate::{Any, AnyView, Function, String};
use std::marker::PhantomData;
use std::sync::OnceLock;
use tvm_ffi_sys::{TVMFFIByteArray, TVMFFITypeKeyToIndex};

/// The constructor of the objects of type `N`, looked up once, for a `static`. The library that defines the type makes the object
/// and frees it.
/// ```
/// use tvm_ffi::reflection::Constructor;
/// use tvm_ffi::{rs_class, Any, ObjectCore, Result};
///
/// #[rs_class("doc.Size")]
/// struct Size {
///     width: i64,
///     height: i64,
/// }
///
/// # fn main() -> Result<()> {
/// SizeObj::type_index(); // registers the type, as its library does when it is loaded
/// static INIT: Constructor<SizeObj> = Constructor::new();
/// let size: Size = INIT.call(&[Any::from(3), Any::from(4)], &[])?.try_into()?;
/// assert_eq!(size.width * size.height, 12);
/// # Ok(())
/// # }
/// ```
pub struct Constructor<N> {
    function: OnceLock<Function>,
    object: PhantomData<fn(&N)>,
}

impl<N: ObjectCore> Constructor<N> {
    /// Not looked up yet.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Self { function: OnceLock::new(), object: PhantomData }
    }

    fn function(&self) -> Result<&Function> {
        if let Some(function) = self.function.get() {
            return Ok(function);
        }
        let (key, mut index) = (N::TYPE_KEY, 0);
        // SAFETY: the key outlives the call.
        let code = unsafe { TVMFFITypeKeyToIndex(&TVMFFIByteArray::from_str(key), &mut index) };
        if code != 0 {
            drop(Error::from_raised());
            crate::bail!(TYPE_ERROR, "`{key}` is not registered: load the library that defines it first");
        }
        let index = N::type_index();
        if index == NO_TYPE {
            let why = N::layout_mismatch().unwrap_or_default();
            return Err(Error::new(TYPE_ERROR, &why, ""));
        }
        let Some(found) = super::get_type_attr(index, "__ffi_init__") else {
            crate::bail!(TYPE_ERROR, "`{key}` has no constructor");
        };
        let found = found.try_into()?;
        Ok(self.function.get_or_init(|| found))
    }

    /// A new object. `named` are arguments that a constructor made from fields takes by name. `TypeError` when the type has no
    /// constructor or an argument does not convert; otherwise what the constructor raises.
    pub fn call(&self, args: &[Any], named: &[(&str, Any)]) -> Result<Any> {
        let function = self.function()?;
        if named.is_empty() {
            let views: Vec<AnyView<'_>> = args.iter().map(AnyView::from).collect();
            return function.call_packed(&views);
        }
        let marker = Function::get_global("ffi.GetKwargsObject")?.call_packed(&[])?;
        let names: Vec<Any> = named.iter().map(|(name, _)| Any::from(String::from(*name))).collect();
        let pairs = names.iter().zip(named).flat_map(|(name, (_, value))| [name, value]);
        let all = args.iter().chain(std::iter::once(&marker)).chain(pairs);
        let views: Vec<AnyView<'_>> = all.map(AnyView::from).collect();
        function.call_packed(&views)
    }
}
