"""Examples and calls on pages: manifests, code, HTTP and kubectl.

``kinds`` has the examples of a kind in each language with their ``installation``, and
``operations`` its requests: ``calls`` over HTTP and in Rust, ``python_calls`` and
``kubectl``. ``highlight`` marks tokens.
"""
