// SPDX-License-Identifier: Apache-2.0
//! Closures that change what they capture.

use crate::error::{Error, Result, RUNTIME_ERROR};
use crate::function_internal::Callee;
use crate::thread_mark::ThreadMark;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

/// The thread that runs a closure.
type Runner = Arc<Mutex<Option<ThreadMark>>>;

/// A closure that one thread at a time runs.
pub(crate) struct TakingTurns<F> {
    closure: Mutex<F>,
    runner: Runner,
}

impl<F> TakingTurns<F> {
    pub(crate) fn new(closure: F) -> Self {
        Self { closure: Mutex::new(closure), runner: Runner::default() }
    }

    /// Gives the closure to `run` when no other thread runs it. `RuntimeError` when this thread would wait for itself, at once or
    /// through other closures and threads; and when an earlier call panicked.
    pub(crate) fn call<R>(&self, callee: Callee<'_>, run: impl FnOnce(&mut F) -> Result<R>) -> Result<R> {
        let here = ThreadMark::here();
        // Only this thread sets it to this thread, so that the answer stays true.
        if runner_of(&self.runner) == Some(here) {
            return Err(refused(callee, "called while it runs"));
        }
        let mut closure = match self.closure.try_lock() {
            Ok(closure) => closure,
            Err(TryLockError::WouldBlock) => self.wait(here, callee)?,
            Err(TryLockError::Poisoned(_)) => return Err(panicked(callee)),
        };
        *lock(&self.runner) = Some(here);
        // Declared after the closure's guard, so that it names nobody before another thread gets the closure.
        let _running = Running(&self.runner);
        run(&mut closure)
    }

    #[cold]
    fn wait(&self, here: ThreadMark, callee: Callee<'_>) -> Result<MutexGuard<'_, F>> {
        let Some(_waiting) = Waiting::start(here, &self.runner) else {
            return Err(refused(callee, "called while it runs in a thread that waits for this one"));
        };
        self.closure.lock().map_err(|_| panicked(callee))
    }
}

struct Running<'a>(&'a Runner);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        *lock(self.0) = None;
    }
}

/// For each thread that waits, the runner of the closure that it waits for.
static WAITING: Mutex<Vec<(ThreadMark, Runner)>> = Mutex::new(Vec::new());

struct Waiting(ThreadMark);

impl Waiting {
    /// Notes that a thread waits; None when it would wait for itself. Who closes a circle finds it: the others noted their waits
    /// before, under the same lock, and a thread is the runner of its closures before they can wait for others.
    fn start(here: ThreadMark, runner: &Runner) -> Option<Self> {
        let mut waiting = lock(&WAITING);
        let mut next = runner_of(runner);
        while let Some(thread) = next {
            if thread == here {
                return None;
            }
            next = waiting.iter().find(|(who, _)| *who == thread).and_then(|(_, what)| runner_of(what));
        }
        waiting.push((here, runner.clone()));
        Some(Self(here))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        lock(&WAITING).retain(|(who, _)| *who != self.0);
    }
}

fn runner_of(runner: &Runner) -> Option<ThreadMark> {
    *lock(runner)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cold]
fn panicked(callee: Callee<'_>) -> Error {
    refused(callee, "called after it panicked")
}

#[cold]
fn refused(callee: Callee<'_>, why: &str) -> Error {
    let name = callee.name().map_or_else(std::string::String::new, |name| format!("`{name}`: "));
    Error::new(RUNTIME_ERROR, &format!("{name}a closure that changes its captures is {why}"), "")
}
