"""Example values of kinds: what an example contains, decided once for all languages."""
