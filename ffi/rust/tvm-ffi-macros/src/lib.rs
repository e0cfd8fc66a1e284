// SPDX-License-Identifier: Apache-2.0
//! Derive macros of the crate `tvm-ffi`. Use them as `tvm_ffi::derive::{Object, ObjectRef}`.

mod dispatch;
mod match_any;
mod object;
mod object_field;
mod object_places;
mod object_ref;
mod rs_class;

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
/// | `#[type_kind = "tree"]` | part in structural equality: `tree`, `const_tree`, `dag`, `var`, `unique`; needs `type_register` |
/// | `#[type_def(path)]` | a function that adds methods, a constructor, attributes; needs `type_register` |
/// | `#[type_creator = false]` | other languages make and copy no objects of it |
/// | `#[type_fields("x": i64 = 24, ..)]` | numbers of another library's type: reflected name, Rust type, offset |
/// | `#[type_exact]` | the struct has every field of another library's type; `#[type_field("x")]` on one gives its reflected name |
///
/// The last two are what `tvm-ffi-stubgen` writes. They are compared with the type table when the type is first used: a struct that
/// does not fit is a `TypeError` of every cast to it. A struct with `#[type_fields]` consists of its parent and of a
/// `reflection::Opaque`.
///
/// Fields marked `#[field]` are shown to other languages. When all are, these can make, copy, compare and serialise objects.
///
/// | option | meaning |
/// | --- | --- |
/// | `name = "x"` | another name |
/// | `default = EXPR`, `factory = FN` | what the constructor takes when no value is given |
/// | `writable` | others may write it; the type must be `FieldCell<T>` |
/// | `kw_only`, `init = false` | place in the constructor |
/// | `repr = false`, `compare = false`, `hash = false` | not printed, compared, hashed |
/// | `structural = "ignore"` | also `"def"` and `"def_simple"`: the field binds variables |
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
        type_final,
        type_kind,
        type_def,
        type_creator,
        type_fields,
        type_exact,
        type_field,
        field
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

/// Branches on the type of a value: `match_any!(value { Point(p) if p.x > 0 => .., String(text) => .., _ => .. })`.
///
/// The value is a reference to an object, an `Any` or an `AnyView`; it is evaluated once and borrowed. Arms are tried in order:
/// objects convert to the arm's type, plain values (numbers, short text, None) must be of it. Generic types are written
/// `Array::<i64>(items)`. The last arm must be `_`.
///
/// 20 arms and more without guards, each of a type that one index decides (final object types, `f64`, ..), go through a table that
/// is made once for each place of use.
#[proc_macro]
pub fn match_any(input: TokenStream) -> TokenStream {
    match_any::expand(&syn::parse_macro_input!(input as match_any::MatchAny)).into()
}

/// Makes a walker, visitor, mapper or mutator of the methods of an inherent `impl`, one for each type.
///
/// | mode | methods | implements | a handler returns |
/// | --- | --- | --- | --- |
/// | `walk` | `walk_*` | `WalkDispatch` | `WalkResult`, or a `Result` of it |
/// | `visit` | `visit_*` | `StructuralVisitor` | nothing, `Option<VisitInterrupt>`, or a `Result` of either |
/// | `map` | `map_*` | `MapDispatch` | a value, `Unchanged`, or a `Result` of either |
/// | `mutate` | `mutate_*` | `MutateDispatch` | as for `map` |
///
/// `dispatch(visit, policy = EXPR)` and `dispatch(mutate, policy = EXPR)` descend values that no handler takes by a `ContextPolicy`
/// or `MutContextPolicy`; the expression is evaluated each time and may read `self`.
///
/// A handler takes `&mut self`, the value, and perhaps a `DefRegionKind` (for `mutate`: `&mut Mutator`). The value is `&N` with an
/// object struct, a value type, for `mutate` also `MutateValue<'_, T>`, or `&StructuralView` for all values, which must come last. The
/// first that takes the value gets it.
#[proc_macro_attribute]
pub fn dispatch(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let arguments = syn::parse_macro_input!(arguments as dispatch::Arguments);
    syn::parse(item)
        .and_then(|item| dispatch::expand(&arguments, &item))
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// Defines a type in Rust that derives from another object type: the object struct `<Name>Obj`, its registration, the reference
/// type `Name` with `new`, and the upcast.
///
/// ```text
/// #[tvm_ffi::rs_class("my.Leaf", parent = Node)]
/// pub struct Leaf {
///     pub weight: f64,
/// }
/// let leaf = Leaf::new(NodeObj::new("name"), 0.5);
/// ```
///
/// The parent's object struct is `<Parent>Obj`, or what `parent_obj = Path` names. Fields take the options of `#[field(..)]`.
#[proc_macro_attribute]
pub fn rs_class(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let arguments = syn::parse_macro_input!(arguments as rs_class::Arguments);
    expand(item, |input| rs_class::expand(&arguments, &input))
}

fn expand(
    input: TokenStream,
    with: impl FnOnce(syn::DeriveInput) -> syn::Result<proc_macro2::TokenStream>,
) -> TokenStream {
    syn::parse(input).and_then(with).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Path of the crate `tvm-ffi` in generated code: under the name that the compiled package gives it, `crate` inside itself.
fn crate_path() -> proc_macro2::TokenStream {
    use proc_macro_crate::{crate_name, FoundCrate};
    match crate_name("tvm-ffi") {
        Ok(FoundCrate::Name(name)) => {
            let name = quote::format_ident!("{name}");
            quote::quote!(::#name)
        }
        // The package's tests, examples and code in documentation see it from outside.
        Ok(FoundCrate::Itself)
            if std::env::var("CARGO_CRATE_NAME").is_ok_and(|name| name == "tvm_ffi")
                && std::env::var_os("UNSTABLE_RUSTDOC_TEST_PATH").is_none() =>
        {
            quote::quote!(crate)
        }
        _ => quote::quote!(::tvm_ffi),
    }
}
