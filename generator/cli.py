"""The command line: options to calls, and nothing else."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from generator import __version__
from generator.errors import KubestencilError, UsageError, nearest

# Whatever only one command needs is imported by that command: --help and
# --version answer before Jinja2 would be loaded.
if TYPE_CHECKING:
    from generator.render import Summary, Tree
    from generator.source import Source
    from generator.target import Target


def main() -> NoReturn:
    """Run the command; exit with 0, 1 for a failed job or 2 for a wrong call."""
    # A run is short and makes hardly any circles, so that collecting them costs a
    # tenth of its time and frees nothing.
    gc.disable()
    try:
        code = cli.main(prog_name="kubestencil", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except KubestencilError as error:
        _say(click.style("error: ", fg="red", bold=True) + str(error))
        sys.exit(error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        _say("interrupted")
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output (head, less) went away: not an error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="kubestencil")
@click.pass_context
def cli(context: click.Context) -> None:
    """Print client models, documentation and change reports from the Kubernetes
    OpenAPI document."""
    context.color = False if "NO_COLOR" in os.environ else None


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


@cli.command()
@click.argument(
    "releases",
    nargs=-1,
    metavar="[RELEASE|RANGE]...",
    shell_complete=_complete_release,
)
@click.option(
    "-t",
    "--target",
    "names",
    multiple=True,
    shell_complete=_complete_target,
    help="A target to print; all without it.",
)
@click.option(
    "-o",
    "--output",
    "out",
    type=click.Path(path_type=Path),
    default=Path("generated"),
    show_default=True,
    help="The folder to print into.",
)
@_specs_option
@click.option(
    "--spec", metavar="FILE|URL|-", help="Print this document as the one RELEASE named."
)
@_templates_option
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="TARGET.OPTION=VALUE",
    help="Set an option of a target.",
)
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if out of date.")
@click.option(
    "--overwrite", is_flag=True, help="Replace files that are not kubestencil's."
)
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    default=os.cpu_count() or 1,
    help="Processes to use.  [default: one a processor]",
)
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

    chosen = _targets(names, templates, settings)
    sources = _sources(releases, specs, spec)
    if not quiet:
        for source in sources:
            _say(f"{source.release}: {source.origin}, sha256 {source.sha256}")
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
    names: tuple[str, ...], templates: Path | None, settings: tuple[str, ...]
) -> list[Target]:
    from generator.target import load

    known = load(templates)
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
    return [known[name].with_options(changes.get(name, {})) for name in chosen]


def _sources(
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
                + f"{out / tree.release / tree.target / path}: is no longer printed, "
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
    folder = out / tree.release / tree.target
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
