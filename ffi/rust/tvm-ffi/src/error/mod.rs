// SPDX-License-Identifier: Apache-2.0
//! Errors that cross languages: a kind, a message, a backtrace, a cause.

mod detached;

pub use detached::DetachedError;

use crate::object::{Object, ObjectArc, ObjectCore, ObjectRef, ObjectRefCore};
use std::borrow::Cow;
use std::ffi::c_void;
use std::fmt;
use tvm_ffi_sys::{
    TVMFFIByteArray, TVMFFIErrorCell, TVMFFIErrorCreateWithCauseAndExtraContext, TVMFFIErrorMoveFromRaised,
    TVMFFIErrorSetRaised, TVMFFITypeIndex as TypeIndex,
};

/// Kind of an error, such as `ValueError`. Other languages map it to their exception classes.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ErrorKind<'a>(Cow<'a, str>);

impl<'a> ErrorKind<'a> {
    /// A kind of any name.
    pub const fn new(name: &'a str) -> Self {
        Self(Cow::Borrowed(name))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ErrorKind<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ErrorKind<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

macro_rules! kinds {
    ($($constant:ident = $name:literal;)*) => { $(
        #[doc = concat!("The kind `", $name, "`.")]
        pub const $constant: ErrorKind<'static> = ErrorKind::new($name);
    )* };
}

kinds! {
    VALUE_ERROR = "ValueError";
    TYPE_ERROR = "TypeError";
    RUNTIME_ERROR = "RuntimeError";
    ATTRIBUTE_ERROR = "AttributeError";
    KEY_ERROR = "KeyError";
    INDEX_ERROR = "IndexError";
    MEMORY_ERROR = "MemoryError";
    INTERNAL_ERROR = "InternalError";
    OVERFLOW_ERROR = "OverflowError";
    ZERO_DIVISION_ERROR = "ZeroDivisionError";
}

/// Result of what can fail across languages.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The object behind [`Error`].
#[repr(C)]
pub struct ErrorObj {
    base: Object,
    cell: TVMFFIErrorCell,
}

// SAFETY: the layout of `ffi.Error`: header, then the cell.
unsafe impl ObjectCore for ErrorObj {
    const TYPE_KEY: &'static str = "ffi.Error";
    const TYPE_DEPTH: i32 = 1;
    fn type_index() -> i32 {
        TypeIndex::kTVMFFIError as i32
    }
    unsafe fn object_header_mut(this: &mut Self) -> &mut tvm_ffi_sys::TVMFFIObject {
        // SAFETY: passed on.
        unsafe { Object::object_header_mut(&mut this.base) }
    }
}

/// An error, shared with the other languages.
/// `Display` shows `Kind: message`; the alternate form and `Debug` show the traceback too. Clones share.
///
/// ```
/// use tvm_ffi::{bail, Function, Result, VALUE_ERROR};
///
/// fn root(x: f64) -> Result<f64> {
///     if x < 0.0 {
///         bail!(VALUE_ERROR, "{x} has no real root");
///     }
///     Ok(x.sqrt())
/// }
/// let error = Function::from_typed(root).call_tuple((-4.0,)).unwrap_err();
/// assert_eq!(format!("{error}"), "ValueError: -4 has no real root");
/// assert!(error.backtrace().contains("root"));
/// ```
#[repr(C)]
#[derive(Clone)]
pub struct Error {
    data: ObjectArc<ErrorObj>,
}

// SAFETY: one object pointer.
unsafe impl ObjectRefCore for Error {
    type ContainerType = ErrorObj;
    fn data(this: &Self) -> &ObjectArc<ErrorObj> {
        &this.data
    }
    fn into_data(this: Self) -> ObjectArc<ErrorObj> {
        this.data
    }
    unsafe fn from_data(data: ObjectArc<ErrorObj>) -> Self {
        Self { data }
    }
}

crate::impl_object_ref_any!(Error);

/// Text of foreign memory: what is not UTF-8 is cut off, since a message must stay readable.
fn text(bytes: &TVMFFIByteArray) -> &str {
    // SAFETY: the cell's strings live as long as the error that lends them.
    let bytes = unsafe { bytes.as_bytes() };
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or(""),
    }
}

impl Error {
    /// A new error. `backtrace` has one line a frame, most recent call first: `  File "f.rs", line 3, in name` and a newline.
    #[cold]
    pub fn new(kind: ErrorKind<'_>, message: &str, backtrace: &str) -> Self {
        Self::new_with_cause_and_extra_context(kind, message, backtrace, None, None)
    }

    /// A new error with a cause and an object that tells more.
    ///
    /// # Panics
    /// When there is no memory for it.
    pub fn new_with_cause_and_extra_context(
        kind: ErrorKind<'_>,
        message: &str,
        backtrace: &str,
        cause: Option<&Error>,
        extra_context: Option<&ObjectRef>,
    ) -> Self {
        fn handle<R: ObjectRefCore>(reference: Option<&R>) -> *mut c_void {
            reference.map_or(std::ptr::null_mut(), |r| ObjectArc::as_raw(R::data(r)).cast_mut().cast())
        }
        let mut out = std::ptr::null_mut();
        // SAFETY: the strings outlive the call, which copies them and retains the two objects.
        unsafe {
            let code = TVMFFIErrorCreateWithCauseAndExtraContext(
                &TVMFFIByteArray::from_str(kind.as_str()),
                &TVMFFIByteArray::from_str(message),
                &TVMFFIByteArray::from_str(backtrace),
                handle(cause),
                handle(extra_context),
                &mut out,
            );
            assert_eq!(code, 0, "no memory for an error");
            Self { data: ObjectArc::from_raw(out.cast()) }
        }
    }

    /// Takes the error that a C function of this thread raised. When there is none, an `InternalError` that says so.
    pub fn from_raised() -> Self {
        let mut out = std::ptr::null_mut();
        // SAFETY: the call writes null or an owned error.
        unsafe {
            TVMFFIErrorMoveFromRaised(&mut out);
            if out.is_null() {
                return Self::new(INTERNAL_ERROR, "a function failed without raising an error", "");
            }
            Self { data: ObjectArc::from_raw(out.cast()) }
        }
    }

    /// Makes it the pending error of this thread, for a C function that returns -1 next.
    pub fn set_raised(error: &Self) {
        // SAFETY: a live error, which the call retains.
        unsafe { TVMFFIErrorSetRaised(ObjectArc::as_raw(&error.data).cast_mut().cast()) }
    }

    /// The kind.
    pub fn kind(&self) -> ErrorKind<'_> {
        ErrorKind::new(text(&self.data.cell.kind))
    }

    /// The message.
    pub fn message(&self) -> &str {
        text(&self.data.cell.message)
    }

    /// One line a frame, most recent call first.
    pub fn backtrace(&self) -> &str {
        text(&self.data.cell.backtrace)
    }

    /// The error that led to this one.
    pub fn cause_chain(&self) -> Option<Error> {
        let cause = self.data.cell.cause_chain;
        // SAFETY: null or a live error that this one owns; the result has a reference of its own.
        (!cause.is_null()).then(|| unsafe {
            crate::object::unsafe_::inc_ref(cause.cast());
            Self { data: ObjectArc::from_raw(cause.cast()) }
        })
    }

    /// The object that tells more.
    pub fn extra_context(&self) -> Option<ObjectRef> {
        let context = self.data.cell.extra_context;
        if context.is_null() {
            return None;
        }
        // SAFETY: a live object that the error owns; the result has a reference of its own.
        unsafe {
            crate::object::unsafe_::inc_ref(context.cast());
            ObjectRef::from_handle(context)
        }
    }

    /// The backtrace as Python shows it: most recent call last.
    pub fn traceback_most_recent_call_last(&self) -> String {
        most_recent_last(self.backtrace())
    }

    /// The error with more frames at the end of its backtrace. A shared error is copied, its cause and context kept.
    pub fn with_appended_backtrace(this: Self, more: &str) -> Self {
        if ObjectArc::strong_count(&this.data) == 1 {
            let object = ObjectArc::as_raw(&this.data).cast_mut();
            // SAFETY: `this` is the only reference; the C function changes the text in place and copies `more`.
            unsafe {
                let update = (*object).cell.update_backtrace;
                update(object.cast(), &TVMFFIByteArray::from_str(more), 1);
            }
            return this;
        }
        let backtrace = format!("{}{more}", this.backtrace());
        Self::new_with_cause_and_extra_context(
            this.kind(),
            this.message(),
            &backtrace,
            this.cause_chain().as_ref(),
            this.extra_context().as_ref(),
        )
    }
}

/// The lines of a backtrace as Python shows them: most recent call last.
fn most_recent_last(backtrace: &str) -> String {
    backtrace.lines().rev().fold(String::new(), |out, line| out + line + "\n")
}

fn write_traceback(
    f: &mut fmt::Formatter<'_>,
    backtrace: &str,
    kind: &ErrorKind<'_>,
    message: &str,
) -> fmt::Result {
    if !backtrace.is_empty() {
        write!(f, "Traceback (most recent call last):\n{}", most_recent_last(backtrace))?;
    }
    write!(f, "{kind}: {message}")
}

/// `Kind: message`; the alternate form `{:#}` has the traceback before it.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            return write_traceback(f, self.backtrace(), &self.kind(), self.message());
        }
        write!(f, "{}: {}", self.kind(), self.message())
    }
}

/// The traceback, then `Kind: message`, as Python prints an uncaught error.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_traceback(f, self.backtrace(), &self.kind(), self.message())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        const { assert!(size_of::<Error>() == size_of::<*mut c_void>()) };
        let cause = &raw const self.data.cell.cause_chain;
        // SAFETY: an `Error` is one pointer to an error object, and so is a cause that is not null; it stays as long as this error.
        unsafe { (!(*cause).is_null()).then(|| &*cause.cast::<Error>() as _) }
    }
}
