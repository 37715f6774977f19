# What arguments.py.j2 generates.

TEXTS: dict[str, str]
