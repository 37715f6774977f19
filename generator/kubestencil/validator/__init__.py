"""The API server's own verdict: programs that run the server's code of one release.

``binaries`` finds and builds them (the Go is the target ``validator``), ``process`` runs
one and asks it, ``protocol`` has requests and answers, and ``release`` is what Python
programs use. A program is optional: nothing but checks, defaults and conversions uses
it, and only where it is there.
"""
