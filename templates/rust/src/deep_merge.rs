use serde_json::Value;

/// Values that can be merged as the API server merges what is applied to it.
pub trait DeepMerge {
    /// Merge `other` into `self`.
    fn merge_from(&mut self, other: Self);
}

macro_rules! replaced {
    ($($type:ty)*) => {
        $(impl DeepMerge for $type {
            fn merge_from(&mut self, other: Self) {
                *self = other;
            }
        })*
    };
}

replaced! { bool i8 i16 i32 i64 u8 u16 u32 u64 f64 String jiff::Timestamp }

impl<T: DeepMerge> DeepMerge for Box<T> {
    fn merge_from(&mut self, other: Self) {
        (**self).merge_from(*other);
    }
}

/// What `other` does not have stays as it is.
impl<T: DeepMerge> DeepMerge for Option<T> {
    fn merge_from(&mut self, other: Self) {
        match (self, other) {
            (_, None) => {}
            (Some(current), Some(new)) => current.merge_from(new),
            (current, new) => *current = new,
        }
    }
}

/// Objects are merged key by key, and null removes a key; anything else is replaced.
impl DeepMerge for Value {
    fn merge_from(&mut self, other: Self) {
        match (self, other) {
            (Value::Object(current), Value::Object(new)) => {
                for (key, value) in new {
                    if value.is_null() {
                        current.remove(&key);
                    } else {
                        current.entry(key).or_insert(Value::Null).merge_from(value);
                    }
                }
            }
            (current, new) => *current = new,
        }
    }
}

/// How lists and maps are merged: the document says it of each field
/// (`x-kubernetes-list-type`, `x-kubernetes-map-type`, `x-kubernetes-patch-strategy`).
pub mod merge_strategies {
    use std::collections::BTreeMap;

    /// A list or map that may be absent.
    pub trait Collection {
        /// The list or map.
        type Value;

        /// Call `merge` with both values. What only `new` has becomes the value.
        fn both(&mut self, new: Self, merge: impl FnOnce(&mut Self::Value, Self::Value));
    }

    impl<T> Collection for Vec<T> {
        type Value = Self;

        fn both(&mut self, new: Self, merge: impl FnOnce(&mut Self, Self)) {
            merge(self, new);
        }
    }

    impl<K, V> Collection for BTreeMap<K, V> {
        type Value = Self;

        fn both(&mut self, new: Self, merge: impl FnOnce(&mut Self, Self)) {
            merge(self, new);
        }
    }

    impl<C: Collection<Value = C>> Collection for Option<C> {
        type Value = C;

        fn both(&mut self, new: Self, merge: impl FnOnce(&mut C, C)) {
            match (self, new) {
                (_, None) => {}
                (Some(current), Some(new)) => merge(current, new),
                (current, new) => *current = new,
            }
        }
    }

    /// A value that is no list and no map.
    pub fn deep<T: crate::DeepMerge>(current: &mut T, new: T) {
        current.merge_from(new);
    }

    /// A value that may be null, which replaces it.
    pub fn nullable<T>(
        current: &mut Option<Option<T>>,
        new: Option<Option<T>>,
        merge_value: fn(&mut T, T),
    ) {
        match (current, new) {
            (_, None) => {}
            (Some(Some(current)), Some(Some(new))) => merge_value(current, new),
            (current, new) => *current = new,
        }
    }

    /// Lists.
    pub mod list {
        use super::Collection;

        /// The list is replaced.
        pub fn atomic<C: Collection>(current: &mut C, new: C) {
            current.both(new, |current, new| *current = new);
        }

        /// Items that are not there yet are appended.
        pub fn set<C: Collection<Value = Vec<T>>, T: PartialEq>(current: &mut C, new: C) {
            current.both(new, |current, new| {
                for item in new {
                    if !current.contains(&item) {
                        current.push(item);
                    }
                }
            });
        }

        /// Items with the same keys are merged, others appended.
        pub fn map<C: Collection<Value = Vec<T>>, T>(
            current: &mut C,
            new: C,
            same_keys: &[fn(&T, &T) -> bool],
            merge_item: fn(&mut T, T),
        ) {
            current.both(new, |current, new| {
                for item in new {
                    let same = |known: &&mut T| same_keys.iter().all(|same| same(known, &item));
                    match current.iter_mut().find(same) {
                        Some(known) => merge_item(known, item),
                        None => current.push(item),
                    }
                }
            });
        }
    }

    /// Maps.
    pub mod map {
        use super::Collection;
        use std::collections::btree_map::{BTreeMap, Entry};

        /// The map is replaced.
        pub fn atomic<C: Collection>(current: &mut C, new: C) {
            current.both(new, |current, new| *current = new);
        }

        /// Values of the same key are merged.
        pub fn granular<C: Collection<Value = BTreeMap<K, V>>, K: Ord, V>(
            current: &mut C,
            new: C,
            merge_value: fn(&mut V, V),
        ) {
            current.both(new, |current, new| {
                for (key, value) in new {
                    match current.entry(key) {
                        Entry::Vacant(entry) => {
                            entry.insert(value);
                        }
                        Entry::Occupied(mut entry) => merge_value(entry.get_mut(), value),
                    }
                }
            });
        }
    }
}
