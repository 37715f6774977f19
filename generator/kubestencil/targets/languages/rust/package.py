"""The Cargo package of a crate: its name and version, and what stands in for k8s-openapi."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from kubestencil.engine.manifest import Target
from kubestencil.engine.options import read_options
from kubestencil.source.releases import minor_version_in, package_version

# Cargo, "The Manifest Format": names of packages, and Semantic Versioning 2.0.0.
_CRATE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}\Z")
_VERSION = re.compile(r"\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?\Z")

_REPLACED_CRATE = "k8s-openapi"
_REPLACED_VERSION = re.compile(r"0\.(\d{1,4})\.\d{1,4}\Z")
# k8s-openapi 0.27 was the first with jiff for times, as the generated crate has it. It
# has the features v1_31 to v1_35, and each minor version since has those of one more
# release. https://github.com/Arnavion/k8s-openapi/blob/master/CHANGELOG.md
_FIRST_REPLACED, _FIRST_FEATURE, _LAST_FEATURE = 27, 31, 35


@dataclass(frozen=True, slots=True)
class RustOptions:
    """The options of the view ``rust``.

    ``name`` and ``version`` are those of the package, whose version is that of the
    release where it is empty; ``drop_in`` is the version of
    k8s-openapi that it replaces, or empty.
    """

    name: str
    version: str
    drop_in: str

    @property
    def package_name(self) -> str:
        """The name of the package, which is that of the crate it replaces."""
        return _REPLACED_CRATE if self.drop_in else self.name


class DropIn(NamedTuple):
    """What k8s-openapi has beside its types, for a crate that replaces it.

    ``minor`` is 35 for Kubernetes 1.35. ``versions`` are the minor versions that have a
    feature (``v1_35``) and macros (``k8s_if_ge_1_35``): all that programs written for the
    replaced version may name, and the crate's own.
    """

    minor: int
    versions: tuple[int, ...]


class CargoPackage(NamedTuple):
    """A Cargo package; ``drop_in`` is None for one that does not replace k8s-openapi."""

    name: str
    version: str
    drop_in: DropIn | None


def make_package(release: str, target: Target) -> CargoPackage:
    """The package of the crate of ``release``, which is the name of a release.

    Raises ``option_error`` for options that Cargo does not accept, and for a crate that
    cannot replace the version of k8s-openapi that the option ``drop_in`` names.
    """
    options = crate_options(target)
    if not options.drop_in:
        version = options.version or package_version(release)
        return CargoPackage(options.name, version, None)
    number = minor_version_in(release)
    if number is None or not number.startswith("1."):
        raise target.option_error(
            f"{release!r} names no version of Kubernetes, which the features of "
            f"{_REPLACED_CRATE} are named after",
            "drop_in",
            "name the release after its version: render 1.35 --spec FILE",
        )
    minor = int(number[2:])
    last = _LAST_FEATURE + _minor(options.drop_in) - _FIRST_REPLACED
    versions = range(min(_FIRST_FEATURE, minor), max(last, minor) + 1)
    drop_in = DropIn(minor, tuple(versions))
    return CargoPackage(options.package_name, options.drop_in, drop_in)


def crate_options(target: Target) -> RustOptions:
    """The options of a target. Raises ``option_error`` for those that Cargo does not
    accept."""
    options = read_options(target, RustOptions)
    if not _CRATE_NAME.match(options.name):
        raise target.option_error(
            f"{options.name!r} is not the name of a Cargo package", "name"
        )
    if options.version and not _VERSION.match(options.version):
        raise target.option_error(
            f"{options.version!r} is not a version of a Cargo package", "version"
        )
    if options.drop_in and _minor(options.drop_in) < _FIRST_REPLACED:
        raise target.option_error(
            f"{options.drop_in!r} is not a version of {_REPLACED_CRATE} that the crate "
            "can replace",
            "drop_in",
            "name the version that Cargo.lock has, 0.27.0 or later: earlier ones have "
            "chrono for times",
        )
    return options


def _minor(version: str) -> int:
    """The minor version of a version of k8s-openapi; -1 for what is none."""
    match = _REPLACED_VERSION.match(version)
    return int(match[1]) if match else -1
