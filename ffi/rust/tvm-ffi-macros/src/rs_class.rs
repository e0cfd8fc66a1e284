// SPDX-License-Identifier: Apache-2.0
//! `#[rs_class]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Data, DeriveInput, Error, Fields, LitStr, Path, Result, Token, Type};

/// `"key", parent = Node, parent_obj = NodeObj, final, kind = "tree", def = path`.
pub struct Arguments {
    key: LitStr,
    parent: Option<Path>,
    parent_object: Option<Path>,
    is_final: bool,
    kind: Option<LitStr>,
    define: Option<Path>,
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut out = Self {
            key: input.parse()?,
            parent: None,
            parent_object: None,
            is_final: false,
            kind: None,
            define: None,
        };
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            if input.parse::<Option<Token![final]>>()?.is_some() {
                out.is_final = true;
                continue;
            }
            let word: syn::Ident = input.parse()?;
            input.parse::<Token![=]>()?;
            match word.to_string().as_str() {
                "parent" => out.parent = Some(input.parse()?),
                "parent_obj" => out.parent_object = Some(input.parse()?),
                "kind" => out.kind = Some(input.parse()?),
                "def" => out.define = Some(input.parse()?),
                _ => {
                    return Err(Error::new(
                        word.span(),
                        "expected `parent`, `parent_obj`, `kind`, `def` or `final`",
                    ))
                }
            }
        }
        Ok(out)
    }
}

/// Numbers are taken as they are, so that a literal has one type; all else converts.
fn is_scalar(ty: &Type) -> bool {
    const SCALARS: [&str; 13] =
        ["bool", "i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize", "f32", "f64"];
    matches!(ty, Type::Path(path) if SCALARS.iter().any(|name| path.path.is_ident(name)))
}

pub fn expand(arguments: &Arguments, input: &DeriveInput) -> Result<TokenStream> {
    let krate = crate::crate_path();
    let (name, visibility) = (&input.ident, &input.vis);
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(name, "rs_class only works for structs"));
    };
    if !input.generics.params.is_empty() {
        return Err(Error::new_spanned(&input.generics, "an object struct cannot be generic"));
    }
    let empty = syn::punctuated::Punctuated::new();
    let fields = match &data.fields {
        Fields::Named(fields) => &fields.named,
        Fields::Unit => &empty,
        Fields::Unnamed(_) => return Err(Error::new_spanned(name, "rs_class needs named fields")),
    };
    let object = format_ident!("{name}Obj");
    let parent_object = match (&arguments.parent_object, &arguments.parent) {
        (Some(path), _) => quote!(#path),
        (None, Some(parent)) => {
            let mut path = parent.clone();
            if let Some(last) = path.segments.last_mut() {
                last.ident = format_ident!("{}Obj", last.ident);
            }
            quote!(#path)
        }
        (None, None) => quote!(#krate::Object),
    };
    let key = &arguments.key;
    let is_final = arguments.is_final.then(|| quote!(#[type_final]));
    let kind = arguments.kind.as_ref().map(|kind| quote!(#[type_kind = #kind]));
    let define = arguments.define.as_ref().map(|path| quote!(#[type_def(#path)]));
    let docs: Vec<_> = input.attrs.iter().filter(|a| a.path().is_ident("doc")).collect();
    let others: Vec<_> = input.attrs.iter().filter(|a| !a.path().is_ident("doc")).collect();
    let members: Vec<_> = fields.iter().filter_map(|field| field.ident.as_ref()).collect();
    let types: Vec<_> = fields.iter().map(|field| &field.ty).collect();
    let declared = fields.iter().map(|field| {
        let marked = field.attrs.iter().any(|a| a.path().is_ident("field"));
        let mark = (!marked).then(|| quote!(#[field]));
        quote!(#mark #field)
    });
    let parameters = fields.iter().map(|field| {
        let (member, ty) = (&field.ident, &field.ty);
        if is_scalar(ty) {
            quote!(#member: #ty)
        } else {
            quote!(#member: impl ::core::convert::Into<#ty>)
        }
    });
    let values = fields.iter().map(|field| {
        let (member, ty) = (&field.ident, &field.ty);
        if is_scalar(ty) {
            quote!(#member)
        } else {
            quote!(::core::convert::Into::<#ty>::into(#member))
        }
    });
    let (base_parameter, base_value) = if arguments.parent.is_some() || arguments.parent_object.is_some() {
        (quote!(base: #parent_object,), quote!(base))
    } else {
        (quote!(), quote!(#krate::Object::new()))
    };
    let upcast =
        arguments.parent.as_ref().map(|parent| quote!(#krate::impl_object_upcast!(#name => #parent);));
    Ok(quote! {
        #(#docs)*
        #[repr(C)]
        #[derive(#krate::derive::Object)]
        #[type_key = #key]
        #[type_register]
        #kind
        #is_final
        #define
        #visibility struct #object {
            base: #parent_object,
            #(#declared,)*
        }

        impl #object {
            /// The contents of a new object.
            #[allow(dead_code, clippy::too_many_arguments)]
            #visibility fn new(#base_parameter #(#members: #types),*) -> Self {
                Self { base: #base_value, #(#members),* }
            }
        }

        impl ::core::ops::Deref for #object {
            type Target = #parent_object;
            fn deref(&self) -> &#parent_object {
                &self.base
            }
        }

        #(#docs)*
        #(#others)*
        #[repr(C)]
        #[derive(#krate::derive::ObjectRef)]
        #visibility struct #name {
            data: #krate::ObjectArc<#object>,
        }

        impl ::core::clone::Clone for #name {
            fn clone(&self) -> Self {
                Self { data: ::core::clone::Clone::clone(&self.data) }
            }
        }

        impl #name {
            /// A new object.
            #[allow(dead_code, clippy::too_many_arguments)]
            #visibility fn new(#base_parameter #(#parameters),*) -> Self {
                Self { data: #krate::ObjectArc::new(#object { base: #base_value, #(#members: #values),* }) }
            }
        }

        impl ::core::ops::Deref for #name {
            type Target = #object;
            fn deref(&self) -> &#object {
                &self.data
            }
        }

        #upcast
    })
}
