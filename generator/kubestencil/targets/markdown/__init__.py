"""A Markdown page per model and API class, as openapi-generator publishes them.

``view`` hands templates ``models`` and ``apis``, with the names of ``types``. ``quirks``
are what the published pages have and the document has not. ``inline_models`` names
objects inside of definitions.
"""
