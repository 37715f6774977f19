"""A Markdown page per model, as openapi-generator publishes them."""
