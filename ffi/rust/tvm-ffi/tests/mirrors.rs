// SPDX-License-Identifier: Apache-2.0
//! Structs that stand for types of other libraries: reads in place, and structs that do not fit.

use tvm_ffi::object::{ObjectRef, ObjectRefCast};
use tvm_ffi::reflection::{CachedField, Opaque};
use tvm_ffi::{rs_class, Any, Array, FieldGetter, Function, Object, ObjectArc, ObjectCore, ObjectRefCore};

#[rs_class("mirrors.Real")]
struct Real {
    wide: i64,
    ratio: f64,
    narrow: i32,
    short: i16,
    tiny: i8,
    flag: bool,
    half: f32,
    count: u32,
    huge: u64,
}

#[rs_class("mirrors.Below", parent = Real)]
struct Below {
    more: i64,
}

fn real(sign: i64) -> Real {
    let count = if sign < 0 { u32::MAX } else { 1 };
    let huge = if sign < 0 { u64::MAX } else { 2 };
    Real::new(sign * 5, 0.5, sign as i32 * 6, sign as i16 * 7, sign as i8 * 8, sign > 0, 0.25, count, huge)
}

/// A mirror with a reference type.
macro_rules! mirror {
    ($name:ident, $object:ident, $key:literal, [$($attribute:meta),*], { $($body:tt)* }) => {
        #[repr(C)]
        #[derive(tvm_ffi::derive::Object)]
        #[type_key = $key]
        $(#[$attribute])*
        #[allow(dead_code)]
        struct $object {
            base: Object,
            $($body)*
        }

        #[repr(C)]
        #[derive(tvm_ffi::derive::ObjectRef, Clone)]
        struct $name {
            base: ObjectArc<$object>,
        }
    };
}

mirror!(
    Seen,
    SeenObj,
    "mirrors.Real",
    [type_fields(
        "wide": i64 = 24, "ratio": f64 = 32, "narrow": i32 = 40, "short": i16 = 44, "tiny": i8 = 46, "flag": bool = 47,
        "half": f32 = 48, "count": u32 = 52, "huge": u64 = 56
    )],
    { opaque: Opaque }
);

impl SeenObj {
    fn ints(&self) -> [tvm_ffi::Result<i64>; 6] {
        static WIDE: CachedField<SeenObj> = CachedField::new("wide");
        static NARROW: CachedField<SeenObj> = CachedField::new("narrow");
        static SHORT: CachedField<SeenObj> = CachedField::new("short");
        static TINY: CachedField<SeenObj> = CachedField::new("tiny");
        static COUNT: CachedField<SeenObj> = CachedField::new("count");
        static HUGE: CachedField<SeenObj> = CachedField::new("huge");
        [
            WIDE.read_int::<24>(self),
            NARROW.read_int::<40>(self),
            SHORT.read_int::<44>(self),
            TINY.read_int::<46>(self),
            COUNT.read_int::<52>(self),
            HUGE.read_int::<56>(self),
        ]
    }

    fn others(&self) -> tvm_ffi::Result<(f64, f64, bool)> {
        static RATIO: CachedField<SeenObj> = CachedField::new("ratio");
        static HALF: CachedField<SeenObj> = CachedField::new("half");
        static FLAG: CachedField<SeenObj> = CachedField::new("flag");
        Ok((RATIO.read_float::<32>(self)?, HALF.read_float::<48>(self)?, FLAG.read_bool::<47>(self)?))
    }
}

#[test]
fn numbers_are_read_in_place() {
    let seen = Seen::try_from(Any::from(real(1))).unwrap();
    assert_eq!(seen.base.ints().map(|n| n.unwrap()), [5, 6, 7, 8, 1, 2]);
    assert_eq!(seen.base.others().unwrap(), (0.5, 0.25, true));
    let seen = Seen::try_from(Any::from(real(-1))).unwrap();
    let [wide, narrow, short, tiny, count, huge] = seen.base.ints();
    assert_eq!([wide, narrow, short, tiny].map(|n| n.unwrap()), [-5, -6, -7, -8]);
    assert_eq!(count.unwrap(), i64::from(u32::MAX));
    assert_eq!(huge.unwrap_err().kind().as_str(), "OverflowError");
    assert!(!seen.base.others().unwrap().2);
    let below = Below::new(RealObj::new(9, 0.0, 0, 0, 0, true, 0.0, 0, 0), 3);
    assert_eq!(Seen::try_from(Any::from(below)).unwrap().base.ints()[0].as_ref().unwrap(), &9);
}

mirror!(Moved, MovedObj, "mirrors.Real", [type_fields("wide": i64 = 32)], { opaque: Opaque });
mirror!(Narrow, NarrowObj, "mirrors.Real", [type_fields("wide": i32 = 24)], { opaque: Opaque });
mirror!(Retyped, RetypedObj, "mirrors.Real", [type_fields("wide": f64 = 24)], { opaque: Opaque });
mirror!(Renamed, RenamedObj, "mirrors.Real", [type_fields("wider": i64 = 24)], { opaque: Opaque });
mirror!(Short, ShortObj, "mirrors.Real", [type_exact], { wide: i64, ratio: f64 });
mirror!(Swapped, SwappedObj, "mirrors.Pair", [type_exact], { b: i64, a: i64 });

#[rs_class("mirrors.Pair")]
struct Pair {
    a: i64,
    b: i64,
}

/// Nothing is a `T`, and the error says `difference`.
fn does_not_fit<T>(object: &ObjectRef, difference: &str)
where
    T: ObjectRefCore + tvm_ffi::AnyCompatible + TryFrom<Any, Error = tvm_ffi::Error> + 'static,
{
    let key = T::ContainerType::TYPE_KEY;
    let text = format!(
        "`{key}` of the loaded library is not the type that this program was built for: {difference}; generate its Rust \
         module again (tvm-ffi-stubgen --target rust)"
    );
    let any = Any::from(object.clone());
    // Also the second time: a failure is not remembered as a success.
    for _ in 0..2 {
        let errors = [T::try_from(any.clone()).err().unwrap(), object.clone().try_cast::<T>().err().unwrap()];
        for error in errors {
            assert_eq!((error.kind().as_str(), error.message()), ("TypeError", text.as_str()));
        }
    }
    assert!(any.try_as::<T>().is_none());
    assert!(object.as_node::<T::ContainerType>().is_none());
    let take = Function::from_typed(|_: &T| 1_i64);
    let error = take.call_tuple((&any,)).unwrap_err();
    assert_eq!(error.message(), format!("Argument #0: {text}"));
    let items = Array::<Any>::new(vec![any]);
    assert!(Any::from(items).try_as::<Array<T>>().is_none());
    assert!(FieldGetter::new(T::ContainerType::type_index(), "wide").is_err());
    // What is no object of the type at all is told as usual.
    let error = T::try_from(Any::from(1_i64)).err().unwrap();
    assert_eq!(error.message(), format!("Cannot convert from type `int` to `{key}`"));
}

#[test]
fn a_struct_that_does_not_fit_has_no_objects() {
    let object = ObjectRef::try_from(Any::from(real(1))).unwrap();
    does_not_fit::<Moved>(&object, "field `wide` lies in bytes [24, 32), expected [32, 40)");
    does_not_fit::<Narrow>(&object, "field `wide` lies in bytes [24, 32), expected [24, 28)");
    does_not_fit::<Retyped>(&object, "field `wide` is of another type than `float`");
    does_not_fit::<Renamed>(&object, "it has no field `wider`");
    does_not_fit::<Short>(&object, "its objects have 64 bytes, the Rust struct has 40");
    let pair = ObjectRef::try_from(Any::from(Pair::new(1, 2))).unwrap();
    does_not_fit::<Swapped>(&pair, "field `b` lies in bytes [32, 40), expected [24, 32)");
}

#[test]
fn no_object_is_made_of_a_struct_that_does_not_fit() {
    drop(Pair::new(1, 2));
    let make = || ObjectArc::new(SwappedObj { base: Object::new(), b: 1, a: 2 });
    let panic = std::panic::catch_unwind(|| drop(make())).unwrap_err();
    let text = panic.downcast_ref::<std::string::String>().unwrap();
    assert!(text.contains("field `b` lies in bytes [32, 40), expected [24, 32)"), "{text}");
}

/// Below a struct that does not fit nothing fits.
#[repr(C)]
#[derive(tvm_ffi::derive::Object)]
#[type_key = "mirrors.Below"]
struct BelowMovedObj {
    base: MovedObj,
}

#[repr(C)]
#[derive(tvm_ffi::derive::ObjectRef, Clone)]
struct BelowMoved {
    base: ObjectArc<BelowMovedObj>,
}

#[test]
fn a_parent_that_does_not_fit_is_found_through_its_child() {
    let below = Below::new(RealObj::new(9, 0.0, 0, 0, 0, true, 0.0, 0, 0), 3);
    let error = BelowMoved::try_from(Any::from(below)).err().unwrap();
    assert!(error.message().starts_with("`mirrors.Real` of the loaded library is not the type"), "{error}");
}

mirror!(Named, NamedObj, "mirrors.Named", [type_exact], { #[type_field("value_")] value: i64 });

#[rs_class("mirrors.Named")]
struct NamedHere {
    value_: i64,
}

#[test]
fn fields_may_have_another_name_in_rust() {
    let here = NamedHere::new(4);
    assert_eq!(Named::try_from(Any::from(here)).unwrap().base.value, 4);
}
