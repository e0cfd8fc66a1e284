// SPDX-License-Identifier: Apache-2.0
//! Macros at the root of the crate.

/// `TryFrom<Any>`, `TryFrom<AnyView>` and use as a closure's parameter for types that implement
/// [`AnyCompatible`](crate::AnyCompatible).
#[macro_export]
macro_rules! impl_try_from_any {
    ($($ty:ty),* $(,)?) => { $(
        impl ::core::convert::TryFrom<$crate::Any> for $ty {
            type Error = $crate::Error;
            #[inline]
            fn try_from(value: $crate::Any) -> ::core::result::Result<Self, $crate::Error> {
                $crate::any::TryFromTemp::<Self>::try_from(value).map($crate::any::TryFromTemp::into_value)
            }
        }
        impl ::core::convert::TryFrom<$crate::AnyView<'_>> for $ty {
            type Error = $crate::Error;
            #[inline]
            fn try_from(value: $crate::AnyView<'_>) -> ::core::result::Result<Self, $crate::Error> {
                $crate::any::TryFromTemp::<Self>::try_from(value).map($crate::any::TryFromTemp::into_value)
            }
        }
        $crate::impl_packed_arg!([] $ty);
    )* };
}

/// As [`impl_try_from_any!`], for a container with one or two element types.
#[macro_export]
macro_rules! impl_try_from_any_for_parametric {
    ($name:ident<$($param:ident),+>) => {
        impl<$($param: $crate::type_traits::ContainerElement + Clone),+>
            ::core::convert::TryFrom<$crate::Any> for $name<$($param),+>
        {
            type Error = $crate::Error;
            #[inline]
            fn try_from(value: $crate::Any) -> ::core::result::Result<Self, $crate::Error> {
                $crate::any::TryFromTemp::<Self>::try_from(value).map($crate::any::TryFromTemp::into_value)
            }
        }
        impl<$($param: $crate::type_traits::ContainerElement + Clone),+>
            ::core::convert::TryFrom<$crate::AnyView<'_>> for $name<$($param),+>
        {
            type Error = $crate::Error;
            #[inline]
            fn try_from(value: $crate::AnyView<'_>) -> ::core::result::Result<Self, $crate::Error> {
                $crate::any::TryFromTemp::<Self>::try_from(value).map($crate::any::TryFromTemp::into_value)
            }
        }
        $crate::impl_packed_arg!([$($param: $crate::type_traits::ContainerElement + Clone),+] $name<$($param),+>);
    };
}

/// A call passes these types, and references to them, as they are.
#[macro_export]
macro_rules! impl_into_arg_holder_default {
    ($($ty:ty),* $(,)?) => { $(
        impl $crate::function_internal::IntoArgHolder for $ty {
            type Target = $ty;
            #[inline]
            fn into_arg_holder(self) -> Self::Target { self }
        }
        impl<'a> $crate::function_internal::IntoArgHolder for &'a $ty {
            type Target = &'a $ty;
            #[inline]
            fn into_arg_holder(self) -> Self::Target { self }
        }
    )* };
}

/// A call can view these types, and references to them.
#[macro_export]
macro_rules! impl_arg_into_ref {
    ($($ty:ty),* $(,)?) => { $(
        impl $crate::function_internal::ArgIntoRef for $ty {
            #[inline]
            fn as_view(&self) -> $crate::AnyView<'_> { $crate::AnyView::from(self) }
        }
        impl $crate::function_internal::ArgIntoRef for &$ty {
            #[inline]
            fn as_view(&self) -> $crate::AnyView<'_> { $crate::AnyView::from(*self) }
        }
    )* };
}

/// Everything that makes an [`ObjectRefCore`](crate::ObjectRefCore) type a value: conversions, casts, use as an argument.
#[doc(hidden)]
#[macro_export]
macro_rules! impl_object_ref_any {
    ($ty:ty) => {
        // SAFETY: the payload is the object pointer; the strict check is the subtype test of the container.
        unsafe impl $crate::type_traits::AnyCompatible for $ty {
            const MATCH_ANY_EXACT: bool =
                <<$ty as $crate::object::ObjectRefCore>::ContainerType as $crate::object::ObjectCore>::TYPE_FINAL;
            const FIELD_KIND: $crate::type_traits::FieldKind = $crate::type_traits::FieldKind::Object(
                $crate::type_traits::object_field_index(
                    <<$ty as $crate::object::ObjectRefCore>::ContainerType as $crate::object::ObjectCore>::TYPE_KEY,
                ),
            );
            fn match_any_exact_type_index() -> i32 {
                <<$ty as $crate::object::ObjectRefCore>::ContainerType as $crate::object::ObjectCore>::type_index()
            }
            #[inline]
            unsafe fn copy_to_any_view(this: &Self, out: &mut $crate::TVMFFIAny) {
                let object = $crate::object::ObjectArc::as_raw($crate::object::ObjectRefCore::data(this));
                // SAFETY: a live object starts with its header.
                let index = unsafe { (*object.cast::<$crate::TVMFFIObject>()).type_index };
                $crate::type_traits::object_view(object.cast_mut().cast(), index, out);
            }
            #[inline]
            unsafe fn move_to_any(this: Self, out: &mut $crate::TVMFFIAny) {
                // SAFETY: the view takes over the reference that is forgotten here.
                unsafe { Self::copy_to_any_view(&this, out) };
                ::core::mem::forget(this);
            }
            #[inline]
            unsafe fn check_any_strict(value: &$crate::TVMFFIAny) -> bool {
                $crate::object::is_instance_of::<<$ty as $crate::object::ObjectRefCore>::ContainerType>(
                    value.type_index,
                )
            }
            #[inline]
            unsafe fn copy_from_any_view_after_check(value: &$crate::TVMFFIAny) -> Self {
                // SAFETY: a live object of the type; `retained_object` makes the reference that the result owns.
                unsafe {
                    let object = $crate::type_traits::retained_object(value);
                    <$ty as $crate::object::ObjectRefCore>::from_data($crate::object::ObjectArc::from_raw(
                        object.cast(),
                    ))
                }
            }
            #[inline]
            unsafe fn move_from_any_after_check(value: &mut $crate::TVMFFIAny) -> Self {
                // SAFETY: a live object of the type, whose reference moves.
                unsafe {
                    let taken = ::core::mem::take(value);
                    <$ty as $crate::object::ObjectRefCore>::from_data($crate::object::ObjectArc::from_raw(
                        taken.data_union.v_ptr.cast(),
                    ))
                }
            }
            #[inline]
            unsafe fn try_cast_from_any_view(
                value: &$crate::TVMFFIAny,
            ) -> ::core::result::Result<Self, ()> {
                // SAFETY: the copy follows a true check.
                unsafe {
                    if Self::check_any_strict(value) {
                        ::core::result::Result::Ok(Self::copy_from_any_view_after_check(value))
                    } else {
                        ::core::result::Result::Err(())
                    }
                }
            }
            unsafe fn cast_error(value: &$crate::TVMFFIAny, prefix: &str) -> $crate::Error {
                // SAFETY: the caller's promise.
                unsafe {
                    $crate::object::cast_error::<<$ty as $crate::object::ObjectRefCore>::ContainerType>(
                        value, prefix,
                    )
                }
            }
            fn type_str() -> ::std::string::String {
                ::std::string::String::from(
                    <<$ty as $crate::object::ObjectRefCore>::ContainerType as $crate::object::ObjectCore>::TYPE_KEY,
                )
            }
        }

        impl ::core::convert::From<&$ty> for $ty {
            fn from(value: &$ty) -> Self {
                ::core::clone::Clone::clone(value)
            }
        }

        $crate::impl_try_from_any!($ty);
        $crate::impl_arg_into_ref!($ty);
        $crate::impl_into_arg_holder_default!($ty);
    };
}

/// `From` between reference types along `Source => Ancestor`.
///
/// # Panics
/// A conversion of a pair that is none, when the object is not of the target's type.
#[macro_export]
macro_rules! impl_object_upcast {
    ($($source:ty => $target:ty),* $(,)?) => { $(
        impl ::core::convert::From<$source> for $target {
            fn from(value: $source) -> Self {
                $crate::object::upcast(value)
            }
        }
        impl ::core::convert::From<&$source> for $target {
            fn from(value: &$source) -> Self {
                <$target>::from(::core::clone::Clone::clone(value))
            }
        }
    )* };
}

/// `Ok(())` for 0, else `Err` with the error that the C function raised.
#[macro_export]
macro_rules! check_safe_call {
    ($call:expr) => {{
        if $call == 0 {
            ::core::result::Result::Ok(())
        } else {
            ::core::result::Result::Err($crate::Error::from_raised())
        }
    }};
}

/// Path of the enclosing function.
#[macro_export]
macro_rules! function_name {
    () => {{
        fn here() {}
        let name = ::core::any::type_name_of_val(&here);
        name.strip_suffix("::here").unwrap_or(name).trim_end_matches("::{{closure}}")
    }};
}

/// Returns `Err` with a kind, a formatted message and this place as its backtrace.
#[macro_export]
macro_rules! bail {
    ($kind:expr, $($format:tt)+) => {
        return ::core::result::Result::Err($crate::Error::new(
            $kind,
            &::std::format!($($format)+),
            &::std::format!("  File \"{}\", line {}, in {}\n", file!(), line!(), $crate::function_name!()),
        ))
    };
}

/// [`bail!`] unless the condition holds.
#[macro_export]
macro_rules! ensure {
    ($condition:expr, $kind:expr, $($format:tt)+) => {
        if !$condition {
            $crate::bail!($kind, $($format)+);
        }
    };
}

/// Adds this place to the backtrace of a result's error.
/// ```
/// use tvm_ffi::{attach_context, bail, Result, RUNTIME_ERROR};
///
/// fn inner() -> Result<()> {
///     bail!(RUNTIME_ERROR, "lost")
/// }
/// fn outer() -> Result<()> {
///     attach_context!(inner())
/// }
/// let error = outer().unwrap_err();
/// assert_eq!(error.backtrace().lines().count(), 2);
/// ```
#[macro_export]
macro_rules! attach_context {
    ($result:expr) => {
        $result.map_err(|error| {
            let line =
                ::std::format!("  File \"{}\", line {}, in {}\n", file!(), line!(), $crate::function_name!());
            $crate::Error::with_appended_backtrace(error, &line)
        })
    };
}

/// The global function of a name, looked up once for each place of use.
///
/// # Panics
/// When it is not registered.
/// ```
/// use tvm_ffi::{cached_global_func, Array};
///
/// let array = Array::new(vec![1_i64, 2]);
/// let size = cached_global_func!("ffi.ArraySize").call_tuple((&array,)).unwrap();
/// assert_eq!(size.try_as::<i64>(), Some(2));
/// ```
#[macro_export]
macro_rules! cached_global_func {
    ($name:expr) => {{
        static FUNCTION: ::std::sync::LazyLock<$crate::Function> = ::std::sync::LazyLock::new(|| {
            $crate::Function::get_global($name)
                .unwrap_or_else(|_| panic!("global function `{}` is not registered", $name))
        });
        &*FUNCTION
    }};
}

/// A Rust closure with typed arguments that calls an FFI function: `into_typed_fn!(f, Fn(i64, &Tensor) -> Result<i64>)`.
/// ```
/// use tvm_ffi::{into_typed_fn, Function};
///
/// let add = Function::from_typed(|a: i64, b: i64| a + b);
/// let add = into_typed_fn!(add, Fn(i64, i64) -> Result<i64>);
/// assert_eq!(add(1, 2).unwrap(), 3);
/// ```
#[macro_export]
macro_rules! into_typed_fn {
    ($function:expr, $word:ident($($ty:ty),* $(,)?) -> Result<$ret:ty>) => {
        $crate::into_typed_fn!(@name $function, $ret, [a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11] [] $($ty,)*)
    };
    (@name $function:expr, $ret:ty, [$($rest:ident)*] [$($arg:ident : $ty:ty,)*]) => {{
        let function = $function;
        move |$($arg: $ty),*| -> $crate::Result<$ret> {
            function.call_tuple(($($arg,)*))?.try_into()
        }
    }};
    (@name $function:expr, $ret:ty, [$next:ident $($rest:ident)*] [$($done:tt)*] $ty:ty, $($more:ty,)*) => {
        $crate::into_typed_fn!(@name $function, $ret, [$($rest)*] [$($done)* $next: $ty,] $($more,)*)
    };
}

/// Exports a Rust function from a `cdylib` as `__tvm_ffi_<name>`, for `load_module` in any language, together with its signature
/// and, when a third argument gives one, its documentation.
///
/// Panics become errors; wrong counts and types raise with the argument's number.
///
/// ```
/// fn add_one(x: i64) -> tvm_ffi::Result<i64> {
///     Ok(x + 1)
/// }
/// tvm_ffi::tvm_ffi_dll_export_typed_func!(add_one, add_one, "Adds one.");
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! tvm_ffi_dll_export_typed_func {
    ($name:ident, $function:expr $(,)?) => {
        $crate::function_internal::export_symbol!(concat!("__tvm_ffi_", stringify!($name)), |views| {
            $crate::function_internal::call_packed_callable(&$function, stringify!($name), views)
        });
        $crate::function_internal::export_symbol!(
            concat!("__tvm_ffi__metadata_", stringify!($name)),
            |_views| ::core::result::Result::Ok($crate::Any::from($crate::function_internal::metadata_of(
                &$function
            )))
        );
    };
    ($name:ident, $function:expr, $doc:expr $(,)?) => {
        $crate::tvm_ffi_dll_export_typed_func!($name, $function);
        $crate::function_internal::export_symbol!(concat!("__tvm_ffi__doc_", stringify!($name)), |_views| {
            ::core::result::Result::Ok($crate::Any::from($crate::String::from($doc)))
        });
    };
}

/// Runs registrations when the library or program that contains them is loaded, as C++ static initialisers do:
/// `register_on_load!(PointObj, LineObj)` registers types, `register_on_load!(fn: register)` calls a function that returns
/// `tvm_ffi::Result<()>`.
///
/// A failure is printed, for lack of a caller who could take it. On systems other than Linux and macOS call
/// `PointObj::type_index()` yourself.
#[macro_export]
macro_rules! register_on_load {
    (fn: $function:path) => {
        const _: () = {
            extern "C" fn on_load() {
                $crate::function_internal::run_on_load(|| $function());
            }
            #[used]
            #[cfg_attr(target_os = "linux", link_section = ".init_array")]
            #[cfg_attr(target_os = "macos", link_section = "__DATA,__mod_init_func")]
            static ON_LOAD: extern "C" fn() = on_load;
        };
    };
    ($($object:ty),+ $(,)?) => {
        const _: () = {
            fn register() -> $crate::error::Result<()> {
                $( <$object as $crate::ObjectCore>::type_index(); )+
                ::core::result::Result::Ok(())
            }
            $crate::register_on_load!(fn: register);
        };
    };
}
