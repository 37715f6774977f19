"""Reports of a check in machine-readable formats."""
