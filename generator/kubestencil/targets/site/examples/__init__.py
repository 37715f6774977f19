"""Examples and calls on pages: manifests, code, HTTP and kubectl."""
