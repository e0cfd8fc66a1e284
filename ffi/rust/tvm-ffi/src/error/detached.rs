// SPDX-License-Identifier: Apache-2.0
//! Errors that go to other threads.

use super::{Error, ErrorKind};
use std::fmt;

/// What an [`Error`] says, copied: text alone, so that it is `Send + Sync` and goes into `Box<dyn Error + Send + Sync>` and the like.
///
/// The error itself stays on its thread, since it may hold an object of any kind as its extra context, which the copy leaves out.
/// ```
/// use tvm_ffi::error::DetachedError;
/// use tvm_ffi::{Error, Function, KEY_ERROR};
///
/// fn on_a_thread() -> Result<i64, DetachedError> {
///     let answer = Function::get_global("doc.no_such_function")?.call_tuple(())?;
///     Ok(answer.try_into()?)
/// }
/// let error = std::thread::spawn(on_a_thread).join().unwrap().unwrap_err();
/// assert_eq!(error.to_string(), "RuntimeError: Function doc.no_such_function not found");
/// let error: Box<dyn std::error::Error + Send + Sync> = DetachedError::from(Error::new(KEY_ERROR, "k", "")).into();
/// assert_eq!(error.to_string(), "KeyError: k");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct DetachedError {
    kind: String,
    message: String,
    backtrace: String,
    cause: Option<Box<DetachedError>>,
}

impl DetachedError {
    /// The kind.
    pub fn kind(&self) -> ErrorKind<'_> {
        ErrorKind::new(&self.kind)
    }

    /// The message.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// One line a frame, most recent call first.
    pub fn backtrace(&self) -> &str {
        &self.backtrace
    }
}

/// Causes beyond this many are left out, so that a chain of any length can be copied and dropped.
const MOST_CAUSES: usize = 64;

impl From<&Error> for DetachedError {
    fn from(error: &Error) -> Self {
        let mut chain = vec![error.clone()];
        while let Some(cause) = chain.last().and_then(Error::cause_chain) {
            if chain.len() > MOST_CAUSES {
                break;
            }
            chain.push(cause);
        }
        let copy = |error: &Error, cause: Option<Box<DetachedError>>| DetachedError {
            kind: error.kind().as_str().into(),
            message: error.message().into(),
            backtrace: error.backtrace().into(),
            cause,
        };
        let below = chain[1..].iter().rev().fold(None, |below, error| Some(Box::new(copy(error, below))));
        copy(error, below)
    }
}

impl From<Error> for DetachedError {
    fn from(error: Error) -> Self {
        Self::from(&error)
    }
}

impl From<DetachedError> for Error {
    fn from(error: DetachedError) -> Self {
        let cause = error.cause.map(|cause| Error::from(*cause));
        let kind = ErrorKind::new(&error.kind);
        Self::new_with_cause_and_extra_context(kind, &error.message, &error.backtrace, cause.as_ref(), None)
    }
}

impl fmt::Display for DetachedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)
    }
}

impl fmt::Debug for DetachedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        super::write_traceback(f, &self.backtrace, &self.kind(), &self.message)
    }
}

impl std::error::Error for DetachedError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}
