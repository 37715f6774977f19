"""Example values of kinds, as trees that the writer of each language turns into code."""
