"""Reports on what changed between releases.

``view`` hands templates comparisons, histories and the timeline. ``report_variables``
has what one report shows: its sections, with ``changes`` and their ``wording`` (words that differ: ``word_diff``), the lists at its head (``upgrade``,
``behaviour``, ``lifecycle_notes``) and ``links``. ``matrix`` is the table of a history, and
``comparisons`` keeps those of a run.
"""
