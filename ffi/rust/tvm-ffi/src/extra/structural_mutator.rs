// SPDX-License-Identifier: Apache-2.0
//! The running mutation: who mutates, what may be changed in place, and the calls into the library's engine.

use super::structural_view::{in_region, region_of, EngineLayout};
use super::structural_visit::{DefRegionKind, StructuralView};
use super::unchanged::{Unchanged, UnchangedOr};
use crate::collections::map_base::Entries;
use crate::error::{Error, Result, RUNTIME_ERROR};
use crate::object::unsafe_;
use crate::type_traits::AnyCompatible;
use crate::{cached_global_func, Any, AnyView};
use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::ops::Deref;
use std::rc::Rc;
use tvm_ffi_sys::{TVMFFIAny, TVMFFISeqCell, TVMFFITypeIndex as TypeIndex, COMBINED_REF_COUNT_MASK_U32};

/// Whether a value may be changed in place: only when nobody but the place that it came from holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InplaceMode {
    /// A change makes a copy.
    #[default]
    Disallow,
    /// A change may go into the value itself.
    Allow,
}

impl InplaceMode {
    pub(super) fn and(self, other: Self) -> Self {
        if self == Self::Allow {
            other
        } else {
            Self::Disallow
        }
    }
}

/// A value of a mutation with the permission to change it, borrowed for the callback. Giving it to an operation gives the
/// permission up.
pub struct MutateValue<'a, T = Any> {
    view: &'a StructuralView,
    mode: InplaceMode,
    marker: PhantomData<fn() -> T>,
}

impl<'a> MutateValue<'a> {
    /// A value without permission.
    pub fn borrowed(view: &'a StructuralView) -> Self {
        Self::with_mode(view, InplaceMode::Disallow)
    }

    pub(super) fn with_mode(view: &'a StructuralView, mode: InplaceMode) -> Self {
        Self { view, mode, marker: PhantomData }
    }
}

impl<'a, T> MutateValue<'a, T> {
    /// The permission.
    pub fn inplace_mode(&self) -> InplaceMode {
        self.mode
    }

    /// The value.
    pub fn as_value(&self) -> &StructuralView {
        self.view
    }

    /// The value as one of another type, or itself when it is none; nothing is converted.
    pub fn try_cast<U: AnyCompatible>(self) -> std::result::Result<MutateValue<'a, U>, Self> {
        if self.view.is::<U>() {
            Ok(MutateValue { view: self.view, mode: self.mode, marker: PhantomData })
        } else {
            Err(self)
        }
    }

    /// The same without its type.
    pub fn into_untyped(self) -> MutateValue<'a> {
        MutateValue::with_mode(self.view, self.mode)
    }

    pub(super) fn duplicate(&self) -> MutateValue<'a> {
        MutateValue::with_mode(self.view, self.mode)
    }

    pub(super) fn view(&self) -> &'a StructuralView {
        self.view
    }
}

impl<T: AnyCompatible> MutateValue<'_, T> {
    /// The value, owned. While it is held, the value is shared and is not changed in place.
    pub fn get(&self) -> T {
        match self.view.cast() {
            Some(value) => value,
            None => unreachable!("the type was checked"),
        }
    }
}

impl<T> Deref for MutateValue<'_, T> {
    type Target = StructuralView;
    fn deref(&self) -> &StructuralView {
        self.view
    }
}

/// A value that may be changed in place, for the low-level [`StructuralMutator`](super::structural_mutate::StructuralMutator).
pub struct InplaceValue<'a> {
    view: &'a StructuralView,
}

impl<'a> InplaceValue<'a> {
    pub(super) fn new(view: &'a StructuralView) -> Self {
        Self { view }
    }

    /// The value.
    pub fn as_value(&self) -> &StructuralView {
        self.view
    }

    /// The value, owned; while that is held, the value is shared.
    #[allow(clippy::should_implement_trait)]
    pub fn to_owned(&self) -> Any {
        self.view.to_owned()
    }
}

impl Deref for InplaceValue<'_> {
    type Target = StructuralView;
    fn deref(&self) -> &StructuralView {
        self.view
    }
}

impl<'a> From<InplaceValue<'a>> for MutateValue<'a> {
    fn from(value: InplaceValue<'a>) -> Self {
        MutateValue::with_mode(value.view, InplaceMode::Allow)
    }
}

/// A mutator without its type.
#[doc(hidden)]
pub trait ErasedMutator {
    /// Address and type name of what callbacks pass to operations.
    fn identity(&mut self) -> (*mut (), &'static str);
    fn mutate_erased(&mut self, value: MutateValue<'_>, kind: DefRegionKind) -> Result<Any>;
}

/// The mutation that runs: whether the mutator waits in a descent, so that callbacks may use it.
struct Active {
    address: *mut (),
    /// Name of the mutator's type: a part of it may have its address.
    type_name: &'static str,
    lent: Cell<bool>,
    engine: RefCell<Any>,
    mode: Cell<InplaceMode>,
    /// Who held the current value when its callback began: its slot and the engine.
    holders: Cell<u64>,
}

thread_local! {
    static ACTIVE: RefCell<Vec<Rc<Active>>> = const { RefCell::new(Vec::new()) };
}

fn current() -> Result<Rc<Active>> {
    match ACTIVE.with_borrow(|all| all.last().cloned()) {
        Some(active) if active.engine.borrow().type_index() != 0 => Ok(active),
        _ => crate::bail!(RUNTIME_ERROR, "structural mutator is used outside of structural_mutate"),
    }
}

/// What a descent does: rebuild a value, or what is in it.
pub(super) enum Op<'a> {
    Child(AnyView<'a>, InplaceMode),
    Parts(AnyView<'a>, InplaceMode),
}

/// Runs an operation; the engine calls the mutator back. `kind` is that of the current value when it is None.
pub(super) fn perform<V>(owner: &mut V, kind: Option<DefRegionKind>, op: Op<'_>) -> Result<UnchangedOr> {
    let active = current()?;
    let same =
        active.address == std::ptr::from_mut(owner).cast() && active.type_name == std::any::type_name::<V>();
    if !same {
        crate::bail!(RUNTIME_ERROR, "structural mutator descends with another dispatch object");
    }
    if active.lent.get() {
        crate::bail!(RUNTIME_ERROR, "structural mutator is used while it descends");
    }
    struct Lend<'a>(&'a Active);
    impl Drop for Lend<'_> {
        fn drop(&mut self) {
            self.0.lent.set(false);
        }
    }
    let engine = active.engine.borrow().clone();
    let kind = kind.unwrap_or_else(|| region_of(&engine));
    let allowed = active.mode.get();
    // `owner` is borrowed exclusively and not used until the call returns, so callbacks may.
    active.lent.set(true);
    let _lend = Lend(&active);
    in_region(&engine, kind, || match op {
        Op::Child(value, mode) => call_engine(&engine, value.raw(), mode.and(allowed)),
        Op::Parts(value, mode) => {
            let alone = mode == InplaceMode::Allow && strong_count(value.raw()) <= active.holders.get();
            default_mutate(&engine, value, alone)
        }
    })
}

/// The region of the current value.
pub(super) fn current_region() -> DefRegionKind {
    current().map_or(DefRegionKind::None, |active| region_of(&active.engine.borrow()))
}

/// The permission of the current value.
pub(super) fn current_mode() -> InplaceMode {
    current().map_or(InplaceMode::Disallow, |active| active.mode.get())
}

/// Runs `body` in a region.
pub(super) fn with_region<R>(kind: DefRegionKind, body: impl FnOnce() -> R) -> Result<R> {
    let engine = current()?.engine.borrow().clone();
    Ok(in_region(&engine, kind, body))
}

/// What a variable or shared node was rebuilt to, None when it was not yet.
pub(super) fn var_remap_get(value: &StructuralView) -> Result<Option<Any>> {
    let engine = current()?.engine.borrow().clone();
    let found =
        cached_global_func!("ffi.StructuralMutatorVarRemapGet").call_tuple((engine, AnyView::from(value)))?;
    Ok((found.type_index() != 0).then_some(found))
}

/// Says what a variable is rebuilt to from here on.
pub(super) fn var_remap_set(value: &StructuralView, to: &Any) -> Result<()> {
    let engine = current()?.engine.borrow().clone();
    cached_global_func!("ffi.StructuralMutatorVarRemapSet")
        .call_tuple((engine, AnyView::from(value), to))
        .map(drop)
}

/// The functions of a native mutator; a failure is returned as an error value.
#[repr(C)]
struct MutatorVTable {
    mutate: unsafe extern "C" fn(*mut EngineLayout, TVMFFIAny) -> TVMFFIAny,
    maybe_inplace_mutate: unsafe extern "C" fn(*mut EngineLayout, TVMFFIAny) -> TVMFFIAny,
}

/// Lets the engine rebuild a value; in place only what is held by the caller's slot alone.
fn call_engine(engine: &Any, value: &TVMFFIAny, mode: InplaceMode) -> Result<UnchangedOr> {
    // SAFETY: a live mutator, whose layout that is; a live value; the result is owned.
    let result = unsafe {
        let cell = engine.raw().data_union.v_obj.cast::<EngineLayout>();
        let table = &*(*cell).vtable.cast::<MutatorVTable>();
        let call = if mode == InplaceMode::Allow { table.maybe_inplace_mutate } else { table.mutate };
        Any::from_raw_ffi_any(call(cell, *value))
    };
    if result.type_index() == TypeIndex::kTVMFFIError as i32 {
        return Err(Error::try_from(result)?);
    }
    Ok(against(result, value))
}

/// A result as a change of the original.
fn against(result: Any, original: &TVMFFIAny) -> UnchangedOr {
    let raw = result.raw();
    // SAFETY: every payload is 8 readable bytes.
    let same = raw.type_index == original.type_index
        && unsafe { raw.data_union.v_uint64 == original.data_union.v_uint64 };
    if same {
        UnchangedOr::unchanged()
    } else {
        UnchangedOr::from_result(result)
    }
}

fn strong_count(value: &TVMFFIAny) -> u64 {
    if value.type_index < TypeIndex::kTVMFFIStaticObjectBegin as i32 {
        return u64::MAX;
    }
    // SAFETY: such an index says that the payload is a live object.
    let counts = unsafe { &(*value.data_union.v_obj).combined_ref_count };
    counts.load(std::sync::atomic::Ordering::Acquire) & COMBINED_REF_COUNT_MASK_U32
}

/// A value with its parts rebuilt: elements, or fields on a copy of the object. Containers that nobody else holds keep their place.
fn default_mutate(engine: &Any, value: AnyView<'_>, alone: bool) -> Result<UnchangedOr> {
    let raw = value.raw();
    if alone {
        if raw.type_index == TypeIndex::kTVMFFIArray as i32 || raw.type_index == TypeIndex::kTVMFFIList as i32
        {
            return mutate_elements(engine, raw);
        }
        if raw.type_index == TypeIndex::kTVMFFIMap as i32 || raw.type_index == TypeIndex::kTVMFFIDict as i32 {
            // SAFETY: a live map that nobody else holds.
            let mut entries = unsafe { Entries::new(raw.data_union.v_ptr.cast()) };
            while let Some((_, value)) = entries.next_slots() {
                mutate_slot(engine, value)?;
            }
            return Ok(UnchangedOr::unchanged());
        }
    }
    let result = cached_global_func!("ffi.StructuralMutatorDefaultMutate").call_tuple((engine, value))?;
    Ok(against(result, raw))
}

fn mutate_elements(engine: &Any, sequence: &TVMFFIAny) -> Result<UnchangedOr> {
    // SAFETY: the cell of a live sequence follows its header. It is read anew for each element.
    let cell = unsafe { sequence.data_union.v_obj.add(1).cast::<TVMFFISeqCell>() };
    let mut at = 0;
    // SAFETY: as above; `data` holds `size` values.
    while at < unsafe { (*cell).size } {
        // SAFETY: as above.
        mutate_slot(engine, unsafe { (*cell).data.add(at as usize) })?;
        at += 1;
    }
    Ok(UnchangedOr::unchanged())
}

/// Rebuilds the value of a slot in a container that is changed in place.
fn mutate_slot(engine: &Any, slot: *mut TVMFFIAny) -> Result<()> {
    // SAFETY: a live slot of a container that nobody else holds.
    let before = unsafe { *slot };
    let result = if strong_count(&before) == 1 {
        call_engine(engine, &before, InplaceMode::Allow)?
    } else {
        // SAFETY: a live value; it is held, since the callbacks may reach its other holders.
        let held = Any::from(unsafe { AnyView::from_raw(before) });
        call_engine(engine, held.raw(), InplaceMode::Disallow)?
    };
    if let Some(value) = result.into_option() {
        // SAFETY: the slot owns the old value, which goes, and then the new one.
        drop(unsafe { Any::from_raw_ffi_any(slot.replace(Any::into_raw_ffi_any(value))) });
    }
    Ok(())
}

/// The value of a result: the new one, or the original.
pub(super) fn or_original(result: UnchangedOr, original: AnyView<'_>) -> Any {
    result.value_or_else(|| Any::from(original))
}

/// A result as engines take it.
pub(super) fn to_native(result: UnchangedOr) -> Any {
    result.into_option().unwrap_or_else(|| Any::from(Unchanged))
}

/// Runs the engine with a mutator. The root goes to the engine, so that one without other holders can be changed in place.
pub(super) fn run(root: Any, mutator: &mut dyn ErasedMutator) -> Result<Any> {
    let (address, type_name) = mutator.identity();
    let active = Rc::new(Active {
        address,
        type_name,
        lent: Cell::new(true),
        engine: RefCell::new(Any::new()),
        mode: Cell::new(InplaceMode::Disallow),
        holders: Cell::new(0),
    });
    struct Leave;
    impl Drop for Leave {
        fn drop(&mut self) {
            ACTIVE.with_borrow_mut(Vec::pop);
        }
    }
    let mutator: *mut (dyn ErasedMutator + '_) = mutator;
    let state = active.clone();
    let callback = move |args: &[AnyView<'_>]| -> Result<Any> {
        let [value, engine, mode] = args else {
            crate::bail!(RUNTIME_ERROR, "structural mutator callback got {} arguments", args.len());
        };
        if !super::structural_view::is_engine(engine, "ffi.StructuralMutator") {
            crate::bail!(RUNTIME_ERROR, "structural mutator callback got no mutator");
        }
        if !state.lent.get() {
            crate::bail!(RUNTIME_ERROR, "structural mutator is called while it runs");
        }
        let mode = if i64::try_from(*mode)? == 1 { InplaceMode::Allow } else { InplaceMode::Disallow };
        let engine = Any::from(*engine);
        let kind = region_of(&engine);
        state.engine.replace(engine);
        struct Lent<'a>(&'a Active, InplaceMode, u64);
        impl Drop for Lent<'_> {
            fn drop(&mut self) {
                self.0.lent.set(true);
                self.0.mode.set(self.1);
                self.0.holders.set(self.2);
            }
        }
        let holders = state.holders.replace(strong_count(value.raw()));
        let _lent = Lent(&state, state.mode.replace(mode), holders);
        state.lent.set(false);
        let value = MutateValue::with_mode(StructuralView::new(value), mode);
        // SAFETY: the mutator outlives the engine's run; it was lent, so nobody else uses it now.
        unsafe { (*mutator).mutate_erased(value, kind) }
    };
    ACTIVE.with_borrow_mut(|all| all.push(active));
    let _leave = Leave;
    super::session::run(&callback, |function| {
        let callbacks = super::session::for_every_type(function, Some(true));
        call_with_root(cached_global_func!("ffi.StructuralMutate"), root, |root| vec![root, callbacks.into()])
    })
}

/// Calls an engine that takes its root over.
pub(super) fn call_with_root(
    engine: &crate::Function,
    root: Any,
    args: impl FnOnce(Any) -> Vec<Any>,
) -> Result<Any> {
    let mut args = args(root);
    // A movable argument is the address of a pointer that the callee empties.
    let mut slot = std::ptr::null_mut();
    let is_object = args[0].type_index() >= TypeIndex::kTVMFFIStaticObjectBegin as i32;
    if is_object {
        // SAFETY: the reference goes to the slot, and from there to the callee or back below.
        slot = unsafe { Any::into_raw_ffi_any(std::mem::take(&mut args[0])).data_union.v_obj };
    }
    let mut views: Vec<_> = args.iter().map(AnyView::from).collect();
    if is_object {
        let mut raw = TVMFFIAny::new();
        raw.type_index = TypeIndex::kTVMFFIObjectRValueRef as i32;
        raw.data_union.v_ptr = (&raw mut slot).cast();
        // SAFETY: the slot outlives the call.
        views[0] = unsafe { AnyView::from_raw(raw) };
    }
    let result = engine.call_packed(&views);
    if !slot.is_null() {
        // SAFETY: the callee left the reference.
        unsafe { unsafe_::dec_ref(slot) }
    }
    result
}
