// SPDX-License-Identifier: Apache-2.0
//! Which function a call is of, for messages.

use crate::error::{Error, ErrorKind, OVERFLOW_ERROR, VALUE_ERROR};
use crate::function::FunctionObj;
use crate::object::{ObjectArc, ObjectWeak};
use std::ffi::c_void;
use std::string::String as StdString;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The function that is called, as far as its call knows it. The name is looked up when a message needs it.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub enum Callee<'a> {
    /// Nobody knows a name.
    Unnamed,
    /// An exported function or a method.
    Named(&'a str),
    /// The address of a function object, which is global perhaps.
    Object(*const c_void),
}

impl Callee<'_> {
    /// The name; a function with several is known by the last one that it got.
    pub(crate) fn name(self) -> Option<StdString> {
        match self {
            Self::Unnamed => None,
            Self::Named(name) => Some(name.into()),
            Self::Object(address) => {
                global_names().iter().rev().find(|g| g.address == address.addr()).map(|g| g.name.clone())
            }
        }
    }
}

struct GlobalName {
    address: usize,
    name: StdString,
    /// Keeps the memory, so that no other function gets the address.
    _memory: ObjectWeak<FunctionObj>,
}

// SAFETY: functions may be held and released by any thread.
unsafe impl Send for GlobalName {}

fn global_names() -> MutexGuard<'static, Vec<GlobalName>> {
    static NAMES: Mutex<Vec<GlobalName>> = Mutex::new(Vec::new());
    NAMES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes that a function became global.
pub(crate) fn name_global(name: &str, function: &ObjectArc<FunctionObj>) {
    let address = ObjectArc::as_raw(function).addr();
    forget_global(name);
    let memory = ObjectArc::downgrade(function);
    global_names().push(GlobalName { address, name: name.into(), _memory: memory });
}

/// Notes that a name is free again.
pub(crate) fn forget_global(name: &str) {
    global_names().retain(|g| g.name != name);
}

/// The types of a call, for messages.
pub(super) struct Signature {
    pub(super) parameters: Vec<fn() -> StdString>,
    pub(super) result: fn() -> StdString,
}

impl Signature {
    /// Name, parameters and result of a call; None when nobody knows the name.
    fn of(&self, callee: Callee<'_>) -> Option<StdString> {
        let name = callee.name()?;
        let parameters: Vec<_> =
            self.parameters.iter().enumerate().map(|(i, printed)| format!("{i}: {}", printed())).collect();
        Some(format!("`{name}({}) -> {}`", parameters.join(", "), (self.result)()))
    }
}

#[cold]
pub(super) fn wrong_count(callee: Callee<'_>, signature: fn() -> Signature, got: usize) -> Error {
    let signature = signature();
    let expected = signature.parameters.len();
    let text = match signature.of(callee) {
        Some(call) => {
            format!("Mismatched number of arguments when calling: {call}. Expected {expected} but got {got} arguments")
        }
        None => format!("Expected {expected} arguments, got {got}"),
    };
    Error::new(VALUE_ERROR, &text, "")
}

/// What stands before the messages on an argument of a function that nobody knows by name.
pub(super) fn unnamed_prefix(position: usize) -> StdString {
    format!("Argument #{position}: ")
}

/// The error about an argument, which starts with `unnamed_prefix`, in the words of a call that has a name.
#[cold]
pub(super) fn about_argument(
    callee: Callee<'_>,
    signature: fn() -> Signature,
    position: usize,
    error: Error,
) -> Error {
    let signature = signature();
    let Some(call) = signature.of(callee) else {
        return error;
    };
    let kind: ErrorKind = error.kind();
    let what = if kind == OVERFLOW_ERROR { "Integer out of range" } else { "Mismatched type" };
    let message = error.message();
    let detail = message.strip_prefix(&unnamed_prefix(position)).unwrap_or(message);
    let expected = signature.parameters[position]();
    let got = detail
        .strip_prefix("Cannot convert from type `")
        .and_then(|rest| rest.strip_suffix(&format!("` to `{expected}`")));
    let detail = match got {
        Some(got) => format!("Expected `{expected}` but got `{got}`"),
        None => detail.into(),
    };
    Error::new(kind, &format!("{what} on argument #{position} when calling: {call}. {detail}"), "")
}
