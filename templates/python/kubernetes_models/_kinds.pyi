# What kinds.py.j2 generates.

KINDS: dict[str, dict[str, str]]
CUSTOM_KINDS: dict[str, dict[str, str]]
