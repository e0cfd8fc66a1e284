// SPDX-License-Identifier: Apache-2.0
//! The forms of callbacks: closures over a view, an owned value or a node, and tuples of callbacks, for walks, visits, maps and
//! mutations alike.

/// Marks of the forms; they are inferred.
#[doc(hidden)]
pub mod forms {
    use std::marker::PhantomData;
    pub struct View;
    pub struct ViewKind;
    pub struct Owned<T>(PhantomData<T>);
    pub struct OwnedKind<T>(PhantomData<T>);
    pub struct Node<N>(PhantomData<N>);
    pub struct NodeKind<N>(PhantomData<N>);
    pub struct Dispatch;
    pub struct LowLevel;
    pub struct Value<T>(PhantomData<T>);
    pub struct Callbacks<T>(PhantomData<T>);
    pub struct Policied<T>(PhantomData<T>);
    pub struct Chain<T>(PhantomData<T>);
}

/// Implements a trait of callbacks for closures: over `&StructuralView`, over a value type, which takes values of that type, and over
/// `&N`, which takes nodes of that type. What follows the first argument is passed on.
macro_rules! closure_links {
    (
        impl<$($state:ident)?> $link:ident for $closure:ident(_ $(, $passed:ident: $passed_ty:ty)?) -> $result:ident.$into:ident,
        forms $view:ident $owned:ident $node:ident,
        fn $method:ident([$($receiver:tt)*] $self:ident, $value:ident: $value_ty:ty, $extra:ident: $extra_ty:ty) -> $out:ty
    ) => {
        impl<$($state,)? F, R: $result> $link<$($state,)? $view> for F
        where
            F: $closure(&StructuralView $(, $passed_ty)?) -> R,
        {
            #[allow(unused_variables)]
            fn $method($($receiver)* $self, $value: $value_ty, $extra: $extra_ty) -> Option<Result<$out>> {
                Some($self($value $(, $passed)?).$into())
            }
        }

        impl<$($state,)? F, T: AnyCompatible, R: $result> $link<$($state,)? $owned<T>> for F
        where
            F: $closure(T $(, $passed_ty)?) -> R,
        {
            #[allow(unused_variables)]
            fn $method($($receiver)* $self, $value: $value_ty, $extra: $extra_ty) -> Option<Result<$out>> {
                $value.cast::<T>().map(|value| $self(value $(, $passed)?).$into())
            }
        }

        impl<$($state,)? F, N: ObjectCore, R: $result> $link<$($state,)? $node<N>> for F
        where
            F: $closure(&N $(, $passed_ty)?) -> R,
        {
            #[allow(unused_variables)]
            fn $method($($receiver)* $self, $value: $value_ty, $extra: $extra_ty) -> Option<Result<$out>> {
                $value.as_node::<N>().map(|node| $self(node $(, $passed)?).$into())
            }
        }
    };
}
pub(super) use closure_links;
