// SPDX-License-Identifier: Apache-2.0
//! `#[derive(ObjectRef)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, GenericArgument, PathArguments, Result, Type};

/// `T` of the field type `ObjectArc<T>`.
fn container_of(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    if last.ident != "ObjectArc" {
        return None;
    }
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first()? {
        GenericArgument::Type(container) if arguments.args.len() == 1 => Some(container),
        _ => None,
    }
}

pub fn expand(input: DeriveInput) -> Result<TokenStream> {
    let krate = crate::crate_path();
    let name = &input.ident;
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(name, "derive only works for structs"));
    };
    let wrong = || Error::new_spanned(name, "First field must be `<name>: ObjectArc<T>`");
    let Fields::Named(fields) = &data.fields else { return Err(wrong()) };
    if fields.named.len() != 1 || !input.generics.params.is_empty() {
        return Err(wrong());
    }
    let field = fields.named.first().ok_or_else(wrong)?;
    let field_name = &field.ident;
    let container = container_of(&field.ty).ok_or_else(wrong)?;
    Ok(quote! {
        // SAFETY: the struct holds exactly one object pointer of the container type.
        unsafe impl #krate::object::ObjectRefCore for #name {
            type ContainerType = #container;
            fn data(this: &Self) -> &#krate::object::ObjectArc<#container> {
                &this.#field_name
            }
            fn into_data(this: Self) -> #krate::object::ObjectArc<#container> {
                this.#field_name
            }
            unsafe fn from_data(data: #krate::object::ObjectArc<#container>) -> Self {
                Self { #field_name: data }
            }
        }

        #krate::impl_object_ref_any!(#name);
    })
}
