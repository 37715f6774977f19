"""The command of maintainers that makes the tables of facts in ``specs/``.

``python -m specs.make TABLE RELEASE…`` reads the sources of these releases of
Kubernetes; ``specs/README.md`` says where they come from and what each table has.
"""
