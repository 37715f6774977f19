"""Decodes objects as the API server does, and reports what it would refuse."""
