"""Fields of types as pages show them.

``rows`` are the fields of a type with ``schema_labels``, ``requirements`` and
``stated_facts`` of descriptions; ``paths`` addresses them.
"""
