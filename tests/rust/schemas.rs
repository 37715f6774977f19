//! Compares the JSON schemas that both crates have for every type.
#![recursion_limit = "512"]

use schemars::JsonSchema;

fn schema<T: JsonSchema>() -> serde_json::Value {
    serde_json::to_value(schemars::schema_for!(T)).unwrap()
}

fn compare<O: JsonSchema, T: JsonSchema>() {
    let name = std::any::type_name::<O>();
    assert_eq!(schema::<O>(), schema::<T>(), "{name}");
}

include!("types.rs");

fn main() {
    all();
    println!("every schema is the same");
}
