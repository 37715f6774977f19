//! The JSON schemas of the types.

use schemars::{json_schema, JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// A property: its name, whether it is required, its schema, its description.
pub type Property = (
    &'static str,
    bool,
    fn(&mut SchemaGenerator) -> Schema,
    &'static str,
);

pub fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

pub fn object(generator: &mut SchemaGenerator, text: &str, properties: &[Property]) -> Schema {
    let mut schema = described(json_schema!({ "type": "object" }), text);
    let mut all = Map::new();
    let mut required = Vec::new();
    for (name, is_required, of, text) in properties {
        all.insert((*name).to_owned(), described(of(generator), text).into());
        if *is_required {
            required.push(Value::from(*name));
        }
    }
    if !all.is_empty() {
        schema.insert("properties".to_owned(), all.into());
    }
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    schema
}

pub fn described(mut schema: Schema, text: &str) -> Schema {
    if !text.is_empty() {
        schema.insert("description".to_owned(), text.into());
    }
    schema
}

/// Whether a property has to be there.
pub mod presence {
    #![allow(non_upper_case_globals)]

    pub const optional: bool = false;
    pub const required: bool = true;
}

macro_rules! inline {
    ($($name:ident $schema:tt)*) => {
        $(pub struct $name;

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        })*
    };
}

inline! {
    Any { "type": "object" }
    DateTime { "type": "string", "format": "date-time" }
}

/// A type with fields.
macro_rules! object_schema {
    ($name:ident, $title:literal, $text:literal, {
        $($json:literal: $presence:ident $type:ty, $about:literal;)*
    }) => {
        impl $crate::schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $title.into()
            }

            fn json_schema(
                generator: &mut $crate::schemars::SchemaGenerator,
            ) -> $crate::schemars::Schema {
                $crate::schema::object(generator, $text, &[$((
                    $json,
                    $crate::schema::presence::$presence,
                    $crate::schema::of::<$type>,
                    $about,
                )),*])
            }
        }
    };
}

/// A type that is another one.
macro_rules! newtype_schema {
    ($name:ident, $title:literal, $text:literal, $inner:ty) => {
        impl $crate::schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $title.into()
            }

            fn json_schema(
                generator: &mut $crate::schemars::SchemaGenerator,
            ) -> $crate::schemars::Schema {
                $crate::schema::described($crate::schema::of::<$inner>(generator), $text)
            }
        }
    };
}

/// A type that is one of two.
macro_rules! one_of_schema {
    ($name:ident, $title:literal, $text:literal, $($either:ty),+) => {
        impl $crate::schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $title.into()
            }

            fn json_schema(
                generator: &mut $crate::schemars::SchemaGenerator,
            ) -> $crate::schemars::Schema {
                let either = [$($crate::schema::of::<$either>(generator)),+];
                $crate::schema::described(
                    $crate::schemars::json_schema!({ "oneOf": either }),
                    $text,
                )
            }
        }
    };
}

/// A type whose schema is written here.
macro_rules! schema {
    ($name:ident, $title:literal, $text:literal, $schema:tt) => {
        impl $crate::schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $title.into()
            }

            fn json_schema(_: &mut $crate::schemars::SchemaGenerator) -> $crate::schemars::Schema {
                $crate::schema::described($crate::schemars::json_schema!($schema), $text)
            }
        }
    };
}
