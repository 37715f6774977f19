"""The command line: options to calls, and nothing else."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from generator import __version__
from generator.errors import KubestencilError, OutputError, UsageError, nearest

# Whatever only one command needs is imported by that command: --help and
# --version answer before Jinja2 would be loaded.
if TYPE_CHECKING:
    from generator.render import Summary, Tree
    from generator.source import Source
    from generator.target import Target

#: The target that serve prints, and the folder of the output that it serves.
_SITE = "site"


def main() -> NoReturn:
    """Run the command; exit with 0, 1 for a failed job or 2 for a wrong call."""
    # A run is short and makes hardly any circles, so that collecting them costs a
    # tenth of its time and frees nothing.
    gc.disable()
    try:
        code = _exit_code(_run)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of our output (head, less) went away: not an error.
        code = 0
    sys.stderr.flush()
    # Nothing is open any more, and to take a run's values apart one by one before
    # the process ends would take another tenth.
    os._exit(code)


def _run() -> int:
    code = cli.main(prog_name="kubestencil", standalone_mode=False)
    return code if isinstance(code, int) else 0


def _exit_code(run: Callable[[], int]) -> int:
    """What a run returns; where it fails, what stands for that, after its error has
    been said."""
    try:
        return run()
    except KubestencilError as error:
        _say(click.style("error: ", fg="red", bold=True) + str(error))
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        _say("interrupted")
        return 130
    except BrokenPipeError:
        raise
    except OSError as error:
        # Everything that the run reads or writes has its own message; what is left
        # is what it says, to a disk that is full or a terminal that is gone.
        _say(f"{click.style('error: ', fg='red', bold=True)}{error}")
        return 1


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="kubestencil")
@click.pass_context
def cli(context: click.Context) -> None:
    """Print client models, documentation and change reports from the Kubernetes
    OpenAPI document."""
    context.color = _colour()


def _colour() -> bool | None:
    """Whether to colour what is said; None where the terminal decides."""
    return False if "NO_COLOR" in os.environ else None


def _complete_release(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[str]:
    from generator.source import available

    del context, parameter
    return [name for name in available(None) if name.startswith(incomplete)]


def _complete_target(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[str]:
    from generator.target import load

    del parameter
    templates = context.params.get("templates")
    return [name for name in load(templates) if name.startswith(incomplete)]


def _specs_option(function: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--specs",
        type=click.Path(path_type=Path),
        envvar="KUBESTENCIL_SPECS",
        metavar="DIR",
        help="A folder with documents named RELEASE.json. Without it: ./specs, then "
        "the embedded specs.",
    )(function)


def _templates_option(function: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--templates",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="A folder of your own targets, and of templates that shadow built-in ones.",
    )(function)


def _releases_argument(function: Callable[..., Any]) -> Callable[..., Any]:
    return click.argument(
        "releases",
        nargs=-1,
        metavar="[RELEASE|RANGE]...",
        shell_complete=_complete_release,
    )(function)


def _out_option(function: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "-o",
        "--output",
        "out",
        type=click.Path(path_type=Path),
        default=Path("generated"),
        show_default=True,
        help="The folder to print into.",
    )(function)


def _set_option(function: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="TARGET.OPTION=VALUE",
        help="Set an option of a target.",
    )(function)


def _jobs_option(function: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "-j",
        "--jobs",
        type=click.IntRange(min=1),
        default=os.cpu_count() or 1,
        help="Processes to use.  [default: one a processor]",
    )(function)


@cli.command()
@_releases_argument
@click.option(
    "-t",
    "--target",
    "names",
    multiple=True,
    shell_complete=_complete_target,
    help="A target to print; all without it.",
)
@_out_option
@_specs_option
@click.option(
    "--spec", metavar="FILE|URL|-", help="Print this document as the one RELEASE named."
)
@_templates_option
@_set_option
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if out of date.")
@click.option(
    "--overwrite", is_flag=True, help="Replace files that are not kubestencil's."
)
@_jobs_option
@click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors.")
@click.pass_context
def render(
    context: click.Context,
    releases: tuple[str, ...],
    names: tuple[str, ...],
    out: Path,
    specs: Path | None,
    spec: str | None,
    templates: Path | None,
    settings: tuple[str, ...],
    check: bool,
    overwrite: bool,
    jobs: int,
    quiet: bool,
) -> None:
    """Print targets of releases.

    RELEASE is one release (1.35), RANGE several (1.29..1.35). Without any, every
    release that kubestencil is made for is printed, as every target.
    """
    from generator import render as run
    from generator.target import load

    known = load(templates)
    sources = _sources(releases, specs, spec, known)
    chosen = _enough(_targets(known, names, settings), names, len(sources))
    _say_sources(sources, quiet)
    with _Bar(len(sources), quiet) as bar:
        if check:
            summary = run.check(sources, chosen, out, jobs=jobs, progress=bar.step)
        else:
            summary = run.render(
                sources,
                chosen,
                out,
                jobs=jobs,
                overwrite=overwrite,
                progress=bar.step,
            )
    _report(summary, out, quiet)
    if any(tree.drift for tree in summary.trees):
        context.exit(1)


@cli.command()
@_releases_argument
@_out_option
@_specs_option
@_templates_option
@_set_option
@_jobs_option
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="The port to listen on; 0 takes any that is free.",
)
@click.option("--open", "opened", is_flag=True, help="Open the site in the browser.")
def serve(
    releases: tuple[str, ...],
    out: Path,
    specs: Path | None,
    templates: Path | None,
    settings: tuple[str, ...],
    jobs: int,
    port: int,
    opened: bool,
) -> None:
    """Print the site, serve it to this machine, and print it again when a template
    changes.

    RELEASE and RANGE are as for render. Ctrl-C ends it.
    """
    import webbrowser

    from generator import serve as service
    from generator.target import load

    known = load(templates)
    [target] = _targets(known, (_SITE,), settings)
    sources = _sources(releases, specs, None, known)
    _say_sources(sources, quiet=False)
    printing = partial(_print_site, sources, out, templates, settings, jobs)

    def listening(address: str) -> None:
        click.echo(f"serving {out / _SITE} at {address}, Ctrl-C ends it")
        if opened:
            webbrowser.open(address)

    # A server is not the short run that went without it.
    gc.enable()
    with contextlib.suppress(KeyboardInterrupt):
        service.serve(
            out / _SITE,
            port,
            service.Watched(_places(target, templates), out),
            first=printing,
            again=partial(service.apart, partial(_print_again, printing)),
            listening=listening,
        )


@cli.command()
@click.argument("releases", nargs=-1, required=True, metavar="RELEASE...")
@click.option(
    "--specs",
    type=click.Path(path_type=Path),
    envvar="KUBESTENCIL_SPECS",
    default=Path("specs"),
    show_default=True,
    metavar="DIR",
    help="The folder to put documents into.",
)
@click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors.")
def fetch(releases: tuple[str, ...], specs: Path, quiet: bool) -> None:
    """Download upstream's documents of releases."""
    from generator import release
    from generator.render import load
    from generator.source import remote

    listed = release.rows()
    for name in releases:
        wanted = release.minor(name)
        row = listed.get(wanted) or release.Row(wanted, remote.address(wanted), None)
        with _Download(wanted, quiet) as bar:
            path = remote.fetch(row, specs, bar.step, load)
        if not quiet:
            known = "" if row.sha256 else " (no sha256 on record to compare with)"
            click.echo(f"{path}: {row.url}{known}")


@cli.command()
@_specs_option
def releases(specs: Path | None) -> None:
    """List the releases that can be read, and from where."""
    from generator import release
    from generator.source import available

    listed = release.rows()
    for name, place in available(specs).items():
        mark = "*" if name in listed else " "
        click.echo(f"{mark} {name:<8} {place}")
    _say("* is printed by kubestencil render without a release")


@cli.command()
@_templates_option
def targets(templates: Path | None) -> None:
    """List the targets, with their options."""
    from generator.target import load

    for target in load(templates).values():
        click.echo(f"{target.name:<14} {target.about}")
        for option, value in target.options.items():
            click.echo(f"{'':<14}   {target.name}.{option}={value}")


def _targets(
    known: Mapping[str, Target], names: tuple[str, ...], settings: tuple[str, ...]
) -> list[Target]:
    for name in names:
        if name not in known:
            raise UsageError(f"unknown target {name!r}", hint=nearest(name, known))
    changes: dict[str, dict[str, str]] = {}
    for setting in settings:
        path, equals, value = setting.partition("=")
        target, dot, option = path.partition(".")
        if not (equals and dot and target in known):
            raise UsageError(
                "must be TARGET.OPTION=VALUE",
                where=f"--set {setting}",
                hint="kubestencil targets lists the targets and their options",
            )
        changes.setdefault(target, {})[option] = value
    chosen = dict.fromkeys(names) or known
    return [
        replace(known[name].with_options(changes.get(name, {})), lent=changes)
        for name in chosen
    ]


def _enough(targets: list[Target], named: tuple[str, ...], count: int) -> list[Target]:
    """The targets that ``count`` releases are enough for."""
    for target in targets:
        if target.name in named and count < target.least:
            raise UsageError(
                f"-t {target.name} needs {target.least} releases or more: name them"
            )
    return [target for target in targets if count >= target.least]


def _sources(
    names: tuple[str, ...],
    specs: Path | None,
    spec: str | None,
    targets: Mapping[str, Target],
) -> list[Source]:
    """The documents to print, none under a name that is a target's over releases."""
    sources = _located(names, specs, spec)
    for source in sources:
        target = targets.get(source.release)
        if target is not None and target.over == "releases":
            raise UsageError(
                f"a release cannot be called {source.release!r}: a target is",
                hint="name it otherwise: kubestencil render NAME --spec FILE",
            )
    return sources


def _located(
    names: tuple[str, ...], specs: Path | None, spec: str | None
) -> list[Source]:
    from generator import release
    from generator.source import available, locate, remote

    if spec is not None:
        if len(names) > 1:
            raise UsageError(
                "--spec is one document and can be printed as one release only"
            )
        return [remote.read(spec, release.label(names[0]) if names else None)]
    wanted = names or tuple(release.rows())
    return [locate(name, specs) for name in release.expand(wanted, available(specs))]


def _print_site(
    sources: list[Source],
    out: Path,
    templates: Path | None,
    settings: tuple[str, ...],
    jobs: int,
) -> None:
    """Print the site with the templates as they are now, and say what was written."""
    from generator import render as run
    from generator.target import load

    chosen = _targets(load(templates), (_SITE,), settings)
    with _Bar(len(sources), quiet=False) as bar:
        summary = run.render(
            sources, chosen, out, jobs=jobs, overwrite=False, progress=bar.step
        )
    _report(summary, out, quiet=False)


def _print_again(printing: Callable[[], None]) -> None:
    """The next print, in its process: a mistake is said, and the last one stays."""

    def printed() -> int:
        printing()
        return 0

    with click.Context(cli) as context:
        context.color = _colour()
        _exit_code(printed)


def _places(target: Target, templates: Path | None) -> tuple[Path, ...]:
    """The files and folders that decide how a target is printed."""
    mine = () if templates is None else (templates,)
    named = (str(target.options[name]) for name in target.reads)
    # An option may be empty, or a word that stands for something built in.
    read = (Path(each) for each in named if each and Path(each).exists())
    return tuple(dict.fromkeys((*mine, *target.roots, *read)))


def _report(summary: Summary, out: Path, quiet: bool) -> None:
    for name, keyword in summary.unknown:
        _say(
            click.style("warning: ", fg="yellow")
            + f"{name}: kubestencil does not know the keyword {keyword.keyword!r} "
            f"({keyword.count} times, first at {keyword.pointer})"
        )
    for tree in summary.trees:
        for path in tree.kept:
            _say(
                click.style("warning: ", fg="yellow")
                + f"{out / tree.place / path}: is no longer printed, "
                "but was changed by hand, and is kept"
            )
        if tree.drift:
            _echo_drift(out, tree)
    if quiet:
        return
    for target in dict.fromkeys(tree.target for tree in summary.trees):
        trees = [tree for tree in summary.trees if tree.target == target]
        files, size = sum(t.files for t in trees), sum(t.size for t in trees)
        written, removed = sum(t.written for t in trees), sum(t.removed for t in trees)
        did = f"{written} written" if written else "unchanged"
        gone = f", {removed} removed" if removed else ""
        drifted = any(tree.drift for tree in trees)
        click.echo(
            f"{target}: {files} files, {size / 1e6:.1f} MB, "
            f"{'out of date' if drifted else did + gone}, "
            f"{sum(t.seconds for t in trees):.2f} s"
        )


def _echo_drift(out: Path, tree: Tree) -> None:
    drift = tree.drift
    assert drift is not None
    folder = out / tree.place
    for word, paths in (
        ("out of date", drift.changed),
        ("missing", drift.missing),
        ("left over", drift.left_over),
    ):
        for path in paths:
            click.echo(f"{word}: {folder / path}")


class _Bar:
    """A progress bar over releases, where standard error is a terminal."""

    def __init__(self, length: int, quiet: bool) -> None:
        shown = not quiet and sys.stderr.isatty()
        self.bar = (
            click.progressbar(length=length, label="printing", file=sys.stderr)
            if shown
            else None
        )

    def __enter__(self) -> _Bar:
        if self.bar:
            self.bar.__enter__()
        return self

    def __exit__(self, *exception: Any) -> None:
        if self.bar:
            self.bar.__exit__(*exception)

    def step(self, release: str) -> None:
        if self.bar:
            self.bar.label = release
            self.bar.update(1)


class _Download:
    """A progress bar over the bytes of one download."""

    def __init__(self, release: str, quiet: bool) -> None:
        self.release = release
        self.shown = not quiet and sys.stderr.isatty()
        self.bar: Any = None
        self.seen = 0

    def __enter__(self) -> _Download:
        return self

    def __exit__(self, *exception: Any) -> None:
        if self.bar is not None:
            self.bar.__exit__(*exception)

    def step(self, received: int, expected: int) -> None:
        if not self.shown:
            return
        if self.bar is None:
            self.bar = click.progressbar(
                length=expected or received, label=self.release, file=sys.stderr
            )
            self.bar.__enter__()
        self.bar.update(received - self.seen)
        self.seen = received


def _say(text: str) -> None:
    click.echo(text, err=True)


def _format_option(function: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "-f",
        "--format",
        "form",
        type=click.Choice(["text", "markdown", "html", "json"]),
        help="What to print; without it what the name of FILE says, else text.",
    )(function)


def _file_option(function: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "-o",
        "--output",
        "file",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Write to FILE instead of standard output.",
    )(function)


@cli.command()
@click.argument("before", metavar="FROM", shell_complete=_complete_release)
@click.argument("after", metavar="TO", shell_complete=_complete_release)
@_specs_option
@_templates_option
@_format_option
@_file_option
@click.option("--kind", help="Only what concerns a kind or a type, such as Pod.")
@click.option("--group", help="Only what concerns a group, such as apps or core.")
@click.option(
    "--severity",
    "severities",
    multiple=True,
    type=click.Choice(["breaking", "warning", "safe", "docs"]),
    help="Only changes of this severity; may be repeated.",
)
@click.option("--no-docs", is_flag=True, help="Leave out what only words differ in.")
@click.option(
    "--fail-on",
    type=click.Choice(["breaking", "warning"]),
    help="Exit 1 if a change is this grave, or graver.",
)
@click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors.")
@click.pass_context
def diff(
    context: click.Context,
    before: str,
    after: str,
    specs: Path | None,
    templates: Path | None,
    form: str | None,
    file: Path | None,
    kind: str | None,
    group: str | None,
    severities: tuple[str, ...],
    no_docs: bool,
    fail_on: str | None,
    quiet: bool,
) -> None:
    """Tell what changed between two releases, documents or API versions.

    FROM and TO are each a release (1.35), an API version in a release
    (1.35/apps/v1, 1.35/v1), or a document (a file, an https address, - for standard
    input), to which #apps/v1 may be added.
    """
    from generator import release
    from generator.diff import comparison, report
    from generator.diff.classify import SEVERITIES
    from generator.render import load

    ends = [_end(place, specs) for place in (before, after)]
    if bool(ends[0][1]) is not bool(ends[1][1]):
        raise UsageError(
            "one side is a whole release and the other an API version",
            where=f"diff {before} {after}",
            hint="name an API version on both sides: 1.29/v1 1.35/v1",
        )
    _say_sources([source for source, _ in ends], quiet)
    old, new = (load(source) for source, _ in ends)
    if release.order(old.name) > release.order(new.name) and not quiet:
        _say(f"{old.name} is the newer: what {new.name} does not have yet is removed")
    if kind is not None:
        comparison.check_kind(kind, (old, new))
    if group is not None:
        comparison.check_group(group, (old, new))
    found = (
        comparison.compare_versions(old, ends[0][1], new, ends[1][1])
        if ends[0][1]
        else comparison.compare(old, new)
    ).narrowed(
        kind=kind,
        group=group,
        severities=[
            each
            for each in severities or SEVERITIES
            if not (no_docs and each == "docs")
        ],
    )
    form = _form(form, file)
    text = report.comparison(
        found, form, colour=_is_coloured(file), templates=report.folders(templates)
    )
    _put(text, file)
    if fail_on and any(
        found.summary[each] for each in SEVERITIES[: SEVERITIES.index(fail_on) + 1]
    ):
        context.exit(1)


@cli.command()
@click.argument("kind", required=False)
@click.argument("field", required=False)
@click.option(
    "--releases",
    "wanted",
    multiple=True,
    metavar="RELEASE|RANGE",
    help="The releases to look at, such as 1.29..1.35; all that there are without it.",
)
@_specs_option
@_templates_option
@_format_option
@_file_option
@click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors.")
def history(
    kind: str | None,
    field: str | None,
    wanted: tuple[str, ...],
    specs: Path | None,
    templates: Path | None,
    form: str | None,
    file: Path | None,
    quiet: bool,
) -> None:
    """Tell how a type evolved through all releases and API versions.

    KIND is a kind or a part of one (ResourceClaimStatus), with its group where
    several have it (events.k8s.io/Event). Without KIND: when each kind was served.
    """
    from generator import diff, release
    from generator.diff import report
    from generator.render import load
    from generator.source import available, locate

    names = release.expand(wanted, available(specs)) if wanted else available(specs)
    sources = [locate(name, specs) for name in names]
    _say_sources(sources, quiet)
    releases = [load(source) for source in sources]
    form, colour = _form(form, file), _is_coloured(file)
    folders = report.folders(templates)
    if kind is None:
        served = diff.timeline(releases)
        _put(report.times(served, form, colour=colour, templates=folders), file)
        return
    found = diff.history(releases, kind)
    if field is not None:
        found = diff.only_field(found, field)
    _put(report.histories(found, form, colour=colour, templates=folders), file)


def _end(place: str, specs: Path | None) -> tuple[Source, str]:
    """One side of a comparison: its document, and the API version in it, if any."""
    from generator.source import available, locate, remote

    release, _, api_version = place.partition("/")
    bare = release.removeprefix("v")
    if bare in available(specs):
        return locate(bare, specs), api_version
    document, _, api_version = place.partition("#")
    is_document = document == "-" or "://" in document or Path(document).exists()
    if not is_document:
        raise UsageError(
            f"{place!r} is neither a release nor a document",
            hint=nearest(bare, available(specs)),
        )
    return remote.read(document, "stdin" if document == "-" else None), api_version


def _form(form: str | None, file: Path | None) -> str:
    """The format that is asked for, or that the file's name tells."""
    by_suffix = {".md": "markdown", ".html": "html", ".json": "json"}
    return form or by_suffix.get(file.suffix if file else "", "text")


def _is_coloured(file: Path | None) -> bool:
    return file is None and sys.stdout.isatty() and "NO_COLOR" not in os.environ


def _put(text: str, file: Path | None) -> None:
    if file is None:
        click.echo(text.rstrip("\n"), color=True)
        return
    try:
        file.write_text(text, "utf-8")
    except OSError as error:
        raise OutputError(
            f"cannot be written: {error.strerror}", where=str(file)
        ) from error


def _say_sources(sources: list[Source], quiet: bool) -> None:
    if not quiet:
        for source in sources:
            _say(f"{source.release}: {source.origin}, sha256 {source.sha256}")
