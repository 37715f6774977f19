"""How each language spells a name, a type, a literal and a piece of text.

One module a language, and nothing about a language anywhere else. Text from a
spec is hostile: what these modules return cannot leave the place it is meant for.
"""
