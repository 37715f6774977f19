"""The command ``python -m specs.make.values``: tables of facts about values, found by
asking the API server's own code.

``objects`` has JSON values and their positions in types, ``seeds`` finds objects that
the server accepts with as many fields as possible, and ``pool`` those of all releases.
``questions`` changes one value of them at a time and reads the answers, ``defaults`` looks
at what is filled in, ``immutable_fields`` at what cannot change, ``markers`` reads Go
types, and ``reviewed`` is what is known otherwise. ``harvest`` does all of it for one
release, with several programs at once (``workers``), ``proofs`` has a value on either
side of each border, and ``rows`` joins the facts of all releases to tables, whose
``headers`` describe them.
"""
