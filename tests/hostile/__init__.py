"""Thousands of generated documents through every command, and what must hold for each.

``python -m tests.hostile`` makes them, runs the commands, and prints what was wrong;
``tests/test_hostile.py`` does so with some of them.
"""
