// SPDX-License-Identifier: Apache-2.0
//! The structures of DLPack 1.3.

use std::ffi::c_void;

/// Kinds of device. Values from foreign memory may be others: read them as [`DLDevice::device_type`], an integer.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum DLDeviceType {
    kDLCPU = 1,
    kDLCUDA = 2,
    kDLCUDAHost = 3,
    kDLOpenCL = 4,
    kDLVulkan = 7,
    kDLMetal = 8,
    kDLVPI = 9,
    kDLROCM = 10,
    kDLROCMHost = 11,
    kDLExtDev = 12,
    kDLCUDAManaged = 13,
    kDLOneAPI = 14,
    kDLWebGPU = 15,
    kDLHexagon = 16,
    kDLMAIA = 17,
    kDLTrn = 18,
}

impl From<DLDeviceType> for u32 {
    fn from(kind: DLDeviceType) -> u32 {
        kind as u32
    }
}

/// Type codes of element formats.
#[repr(u8)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum DLDataTypeCode {
    kDLInt = 0,
    kDLUInt = 1,
    kDLFloat = 2,
    kDLOpaqueHandle = 3,
    kDLBfloat = 4,
    kDLComplex = 5,
    kDLBool = 6,
    kDLFloat8_e3m4 = 7,
    kDLFloat8_e4m3 = 8,
    kDLFloat8_e4m3b11fnuz = 9,
    kDLFloat8_e4m3fn = 10,
    kDLFloat8_e4m3fnuz = 11,
    kDLFloat8_e5m2 = 12,
    kDLFloat8_e5m2fnuz = 13,
    kDLFloat8_e8m0fnu = 14,
    kDLFloat6_e2m3fn = 15,
    kDLFloat6_e3m2fn = 16,
    kDLFloat4_e2m1fn = 17,
}

/// A device: its kind (see [`DLDeviceType`]) and its number.
///
/// `device_type` is an integer, because memory of other languages may hold kinds that this enum does not list.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DLDevice {
    /// A value of [`DLDeviceType`], or another one.
    pub device_type: u32,
    /// Number of the device among those of its kind.
    pub device_id: i32,
}

impl DLDevice {
    /// A device of a listed kind.
    pub fn new(device_type: impl Into<u32>, device_id: i32) -> Self {
        Self { device_type: device_type.into(), device_id }
    }
}

/// Element type: code, bits of one lane, number of lanes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DLDataType {
    /// A value of [`DLDataTypeCode`].
    pub code: u8,
    /// Bits of one lane.
    pub bits: u8,
    /// Lanes; 1 for scalars.
    pub lanes: u16,
}

impl DLDataType {
    /// An element type of a listed code.
    pub fn new(code: DLDataTypeCode, bits: u8, lanes: u16) -> Self {
        Self { code: code as u8, bits, lanes }
    }
}

/// A tensor in memory of anybody's. Strides count elements.
#[repr(C)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DLTensor {
    /// First byte of the allocation.
    pub data: *mut c_void,
    /// Where it lies.
    pub device: DLDevice,
    /// Number of dimensions.
    pub ndim: i32,
    /// Element type.
    pub dtype: DLDataType,
    /// `ndim` extents.
    pub shape: *mut i64,
    /// `ndim` strides in elements, or null when row-major and compact.
    pub strides: *mut i64,
    /// Bytes from `data` to the first element.
    pub byte_offset: u64,
}

/// A tensor with an owner, unversioned form.
#[repr(C)]
pub struct DLManagedTensor {
    /// The tensor.
    pub dl_tensor: DLTensor,
    /// The producer's context.
    pub manager_ctx: *mut c_void,
    /// Called once by the consumer when it is done.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensor)>,
}

/// Version of the structures.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DLPackVersion {
    /// Another major version means another layout.
    pub major: u32,
    /// Additions that keep the layout.
    pub minor: u32,
}

/// The memory may only be read.
pub const DLPACK_FLAG_BITMASK_READ_ONLY: u64 = 1;
/// The tensor is a copy made by the producer.
pub const DLPACK_FLAG_BITMASK_IS_COPIED: u64 = 2;
/// Elements below 8 bits are padded to whole bytes.
pub const DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED: u64 = 4;

/// A tensor with an owner, versioned form.
#[repr(C)]
pub struct DLManagedTensorVersioned {
    /// Version of this structure.
    pub version: DLPackVersion,
    /// The producer's context.
    pub manager_ctx: *mut c_void,
    /// Called once by the consumer when it is done.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned)>,
    /// Bits of `DLPACK_FLAG_BITMASK_*`.
    pub flags: u64,
    /// The tensor.
    pub dl_tensor: DLTensor,
}
