"""The command ``python -m specs.make.values``: facts about the values of a release, found by
asking the API server's own code.

``objects`` has JSON values and their positions in types, ``seeds`` finds objects that
the server accepts with as many fields as possible, and ``pool`` has those to ask about.
``harvest`` asks: candidates for limits are what is known of other releases (``rows``),
what Go types declare (``declared``), and what changed values suggest (``questions``);
``proofs`` has a value on either side of each border. ``defaults`` looks at what is filled
in, ``immutable_fields`` at what cannot change, ``reviewed`` is what is known otherwise.
Several programs are asked at once (``workers``).
"""
