# What package.pyi.j2 generates for the type checker.

from ._base import Model as Model
