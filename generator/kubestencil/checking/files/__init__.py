"""Finds manifests and reads the objects in them, with positions."""
