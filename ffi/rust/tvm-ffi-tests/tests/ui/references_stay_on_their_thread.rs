// SPDX-License-Identifier: Apache-2.0
//! An object of any type may be bound to its thread.
use tvm_ffi::object::ObjectRef;

fn send<T: Send>() {}
fn sync<T: Sync>() {}

fn main() {
    send::<ObjectRef>();
    sync::<ObjectRef>();
    send::<tvm_ffi::Any>();
    sync::<tvm_ffi::FieldCell<i64>>();
}
