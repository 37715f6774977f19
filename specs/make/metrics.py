"""The table ``metrics``: the metrics that components promise to keep.

A test of Kubernetes compares the list with the code; it has the stable and beta metrics.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kubestencil.source.yaml import documents
from specs.make.checkouts import Checkout

_LIST = "test/instrumentation/testdata/stable-metrics-list.yaml"
# What a list says in the help of a metric only, by release and name.
_DEPRECATED = {("1.34", "apiserver_storage_objects"): "1.34"}


def make_rows(checkout: Checkout) -> Iterator[tuple[str, ...]]:
    """The rows of the table for a release."""
    for name, values in _metrics(checkout):
        yield name, *values


def _metrics(checkout: Checkout) -> Iterator[tuple[str, tuple[str, ...]]]:
    text = (checkout.module("kubernetes") / _LIST).read_text("utf-8")
    for document in documents(text, _LIST):
        for metric in document.value:
            name = _name(metric)
            stated = ".".join(metric.get("deprecatedVersion", "").split(".")[:2])
            yield name, (
                metric["type"],
                metric["stabilityLevel"].lower(),
                stated or _DEPRECATED.get((checkout.release, name), ""),
            )


def _name(metric: Mapping[str, str]) -> str:
    parts = (metric.get(key) for key in ("namespace", "subsystem", "name"))
    return "_".join(part for part in parts if part)
