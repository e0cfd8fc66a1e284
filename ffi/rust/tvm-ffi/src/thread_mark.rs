// SPDX-License-Identifier: Apache-2.0
//! Which thread runs. Code that runs before `main`, as registrations at load do, must not ask `std::thread::current`.

thread_local! {
    static MARK: u8 = const { 0 };
}

/// A thread, told from all others that live at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ThreadMark(usize);

impl ThreadMark {
    /// The thread that calls.
    pub(crate) fn here() -> Self {
        MARK.with(|mark| Self(std::ptr::from_ref(mark).addr()))
    }
}
