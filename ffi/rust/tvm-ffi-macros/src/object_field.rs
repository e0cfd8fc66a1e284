// SPDX-License-Identifier: Apache-2.0
//! `#[field(..)]` of `#[derive(Object)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, Field, Lit, LitBool, LitStr, Meta, Result, Type};

/// Documentation of an item, its lines joined.
pub fn doc_of(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    });
    let lines: Vec<_> = lines.map(|line| line.strip_prefix(' ').unwrap_or(&line).to_string()).collect();
    lines.join("\n")
}

fn is_field_cell(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|s| s.ident == "FieldCell"))
}

/// The call that registers a field, or None for a field without the attribute.
pub fn registration(krate: &TokenStream, object: &syn::Ident, field: &Field) -> Result<Option<TokenStream>> {
    let Some(attribute) = field.attrs.iter().find(|a| a.path().is_ident("field")) else { return Ok(None) };
    let (Some(member), ty) = (&field.ident, &field.ty) else { return Ok(None) };
    let plain = member.to_string();
    let mut name = plain.strip_prefix("r#").unwrap_or(&plain).to_string();
    let doc = doc_of(&field.attrs);
    let mut flags = Vec::new();
    let mut default = quote!(::core::option::Option::None);
    let mut writable = false;
    let flag = |flags: &mut Vec<TokenStream>, word: &str| {
        let word = syn::Ident::new(word, attribute.span());
        flags.push(quote!(#krate::reflection::flags::#word));
    };
    if !matches!(attribute.meta, Meta::Path(_)) {
        attribute.parse_nested_meta(|meta| {
            let off = |word: &str, flags: &mut Vec<TokenStream>| -> Result<()> {
                if !meta.value()?.parse::<LitBool>()?.value {
                    flag(flags, word);
                }
                Ok(())
            };
            if meta.path.is_ident("name") {
                name = meta.value()?.parse::<LitStr>()?.value();
            } else if meta.path.is_ident("default") {
                let value: Expr = meta.value()?.parse()?;
                let value = match &value {
                    Expr::Lit(ExprLit { lit: Lit::Str(_), .. }) => quote!(::core::convert::Into::into(#value)),
                    _ if is_field_cell(ty) => quote!(<#ty>::new(#value)),
                    _ => quote!(#value),
                };
                default = quote!(#krate::reflection::default_of::<#ty>(#value));
            } else if meta.path.is_ident("factory") {
                let make: Expr = meta.value()?.parse()?;
                default = quote!(#krate::reflection::factory_of(#make));
                flag(&mut flags, "FACTORY");
            } else if meta.path.is_ident("writable") {
                writable = true;
            } else if meta.path.is_ident("kw_only") {
                flag(&mut flags, "KW_ONLY");
            } else if meta.path.is_ident("init") {
                off("NO_INIT", &mut flags)?;
            } else if meta.path.is_ident("repr") {
                off("NO_REPR", &mut flags)?;
            } else if meta.path.is_ident("compare") {
                off("NO_COMPARE", &mut flags)?;
            } else if meta.path.is_ident("hash") {
                off("NO_HASH", &mut flags)?;
            } else if meta.path.is_ident("structural") {
                let text: LitStr = meta.value()?.parse()?;
                match text.value().as_str() {
                    "ignore" => flag(&mut flags, "STRUCTURAL_IGNORE"),
                    "def" => flag(&mut flags, "DEF_PATTERN"),
                    "def_simple" => flag(&mut flags, "DEF_SIMPLE"),
                    _ => return Err(syn::Error::new(text.span(), "expected `ignore`, `def` or `def_simple`")),
                }
            } else {
                return Err(meta.error(
                    "expected `name`, `default`, `factory`, `writable`, `kw_only`, `init`, `repr`, `compare`, `hash` or \
                     `structural`",
                ));
            }
            Ok(())
        })?;
    }
    let flags = flags.into_iter().fold(quote!(0), |all, one| quote!(#all | #one));
    Ok(Some(quote! {
        const {
            assert!(
                <#ty as #krate::reflection::FieldValue>::WRITABLE || !#writable,
                "a writable field needs the type FieldCell<T>, since others change it under shared references"
            );
            assert!(
                !matches!(
                    <#ty as #krate::reflection::FieldValue>::KIND,
                    #krate::type_traits::FieldKind::Unsupported
                ),
                "a field of this type has no layout that other languages know; numbers that may be missing are \
                 tvm_ffi::Optional<T>"
            );
        };
        def.field::<#ty>(
            #name,
            ::core::mem::offset_of!(#object, #member),
            #krate::reflection::FieldOptions { doc: #doc, flags: #flags, default: #default },
        )?;
    }))
}
