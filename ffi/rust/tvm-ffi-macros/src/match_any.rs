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

/// As many arms as pay for a table.
const TABLE_ARMS: usize = 20;

/// True when arms can be found by a number first and bound afterwards.
fn takes_table(arms: &[Arm]) -> bool {
    let plain = |arm: &Arm| match &arm.binding {
        Pat::Ident(ident) => ident.subpat.is_none() && ident.by_ref.is_none(),
        Pat::Wild(_) => true,
        _ => false,
    };
    arms.len() >= TABLE_ARMS && arms.iter().all(|arm| arm.guard.is_none() && plain(arm))
}

/// Finds the number of the arm, by the table when one index decides each type, else one arm after the other.
fn by_table(krate: &TokenStream, arms: &[Arm], fallback: &Expr) -> TokenStream {
    let types: Vec<_> = arms.iter().map(|arm| &arm.ty).collect();
    let numbers = 0..arms.len();
    let branches = arms.iter().enumerate().map(|(number, Arm { ty, binding, body, .. })| {
        quote! {
            #number => match #krate::match_any_internal::arm::<#ty>(&__match_any_view) {
                ::core::option::Option::Some(#binding) => #body,
                ::core::option::Option::None => ::core::unreachable!("the arm takes the value"),
            },
        }
    });
    quote! {{
        static __MATCH_ANY_TABLE: #krate::match_any_internal::Table = #krate::match_any_internal::Table::new();
        let __match_any_found = if const { #(<#types as #krate::AnyCompatible>::MATCH_ANY_EXACT)&&* } {
            __MATCH_ANY_TABLE.find::<(#(#types,)*)>(__match_any_view.type_index(), || {
                ::std::vec![#(<#types as #krate::AnyCompatible>::match_any_exact_type_index()),*]
            })
        } else {
            ::core::option::Option::None
        };
        let __match_any_found = match __match_any_found {
            ::core::option::Option::Some(number) => number,
            ::core::option::Option::None => '__match_any_search: {
                #( if #krate::match_any_internal::arm::<#types>(&__match_any_view).is_some() {
                    break '__match_any_search #numbers;
                } )*
                usize::MAX
            }
        };
        match __match_any_found {
            #(#branches)*
            _ => #fallback,
        }
    }}
}

pub fn expand(input: &MatchAny) -> TokenStream {
    let krate = crate::crate_path();
    let (value, fallback) = (&input.value, &input.fallback);
    let chain = if takes_table(&input.arms) {
        by_table(&krate, &input.arms, fallback)
    } else {
        input.arms.iter().rev().fold(quote!({ #fallback }), |rest, arm| {
            let Arm { ty, binding, guard, body } = arm;
            let guard = guard.as_ref().map(|guard| quote!(if #guard));
            quote! {
                match #krate::match_any_internal::arm::<#ty>(&__match_any_view) {
                    ::core::option::Option::Some(#binding) #guard => #body,
                    _ => #rest,
                }
            }
        })
    };
    quote! {
        match &#value {
            __match_any_value => {
                use #krate::match_any_internal::MatchView as _;
                let __match_any_view = __match_any_value.match_any_view();
                #chain
            }
        }
    }
}
