// SPDX-License-Identifier: Apache-2.0
//! Derive macros of the crate `tvm-ffi`. Use them as `tvm_ffi::derive::{Object, ObjectRef}`.

mod object;
mod object_ref;

use proc_macro::TokenStream;

/// Implements `ObjectCore` for a `#[repr(C)]` struct whose first field is the parent object.
///
/// | attribute | meaning |
/// | --- | --- |
/// | `#[type_key = "x.Y"]` | the type key; required |
/// | `#[type_index(EXPR)]` | a static index |
/// | `#[type_register]` | the type is defined here: it is registered on first use |
/// | `#[type_child_slots = N]` | reserved child indices; needs `type_register` |
/// | `#[type_child_slots_can_overflow = BOOL]` | default true; needs `type_register` |
/// | `#[type_final]` | nothing derives from it |
///
/// Without an index and without `type_register` the key is looked up once; a key that no library registered panics.
#[proc_macro_derive(
    Object,
    attributes(
        type_key,
        type_index,
        type_register,
        type_child_slots,
        type_child_slots_can_overflow,
        type_final
    )
)]
pub fn derive_object(input: TokenStream) -> TokenStream {
    expand(input, object::expand)
}

/// Implements the traits of an object reference for a struct with one field of type `ObjectArc<T>`.
#[proc_macro_derive(ObjectRef, attributes(type_key, type_index))]
pub fn derive_object_ref(input: TokenStream) -> TokenStream {
    expand(input, object_ref::expand)
}

fn expand(
    input: TokenStream,
    with: fn(syn::DeriveInput) -> syn::Result<proc_macro2::TokenStream>,
) -> TokenStream {
    syn::parse(input).and_then(with).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Path of the crate `tvm-ffi` in generated code: `crate` inside itself.
fn crate_path() -> proc_macro2::TokenStream {
    let inside = std::env::var("CARGO_PKG_NAME").is_ok_and(|name| name == "tvm-ffi")
        && std::env::var("CARGO_CRATE_NAME").is_ok_and(|name| name == "tvm_ffi");
    if inside {
        quote::quote!(crate)
    } else {
        quote::quote!(::tvm_ffi)
    }
}
