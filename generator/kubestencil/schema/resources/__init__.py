"""How an API server serves kinds: paths, operations, names and verbs."""
