"""Parameters, responses and media types of operations, as documents state them or
rebuilt from facts where a document has no paths.

``details`` reads those of a document (``openapi3``, ``media_types``). ``rebuilt`` and
``rebuilt_details`` make them of facts, ``discovery`` those of discovery, and
``parameter_descriptions`` says what parameters mean.
"""
