// SPDX-License-Identifier: Apache-2.0
//! Objects as keys by identity.

use super::{header_of, type_key_of, Object, ObjectArc, ObjectRef, ObjectRefCore};

/// An object as a key that compares and hashes by identity. It keeps the object, so that no other one can take its address.
#[derive(Clone)]
pub struct ObjectIdentity(ObjectArc<Object>);

impl ObjectIdentity {
    /// The identity of an object.
    pub fn of<R: ObjectRefCore>(reference: &R) -> Self {
        let raw = ObjectArc::into_raw(R::data(reference).clone());
        // SAFETY: every object is an `Object`; the reference moves.
        Self(unsafe { ObjectArc::from_raw(raw.cast()) })
    }

    /// The identity of the object in a value, None for other values.
    pub fn of_value(value: &crate::Any) -> Option<Self> {
        ObjectRef::try_from(value.clone()).ok().map(|object| Self(ObjectRefCore::into_data(object)))
    }
}

impl PartialEq for ObjectIdentity {
    fn eq(&self, other: &Self) -> bool {
        self.0.ptr == other.0.ptr
    }
}
impl Eq for ObjectIdentity {}

impl std::hash::Hash for ObjectIdentity {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.ptr.hash(state);
    }
}

impl std::fmt::Debug for ObjectIdentity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ObjectIdentity({} @ {:p})", type_key_of(header_of(&self.0).type_index), self.0.ptr)
    }
}
