"""The Jsonnet library of builder functions, as k8s-gen publishes it."""
