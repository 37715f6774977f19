"""The docs site: a static reference of the types of all releases."""
