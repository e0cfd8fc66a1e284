// SPDX-License-Identifier: Apache-2.0
//! What the crate does by itself: counting, layouts, closures, tensors. Nothing here calls the library, so Miri runs it
//! (`./dev miri`).

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use tvm_ffi::tvm_ffi_sys::{TVMFFIObject, TVMFFITypeIndex as TypeIndex};
use tvm_ffi::{
    Any, AnyView, Bytes, DLDataType, DLDataTypeCode, DLDevice, DLDeviceType, FieldCell, Function, Object,
    ObjectArc, ObjectCore, ObjectCoreWithExtraItems, ObjectIdentity, ObjectRefCore, Optional, RValueRef,
    Result, Shape, String, Tensor, TensorView, Unchanged, UnchangedOr, Variant,
};

/// An object with a destructor, of the index of all objects.
#[repr(C)]
#[derive(tvm_ffi::derive::Object)]
#[type_key = "ffi.Object"]
#[type_index(TypeIndex::kTVMFFIObject as i32)]
struct CountedObj {
    base: Object,
    dropped: Arc<AtomicUsize>,
    text: std::string::String,
}

// SAFETY: its contents may be shared and sent, and its counts are atomic.
unsafe impl Send for CountedObj {}
// SAFETY: as above.
unsafe impl Sync for CountedObj {}

impl Drop for CountedObj {
    fn drop(&mut self) {
        self.dropped.fetch_add(1, Ordering::SeqCst);
    }
}

fn counted(dropped: &Arc<AtomicUsize>) -> ObjectArc<CountedObj> {
    ObjectArc::new(CountedObj { base: Object::new(), dropped: dropped.clone(), text: "text".into() })
}

#[test]
fn counts_go_up_and_down_on_two_threads() {
    let dropped = Arc::new(AtomicUsize::new(0));
    let object = counted(&dropped);
    let weak = ObjectArc::downgrade(&object);
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let (object, weak) = (object.clone(), weak.clone());
            std::thread::spawn(move || {
                for _ in 0..50 {
                    let again = object.clone();
                    assert_eq!(weak.upgrade().map(|it| it.text.len()), Some(again.text.len()));
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!((ObjectArc::strong_count(&object), ObjectArc::weak_count(&object)), (1, 2));
    drop(object);
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
    assert!(weak.upgrade().is_none());
}

#[test]
fn the_last_owner_leaves_while_others_upgrade() {
    for _ in 0..10 {
        let dropped = Arc::new(AtomicUsize::new(0));
        let object = counted(&dropped);
        let weak = ObjectArc::downgrade(&object);
        let reader = std::thread::spawn(move || (0..10).filter(|_| weak.upgrade().is_some()).count());
        drop(object);
        assert!(reader.join().unwrap() <= 10);
        assert_eq!(dropped.load(Ordering::SeqCst), 1);
    }
}

#[test]
fn a_sole_owner_changes_the_object() {
    let dropped = Arc::new(AtomicUsize::new(0));
    let mut object = counted(&dropped);
    ObjectArc::get_mut(&mut object).unwrap().text.push('!');
    let raw = ObjectArc::into_raw(object);
    // SAFETY: the reference that was given up.
    let object = unsafe { ObjectArc::from_raw(raw) };
    assert_eq!(object.text, "text!");
}

/// Numbers behind an object.
#[repr(C)]
struct RowObj {
    base: Object,
    count: usize,
}

// SAFETY: the struct starts with the header; no other language sees it.
unsafe impl ObjectCore for RowObj {
    const TYPE_KEY: &'static str = "ffi.Object";
    const TYPE_DEPTH: i32 = 1;
    fn type_index() -> i32 {
        TypeIndex::kTVMFFIObject as i32
    }
    unsafe fn object_header_mut(this: &mut Self) -> &mut TVMFFIObject {
        // SAFETY: passed on.
        unsafe { Object::object_header_mut(&mut this.base) }
    }
}

// SAFETY: `count` items are allocated behind the object.
unsafe impl ObjectCoreWithExtraItems for RowObj {
    type ExtraItem = i64;
    fn extra_items_count(this: &Self) -> usize {
        this.count
    }
}

#[test]
fn items_lie_behind_their_object() {
    let mut row = ObjectArc::new_with_extra_items::<i64>(RowObj { base: Object::new(), count: 3 });
    let object = ObjectArc::as_raw_mut(&mut row);
    // SAFETY: the room is for three numbers, which are written before they are read.
    unsafe {
        let room = object.add(1).cast::<i64>();
        (0..3).for_each(|i| room.add(i).write(10 * i as i64));
        assert_eq!(RowObj::extra_items(&row), [0, 10, 20]);
        RowObj::extra_items_mut(ObjectArc::get_mut(&mut row).unwrap())[1] = 7;
        assert_eq!(RowObj::extra_items(&row), [0, 7, 20]);
    }
}

#[test]
fn values_hold_numbers_and_short_text() {
    let any = Any::from(3_i64);
    assert_eq!((any.try_as::<i64>(), any.try_as::<f64>()), (Some(3), None));
    assert_eq!(f64::try_from(any).unwrap(), 3.0);
    let text = String::from("seven b");
    let copy = Any::from(text.clone());
    assert_eq!(String::try_from(copy).unwrap(), text);
    assert_eq!(Bytes::from(b"abc".as_slice()).as_slice(), b"abc");
    let view = AnyView::from(&text);
    assert_eq!(view.try_as::<String>().unwrap().as_str(), "seven b");
    let device = DLDevice::new(DLDeviceType::kDLCUDA, 2);
    assert_eq!(DLDevice::try_from(Any::from(device)).unwrap().device_id, 2);
    let dtype = DLDataType::new(DLDataTypeCode::kDLFloat, 16, 4);
    assert_eq!(Any::from(dtype).try_as::<DLDataType>().unwrap().lanes, 4);
    let mut cell = Optional::some(4_i64);
    cell.set(Some(5));
    assert_eq!(cell.get(), Some(5));
    let field = FieldCell::new(String::from("a"));
    field.set(String::from("b"));
    assert_eq!(field.get(), "b");
}

#[test]
fn closures_are_called_through_the_c_entry() {
    let dropped = Arc::new(AtomicUsize::new(0));
    let object = counted(&dropped);
    let held = object.clone();
    let f =
        Function::from_typed(move |a: i64, text: &str, other: &Function, any: AnyView<'_>| -> Result<i64> {
            let more: i64 = other.call_tuple((a,))?.try_into()?;
            Ok(more + (text.len() + held.text.len()) as i64 + i64::from(any.type_index()))
        });
    let double = Function::from_typed(|n: i64| 2 * n);
    for _ in 0..3 {
        let out = f.call_tuple((5_i64, "abc", &double, 1.5)).unwrap();
        assert_eq!(i64::try_from(out).unwrap(), 10 + 3 + 4 + TypeIndex::kTVMFFIFloat as i64);
    }
    drop(object);
    assert_eq!(dropped.load(Ordering::SeqCst), 0);
    drop(f);
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
}

#[test]
fn functions_cross_threads() {
    let count = Arc::new(AtomicUsize::new(0));
    let total = count.clone();
    let add = Function::from_typed(move |n: u32| total.fetch_add(n as usize, Ordering::Relaxed));
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let add = add.clone();
            std::thread::spawn(move || (0..20).for_each(|_| drop(add.call_tuple((2_u32,)).unwrap())))
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(count.load(Ordering::Relaxed), 80);
}

#[test]
fn moved_arguments_leave_their_slot() {
    let take = Function::from_typed(|f: RValueRef<Function>| {
        Any::from(f.into_inner()).debug_strong_count().unwrap_or(0) as i64
    });
    let other = Function::from_typed(|| 1_i64);
    let identity = ObjectIdentity::of(&other);
    assert_eq!(i64::try_from(take.call_tuple((&other,)).unwrap()).unwrap(), 3);
    drop(identity);
    assert_eq!(i64::try_from(take.call_tuple((RValueRef::new(other),)).unwrap()).unwrap(), 1);
}

#[test]
fn shapes_and_tensors_own_their_memory() {
    let shape = Shape::from([2, 3]);
    assert_eq!(shape.clone().as_slice(), [2, 3]);
    let mut tensor = Tensor::from_slice(&[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0], &shape).unwrap();
    assert_eq!((tensor.shape(), tensor.strides()), (&[2, 3][..], &[3, 1][..]));
    // SAFETY: nobody else has the tensor.
    unsafe { tensor.data_as_slice_mut::<f32>().unwrap()[4] = 50.0 };
    assert_eq!(tensor.to_vec::<f32>().unwrap(), [1.0, 2.0, 3.0, 4.0, 50.0, 6.0]);
    let sum = Function::from_typed(|view: TensorView<'_>, tensor: &Tensor| -> Result<f64> {
        let views = view.to_vec::<f32>()?.iter().sum::<f32>();
        Ok(f64::from(views) + tensor.numel() as f64)
    });
    assert_eq!(f64::try_from(sum.call_tuple((tensor.view(), &tensor)).unwrap()).unwrap(), 72.0);
    assert_eq!(Tensor::zeros::<i64>(&[0, 4]).unwrap().to_vec::<i64>().unwrap(), []);
    assert_eq!(Tensor::from_slice(&[9_u8], &[]).unwrap().to_vec::<u8>().unwrap(), [9]);
}

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

#[test]
fn a_closure_may_call_itself() {
    let down = Function::from_typed(|f: &Function, n: i64| -> Result<i64> {
        DEPTH.set(DEPTH.get() + 1);
        if n == 0 {
            return Ok(0);
        }
        let below: i64 = f.call_tuple((f, n - 1))?.try_into()?;
        Ok(below + n)
    });
    assert_eq!(i64::try_from(down.call_tuple((&down, 10_i64)).unwrap()).unwrap(), 55);
    assert_eq!(DEPTH.get(), 11);
}

#[test]
fn closures_that_change_take_turns() {
    let mut sum = 0;
    let add = Function::from_typed_mut(move |n: i64| -> Result<i64> {
        sum += n;
        Ok(sum)
    });
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let add = add.clone();
            std::thread::spawn(move || {
                for _ in 0..10 {
                    add.call_tuple((1_i64,)).unwrap();
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(i64::try_from(add.call_tuple((0_i64,)).unwrap()).unwrap(), 20);
}

#[test]
fn variants_and_unchanged_results_own_their_value() {
    type Either = Variant<(i64, Function)>;
    let function = Function::from_typed(|| 3_i64);
    let held = Either::new(function.clone());
    let copy = held.clone();
    assert_eq!(ObjectArc::strong_count(ObjectRefCore::data(&function)), 3);
    drop(held);
    assert!(copy.get::<Function, _>().is_some() && copy.get::<i64, _>().is_none());
    assert_eq!(Either::try_from(Any::from(5_i64)).unwrap().get::<i64, _>(), Some(5));
    let changed = UnchangedOr::changed(function.clone());
    assert!(changed.unchanged_or_same_as(&function));
    assert_eq!(UnchangedOr::<i64>::try_from(Any::from(Unchanged)).unwrap().value_or(4), 4);
    drop((copy, changed));
    assert_eq!(ObjectArc::strong_count(ObjectRefCore::data(&function)), 1);
}
