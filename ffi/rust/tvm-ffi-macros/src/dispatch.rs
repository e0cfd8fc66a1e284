// SPDX-License-Identifier: Apache-2.0
//! `#[dispatch(..)]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::{
    Attribute, Error, Expr, FnArg, GenericArgument, Ident, ImplItem, ImplItemFn, ItemImpl, PathArguments,
    Result, Token, Type,
};

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Walk,
    Visit,
    Map,
    Mutate,
}

pub struct Arguments {
    mode: Mode,
    name: &'static str,
    policy: Option<Expr>,
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        const EXPECTED: &str =
            "expected `dispatch(walk)`, `dispatch(map)`, `dispatch(visit)`, or `dispatch(mutate)`";
        let word: Ident = input.parse().map_err(|error| Error::new(error.span(), EXPECTED))?;
        let (mode, name) = match word.to_string().as_str() {
            "walk" => (Mode::Walk, "walk"),
            "visit" => (Mode::Visit, "visit"),
            "map" => (Mode::Map, "map"),
            "mutate" => (Mode::Mutate, "mutate"),
            _ => return Err(Error::new(word.span(), EXPECTED)),
        };
        let mut policy = None;
        if !input.is_empty() {
            const EXPECTED: &str = "expected `policy = expression`";
            let wrong = |error: Error| Error::new(error.span(), EXPECTED);
            input.parse::<Token![,]>().map_err(wrong)?;
            let word: Ident = input.parse().map_err(wrong)?;
            if word != "policy" {
                return Err(Error::new(word.span(), EXPECTED));
            }
            input.parse::<Token![=]>().map_err(wrong)?;
            policy = Some(input.parse::<Expr>().map_err(wrong)?);
            input.parse::<Option<Token![,]>>()?;
            if !input.is_empty() {
                return Err(input.error(EXPECTED));
            }
            if !matches!(mode, Mode::Visit | Mode::Mutate) {
                let text = "`policy` is supported by `dispatch(visit)` and `dispatch(mutate)`";
                return Err(Error::new(word.span(), text));
            }
        }
        Ok(Self { mode, name, policy })
    }
}

fn is_conditional(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr")
}

/// `T` of `MutateValue<'_, T>`, `Any` when it is left out; None for other types.
fn capability_of(ty: &Type, krate: &TokenStream) -> Option<TokenStream> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|segment| segment.ident == "MutateValue")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return Some(quote!(#krate::Any)) };
    let ty = arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(quote!(#ty)),
        _ => None,
    });
    Some(ty.unwrap_or_else(|| quote!(#krate::Any)))
}

fn last_segment_is(ty: &Type, name: &str) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|segment| segment.ident == name))
}

/// One handler as a step of the dispatch; also says whether it takes every value.
fn step(arguments: &Arguments, krate: &TokenStream, method: &ImplItemFn) -> Result<(TokenStream, bool)> {
    let name = &method.sig.ident;
    let mode = arguments.name;
    let wrong = || {
        let trailing = if arguments.mode == Mode::Mutate {
            "optionally `&mut Mutator`"
        } else {
            "optionally a trailing `DefRegionKind` argument"
        };
        Error::new_spanned(
            &method.sig,
            format!("{mode} handlers must take `&mut self`, a node, and {trailing}"),
        )
    };
    let mut inputs = method.sig.inputs.iter();
    match inputs.next() {
        Some(FnArg::Receiver(receiver)) if receiver.reference.is_some() && receiver.mutability.is_some() => {}
        _ => return Err(wrong()),
    }
    let Some(FnArg::Typed(node)) = inputs.next() else { return Err(wrong()) };
    let extra = match inputs.next() {
        None => None,
        Some(FnArg::Typed(extra)) => Some(&*extra.ty),
        Some(FnArg::Receiver(_)) => return Err(wrong()),
    };
    if inputs.next().is_some() {
        return Err(wrong());
    }
    let extra = match (arguments.mode, extra) {
        (_, None) => quote!(),
        (Mode::Mutate, Some(Type::Reference(reference)))
            if reference.mutability.is_some() && last_segment_is(&reference.elem, "Mutator") =>
        {
            quote!(, mutator)
        }
        (Mode::Mutate, Some(_)) => {
            return Err(Error::new_spanned(&method.sig, "the mutator must be `&mut Mutator`"))
        }
        (_, Some(ty)) if !last_segment_is(ty, "DefRegionKind") => return Err(wrong()),
        (_, Some(_)) => quote!(, kind),
    };
    let conditions: Vec<_> = method.attrs.iter().filter(|a| is_conditional(a)).collect();
    let call = |argument: TokenStream| {
        let value = quote!(self.#name(#argument #extra));
        match arguments.mode {
            Mode::Walk => quote!(::core::option::Option::Some(
                #krate::extra::structural_visit::IntoWalkResult::into_walk_result(#value)
            )),
            Mode::Visit => {
                quote!(#krate::extra::structural_visit::IntoVisitResult::into_visit_result(#value))
            }
            Mode::Map | Mode::Mutate => quote!(::core::option::Option::Some(
                #krate::extra::structural_mutate::IntoMapResult::into_map_result(#value)
            )),
        }
    };
    match &*node.ty {
        Type::Reference(reference) if reference.mutability.is_some() => {
            Err(Error::new_spanned(&node.ty, format!("{mode} handler values cannot be mutable references")))
        }
        Type::Reference(reference) if last_segment_is(&reference.elem, "StructuralView") => {
            let call =
                call(if arguments.mode == Mode::Mutate { quote!(value.as_value()) } else { quote!(value) });
            Ok((quote!(#(#conditions)* { return #call; }), true))
        }
        Type::Reference(reference) => {
            let (ty, call) = (&reference.elem, call(quote!(node)));
            let tokens = quote! {
                #(#conditions)*
                if let ::core::option::Option::Some(node) = value.as_node::<#ty>() {
                    return #call;
                }
            };
            Ok((tokens, false))
        }
        ty if arguments.mode == Mode::Mutate && capability_of(ty, krate).is_some() => {
            let (wanted, call) = (capability_of(ty, krate), call(quote!(node)));
            let tokens = quote! {
                #(#conditions)*
                let value = match value.try_cast::<#wanted>() {
                    ::core::result::Result::Ok(node) => return #call,
                    ::core::result::Result::Err(value) => value,
                };
            };
            Ok((tokens, false))
        }
        ty => {
            let call = call(quote!(node));
            let tokens = quote! {
                #(#conditions)*
                if let ::core::option::Option::Some(node) = value.cast::<#ty>() {
                    return #call;
                }
            };
            Ok((tokens, false))
        }
    }
}

pub fn expand(arguments: &Arguments, item: &ItemImpl) -> Result<TokenStream> {
    let krate = crate::crate_path();
    let mode = arguments.name;
    if let Some((_, path, _)) = &item.trait_ {
        return Err(Error::new_spanned(path, format!("`dispatch({mode})` requires an inherent impl")));
    }
    let prefix = format!("{mode}_");
    let mut steps = Vec::new();
    let mut catch_all = false;
    for member in &item.items {
        let ImplItem::Fn(method) = member else { continue };
        if !method.sig.ident.to_string().starts_with(&prefix) {
            continue;
        }
        if catch_all {
            return Err(Error::new_spanned(
                &method.sig.ident,
                "the `&StructuralView` catch-all handler must be last among enabled handlers",
            ));
        }
        let (tokens, takes_all) = step(arguments, &krate, method)?;
        // One behind a `cfg` may be left out, so others may follow it.
        catch_all = takes_all && !method.attrs.iter().any(is_conditional);
        steps.push(tokens);
    }
    if steps.is_empty() {
        let text = format!("`dispatch({mode})` found no `{mode}_*` methods");
        return Err(Error::new_spanned(&item.self_ty, text));
    }
    let (generics, _, conditions) = item.generics.split_for_impl();
    let ty = &item.self_ty;
    let enabled: Vec<_> = item.attrs.iter().filter(|a| is_conditional(a)).collect();
    let view = quote!(value: &#krate::extra::structural_visit::StructuralView);
    let kind = quote!(kind: #krate::extra::structural_visit::DefRegionKind);
    let result = quote!(::core::option::Option<#krate::error::Result<#krate::Any>>);
    let none = quote!(::core::option::Option::None);
    let (implemented, signature, end) = match arguments.mode {
        Mode::Walk => (
            format_ident!("WalkDispatch"),
            quote!(fn dispatch_walk(&mut self, #view, #kind) -> ::core::option::Option<
                #krate::error::Result<#krate::extra::structural_visit::WalkResult>
            >),
            none,
        ),
        Mode::Visit => (
            format_ident!("StructuralVisitor"),
            quote!(fn visit(&mut self, #view, #kind) -> #krate::error::Result<
                ::core::option::Option<#krate::extra::structural_visit::VisitInterrupt>
            >),
            match &arguments.policy {
                None => quote!(self.default_visit_children(value, kind)),
                Some(policy) => quote! {
                    let policy = #policy;
                    #krate::extra::structural_visit::visit_by_policy(self, value, kind, &policy)
                },
            },
        ),
        Mode::Map => {
            (format_ident!("MapDispatch"), quote!(fn dispatch_map(&mut self, #view, #kind) -> #result), none)
        }
        Mode::Mutate => (
            format_ident!("MutateDispatch"),
            quote!(fn dispatch_mutate_value(
                &mut self,
                value: #krate::extra::structural_mutate::MutateValue<'_>,
                mutator: &mut #krate::extra::structural_mutate::Mutator<'_>,
            ) -> #result),
            none,
        ),
    };
    let more = (arguments.mode == Mode::Mutate).then(|| {
        let by_policy = arguments.policy.as_ref().map(|policy| {
            quote! {
                fn default_for(
                    &mut self,
                    value: #krate::extra::structural_mutate::MutateValue<'_>,
                ) -> #krate::error::Result<#krate::Any> {
                    let policy = #policy;
                    #krate::extra::structural_mutate::default_by_policy(self, value, &policy)
                }
            }
        });
        quote! {
            fn dispatch_mutate(
                &mut self, #view, mutator: &mut #krate::extra::structural_mutate::Mutator<'_>
            ) -> #result {
                let value = #krate::extra::structural_mutate::MutateValue::borrowed(value);
                #krate::MutateDispatch::dispatch_mutate_value(self, value, mutator)
            }
            #by_policy
        }
    });
    Ok(quote! {
        #item

        #(#enabled)*
        impl #generics #krate::#implemented for #ty #conditions {
            #[allow(unused_variables, unreachable_code)]
            #signature {
                #(#steps)*
                #end
            }
            #more
        }
    })
}
