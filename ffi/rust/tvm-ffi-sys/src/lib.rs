// SPDX-License-Identifier: Apache-2.0
//! Raw declarations of the tvm-ffi C ABI, one to one with `tvm/ffi/c_api.h`, `tvm/ffi/extra/c_env_api.h` and
//! `dlpack/dlpack.h`. Ownership and errors are those of the C headers. Use the crate `tvm-ffi` unless you need these.
#![allow(non_camel_case_types, non_upper_case_globals)]

pub mod c_api;
pub mod c_env_api;
pub mod dlpack;

pub use c_api::*;
pub use c_env_api::*;
pub use dlpack::*;
