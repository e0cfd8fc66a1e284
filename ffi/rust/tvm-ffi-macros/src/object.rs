// SPDX-License-Identifier: Apache-2.0
//! `#[derive(Object)]`.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::punctuated::Punctuated;
use syn::{Attribute, Data, DeriveInput, Error, Expr, ExprLit, Fields, Lit, Meta, Result};

/// The attributes of the struct, checked one by one.
#[derive(Default)]
struct Attributes {
    key: Option<String>,
    index: Option<TokenStream>,
    register: bool,
    child_slots: Option<u32>,
    can_overflow: Option<bool>,
    is_final: bool,
    repr_c: bool,
    kind: Option<String>,
    define: Option<Expr>,
    no_creator: bool,
    places: Vec<crate::object_places::Place>,
    exact: bool,
}

fn literal(attribute: &Attribute) -> Option<&Lit> {
    match &attribute.meta {
        Meta::NameValue(pair) => match &pair.value {
            Expr::Lit(ExprLit { lit, .. }) => Some(lit),
            _ => None,
        },
        _ => None,
    }
}

fn parse_attributes(attributes: &[Attribute]) -> Result<Attributes> {
    let mut out = Attributes::default();
    for attribute in attributes {
        let fail = |text: &str| Err(Error::new_spanned(attribute, text));
        let is_word = matches!(attribute.meta, Meta::Path(_));
        if attribute.path().is_ident("type_key") {
            match literal(attribute) {
                Some(Lit::Str(text)) => out.key = Some(text.value()),
                _ => return fail("Expect #[type_key = \"<my_type_key>\"] attribute"),
            }
        } else if attribute.path().is_ident("type_index") {
            out.index = Some(attribute.parse_args::<Expr>().map(|expr| quote!(#expr))?);
        } else if attribute.path().is_ident("type_register") {
            if !is_word {
                return fail("Expect #[type_register] attribute");
            }
            out.register = true;
        } else if attribute.path().is_ident("type_final") {
            if !is_word {
                return fail("Expect #[type_final] attribute");
            }
            out.is_final = true;
        } else if attribute.path().is_ident("type_child_slots") {
            match literal(attribute) {
                Some(Lit::Int(number)) => out.child_slots = Some(number.base10_parse()?),
                _ => return fail("Expect #[type_child_slots = <non-negative integer>]"),
            }
        } else if attribute.path().is_ident("type_child_slots_can_overflow") {
            match literal(attribute) {
                Some(Lit::Bool(value)) => out.can_overflow = Some(value.value),
                _ => return fail("Expect #[type_child_slots_can_overflow = <bool>]"),
            }
        } else if attribute.path().is_ident("type_kind") {
            match literal(attribute) {
                Some(Lit::Str(text)) => out.kind = Some(text.value()),
                _ => return fail("Expect #[type_kind = \"tree\"]"),
            }
        } else if attribute.path().is_ident("type_creator") {
            match literal(attribute) {
                Some(Lit::Bool(value)) => out.no_creator = !value.value,
                _ => return fail("Expect #[type_creator = <bool>]"),
            }
        } else if attribute.path().is_ident("type_def") {
            out.define = Some(attribute.parse_args()?);
        } else if attribute.path().is_ident("type_fields") {
            let parse = Punctuated::<crate::object_places::Place, syn::Token![,]>::parse_terminated;
            out.places.extend(attribute.parse_args_with(parse)?);
        } else if attribute.path().is_ident("type_exact") {
            if !is_word {
                return fail("Expect #[type_exact] attribute");
            }
            out.exact = true;
        } else if attribute.path().is_ident("repr") {
            attribute.parse_nested_meta(|meta| {
                out.repr_c |= meta.path.is_ident("C");
                Ok(())
            })?;
        }
    }
    let here = Span::call_site();
    if out.is_final && out.child_slots.is_some_and(|slots| slots > 0) {
        return Err(Error::new(here, "a final object type cannot reserve child slots"));
    }
    if (out.child_slots.is_some() || out.can_overflow.is_some()) && !out.register {
        return Err(Error::new(
            here,
            "#[type_child_slots] and #[type_child_slots_can_overflow] need #[type_register]",
        ));
    }
    if (out.exact || !out.places.is_empty()) && (out.register || out.index.is_some()) {
        return Err(Error::new(here, "#[type_fields] and #[type_exact] are for types of other libraries"));
    }
    if out.exact && !out.places.is_empty() {
        return Err(Error::new(here, "#[type_exact] has all fields in the struct, #[type_fields] has none"));
    }
    if !out.repr_c {
        return Err(Error::new(here, "an object struct needs #[repr(C)]: its layout is shared"));
    }
    Ok(out)
}

pub fn expand(input: DeriveInput) -> Result<TokenStream> {
    let krate = crate::crate_path();
    let name = &input.ident;
    if !input.generics.params.is_empty() {
        return Err(Error::new_spanned(&input.generics, "an object struct cannot be generic"));
    }
    let attributes = parse_attributes(&input.attrs)?;
    let Some(key) = attributes.key else {
        return Err(Error::new_spanned(name, "Expect #[type_key = \"<my_type_key>\"] attribute"));
    };
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(name, "derive only works for structs"));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Error::new_spanned(name, "First field must be `<base_name>: <ObjectCoreType>`"));
    };
    let Some(parent_field) = fields.named.first() else {
        return Err(Error::new_spanned(name, "First field must be `<base_name>: <ObjectCoreType>`"));
    };
    let parent_name = &parent_field.ident;
    let parent = &parent_field.ty;
    let is_final = attributes.is_final;

    let mut registrations = Vec::new();
    let mut reflected = Vec::new();
    for field in fields.named.iter().skip(1) {
        if let Some(call) = crate::object_field::registration(&krate, name, field)? {
            registrations.push(call);
            reflected.push(field);
        }
    }
    let describes = !registrations.is_empty() || attributes.kind.is_some() || attributes.define.is_some();
    if describes && !attributes.register {
        return Err(Error::new_spanned(name, "#[field], #[type_kind] and #[type_def] need #[type_register]"));
    }
    let complete = describes && reflected.len() + 1 == fields.named.len() && !attributes.no_creator;
    let partial =
        if complete { partial_init(&krate, name, parent, parent_name, &reflected) } else { quote!() };
    let describe = if describes {
        let doc = crate::object_field::doc_of(&input.attrs);
        let kind = structural_kind(&krate, name, attributes.kind.as_deref())?;
        let creator = if complete {
            quote!(#krate::reflection::ObjectDef::<#name>::creator())
        } else {
            quote!(::core::option::Option::None)
        };
        let copyable = complete.then(|| quote!(def.copyable()?;));
        let define = attributes.define.map(|path| quote!((#path)(def)?;));
        quote! {
            let whole = #krate::reflection::ObjectDef::<#name>::define(index, #doc, #kind, #creator, |def| {
                #(#registrations)*
                #copyable
                #define
                ::core::result::Result::Ok(())
            });
        }
    } else {
        quote!(let whole = true;)
    };
    let foreign = attributes.index.is_none() && !attributes.register;
    let places = if attributes.exact {
        crate::object_places::of_struct(&krate, name, &fields.named)?
    } else if attributes.places.is_empty() {
        crate::object_places::Declared::default()
    } else {
        crate::object_places::declared(&krate, name, &fields.named, &attributes.places)?
    };
    let (listed, opaque_check) = (places.listed, places.check);
    let check = if foreign {
        let size = if attributes.exact {
            quote!(::core::option::Option::Some(::core::mem::size_of::<#name>()))
        } else {
            quote!(::core::option::Option::None)
        };
        quote! {
            #listed
            fn layout_mismatch() -> ::core::option::Option<::std::string::String> {
                #krate::object::find_mismatch::<#name, #parent>(#size)
            }
            fn check_allocation() {
                static CHECKED: ::std::sync::Once = ::std::sync::Once::new();
                if !CHECKED.is_completed() {
                    #krate::object::check_native_size::<#name>();
                    CHECKED.call_once(|| ());
                }
            }
        }
    } else if attributes.index.is_some() {
        quote! {
            fn layout_mismatch() -> ::core::option::Option<::std::string::String> {
                <#parent as #krate::object::ObjectCore>::layout_mismatch()
            }
        }
    } else {
        quote!()
    };

    let index = if let Some(index) = attributes.index {
        quote! {
            if <#parent as #krate::object::ObjectCore>::TYPE_DEPTH == 0 {
                return #index;
            }
            static INDEX: #krate::object::CachedTypeIndex = #krate::object::CachedTypeIndex::new();
            INDEX.get_or_find(|| match <#name as #krate::object::ObjectCore>::layout_mismatch() {
                ::core::option::Option::None => (#index, true),
                ::core::option::Option::Some(_) => (#krate::object::NO_TYPE, false),
            })
        }
    } else {
        let slots = attributes.child_slots.unwrap_or(0) as i32;
        let overflow = attributes.can_overflow.unwrap_or(true) && !is_final;
        let find = if attributes.register {
            quote! {
                let index = #krate::object::register_type(
                    <#name as #krate::object::ObjectCore>::TYPE_KEY,
                    <#name as #krate::object::ObjectCore>::TYPE_DEPTH,
                    #slots,
                    #overflow,
                    #krate::object::require_parent::<#parent>(#key),
                );
                #describe
                (index, whole)
            }
        } else {
            quote!(#krate::object::checked_index::<#name>())
        };
        quote! {
            static INDEX: #krate::object::CachedTypeIndex = #krate::object::CachedTypeIndex::new();
            INDEX.get_or_find(|| { #find })
        }
    };

    Ok(quote! {
        // SAFETY: the struct is `repr(C)` and starts with its parent, which starts with the object header.
        unsafe impl #krate::object::ObjectCore for #name {
            const TYPE_KEY: &'static str = #key;
            const TYPE_DEPTH: i32 = {
                assert!(
                    !<#parent as #krate::object::ObjectCore>::TYPE_FINAL,
                    "an object type cannot derive from a final parent"
                );
                <#parent as #krate::object::ObjectCore>::TYPE_DEPTH + 1
            };
            const TYPE_FINAL: bool = #is_final;
            fn type_index() -> i32 {
                #index
            }
            #check
            unsafe fn object_header_mut(this: &mut Self) -> &mut #krate::TVMFFIObject {
                // SAFETY: the same contract, passed on to the parent.
                unsafe { <#parent as #krate::object::ObjectCore>::object_header_mut(&mut this.#parent_name) }
            }
        }

        #opaque_check
        #partial
    })
}

fn structural_kind(krate: &TokenStream, name: &syn::Ident, kind: Option<&str>) -> Result<TokenStream> {
    let kind = match kind {
        None => quote!(kTVMFFISEqHashKindUnsupported),
        Some("tree") => quote!(kTVMFFISEqHashKindTreeNode),
        Some("const_tree") => quote!(kTVMFFISEqHashKindConstTreeNode),
        Some("dag") => quote!(kTVMFFISEqHashKindDAGNode),
        Some("var") => quote!(kTVMFFISEqHashKindFreeVar),
        Some("unique") => quote!(kTVMFFISEqHashKindUniqueInstance),
        Some(other) => {
            let text = format!("expected `tree`, `const_tree`, `dag`, `var` or `unique`, got `{other}`");
            return Err(Error::new_spanned(name, text));
        }
    };
    Ok(quote!(#krate::reflection::StructuralKind::#kind))
}

/// What objects need that other languages make field by field, and copy.
fn partial_init(
    krate: &TokenStream,
    name: &syn::Ident,
    parent: &syn::Type,
    parent_name: &Option<syn::Ident>,
    fields: &[&syn::Field],
) -> TokenStream {
    let members: Vec<_> = fields.iter().filter_map(|field| field.ident.as_ref()).collect();
    let names: Vec<_> = members.iter().map(|member| member.to_string()).collect();
    quote! {
        const _: () = {
            // An object may be destroyed before all its fields are set, so a destructor of its own cannot run.
            #[allow(dead_code)]
            trait AnObjectMadeByReflectionMustNotImplementDrop {}
            #[allow(drop_bounds)]
            impl<T: ::core::ops::Drop> AnObjectMadeByReflectionMustNotImplementDrop for T {}
            impl AnObjectMadeByReflectionMustNotImplementDrop for #name {}
        };

        impl #krate::reflection::ShallowCopy for #name {
            fn shallow_copy(&self) -> Self {
                Self {
                    #parent_name: #krate::reflection::ShallowCopy::shallow_copy(&self.#parent_name),
                    #( #members: ::core::clone::Clone::clone(&self.#members), )*
                }
            }
        }

        // SAFETY: every field is dropped when it is defined, the parent's by the parent.
        unsafe impl #krate::reflection::UnsafeInit for #name {
            unsafe fn drop_defined_fields(this: *mut Self) {
                // SAFETY: the caller's promise, passed on field by field.
                unsafe {
                    <#parent as #krate::reflection::UnsafeInit>::drop_defined_fields(
                        &raw mut (*this).#parent_name,
                    );
                    #( #krate::reflection::drop_if_defined(&raw mut (*this).#members); )*
                }
            }
            unsafe fn undefined_field(this: *const Self) -> ::core::option::Option<&'static str> {
                // SAFETY: the caller's promise; only the bytes of a field are looked at.
                unsafe {
                    let inherited = <#parent as #krate::reflection::UnsafeInit>::undefined_field(
                        &raw const (*this).#parent_name,
                    );
                    if inherited.is_some() {
                        return inherited;
                    }
                    #( if #krate::reflection::is_missing(&raw const (*this).#members) {
                        return ::core::option::Option::Some(#names);
                    } )*
                }
                ::core::option::Option::None
            }
        }
    }
}
