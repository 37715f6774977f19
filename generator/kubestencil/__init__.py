"""kubestencil: from the Kubernetes OpenAPI document to everything printed from it.

The flow is one way, and every package imports only those before it::

    source -> model -> target -> output
                 \\-> diff

``kubestencil.build.run`` joins them; ``kubestencil.cli`` is the command line.
"""

__version__ = "0.1.0"
