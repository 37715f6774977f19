"""One answer to each question about a release: what is known of its fields, kinds, gates
and components.

``fields`` joins what a document states of a field, what its description says, and what the
tables of facts have (``tables``), for a release and, where a fact depends
on it, for a place in a kind; ``kinds``, ``gates``, ``components``, ``conditions`` and
``configurations`` do the same for theirs, and ``words`` says facts to people. Everybody who
shows or applies facts asks here; nothing outside of ``schema`` reads the tables.
"""
