// SPDX-License-Identifier: Apache-2.0
//! Modules.

pub mod module;
