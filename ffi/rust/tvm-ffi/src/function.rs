// SPDX-License-Identifier: Apache-2.0
//! Functions of any language.

use crate::error::{Error, Result, RUNTIME_ERROR, TYPE_ERROR};
use crate::function_internal::{
    forget_global, name_global, safe_call, AsPackedCallable, AsPackedCallableMut, Callee, IntoArgHolderTuple,
};
use crate::object::{type_info_of, type_key_of, Object, ObjectArc, ObjectCore, ObjectRefCore};
use crate::taking_turns::TakingTurns;
use crate::{Any, AnyView};
use std::ffi::c_void;
use tvm_ffi_sys::{
    TVMFFIAny, TVMFFIByteArray, TVMFFIFunctionCell, TVMFFIFunctionCreate, TVMFFIFunctionGetGlobal,
    TVMFFIFunctionSetGlobal, TVMFFIObject, TVMFFISafeCallType, TVMFFITypeIndex as TypeIndex,
};

/// The object behind [`Function`].
#[repr(C)]
pub struct FunctionObj {
    object: Object,
    cell: TVMFFIFunctionCell,
}

// SAFETY: the layout of `ffi.Function`: header, then the cell.
unsafe impl ObjectCore for FunctionObj {
    const TYPE_KEY: &'static str = "ffi.Function";
    const TYPE_DEPTH: i32 = 1;
    fn type_index() -> i32 {
        TypeIndex::kTVMFFIFunction as i32
    }
    unsafe fn object_header_mut(this: &mut Self) -> &mut TVMFFIObject {
        // SAFETY: passed on.
        unsafe { Object::object_header_mut(&mut this.object) }
    }
}

/// A function object that carries a Rust closure behind the part that other languages know.
#[repr(C)]
struct ClosureObj<F> {
    base: FunctionObj,
    closure: F,
}

// SAFETY: starts with `FunctionObj`, whose type it has for everybody.
unsafe impl<F: 'static> ObjectCore for ClosureObj<F> {
    const TYPE_KEY: &'static str = FunctionObj::TYPE_KEY;
    const TYPE_DEPTH: i32 = FunctionObj::TYPE_DEPTH;
    fn type_index() -> i32 {
        FunctionObj::type_index()
    }
    unsafe fn object_header_mut(this: &mut Self) -> &mut TVMFFIObject {
        // SAFETY: passed on.
        unsafe { FunctionObj::object_header_mut(&mut this.base) }
    }
}

unsafe extern "C" fn call_closure<F>(
    handle: *mut c_void,
    args: *const TVMFFIAny,
    count: i32,
    result: *mut TVMFFIAny,
) -> i32
where
    F: Fn(Callee<'_>, &[AnyView<'_>]) -> Result<Any> + 'static,
{
    // SAFETY: the safe-call convention: `handle` is the function object, alive for the call.
    unsafe {
        let object = &*handle.cast::<ClosureObj<F>>();
        safe_call(args, count, result, move |views| {
            (object.closure)(Callee::Object(std::ptr::from_ref(object).cast()), views)
        })
    }
}

/// A function of any language. It may be called from every thread: closures must be `Send + Sync`.
/// ```
/// use tvm_ffi::{Array, Function, Result};
///
/// # fn main() -> Result<()> {
/// let count = Function::from_typed(|items: &Array<i64>, above: i64| -> Result<i64> {
///     let items = items.iter().collect::<Result<Vec<_>>>()?;
///     Ok(items.into_iter().filter(|n| *n > above).count() as i64)
/// });
/// let items = Array::new(vec![1_i64, 5, 7]);
/// let above: i64 = count.call_tuple((&items, 4_i64))?.try_into()?;
/// assert_eq!(above, 2);
///
/// let error = count.call_tuple((&items, "four")).unwrap_err();
/// assert_eq!(error.message(), "Argument #1: Cannot convert from type `ffi.SmallStr` to `int`");
/// # Ok(())
/// # }
/// ```
#[repr(C)]
#[derive(Clone)]
pub struct Function {
    data: ObjectArc<FunctionObj>,
}

// SAFETY: functions of the ABI may be called from any thread; Rust closures are checked where they become functions.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

// SAFETY: one object pointer.
unsafe impl ObjectRefCore for Function {
    type ContainerType = FunctionObj;
    fn data(this: &Self) -> &ObjectArc<FunctionObj> {
        &this.data
    }
    fn into_data(this: Self) -> ObjectArc<FunctionObj> {
        this.data
    }
    unsafe fn from_data(data: ObjectArc<FunctionObj>) -> Self {
        Self { data }
    }
}

crate::impl_object_ref_any!(Function);

impl Function {
    /// A function of a closure that takes views.
    pub fn from_packed<F>(closure: F) -> Self
    where
        F: Fn(&[AnyView<'_>]) -> Result<Any> + Send + Sync + 'static,
    {
        Self::from_closure(move |_, args| closure(args))
    }

    /// A function of a closure that also takes which function it is.
    fn from_closure<F>(closure: F) -> Self
    where
        F: Fn(Callee<'_>, &[AnyView<'_>]) -> Result<Any> + Send + Sync + 'static,
    {
        let cell = TVMFFIFunctionCell { safe_call: call_closure::<F>, cxx_call: std::ptr::null_mut() };
        let object = ClosureObj { base: FunctionObj { object: Object::new(), cell }, closure };
        let raw = ObjectArc::into_raw(ObjectArc::new(object));
        // SAFETY: a `ClosureObj` starts with a `FunctionObj`.
        Self { data: unsafe { ObjectArc::from_raw(raw.cast()) } }
    }

    /// A function of a closure with typed arguments, which returns a [`Result`].
    pub fn from_typed<I, O, F>(closure: F) -> Self
    where
        F: AsPackedCallable<I, O> + Send + Sync + 'static,
        I: 'static,
        O: 'static,
    {
        Self::from_closure(move |callee, args| closure.call_named(callee, args))
    }

    /// A function of a closure that changes what it captures. Calls of several threads take turns.
    ///
    /// Errors of a call: `RuntimeError` when the closure is running in the calling thread already, or in one that waits for a
    /// closure of the calling thread; and after a call that panicked, which may have left it half changed.
    /// ```
    /// use tvm_ffi::{Any, AnyView, Function};
    ///
    /// let mut calls = 0;
    /// let count = Function::from_packed_mut(move |_: &[AnyView<'_>]| {
    ///     calls += 1;
    ///     Ok(Any::from(calls))
    /// });
    /// count.call_packed(&[]).unwrap();
    /// assert_eq!(i64::try_from(count.call_packed(&[]).unwrap()).unwrap(), 2);
    /// ```
    pub fn from_packed_mut<F>(mut closure: F) -> Self
    where
        F: FnMut(&[AnyView<'_>]) -> Result<Any> + Send + 'static,
    {
        Self::from_closure_mut(move |_, args| closure(args))
    }

    fn from_closure_mut<F>(closure: F) -> Self
    where
        F: FnMut(Callee<'_>, &[AnyView<'_>]) -> Result<Any> + Send + 'static,
    {
        let closure = TakingTurns::new(closure);
        Self::from_closure(move |callee, args| closure.call(callee, |closure| closure(callee, args)))
    }

    /// As [`Self::from_packed_mut`], with typed arguments.
    /// ```
    /// use tvm_ffi::Function;
    ///
    /// let mut sum = 0;
    /// let add = Function::from_typed_mut(move |n: i64| {
    ///     sum += n;
    ///     sum
    /// });
    /// add.call_tuple((3_i64,)).unwrap();
    /// assert_eq!(i64::try_from(add.call_tuple((4_i64,)).unwrap()).unwrap(), 7);
    /// ```
    pub fn from_typed_mut<I, O, F>(mut closure: F) -> Self
    where
        F: AsPackedCallableMut<I, O> + Send + 'static,
        I: 'static,
        O: 'static,
    {
        Self::from_closure_mut(move |callee, args| closure.call_named_mut(callee, args))
    }

    /// The global function of a name; `RuntimeError` when there is none.
    pub fn get_global(name: &str) -> Result<Self> {
        let mut out = std::ptr::null_mut();
        // SAFETY: the name outlives the call, which writes null or an owned function.
        unsafe {
            crate::check_safe_call!(TVMFFIFunctionGetGlobal(&TVMFFIByteArray::from_str(name), &mut out))?;
            if out.is_null() {
                crate::bail!(RUNTIME_ERROR, "Function {name} not found");
            }
            Ok(Self { data: ObjectArc::from_raw(out.cast()) })
        }
    }

    /// Makes a function global; `RuntimeError` when the name is taken.
    /// ```
    /// use tvm_ffi::Function;
    ///
    /// Function::register_global("doc.twice", Function::from_typed(|n: i64| 2 * n)).unwrap();
    /// let twice = Function::get_global("doc.twice").unwrap();
    /// assert_eq!(i64::try_from(twice.call_tuple((4_i64,)).unwrap()).unwrap(), 8);
    /// assert!(Function::register_global("doc.twice", twice).is_err());
    /// ```
    pub fn register_global(name: &str, function: Function) -> Result<()> {
        Self::set_global(name, function, false)
    }

    /// Makes a function global, in place of another one when `allow_override` says so.
    pub fn set_global(name: &str, function: Function, allow_override: bool) -> Result<()> {
        // SAFETY: the name outlives the call, which retains the function.
        unsafe {
            crate::check_safe_call!(TVMFFIFunctionSetGlobal(
                &TVMFFIByteArray::from_str(name),
                ObjectArc::as_raw(&function.data).cast_mut().cast(),
                i32::from(allow_override)
            ))?;
        }
        name_global(name, &function.data);
        Ok(())
    }

    /// Makes a name free again; a name that is not taken is accepted. Who has the function keeps it.
    /// ```
    /// use tvm_ffi::Function;
    ///
    /// Function::register_global("doc.brief", Function::from_typed(|| 1_i64)).unwrap();
    /// assert!(Function::global_names().unwrap().iter().any(|name| name == "doc.brief"));
    /// Function::remove_global("doc.brief").unwrap();
    /// assert!(Function::get_global("doc.brief").is_err());
    /// ```
    pub fn remove_global(name: &str) -> Result<()> {
        crate::cached_global_func!("ffi.FunctionRemoveGlobal").call_tuple((name,))?;
        forget_global(name);
        Ok(())
    }

    /// The names of all global functions.
    pub fn global_names() -> Result<Vec<crate::String>> {
        let list = crate::cached_global_func!("ffi.FunctionListGlobalNamesFunctor").call_packed(&[])?;
        let at = Function::try_from(list)?;
        let count: i64 = at.call_tuple((-1_i64,))?.try_into()?;
        (0..count).map(|i| at.call_tuple((i,))?.try_into()).collect()
    }

    /// The method `name` of a type or of its nearest ancestor that has it.
    pub fn from_type_method(type_index: i32, name: &str) -> Result<Self> {
        let Some(info) = type_info_of(type_index) else {
            crate::bail!(TYPE_ERROR, "Cannot find type info for type_index={type_index}");
        };
        let key = type_key_of(type_index);
        // SAFETY: the table's arrays are as long as their counts say and live as long as the process.
        unsafe {
            let ancestors =
                (0..info.type_depth as usize).rev().map(|depth| &**info.type_acenstors.add(depth));
            for owner in std::iter::once(info).chain(ancestors) {
                for i in 0..owner.num_methods as usize {
                    let method = &*owner.methods.add(i);
                    if method.name.as_bytes() == name.as_bytes() {
                        return AnyView::from_raw(method.method).try_as::<Function>().ok_or_else(|| {
                            let text = format!("Method `{name}` of type `{key}` is not a Function");
                            Error::new(TYPE_ERROR, &text, "")
                        });
                    }
                }
            }
        }
        crate::bail!(TYPE_ERROR, "Cannot find method `{name}` of type `{key}`")
    }

    /// As [`Self::from_type_method`], by type key.
    pub fn from_type_key_method(type_key: &str, name: &str) -> Result<Self> {
        let mut index = 0;
        // SAFETY: the key outlives the call.
        unsafe {
            crate::check_safe_call!(tvm_ffi_sys::TVMFFITypeKeyToIndex(
                &TVMFFIByteArray::from_str(type_key),
                &mut index
            ))?;
        }
        Self::from_type_method(index, name)
    }

    /// The type attribute `name` of a type, as a function.
    pub fn from_type_attr(type_index: i32, name: &str) -> Result<Self> {
        match crate::get_type_attr(type_index, name) {
            Some(value) => value.try_into(),
            None => {
                crate::bail!(TYPE_ERROR, "Cannot find type attribute {name} for type_index={type_index}")
            }
        }
    }

    /// Wraps a C function; `deleter` runs with `handle` when the function dies.
    ///
    /// # Safety
    /// `safe_call` must follow the safe-call convention with `handle`, from any thread.
    ///
    /// # Panics
    /// When there is no memory.
    pub unsafe fn from_extern_c(
        handle: *mut c_void,
        safe_call: TVMFFISafeCallType,
        deleter: Option<unsafe extern "C" fn(*mut c_void)>,
    ) -> Self {
        let mut out = std::ptr::null_mut();
        // SAFETY: the caller's promise.
        unsafe {
            let code = TVMFFIFunctionCreate(handle, safe_call, deleter, &mut out);
            assert_eq!(code, 0, "no memory for a function");
            Self { data: ObjectArc::from_raw(out.cast()) }
        }
    }

    /// Calls with views.
    #[inline]
    pub fn call_packed(&self, args: &[AnyView<'_>]) -> Result<Any> {
        let mut result = TVMFFIAny::new();
        // SAFETY: the views are live for the call; a view has the layout of a raw value; the slot starts as None.
        unsafe {
            let handle = ObjectArc::as_raw(&self.data).cast_mut().cast();
            let code =
                (self.data.cell.safe_call)(handle, args.as_ptr().cast(), args.len() as i32, &mut result);
            if code == 0 {
                Ok(Any::from_raw_ffi_any(result))
            } else {
                Err(Error::from_raised())
            }
        }
    }

    /// Calls with a tuple of arguments: `f.call_tuple((1, "text", &tensor))`.
    #[inline]
    pub fn call_tuple<T: IntoArgHolderTuple>(&self, args: T) -> Result<Any> {
        args.with_views(|views| self.call_packed(views))
    }

    /// As [`Self::call_tuple`], with the count spelled out.
    #[inline]
    pub fn call_tuple_with_len<const N: usize, T: IntoArgHolderTuple>(&self, args: T) -> Result<Any> {
        self.call_tuple(args)
    }
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ffi.Function@{:p}", ObjectArc::as_raw(&self.data))
    }
}
