// SPDX-License-Identifier: Apache-2.0
//! Objects with shared ownership: the counted pointer, the type tests and the traits behind `derive(Object)`.

use crate::error::{Error, Result, TYPE_ERROR};
use crate::type_traits::AnyCompatible;
use std::alloc::{alloc, dealloc, handle_alloc_error, Layout};
use std::ffi::c_void;
use std::marker::{PhantomData, PhantomPinned};
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::{fence, AtomicI32, AtomicU64, Ordering};
use std::sync::Mutex;
use tvm_ffi_sys::{
    TVMFFIByteArray, TVMFFIGetTypeInfo, TVMFFIObject, TVMFFIObjectHandle, TVMFFITypeGetOrAllocIndex,
    TVMFFITypeIndex, TVMFFITypeInfo, TVMFFITypeKeyToIndex, COMBINED_REF_COUNT_BOTH_ONE,
    COMBINED_REF_COUNT_MASK_U32, COMBINED_REF_COUNT_STRONG_ONE, COMBINED_REF_COUNT_WEAK_ONE,
};

const DELETE_STRONG: i32 = 1;
const DELETE_WEAK: i32 = 2;

/// The root of all object types: a header and nothing else.
///
/// It is neither `Send` nor `Sync`, and so are the types that start with it, since a reference may hold an object of any subtype. A
/// type whose objects, those of subtypes too, may go to other threads says so with `unsafe impl`.
#[repr(C)]
pub struct Object {
    header: TVMFFIObject,
    thread_bound: PhantomData<*mut ()>,
    /// Weak references look at the counts while a destructor has the object, so that `&mut` of one must not claim its header: for
    /// types that are not `Unpin` it does not.
    shared_header: PhantomPinned,
}

impl Object {
    /// A header of zeros; [`ObjectArc::new`] fills it in.
    pub fn new() -> Self {
        Self { header: TVMFFIObject::new(), thread_bound: PhantomData, shared_header: PhantomPinned }
    }
}

impl Default for Object {
    fn default() -> Self {
        Self::new()
    }
}

/// A struct that is an object: `repr(C)`, starting with its parent. Use `derive(Object)`.
///
/// # Safety
/// The struct must start with the header of an object, its layout must be that of the type that `type_index` names, and
/// `TYPE_DEPTH` must count its ancestors.
pub unsafe trait ObjectCore: Sized + 'static {
    /// Key in the type table.
    const TYPE_KEY: &'static str;
    /// Number of ancestors.
    const TYPE_DEPTH: i32;
    /// True when nothing derives from it.
    #[doc(hidden)]
    const TYPE_FINAL: bool = false;
    /// Index in the type table.
    fn type_index() -> i32;
    /// Panics when objects of the type must not be made of this struct.
    #[doc(hidden)]
    fn check_allocation() {}
    /// The header.
    ///
    /// # Safety
    /// The caller must not break the counts of a shared object through it.
    unsafe fn object_header_mut(this: &mut Self) -> &mut TVMFFIObject;
}

// SAFETY: `Object` is the header alone; index 64 is reserved for it.
unsafe impl ObjectCore for Object {
    const TYPE_KEY: &'static str = "ffi.Object";
    const TYPE_DEPTH: i32 = 0;
    fn type_index() -> i32 {
        TVMFFITypeIndex::kTVMFFIObject as i32
    }
    unsafe fn object_header_mut(this: &mut Self) -> &mut TVMFFIObject {
        &mut this.header
    }
}

/// An object followed in memory by items of one type.
///
/// # Safety
/// `extra_items_count` must give the number of items that were allocated with the object.
pub unsafe trait ObjectCoreWithExtraItems: ObjectCore {
    /// Type of an item.
    type ExtraItem;
    /// Number of items behind the object.
    fn extra_items_count(this: &Self) -> usize;
    /// The items.
    ///
    /// # Safety
    /// They must have been initialised.
    unsafe fn extra_items(this: &Self) -> &[Self::ExtraItem] {
        // The items lie behind what `this` borrows, in the same block, whose address was exposed when it was made.
        let end = std::ptr::from_ref(this).wrapping_add(1).addr();
        // SAFETY: the items follow the struct (contract of the trait).
        unsafe {
            std::slice::from_raw_parts(std::ptr::with_exposed_provenance(end), Self::extra_items_count(this))
        }
    }
    /// The items, for writing.
    ///
    /// # Safety
    /// They must have been initialised, and nothing else may refer to them.
    unsafe fn extra_items_mut(this: &mut Self) -> &mut [Self::ExtraItem] {
        let end = std::ptr::from_mut(this).wrapping_add(1).addr();
        // SAFETY: as above, and exclusive by the caller's promise.
        unsafe {
            let count = Self::extra_items_count(this);
            std::slice::from_raw_parts_mut(std::ptr::with_exposed_provenance_mut(end), count)
        }
    }
}

/// A counted pointer to an object, never null. It shares: there is no mutable access but to a sole owner ([`Self::get_mut`]).
/// ```
/// use tvm_ffi::{Object, ObjectArc};
///
/// #[repr(C)]
/// #[derive(tvm_ffi::derive::Object)]
/// #[type_key = "doc.Tree"]
/// #[type_register]
/// struct TreeObj {
///     base: Object,
///     height: f64,
/// }
///
/// let mut tree = ObjectArc::new(TreeObj { base: Object::new(), height: 2.0 });
/// ObjectArc::get_mut(&mut tree).unwrap().height += 0.5;
/// let other = tree.clone();
/// assert_eq!((other.height, ObjectArc::strong_count(&tree)), (2.5, 2));
/// assert!(ObjectArc::get_mut(&mut tree).is_none()); // shared now
/// ```
#[repr(C)]
pub struct ObjectArc<T: ObjectCore> {
    ptr: NonNull<T>,
    marker: PhantomData<T>,
}

// SAFETY: the counts are atomic; the contents cross threads only when `T` may.
unsafe impl<T: ObjectCore + Send + Sync> Send for ObjectArc<T> {}
// SAFETY: as above.
unsafe impl<T: ObjectCore + Send + Sync> Sync for ObjectArc<T> {}

unsafe extern "C" fn delete_object<T: ObjectCore>(handle: *mut c_void, flags: i32) {
    let object = handle.cast::<T>();
    if flags & DELETE_STRONG != 0 {
        // SAFETY: the strong count is zero, so this is the only use; a panic in a destructor must not unwind into C.
        let dropped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| unsafe {
            std::ptr::drop_in_place(object)
        }));
        if dropped.is_err() {
            eprintln!("a destructor of `{}` panicked; the object's fields may leak", T::TYPE_KEY);
        }
    }
    if flags & DELETE_WEAK != 0 {
        // SAFETY: allocated in `ObjectArc::new` with this layout.
        unsafe { dealloc(handle.cast(), Layout::new::<T>()) }
    }
}

/// What precedes an object with extra items: the size of its block, since foreign code may change the item count.
#[repr(C, align(16))]
struct ExtraPrefix {
    block_size: usize,
}

unsafe extern "C" fn delete_object_with_items<T: ObjectCore>(handle: *mut c_void, flags: i32) {
    if flags & DELETE_STRONG != 0 {
        // SAFETY: as in `delete_object`.
        let dropped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| unsafe {
            std::ptr::drop_in_place(handle.cast::<T>())
        }));
        if dropped.is_err() {
            eprintln!("a destructor of `{}` panicked; the object's fields may leak", T::TYPE_KEY);
        }
    }
    if flags & DELETE_WEAK != 0 {
        // SAFETY: `new_with_extra_items` put the prefix there.
        unsafe {
            let prefix = handle.cast::<ExtraPrefix>().sub(1);
            let layout = Layout::from_size_align_unchecked((*prefix).block_size, align_of::<ExtraPrefix>());
            dealloc(prefix.cast(), layout);
        }
    }
}

impl<T: ObjectCore> ObjectArc<T> {
    /// Moves `data` into a new object with one owner.
    ///
    /// # Panics
    /// When the type is defined elsewhere and its objects are not as large as this struct: such a struct is good for reading alone.
    pub fn new(data: T) -> Self {
        T::check_allocation();
        let layout = Layout::new::<T>();
        // SAFETY: the layout is not empty (it holds a header); the block is written before it is shared.
        unsafe {
            let ptr = alloc(layout).cast::<T>();
            if ptr.is_null() {
                handle_alloc_error(layout);
            }
            ptr.write(data);
            Self::adopt_new(ptr, delete_object::<T>)
        }
    }

    /// Moves `data` into a new object with uninitialised room for its extra items behind it.
    ///
    /// # Panics
    /// When the size overflows.
    pub fn new_with_extra_items<U>(data: T) -> Self
    where
        T: ObjectCoreWithExtraItems<ExtraItem = U>,
    {
        const { assert!(align_of::<U>() <= 16 && size_of::<T>() % align_of::<U>() == 0) };
        let count = T::extra_items_count(&data);
        let size = count
            .checked_mul(size_of::<U>())
            .and_then(|bytes| bytes.checked_add(size_of::<ExtraPrefix>() + size_of::<T>()))
            .expect("the size of an object overflows");
        let layout = Layout::from_size_align(size, align_of::<ExtraPrefix>())
            .expect("the size of an object overflows");
        // SAFETY: as in `new`; the prefix is 16 bytes, so the object behind it is aligned.
        unsafe {
            let prefix = alloc(layout).cast::<ExtraPrefix>();
            if prefix.is_null() {
                handle_alloc_error(layout);
            }
            prefix.write(ExtraPrefix { block_size: size });
            let ptr = prefix.add(1).cast::<T>();
            ptr.write(data);
            ptr.expose_provenance();
            Self::adopt_new(ptr, delete_object_with_items::<T>)
        }
    }

    /// Fills in the header of a fresh object.
    ///
    /// # Safety
    /// `ptr` must be a written object that nobody else knows, which `deleter` can free.
    unsafe fn adopt_new(ptr: *mut T, deleter: tvm_ffi_sys::TVMFFIObjectDeleter) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            let header = T::object_header_mut(&mut *ptr);
            *header.combined_ref_count.get_mut() = COMBINED_REF_COUNT_BOTH_ONE;
            header.type_index = T::type_index();
            header.__padding = 0;
            header.deleter = Some(deleter);
            Self::from_raw(ptr)
        }
    }

    /// Takes over a reference that the caller owns.
    ///
    /// # Safety
    /// `ptr` must be a live object of type `T` or a subtype, and one strong reference of it passes to the result.
    pub unsafe fn from_raw(ptr: *const T) -> Self {
        // SAFETY: not null by the caller's promise.
        Self { ptr: unsafe { NonNull::new_unchecked(ptr.cast_mut()) }, marker: PhantomData }
    }

    /// Gives the reference up as a pointer that the caller owns.
    pub fn into_raw(this: Self) -> *const T {
        let ptr = Self::as_raw(&this);
        std::mem::forget(this);
        ptr
    }

    /// The address; nothing changes hands.
    pub fn as_raw(this: &Self) -> *const T {
        this.ptr.as_ptr()
    }

    /// The address for writing through the C ABI; the object may be shared, so a Rust reference must not be made of it.
    pub fn as_raw_mut(this: &mut Self) -> *mut T {
        this.ptr.as_ptr()
    }

    /// Mutable access for a sole owner, None when another strong or weak reference exists.
    pub fn get_mut(this: &mut Self) -> Option<&mut T> {
        let count = header_of(this).combined_ref_count.load(Ordering::Acquire);
        // SAFETY: both counts are one and this is that one, borrowed exclusively.
        if count == COMBINED_REF_COUNT_BOTH_ONE {
            Some(unsafe { this.ptr.as_mut() })
        } else {
            None
        }
    }

    /// Number of strong references.
    pub fn strong_count(this: &Self) -> usize {
        let count = header_of(this).combined_ref_count.load(Ordering::Relaxed);
        (count & COMBINED_REF_COUNT_MASK_U32) as usize
    }

    /// Number of weak references; all strong ones together hold one.
    pub fn weak_count(this: &Self) -> usize {
        (header_of(this).combined_ref_count.load(Ordering::Relaxed) >> 32) as usize
    }
}

/// A weak pointer to an object: it keeps the memory, not the contents.
pub struct ObjectWeak<T: ObjectCore> {
    ptr: NonNull<T>,
    marker: PhantomData<T>,
}

// SAFETY: as for `ObjectArc`, which `upgrade` gives.
unsafe impl<T: ObjectCore + Send + Sync> Send for ObjectWeak<T> {}
// SAFETY: as above.
unsafe impl<T: ObjectCore + Send + Sync> Sync for ObjectWeak<T> {}

impl<T: ObjectCore> ObjectWeak<T> {
    /// The object, None when its last strong reference is gone.
    pub fn upgrade(&self) -> Option<ObjectArc<T>> {
        let counts = self.counts();
        let mut count = counts.load(Ordering::Relaxed);
        while count & COMBINED_REF_COUNT_MASK_U32 != 0 {
            match counts.compare_exchange_weak(
                count,
                count + COMBINED_REF_COUNT_STRONG_ONE,
                Ordering::AcqRel,
                Ordering::Relaxed,
            ) {
                Ok(_) => return Some(ObjectArc { ptr: self.ptr, marker: PhantomData }),
                Err(now) => count = now,
            }
        }
        None
    }

    /// The counts alone: the rest may be in the hands of a destructor.
    fn counts(&self) -> &AtomicU64 {
        // SAFETY: a weak reference keeps the memory, and the header outlives the contents.
        unsafe { &(*self.ptr.cast::<TVMFFIObject>().as_ptr()).combined_ref_count }
    }
}

impl<T: ObjectCore> ObjectArc<T> {
    /// A weak pointer to the object.
    pub fn downgrade(this: &Self) -> ObjectWeak<T> {
        header_of(this).combined_ref_count.fetch_add(COMBINED_REF_COUNT_WEAK_ONE, Ordering::Relaxed);
        ObjectWeak { ptr: this.ptr, marker: PhantomData }
    }
}

impl<T: ObjectCore> Clone for ObjectWeak<T> {
    fn clone(&self) -> Self {
        self.counts().fetch_add(COMBINED_REF_COUNT_WEAK_ONE, Ordering::Relaxed);
        Self { ptr: self.ptr, marker: PhantomData }
    }
}

impl<T: ObjectCore> Drop for ObjectWeak<T> {
    fn drop(&mut self) {
        let handle = self.ptr.as_ptr().cast::<TVMFFIObject>();
        // SAFETY: the weak reference ends here; the last one frees the memory, as the count protocol says.
        unsafe {
            let old = (*handle).combined_ref_count.fetch_sub(COMBINED_REF_COUNT_WEAK_ONE, Ordering::Release);
            if old == COMBINED_REF_COUNT_WEAK_ONE {
                fence(Ordering::Acquire);
                if let Some(delete) = (*handle).deleter {
                    delete(handle.cast(), DELETE_WEAK);
                }
            }
        }
    }
}

/// An object as a key that compares and hashes by identity. It keeps the object, so that no other one can take its address.
#[derive(Clone)]
pub struct ObjectIdentity(ObjectArc<Object>);

impl ObjectIdentity {
    /// The identity of an object.
    pub fn of<R: ObjectRefCore>(reference: &R) -> Self {
        let raw = ObjectArc::into_raw(R::data(reference).clone());
        // SAFETY: every object is an `Object`; the reference moves.
        Self(unsafe { ObjectArc::from_raw(raw.cast()) })
    }

    /// The identity of the object in a value, None for other values.
    pub fn of_value(value: &crate::Any) -> Option<Self> {
        ObjectRef::try_from(value.clone()).ok().map(|object| Self(object.data))
    }
}

impl PartialEq for ObjectIdentity {
    fn eq(&self, other: &Self) -> bool {
        self.0.ptr == other.0.ptr
    }
}
impl Eq for ObjectIdentity {}

impl std::hash::Hash for ObjectIdentity {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.ptr.hash(state);
    }
}

impl std::fmt::Debug for ObjectIdentity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ObjectIdentity({} @ {:p})", type_key_of(header_of(&self.0).type_index), self.0.ptr)
    }
}

/// Every object starts with its header.
fn header_of<T: ObjectCore>(arc: &ObjectArc<T>) -> &TVMFFIObject {
    // SAFETY: contract of `ObjectCore`; the object is alive while the arc is.
    unsafe { arc.ptr.cast::<TVMFFIObject>().as_ref() }
}

impl<T: ObjectCore> Deref for ObjectArc<T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: alive while the arc is.
        unsafe { self.ptr.as_ref() }
    }
}

impl<T: ObjectCore> Clone for ObjectArc<T> {
    fn clone(&self) -> Self {
        header_of(self).combined_ref_count.fetch_add(COMBINED_REF_COUNT_STRONG_ONE, Ordering::Relaxed);
        Self { ptr: self.ptr, marker: PhantomData }
    }
}

impl<T: ObjectCore> Drop for ObjectArc<T> {
    fn drop(&mut self) {
        // SAFETY: the arc owns one strong reference, which ends here.
        unsafe { unsafe_::dec_ref(self.ptr.as_ptr().cast()) }
    }
}

/// Counting by hand, for code that holds raw handles.
#[doc(hidden)]
pub mod unsafe_ {
    use super::*;

    /// # Safety
    /// `handle` must be a live object.
    pub unsafe fn inc_ref(handle: *mut TVMFFIObject) {
        // SAFETY: the caller's promise.
        unsafe { &(*handle).combined_ref_count }.fetch_add(COMBINED_REF_COUNT_STRONG_ONE, Ordering::Relaxed);
    }

    /// # Safety
    /// `handle` must be a live object of which the caller gives up one strong reference.
    pub unsafe fn dec_ref(handle: *mut TVMFFIObject) {
        // SAFETY: the caller's promise; the order of the count protocol is that of the C ABI.
        unsafe {
            let counts = &(*handle).combined_ref_count;
            let old = counts.fetch_sub(COMBINED_REF_COUNT_STRONG_ONE, Ordering::Release);
            if old == COMBINED_REF_COUNT_BOTH_ONE {
                fence(Ordering::Acquire);
                if let Some(delete) = (*handle).deleter {
                    delete(handle.cast(), DELETE_STRONG | DELETE_WEAK);
                }
            } else if old & COMBINED_REF_COUNT_MASK_U32 == COMBINED_REF_COUNT_STRONG_ONE {
                fence(Ordering::Acquire);
                if let Some(delete) = (*handle).deleter {
                    delete(handle.cast(), DELETE_STRONG);
                    if counts.fetch_sub(COMBINED_REF_COUNT_WEAK_ONE, Ordering::Release)
                        == COMBINED_REF_COUNT_WEAK_ONE
                    {
                        fence(Ordering::Acquire);
                        delete(handle.cast(), DELETE_WEAK);
                    }
                }
            }
        }
    }
}

/// A reference to an object of a certain type. Use `derive(ObjectRef)`.
///
/// # Safety
/// The type must hold exactly one [`ObjectArc`] of `ContainerType` (or an `Option` of it, for `Option<R>`).
pub unsafe trait ObjectRefCore: Sized + Clone {
    /// Type of the object.
    type ContainerType: ObjectCore;
    /// The pointer.
    fn data(this: &Self) -> &ObjectArc<Self::ContainerType>;
    /// The pointer, moved out.
    fn into_data(this: Self) -> ObjectArc<Self::ContainerType>;
    /// Wraps a pointer.
    ///
    /// # Safety
    /// The object must satisfy what the reference type promises beyond its container (element types, say).
    unsafe fn from_data(data: ObjectArc<Self::ContainerType>) -> Self;

    /// True when both refer to the same object.
    fn same_as<Other: ObjectRefCore>(&self, other: &Other) -> bool {
        ObjectArc::as_raw(Self::data(self)).cast::<c_void>()
            == ObjectArc::as_raw(Other::data(other)).cast::<c_void>()
    }

    /// The object as an `N`, None when it is not one.
    fn as_node<N: ObjectCore>(&self) -> Option<&N> {
        let header = header_of(Self::data(self));
        // SAFETY: the type test says that the object is an `N`; it lives while `self` does.
        is_instance_of::<N>(header.type_index)
            .then(|| unsafe { &*ObjectArc::as_raw(Self::data(self)).cast::<N>() })
    }
}

/// A reference to an object of any type.
#[repr(C)]
#[derive(Clone)]
pub struct ObjectRef {
    data: ObjectArc<Object>,
}

// SAFETY: one object pointer.
unsafe impl ObjectRefCore for ObjectRef {
    type ContainerType = Object;
    fn data(this: &Self) -> &ObjectArc<Object> {
        &this.data
    }
    fn into_data(this: Self) -> ObjectArc<Object> {
        this.data
    }
    unsafe fn from_data(data: ObjectArc<Object>) -> Self {
        Self { data }
    }
}

crate::impl_object_ref_any!(ObjectRef);

impl std::fmt::Debug for ObjectRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}@{:p}", type_key_of(header_of(&self.data).type_index), ObjectArc::as_raw(&self.data))
    }
}

impl ObjectRef {
    /// Wraps a handle that the caller owns; None for null.
    ///
    /// # Safety
    /// `handle` must be null or a live object of which one strong reference passes to the result.
    pub unsafe fn from_handle(handle: TVMFFIObjectHandle) -> Option<Self> {
        // SAFETY: the caller's promise.
        (!handle.is_null()).then(|| unsafe { Self { data: ObjectArc::from_raw(handle.cast::<Object>()) } })
    }
}

/// Checked casts between reference types.
/// ```
/// use tvm_ffi::object::{ObjectRef, ObjectRefCast};
/// use tvm_ffi::{Any, Array, Map};
///
/// let object = ObjectRef::try_from(Any::from(Array::new(vec![1_i64]))).unwrap();
/// assert_eq!(object.clone().try_cast::<Array<i64>>().unwrap().len(), 1);
/// assert!(object.try_cast::<Map<i64, i64>>().is_err());
/// ```
pub trait ObjectRefCast: ObjectRefCore + AnyCompatible {
    /// The same object as a `B`, or `TypeError` when it is not one. Containers are checked with their elements.
    fn try_cast<B: ObjectRefCore + AnyCompatible>(self) -> Result<B> {
        let mut raw = tvm_ffi_sys::TVMFFIAny::new();
        // SAFETY: `raw` views `self`, which lives to the end; the check precedes the copy.
        unsafe {
            Self::copy_to_any_view(&self, &mut raw);
            if B::check_any_strict(&raw) {
                return Ok(B::copy_from_any_view_after_check(&raw));
            }
            let source = B::get_mismatch_type_info(&raw);
            let text = format!("Cannot convert from type `{source}` to `{}`", B::type_str());
            Err(Error::new(TYPE_ERROR, &text, ""))
        }
    }
}

impl<T: ObjectRefCore + AnyCompatible> ObjectRefCast for T {}

/// True when an object of type `index` is a `T`.
#[doc(hidden)]
pub fn is_instance_of<T: ObjectCore>(index: i32) -> bool {
    if index < TVMFFITypeIndex::kTVMFFIObject as i32 {
        return false;
    }
    if T::TYPE_DEPTH == 0 {
        return true;
    }
    let target = T::type_index();
    if index == target {
        return true;
    }
    if T::TYPE_FINAL || index < target {
        return false;
    }
    // SAFETY: `index` comes from a live object, so the table has it; ancestors are valid up to its depth.
    unsafe {
        let info = &*TVMFFIGetTypeInfo(index);
        info.type_depth > T::TYPE_DEPTH
            && (**info.type_acenstors.add(T::TYPE_DEPTH as usize)).type_index == target
    }
}

/// Key of a type index that a live value carries.
pub(crate) fn type_key_of(index: i32) -> std::string::String {
    match type_info_of(index) {
        // SAFETY: the table's strings live as long as the process; keys are checked on use.
        Some(info) => std::string::String::from_utf8_lossy(unsafe { info.type_key.as_bytes() }).into_owned(),
        None => format!("type_index={index}"),
    }
}

/// The table's entry of a type index; None when the index is not in the table.
pub(crate) fn type_info_of(index: i32) -> Option<&'static TVMFFITypeInfo> {
    if !is_registered(index) {
        return None;
    }
    // SAFETY: entries stay where they are for the life of the process.
    unsafe { TVMFFIGetTypeInfo(index).as_ref() }
}

/// `TVMFFIGetTypeInfo` ends the process on an unknown index, so unknown ones are looked for first.
fn is_registered(index: i32) -> bool {
    use std::sync::atomic::AtomicI32;
    static KNOWN_BELOW: AtomicI32 = AtomicI32::new(0);
    if (0..=TVMFFITypeIndex::kTVMFFIUnchanged as i32).contains(&index)
        || (64..TVMFFITypeIndex::kTVMFFIStaticObjectEnd as i32).contains(&index)
    {
        return true;
    }
    if index < TVMFFITypeIndex::kTVMFFIDynObjectBegin as i32 {
        return false;
    }
    if index < KNOWN_BELOW.load(Ordering::Relaxed) {
        return true;
    }
    let Ok(keys) = registered_type_indices() else { return true };
    let Some(largest) = keys.iter().max() else { return false };
    KNOWN_BELOW.store(largest + 1, Ordering::Relaxed);
    keys.contains(&index)
}

fn registered_type_indices() -> Result<Vec<i32>> {
    let list = crate::Function::get_global("ffi.GetRegisteredTypeKeys")?;
    let keys: crate::Array<crate::String> = list.call_packed(&[])?.try_into()?;
    keys.iter().map(|key| Ok(type_index_of_key(key?.as_str()))).collect()
}

/// Held while a type is registered.
#[doc(hidden)]
pub static TYPE_REGISTRATION: Mutex<()> = Mutex::new(());

/// Registers a type that is defined in Rust, or finds it.
#[doc(hidden)]
pub fn register_type(key: &str, depth: i32, slots: i32, overflow: bool, parent: i32) -> i32 {
    let guard = TYPE_REGISTRATION.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    // SAFETY: `key` outlives the call, which copies it.
    let index = unsafe {
        let key = TVMFFIByteArray::from_str(key);
        TVMFFITypeGetOrAllocIndex(&key, -1, depth, slots, i32::from(overflow), parent)
    };
    drop(guard);
    assert!(index >= 0, "Failed to get or allocate type index for type key: {key}");
    index
}

/// Index of a registered key.
///
/// # Panics
/// When no library registered the key.
#[doc(hidden)]
pub fn type_index_of_key(key: &str) -> i32 {
    let mut index = 0;
    // SAFETY: `key` outlives the call.
    let code = unsafe { TVMFFITypeKeyToIndex(&TVMFFIByteArray::from_str(key), &mut index) };
    if code != 0 {
        drop(Error::from_raised());
        panic!(
            "Type key {key} is not registered: load the library that defines it first, or add #[type_register] if \
             this crate defines it"
        );
    }
    index
}

/// Panics unless a struct is as large as the objects of the type that another library defined.
#[doc(hidden)]
pub fn check_native_size(index: i32, key: &str, size: usize) {
    let Some(info) = type_info_of(index) else { return };
    // SAFETY: null or the table's metadata.
    if let Some(metadata) = unsafe { info.metadata.as_ref() } {
        let native = metadata.total_size as usize;
        assert!(
            native == size,
            "objects of `{key}` have {native} bytes and this Rust struct has {size}: it can read them, not make them"
        );
    }
}

/// A type index that is found once. Failing to find it is not remembered.
#[doc(hidden)]
pub struct CachedTypeIndex(AtomicI32);

impl CachedTypeIndex {
    #[allow(clippy::new_without_default)]
    #[doc(hidden)]
    pub const fn new() -> Self {
        Self(AtomicI32::new(-1))
    }

    /// Remembers the index only when `find` says that the type's description is whole: a thread that sees the index uses the type.
    #[doc(hidden)]
    #[inline]
    pub fn get_or_find(&self, find: impl FnOnce() -> (i32, bool)) -> i32 {
        let known = self.0.load(Ordering::Acquire);
        if known >= 0 {
            return known;
        }
        let (found, whole) = find();
        if whole {
            self.0.store(found, Ordering::Release);
        }
        found
    }
}
