"""The documentation of the Jsonnet library, as docsonnet generates it."""
