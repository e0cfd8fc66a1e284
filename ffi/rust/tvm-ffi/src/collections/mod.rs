// SPDX-License-Identifier: Apache-2.0
//! Containers and tensors.

pub mod array;
pub mod dict;
pub mod list;
pub mod map;
pub(crate) mod map_base;
#[cfg(feature = "ndarray")]
mod ndarray;
mod sequence;
pub mod shape;
pub mod tensor;
pub mod tuple;
