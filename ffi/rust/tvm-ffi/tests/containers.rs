// SPDX-License-Identifier: Apache-2.0
//! Arrays, lists, maps, dicts, shapes and tensors.

use tvm_ffi::{
    Any, AnyCompatible, Array, CPUNDAlloc, DLDataType, DLDataTypeCode, DLDevice, DLDeviceType, Dict,
    Function, List, Map, Result, Shape, String, Tensor, Tuple,
};

#[test]
fn arrays_hold_and_release_their_elements() {
    let text = String::from("an element that is an object");
    let element = Any::from(text.clone());
    let array = Array::new(vec![text.clone(), text.clone()]);
    assert_eq!(element.debug_strong_count(), Some(4));
    assert_eq!(array.len(), 2);
    assert_eq!(array.get(1).unwrap(), text);
    drop(array);
    assert_eq!(element.debug_strong_count(), Some(2));
}

#[test]
fn arrays_check_bounds_and_elements() {
    let mixed = Array::new(vec![Any::from(1_i64), Any::from(String::from("x"))]);
    let error = mixed.get(2).unwrap_err();
    assert_eq!((error.kind().as_str(), error.message()), ("IndexError", "Index 2 out of bounds 2"));
    let error = Array::<i64>::try_from(Any::from(mixed)).unwrap_err();
    assert_eq!(error.message(), "element 1: Cannot convert from type `ffi.SmallStr` to `int`");
    let floats = Array::<f64>::try_from(Any::from(Array::new(vec![1_i64, 2]))).unwrap();
    assert_eq!(floats.iter().collect::<Result<Vec<_>>>().unwrap(), [1.0, 2.0]);
    assert_eq!(format!("{floats:?}"), "Array<float>[2]");
}

#[test]
fn lists_are_shared() {
    let list = List::new(vec![1_i64, 2]);
    let other = list.clone();
    list.push(3).unwrap();
    other.set(0, 10).unwrap();
    assert_eq!(list.iter().collect::<Result<Vec<_>>>().unwrap(), [10, 2, 3]);
    assert_eq!(other.pop().unwrap(), Some(3));
    assert_eq!(list.len(), 2);
    assert_eq!(list.set(5, 1).unwrap_err().kind().as_str(), "IndexError");
    list.clear().unwrap();
    assert!(other.is_empty() && other.pop().unwrap().is_none());
}

#[test]
fn maps_keep_insertion_order_in_both_forms() {
    for count in [0_i64, 1, 2, 3, 4, 5, 8, 9, 100, 1000] {
        let map: Map<i64, i64> = (0..count).map(|i| (i * 7919 % 1009 + i * 1009, i)).collect();
        assert_eq!(map.len(), count as usize);
        let values: Vec<i64> = map.values().collect::<Result<_>>().unwrap();
        assert_eq!(values, (0..count).collect::<Vec<_>>(), "{count} entries");
        for entry in map.iter() {
            let (key, value) = entry.unwrap();
            assert_eq!(map.get(&key).unwrap(), Some(value));
        }
        assert_eq!(map.get(&-1).unwrap(), None);
    }
}

#[test]
fn map_keys_are_compared_by_value() {
    let map: Map<String, i64> =
        [("a", 1), ("a longer key", 2)].into_iter().map(|(k, v)| (String::from(k), v)).collect();
    assert_eq!(map.get(&String::from("a longer key")).unwrap(), Some(2));
    assert!(!map.contains_key(&String::from("b")).unwrap());
    let wrong = Map::<i64, i64>::try_from(Any::from(map)).unwrap_err();
    assert_eq!(wrong.kind().as_str(), "TypeError");
}

#[test]
fn dicts_change_in_place() {
    let dict: Dict<String, i64> = Dict::new();
    let other = dict.clone();
    for i in 0..50 {
        dict.set(&String::from(format!("key {i}")), &i).unwrap();
    }
    other.remove(&String::from("key 7")).unwrap();
    let expected: Vec<i64> = (0..50).filter(|i| *i != 7).collect();
    assert_eq!(dict.values().collect::<Result<Vec<_>>>().unwrap(), expected);
}

#[test]
fn shapes_are_slices() {
    assert_eq!(Shape::new().as_slice(), &[] as &[i64]);
    let shape = Shape::from([2, 3, 4]);
    assert_eq!(&shape[..], [2, 3, 4]);
    let mut strides = [0; 3];
    Shape::fill_strides_from_shape(&shape, &mut strides);
    assert_eq!(strides, [12, 4, 1]);
    let echo = Function::from_typed(|shape: Shape| -> Result<i64> { Ok(shape.iter().product()) });
    assert_eq!(i64::try_from(echo.call_tuple((&shape,)).unwrap()).unwrap(), 24);
}

#[test]
fn tensors_check_type_length_and_overflow() {
    let tensor = Tensor::from_slice(&[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3]).unwrap();
    assert_eq!(
        (tensor.shape(), tensor.strides(), tensor.ndim(), tensor.numel()),
        (&[2, 3][..], &[3, 1][..], 2, 6)
    );
    assert_eq!(tensor.dtype(), DLDataType::new(DLDataTypeCode::kDLFloat, 32, 1));
    assert_eq!(tensor.device(), DLDevice::new(DLDeviceType::kDLCPU, 0));
    assert_eq!(tensor.data_ptr() as usize % 64, 0);
    assert_eq!(tensor.to_vec::<f32>().unwrap(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let error = tensor.to_vec::<f64>().unwrap_err();
    assert_eq!(error.message(), "Data type mismatch: expected \"float64\", got \"float32\"");
    assert_eq!(Tensor::from_slice(&[1_i32], &[2]).unwrap_err().kind().as_str(), "ValueError");
    assert!(Tensor::zeros::<f32>(&[i64::MAX, 8]).is_err());
    assert!(Tensor::zeros::<f32>(&[-1]).is_err());
    for shape in [&[1_i64 << 58][..], &[1 << 60], &[1 << 40, 1 << 40]] {
        let error = Tensor::zeros::<f64>(shape).unwrap_err();
        assert_eq!(error.kind().as_str(), "ValueError", "{shape:?}");
        assert_eq!(error.message(), format!("a tensor can't have the shape {shape:?}"));
    }
    assert_eq!(Tensor::zeros::<f32>(&[0, 5]).unwrap().to_vec::<f32>().unwrap(), []);
    assert_eq!(Tensor::from_slice(&[7_i64], &[]).unwrap().to_vec::<i64>().unwrap(), [7]);
}

#[test]
fn tensors_larger_than_the_memory_are_errors() {
    // 8 PiB: more than an address space has, whatever the system promises.
    let error = Tensor::zeros::<f64>(&[1 << 50]).unwrap_err();
    assert_eq!(error.kind().as_str(), "MemoryError");
    assert_eq!(error.message(), "cannot allocate 9007199254740992 bytes for a tensor");
    let make = Function::from_typed(|n: i64| -> Result<Tensor> {
        let device = DLDevice::new(DLDeviceType::kDLCPU, 0);
        let float = DLDataType::new(DLDataTypeCode::kDLFloat, 64, 1);
        Ok(Tensor::from_nd_alloc(CPUNDAlloc {}, &[n, 2], float, device))
    });
    let error = make.call_tuple((1_i64 << 49,)).unwrap_err();
    assert_eq!(error.kind().as_str(), "InternalError");
    assert_eq!(error.message(), "panicked: cannot allocate 9007199254740992 bytes for a tensor");
    let small = Tensor::try_from(make.call_tuple((3_i64,)).unwrap()).unwrap();
    assert_eq!((small.shape(), small.strides()), (&[3, 2][..], &[2, 1][..]));
    assert_eq!(Tensor::zeros::<i64>(&[300, 2]).unwrap().to_vec::<i64>().unwrap(), [0; 600]);
}

#[test]
fn dlpack_round_trip_shares_memory() {
    let tensor = Tensor::from_slice(&[1_i32, 2, 3], &[3]).unwrap();
    let managed = tensor.to_dlpack().unwrap();
    // SAFETY: an owned managed tensor, taken over by the import.
    let again = unsafe { Tensor::from_dlpack(managed) }.unwrap();
    assert_eq!(again.data_ptr(), tensor.data_ptr());
    assert_eq!(tensor.to_any().debug_strong_count(), Some(3));
    drop(again);
    assert_eq!(tensor.to_any().debug_strong_count(), Some(2));
}

#[test]
fn tuples_have_a_length_and_a_type_for_each_position() {
    let tuple = Tuple::new((1_i64, String::from("one"), Any::from(2.5)));
    let array: Array<Any> = Any::from(tuple.clone()).try_into().unwrap();
    assert_eq!(array.len(), 3);
    let (number, text, _) = tuple.get().unwrap();
    assert_eq!((number, text.as_str(), Tuple::<(i64, i64)>::LEN), (1, "one", 2));
    let floats = Tuple::<(f64, i64)>::try_from(Any::from(List::new(vec![1_i64, 2]))).unwrap();
    assert_eq!(floats.get().unwrap(), (1.0, 2));
    let error = Tuple::<(i64, i64)>::try_from(Any::from(tuple.clone())).unwrap_err();
    assert_eq!(error.message(), "Cannot convert from type `ffi.Array` of 3 elements to `Tuple<int, int>`");
    let error = Tuple::<(i64, i64, f64)>::try_from(Any::from(tuple)).unwrap_err();
    assert_eq!(error.message(), "element 1: Cannot convert from type `ffi.SmallStr` to `int`");
    let error = Tuple::<(i64,)>::try_from(Any::from(1_i64)).unwrap_err();
    assert_eq!(error.message(), "Cannot convert from type `int` to `Tuple<int>`");
    let flip = Function::from_typed(|pair: &Tuple<(i64, bool)>| -> Result<Tuple<(bool, i64)>> {
        let (a, b) = pair.get()?;
        Ok((b, a).into())
    });
    let flipped: Tuple<(bool, i64)> =
        flip.call_tuple((Tuple::new((5_i64, true)),)).unwrap().try_into().unwrap();
    assert_eq!(flipped.get().unwrap(), (true, 5));
}
