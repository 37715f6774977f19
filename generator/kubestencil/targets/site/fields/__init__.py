"""Fields of types as pages show them.

``rows`` are the fields of a type with ``schema_labels``, ``requirements``,
``stated_facts`` of descriptions and ``server_facts``; ``paths`` addresses them.
"""
