"""Fields of types as pages show them.

``rows`` are the fields of a type, ``facts`` what is known of each, ``schema_labels`` is
what their schemas say, ``paths`` has their names.
"""
