// SPDX-License-Identifier: Apache-2.0
//! `#[type_fields(..)]` and `#[type_exact]` of `#[derive(Object)]`: where fields of another library's type must lie.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Error, Field, Ident, LitInt, LitStr, Result, Token};

/// `"name": i64 = 24`.
pub struct Place {
    name: LitStr,
    ty: Ident,
    offset: LitInt,
}

impl Parse for Place {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let name = input.parse()?;
        input.parse::<Token![:]>()?;
        let ty = input.parse()?;
        input.parse::<Token![=]>()?;
        Ok(Self { name, ty, offset: input.parse()? })
    }
}

/// What goes into the implementation, and what is checked beside it.
#[derive(Default)]
pub struct Declared {
    pub listed: TokenStream,
    pub check: TokenStream,
}

fn list(krate: &TokenStream, places: &[TokenStream]) -> TokenStream {
    quote! {
        const PLACES: &'static [#krate::object::FieldPlace] =
            &[#( { use #krate::object::{FieldPlace, Storage}; #places } ),*];
    }
}

/// Numbers at offsets that the attribute tells, in a struct that is opaque otherwise.
pub fn declared(
    krate: &TokenStream,
    name: &Ident,
    fields: &Punctuated<Field, Token![,]>,
    declared: &[Place],
) -> Result<Declared> {
    let wrong = || {
        let text =
            "a struct with #[type_fields] has two fields: its parent, and one of type `reflection::Opaque`";
        Error::new_spanned(name, text)
    };
    if fields.len() != 2 {
        return Err(wrong());
    }
    let opaque = fields.last().and_then(|field| field.ident.as_ref()).ok_or_else(wrong)?;
    let places = declared.iter().map(|place| {
        let (name, ty, offset) = (&place.name, &place.ty, &place.offset);
        let storage = match ty.to_string().as_str() {
            "i8" | "i16" | "i32" | "i64" => quote!(Int),
            "u8" | "u16" | "u32" | "u64" => quote!(Unsigned),
            "f32" | "f64" => quote!(Float),
            "bool" => quote!(Bool),
            _ => {
                return Err(Error::new(
                    ty.span(),
                    "expected an integer of 8 to 64 bits, `f32`, `f64` or `bool`",
                ))
            }
        };
        Ok(quote! {
            FieldPlace {
                name: #name,
                offset: #offset,
                size: ::core::mem::size_of::<#ty>(),
                storage: Storage::#storage,
            }
        })
    });
    Ok(Declared {
        listed: list(krate, &places.collect::<Result<Vec<_>>>()?),
        check: quote! {
            // Only objects of the library are of such a struct, since an `Opaque` cannot be made.
            const _: fn(&#name) -> &#krate::reflection::Opaque = |this| &this.#opaque;
        },
    })
}

/// The fields of the struct itself.
pub fn of_struct(
    krate: &TokenStream,
    name: &Ident,
    fields: &Punctuated<Field, Token![,]>,
) -> Result<Declared> {
    let mut places = Vec::new();
    for field in fields.iter().skip(1) {
        let (Some(member), ty) = (&field.ident, &field.ty) else { continue };
        let plain = member.to_string();
        let mut reflected = plain.strip_prefix("r#").unwrap_or(&plain).to_string();
        for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("type_field")) {
            reflected = attribute.parse_args::<LitStr>()?.value();
        }
        places.push(quote! {
            FieldPlace {
                name: #reflected,
                offset: ::core::mem::offset_of!(#name, #member),
                size: ::core::mem::size_of::<#ty>(),
                storage: Storage::Typed,
            }
        });
    }
    Ok(Declared { listed: list(krate, &places), check: TokenStream::new() })
}
