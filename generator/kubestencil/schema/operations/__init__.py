"""Parameters, responses and media types of operations, as documents state them or
rebuilt from facts where a document has no paths."""
