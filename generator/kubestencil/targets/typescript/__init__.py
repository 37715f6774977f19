"""Examples in TypeScript (``example``); the target itself is a folder of templates."""
