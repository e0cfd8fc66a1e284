// SPDX-License-Identifier: Apache-2.0
//! Types that Rust defines, as other languages see them.

use std::ops::Deref;
use tvm_ffi::object::ObjectRef;
use tvm_ffi::reflection::{fields_of, ObjectDef};
use tvm_ffi::{
    deep_copy, first_structural_mismatch, from_json_graph, recursive_eq, repr, rs_class, structural_equal,
    structural_hash, to_json_graph, Any, Array, FieldCell, FieldGetter, FieldSetter, Function, Object,
    ObjectArc, ObjectCore, Optional, Result, String, StructuralKey,
};

/// A point in the plane.
#[repr(C)]
#[derive(tvm_ffi::derive::Object)]
#[type_key = "rust_test.Point"]
#[type_register]
#[type_kind = "tree"]
#[type_def(define_point)]
struct PointObj {
    base: Object,
    /// Distance to the right.
    #[field]
    x: i64,
    #[field(default = 7)]
    y: i32,
    #[field(default = "unnamed", kw_only)]
    name: String,
    #[field(writable, default = 1.5, structural = "ignore")]
    weight: FieldCell<f64>,
    #[field(default = None)]
    next: Option<Point>,
    #[field(factory = || Array::<i64>::new(vec![1, 2]))]
    parts: Array<i64>,
    #[field(default = Optional::none())]
    limit: Optional<i64>,
}

#[repr(C)]
#[derive(tvm_ffi::derive::ObjectRef, Clone)]
struct Point {
    data: ObjectArc<PointObj>,
}

impl Deref for Point {
    type Target = PointObj;
    fn deref(&self) -> &PointObj {
        &self.data
    }
}

tvm_ffi::register_on_load!(PointObj);

fn define_point(def: &mut ObjectDef<PointObj>) -> Result<()> {
    def.method("norm1", "Sum of the coordinates.", |point: Point| -> Result<i64> {
        Ok(point.x.abs() + i64::from(point.y.abs()))
    })?;
    def.static_method("zero", "The origin.", || -> Result<Any> {
        make("rust_test.Point", &[("x", 0.into())])
    })?;
    Ok(())
}

/// Makes an object as a language without its own classes does.
fn make(key: &str, fields: &[(&str, Any)]) -> Result<Any> {
    let mut args = vec![Any::from(String::from(key))];
    for (name, value) in fields {
        args.push(Any::from(String::from(*name)));
        args.push(value.clone());
    }
    let views: Vec<_> = args.iter().map(tvm_ffi::AnyView::from).collect();
    Function::get_global("ffi.MakeObjectFromPackedArgs")?.call_packed(&views)
}

fn init(args: impl tvm_ffi::function_internal::IntoArgHolderTuple) -> Result<Point> {
    Function::from_type_attr(PointObj::type_index(), "__ffi_init__")?.call_tuple(args)?.try_into()
}

#[test]
fn the_constructor_takes_fields_and_defaults() {
    let point = init((3_i64, -2_i64)).unwrap();
    assert_eq!((point.x, point.y, point.name.as_str(), point.weight.get()), (3, -2, "unnamed", 1.5));
    assert!(point.next.is_none() && point.limit.is_none());
    assert_eq!(point.parts.iter().collect::<Result<Vec<_>>>().unwrap(), [1, 2]);
    let error = init(()).err().unwrap();
    assert_eq!(error.kind().as_str(), "TypeError");
    assert!(error.message().contains("missing required argument: 'x'"), "{}", error.message());
    let error = init((1_i64, 1_i64 << 40)).err().unwrap();
    assert!(error.message().contains("field 'y'"), "{}", error.message());
    assert!(error.message().contains("Integer value 1099511627776 is out of range for `i32`"), "{error}");
}

#[test]
fn fields_and_methods_are_listed_with_types_and_docs() {
    let fields = fields_of(PointObj::type_index()).unwrap();
    let names: Vec<_> = fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["x", "y", "name", "weight", "next", "parts", "limit"]);
    assert_eq!(fields[0].doc, "Distance to the right.");
    assert_eq!(fields[0].metadata, r#"{"type_schema":"{\"type\":\"int\"}"}"#);
    let schema = r#"{\"type\":\"Optional\",\"args\":[{\"type\":\"rust_test.Point\"}]}"#;
    assert_eq!(fields[4].metadata, format!(r#"{{"type_schema":"{schema}"}}"#));
    assert_eq!(
        fields.iter().map(|field| field.writable).collect::<Vec<_>>(),
        [false, false, false, true, false, false, false]
    );
    let norm = Function::from_type_method(PointObj::type_index(), "norm1").unwrap();
    assert_eq!(i64::try_from(norm.call_tuple((init((3_i64, -2_i64)).unwrap(),)).unwrap()).unwrap(), 5);
    let zero = Function::from_type_method(PointObj::type_index(), "zero").unwrap();
    assert_eq!(Point::try_from(zero.call_tuple(()).unwrap()).unwrap().y, 7);
}

#[test]
fn getters_and_setters_check_object_and_value() {
    let point = init((3_i64,)).unwrap();
    let weight = FieldGetter::new(PointObj::type_index(), "weight").unwrap();
    assert_eq!(weight.get::<_, f64>(&*point).unwrap(), 1.5);
    let set = FieldSetter::new(PointObj::type_index(), "weight").unwrap();
    // SAFETY: the field is a `FieldCell`.
    unsafe {
        set.set(&point, 4.0).unwrap();
        assert_eq!(set.set(&point, String::from("x")).unwrap_err().kind().as_str(), "TypeError");
        assert!(set.set(&Array::<i64>::default(), 1.0).is_err());
    }
    assert_eq!(point.weight.get(), 4.0);
    let error = FieldSetter::new(PointObj::type_index(), "x").err().unwrap();
    assert_eq!(error.message(), "Reflected field `x` is read-only");
}

#[test]
fn objects_print_copy_and_serialise() {
    let none = Any::from(Array::<i64>::default());
    let inner: Point =
        make("rust_test.Point", &[("x", 1.into()), ("parts", none)]).unwrap().try_into().unwrap();
    let parts = Any::from(Array::<i64>::default());
    let value =
        make("rust_test.Point", &[("x", 5.into()), ("next", inner.clone().into()), ("parts", parts.clone())])
            .unwrap();
    let text = repr(&value).unwrap();
    assert!(
        text.starts_with("rust_test.Point(x=5, y=7, name=\"unnamed\", weight=1.5, next=rust_test.Point(x=1"),
        "{text}"
    );
    let copy = Point::try_from(deep_copy(&value).unwrap()).unwrap();
    assert_eq!(copy.next.as_ref().map(|next| next.x), Some(1));
    assert!(!tvm_ffi::ObjectRefCore::same_as(copy.next.as_ref().unwrap(), &inner));
    assert!(recursive_eq(&value, &copy.into()).unwrap());
    let again = from_json_graph(&to_json_graph(&value).unwrap()).unwrap();
    assert!(recursive_eq(&value, &again).unwrap());
}

#[test]
fn structural_equality_follows_the_field_options() {
    let point =
        |x: i64, weight: f64| make("rust_test.Point", &[("x", x.into()), ("weight", weight.into())]).unwrap();
    let (a, b, c) = (point(1, 1.0), point(1, 2.0), point(2, 1.0));
    assert!(structural_equal(&a, &b, false, false).unwrap());
    assert_eq!(structural_hash(&a, false, false).unwrap(), structural_hash(&b, false, false).unwrap());
    assert!(!structural_equal(&a, &c, false, false).unwrap());
    let (left, right) = first_structural_mismatch(&a, &c, false, false).unwrap().unwrap();
    assert_eq!((left.to_string(), right.to_string()), ("<root>.x".to_string(), "<root>.x".to_string()));
    let steps = left.to_steps().unwrap();
    assert_eq!(steps[0].kind(), Some(tvm_ffi::reflection::AccessKind::Attr));
    assert_eq!(String::try_from(steps[0].key()).unwrap(), "x");
    let set: std::collections::HashSet<_> = [&a, &b, &c].map(|p| StructuralKey::new(p).unwrap()).into();
    assert_eq!(set.len(), 2);
}

#[test]
fn objects_with_holes_are_released_and_not_copied() {
    // The creator makes an object whose fields have no values yet.
    let new = Function::from_type_attr(PointObj::type_index(), "__ffi_new__").unwrap();
    let hollow = new.call_tuple(()).unwrap();
    let copy = Function::from_type_attr(PointObj::type_index(), "__ffi_shallow_copy__").unwrap();
    let error = copy.call_tuple((&hollow,)).unwrap_err();
    assert_eq!(error.message(), "field `parts` of a `rust_test.Point` object is not set");
    let parts = FieldGetter::new(PointObj::type_index(), "parts").unwrap();
    let object = ObjectRef::try_from(hollow).unwrap();
    assert_eq!(parts.get_any(&**tvm_ffi::ObjectRefCore::data(&object)).unwrap().type_index(), 0);
}

#[test]
fn fields_are_released_with_the_object() {
    let held = Any::from(String::from("a name that is an object"));
    let object = make(
        "rust_test.Point",
        &[("x", 1.into()), ("name", held.clone()), ("parts", Any::from(Array::<i64>::default()))],
    )
    .unwrap();
    assert_eq!(held.debug_strong_count(), Some(2));
    let copy = deep_copy(&object).unwrap();
    assert_eq!(held.debug_strong_count(), Some(3));
    drop((object, copy));
    assert_eq!(held.debug_strong_count(), Some(1));
}

/// A shape of its own.
#[rs_class("rust_test.Node")]
struct Node {
    /// What it is called.
    name: String,
}

#[rs_class("rust_test.Leaf", parent = Node, kind = "tree")]
struct Leaf {
    size: i64,
    #[field(default = None)]
    other: Option<Node>,
}

#[test]
fn rs_class_derives_types() {
    let leaf = Leaf::new(NodeObj::new("stem".into()), 3, None);
    assert_eq!((leaf.size, leaf.name.as_str()), (3, "stem"));
    let node = Node::from(&leaf);
    assert_eq!(node.name, "stem");
    assert_eq!(LeafObj::TYPE_DEPTH, 2);
    let with = Leaf::new(NodeObj::new("s".into()), 1, Some(node));
    let text = repr(Any::from(with)).unwrap();
    assert_eq!(
        text,
        r#"rust_test.Leaf(name="s", size=1, other=rust_test.Leaf(name="stem", size=3, other=None))"#
    );
}
