"""A Markdown page per model and API class, as openapi-generator publishes them."""
