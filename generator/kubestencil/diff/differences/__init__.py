"""What differs between two documents: definitions, resources and operations."""
