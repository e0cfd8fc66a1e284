// SPDX-License-Identifier: Apache-2.0
//! Values of one of several types: variants, and results that may be unchanged.

use tvm_ffi::{
    rs_class, structural_map, Any, AnyCompatible, AnyView, Array, BigInt, Error, FieldCell, FieldGetter,
    FieldSetter, Function, ObjectCore, String, Unchanged, UnchangedOr, Variant, WalkOrder, VALUE_ERROR,
};

type Number = Variant<(i64, f64)>;
type Tree = Variant<(i64, Array<i64>, String)>;

#[test]
fn a_variant_holds_what_it_was_made_of() {
    let text = Tree::new(String::from("a text that is an object"));
    assert_eq!(text.get::<String, _>().unwrap(), "a text that is an object");
    assert_eq!(text.get::<i64, _>(), None);
    assert!(text.is::<String, _>() && !text.is::<Array<i64>, _>());
    let any = Any::from(text);
    assert_eq!(any.debug_strong_count(), Some(1));
    let again = Tree::try_from(any).unwrap();
    assert_eq!(again.as_any().debug_strong_count(), Some(1));
    assert_eq!(size_of::<Tree>(), 16);
}

#[test]
fn a_cast_prefers_what_needs_no_conversion() {
    let number = |value: Any| Number::try_from(value);
    assert_eq!(number(0.5.into()).unwrap().get::<f64, _>(), Some(0.5));
    assert_eq!(number(2_i64.into()).unwrap().get::<i64, _>(), Some(2));
    // Neither is strict: the first in order converts.
    assert_eq!(number(true.into()).unwrap().get::<i64, _>(), Some(1));
    // Too wide for the first: the second takes it.
    let wide = BigInt::from(u64::MAX);
    assert_eq!(number(wide.into()).unwrap().get::<f64, _>(), Some(u64::MAX as f64));
    let error = number(String::from("x").into()).unwrap_err();
    assert_eq!(error.message(), "Cannot convert from type `ffi.SmallStr` to `Variant<int, float>`");
    assert!(Any::from(true).try_as::<Number>().is_none());
    assert!(Any::from(1_i64).try_as::<Number>().is_some());
    assert_eq!(Number::type_schema(), r#"{"type":"Variant","args":[{"type":"int"},{"type":"float"}]}"#);
}

#[test]
fn variants_are_elements_arguments_and_results() {
    let twice = Function::from_typed(|values: Array<Tree>| -> tvm_ffi::Result<Array<Tree>> {
        values
            .iter()
            .map(|value| {
                let value = value?;
                Ok(match value.get::<i64, _>() {
                    Some(n) => Tree::new(2 * n),
                    None => value,
                })
            })
            .collect()
    });
    let values: Array<Any> = Array::new(vec![3_i64.into(), String::from("s").into()]);
    let out: Array<Any> = twice.call_tuple((&values,)).unwrap().try_into().unwrap();
    assert_eq!(out.get(0).unwrap().try_as::<i64>(), Some(6));
    assert_eq!(out.get(1).unwrap().try_as::<String>().unwrap(), "s");
    let error = twice.call_tuple((Array::new(vec![0.5]),)).unwrap_err();
    assert_eq!(
        error.message(),
        "Argument #0: element 0: Cannot convert from type `float` to `Variant<int, Array<int>, ffi.String>`"
    );
}

#[rs_class("one_of.Holder")]
struct Holder {
    #[field(writable)]
    value: FieldCell<Variant<(i64, String)>>,
}

#[test]
fn a_field_may_be_a_variant() {
    let holder = Holder::new(Variant::new(String::from("a text that is an object")));
    let get = FieldGetter::new(HolderObj::type_index(), "value").unwrap();
    assert_eq!(get.get::<_, String>(&*holder).unwrap(), "a text that is an object");
    let set = FieldSetter::new(HolderObj::type_index(), "value").unwrap();
    // SAFETY: a `FieldCell`.
    unsafe {
        set.set(&holder, 5_i64).unwrap();
        let error = set.set(&holder, 0.5).unwrap_err();
        assert_eq!(error.message(), "Cannot convert from type `float` to `Variant<int, ffi.String>`");
    }
    assert_eq!(holder.value.get().get::<i64, _>(), Some(5));
}

#[test]
fn unchanged_is_a_value_of_its_own() {
    type Text = UnchangedOr<String>;
    assert_eq!((size_of::<Text>(), size_of::<UnchangedOr>()), (16, 16));
    assert_eq!(Text::type_str(), "UnchangedOr<ffi.String>");
    let marker = Any::from(Text::unchanged());
    assert!(marker.try_as::<Unchanged>().is_some() && marker.try_as::<Text>().unwrap().is_unchanged());
    let text = Any::from(Text::changed("new".into()));
    assert_eq!(text.try_as::<String>().unwrap(), "new");
    let error = Text::try_from(Any::from(1_i64)).unwrap_err();
    assert_eq!(error.message(), "Cannot convert from type `int` to `UnchangedOr<ffi.String>`");
    // A cast converts as the type does.
    assert_eq!(UnchangedOr::<f64>::try_from(Any::from(2_i64)).unwrap().into_option(), Some(2.0));
    assert!(Any::from(2_i64).try_as::<UnchangedOr<f64>>().is_none());
    // Of any value but an error.
    assert!(Any::from(()).try_as::<UnchangedOr>().is_some());
    let failed = Any::from(Error::new(VALUE_ERROR, "no", ""));
    assert!(failed.try_as::<UnchangedOr>().is_none());
    assert!(UnchangedOr::<Any>::try_from(failed).is_err());
}

#[test]
fn unchanged_goes_through_functions() {
    let halve = Function::from_typed(|n: i64| match n % 2 {
        0 => UnchangedOr::changed(n / 2),
        _ => UnchangedOr::unchanged(),
    });
    let out: UnchangedOr<i64> = halve.call_tuple((8_i64,)).unwrap().try_into().unwrap();
    assert_eq!(out.map(|n| n + 1).value_or(0), 5);
    let out: UnchangedOr<i64> = halve.call_tuple((3_i64,)).unwrap().try_into().unwrap();
    assert!(out.clone().map(|n| n + 1).is_unchanged());
    assert_eq!(out.value_or_else(|| 7), 7);
    let is_unchanged = Function::from_typed(|value: UnchangedOr<Any>| value.is_unchanged());
    let view = AnyView::from(&Unchanged);
    assert!(bool::try_from(is_unchanged.call_packed(&[view]).unwrap()).unwrap());
    // The engine of maps takes it, too.
    let odd = |n: i64| if n % 2 == 1 { UnchangedOr::changed(-n) } else { UnchangedOr::unchanged() };
    let out = structural_map(Array::new(vec![1_i64, 2]), odd, WalkOrder::PostOrder).unwrap();
    assert_eq!(tvm_ffi::repr(&out).unwrap(), "(-1, 2)");
}

#[test]
fn a_new_value_may_be_the_old_object() {
    let (old, other) = (Array::new(vec![1_i64]), Array::new(vec![1_i64]));
    assert!(UnchangedOr::<Array<i64>>::unchanged().unchanged_or_same_as(&old));
    assert!(UnchangedOr::changed(old.clone()).unchanged_or_same_as(&old));
    assert!(!UnchangedOr::changed(other).unchanged_or_same_as(&old));
}
