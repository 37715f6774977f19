"""Reports on what changed between releases."""
