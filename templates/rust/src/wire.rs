//! How the types are read and written: once here, for all of them.
//!
//! As Go's `encoding/json` and so the API server: unknown fields are ignored, of a field that comes
//! twice the last one counts, and null is the same as absent. The API server itself leaves out
//! required fields, which then have their default.

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Unexpected, Visitor};
use serde::ser::{Serialize, SerializeMap, SerializeStruct, Serializer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::{Formatter, Result as Formatted};
use std::marker::PhantomData;

/// A type with fields, as its JSON object.
pub trait Fields: Sized {
    /// Which field it is.
    type Key;

    /// The name of the type.
    const NAME: &'static str;

    /// The JSON names of the fields.
    const FIELDS: &'static [&'static str];

    /// `apiVersion` and `kind` of a type that has only one of each.
    const SERVED: Option<(&'static str, &'static str)>;

    /// The field of a JSON name.
    fn key(name: &str) -> Option<Self::Key>;
}

/// A type whose fields can be written.
pub trait Written: Fields {
    /// Write the fields that are there.
    fn write<S: SerializeStruct>(&self, out: &mut S) -> Result<(), S::Error>;
}

/// The fields of an object that its schema does not have: ignored, or kept in a map.
pub trait Unknown {
    /// Read the value of a field.
    fn read<'de, A: MapAccess<'de>>(&mut self, name: String, map: &mut A) -> Result<(), A::Error>;

    /// The fields that are kept.
    fn kept(&self) -> Option<&BTreeMap<String, Value>>;
}

impl Unknown for () {
    fn read<'de, A: MapAccess<'de>>(&mut self, _: String, map: &mut A) -> Result<(), A::Error> {
        map.next_value::<IgnoredAny>().map(drop)
    }

    fn kept(&self) -> Option<&BTreeMap<String, Value>> {
        None
    }
}

impl Unknown for BTreeMap<String, Value> {
    fn read<'de, A: MapAccess<'de>>(&mut self, name: String, map: &mut A) -> Result<(), A::Error> {
        self.insert(name, map.next_value()?);
        Ok(())
    }

    fn kept(&self) -> Option<&BTreeMap<String, Value>> {
        Some(self)
    }
}

/// A type whose fields can be set one by one.
pub trait Object<'de>: Fields + Default {
    /// Read the value of a field.
    fn read<A: MapAccess<'de>>(&mut self, key: Self::Key, map: &mut A) -> Result<(), A::Error>;
}

pub fn deserialize<'de, T: Object<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    struct Whole<T>(PhantomData<T>);

    impl<'de, T: Object<'de>> Visitor<'de> for Whole<T> {
        type Value = T;

        fn expecting(&self, formatter: &mut Formatter<'_>) -> Formatted {
            formatter.write_str(T::NAME)
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
            let mut object = T::default();
            while let Some(key) = next_key::<T, A>(&mut map, &mut ())? {
                object.read(key, &mut map)?;
            }
            Ok(object)
        }
    }

    deserializer.deserialize_struct(T::NAME, T::FIELDS, Whole(PhantomData))
}

pub fn serialize<T: Written, S: Serializer>(
    object: &T,
    unknown: &impl Unknown,
    out: S,
) -> Result<S::Ok, S::Error> {
    if let Some(values) = unknown.kept() {
        let mut out = Entries(out.serialize_map(None)?);
        write(object, &mut out)?;
        for (name, value) in values {
            if !T::FIELDS.contains(&name.as_str()) {
                out.0.serialize_entry(name, value)?;
            }
        }
        return out.end();
    }
    let mut length = Length(0);
    // Counting does not fail.
    let _ = write(object, &mut length);
    let mut out = out.serialize_struct(T::NAME, length.0)?;
    write(object, &mut out)?;
    out.end()
}

fn write<T: Written, S: SerializeStruct>(object: &T, out: &mut S) -> Result<(), S::Error> {
    if let Some((api_version, kind)) = T::SERVED {
        out.serialize_field("apiVersion", api_version)?;
        out.serialize_field("kind", kind)?;
    }
    object.write(out)
}

/// The next field of `T` in a map. What is not a field of `T` is `unknown`, `apiVersion` and `kind`
/// are checked.
pub fn next_key<'de, T: Fields, A: MapAccess<'de>>(
    map: &mut A,
    unknown: &mut impl Unknown,
) -> Result<Option<T::Key>, A::Error> {
    while let Some(found) = map.next_key_seed(AnyKey::<T>(PhantomData))? {
        match found {
            Found::Field(key) => return Ok(Some(key)),
            Found::Constant(value) => map.next_value_seed(Constant(value))?,
            Found::Other(name) => unknown.read(name, map)?,
        }
    }
    Ok(None)
}

enum Found<K> {
    Field(K),
    Constant(&'static str),
    Other(String),
}

struct AnyKey<T>(PhantomData<T>);

impl<'de, T: Fields> DeserializeSeed<'de> for AnyKey<T> {
    type Value = Found<T::Key>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl<T: Fields> Visitor<'_> for AnyKey<T> {
    type Value = Found<T::Key>;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> Formatted {
        formatter.write_str("the name of a field")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        Ok(match (T::key(name), name, T::SERVED) {
            (Some(key), _, _) => Found::Field(key),
            (None, "apiVersion", Some((api_version, _))) => Found::Constant(api_version),
            (None, "kind", Some((_, kind))) => Found::Constant(kind),
            _ => Found::Other(name.to_owned()),
        })
    }
}

struct Constant(&'static str);

impl<'de> DeserializeSeed<'de> for Constant {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Constant {
    type Value = ();

    fn expecting(&self, formatter: &mut Formatter<'_>) -> Formatted {
        formatter.write_str(self.0)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        if text == self.0 {
            return Ok(());
        }
        Err(E::invalid_value(Unexpected::Str(text), &self))
    }
}

struct Length(usize);

impl SerializeStruct for Length {
    type Ok = usize;
    type Error = std::fmt::Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        _: &'static str,
        _: &T,
    ) -> Result<(), Self::Error> {
        self.0 += 1;
        Ok(())
    }

    fn end(self) -> Result<usize, Self::Error> {
        Ok(self.0)
    }
}

/// A map, written field by field.
struct Entries<M>(M);

impl<M: SerializeMap> SerializeStruct for Entries<M> {
    type Ok = M::Ok;
    type Error = M::Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), M::Error> {
        self.0.serialize_entry(name, value)
    }

    fn end(self) -> Result<M::Ok, M::Error> {
        self.0.end()
    }
}

/// Reading a field, by what it is when it is absent.
pub mod read {
    use super::{Error, MapAccess};
    use serde::de::Deserialize;

    pub fn optional<'de, T, A>(map: &mut A) -> Result<Option<T>, A::Error>
    where
        T: Deserialize<'de>,
        A: MapAccess<'de>,
    {
        map.next_value()
    }

    pub fn nullable<'de, T, A>(map: &mut A) -> Result<Option<T>, A::Error>
    where
        T: Deserialize<'de>,
        A: MapAccess<'de>,
    {
        map.next_value().map(Some)
    }

    pub fn required<'de, T, A>(map: &mut A) -> Result<T, A::Error>
    where
        T: Deserialize<'de> + Default,
        A: MapAccess<'de>,
    {
        Ok(map.next_value::<Option<T>>()?.unwrap_or_default())
    }

    pub fn mandatory<'de, T, A>(map: &mut A) -> Result<T, A::Error>
    where
        T: Deserialize<'de>,
        A: MapAccess<'de>,
    {
        map.next_value()
    }

    /// The value of a field that may not have been there.
    pub mod absent {
        use super::Error;

        pub fn optional<T, E>(value: Option<Option<T>>, _: &'static str) -> Result<Option<T>, E> {
            Ok(value.flatten())
        }

        pub use self::optional as nullable;

        pub fn required<T: Default, E>(value: Option<T>, _: &'static str) -> Result<T, E> {
            Ok(value.unwrap_or_default())
        }

        pub fn mandatory<T, E: Error>(value: Option<T>, name: &'static str) -> Result<T, E> {
            value.ok_or_else(|| E::missing_field(name))
        }
    }
}

/// Writing a field.
pub mod write {
    use super::{Serialize, SerializeStruct};

    pub fn optional<T: Serialize, S: SerializeStruct>(
        out: &mut S,
        name: &'static str,
        value: &Option<T>,
    ) -> Result<(), S::Error> {
        match value {
            Some(value) => out.serialize_field(name, value),
            None => Ok(()),
        }
    }

    pub fn required<T: Serialize, S: SerializeStruct>(
        out: &mut S,
        name: &'static str,
        value: &T,
    ) -> Result<(), S::Error> {
        out.serialize_field(name, value)
    }

    pub use self::{optional as nullable, required as mandatory};
}

/// What all structs have in common: each field with its presence, JSON name and merge strategy.
macro_rules! fields {
    ($name:ident, $served:expr, $($unknown:ident,)? {
        $($field:ident: $presence:ident $json:literal
            [$($merge:ident)::+ $(($($argument:expr),+))?];)*
    }) => {
        #[allow(unused_variables)]
        impl $crate::DeepMerge for $name {
            fn merge_from(&mut self, other: Self) {
                $($crate::merge_strategies::$($merge)::+(
                    &mut self.$field,
                    other.$field,
                    $($($argument),+)?
                );)*
                $($crate::merge_strategies::map::granular(
                    &mut self.$unknown,
                    other.$unknown,
                    $crate::DeepMerge::merge_from,
                );)?
            }
        }

        pub enum Key__ {
            $($field,)*
        }

        impl $crate::wire::Fields for $name {
            type Key = Key__;
            const NAME: &'static str = stringify!($name);
            const FIELDS: &'static [&'static str] = &[$($json),*];
            const SERVED: Option<(&'static str, &'static str)> = $served;

            fn key(name: &str) -> Option<Key__> {
                match name {
                    $($json => Some(Key__::$field),)*
                    _ => None,
                }
            }
        }

        #[allow(unused_variables)]
        impl $crate::wire::Written for $name {
            fn write<S: $crate::serde::ser::SerializeStruct>(
                &self,
                out: &mut S,
            ) -> Result<(), S::Error> {
                $($crate::wire::write::$presence(out, $json, &self.$field)?;)*
                Ok(())
            }
        }

        impl $crate::serde::Serialize for $name {
            fn serialize<S: $crate::serde::Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                $crate::wire::serialize(self, &($(self.$unknown)?), serializer)
            }
        }
    };
}

/// The traits of a struct that has a default.
macro_rules! object {
    ($name:ident, $served:expr, {
        $($field:ident: $presence:ident $json:literal $merge:tt;)*
    }) => {
        const _: () = {
            fields! { $name, $served, {
                $($field: $presence $json $merge;)*
            } }

            #[allow(bindings_with_variant_name, unreachable_code, unused_variables)]
            impl<'de> $crate::wire::Object<'de> for $name {
                fn read<A: $crate::serde::de::MapAccess<'de>>(
                    &mut self,
                    key: Key__,
                    map: &mut A,
                ) -> Result<(), A::Error> {
                    match key {
                        $(Key__::$field => self.$field = $crate::wire::read::$presence(map)?,)*
                    }
                    Ok(())
                }
            }

            impl<'de> $crate::serde::Deserialize<'de> for $name {
                fn deserialize<D: $crate::serde::Deserializer<'de>>(
                    deserializer: D,
                ) -> Result<Self, D::Error> {
                    $crate::wire::deserialize(deserializer)
                }
            }
        };
    };
}

/// The traits of a struct that has no default, because it demands a value without one, or that keeps
/// fields which its schema does not have.
macro_rules! strict_object {
    ($name:ident, $served:expr, $($unknown:ident,)? {
        $($field:ident: $presence:ident $json:literal $merge:tt;)*
    }) => {
        const _: () = {
            fields! { $name, $served, $($unknown,)? {
                $($field: $presence $json $merge;)*
            } }

            struct Whole__;

            impl<'de> $crate::serde::de::Visitor<'de> for Whole__ {
                type Value = $name;

                fn expecting(
                    &self,
                    formatter: &mut std::fmt::Formatter<'_>,
                ) -> std::fmt::Result {
                    formatter.write_str(stringify!($name))
                }

                #[allow(bindings_with_variant_name)]
                fn visit_map<A: $crate::serde::de::MapAccess<'de>>(
                    self,
                    mut map: A,
                ) -> Result<$name, A::Error> {
                    $(let mut $field = None;)*
                    $(let mut $unknown = std::collections::BTreeMap::new();)?
                    while let Some(key) =
                        $crate::wire::next_key::<$name, A>(&mut map, &mut ($($unknown)?))?
                    {
                        match key {
                            $(Key__::$field => {
                                $field = Some($crate::wire::read::$presence(&mut map)?);
                            })*
                        }
                    }
                    Ok($name {
                        $($field: $crate::wire::read::absent::$presence($field, $json)?,)*
                        $($unknown,)?
                    })
                }
            }

            impl<'de> $crate::serde::Deserialize<'de> for $name {
                #[allow(unreachable_code)]
                fn deserialize<D: $crate::serde::Deserializer<'de>>(
                    deserializer: D,
                ) -> Result<Self, D::Error> {
                    // A struct that is flattened gets the fields that it has a name for.
                    $(
                        let _ = stringify!($unknown);
                        return deserializer.deserialize_map(Whole__);
                    )?
                    deserializer.deserialize_struct(
                        stringify!($name),
                        <$name as $crate::wire::Fields>::FIELDS,
                        Whole__,
                    )
                }
            }
        };
    };
}

/// The traits of a type that is another one, under a name of its own.
macro_rules! newtype {
    ($name:ident, $inner:ty, $($merge:ident)::+ $(($($argument:expr),+))?) => {
        impl $crate::DeepMerge for $name {
            fn merge_from(&mut self, other: Self) {
                $crate::merge_strategies::$($merge)::+(
                    &mut self.0,
                    other.0,
                    $($($argument),+)?
                );
            }
        }

        impl From<$inner> for $name {
            fn from(inner: $inner) -> Self {
                Self(inner)
            }
        }

        const _: () = {
            struct Whole__;

            impl<'de> $crate::serde::de::Visitor<'de> for Whole__ {
                type Value = $name;

                fn expecting(
                    &self,
                    formatter: &mut std::fmt::Formatter<'_>,
                ) -> std::fmt::Result {
                    formatter.write_str(stringify!($name))
                }

                fn visit_newtype_struct<D: $crate::serde::Deserializer<'de>>(
                    self,
                    deserializer: D,
                ) -> Result<$name, D::Error> {
                    $crate::serde::Deserialize::deserialize(deserializer).map($name)
                }
            }

            impl<'de> $crate::serde::Deserialize<'de> for $name {
                fn deserialize<D: $crate::serde::Deserializer<'de>>(
                    deserializer: D,
                ) -> Result<Self, D::Error> {
                    deserializer.deserialize_newtype_struct(stringify!($name), Whole__)
                }
            }
        };
    };
}

/// How a newtype is written that is written as what is in it.
macro_rules! plain {
    ($name:ident) => {
        impl $crate::serde::Serialize for $name {
            fn serialize<S: $crate::serde::Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                serializer.serialize_newtype_struct(stringify!($name), &self.0)
            }
        }
    };
}

/// How a time is written: in UTC, with the digits of the format.
macro_rules! timestamp {
    ($name:ident, $format:literal) => {
        impl $crate::serde::Serialize for $name {
            fn serialize<S: $crate::serde::Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                let text = $crate::jiff::fmt::strtime::format($format, self.0)
                    .map_err($crate::serde::ser::Error::custom)?;
                serializer.serialize_newtype_struct(stringify!($name), &text)
            }
        }
    };
}
