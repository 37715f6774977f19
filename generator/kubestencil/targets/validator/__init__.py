"""The Go module that runs the API server's own code of a release: ``view`` fills in
what differs between releases, and ``templates/validator`` has the Go."""
