# What names.py.j2 generates.

from kubernetes_models import Model as Model

MODELS: str
USER_AGENT: str
