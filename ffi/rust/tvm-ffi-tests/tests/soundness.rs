// SPDX-License-Identifier: Apache-2.0
//! Faults that safe code cannot have here, one test each. Those that do not compile are in `ui`.

use std::ffi::c_void;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::Arc;
use tvm_ffi::object::ObjectRef;
use tvm_ffi::tvm_ffi_sys::{
    DLTensor, TVMFFIAny, TVMFFIByteArray, TVMFFIObject, TVMFFIStringFromByteArray, TVMFFITypeIndex,
};
use tvm_ffi::{
    Any, AnyView, Array, BigInt, Bytes, DLDataType, DLDataTypeCode, DLDevice, DLDeviceType, Error,
    FieldGetter, Function, Map, ObjectArc, Result, Shape, String, Tensor, TensorView, RUNTIME_ERROR,
};

fn raw(index: TVMFFITypeIndex, pointer: *mut c_void) -> TVMFFIAny {
    let mut out = TVMFFIAny::new();
    out.type_index = index as i32;
    out.data_union.v_ptr = pointer;
    out
}

#[test]
fn a_second_owner_ends_mutable_access() {
    let mut array = ObjectArc::new(tvm_ffi::Object::new());
    assert!(ObjectArc::get_mut(&mut array).is_some());
    let weak = ObjectArc::downgrade(&array);
    assert!(ObjectArc::get_mut(&mut array).is_none());
    drop(weak);
    let other = array.clone();
    assert!(ObjectArc::get_mut(&mut array).is_none());
    drop(other);
    assert!(ObjectArc::get_mut(&mut array).is_some());
}

#[test]
fn no_slice_is_made_of_a_null_pointer() {
    assert_eq!(Shape::new().as_slice(), &[] as &[i64]);
    assert_eq!(Bytes::new().as_slice(), b"");
    let empty = TVMFFIByteArray::new(std::ptr::null(), 0);
    // SAFETY: no bytes.
    assert_eq!(unsafe { empty.as_bytes() }, b"");
    let mut made = TVMFFIAny::new();
    // SAFETY: no bytes; the result is owned.
    let made = unsafe {
        assert_eq!(TVMFFIStringFromByteArray(&empty, &mut made), 0);
        Any::from_raw_ffi_any(made)
    };
    assert_eq!(String::try_from(made).unwrap(), "");
    // SAFETY: a view of no bytes.
    let view = unsafe {
        AnyView::from_raw(raw(TVMFFITypeIndex::kTVMFFIByteArrayPtr, (&raw const empty).cast_mut().cast()))
    };
    assert_eq!(Bytes::try_from(view).unwrap().len(), 0);
    let scalar = DLTensor {
        data: std::ptr::null_mut(),
        device: DLDevice::new(DLDeviceType::kDLCPU, 0),
        ndim: 0,
        dtype: DLDataType::new(DLDataTypeCode::kDLFloat, 32, 1),
        shape: std::ptr::null_mut(),
        strides: std::ptr::null_mut(),
        byte_offset: 0,
    };
    // SAFETY: a valid tensor without dimensions.
    let scalar = unsafe { TensorView::from_raw(&scalar) };
    assert_eq!((scalar.shape(), scalar.strides(), scalar.numel()), (&[] as &[i64], vec![], 1));
    let tensor = Tensor::zeros::<f32>(&[0]).unwrap();
    assert_eq!(tensor.to_vec::<f32>().unwrap(), []);
}

#[test]
fn a_call_without_arguments_may_have_no_array_of_them() {
    let count = Function::from_packed(|args: &[AnyView<'_>]| Ok(Any::from(args.len() as i64)));
    let typed = Function::from_typed(|| 7_i64);
    for (function, expected) in [(count, 0), (typed, 7)] {
        let mut result = TVMFFIAny::new();
        let handle = ObjectArc::into_raw(tvm_ffi::ObjectRefCore::into_data(function)).cast_mut().cast();
        // SAFETY: a live function; no arguments; the reference is given back.
        let result = unsafe {
            let call = tvm_ffi::tvm_ffi_sys::TVMFFIFunctionCall;
            assert_eq!(call(handle, std::ptr::null_mut(), 0, &mut result), 0);
            drop(ObjectRef::from_handle(handle));
            Any::from_raw_ffi_any(result)
        };
        assert_eq!(result.try_as::<i64>(), Some(expected));
    }
}

/// Values of type string whose bytes are not UTF-8: small, and as an object.
fn broken_text() -> [Any; 2] {
    [b"\xff\xfe".as_slice(), b"a long text with \xff in it"].map(|bytes| {
        let mut out = TVMFFIAny::new();
        // SAFETY: the bytes outlive the call, which copies them.
        unsafe {
            assert_eq!(
                TVMFFIStringFromByteArray(&TVMFFIByteArray::new(bytes.as_ptr(), bytes.len()), &mut out),
                0
            );
            Any::from_raw_ffi_any(out)
        }
    })
}

#[test]
fn text_of_other_languages_is_checked() {
    for broken in broken_text() {
        let error = String::try_from(broken.clone()).unwrap_err();
        assert_eq!(error.kind().as_str(), "ValueError", "{error}");
        assert!(error.message().contains("UTF-8"), "{error}");
        assert!(broken.try_as::<String>().is_none());
        let borrowed = Function::from_typed(|text: &str| text.len() as i64);
        let error = borrowed.call_tuple((&broken,)).unwrap_err();
        assert!(error.message().starts_with("Argument #0: "), "{error}");
        let array = Array::new(vec![broken.clone()]);
        assert!(Array::<String>::try_from(Any::from(array)).is_err());
    }
    let text = c"\xff";
    // SAFETY: a terminated text, viewed while it lives.
    let view =
        unsafe { AnyView::from_raw(raw(TVMFFITypeIndex::kTVMFFIRawStr, text.as_ptr().cast_mut().cast())) };
    assert_eq!(String::try_from(view).unwrap_err().kind().as_str(), "ValueError");
    let error = Error::new(RUNTIME_ERROR, "fine", "");
    assert_eq!(error.message(), "fine");
}

/// Counts how many are alive.
struct Witness(Arc<AtomicI64>);

impl Witness {
    fn new(alive: &Arc<AtomicI64>) -> Self {
        alive.fetch_add(1, Ordering::SeqCst);
        Self(alive.clone())
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

fn witness(alive: &Arc<AtomicI64>) -> Function {
    let witness = Witness::new(alive);
    Function::from_typed(move || witness.0.load(Ordering::SeqCst))
}

#[test]
fn containers_release_what_they_hold() {
    let alive = Arc::new(AtomicI64::new(0));
    let array = Array::new((0..3).map(|_| witness(&alive)).collect());
    let map: Map<i64, Function> = (0..9).map(|i| (i, witness(&alive))).collect();
    let list = tvm_ffi::List::new(vec![witness(&alive)]);
    let tuple = tvm_ffi::Tuple::new((1_i64, witness(&alive)));
    list.set(0, witness(&alive)).unwrap();
    assert_eq!(alive.load(Ordering::SeqCst), 14);
    drop((array, map, list, tuple));
    assert_eq!(alive.load(Ordering::SeqCst), 0);
}

#[test]
fn integers_never_wrap() {
    let too_big = Any::from(300_i64);
    assert!(too_big.try_as::<u8>().is_none());
    let error = u8::try_from(too_big).unwrap_err();
    assert_eq!(error.kind().as_str(), "OverflowError");
    assert_eq!(error.message(), "Integer value 300 is out of range for `u8` [0, 255]");
    assert!(u64::try_from(Any::from(-1_i64)).is_err());
    let big = Any::from(u64::MAX);
    assert_eq!(big.type_index(), TVMFFITypeIndex::kTVMFFIBigInt as i32);
    assert_eq!(u64::try_from(big.clone()).unwrap(), u64::MAX);
    assert_eq!(i64::try_from(big.clone()).unwrap_err().kind().as_str(), "OverflowError");
    assert_eq!(BigInt::try_from(big).unwrap().to_u64(), Some(u64::MAX));
}

#[test]
fn iteration_goes_on_after_a_bad_element() {
    let mixed = Array::new(vec![Any::from(1_i64), Any::from(String::from("x")), Any::from(3_i64)]);
    // Unchecked at the type, as one from elsewhere: a list that others filled.
    let list = tvm_ffi::List::new(vec![1_i64]);
    let view = AnyView::from(&list);
    let other: tvm_ffi::List<Any> = view.try_into().unwrap();
    other.push(Any::from(String::from("x"))).unwrap();
    other.push(Any::from(3_i64)).unwrap();
    let seen: Vec<_> = list.iter().map(|n| n.map_err(|error| error.message().to_string())).collect();
    assert_eq!(
        seen,
        [Ok(1), Err("element 1: Cannot convert from type `ffi.SmallStr` to `int`".into()), Ok(3)]
    );
    assert!(Array::<i64>::try_from(Any::from(mixed)).is_err());
    let dict: tvm_ffi::Dict<i64, Any> = tvm_ffi::Dict::new();
    for (key, value) in [(1, Any::from(1_i64)), (2, Any::new()), (3, Any::from(3_i64))] {
        dict.set(&key, &value).unwrap();
    }
    let values = dict.iter().map(|entry| entry.and_then(|(_, value)| i64::try_from(value)).ok());
    assert_eq!(values.collect::<Vec<_>>(), [Some(1), None, Some(3)]);
}

#[test]
fn unknown_type_indices_are_errors() {
    for index in [-5, 20, 63, 100, 127, 1_000_000, i32::MAX] {
        assert!(Function::from_type_method(index, "x").is_err(), "{index}");
        assert!(FieldGetter::new(index, "x").is_err(), "{index}");
        assert!(tvm_ffi::reflection::fields_of(index).is_err(), "{index}");
        assert!(tvm_ffi::get_type_attr(index, "__ffi_repr__").is_none(), "{index}");
    }
}

unsafe extern "C" fn fails_silently(_: *mut c_void, _: *const TVMFFIAny, _: i32, _: *mut TVMFFIAny) -> i32 {
    -2
}

#[test]
fn a_failure_without_an_error_is_an_error() {
    // SAFETY: a function that needs no handle.
    let function = unsafe { Function::from_extern_c(std::ptr::null_mut(), fails_silently, None) };
    let error = function.call_tuple(()).unwrap_err();
    assert_eq!(error.kind().as_str(), "InternalError");
    assert_eq!(error.message(), "a function failed without raising an error");
}

#[test]
fn foreign_devices_are_numbers() {
    let device = DLDevice { device_type: 4242, device_id: 1 };
    let again = DLDevice::try_from(Any::from(device)).unwrap();
    assert_eq!((again.device_type, again.device_id), (4242, 1));
}

#[test]
fn offsets_and_alignment_of_foreign_tensors_are_kept() {
    let data = [1.0_f32, 2.0, 3.0];
    let mut shape = [2_i64];
    let mut foreign = DLTensor {
        data: data.as_ptr().cast_mut().cast(),
        device: DLDevice::new(DLDeviceType::kDLCPU, 0),
        ndim: 1,
        dtype: DLDataType::new(DLDataTypeCode::kDLFloat, 32, 1),
        shape: shape.as_mut_ptr(),
        strides: std::ptr::null_mut(),
        byte_offset: 4,
    };
    // SAFETY: the elements lie within `data`.
    assert_eq!(unsafe { TensorView::from_raw(&foreign) }.to_vec::<f32>().unwrap(), [2.0, 3.0]);
    foreign.byte_offset = 2;
    // SAFETY: as above.
    let error = unsafe { TensorView::from_raw(&foreign) }.to_vec::<f32>().unwrap_err();
    assert_eq!(error.message(), "Tensor data is not aligned to its element type");
}

#[test]
fn a_struct_of_another_size_makes_no_objects() {
    #[repr(C)]
    #[derive(tvm_ffi::derive::Object)]
    #[type_key = "ffi.VisitInterrupt"]
    struct WrongObj {
        base: tvm_ffi::Object,
    }
    let make = || ObjectArc::new(WrongObj { base: tvm_ffi::Object::new() });
    let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(make)).err().unwrap();
    let text = payload.downcast_ref::<std::string::String>().unwrap();
    assert!(
        text.contains("objects of `ffi.VisitInterrupt` have 40 bytes and this Rust struct has 24"),
        "{text}"
    );
}

#[test]
fn two_threads_call_a_million_times_and_leak_nothing() {
    const CALLS: i64 = 500_000;
    let alive = Arc::new(AtomicI64::new(0));
    let shared = witness(&alive);
    let array = Array::new(vec![shared.clone()]);
    let context = ObjectRef::try_from(Any::from(array.clone())).unwrap();
    let held = Any::from(array.clone());
    // Arguments, results and errors that hold objects cross the boundary each time.
    let echo = Function::from_typed(move |n: i64, item: Function| -> Result<Function> {
        if n % 64 == 0 {
            return Err(Error::new(RUNTIME_ERROR, "every 64th call fails", ""));
        }
        Ok(item)
    });
    let run = |echo: Function, item: Function| {
        (0..CALLS).filter(|n| echo.call_tuple((*n, &item)).and_then(Function::try_from).is_err()).count()
            as i64
    };
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let (echo, item) = (echo.clone(), shared.clone());
            std::thread::spawn(move || run(echo, item))
        })
        .collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), CALLS.div_euclid(64) + 1);
    }
    for _ in 0..10_000 {
        let cause = Error::new(RUNTIME_ERROR, "cause", "");
        let error =
            Error::new_with_cause_and_extra_context(RUNTIME_ERROR, "x", "", Some(&cause), Some(&context));
        drop(Error::with_appended_backtrace(error.clone(), "  File \"a\", line 1, in f\n"));
    }
    assert_eq!(held.debug_strong_count(), Some(3));
    assert_eq!(Any::from(shared.clone()).debug_strong_count(), Some(3));
    assert_eq!(Any::from(echo).debug_strong_count(), Some(1));
    drop((held, context, array, shared));
    assert_eq!(alive.load(Ordering::SeqCst), 0);
}

#[test]
fn headers_are_as_wide_as_the_library_says() {
    assert_eq!((size_of::<TVMFFIObject>(), size_of::<tvm_ffi::Object>()), (24, 24));
}
