// SPDX-License-Identifier: Apache-2.0
//! Programs that the compiler must refuse, as documentation tests.

/// A view does not outlive what it borrows.
/// ```compile_fail,E0505
/// use tvm_ffi::{Any, AnyView};
/// let any = Any::from(1_i64);
/// let view = AnyView::from(&any);
/// drop(any);
/// view.type_index();
/// ```
///
/// A tensor view does not outlive its tensor.
/// ```compile_fail,E0505
/// let tensor = tvm_ffi::Tensor::zeros::<f32>(&[2]).unwrap();
/// let view = tensor.view();
/// drop(tensor);
/// view.numel();
/// ```
///
/// A borrowed parameter does not leave its call.
/// ```compile_fail
/// use std::sync::Mutex;
/// static KEPT: Mutex<Option<&'static str>> = Mutex::new(None);
/// tvm_ffi::Function::from_typed(|text: &str| -> tvm_ffi::Result<()> {
///     *KEPT.lock().unwrap() = Some(text);
///     Ok(())
/// });
/// ```
///
/// What threads cannot share is not captured.
/// ```compile_fail,E0277
/// let shared = std::rc::Rc::new(1_i64);
/// tvm_ffi::Function::from_typed(move || -> tvm_ffi::Result<i64> { Ok(*shared) });
/// ```
///
/// References to objects of any type stay on their thread.
/// ```compile_fail,E0277
/// fn send<T: Send>() {}
/// send::<tvm_ffi::object::ObjectRef>();
/// ```
///
/// Shared objects are not mutable.
/// ```compile_fail,E0594
/// #[tvm_ffi::rs_class("refused.Point")]
/// pub struct Point { pub x: i64 }
/// let mut point = Point::new(1);
/// point.x = 2;
/// ```
///
/// Optional cells hold no objects.
/// ```compile_fail,E0277
/// let cell: tvm_ffi::Optional<tvm_ffi::Shape> = tvm_ffi::Optional::none();
/// ```
///
/// An object struct has the layout of C.
/// ```compile_fail
/// #[derive(tvm_ffi::derive::Object)]
/// #[type_key = "refused.Layout"]
/// #[type_register]
/// struct LayoutObj { base: tvm_ffi::Object }
/// ```
///
/// A field that others write is a `FieldCell`.
/// ```compile_fail,E0080
/// #[tvm_ffi::rs_class("refused.Writable")]
/// struct Writable { #[field(writable)] x: i64 }
/// <WritableObj as tvm_ffi::ObjectCore>::type_index();
/// ```
///
/// `match_any!` needs a last arm for all other values.
/// ```compile_fail
/// let value = tvm_ffi::Any::from(1_i64);
/// tvm_ffi::match_any!(value { i64(n) => n });
/// ```
///
/// A handler of a dispatch takes `&mut self`.
/// ```compile_fail
/// struct Walker;
/// #[tvm_ffi::dispatch(walk)]
/// impl Walker {
///     fn walk_number(&self, n: i64) -> tvm_ffi::WalkResult { tvm_ffi::WalkResult::Advance }
/// }
/// ```
#[allow(dead_code)]
struct Refused;
