"""What ``render``, ``serve`` and ``update`` share.

``run`` finds the documents and targets of a run and generates them, ``summary`` shows what
came of it, and ``refused`` what ``render --keep-going`` leaves out.
"""
