// SPDX-License-Identifier: Apache-2.0
//! Modules and structural algorithms.

pub mod module;
mod mutate_callbacks;
mod session;
pub mod structural;
pub mod structural_mutate;
mod structural_mutator;
mod structural_view;
pub mod structural_visit;
pub mod unchanged;
