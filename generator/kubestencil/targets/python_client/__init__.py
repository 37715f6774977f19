"""The target ``python-client``: a typed client for the operations of a release."""
