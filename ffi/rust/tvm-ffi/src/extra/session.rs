// SPDX-License-Identifier: Apache-2.0
//! Native engines that call back into Rust code of the caller's stack.

use crate::error::{Error, Result, RUNTIME_ERROR};
use crate::thread_mark::ThreadMark;
use crate::{Any, AnyView, Array, Function};
use std::cell::{Cell, RefCell};
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::Arc;

type Payload = Box<dyn std::any::Any + Send>;

/// A callback of the caller's stack, without its lifetime.
type Callback = dyn Fn(&[AnyView<'_>]) -> Result<Any> + 'static;

/// A callback that an engine may call while it runs. The pointer is null at all other times.
struct Session {
    callback: *const Callback,
    live: Cell<bool>,
    thread: ThreadMark,
    panic: RefCell<Option<Payload>>,
}

// SAFETY: the cells are used on `thread` alone, which is checked before they are.
unsafe impl Send for Session {}
// SAFETY: as above.
unsafe impl Sync for Session {}

struct Close<'a>(&'a Session);

impl Drop for Close<'_> {
    fn drop(&mut self) {
        self.0.live.set(false);
    }
}

/// Runs an engine with a function that calls `callback`. A copy of the function that is kept beyond the run, or called on another
/// thread, raises. A panic in the callback goes on in the caller.
pub(super) fn run(
    callback: &dyn Fn(&[AnyView<'_>]) -> Result<Any>,
    engine: impl FnOnce(&Function) -> Result<Any>,
) -> Result<Any> {
    let pointer: *const (dyn Fn(&[AnyView<'_>]) -> Result<Any> + '_) = callback;
    // SAFETY: the lifetime is left out of the type alone: `Close` ends all use before `callback` ends.
    let pointer: *const Callback = unsafe { std::mem::transmute(pointer) };
    let session = Arc::new(Session {
        callback: pointer,
        live: Cell::new(true),
        thread: ThreadMark::here(),
        panic: RefCell::new(None),
    });
    let held = session.clone();
    let function = Function::from_packed(move |args| {
        if ThreadMark::here() != held.thread {
            crate::bail!(RUNTIME_ERROR, "structural callback is called from another thread");
        }
        if !held.live.get() {
            crate::bail!(RUNTIME_ERROR, "structural callback is called after its walk has ended");
        }
        // SAFETY: live, so the callback still is on the stack of this thread.
        let callback = unsafe { &*held.callback };
        match catch_unwind(AssertUnwindSafe(|| callback(args))) {
            Ok(result) => result,
            Err(payload) => {
                *held.panic.borrow_mut() = Some(payload);
                Err(Error::new(RUNTIME_ERROR, "a structural callback panicked", ""))
            }
        }
    });
    let close = Close(&session);
    let result = engine(&function);
    drop(close);
    if let Some(payload) = session.panic.borrow_mut().take() {
        resume_unwind(payload);
    }
    result
}

/// The list of one callback for values of every type, as engines take it.
pub(super) fn for_every_type(function: &Function, more: Option<bool>) -> Array<Any> {
    let mut entry = vec![Any::from(-1_i64), Any::from(function.clone())];
    entry.extend(more.map(Any::from));
    Array::new(vec![Any::from(Array::new(entry))])
}
