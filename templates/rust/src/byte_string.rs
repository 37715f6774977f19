use base64::engine::general_purpose::STANDARD;
use base64::Engine as _;
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};

/// Bytes that are a base64-encoded string in JSON.
#[derive(Clone, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub struct ByteString(pub Vec<u8>);

struct Bytes;

impl<'de> Visitor<'de> for Bytes {
    type Value = ByteString;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a base64-encoded string")
    }

    // Go writes a slice of bytes that was never set as null.
    fn visit_none<E: Error>(self) -> Result<ByteString, E> {
        Ok(ByteString::default())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<ByteString, D::Error> {
        deserializer.deserialize_str(self)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<ByteString, E> {
        STANDARD.decode(text).map(ByteString).map_err(E::custom)
    }
}

impl<'de> Deserialize<'de> for ByteString {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_option(Bytes)
    }
}

impl Serialize for ByteString {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl crate::DeepMerge for ByteString {
    fn merge_from(&mut self, other: Self) {
        *self = other;
    }
}

#[cfg(feature = "schemars")]
impl crate::schemars::JsonSchema for ByteString {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ByteString".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut crate::schemars::SchemaGenerator) -> crate::schemars::Schema {
        crate::schemars::json_schema!({ "type": "string", "format": "byte" })
    }
}
