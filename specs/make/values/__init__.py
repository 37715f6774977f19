"""Facts about the values of fields of a release, found by asking the API server's own code.

``limits`` asks for those of fields: candidates are what is known of other releases
(``rows``), what Go types declare (``declared``), and what changed values suggest
(``questions``); ``proofs`` has a value on either side of each border. ``defaults`` looks at
what is filled in, ``immutable_fields`` at what cannot change, ``reviewed`` is what is known
otherwise. ``tables`` makes the tables of it.
"""
