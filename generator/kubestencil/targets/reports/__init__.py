"""Reports on what changed between releases: the view of the target ``diff``, which the
site and the commands use as well.

``view`` hands templates comparisons, histories and the timeline. ``report_variables``
has what one report shows: its sections, with ``changes`` and their ``wording`` (words
that differ: ``word_diff``), and the lists at its head (``upgrade``, ``behaviour``), by
what an upgrade does (``steps``). ``matrix`` is the table of a history.
"""
