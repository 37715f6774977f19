"""Readers of OpenAPI documents."""
