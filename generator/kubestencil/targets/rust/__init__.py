"""A Rust crate of types, compatible with k8s-openapi."""
