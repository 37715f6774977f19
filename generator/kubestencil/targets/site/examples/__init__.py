"""Examples and calls on pages: manifests, code, HTTP and kubectl.

``kinds`` has the examples of a kind in each language with their ``installation``, and
``operations`` its requests, which a ``program`` makes that templates spell.
``field_examples`` is the data of which a script makes the examples of fields, ``field_code``
has the names for their code in languages, and ``highlight`` marks tokens.
"""
