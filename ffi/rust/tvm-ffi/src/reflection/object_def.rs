// SPDX-License-Identifier: Apache-2.0
//! Registration of types that are defined in Rust: fields, methods, constructors, attributes.

use super::field_value::{none_for_error, FieldValue, ShallowCopy, UnsafeInit};
use crate::error::{Error, Result, TYPE_ERROR, VALUE_ERROR};
use crate::function_internal::{panic_to_error, AsPackedCallable, Callee};
use crate::object::{delete, type_info_of, type_key_of, ObjectArc, ObjectCore};
use crate::thread_mark::ThreadMark;
use crate::type_traits::FieldKind;
use crate::{Any, AnyView, Function};
use std::alloc::{alloc_zeroed, dealloc, Layout};
use std::ffi::c_void;
use std::marker::PhantomData;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Condvar, Mutex};
use tvm_ffi_sys::{
    TVMFFIAny, TVMFFIByteArray, TVMFFIFieldFlagBitMask as Flag, TVMFFIFieldInfo, TVMFFIMethodInfo,
    TVMFFIObject, TVMFFIObjectHandle, TVMFFITypeMetadata, TVMFFITypeRegisterAttr, TVMFFITypeRegisterField,
    TVMFFITypeRegisterMetadata, TVMFFITypeRegisterMethod, COMBINED_REF_COUNT_BOTH_ONE,
};

/// How a type takes part in structural equality and hashing.
pub use tvm_ffi_sys::TVMFFISEqHashKind as StructuralKind;

/// Options of a field, as `#[field(..)]` writes them.
#[doc(hidden)]
#[derive(Default)]
pub struct FieldOptions {
    pub doc: &'static str,
    pub flags: i64,
    pub default: Option<Any>,
}

/// Bits of `FieldOptions::flags`, for generated code.
#[doc(hidden)]
pub mod flags {
    use super::Flag;
    pub const STRUCTURAL_IGNORE: i64 = Flag::kTVMFFIFieldFlagBitMaskSEqHashIgnore as i64;
    pub const DEF_PATTERN: i64 = Flag::kTVMFFIFieldFlagBitMaskSEqHashDefPattern as i64;
    pub const DEF_SIMPLE: i64 = Flag::kTVMFFIFieldFlagBitMaskSEqHashDefSimple as i64;
    pub const FACTORY: i64 = Flag::kTVMFFIFieldFlagBitMaskDefaultFromFactory as i64;
    pub const NO_REPR: i64 = Flag::kTVMFFIFieldFlagBitMaskReprOff as i64;
    pub const NO_COMPARE: i64 = Flag::kTVMFFIFieldFlagBitMaskCompareOff as i64;
    pub const NO_HASH: i64 = Flag::kTVMFFIFieldFlagBitMaskHashOff as i64;
    pub const NO_INIT: i64 = Flag::kTVMFFIFieldFlagBitMaskInitOff as i64;
    pub const KW_ONLY: i64 = Flag::kTVMFFIFieldFlagBitMaskKwOnly as i64;
}

/// A lock that its holder may take again: a type's registration may use the type and others.
struct Registration {
    owner: Mutex<Option<Holder>>,
    released: Condvar,
}

/// The thread that registers, and the types that it has begun, the innermost last.
struct Holder {
    thread: ThreadMark,
    begun: Vec<i32>,
}

/// What is known of a type when its registration begins.
#[derive(PartialEq)]
enum Begun {
    ByNobody,
    ByThisThread,
}

static REGISTRATION: Registration = Registration { owner: Mutex::new(None), released: Condvar::new() };

impl Registration {
    fn begin(&'static self, index: i32) -> (Begun, impl Drop) {
        struct Guard(&'static Registration);
        impl Drop for Guard {
            fn drop(&mut self) {
                let mut owner = self.0.owner.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                let holder = owner.as_mut().expect("the guard's thread holds the lock");
                holder.begun.pop();
                if holder.begun.is_empty() {
                    *owner = None;
                    self.0.released.notify_one();
                }
            }
        }
        let thread = ThreadMark::here();
        let mut owner = self.owner.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        while owner.as_ref().is_some_and(|holder| holder.thread != thread) {
            owner = self.released.wait(owner).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        let holder = owner.get_or_insert_with(|| Holder { thread, begun: Vec::new() });
        let begun = if holder.begun.contains(&index) { Begun::ByThisThread } else { Begun::ByNobody };
        holder.begun.push(index);
        (begun, Guard(self))
    }
}

/// Describes a type to the other languages while it is registered. `#[type_def(path)]` names a function that gets one.
/// ```
/// use tvm_ffi::reflection::ObjectDef;
/// use tvm_ffi::{rs_class, Function, ObjectCore, Result};
///
/// #[rs_class("doc.Square", def = define)]
/// struct Square {
///     side: f64,
/// }
///
/// fn define(def: &mut ObjectDef<SquareObj>) -> Result<()> {
///     def.method("area", "Side times side.", |square: &Square| square.side * square.side)?;
///     def.static_method("unit", "A square of side 1.", || Square::new(1.0))?;
///     Ok(())
/// }
///
/// # fn main() -> Result<()> {
/// let area = Function::from_type_method(SquareObj::type_index(), "area")?;
/// assert_eq!(f64::try_from(area.call_tuple((Square::new(3.0),))?)?, 9.0);
/// # Ok(())
/// # }
/// ```
pub struct ObjectDef<T: ObjectCore> {
    index: i32,
    has_init: bool,
    marker: PhantomData<T>,
}

/// Runs a part of a C entry: errors and panics are raised.
fn guarded(body: impl FnOnce() -> Result<()>) -> i32 {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => 0,
        Ok(Err(error)) => none_for_error(error),
        Err(payload) => none_for_error(panic_to_error(payload)),
    }
}

unsafe extern "C" fn get_field<F: FieldValue>(field: *mut c_void, out: *mut TVMFFIAny) -> i32 {
    guarded(|| {
        // SAFETY: the table calls with a field of an object of the type; `out` is overwritten.
        unsafe { *out = Any::into_raw_ffi_any(F::read(field.cast())) };
        Ok(())
    })
}

unsafe extern "C" fn set_field<F: FieldValue>(field: *mut c_void, value: *const TVMFFIAny) -> i32 {
    // SAFETY: as in `get_field`; `value` is a live view.
    guarded(|| unsafe { F::write(field.cast(), &AnyView::from_raw(*value)) })
}

unsafe extern "C" fn delete_partial<T: ObjectCore + UnsafeInit>(handle: *mut c_void, flags: i32) {
    // SAFETY: the strong count is zero; fields are valid or zero; allocated in `create_partial` with this layout.
    unsafe {
        delete(
            handle,
            flags,
            T::TYPE_KEY,
            || T::drop_defined_fields(handle.cast::<T>()),
            || dealloc(handle.cast(), Layout::new::<T>()),
        )
    }
}

/// Makes an object of zeros, whose fields reflection fills in.
unsafe extern "C" fn create_partial<T: ObjectCore + UnsafeInit>(out: *mut TVMFFIObjectHandle) -> i32 {
    guarded(|| {
        let layout = Layout::new::<T>();
        // SAFETY: not empty; the header is written before the object is known to anybody.
        unsafe {
            let object = alloc_zeroed(layout).cast::<TVMFFIObject>();
            if object.is_null() {
                std::alloc::handle_alloc_error(layout);
            }
            *(*object).combined_ref_count.get_mut() = COMBINED_REF_COUNT_BOTH_ONE;
            (*object).type_index = T::type_index();
            (*object).deleter = Some(delete_partial::<T>);
            *out = object.cast();
        }
        Ok(())
    })
}

/// The fields of an object that another language hands over for a copy, checked for holes.
fn copy_object<T: ObjectCore + ShallowCopy + UnsafeInit>(args: &[AnyView<'_>]) -> Result<Any> {
    let key = T::TYPE_KEY;
    let [value] = args else {
        crate::bail!(TYPE_ERROR, "the copy of `{key}` takes one argument, got {}", args.len());
    };
    if value.type_index() != T::type_index() {
        crate::bail!(TYPE_ERROR, "Cannot convert from type `{}` to `{key}`", type_key_of(value.type_index()));
    }
    // SAFETY: an object of exactly this type.
    unsafe {
        let object = value.raw().data_union.v_obj.cast::<T>();
        if let Some(field) = T::undefined_field(object) {
            crate::bail!(VALUE_ERROR, "field `{field}` of a `{key}` object is not set");
        }
        let copy = ObjectArc::into_raw(ObjectArc::new((*object).shallow_copy()));
        let mut raw = TVMFFIAny::new();
        crate::type_traits::object_view(copy.cast_mut().cast(), T::type_index(), &mut raw);
        Ok(Any::from_raw_ffi_any(raw))
    }
}

impl<T: ObjectCore> ObjectDef<T> {
    /// Registers the parts of a new type. Does nothing when the type has its metadata already: another library of the same crate
    /// registered it. False while an outer call of this thread is at it, so other threads must not be told of the type yet.
    ///
    /// # Panics
    /// When a part is refused; the message says why.
    #[doc(hidden)]
    pub fn define(
        index: i32,
        doc: &str,
        kind: StructuralKind,
        creator: Option<tvm_ffi_sys::TVMFFIObjectCreator>,
        parts: impl FnOnce(&mut Self) -> Result<()>,
    ) -> bool {
        let (begun, _registration) = REGISTRATION.begin(index);
        if begun == Begun::ByThisThread {
            return false;
        }
        let Some(info) = type_info_of(index) else { panic!("type_index={index} is not in the type table") };
        // SAFETY: null or the table's metadata.
        if let Some(known) = unsafe { info.metadata.as_ref() } {
            assert_eq!(
                known.total_size as usize,
                size_of::<T>(),
                "`{}` is registered with another size: two versions of its crate are loaded",
                T::TYPE_KEY
            );
            return true;
        }
        let mut def = Self { index, has_init: false, marker: PhantomData };
        let done = def.describe(doc, kind, creator).and_then(|()| parts(&mut def));
        let done = done.and_then(|()| def.finish(creator.is_some()));
        done.unwrap_or_else(|error| panic!("cannot register `{}`: {}", T::TYPE_KEY, error.message()));
        true
    }

    fn describe(
        &self,
        doc: &str,
        kind: StructuralKind,
        creator: Option<tvm_ffi_sys::TVMFFIObjectCreator>,
    ) -> Result<()> {
        // SAFETY: the texts outlive the call, which copies them.
        unsafe {
            let metadata = TVMFFITypeMetadata {
                doc: TVMFFIByteArray::from_str(doc),
                creator,
                total_size: size_of::<T>() as i32,
                structural_eq_hash_kind: kind as i32,
            };
            crate::check_safe_call!(TVMFFITypeRegisterMetadata(self.index, &metadata))
        }
    }

    fn finish(&mut self, has_creator: bool) -> Result<()> {
        if has_creator {
            let index = self.index;
            let make = Function::from_packed(move |_| {
                let creator = type_info_of(index)
                    // SAFETY: the table's metadata.
                    .and_then(|info| unsafe { info.metadata.as_ref() })
                    .and_then(|metadata| metadata.creator);
                let Some(creator) = creator else {
                    crate::bail!(TYPE_ERROR, "`{}` has no creator", T::TYPE_KEY);
                };
                let mut out = std::ptr::null_mut();
                // SAFETY: the creator writes an owned object.
                unsafe {
                    crate::check_safe_call!(creator(&mut out))?;
                    let mut raw = TVMFFIAny::new();
                    crate::type_traits::object_view(out, index, &mut raw);
                    Ok(Any::from_raw_ffi_any(raw))
                }
            });
            self.attr("__ffi_new__", make)?;
            if !self.has_init {
                Function::get_global("ffi._RegisterFFIInit")?.call_tuple((self.index,))?;
            }
        }
        self.attr("__ffi_type_final__", T::TYPE_FINAL)
    }

    /// The creator of objects whose fields all are reflected.
    #[doc(hidden)]
    pub fn creator() -> Option<tvm_ffi_sys::TVMFFIObjectCreator>
    where
        T: UnsafeInit,
    {
        Some(create_partial::<T>)
    }

    /// Lets other languages copy objects of the type.
    #[doc(hidden)]
    pub fn copyable(&mut self) -> Result<()>
    where
        T: ShallowCopy + UnsafeInit,
    {
        self.attr("__ffi_shallow_copy__", Function::from_packed(copy_object::<T>))
    }

    /// Adds a field.
    #[doc(hidden)]
    pub fn field<F: FieldValue>(&mut self, name: &str, offset: usize, options: FieldOptions) -> Result<()> {
        let hint = match F::KIND {
            FieldKind::Plain(index) | FieldKind::Object(index) => index,
            FieldKind::Cell => -1,
            FieldKind::Unsupported => {
                crate::bail!(TYPE_ERROR, "field `{name}` has no layout that other languages know")
            }
        };
        let metadata = schema_metadata(&F::schema());
        let mut flags = options.flags;
        if F::WRITABLE {
            flags |= Flag::kTVMFFIFieldFlagBitMaskWritable as i64;
        }
        let default = match &options.default {
            Some(value) => {
                flags |= Flag::kTVMFFIFieldFlagBitMaskHasDefault as i64;
                *value.raw()
            }
            None => TVMFFIAny::new(),
        };
        // SAFETY: the texts and the default outlive the call, which copies and retains them.
        unsafe {
            let info = TVMFFIFieldInfo {
                name: TVMFFIByteArray::from_str(name),
                doc: TVMFFIByteArray::from_str(options.doc),
                metadata: TVMFFIByteArray::from_str(&metadata),
                flags,
                size: size_of::<F>() as i64,
                alignment: align_of::<F>() as i64,
                offset: offset as i64,
                getter: Some(get_field::<F>),
                setter: set_field::<F> as *mut c_void,
                default_value_or_factory: default,
                field_static_type_index: hint,
            };
            crate::check_safe_call!(TVMFFITypeRegisterField(self.index, &info))
        }
    }

    fn add_method(
        &mut self,
        name: &str,
        doc: &str,
        schema: &str,
        is_static: bool,
        function: &Function,
    ) -> Result<()> {
        let metadata = schema_metadata(schema);
        let view = AnyView::from(function);
        // SAFETY: the texts and the function outlive the call, which copies and retains them.
        unsafe {
            let info = TVMFFIMethodInfo {
                name: TVMFFIByteArray::from_str(name),
                doc: TVMFFIByteArray::from_str(doc),
                metadata: TVMFFIByteArray::from_str(&metadata),
                flags: if is_static { Flag::kTVMFFIFieldFlagBitMaskIsStaticMethod as i64 } else { 0 },
                method: *view.raw(),
            };
            crate::check_safe_call!(TVMFFITypeRegisterMethod(self.index, &info))
        }
    }

    /// The function of a closure, which says its name when an argument is wrong.
    fn named<I, O, F>(&self, name: &str, closure: F) -> Function
    where
        F: AsPackedCallable<I, O> + Send + Sync + 'static,
        I: 'static,
        O: 'static,
    {
        let name = format!("{}.{name}", T::TYPE_KEY);
        Function::from_packed(move |args| closure.call_named(Callee::Named(&name), args))
    }

    /// Adds a method: a closure whose first parameter is the reference type.
    pub fn method<I, O, F>(&mut self, name: &str, doc: &str, closure: F) -> Result<&mut Self>
    where
        F: AsPackedCallable<I, O> + Send + Sync + 'static,
        I: 'static,
        O: 'static,
    {
        self.add_method(name, doc, &F::type_schema(), false, &self.named(name, closure))?;
        Ok(self)
    }

    /// Adds a function that is called on the type.
    pub fn static_method<I, O, F>(&mut self, name: &str, doc: &str, closure: F) -> Result<&mut Self>
    where
        F: AsPackedCallable<I, O> + Send + Sync + 'static,
        I: 'static,
        O: 'static,
    {
        self.add_method(name, doc, &F::type_schema(), true, &self.named(name, closure))?;
        Ok(self)
    }

    /// Sets the constructor: a closure that returns a new object. Without one, a type whose fields all are reflected gets a
    /// constructor that takes the fields.
    pub fn init<I, O, F>(&mut self, closure: F) -> Result<&mut Self>
    where
        F: AsPackedCallable<I, O> + Send + Sync + 'static,
        I: 'static,
        O: 'static,
    {
        let function = self.named("__ffi_init__", closure);
        self.add_method("__ffi_init__", "", &F::type_schema(), true, &function)?;
        self.attr("__ffi_init__", function)?;
        self.has_init = true;
        Ok(self)
    }

    /// Sets a type attribute, such as `__ffi_repr__`.
    pub fn attr(&mut self, name: &str, value: impl Into<Any>) -> Result<()> {
        register_type_attr(self.index, name, value)
    }
}

/// Sets an attribute of a type; `RuntimeError` when it has one.
pub fn register_type_attr(type_index: i32, name: &str, value: impl Into<Any>) -> Result<()> {
    if type_info_of(type_index).is_none() {
        crate::bail!(TYPE_ERROR, "Cannot find type info for type_index={type_index}");
    }
    let value = value.into();
    // SAFETY: the name and the value outlive the call, which copies and retains them.
    unsafe {
        crate::check_safe_call!(TVMFFITypeRegisterAttr(
            type_index,
            &TVMFFIByteArray::from_str(name),
            value.raw()
        ))
    }
}

/// The metadata text of a field, method or function of a type.
#[doc(hidden)]
pub fn schema_metadata(schema: &str) -> String {
    let escaped = schema.replace('\\', "\\\\").replace('"', "\\\"");
    format!(r#"{{"type_schema":"{escaped}"}}"#)
}

/// A default value for `#[field(default = ..)]`, converted to the field's type where it is written.
#[doc(hidden)]
pub fn default_of<F: FieldValue>(value: F) -> Option<Any> {
    Some(value.into_any())
}

/// A factory for `#[field(factory = ..)]`.
#[doc(hidden)]
pub fn factory_of<V: Into<Any>>(make: impl Fn() -> V + Send + Sync + 'static) -> Option<Any> {
    Some(Any::from(Function::from_packed(move |_| Ok::<Any, Error>(make().into()))))
}
