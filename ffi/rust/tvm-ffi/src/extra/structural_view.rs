// SPDX-License-Identifier: Apache-2.0
//! What callbacks of structural walks see and say.

use crate::error::{Result, RUNTIME_ERROR};
use crate::object::{is_instance_of, Object, ObjectArc, ObjectCore};
use crate::type_traits::AnyCompatible;
use crate::{Any, AnyView};
use tvm_ffi_sys::TVMFFIAny;

/// A value of a walk, borrowed for the callback.
#[repr(transparent)]
pub struct StructuralView {
    raw: TVMFFIAny,
}

impl StructuralView {
    /// Sees a borrowed value as one of a walk.
    pub fn new<'a>(view: &'a AnyView<'_>) -> &'a Self {
        // SAFETY: `repr(transparent)` over the raw value, which lives for `'a`.
        unsafe { &*std::ptr::from_ref(view.raw()).cast() }
    }

    fn view(&self) -> AnyView<'_> {
        // SAFETY: the raw value is live while `self` is borrowed.
        unsafe { AnyView::from_raw(self.raw) }
    }

    /// The value, owned.
    #[allow(clippy::should_implement_trait)]
    pub fn to_owned(&self) -> Any {
        Any::from(self.view())
    }

    /// The value when it is a `T`; nothing is converted.
    pub fn cast<T: AnyCompatible>(&self) -> Option<T> {
        self.view().try_as()
    }

    /// True when the value is a `T`.
    pub fn is<T: AnyCompatible>(&self) -> bool {
        // SAFETY: the value is live.
        unsafe { T::check_any_strict(&self.raw) }
    }

    /// The object when it is an `N`.
    pub fn as_node<N: ObjectCore>(&self) -> Option<&N> {
        // SAFETY: the type test says that the payload is a live object of the type.
        is_instance_of::<N>(self.raw.type_index)
            .then(|| unsafe { &*self.raw.data_union.v_obj.cast::<N>().cast_const() })
    }

    /// Type index of the value.
    pub fn type_index(&self) -> i32 {
        self.raw.type_index
    }
}

impl<'a> From<&'a StructuralView> for AnyView<'a> {
    fn from(value: &'a StructuralView) -> Self {
        value.view()
    }
}

/// What a walk visits first: a value, or what is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WalkOrder {
    /// The value first.
    #[default]
    PreOrder,
    /// The value last.
    PostOrder,
}

/// Whether a value lies where variables are defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(i32)]
pub enum DefRegionKind {
    /// It does not.
    #[default]
    None = 0,
    /// In a pattern: everything below defines.
    Pattern = 1,
    /// Here, not below variables.
    Simple = 2,
}

impl DefRegionKind {
    pub(crate) fn from_raw(kind: i64) -> Self {
        match kind {
            1 => Self::Pattern,
            2 => Self::Simple,
            _ => Self::None,
        }
    }
}

/// How a walk goes on.
#[derive(Debug, Default)]
pub enum WalkResult {
    /// On, into the value.
    #[default]
    Advance,
    /// On, but not into the value. In post-order the same as [`Self::Advance`].
    Skip,
    /// It ends.
    Interrupt,
    /// It ends with a value.
    InterruptWith(Any),
}

impl WalkResult {
    /// Ends the walk with a value.
    pub fn interrupt_with(value: impl Into<Any>) -> Self {
        Self::InterruptWith(value.into())
    }
}

/// What a walk's callback may return.
pub trait IntoWalkResult {
    /// The result.
    fn into_walk_result(self) -> Result<WalkResult>;
}

impl IntoWalkResult for WalkResult {
    fn into_walk_result(self) -> Result<WalkResult> {
        Ok(self)
    }
}
impl IntoWalkResult for Result<WalkResult> {
    fn into_walk_result(self) -> Result<WalkResult> {
        self
    }
}

/// Why a walk ended before its time.
#[derive(Debug, Clone)]
pub struct VisitInterrupt {
    /// What the callback gave, or None.
    pub value: Any,
}

impl VisitInterrupt {
    /// Ends a visit with a value.
    pub fn with(value: impl Into<Any>) -> Self {
        Self { value: value.into() }
    }
}

/// The object form of [`VisitInterrupt`].
#[repr(C)]
#[derive(tvm_ffi_macros::Object)]
#[type_key = "ffi.VisitInterrupt"]
#[type_final]
struct VisitInterruptObj {
    base: Object,
    value: Any,
}

#[repr(C)]
#[derive(tvm_ffi_macros::ObjectRef, Clone)]
struct VisitInterruptRef {
    data: ObjectArc<VisitInterruptObj>,
}

/// An interrupt as engines take it.
pub(super) fn to_native(interrupt: VisitInterrupt) -> Result<Any> {
    crate::cached_global_func!("ffi.VisitInterrupt").call_tuple((interrupt.value,))
}

/// What an engine returned: None, or an interrupt.
pub(super) fn from_native(result: Any) -> Result<Option<VisitInterrupt>> {
    if result.type_index() == 0 {
        return Ok(None);
    }
    match VisitInterruptRef::try_from(result) {
        Ok(interrupt) => Ok(Some(VisitInterrupt { value: interrupt.data.value.clone() })),
        Err(_) => {
            crate::bail!(RUNTIME_ERROR, "structural visit hook must return None or ffi.VisitInterrupt")
        }
    }
}

/// What a visitor's handler may return.
#[doc(hidden)]
pub trait IntoVisitResult {
    fn into_visit_result(self) -> Result<Option<VisitInterrupt>>;
}
impl IntoVisitResult for () {
    fn into_visit_result(self) -> Result<Option<VisitInterrupt>> {
        Ok(None)
    }
}
impl IntoVisitResult for Result<()> {
    fn into_visit_result(self) -> Result<Option<VisitInterrupt>> {
        self.map(|()| None)
    }
}
impl IntoVisitResult for Option<VisitInterrupt> {
    fn into_visit_result(self) -> Result<Option<VisitInterrupt>> {
        Ok(self)
    }
}
impl IntoVisitResult for Result<Option<VisitInterrupt>> {
    fn into_visit_result(self) -> Result<Option<VisitInterrupt>> {
        self
    }
}

/// The object of a native visitor or mutator: a vtable, then the region kind.
#[repr(C)]
pub(super) struct EngineLayout {
    header: tvm_ffi_sys::TVMFFIObject,
    pub(super) vtable: *const u8,
    region: i32,
}

/// Runs `body` with the engine in a region; a pattern region stays one.
pub(super) fn in_region<R>(engine: &Any, kind: DefRegionKind, body: impl FnOnce() -> R) -> R {
    struct Restore(*mut i32, i32);
    impl Drop for Restore {
        fn drop(&mut self) {
            // SAFETY: the engine outlives the guard.
            unsafe { *self.0 = self.1 }
        }
    }
    // SAFETY: a live engine, whose layout that is, used by this thread.
    let field = unsafe { &raw mut (*engine.raw().data_union.v_obj.cast::<EngineLayout>()).region };
    // SAFETY: as above.
    let _restore = unsafe {
        let former = *field;
        if former != DefRegionKind::Pattern as i32 {
            *field = kind as i32;
        }
        Restore(field, former)
    };
    body()
}

/// The region that an engine is in.
pub(super) fn region_of(engine: &Any) -> DefRegionKind {
    // SAFETY: as in `in_region`.
    DefRegionKind::from_raw(unsafe {
        i64::from((*engine.raw().data_union.v_obj.cast::<EngineLayout>()).region)
    })
}

/// True when an argument of a callback is an engine of a key.
pub(super) fn is_engine(value: &AnyView<'_>, key: &str) -> bool {
    let index = value.type_index();
    index >= 64 && {
        let target = crate::object::type_index_of_key(key);
        index == target
            || crate::object::type_info_of(index).is_some_and(|info| {
                // SAFETY: there are `type_depth` ancestors.
                (0..info.type_depth as usize)
                    .any(|d| unsafe { (**info.type_acenstors.add(d)).type_index == target })
            })
    }
}
