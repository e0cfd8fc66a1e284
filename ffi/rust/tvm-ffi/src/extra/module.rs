// SPDX-License-Identifier: Apache-2.0
//! Loaded libraries and compiled modules.

use crate::error::{Result, ATTRIBUTE_ERROR};
use crate::object::{Object, ObjectArc};
use crate::{cached_global_func, Function, String};

/// The object behind [`Module`]; its methods are reached through global functions.
#[repr(C)]
#[derive(tvm_ffi_macros::Object)]
#[type_key = "ffi.Module"]
#[type_index(tvm_ffi_sys::TVMFFITypeIndex::kTVMFFIModule as i32)]
#[type_final]
pub struct ModuleObj {
    base: Object,
}

/// A loaded library, or compiled code. Functions that come from it keep it loaded.
/// ```
/// use tvm_ffi::Module;
///
/// let error = Module::load_from_file("no/such/library.so").err().unwrap();
/// assert!(error.message().contains("no/such/library.so"));
/// ```
#[repr(C)]
#[derive(tvm_ffi_macros::ObjectRef, Clone)]
pub struct Module {
    data: ObjectArc<ModuleObj>,
}

// SAFETY: modules of the ABI may be used from any thread.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

impl Module {
    /// Loads a library; the error names the file and the loader's reason.
    pub fn load_from_file(path: impl AsRef<str>) -> Result<Self> {
        cached_global_func!("ffi.ModuleLoadFromFile").call_tuple((path.as_ref(),))?.try_into()
    }

    /// The function of a name, also from imported modules; `AttributeError` when there is none.
    pub fn get_function(&self, name: impl AsRef<str>) -> Result<Function> {
        let name = name.as_ref();
        let found: Option<Function> =
            cached_global_func!("ffi.ModuleGetFunction").call_tuple((self, name, true))?.try_into()?;
        match found {
            Some(function) => Ok(function),
            None => crate::bail!(ATTRIBUTE_ERROR, "Module has no function '{name}'"),
        }
    }

    /// True when the module has the function.
    pub fn implements_function(&self, name: impl AsRef<str>, query_imports: bool) -> Result<bool> {
        cached_global_func!("ffi.ModuleImplementsFunction")
            .call_tuple((self, name.as_ref(), query_imports))?
            .try_into()
    }

    /// JSON text that describes the function, if it was exported with it.
    pub fn get_function_metadata(
        &self,
        name: impl AsRef<str>,
        query_imports: bool,
    ) -> Result<Option<String>> {
        cached_global_func!("ffi.ModuleGetFunctionMetadata")
            .call_tuple((self, name.as_ref(), query_imports))?
            .try_into()
    }

    /// Documentation of the function, if it was exported with it.
    pub fn get_function_doc(&self, name: impl AsRef<str>, query_imports: bool) -> Result<Option<String>> {
        cached_global_func!("ffi.ModuleGetFunctionDoc")
            .call_tuple((self, name.as_ref(), query_imports))?
            .try_into()
    }
}
