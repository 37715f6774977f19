"""Examples in TypeScript; the target itself is a folder of templates."""
