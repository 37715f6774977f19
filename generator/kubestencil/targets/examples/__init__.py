"""Examples of kinds: what they contain, decided once for all languages."""
