"""The command ``python -m specs.make.values``: tables of facts about values, found by
asking the API server's own code.

``objects`` has JSON values and their positions in types, ``seeds`` finds objects that
the server accepts with as many fields as possible, ``questions`` changes one value of
them at a time and reads the answers, ``defaults`` looks at what is filled in, ``markers``
reads Go types. ``harvest`` does all of it for one release, and ``rows`` joins the facts of
all releases to tables, whose ``headers`` describe them.
"""
