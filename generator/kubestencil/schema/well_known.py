"""Full names of definitions with a meaning that is not in their schemas."""

from __future__ import annotations

_API = "io.k8s.apimachinery.pkg"
#: The package of the types that all groups share.
META_V1 = f"{_API}.apis.meta.v1"

#: The metadata of an object, with its name.
OBJECT_META = f"{META_V1}.ObjectMeta"
#: The metadata of a list kind.
LIST_META = f"{META_V1}.ListMeta"
#: A time to the second.
TIME = f"{META_V1}.Time"
#: A time to the microsecond.
MICRO_TIME = f"{META_V1}.MicroTime"
#: A number with a unit, such as 500m: a string, for which clients may send a number.
QUANTITY = f"{_API}.api.resource.Quantity"
#: An integer or a string, such as a port or a percentage.
INT_OR_STRING = f"{_API}.util.intstr.IntOrString"
