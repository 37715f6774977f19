"""The Go module that runs the API server's own code of a release."""
