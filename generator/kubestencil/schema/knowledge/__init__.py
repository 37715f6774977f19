"""One answer to each question about a release, whoever asks.

``fields`` joins what a document states of a field, what its description says
(``descriptions``) and what the API server does with its ``values``, for a release;
``places`` does for a place in a kind, where a fact depends on it. ``kinds``, ``resources``,
``gates``, ``components``, ``configurations`` (files of programs), ``conditions`` (fields of
one object together) and ``warnings`` have the rest; ``coverage`` is how far all of it
goes. ``words`` says facts to people. Nobody outside of ``schema`` reads the ``tables``
(``specs/*.tsv``) and the ``snapshots`` of releases (``specs/facts``).
"""
