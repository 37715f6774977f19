"""Examples and calls on pages: manifests, code, HTTP and kubectl.

``kinds`` has the examples of a kind in each language with their ``installation``, and
``operations`` its requests: ``calls`` with kubectl, over HTTP and in Rust, and
``python_calls``. ``field_code`` has names for the code of fields that scripts write, and
``highlight`` marks tokens.
"""
