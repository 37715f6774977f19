//! What only custom kinds have: enums of strings, and objects that keep what their schema does not
//! have.

use serde::de::{Deserializer, Error, MapAccess, Unexpected, Visitor};
use serde::ser::{Serialize, SerializeMap, SerializeStruct};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::{Formatter, Result as Formatted};
use std::marker::PhantomData;

macro_rules! replaced {
    ($($type:ty)*) => {
        $(impl crate::DeepMerge for $type {
            fn merge_from(&mut self, other: Self) {
                *self = other;
            }
        })*
    };
}

replaced! { i8 i16 u8 u16 u32 u64 }

/// Read a string as a type that has a value for every string.
pub fn string<'de, T, D>(deserializer: D, name: &'static str) -> Result<T, D::Error>
where
    T: for<'a> From<&'a str> + From<String>,
    D: Deserializer<'de>,
{
    struct Text<T>(&'static str, PhantomData<T>);

    impl<T: for<'a> From<&'a str> + From<String>> Visitor<'_> for Text<T> {
        type Value = T;

        fn expecting(&self, formatter: &mut Formatter<'_>) -> Formatted {
            formatter.write_str(self.0)
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            Ok(T::from(text))
        }

        fn visit_string<E: Error>(self, text: String) -> Result<T, E> {
            Ok(T::from(text))
        }
    }

    deserializer.deserialize_str(Text(name, PhantomData))
}

/// Read `apiVersion` or `kind` of a kind, which has one value only. Returns whether the field is one
/// of these.
pub fn constant<'de, A: MapAccess<'de>>(
    name: &str,
    served: Option<(&str, &str)>,
    map: &mut A,
) -> Result<bool, A::Error> {
    let value = match (name, served) {
        ("apiVersion", Some((api_version, _))) => api_version,
        ("kind", Some((_, kind))) => kind,
        _ => return Ok(false),
    };
    let text = map.next_value::<String>()?;
    if text == value {
        return Ok(true);
    }
    Err(A::Error::invalid_value(Unexpected::Str(&text), &value))
}

/// A map, written field by field.
pub struct Entries<M>(pub M);

impl<M: SerializeMap> Entries<M> {
    /// Write what is not one of `fields`.
    pub fn unknown(
        &mut self,
        values: &BTreeMap<String, Value>,
        fields: &[&str],
    ) -> Result<(), M::Error> {
        values
            .iter()
            .filter(|(name, _)| !fields.contains(&name.as_str()))
            .try_for_each(|(name, value)| self.0.serialize_entry(name, value))
    }
}

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

/// The traits of a struct that keeps fields which its schema does not have.
macro_rules! open_object {
    ($name:ident, $served:expr, $unknown:ident, {
        $($field:ident: $presence:ident $json:literal
            [$($merge:ident)::+ $(($($argument:expr),+))?];)*
    }) => {
        const _: () = {
            const SERVED: Option<(&'static str, &'static str)> = $served;
            const FIELDS: &[&'static str] = &[$($json),*];

            impl $crate::DeepMerge for $name {
                fn merge_from(&mut self, other: Self) {
                    $($crate::merge_strategies::$($merge)::+(
                        &mut self.$field,
                        other.$field,
                        $($($argument),+)?
                    );)*
                    $crate::merge_strategies::map::granular(
                        &mut self.$unknown,
                        other.$unknown,
                        $crate::DeepMerge::merge_from,
                    );
                }
            }

            impl $crate::serde::Serialize for $name {
                fn serialize<S: $crate::serde::Serializer>(
                    &self,
                    serializer: S,
                ) -> Result<S::Ok, S::Error> {
                    use $crate::serde::ser::SerializeStruct;

                    let mut out = $crate::custom::Entries(serializer.serialize_map(None)?);
                    if let Some((api_version, kind)) = SERVED {
                        out.serialize_field("apiVersion", api_version)?;
                        out.serialize_field("kind", kind)?;
                    }
                    $($crate::wire::write::$presence(&mut out, $json, &self.$field)?;)*
                    out.unknown(&self.$unknown, FIELDS)?;
                    out.end()
                }
            }

            struct Whole;

            impl<'de> $crate::serde::de::Visitor<'de> for Whole {
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
                    let mut $unknown = std::collections::BTreeMap::new();
                    while let Some(name) = map.next_key::<String>()? {
                        match name.as_str() {
                            $($json => {
                                $field = Some($crate::wire::read::$presence(&mut map)?);
                            })*
                            _ if $crate::custom::constant(&name, SERVED, &mut map)? => {}
                            _ => {
                                $unknown.insert(name, map.next_value()?);
                            }
                        }
                    }
                    Ok($name {
                        $($field: $crate::wire::read::absent::$presence($field, $json)?,)*
                        $unknown,
                    })
                }
            }

            impl<'de> $crate::serde::Deserialize<'de> for $name {
                fn deserialize<D: $crate::serde::Deserializer<'de>>(
                    deserializer: D,
                ) -> Result<Self, D::Error> {
                    deserializer.deserialize_map(Whole)
                }
            }
        };
    };
}

/// The traits of an enum of strings.
macro_rules! string_enum {
    ($name:ident, $other:ident, { $($variant:ident = $value:literal;)* }) => {
        impl $name {
            /// The value in JSON.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $value,)*
                    Self::$other(value) => value,
                }
            }
        }

        impl std::convert::From<&str> for $name {
            fn from(value: &str) -> Self {
                match value {
                    $($value => Self::$variant,)*
                    _ => Self::$other(value.to_owned()),
                }
            }
        }

        impl std::convert::From<String> for $name {
            fn from(value: String) -> Self {
                match value.as_str() {
                    $($value => Self::$variant,)*
                    _ => Self::$other(value),
                }
            }
        }

        /// An absent value, as that of a string: the empty string.
        impl std::default::Default for $name {
            fn default() -> Self {
                Self::from("")
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(self.as_str())
            }
        }

        impl $crate::DeepMerge for $name {
            fn merge_from(&mut self, other: Self) {
                *self = other;
            }
        }

        impl $crate::serde::Serialize for $name {
            fn serialize<S: $crate::serde::Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> $crate::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Self, D::Error> {
                $crate::custom::string(deserializer, stringify!($name))
            }
        }
    };
}
