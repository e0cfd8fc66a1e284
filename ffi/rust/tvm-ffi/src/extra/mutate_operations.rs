// SPDX-License-Identifier: Apache-2.0
//! The operations of a running mutation, one by one.

/// The operations that contexts and [`Mutator`](super::structural_mutate::Mutator) share. `$dispatch` is what the latter takes first.
macro_rules! operations {
    ([$($dispatch:ident: $D:ident)?]) => {
        /// A value rebuilt in the current region.
        pub fn mutate<'b, $($D: MutateDispatch,)? T>(&mut self, $($dispatch: &mut $D,)? value: &'b T) -> Result<Any>
        where
            AnyView<'b>: From<&'b T>,
        {
            Ok(or_original(self.mutate_result($($dispatch,)? value)?, AnyView::from(value)))
        }

        /// As [`Self::mutate`]; says whether anything changed.
        pub fn mutate_result<'b, $($D: MutateDispatch,)? T>(
            &mut self,
            $($dispatch: &mut $D,)?
            value: &'b T,
        ) -> Result<UnchangedOr>
        where
            AnyView<'b>: From<&'b T>,
        {
            self.child($($dispatch,)? value, None, InplaceMode::Disallow)
        }

        /// A value rebuilt in a region.
        pub fn mutate_with<'b, $($D: MutateDispatch,)? T>(
            &mut self,
            $($dispatch: &mut $D,)?
            value: &'b T,
            kind: DefRegionKind,
        ) -> Result<Any>
        where
            AnyView<'b>: From<&'b T>,
        {
            Ok(or_original(self.mutate_with_result($($dispatch,)? value, kind)?, AnyView::from(value)))
        }

        /// As [`Self::mutate_with`]; says whether anything changed.
        pub fn mutate_with_result<'b, $($D: MutateDispatch,)? T>(
            &mut self,
            $($dispatch: &mut $D,)?
            value: &'b T,
            kind: DefRegionKind,
        ) -> Result<UnchangedOr>
        where
            AnyView<'b>: From<&'b T>,
        {
            self.child($($dispatch,)? value, Some(kind), InplaceMode::Disallow)
        }

        /// A value rebuilt in the current region: in place when the current value may be changed and nobody but `value` itself
        /// holds the object.
        pub fn maybe_inplace_mutate<'b, $($D: MutateDispatch,)? T>(
            &mut self,
            $($dispatch: &mut $D,)?
            value: &'b T,
        ) -> Result<Any>
        where
            AnyView<'b>: From<&'b T>,
        {
            let result = self.child($($dispatch,)? value, None, InplaceMode::Allow)?;
            Ok(or_original(result, AnyView::from(value)))
        }

        /// As [`Self::maybe_inplace_mutate`], in a region.
        pub fn maybe_inplace_mutate_with<'b, $($D: MutateDispatch,)? T>(
            &mut self,
            $($dispatch: &mut $D,)?
            value: &'b T,
            kind: DefRegionKind,
        ) -> Result<Any>
        where
            AnyView<'b>: From<&'b T>,
        {
            self.maybe_inplace_mutate_with_mode($($dispatch,)? value, kind, InplaceMode::Allow)
        }

        /// As [`Self::maybe_inplace_mutate_with`], with a permission of its own; the one of the current value bounds it.
        pub fn maybe_inplace_mutate_with_mode<'b, $($D: MutateDispatch,)? T>(
            &mut self,
            $($dispatch: &mut $D,)?
            value: &'b T,
            kind: DefRegionKind,
            mode: InplaceMode,
        ) -> Result<Any>
        where
            AnyView<'b>: From<&'b T>,
        {
            let result = self.child($($dispatch,)? value, Some(kind), mode)?;
            Ok(or_original(result, AnyView::from(value)))
        }

        /// A value with its parts rebuilt: elements, or fields on a copy of the object.
        pub fn default_mutate $(<$D: MutateDispatch>)? (
            &mut self,
            $($dispatch: &mut $D,)?
            value: &StructuralView,
        ) -> Result<Any> {
            Ok(or_original(self.default_mutate_result($($dispatch,)? value)?, AnyView::from(value)))
        }

        /// As [`Self::default_mutate`]; says whether anything changed.
        pub fn default_mutate_result $(<$D: MutateDispatch>)? (
            &mut self,
            $($dispatch: &mut $D,)?
            value: &StructuralView,
        ) -> Result<UnchangedOr> {
            self.parts($($dispatch,)? MutateValue::borrowed(value), InplaceMode::Disallow)
        }

        /// A value with its parts rebuilt, in place when it may be.
        pub fn default_maybe_inplace_mutate $(<$D: MutateDispatch>)? (
            &mut self,
            $($dispatch: &mut $D,)?
            value: MutateValue<'_>,
        ) -> Result<Any> {
            self.default_mutate_with_mode($($dispatch,)? value, InplaceMode::Allow)
        }

        /// As [`Self::default_maybe_inplace_mutate`]; Unchanged also when the value itself was changed.
        pub fn default_maybe_inplace_mutate_result $(<$D: MutateDispatch>)? (
            &mut self,
            $($dispatch: &mut $D,)?
            value: MutateValue<'_>,
        ) -> Result<UnchangedOr> {
            self.default_mutate_with_mode_result($($dispatch,)? value, InplaceMode::Allow)
        }

        /// A value with its parts rebuilt, in place when both it and `mode` allow that.
        pub fn default_mutate_with_mode $(<$D: MutateDispatch>)? (
            &mut self,
            $($dispatch: &mut $D,)?
            value: MutateValue<'_>,
            mode: InplaceMode,
        ) -> Result<Any> {
            let view = value.view();
            let result = self.default_mutate_with_mode_result($($dispatch,)? value, mode)?;
            Ok(or_original(result, AnyView::from(view)))
        }

        /// As [`Self::default_mutate_with_mode`]; Unchanged also when the value itself was changed.
        pub fn default_mutate_with_mode_result $(<$D: MutateDispatch>)? (
            &mut self,
            $($dispatch: &mut $D,)?
            value: MutateValue<'_>,
            mode: InplaceMode,
        ) -> Result<UnchangedOr> {
            self.parts($($dispatch,)? value, mode)
        }

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
