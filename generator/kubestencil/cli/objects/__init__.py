"""Commands that print objects: ``example`` makes one, ``stored`` has those of default and
convert."""
