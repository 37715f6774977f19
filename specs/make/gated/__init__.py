"""What feature gates decide about, found by asking the API server's own code with gates on
and off.

``switches`` has the gates of a program, ``questions`` what is asked about, ``answers`` finds
the gates of answers that differ, and ``tables`` makes the table, with what is only read.
"""
