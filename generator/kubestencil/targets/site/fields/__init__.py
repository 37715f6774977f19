"""Fields of types as pages show them.

``rows`` are the fields of a type with what is known of them, ``schema_labels`` is what
their schemas say, ``paths`` has their names.
"""
