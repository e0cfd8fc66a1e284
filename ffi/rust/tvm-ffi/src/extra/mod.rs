// SPDX-License-Identifier: Apache-2.0
//! Modules and structural algorithms.

mod callback_forms;
pub mod module;
mod mutate_callbacks;
mod mutate_operations;
mod session;
pub mod structural;
mod structural_map;
pub mod structural_mutate;
mod structural_mutator;
mod structural_view;
pub mod structural_visit;
mod structural_walk;
pub mod unchanged;
mod visit_callbacks;
