"""Generates targets of documents, as options say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click

from kubestencil import build
from kubestencil.build.refused import Refused, leave_out_refused
from kubestencil.build.share import Share
from kubestencil.cli import console
from kubestencil.cli.documents import find_sources
from kubestencil.cli.options import parse_settings
from kubestencil.cli.rendering.summary import first_page, report_summary
from kubestencil.engine import (
    Target,
    check_options,
    choose_targets,
    load_targets,
    possible_targets,
)
from kubestencil.errors import UsageError
from kubestencil.output_paths import check_folder
from kubestencil.shards import WHOLE, Shard
from kubestencil.source import Source
from kubestencil.source.find import DocumentOptions
from kubestencil.source.pinned import PinnedDocument

# In MB: what is said before it is written.
_MUCH = 10
# Targets state how many files, of which size, they make of a spec of Kubernetes, which has
# at least these bytes. As many bytes as _SPEC_BYTES of CustomResourceDefinitions, whose
# files are few and long, make these shares of both.
_SMALLEST_SPEC = 100_000
_SPEC_BYTES = 1_000_000
_FILES_OF_CRDS = 0.08
_BYTES_OF_CRDS = 0.2


class RenderOptions(NamedTuple):
    """The values of the command line, or of a table of a project file."""

    releases: tuple[str, ...]
    names: tuple[str, ...]
    everything: bool
    out: Path
    specs: Path | None
    spec: str | None
    crds: tuple[str, ...]
    unserved: bool
    groups: tuple[str, ...]
    kinds: tuple[str, ...]
    templates: Path | None
    settings: tuple[str, ...]
    check: bool
    overwrite: bool
    prune: bool
    locked: bool
    keep_going: bool
    shard: Shard | None
    finish: bool
    jobs: int
    quiet: bool
    pinned: Mapping[str, PinnedDocument] = {}

    @property
    def documents(self) -> DocumentOptions:
        """How documents are found and read."""
        return DocumentOptions(
            self.specs,
            self.crds,
            self.unserved,
            self.groups,
            self.kinds,
            self.pinned,
        )

    @property
    def is_of_releases(self) -> bool:
        """Whether releases are generated, and not a spec, or CRDs alone."""
        return self.spec is None and bool(self.releases or not self.crds)

    @property
    def share(self) -> Share:
        """The trees that the run makes. Raises UsageError where that would be both."""
        if self.shard is not None and self.finish:
            raise UsageError("cannot be combined", where="--shard and --finish")
        return Share(self.shard or WHOLE, self.finish)


#: The documents and the targets of a run, or of a part of it.
Prepared = tuple[list[Source], list[Target]]


def prepare(options: RenderOptions) -> Prepared:
    """The documents and the targets of a run."""
    names = options.names
    all_targets = load_targets(options.templates, names)
    sources = find_sources(
        options.releases, options.spec, options.documents, all_targets
    )
    if options.everything:
        names = possible_targets(all_targets, len(sources))
    settings = parse_settings(options.settings)
    return sources, choose_targets(all_targets, names, settings, len(sources))


def check_settings(options: RenderOptions, targets: Iterable[Target]) -> None:
    """Raise UsageError for a value of ``--set`` that changes none of some targets."""
    check_options(parse_settings(options.settings), targets)


class Generated(NamedTuple):
    """What a run came to. ``is_failed`` is whether files are out of date, or something was
    refused; ``page`` is what to open first."""

    is_failed: bool
    page: Path | None


def generate(
    options: RenderOptions, prepared: Iterable[Prepared], layout: str
) -> Generated:
    """Generate or check targets of documents, what takes longest first, and show the
    result. With a ``layout``, the releases are those that a project names."""
    out, quiet, prune = options.out, options.quiet, options.prune
    refused: dict[str, Refused] = {}
    requests = []
    for sources, targets in prepared:
        console.announce_sources(sources, quiet)
        if options.keep_going:
            sources, left_out = leave_out_refused(sources)
            refused |= left_out
        documents = replace(options.documents, refused=frozenset(refused))
        covered = (
            []
            if prune or layout
            else build.find_covered(sources, targets, out, documents)
        )
        requests.append(build.BuildRequest(sources, targets, covered))
    run = (
        build.check
        if options.check
        else partial(build.render, overwrite=options.overwrite, prune=prune)
    )
    with console.ProgressBar("reading", quiet) as bar:
        summary = run(
            requests,
            out,
            jobs=options.jobs,
            layout=layout,
            share=options.share,
            progress=bar.jobs,
        )
    report_summary(summary, out, quiet)
    if refused:
        # It asks API servers' own code, which other runs do not need.
        from kubestencil.cli.rendering.refused import show_refused

        show_refused(refused, [source for part in requests for source in part.sources])
    is_failed = bool(refused) or any(tree.drift for tree in summary.trees)
    return Generated(is_failed, first_page(summary, out))


def announce_size(options: RenderOptions, prepared: Iterable[Prepared]) -> None:
    """Say about how much will be written, where that is known and much."""
    if options.quiet or options.check or options.groups or options.kinds:
        return
    files = megabytes = 0.0
    for sources, targets in prepared:
        # Beside CustomResourceDefinitions alone stands a spec without any kinds.
        specs = [len(source.data) >= _SMALLEST_SPEC for source in sources]
        crds = [(source.size - len(source.data)) / _SPEC_BYTES for source in sources]
        for target in targets:
            total = max if target.newest_only else sum
            of_specs, of_crds = total(specs), total(crds)
            files += target.size.files * (of_specs + of_crds * _FILES_OF_CRDS)
            kilobytes = target.size.kilobytes * (of_specs + of_crds * _BYTES_OF_CRDS)
            megabytes += kilobytes / 1000
    if megabytes >= _MUCH:
        console.status(
            f"generating about {files:,.0f} files, {megabytes:.0f} MB, in {options.out}/"
        )


def is_missing(options: RenderOptions, folder: Path) -> bool:
    """Whether there is nothing that could be compared, which is said then."""
    if not options.check or folder.exists():
        return False
    check_folder(folder)
    click.echo(f"missing: {folder}/; kubestencil render, without --check, writes it")
    return True


def show_page(options: RenderOptions, page: Path | None) -> None:
    if page is not None and not options.quiet:
        click.echo(f"open {page}")
