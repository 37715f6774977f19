"""A typed Python package of models, with the names of the official client."""
