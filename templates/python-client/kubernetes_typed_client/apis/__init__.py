"""A module for each API class."""
