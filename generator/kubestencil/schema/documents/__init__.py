"""Readers of OpenAPI documents.

``openapi2`` parses schemas, ``openapi3`` turns OpenAPI 3.0 into the same form, and
``inline`` gives objects inside of others names of their own. ``validate`` checks that a
document is valid OpenAPI. ``published`` says what an API server publishes in OpenAPI 2.0
of what it has in 3.0, ``authentication`` which API keys there are.
"""
