// SPDX-License-Identifier: Apache-2.0
//! What maps and dicts share: walking the object in place.

use crate::type_traits::ContainerElement;
use crate::AnyView;
use tvm_ffi_sys::{TVMFFIAny, TVMFFIObject};

const SMALL: u64 = 1 << 63;
const NONE: u64 = u64::MAX;
const BLOCK_SLOTS: u64 = 16;
const BLOCK_BYTES: u64 = 784;
const ITEM_BYTES: u64 = 48;

/// Layout of map objects; the last three fields exist in the dense form only.
#[repr(C)]
pub(crate) struct MapLayout {
    header: TVMFFIObject,
    data: *const u8,
    size: u64,
    slots: u64,
    data_deleter: *const u8,
    fib_shift: u32,
    iter_list_head: u64,
    iter_list_tail: u64,
}

/// An item of a dense block.
#[repr(C)]
struct DenseItem {
    key: TVMFFIAny,
    value: TVMFFIAny,
    prev: u64,
    next: u64,
}

/// Walks the entries of a live map in insertion order.
pub(crate) struct Entries {
    map: *const MapLayout,
    at: u64,
}

impl Entries {
    /// # Safety
    /// `map` must be a live map or dict and stay so; changing it while walking ends the walk early at worst.
    pub(crate) unsafe fn new(map: *const u8) -> Self {
        let map = map.cast::<MapLayout>();
        // SAFETY: a live map.
        let at = unsafe {
            if (*map).slots & SMALL != 0 {
                0
            } else {
                (*map).iter_list_head
            }
        };
        Self { map, at }
    }

    pub(crate) fn len(&self) -> usize {
        // SAFETY: a live map.
        unsafe { (*self.map).size as usize }
    }
}

impl Entries {
    /// The next entry in place.
    #[inline]
    pub(crate) fn next_slots(&mut self) -> Option<(*mut TVMFFIAny, *mut TVMFFIAny)> {
        // SAFETY: a live map; indices are checked against its current size and slots, since a dict may change in between.
        unsafe {
            let map = &*self.map;
            if map.slots & SMALL != 0 {
                if self.at >= map.size {
                    return None;
                }
                let key = map.data.cast::<TVMFFIAny>().add(2 * self.at as usize).cast_mut();
                self.at += 1;
                return Some((key, key.add(1)));
            }
            if self.at == NONE || self.at >= map.slots || map.size == 0 {
                return None;
            }
            let block = map.data.add((self.at / BLOCK_SLOTS * BLOCK_BYTES) as usize);
            if *block.add((self.at % BLOCK_SLOTS) as usize) == 0xFF {
                return None;
            }
            let offset = BLOCK_SLOTS + self.at % BLOCK_SLOTS * ITEM_BYTES;
            let item = block.add(offset as usize).cast::<DenseItem>().cast_mut();
            self.at = (*item).next;
            Some((&raw mut (*item).key, &raw mut (*item).value))
        }
    }
}

impl Iterator for Entries {
    type Item = (TVMFFIAny, TVMFFIAny);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        // SAFETY: live values of the map.
        self.next_slots().map(|(key, value)| unsafe { (*key, *value) })
    }
}

/// Alternating views of keys and values for a packed constructor.
pub(crate) fn views<K: ContainerElement, V: ContainerElement>(pairs: &[(K, V)]) -> Vec<AnyView<'_>> {
    pairs.iter().flat_map(|(k, v)| [K::element_view(k), V::element_view(v)]).collect()
}

macro_rules! map_type {
    ($(#[$doc:meta])* $name:ident, $object:ident, $iterator:ident, $key:literal, $index:ident, $make:literal, $count:literal,
     $get:literal, $other:ident) => {
        /// The object behind the reference type.
        #[repr(C)]
        pub struct $object {
            object: $crate::object::Object,
            data: *const u8,
            size: u64,
            slots: u64,
        }

        // SAFETY: starts as every map does; objects of it are made by the library alone.
        unsafe impl $crate::object::ObjectCore for $object {
            const TYPE_KEY: &'static str = $key;
            const TYPE_DEPTH: i32 = 1;
            const TYPE_FINAL: bool = true;
            fn type_index() -> i32 {
                ::tvm_ffi_sys::TVMFFITypeIndex::$index as i32
            }
            unsafe fn object_header_mut(this: &mut Self) -> &mut ::tvm_ffi_sys::TVMFFIObject {
                // SAFETY: passed on.
                unsafe { $crate::object::Object::object_header_mut(&mut this.object) }
            }
        }

        $(#[$doc])*
        #[repr(C)]
        pub struct $name<K: ContainerElement + Clone, V: ContainerElement + Clone> {
            data: $crate::object::ObjectArc<$object>,
            marker: ::std::marker::PhantomData<(K, V)>,
        }

        impl<K: ContainerElement + Clone, V: ContainerElement + Clone> Clone for $name<K, V> {
            fn clone(&self) -> Self {
                Self { data: self.data.clone(), marker: ::std::marker::PhantomData }
            }
        }

        // SAFETY: one object pointer.
        unsafe impl<K: ContainerElement + Clone, V: ContainerElement + Clone> $crate::object::ObjectRefCore
            for $name<K, V>
        {
            type ContainerType = $object;
            fn data(this: &Self) -> &$crate::object::ObjectArc<$object> {
                &this.data
            }
            fn into_data(this: Self) -> $crate::object::ObjectArc<$object> {
                this.data
            }
            unsafe fn from_data(data: $crate::object::ObjectArc<$object>) -> Self {
                Self { data, marker: ::std::marker::PhantomData }
            }
        }

        impl<K: ContainerElement + Clone, V: ContainerElement + Clone> $name<K, V> {
            /// An empty one.
            pub fn new() -> Self {
                Self::from_pairs(Vec::new())
            }

            fn from_pairs(pairs: Vec<(K, V)>) -> Self {
                let views = $crate::collections::map_base::views(&pairs);
                let made = $crate::cached_global_func!($make).call_packed(&views);
                let made = made.unwrap_or_else(|error| panic!("{error}"));
                // SAFETY: the constructor returns a container of exactly these pairs.
                unsafe {
                    let raw = $crate::Any::into_raw_ffi_any(made);
                    assert_eq!(raw.type_index, ::tvm_ffi_sys::TVMFFITypeIndex::$index as i32);
                    let object = raw.data_union.v_obj.cast::<$object>();
                    <Self as $crate::object::ObjectRefCore>::from_data($crate::object::ObjectArc::from_raw(object))
                }
            }

            fn entries(&self) -> $crate::collections::map_base::Entries {
                let address = $crate::object::ObjectArc::as_raw(&self.data).cast();
                // SAFETY: alive while `self` is; callers keep it.
                unsafe { $crate::collections::map_base::Entries::new(address) }
            }

            /// Number of entries.
            pub fn len(&self) -> usize {
                self.entries().len()
            }

            /// True when there are none.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// True when the key is there.
            pub fn contains_key(&self, key: &K) -> $crate::Result<bool> {
                let view = $crate::AnyView::from(self);
                $crate::cached_global_func!($count).call_packed(&[view, K::element_view(key)])?.try_into()
            }

            /// The value of a key, None when it is not there, `TypeError` when it is no `V`.
            pub fn get(&self, key: &K) -> $crate::Result<Option<V>> {
                if !self.contains_key(key)? {
                    return Ok(None);
                }
                let view = $crate::AnyView::from(self);
                let found = $crate::cached_global_func!($get).call_packed(&[view, K::element_view(key)])?;
                let view = $crate::AnyView::from(&found);
                // SAFETY: `found` is alive.
                unsafe {
                    V::cast_element(view.raw()).map(Some).map_err(|()| V::element_error(view.raw(), "value: "))
                }
            }

            /// The entries in insertion order; one that does not convert is an `Err`, and the iteration goes on.
            pub fn iter(&self) -> $iterator<'_, K, V> {
                $iterator { entries: self.entries(), left: self.len(), container: ::std::marker::PhantomData }
            }

            /// The keys in insertion order.
            pub fn keys(&self) -> impl Iterator<Item = $crate::Result<K>> + '_ {
                // SAFETY: as in `iter`.
                self.entries().map(|(key, _)| unsafe {
                    K::cast_element(&key).map_err(|()| K::element_error(&key, "key: "))
                })
            }

            /// The values in insertion order of their keys.
            pub fn values(&self) -> impl Iterator<Item = $crate::Result<V>> + '_ {
                // SAFETY: as in `iter`.
                self.entries().map(|(_, value)| unsafe {
                    V::cast_element(&value).map_err(|()| V::element_error(&value, "value: "))
                })
            }
        }

        /// The entries in insertion order, each converted. It borrows the container.
        pub struct $iterator<'a, K: ContainerElement + Clone, V: ContainerElement + Clone> {
            entries: $crate::collections::map_base::Entries,
            left: usize,
            container: ::std::marker::PhantomData<&'a $name<K, V>>,
        }

        impl<K: ContainerElement + Clone, V: ContainerElement + Clone> Iterator for $iterator<'_, K, V> {
            type Item = $crate::Result<(K, V)>;
            #[inline]
            fn next(&mut self) -> Option<$crate::Result<(K, V)>> {
                let (key, value) = self.entries.next()?;
                self.left = self.left.saturating_sub(1);
                // SAFETY: live values of a map that is borrowed.
                Some(unsafe {
                    match (K::cast_element(&key), V::cast_element(&value)) {
                        (Ok(key), Ok(value)) => Ok((key, value)),
                        (Err(()), _) => Err(K::element_error(&key, "key: ")),
                        (_, Err(())) => Err(V::element_error(&value, "value: ")),
                    }
                })
            }
            fn size_hint(&self) -> (usize, Option<usize>) {
                (0, Some(self.left))
            }
        }

        impl<'a, K: ContainerElement + Clone, V: ContainerElement + Clone> IntoIterator for &'a $name<K, V> {
            type Item = $crate::Result<(K, V)>;
            type IntoIter = $iterator<'a, K, V>;
            fn into_iter(self) -> $iterator<'a, K, V> {
                self.iter()
            }
        }

        impl<K: ContainerElement + Clone, V: ContainerElement + Clone> Default for $name<K, V> {
            fn default() -> Self {
                Self::new()
            }
        }

        impl<K: ContainerElement + Clone, V: ContainerElement + Clone> FromIterator<(K, V)> for $name<K, V> {
            fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
                Self::from_pairs(pairs.into_iter().collect())
            }
        }

        impl<K: ContainerElement + Clone, V: ContainerElement + Clone> ::std::fmt::Debug for $name<K, V> {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                let (key, value) = (K::element_type_str(), V::element_type_str());
                write!(f, "{}<{key}, {value}>[{}]", stringify!($name), self.len())
            }
        }

        // SAFETY: the payload is the object; strict means that every key and value is strict.
        unsafe impl<K: ContainerElement + Clone, V: ContainerElement + Clone> $crate::AnyCompatible for $name<K, V> {
            const FIELD_KIND: $crate::type_traits::FieldKind = $crate::type_traits::FieldKind::Object(
                ::tvm_ffi_sys::TVMFFITypeIndex::kTVMFFIStaticObjectBegin as i32,
            );
            fn type_schema() -> String {
                let (key, value) = (K::element_schema(), V::element_schema());
                format!(r#"{{"type":"{}","args":[{key},{value}]}}"#, $key)
            }
            unsafe fn copy_to_any_view(this: &Self, out: &mut $crate::TVMFFIAny) {
                let handle = $crate::object::ObjectArc::as_raw(&this.data).cast_mut().cast();
                $crate::type_traits::object_view(handle, ::tvm_ffi_sys::TVMFFITypeIndex::$index as i32, out);
            }
            unsafe fn move_to_any(this: Self, out: &mut $crate::TVMFFIAny) {
                // SAFETY: the view takes over the reference that is forgotten here.
                unsafe { Self::copy_to_any_view(&this, out) };
                ::std::mem::forget(this);
            }
            unsafe fn check_any_strict(value: &$crate::TVMFFIAny) -> bool {
                value.type_index == ::tvm_ffi_sys::TVMFFITypeIndex::$index as i32
                    // SAFETY: a live map.
                    && unsafe {
                        $crate::collections::map_base::Entries::new(value.data_union.v_ptr.cast())
                            .all(|(k, v)| K::check_element(&k) && V::check_element(&v))
                    }
            }
            unsafe fn copy_from_any_view_after_check(value: &$crate::TVMFFIAny) -> Self {
                // SAFETY: a live object of the type; the result owns the new reference.
                unsafe {
                    let object = $crate::type_traits::retained_object(value);
                    <Self as $crate::object::ObjectRefCore>::from_data($crate::object::ObjectArc::from_raw(
                        object.cast(),
                    ))
                }
            }
            unsafe fn try_cast_from_any_view(value: &$crate::TVMFFIAny) -> ::std::result::Result<Self, ()> {
                // SAFETY: the type index says that it is a live map or dict.
                unsafe {
                    if Self::check_any_strict(value) {
                        return Ok(Self::copy_from_any_view_after_check(value));
                    }
                    if value.type_index != ::tvm_ffi_sys::TVMFFITypeIndex::$index as i32
                        && value.type_index != ::tvm_ffi_sys::TVMFFITypeIndex::$other as i32
                    {
                        return Err(());
                    }
                    $crate::collections::map_base::Entries::new(value.data_union.v_ptr.cast())
                        .map(|(k, v)| Ok((K::cast_element(&k)?, V::cast_element(&v)?)))
                        .collect::<::std::result::Result<Vec<_>, ()>>()
                        .map(Self::from_pairs)
                }
            }
            fn type_str() -> String {
                format!("{}<{}, {}>", stringify!($name), K::element_type_str(), V::element_type_str())
            }
        }

        $crate::impl_try_from_any_for_parametric!($name<K, V>);

        impl<K: ContainerElement + Clone, V: ContainerElement + Clone> $crate::function_internal::ArgIntoRef
            for $name<K, V>
        {
            fn as_view(&self) -> $crate::AnyView<'_> {
                $crate::AnyView::from(self)
            }
        }
        impl<K: ContainerElement + Clone, V: ContainerElement + Clone> $crate::function_internal::ArgIntoRef
            for &$name<K, V>
        {
            fn as_view(&self) -> $crate::AnyView<'_> {
                $crate::AnyView::from(*self)
            }
        }
        impl<K: ContainerElement + Clone, V: ContainerElement + Clone> $crate::function_internal::IntoArgHolder
            for $name<K, V>
        {
            type Target = Self;
            fn into_arg_holder(self) -> Self {
                self
            }
        }
        impl<'a, K: ContainerElement + Clone, V: ContainerElement + Clone>
            $crate::function_internal::IntoArgHolder for &'a $name<K, V>
        {
            type Target = &'a $name<K, V>;
            fn into_arg_holder(self) -> Self {
                self
            }
        }
    };
}

pub(crate) use map_type;
