// SPDX-License-Identifier: Apache-2.0
//! The operations of a running mutation, one by one.

use super::structural_mutator::or_original;
use super::unchanged::UnchangedOr;
use crate::{Any, AnyView};

/// What an operation returns of a rebuilt value.
pub(super) trait Rebuilt {
    fn of(result: UnchangedOr, original: AnyView<'_>) -> Self;
}

/// The value, also an unchanged one.
impl Rebuilt for Any {
    fn of(result: UnchangedOr, original: AnyView<'_>) -> Self {
        or_original(result, original)
    }
}

/// Whether anything changed.
impl Rebuilt for UnchangedOr {
    fn of(result: UnchangedOr, _: AnyView<'_>) -> Self {
        result
    }
}

/// The operations that contexts and [`Mutator`](super::structural_mutate::Mutator) share. `$dispatch` is what the latter takes first.
macro_rules! operations {
    // An operation on a child, in the region `$kind` or, when that is None, the current one.
    (@child [$($dispatch:ident: $D:ident)?]
        $(#[$doc:meta])* $name:ident($($extra:ident: $Extra:ty),*) -> $Out:ty { $kind:expr, $mode:expr }) => {
        $(#[$doc])*
        pub fn $name<'b, $($D: MutateDispatch,)? T>(
            &mut self,
            $($dispatch: &mut $D,)?
            value: &'b T,
            $($extra: $Extra),*
        ) -> Result<$Out>
        where
            AnyView<'b>: From<&'b T>,
        {
            let result = self.child($($dispatch,)? value, $kind, $mode)?;
            Ok(<$Out as Rebuilt>::of(result, AnyView::from(value)))
        }
    };
    // An operation on the parts of a value, which are elements or fields.
    (@parts [$($dispatch:ident: $D:ident)?]
        $(#[$doc:meta])* $name:ident($value:ident: $Value:ty = $given:expr $(, $extra:ident: $Extra:ty)?) -> $Out:ty { $mode:expr }) => {
        $(#[$doc])*
        pub fn $name $(<$D: MutateDispatch>)? (
            &mut self,
            $($dispatch: &mut $D,)?
            $value: $Value,
            $($extra: $Extra)?
        ) -> Result<$Out> {
            let given: MutateValue<'_> = $given;
            let view = given.view();
            let result = self.parts($($dispatch,)? given, $mode)?;
            Ok(<$Out as Rebuilt>::of(result, AnyView::from(view)))
        }
    };
    ([$($dispatch:ident: $D:ident)?]) => {
        operations!(@child [$($dispatch: $D)?]
            /// A value rebuilt in the current region.
            mutate() -> Any { None, InplaceMode::Disallow });
        operations!(@child [$($dispatch: $D)?]
            /// As [`Self::mutate`]; says whether anything changed.
            mutate_result() -> UnchangedOr { None, InplaceMode::Disallow });
        operations!(@child [$($dispatch: $D)?]
            /// A value rebuilt in a region.
            mutate_with(kind: DefRegionKind) -> Any { Some(kind), InplaceMode::Disallow });
        operations!(@child [$($dispatch: $D)?]
            /// As [`Self::mutate_with`]; says whether anything changed.
            mutate_with_result(kind: DefRegionKind) -> UnchangedOr { Some(kind), InplaceMode::Disallow });
        operations!(@child [$($dispatch: $D)?]
            /// A value rebuilt in the current region: in place when the current value may be changed and nobody but `value` itself
            /// holds the object.
            maybe_inplace_mutate() -> Any { None, InplaceMode::Allow });
        operations!(@child [$($dispatch: $D)?]
            /// As [`Self::maybe_inplace_mutate`], in a region.
            maybe_inplace_mutate_with(kind: DefRegionKind) -> Any { Some(kind), InplaceMode::Allow });
        operations!(@child [$($dispatch: $D)?]
            /// As [`Self::maybe_inplace_mutate_with`], with a permission of its own; the one of the current value bounds it.
            maybe_inplace_mutate_with_mode(kind: DefRegionKind, mode: InplaceMode) -> Any { Some(kind), mode });
        operations!(@parts [$($dispatch: $D)?]
            /// A value with its parts rebuilt: elements, or fields on a copy of the object.
            default_mutate(value: &StructuralView = MutateValue::borrowed(value)) -> Any { InplaceMode::Disallow });
        operations!(@parts [$($dispatch: $D)?]
            /// As [`Self::default_mutate`]; says whether anything changed.
            default_mutate_result(value: &StructuralView = MutateValue::borrowed(value)) -> UnchangedOr {
                InplaceMode::Disallow
            });
        operations!(@parts [$($dispatch: $D)?]
            /// A value with its parts rebuilt, in place when it may be.
            default_maybe_inplace_mutate(value: MutateValue<'_> = value) -> Any { InplaceMode::Allow });
        operations!(@parts [$($dispatch: $D)?]
            /// As [`Self::default_maybe_inplace_mutate`]; Unchanged also when the value itself was changed.
            default_maybe_inplace_mutate_result(value: MutateValue<'_> = value) -> UnchangedOr { InplaceMode::Allow });
        operations!(@parts [$($dispatch: $D)?]
            /// A value with its parts rebuilt, in place when both it and `mode` allow that.
            default_mutate_with_mode(value: MutateValue<'_> = value, mode: InplaceMode) -> Any { mode });
        operations!(@parts [$($dispatch: $D)?]
            /// As [`Self::default_mutate_with_mode`]; Unchanged also when the value itself was changed.
            default_mutate_with_mode_result(value: MutateValue<'_> = value, mode: InplaceMode) -> UnchangedOr { mode });

        /// What a variable or shared node was rebuilt to, None when it was not yet.
        pub fn var_remap_get(&self, value: &StructuralView) -> Result<Option<Any>> {
            var_remap_get(value)
        }

        /// Says what a variable is rebuilt to from here on; `TypeError` for what is no object.
        pub fn var_remap_set(&self, value: &StructuralView, to: &Any) -> Result<()> {
            var_remap_set(value, to)
        }
    };
}
pub(super) use operations;
