// SPDX-License-Identifier: Apache-2.0
//! `tvm/ffi/c_api.h`: values, objects, types, functions, errors, tensors.

use crate::{DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLTensor};
use std::ffi::{c_char, c_void};
use std::sync::atomic::AtomicU64;

/// Type indices that every library agrees on.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum TVMFFITypeIndex {
    kTVMFFIAny = -1,
    kTVMFFINone = 0,
    kTVMFFIInt = 1,
    kTVMFFIBool = 2,
    kTVMFFIFloat = 3,
    kTVMFFIOpaquePtr = 4,
    kTVMFFIDataType = 5,
    kTVMFFIDevice = 6,
    kTVMFFIDLTensorPtr = 7,
    kTVMFFIRawStr = 8,
    kTVMFFIByteArrayPtr = 9,
    kTVMFFIObjectRValueRef = 10,
    kTVMFFISmallStr = 11,
    kTVMFFISmallBytes = 12,
    kTVMFFIUnchanged = 13,
    kTVMFFIStaticObjectBegin = 64,
    kTVMFFIStr = 65,
    kTVMFFIBytes = 66,
    kTVMFFIError = 67,
    kTVMFFIFunction = 68,
    kTVMFFIShape = 69,
    kTVMFFITensor = 70,
    kTVMFFIArray = 71,
    kTVMFFIMap = 72,
    kTVMFFIModule = 73,
    kTVMFFIOpaquePyObject = 74,
    kTVMFFIList = 75,
    kTVMFFIDict = 76,
    kTVMFFIVisitInterrupt = 77,
    kTVMFFIBigInt = 78,
    kTVMFFIStaticObjectEnd = 79,
    kTVMFFIDynObjectBegin = 128,
}

impl TVMFFITypeIndex {
    /// `ffi.Object`, the same number as the first static object index.
    pub const kTVMFFIObject: TVMFFITypeIndex = TVMFFITypeIndex::kTVMFFIStaticObjectBegin;
}

/// What an object's deleter has to do.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum TVMFFIObjectDeleterFlagBitMask {
    kTVMFFIObjectDeleterFlagBitMaskStrong = 1,
    kTVMFFIObjectDeleterFlagBitMaskWeak = 2,
    kTVMFFIObjectDeleterFlagBitMaskBoth = 3,
}

/// Flags of a reflected field or method.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum TVMFFIFieldFlagBitMask {
    kTVMFFIFieldFlagBitMaskWritable = 1 << 0,
    kTVMFFIFieldFlagBitMaskHasDefault = 1 << 1,
    kTVMFFIFieldFlagBitMaskIsStaticMethod = 1 << 2,
    kTVMFFIFieldFlagBitMaskSEqHashIgnore = 1 << 3,
    kTVMFFIFieldFlagBitMaskSEqHashDefPattern = 1 << 4,
    kTVMFFIFieldFlagBitMaskDefaultFromFactory = 1 << 5,
    kTVMFFIFieldFlagBitMaskReprOff = 1 << 6,
    kTVMFFIFieldFlagBitMaskCompareOff = 1 << 7,
    kTVMFFIFieldFlagBitMaskHashOff = 1 << 8,
    kTVMFFIFieldFlagBitMaskInitOff = 1 << 9,
    kTVMFFIFieldFlagBitMaskKwOnly = 1 << 10,
    kTVMFFIFieldFlagBitSetterIsFunctionObj = 1 << 11,
    kTVMFFIFieldFlagBitMaskSEqHashDefSimple = 1 << 12,
}

/// How a type takes part in structural equality and hashing.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum TVMFFISEqHashKind {
    kTVMFFISEqHashKindUnsupported = 0,
    kTVMFFISEqHashKindTreeNode = 1,
    kTVMFFISEqHashKindFreeVar = 2,
    kTVMFFISEqHashKindDAGNode = 3,
    kTVMFFISEqHashKindConstTreeNode = 4,
    kTVMFFISEqHashKindUniqueInstance = 5,
}

/// Definition regions of structural walks.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum TVMFFIDefRegionKind {
    kTVMFFIDefRegionKindNone = 0,
    kTVMFFIDefRegionKindPattern = 1,
    kTVMFFIDefRegionKindSimple = 2,
}

/// How `update_backtrace` treats the stored text.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum TVMFFIBacktraceUpdateMode {
    kTVMFFIBacktraceUpdateModeReplace = 0,
    kTVMFFIBacktraceUpdateModeAppend = 1,
}

/// Address of an object's header.
pub type TVMFFIObjectHandle = *mut c_void;
/// Destroys (flag 1) and frees (flag 2) an object.
pub type TVMFFIObjectDeleter = unsafe extern "C" fn(*mut c_void, i32);
/// The calling convention of every function.
pub type TVMFFISafeCallType = unsafe extern "C" fn(*mut c_void, *const TVMFFIAny, i32, *mut TVMFFIAny) -> i32;
/// Reads a field into an owned value.
pub type TVMFFIFieldGetter = unsafe extern "C" fn(*mut c_void, *mut TVMFFIAny) -> i32;
/// Writes a field from a borrowed value.
pub type TVMFFIFieldSetter = unsafe extern "C" fn(*mut c_void, *const TVMFFIAny) -> i32;
/// Makes an empty object.
pub type TVMFFIObjectCreator = unsafe extern "C" fn(*mut TVMFFIObjectHandle) -> i32;

/// Low half of the combined count: strong references.
pub const COMBINED_REF_COUNT_MASK_U32: u64 = (1 << 32) - 1;
/// One strong reference.
pub const COMBINED_REF_COUNT_STRONG_ONE: u64 = 1;
/// One weak reference.
pub const COMBINED_REF_COUNT_WEAK_ONE: u64 = 1 << 32;
/// The count of a new object: one strong reference and the weak one that all strong ones share.
pub const COMBINED_REF_COUNT_BOTH_ONE: u64 = COMBINED_REF_COUNT_STRONG_ONE | COMBINED_REF_COUNT_WEAK_ONE;

/// Header of every object.
#[repr(C)]
pub struct TVMFFIObject {
    /// Low 32 bits strong, high 32 bits weak.
    pub combined_ref_count: AtomicU64,
    /// Runtime type.
    pub type_index: i32,
    /// Zero.
    pub __padding: u32,
    /// Called when a count reaches zero.
    pub deleter: Option<TVMFFIObjectDeleter>,
}

impl TVMFFIObject {
    /// A header of zeros.
    pub fn new() -> Self {
        Self { combined_ref_count: AtomicU64::new(0), type_index: 0, __padding: 0, deleter: None }
    }
}

impl Default for TVMFFIObject {
    fn default() -> Self {
        Self::new()
    }
}

/// Payload of a value.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_docs)]
pub union TVMFFIAnyDataUnion {
    pub v_int64: i64,
    pub v_float64: f64,
    pub v_ptr: *mut c_void,
    pub v_c_str: *const c_char,
    pub v_obj: *mut TVMFFIObject,
    pub v_dtype: DLDataType,
    pub v_device: DLDevice,
    pub v_bytes: [u8; 8],
    pub v_uint64: u64,
}

/// A value: type index, length of a small string, payload. Unused bytes are zero.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct TVMFFIAny {
    /// See [`TVMFFITypeIndex`].
    pub type_index: i32,
    /// Length of a small string or bytes, else zero.
    pub small_str_len: u32,
    /// The payload.
    pub data_union: TVMFFIAnyDataUnion,
}

impl TVMFFIAny {
    /// None.
    pub const fn new() -> Self {
        Self { type_index: 0, small_str_len: 0, data_union: TVMFFIAnyDataUnion { v_uint64: 0 } }
    }
}

impl Default for TVMFFIAny {
    fn default() -> Self {
        Self::new()
    }
}

/// Borrowed bytes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct TVMFFIByteArray {
    /// May be null when `size` is 0.
    pub data: *const u8,
    /// Number of bytes.
    pub size: usize,
}

impl TVMFFIByteArray {
    /// Bytes at an address.
    pub const fn new(data: *const u8, size: usize) -> Self {
        Self { data, size }
    }

    /// The bytes.
    ///
    /// # Safety
    /// `data` must point to `size` readable bytes that outlive `'a`, or `size` must be 0.
    pub unsafe fn as_bytes<'a>(&self) -> &'a [u8] {
        if self.size == 0 {
            return &[];
        }
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts(self.data, self.size) }
    }

    /// The text, without a check.
    ///
    /// # Safety
    /// As [`Self::as_bytes`], and the bytes must be UTF-8.
    pub unsafe fn as_str<'a>(&self) -> &'a str {
        // SAFETY: the caller's promise.
        unsafe { std::str::from_utf8_unchecked(self.as_bytes()) }
    }

    /// Borrows a text. It must outlive the use of the result.
    ///
    /// # Safety
    /// The result carries no lifetime: the caller keeps `text` alive.
    pub unsafe fn from_str(text: &str) -> Self {
        Self::new(text.as_ptr(), text.len())
    }
}

/// Cell of a function, 24 bytes after the header's start.
#[repr(C)]
pub struct TVMFFIFunctionCell {
    /// The C entry; its handle argument is the function object.
    pub safe_call: TVMFFISafeCallType,
    /// The C++ entry, or null.
    pub cxx_call: *mut c_void,
}

// SAFETY: the cell is written once, before the function object is shared.
unsafe impl Send for TVMFFIFunctionCell {}
// SAFETY: as above.
unsafe impl Sync for TVMFFIFunctionCell {}

/// Cell of an error.
#[repr(C)]
#[allow(missing_docs)]
pub struct TVMFFIErrorCell {
    pub kind: TVMFFIByteArray,
    pub message: TVMFFIByteArray,
    /// Most recent call first.
    pub backtrace: TVMFFIByteArray,
    pub update_backtrace: unsafe extern "C" fn(*mut c_void, *const TVMFFIByteArray, i32),
    /// Owned, may be null.
    pub cause_chain: TVMFFIObjectHandle,
    /// Owned, may be null.
    pub extra_context: TVMFFIObjectHandle,
}

/// Cell of a shape.
#[repr(C)]
#[allow(missing_docs)]
pub struct TVMFFIShapeCell {
    pub data: *const i64,
    pub size: usize,
}

/// Cell of an array or list.
#[repr(C)]
#[allow(missing_docs)]
pub struct TVMFFISeqCell {
    pub data: *mut TVMFFIAny,
    pub size: i64,
    pub capacity: i64,
    pub data_deleter: Option<unsafe extern "C" fn(*mut c_void)>,
}

/// Cell of an opaque object.
#[repr(C)]
#[allow(missing_docs)]
pub struct TVMFFIOpaqueObjectCell {
    pub handle: *mut c_void,
}

/// Version of the library.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct TVMFFIVersion {
    pub major: u32,
    pub minor: u32,
    pub patch: u32,
}

/// A reflected field.
#[repr(C)]
#[allow(missing_docs)]
pub struct TVMFFIFieldInfo {
    pub name: TVMFFIByteArray,
    pub doc: TVMFFIByteArray,
    pub metadata: TVMFFIByteArray,
    pub flags: i64,
    pub size: i64,
    pub alignment: i64,
    /// From the header's address.
    pub offset: i64,
    pub getter: Option<TVMFFIFieldGetter>,
    pub setter: *mut c_void,
    pub default_value_or_factory: TVMFFIAny,
    pub field_static_type_index: i32,
}

/// A reflected method.
#[repr(C)]
#[allow(missing_docs)]
pub struct TVMFFIMethodInfo {
    pub name: TVMFFIByteArray,
    pub doc: TVMFFIByteArray,
    pub metadata: TVMFFIByteArray,
    pub flags: i64,
    pub method: TVMFFIAny,
}

/// What a type says of itself beside fields and methods.
#[repr(C)]
#[allow(missing_docs)]
pub struct TVMFFITypeMetadata {
    pub doc: TVMFFIByteArray,
    pub creator: Option<TVMFFIObjectCreator>,
    pub total_size: i32,
    pub structural_eq_hash_kind: i32,
}

/// Values of one attribute for all types.
#[repr(C)]
#[allow(missing_docs)]
pub struct TVMFFITypeAttrColumn {
    pub data: *const TVMFFIAny,
    pub size: i32,
    pub begin_index: i32,
}

/// An entry of the type table.
#[repr(C)]
#[allow(missing_docs)]
pub struct TVMFFITypeInfo {
    pub type_index: i32,
    pub type_depth: i32,
    pub type_key: TVMFFIByteArray,
    /// `type_depth` ancestors, `ffi.Object` first. (The name is spelled so in existing code.)
    pub type_acenstors: *const *const TVMFFITypeInfo,
    pub type_key_hash: u64,
    pub num_fields: i32,
    pub num_methods: i32,
    pub fields: *const TVMFFIFieldInfo,
    pub methods: *const TVMFFIMethodInfo,
    pub metadata: *const TVMFFITypeMetadata,
}

/// Precedes a body made by a custom allocator.
#[repr(C)]
#[allow(missing_docs)]
pub struct TVMFFIObjectAllocHeader {
    pub delete_space: Option<unsafe extern "C" fn(*mut c_void)>,
}

/// An allocator of objects.
#[repr(C)]
#[allow(missing_docs)]
pub struct TVMFFICustomAllocator {
    pub allocate: Option<unsafe extern "C" fn(usize, usize, i32, *mut c_void) -> *mut c_void>,
    pub context: *mut c_void,
}

#[allow(missing_docs)]
unsafe extern "C" {
    pub fn TVMFFIGetVersion(out_version: *mut TVMFFIVersion);

    pub fn TVMFFIObjectIncRef(obj: TVMFFIObjectHandle) -> i32;
    pub fn TVMFFIObjectDecRef(obj: TVMFFIObjectHandle) -> i32;
    pub fn TVMFFIObjectCreateOpaque(
        handle: *mut c_void,
        type_index: i32,
        deleter: Option<unsafe extern "C" fn(*mut c_void)>,
        out: *mut TVMFFIObjectHandle,
    ) -> i32;
    pub fn TVMFFITypeKeyToIndex(type_key: *const TVMFFIByteArray, out_tindex: *mut i32) -> i32;
    pub fn TVMFFITypeGetOrAllocIndex(
        type_key: *const TVMFFIByteArray,
        static_type_index: i32,
        type_depth: i32,
        num_child_slots: i32,
        child_slots_can_overflow: i32,
        parent_type_index: i32,
    ) -> i32;
    pub fn TVMFFIGetTypeInfo(type_index: i32) -> *const TVMFFITypeInfo;
    pub fn TVMFFITypeRegisterField(type_index: i32, info: *const TVMFFIFieldInfo) -> i32;
    pub fn TVMFFITypeRegisterMethod(type_index: i32, info: *const TVMFFIMethodInfo) -> i32;
    pub fn TVMFFITypeRegisterMetadata(type_index: i32, metadata: *const TVMFFITypeMetadata) -> i32;
    pub fn TVMFFITypeRegisterAttr(
        type_index: i32,
        attr_name: *const TVMFFIByteArray,
        attr_value: *const TVMFFIAny,
    ) -> i32;
    pub fn TVMFFIGetTypeAttrColumn(attr_name: *const TVMFFIByteArray) -> *const TVMFFITypeAttrColumn;
    pub fn TVMFFIGetCustomAllocator() -> *mut TVMFFICustomAllocator;
    pub fn TVMFFISetCustomAllocator(allocator: *mut TVMFFICustomAllocator) -> i32;
    pub fn TVMFFIHandleInitOnce(
        handle_addr: *mut *mut c_void,
        init_func: unsafe extern "C" fn(*mut *mut c_void) -> i32,
    ) -> i32;
    pub fn TVMFFIHandleDeinitOnce(
        handle_addr: *mut *mut c_void,
        deinit_func: unsafe extern "C" fn(*mut c_void) -> i32,
    ) -> i32;

    pub fn TVMFFIAnyViewToOwnedAny(any_view: *const TVMFFIAny, out: *mut TVMFFIAny) -> i32;
    pub fn TVMFFIStringFromByteArray(input: *const TVMFFIByteArray, out: *mut TVMFFIAny) -> i32;
    pub fn TVMFFIBytesFromByteArray(input: *const TVMFFIByteArray, out: *mut TVMFFIAny) -> i32;
    pub fn TVMFFIBigIntFromByteArray(input: *const TVMFFIByteArray, out: *mut TVMFFIAny) -> i32;
    pub fn TVMFFIBigIntGetContentByteArray(value: *const TVMFFIAny) -> TVMFFIByteArray;
    pub fn TVMFFIDataTypeFromString(text: *const TVMFFIByteArray, out: *mut DLDataType) -> i32;
    pub fn TVMFFIDataTypeToString(dtype: *const DLDataType, out: *mut TVMFFIAny) -> i32;

    pub fn TVMFFIFunctionCreate(
        self_: *mut c_void,
        safe_call: TVMFFISafeCallType,
        deleter: Option<unsafe extern "C" fn(*mut c_void)>,
        out: *mut TVMFFIObjectHandle,
    ) -> i32;
    pub fn TVMFFIFunctionCall(
        func: TVMFFIObjectHandle,
        args: *mut TVMFFIAny,
        num_args: i32,
        result: *mut TVMFFIAny,
    ) -> i32;
    pub fn TVMFFIFunctionGetGlobal(name: *const TVMFFIByteArray, out: *mut TVMFFIObjectHandle) -> i32;
    pub fn TVMFFIFunctionSetGlobal(
        name: *const TVMFFIByteArray,
        f: TVMFFIObjectHandle,
        allow_override: i32,
    ) -> i32;
    pub fn TVMFFIFunctionSetGlobalFromMethodInfo(
        method_info: *const TVMFFIMethodInfo,
        allow_override: i32,
    ) -> i32;

    pub fn TVMFFIErrorCreate(
        kind: *const TVMFFIByteArray,
        message: *const TVMFFIByteArray,
        backtrace: *const TVMFFIByteArray,
        out: *mut TVMFFIObjectHandle,
    ) -> i32;
    pub fn TVMFFIErrorCreateWithCauseAndExtraContext(
        kind: *const TVMFFIByteArray,
        message: *const TVMFFIByteArray,
        backtrace: *const TVMFFIByteArray,
        cause_chain: TVMFFIObjectHandle,
        extra_context: TVMFFIObjectHandle,
        out: *mut TVMFFIObjectHandle,
    ) -> i32;
    pub fn TVMFFIErrorSetRaised(error: TVMFFIObjectHandle);
    pub fn TVMFFIErrorSetRaisedFromCStr(kind: *const c_char, message: *const c_char);
    pub fn TVMFFIErrorSetRaisedFromCStrParts(
        kind: *const c_char,
        message_parts: *mut *const c_char,
        num_parts: i32,
    );
    pub fn TVMFFIErrorMoveFromRaised(out: *mut TVMFFIObjectHandle);
    pub fn TVMFFIBacktrace(
        filename: *const c_char,
        lineno: i32,
        func: *const c_char,
        cross_ffi_boundary: i32,
    ) -> *const TVMFFIByteArray;

    pub fn TVMFFITensorFromDLPack(
        from: *mut DLManagedTensor,
        require_alignment: i32,
        require_contiguous: i32,
        out: *mut TVMFFIObjectHandle,
    ) -> i32;
    pub fn TVMFFITensorFromDLPackVersioned(
        from: *mut DLManagedTensorVersioned,
        require_alignment: i32,
        require_contiguous: i32,
        out: *mut TVMFFIObjectHandle,
    ) -> i32;
    pub fn TVMFFITensorToDLPack(from: TVMFFIObjectHandle, out: *mut *mut DLManagedTensor) -> i32;
    pub fn TVMFFITensorToDLPackVersioned(
        from: TVMFFIObjectHandle,
        out: *mut *mut DLManagedTensorVersioned,
    ) -> i32;
    pub fn TVMFFITensorCreateUnsafeView(
        source: TVMFFIObjectHandle,
        prototype: *const DLTensor,
        out: *mut TVMFFIObjectHandle,
    ) -> i32;
}

#[cfg(feature = "testing")]
#[allow(missing_docs)]
unsafe extern "C" {
    pub fn TVMFFITestingDummyTarget() -> i32;
}
