// SPDX-License-Identifier: Apache-2.0
//! `match_any!`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{braced, parenthesized, Error, Expr, Pat, Path, Result, Token};

struct Arm {
    ty: Path,
    binding: Pat,
    guard: Option<Expr>,
    body: Expr,
}

pub struct MatchAny {
    value: Expr,
    arms: Vec<Arm>,
    fallback: Expr,
}

/// The comma after an arm, which a block or the last arm can do without.
fn separator(arms: ParseStream<'_>, body: &Expr) -> Result<()> {
    if arms.is_empty() || arms.parse::<Option<Token![,]>>()?.is_some() || matches!(body, Expr::Block(_)) {
        return Ok(());
    }
    Err(arms.error("expected `,` between match_any! arms"))
}

impl Parse for MatchAny {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let value = Expr::parse_without_eager_brace(input)?;
        let content;
        braced!(content in input);
        let mut arms = Vec::new();
        let mut fallback = None;
        while !content.is_empty() {
            if fallback.is_some() {
                return Err(content.error("the `_` fallback must be the final arm"));
            }
            if content.parse::<Option<Token![_]>>()?.is_some() {
                if content.peek(Token![if]) {
                    return Err(content.error("the `_` fallback cannot have a guard"));
                }
                content.parse::<Token![=>]>()?;
                let body: Expr = content.parse()?;
                separator(&content, &body)?;
                fallback = Some(body);
                continue;
            }
            let ty: Path = content.parse()?;
            let pattern;
            parenthesized!(pattern in content);
            let binding = Pat::parse_single(&pattern)?;
            if !pattern.is_empty() {
                return Err(pattern.error("expected one binding pattern"));
            }
            let guard =
                if content.parse::<Option<Token![if]>>()?.is_some() { Some(content.parse()?) } else { None };
            content.parse::<Token![=>]>()?;
            let body: Expr = content.parse()?;
            separator(&content, &body)?;
            arms.push(Arm { ty, binding, guard, body });
        }
        match fallback {
            Some(fallback) => Ok(Self { value, arms, fallback }),
            None => Err(Error::new(content.span(), "match_any! requires a final `_` fallback arm")),
        }
    }
}

pub fn expand(input: &MatchAny) -> TokenStream {
    let krate = crate::crate_path();
    let (value, fallback) = (&input.value, &input.fallback);
    let chain = input.arms.iter().rev().fold(quote!({ #fallback }), |rest, arm| {
        let Arm { ty, binding, guard, body } = arm;
        let guard = guard.as_ref().map(|guard| quote!(if #guard));
        quote! {
            match #krate::match_any_internal::arm::<#ty>(&__match_any_view) {
                ::core::option::Option::Some(#binding) #guard => #body,
                _ => #rest,
            }
        }
    });
    quote! {
        match &#value {
            __match_any_value => {
                let __match_any_view = #krate::AnyView::from(__match_any_value);
                #chain
            }
        }
    }
}
