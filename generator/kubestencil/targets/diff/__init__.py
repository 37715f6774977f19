"""Reports on what changed between releases.

``view`` hands templates comparisons, histories and the timeline. ``report_variables``
has what one report shows: its sections, with ``changes`` and their ``wording`` (words
that differ: ``word_diff``), and the lists at its head (``upgrade``, ``behaviour``).
``matrix`` is the table of a history.
"""
