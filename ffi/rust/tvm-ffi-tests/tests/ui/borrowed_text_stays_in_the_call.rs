// SPDX-License-Identifier: Apache-2.0
//! A borrowed parameter does not leave its call.
use std::sync::Mutex;
use tvm_ffi::Function;

static KEPT: Mutex<Option<&'static str>> = Mutex::new(None);

fn main() {
    Function::from_typed(|text: &str| *KEPT.lock().unwrap() = Some(text));
}
