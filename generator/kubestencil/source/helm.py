"""CustomResourceDefinitions of Helm charts: those in a chart's folder, and those that the
user's helm reads from an OCI registry."""

from __future__ import annotations

import re
from pathlib import Path

from kubestencil.errors import SourceError, UsageError
from kubestencil.source.document import SourceFile
from kubestencil.source.limits import max_bytes

#: What the address of a chart in a registry begins with.
OCI = "oci://"
#: What a folder has that is a chart.
_CHART = "Chart.yaml"
_VERSION = re.compile(r"^version: *[\"']?v?([^\s\"']+)", re.MULTILINE)
_ADDRESS = re.compile(r"oci://[\w.\-]+(?::\d+)?/[\w./\-]+\Z")
_TAG = re.compile(r"[\w][\w.+\-]*\Z")


def crds_folders(folder: Path) -> list[Path]:
    """The folders of the CustomResourceDefinitions of a chart and of the charts in it;
    another folder itself.

    Raises UsageError for a chart that has none.
    """
    if not (folder / _CHART).is_file():
        return [folder]
    paths = [folder / "crds", *sorted(folder.glob("charts/*/crds"))]
    folders = [path for path in paths if path.is_dir() and not path.is_symlink()]
    if not folders:
        raise UsageError(
            "is a Helm chart without a folder crds/",
            where=str(folder),
            hint="render it, and name the result: helm template --include-crds",
        )
    return folders


def chart_crds(location: str) -> SourceFile:
    """The CustomResourceDefinitions of a chart in a registry: ``oci://…/chart:1.2.3``.

    Raises SourceError where helm cannot be run, or fails.
    """
    chart, version = split_chart(location)
    return SourceFile(location, _helm("crds", chart, version))


def newest_chart(chart: str) -> str:
    """The newest version of a chart in a registry; raises as ``chart_crds``."""
    match = _VERSION.search(_helm("chart", split_chart(chart)[0], "").decode())
    if match is None:
        raise SourceError("helm names no version", where=chart)
    return match[1]


def split_chart(location: str) -> tuple[str, str]:
    """The address of a chart and its version, empty without one."""
    chart, colon, version = location.rpartition(":")
    if not colon or "/" in version:
        chart, version = location, ""
    if not _ADDRESS.match(chart) or not (version == "" or _TAG.match(version)):
        raise UsageError(
            "is no address of a chart",
            where=location,
            hint="write oci://HOST/CHART:VERSION",
        )
    return chart, version


def _helm(what: str, chart: str, version: str) -> bytes:
    named = [f"--version={version}"] if version else []
    from kubestencil.programs import output_of

    return output_of(
        ["helm", "show", what, *named, "--", chart], max_bytes(), where=chart
    )
