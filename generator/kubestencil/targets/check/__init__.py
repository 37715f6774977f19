"""Renders the reports of a check for people: Markdown and HTML."""
