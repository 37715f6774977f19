"""The documentation of the Jsonnet library, as docsonnet prints it."""
