# What resources.py.j2 generates.

NAMESPACED: dict[str, str]
CLUSTER_SCOPED: dict[str, str]
