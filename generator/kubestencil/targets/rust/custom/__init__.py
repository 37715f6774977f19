"""Types of custom resources."""
