//! Enums of strings, which have a value for each string.

use serde::de::{Deserializer, Error, Visitor};
use std::fmt::{Formatter, Result as Formatted};
use std::marker::PhantomData;

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
                $crate::string_enum::string(deserializer, stringify!($name))
            }
        }
    };
}
