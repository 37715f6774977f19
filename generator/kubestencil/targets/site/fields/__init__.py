"""Fields of types as pages show them."""
