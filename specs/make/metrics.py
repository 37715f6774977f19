"""The table ``metrics.tsv``: the metrics that components promise to keep.

A test of Kubernetes compares the list with the code; it has the stable and beta metrics.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kubestencil.schema.knowledge.components import Metric
from kubestencil.schema.knowledge.tables import rows
from kubestencil.source.yaml import documents
from specs.make.checkouts import Checkout
from specs.make.ranges import Ranges

HEADER = """
The stable and beta metrics of the components, by release, tab-separated:

  releases    FIRST..LAST, or FIRST.. until the newest release of the table
  name        with its namespace and subsystem
  type        Counter, Gauge, Histogram, Summary, TimingRatioHistogram, Custom
  stability   stable or beta
  deprecated  the release from which it is deprecated

Made by `python -m specs.make metrics` (specs/README.md) from
test/instrumentation/testdata/stable-metrics-list.yaml of k8s.io/kubernetes, 1.29 to 1.36.
"""

_LIST = "test/instrumentation/testdata/stable-metrics-list.yaml"
# What a list says in the help of a metric only, by release and name.
_DEPRECATED = {("1.34", "apiserver_storage_objects"): "1.34"}


def make_rows(checkouts: Sequence[Checkout], *, append: bool) -> list[tuple[str, ...]]:
    """The rows of the table for these releases, oldest first.

    With ``append`` they continue the table that there is.
    """
    ranges: Ranges[str, tuple[str, ...]] = Ranges()
    if append:
        for row in rows("metrics", Metric):
            values = row.type, row.stability, row.deprecated or ""
            ranges.add(row.releases, row.name, values)
    for checkout in checkouts:
        ranges.advance(checkout.release, dict(_metrics(checkout)))
    return [
        (str(releases), name, *values) for name, releases, values in ranges.rows(str)
    ]


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
