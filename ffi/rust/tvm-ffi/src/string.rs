// SPDX-License-Identifier: Apache-2.0
//! Text and bytes as values: up to 7 bytes in place, longer ones in a shared object.

use crate::error::{Error, VALUE_ERROR};
use crate::object::{unsafe_, Object, ObjectArc, ObjectCoreWithExtraItems};
use crate::type_traits::{AnyCompatible, FieldKind};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::string::String as StdString;
use tvm_ffi_sys::{TVMFFIAny, TVMFFIByteArray, TVMFFIObject, TVMFFITypeIndex as TypeIndex};

/// Text, always UTF-8. 16 bytes wide; clones share.
/// ```
/// use tvm_ffi::String;
///
/// let text = String::from("kiln");
/// assert_eq!((text.len(), text.as_str(), &text[1..]), (4, "kiln", "iln"));
/// assert!(text < String::from("kin"));
/// ```
#[repr(C)]
pub struct String {
    data: TVMFFIAny,
}

/// Bytes. 16 bytes wide; clones share.
#[repr(C)]
pub struct Bytes {
    data: TVMFFIAny,
}

const SMALL_MOST: usize = 7;

/// A small value of up to 7 bytes.
fn small(index: TypeIndex, bytes: &[u8]) -> TVMFFIAny {
    let mut out = TVMFFIAny::new();
    out.type_index = index as i32;
    out.small_str_len = bytes.len() as u32;
    let mut content = [0; 8];
    content[..bytes.len()].copy_from_slice(bytes);
    out.data_union.v_bytes = content;
    out
}

/// The bytes of a string or bytes value, in any of its forms.
///
/// # Safety
/// `value` must be live and of such a type; the result lives as long as it does.
unsafe fn content(value: &TVMFFIAny) -> &[u8] {
    if value.type_index < TypeIndex::kTVMFFIStaticObjectBegin as i32 {
        // SAFETY: a small value holds its bytes.
        let bytes = unsafe { &value.data_union.v_bytes };
        return &bytes[..(value.small_str_len as usize).min(SMALL_MOST)];
    }
    // SAFETY: a string object's byte array follows its header.
    unsafe { (*value.data_union.v_obj.add(1).cast::<TVMFFIByteArray>()).as_bytes() }
}

macro_rules! shared_behaviour {
    ($ty:ident, $object:ident, $key:literal, $small:ident, $heap:ident) => {
        /// The object of longer contents: the bytes and a terminating zero follow it.
        #[repr(C)]
        #[derive(tvm_ffi_macros::Object)]
        #[type_key = $key]
        #[type_index(TypeIndex::$heap as i32)]
        struct $object {
            base: Object,
            bytes: TVMFFIByteArray,
        }

        // SAFETY: `make` allocates the bytes and the zero behind the object.
        unsafe impl ObjectCoreWithExtraItems for $object {
            type ExtraItem = u8;
            fn extra_items_count(this: &Self) -> usize {
                this.bytes.size + 1
            }
        }

        impl $ty {
            fn make(bytes: &[u8]) -> Self {
                if bytes.len() <= SMALL_MOST {
                    return Self { data: small(TypeIndex::$small, bytes) };
                }
                let content = TVMFFIByteArray::new(std::ptr::null(), bytes.len());
                let object =
                    ObjectArc::new_with_extra_items::<u8>($object { base: Object::new(), bytes: content });
                let object = ObjectArc::into_raw(object).cast_mut();
                // SAFETY: the object is new and unshared; the room behind it takes the bytes and the zero.
                unsafe {
                    let room = object.add(1).cast::<u8>();
                    std::ptr::copy_nonoverlapping(bytes.as_ptr(), room, bytes.len());
                    room.add(bytes.len()).write(0);
                    (*object).bytes.data = room;
                }
                let mut data = TVMFFIAny::new();
                crate::type_traits::object_view(object.cast(), TypeIndex::$heap as i32, &mut data);
                Self { data }
            }

            /// Number of bytes.
            pub fn len(&self) -> usize {
                self.raw_bytes().len()
            }

            /// True when there are none.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            fn raw_bytes(&self) -> &[u8] {
                // SAFETY: `data` is of this type for as long as `self` lives.
                unsafe { content(&self.data) }
            }
        }

        impl Clone for $ty {
            fn clone(&self) -> Self {
                if self.data.type_index >= TypeIndex::kTVMFFIStaticObjectBegin as i32 {
                    // SAFETY: a live object.
                    unsafe { unsafe_::inc_ref(self.data.data_union.v_obj) }
                }
                Self { data: self.data }
            }
        }

        impl Drop for $ty {
            fn drop(&mut self) {
                if self.data.type_index >= TypeIndex::kTVMFFIStaticObjectBegin as i32 {
                    // SAFETY: the value owns one reference.
                    unsafe { unsafe_::dec_ref(self.data.data_union.v_obj) }
                }
            }
        }

        // SAFETY: the contents never change and the counts are atomic.
        unsafe impl Send for $ty {}
        // SAFETY: as above.
        unsafe impl Sync for $ty {}

        impl PartialEq for $ty {
            fn eq(&self, other: &Self) -> bool {
                self.raw_bytes() == other.raw_bytes()
            }
        }
        impl Eq for $ty {}
        impl PartialOrd for $ty {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }
        impl Ord for $ty {
            fn cmp(&self, other: &Self) -> Ordering {
                self.raw_bytes().cmp(other.raw_bytes())
            }
        }
        impl Hash for $ty {
            fn hash<H: Hasher>(&self, state: &mut H) {
                Deref::deref(self).hash(state);
            }
        }

        crate::impl_try_from_any!($ty);
        crate::impl_arg_into_ref!($ty);
        crate::impl_into_arg_holder_default!($ty);
    };
}

shared_behaviour!(String, StringObj, "ffi.String", kTVMFFISmallStr, kTVMFFIStr);
shared_behaviour!(Bytes, BytesObj, "ffi.Bytes", kTVMFFISmallBytes, kTVMFFIBytes);

impl String {
    /// Empty text.
    pub fn new() -> Self {
        Self::make(b"")
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        // SAFETY: checked when the value was made or converted.
        unsafe { std::str::from_utf8_unchecked(self.raw_bytes()) }
    }

    /// The bytes of the text.
    pub fn as_bytes(&self) -> &[u8] {
        self.raw_bytes()
    }
}

impl Bytes {
    /// No bytes.
    pub fn new() -> Self {
        Self::make(b"")
    }

    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        self.raw_bytes()
    }
}

impl Default for String {
    fn default() -> Self {
        Self::new()
    }
}
impl Default for Bytes {
    fn default() -> Self {
        Self::new()
    }
}
impl<T: AsRef<str>> From<T> for String {
    fn from(text: T) -> Self {
        Self::make(text.as_ref().as_bytes())
    }
}
impl<T: AsRef<[u8]>> From<T> for Bytes {
    fn from(bytes: T) -> Self {
        Self::make(bytes.as_ref())
    }
}
impl Deref for String {
    type Target = str;
    fn deref(&self) -> &str {
        self.as_str()
    }
}
impl Deref for Bytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        self.as_slice()
    }
}
impl PartialEq<str> for String {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}
impl PartialEq<&str> for String {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}
impl PartialEq<StdString> for String {
    fn eq(&self, other: &StdString) -> bool {
        self.as_str() == other
    }
}
impl PartialEq<&[u8]> for Bytes {
    fn eq(&self, other: &&[u8]) -> bool {
        self.as_slice() == *other
    }
}
impl<const N: usize> PartialEq<[u8; N]> for Bytes {
    fn eq(&self, other: &[u8; N]) -> bool {
        self.as_slice() == other
    }
}
impl PartialEq<[u8]> for Bytes {
    fn eq(&self, other: &[u8]) -> bool {
        self.as_slice() == other
    }
}
impl fmt::Display for String {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_str(), f)
    }
}
impl fmt::Debug for String {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ffi.String {{ data: {:?} }}", self.as_str())
    }
}
impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_slice())
    }
}
impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ffi.Bytes {{ data: {:?} }}", self.as_slice())
    }
}

/// The bytes of a text value, or with `text` false of a bytes value, borrowed in place; None for values of other types.
pub(crate) fn borrow_bytes(value: &TVMFFIAny, text: bool) -> Option<&[u8]> {
    let (small, heap) = if text {
        (TypeIndex::kTVMFFISmallStr, TypeIndex::kTVMFFIStr)
    } else {
        (TypeIndex::kTVMFFISmallBytes, TypeIndex::kTVMFFIBytes)
    };
    // SAFETY: the type index says what the payload is; a borrowed one lives as long as the view that carries it.
    unsafe {
        if is_form(value, small, heap) {
            Some(content(value))
        } else if text && value.type_index == TypeIndex::kTVMFFIRawStr as i32 {
            Some(std::ffi::CStr::from_ptr(value.data_union.v_c_str).to_bytes())
        } else if !text && value.type_index == TypeIndex::kTVMFFIByteArrayPtr as i32 {
            value.data_union.v_ptr.cast::<TVMFFIByteArray>().as_ref().map(|bytes| bytes.as_bytes())
        } else {
            None
        }
    }
}

/// True for the two owned forms.
fn is_form(value: &TVMFFIAny, small: TypeIndex, heap: TypeIndex) -> bool {
    value.type_index == small as i32 || value.type_index == heap as i32
}

// SAFETY: the value is the string itself; text of other languages passes only when it is UTF-8.
unsafe impl AnyCompatible for String {
    const FIELD_KIND: FieldKind = FieldKind::Cell;
    unsafe fn copy_to_any_view(this: &Self, out: &mut TVMFFIAny) {
        *out = this.data;
    }
    unsafe fn move_to_any(this: Self, out: &mut TVMFFIAny) {
        *out = this.data;
        std::mem::forget(this);
    }
    unsafe fn check_any_strict(value: &TVMFFIAny) -> bool {
        is_form(value, TypeIndex::kTVMFFISmallStr, TypeIndex::kTVMFFIStr)
            // SAFETY: a string value.
            && std::str::from_utf8(unsafe { content(value) }).is_ok()
    }
    unsafe fn copy_from_any_view_after_check(value: &TVMFFIAny) -> Self {
        // The temporary stands for the view; its clone has a reference of its own.
        let borrowed = std::mem::ManuallyDrop::new(Self { data: *value });
        Self::clone(&borrowed)
    }
    unsafe fn move_from_any_after_check(value: &mut TVMFFIAny) -> Self {
        Self { data: std::mem::take(value) }
    }
    unsafe fn try_cast_from_any_view(value: &TVMFFIAny) -> Result<Self, ()> {
        // SAFETY: the copy follows a true check; a raw string is NUL-terminated.
        unsafe {
            if Self::check_any_strict(value) {
                return Ok(Self::copy_from_any_view_after_check(value));
            }
            if value.type_index == TypeIndex::kTVMFFIRawStr as i32 {
                let text = std::ffi::CStr::from_ptr(value.data_union.v_c_str);
                return text.to_str().map(Self::from).map_err(|_| ());
            }
        }
        Err(())
    }
    unsafe fn cast_error(value: &TVMFFIAny, prefix: &str) -> Error {
        let text = is_form(value, TypeIndex::kTVMFFISmallStr, TypeIndex::kTVMFFIStr)
            || value.type_index == TypeIndex::kTVMFFIRawStr as i32;
        if text {
            return Error::new(VALUE_ERROR, &format!("{prefix}the text is not valid UTF-8"), "");
        }
        let key = crate::object::type_key_of(value.type_index);
        let text = format!("{prefix}Cannot convert from type `{key}` to `ffi.String`");
        Error::new(crate::error::TYPE_ERROR, &text, "")
    }
    fn type_str() -> StdString {
        "ffi.String".into()
    }
}

// SAFETY: the value is the bytes themselves.
unsafe impl AnyCompatible for Bytes {
    const FIELD_KIND: FieldKind = FieldKind::Cell;
    unsafe fn copy_to_any_view(this: &Self, out: &mut TVMFFIAny) {
        *out = this.data;
    }
    unsafe fn move_to_any(this: Self, out: &mut TVMFFIAny) {
        *out = this.data;
        std::mem::forget(this);
    }
    unsafe fn check_any_strict(value: &TVMFFIAny) -> bool {
        is_form(value, TypeIndex::kTVMFFISmallBytes, TypeIndex::kTVMFFIBytes)
    }
    unsafe fn copy_from_any_view_after_check(value: &TVMFFIAny) -> Self {
        let borrowed = std::mem::ManuallyDrop::new(Self { data: *value });
        Self::clone(&borrowed)
    }
    unsafe fn move_from_any_after_check(value: &mut TVMFFIAny) -> Self {
        Self { data: std::mem::take(value) }
    }
    unsafe fn try_cast_from_any_view(value: &TVMFFIAny) -> Result<Self, ()> {
        // SAFETY: the copy follows a true check; a byte array pointer is live for the call.
        unsafe {
            if Self::check_any_strict(value) {
                return Ok(Self::copy_from_any_view_after_check(value));
            }
            if value.type_index == TypeIndex::kTVMFFIByteArrayPtr as i32 {
                let bytes = value.data_union.v_ptr.cast::<TVMFFIByteArray>().as_ref().ok_or(())?;
                return Ok(Self::make(bytes.as_bytes()));
            }
        }
        Err(())
    }
    fn type_str() -> StdString {
        "ffi.Bytes".into()
    }
}

const _: () = assert!(size_of::<String>() == 16 && size_of::<Bytes>() == 16);
const _: () = assert!(size_of::<TVMFFIObject>() == 24);
