"""kubestencil update: whom it asks what is newest, what it writes and what it says. The
servers are real, on this machine."""

from __future__ import annotations

import hashlib
import json
import shutil
import ssl
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator
from functools import partial
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import pytest
from markdown_it import MarkdownIt

from kubestencil.errors import SourceError, UsageError
from kubestencil.programs import git_tags
from kubestencil.project import newest
from kubestencil.project.lock import Lock, LockedDocument
from kubestencil.project.summary import MAX_CHARACTERS, summary
from kubestencil.source import remote
from kubestencil.source.embedded import read as read_embedded
from kubestencil.source.releases import next_minor_version
from tests.answering_server import answer, serve
from tests.conftest import NEWEST, OLDEST, Command, read_files
from tests.crd_schemas import definition, version
from tests.tls_server import Authority

OLD, NEW = NEWEST, next_minor_version(NEWEST)
CONFIG_MAP = "io.k8s.api.core.v1.ConfigMap"


class Upstream(NamedTuple):
    """A server with a certificate of its own: what it serves, its address, and the
    environment of programs that trust it."""

    folder: Path
    url: str
    environment: dict[str, str]


@pytest.fixture
def upstream(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Upstream]:
    authority = Authority.create(tmp_path_factory.mktemp("authority"))
    pair = authority.issue("server", "localhost")
    folder = tmp_path_factory.mktemp("served")
    handler = partial(_Handler, directory=str(folder))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(pair.certificate, pair.key)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        certificate = str(authority.certificate)
        trusting = {"SSL_CERT_FILE": certificate, "GIT_SSL_CAINFO": certificate}
        yield Upstream(folder, f"https://localhost:{server.server_port}", trusting)
        server.shutdown()
        thread.join()


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


def widget_crd(*fields: str) -> bytes:
    properties = {name: {"type": "string"} for name in fields}
    spec = {"type": "object", "properties": properties}
    schema = {"type": "object", "properties": {"spec": spec}}
    crd = definition("Widget", version("v1", schema, storage=True))
    return json.dumps(crd).encode()


def publish_crds(upstream: Upstream) -> str:
    """A Git repository with the tags v1.2.0, v1.10.0 and v2.0.0-rc1, and a file of each;
    the address of the first."""
    repository = upstream.folder / "acme" / "widgets"
    work = upstream.folder / "work"
    git = partial(subprocess.run, check=True, capture_output=True)
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    git(["git", "init", "--quiet", str(work)])
    git(
        ["git", *identity, "commit", "--allow-empty", "--quiet", "-m", "a"],
        cwd=work,
    )
    for tag, fields in (
        ("v1.2.0", ("size", "colour")),
        ("v1.10.0", ("size", "shape")),
        ("v2.0.0-rc1", ()),
    ):
        git(["git", "tag", tag], cwd=work)
        folder = repository / "raw" / tag
        folder.mkdir(parents=True)
        name = f"widgets-{tag.removeprefix('v')}.json"
        (folder / name).write_bytes(widget_crd(*fields))
    git(["git", "clone", "--quiet", "--bare", str(work), str(work / "bare")])
    git(["git", "update-server-info"], cwd=work / "bare")
    shutil.copytree(work / "bare", repository, dirs_exist_ok=True)
    return project_location(upstream)


def project_location(upstream: Upstream) -> str:
    return f"{upstream.url}/acme/widgets/raw/v1.2.0/widgets-1.2.0.json"


def publish_release(upstream: Upstream) -> str:
    """A release that this version does not know, in an index; the address of that."""
    document: Any = read_embedded(OLD).document()
    properties = document["definitions"][CONFIG_MAP]["properties"]
    del properties["immutable"]
    properties["extra"] = {"type": "string"}
    data = json.dumps(document).encode()
    (upstream.folder / "document.json").write_bytes(data)
    sha256 = hashlib.sha256(data).hexdigest()
    (upstream.folder / "releases.toml").write_text(
        f'[release."{NEW}"]\nurl = "{upstream.url}/document.json"\nsha256 = "{sha256}"\n'
    )
    return f"{upstream.url}/releases.toml"


@pytest.fixture
def project(run: Command, upstream: Upstream) -> Path:
    run.environment |= upstream.environment
    location = publish_crds(upstream)
    (run.folder / "kubestencil.toml").write_text(f"""
# What we generate.
[[generate]]
target = ["python"]
releases = ["latest"]
output = "src"
kind = ["ConfigMap", "Widget"]
crds = ["{location}"]  # of acme

[[generate]]
target = ["rust"]
releases = ["{OLD}"]
output = "crate"
kind = ["ConfigMap"]

[check]
paths = ["manifests"]
""")
    (run.folder / "manifests").mkdir()
    (run.folder / "manifests" / "config.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nimmutable: true\n"
    )
    assert run("render").returncode == 0
    return run.folder


@pytest.mark.nightly
def test_an_update_brings_what_is_newest_and_says_what_differs(
    run: Command, upstream: Upstream, project: Path
) -> None:
    index = publish_release(upstream)
    before = read_files(project)
    plan = run("update", "--dry-run", "--index", index)
    assert plan.returncode == 0, plan.stderr
    after = read_files(project)
    changed = [path for path in after if after[path] != before.get(path)]
    assert changed and all(path.startswith("cache/") for path in changed)

    done = run("update", "--summary", "summary.md", "--index", index)
    assert done.returncode == 0, done.stderr
    text = (project / "summary.md").read_text()
    assert len(text) < 65_536
    for line in (
        f"- `{NEW}`: none → `{upstream.url}/document.json`",
        f"- `{project_location(upstream)}` → ",
        f"## API changes: {OLD} → {NEW}",
        '- error, new: `manifests/config.yaml:4: unknown field "immutable"`',
        f"## Generated code: python, from {OLD} to {NEW}",
        "- removed: `V1ConfigMap.immutable`",
        "- removed: `example_com.v1.WidgetSpec.colour`",
        "- `V1ConfigMap.extra`",
        "- `example_com.v1.WidgetSpec.shape`",
    ):
        assert line in text, text
    assert plan.stdout == text
    toml = (project / "kubestencil.toml").read_text()
    assert 'raw/v1.10.0/widgets-1.10.0.json"]  # of acme' in toml
    assert "# What we generate." in toml
    lock = tomllib.loads((project / "kubestencil.lock").read_text())
    assert lock["releases"] == {'["latest"]': [NEW], f'["{OLD}"]': [OLD]}
    assert lock["documents"][NEW]["url"] == f"{upstream.url}/document.json"
    assert lock["documents"][OLD]["patch"] == f"{OLD}.0"
    assert run("render", "--check", "--locked").returncode == 0
    again = run("update", "--index", index)
    assert again.stdout == "Nothing changed: the lock has the newest specs.\n"

    # Another machine, with an empty cache, downloads what the lock has, and nothing else.
    shutil.rmtree(project / "cache")
    assert run("render", "--check", "--locked").returncode == 0
    shutil.rmtree(project / "cache")
    (upstream.folder / "document.json").write_text("{}")
    other = run("render", "--check", "--locked")
    assert other.returncode == 1
    assert "not the recorded" in other.stderr


@pytest.mark.nightly
def test_only_the_tables_of_a_target_are_updated(
    run: Command, upstream: Upstream, project: Path
) -> None:
    index = publish_release(upstream)
    before = read_files(project)
    assert run("update", "rust", "--index", index).returncode == 0
    after = read_files(project)
    assert {path: after[path] for path in before} == before
    wrong = run("update", "rusty")
    assert wrong.returncode == 2
    assert "did you mean rust" in wrong.stderr


@pytest.mark.nightly
def test_what_could_not_be_asked_is_said(
    run: Command, upstream: Upstream, project: Path
) -> None:
    before = read_files(project)
    done = run("update", "--offline")
    assert done.returncode == 0, done.stderr
    assert "- not asked, offline: the newest release of Kubernetes" in done.stdout
    assert "- not asked, offline: newer versions of <https://localhost" in done.stdout
    shutil.rmtree(upstream.folder / "acme" / "widgets" / "info")
    for content in ("", "{}", "v1.99", "[release]\na = 1", "<html>", "v1.x.0\n" * 100):
        (upstream.folder / "index").write_text(content)
        done = run("update", "--index", f"{upstream.url}/index")
        assert done.returncode == 0, done.stderr
        assert "- not known: the newest release of Kubernetes" in done.stdout
        assert "- not known: newer versions of <https://localhost" in done.stdout
    after = read_files(project)
    assert {path: after[path] for path in before} == before


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("before", "after", "removed"),
    [("1.35", "1.36", "PodSpec.workloadRef"), ("latest", "1.36", "PodStatus.volumeHealth")],
)  # fmt: skip
def test_a_release_that_was_edited_is_compared_with_the_one_before(
    run: Command, before: str, after: str, removed: str
) -> None:
    """A project file whose release was edited, to a newer or an older one: the lock still
    has the other one."""
    path = run.folder / "kubestencil.toml"
    text = (
        f'[[generate]]\ntarget = ["typescript"]\nreleases = ["{before}"]\noutput = "out"\n'
        'kind = ["Pod"]\n'
    )
    path.write_text(text)
    assert run("render").returncode == 0
    path.write_text(text.replace(before, after))
    done = run("update", "--offline")
    assert done.returncode == 0, done.stderr
    assert f"## API changes: {before.replace('latest', OLD)} → {after}" in done.stdout
    assert f"- removed: `core/v1 {removed}`" in done.stdout
    assert "not asked" not in done.stdout


@pytest.mark.nightly
def test_a_summary_is_shorter_than_the_text_of_a_pull_request(run: Command) -> None:
    path = run.folder / "kubestencil.toml"
    names = '["python", "python-client", "rust", "typescript", "go", "java"]'
    text = f'[[generate]]\ntarget = {names}\nreleases = ["{OLDEST}"]\noutput = "out/{{target}}"\n'
    path.write_text(text)
    assert run("render").returncode == 0
    path.write_text(text.replace(OLDEST, NEWEST))
    done = run("update", "--offline", "--dry-run", "-q", "--summary", "summary.md")
    assert done.returncode == 0, done.stderr
    text = (run.folder / "summary.md").read_text()
    assert MAX_CHARACTERS // 2 < len(text) < 65_536
    assert text.endswith("And more.\n")


def test_the_index_of_upstream_has_each_release_at_its_newest_patch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = {
        "https://dl.example/release/stable.txt": b"v1.99.1",
        "https://dl.example/release/stable-1.98.txt": b"v1.98.4\n",
    }
    monkeypatch.setattr(remote, "download", texts.__getitem__)
    releases = newest.newer_releases("https://dl.example/release/stable.txt", ["1.97"])
    assert {name: release.url.split("/")[5] for name, release in releases.items()} == {
        "1.98": "v1.98.4",
        "1.99": "v1.99.1",
    }
    assert not newest.newer_releases("https://dl.example/release/stable.txt", ["1.99"])


TAGS = "".join(
    f"0000\trefs/tags/{tag}\n"
    for tag in ("v1.9.0", "v1.10.2", "v1.11.0-rc.1", "v1.9", "chart-3.0.0", "2024", "x/v7.0.0")
)  # fmt: skip


@pytest.mark.parametrize(
    ("location", "repository", "expected"),
    [
        (
            "https://github.com/acme/w/releases/download/v1.9.0/w.yaml",
            "https://github.com/acme/w",
            "https://github.com/acme/w/releases/download/v1.10.2/w.yaml",
        ),
        (
            "https://raw.githubusercontent.com/acme/w/v1.9.0/crds/w-1.9.0.yaml",
            "https://github.com/acme/w",
            "https://raw.githubusercontent.com/acme/w/v1.10.2/crds/w-1.10.2.yaml",
        ),
        (
            "https://gitlab.com/acme/a/w/-/raw/chart-2.1.9/1.35/w.yaml",
            "https://gitlab.com/acme/a/w",
            "https://gitlab.com/acme/a/w/-/raw/chart-3.0.0/1.35/w.yaml",
        ),
        (
            "https://github.com/acme/w/raw/v1.20.0/w.yaml",
            "https://github.com/acme/w",
            "https://github.com/acme/w/raw/v1.20.0/w.yaml",
        ),
    ],
)
def test_an_address_gets_the_newest_tag_of_its_form(
    monkeypatch: pytest.MonkeyPatch, location: str, repository: str, expected: str
) -> None:
    asked: list[str] = []

    def tags(name: str, _: Any) -> Any:
        asked.append(name)
        return TAGS

    monkeypatch.setattr(newest, "git_tags", tags)
    assert newest.has_version(location)
    assert newest.newest_location(location) == expected
    assert asked == [repository]


def test_nobody_is_asked_for_a_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a program of the editor (GIT_ASKPASS), or of a repository that has the folder of
    temporary files."""
    owned = tmp_path / "owned"
    (tmp_path / "ask").write_text(f"#!/bin/sh\ntouch {owned}\necho a\n")
    (tmp_path / "ask").chmod(0o755)
    program = str(tmp_path / "ask")
    git = ["git", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "config", "core.askPass", program], check=True)
    for variable, value in (("SSH_ASKPASS", ""), ("GIT_ASKPASS", program)):
        monkeypatch.setenv(variable, value)
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        with serve() as server:
            server.answers = [answer(b"", 401, WWW_Authenticate='Basic realm="a"')] * 3
            with pytest.raises(SourceError):
                git_tags(server.url, 1_000_000)
        assert not owned.exists()


@pytest.mark.parametrize(
    "location", ["https://example.com/v1.0.0/crd.yaml", "https://github.com/a/b/raw/main/1.2.yaml"]
)  # fmt: skip
def test_an_address_without_a_tag_is_not_looked_up(location: str) -> None:
    with pytest.raises(SourceError):
        newest.newest_location(location)


HELM = """#!/bin/sh
echo "$@" >> "$HELM_CALLS"
case "$2 $3" in
    "crds --version=1.0.0") cat "$CHARTS/1.0.0.json" ;;
    "crds --version=1.1.0") cat "$CHARTS/1.1.0.json" ;;
    "chart --") printf 'apiVersion: v2\\nname: widgets\\nversion: 1.1.0\\n' ;;
    *) echo "Error: no such chart" >&2; exit 1 ;;
esac
"""


@pytest.fixture
def helm(run: Command) -> Path:
    """A program called helm that knows two versions of a chart; the file of its calls."""
    folder = run.folder / "bin"
    folder.mkdir()
    (folder / "helm").write_text(HELM)
    (folder / "helm").chmod(0o755)
    (folder / "1.0.0.json").write_bytes(widget_crd("colour"))
    (folder / "1.1.0.json").write_bytes(widget_crd("shape"))
    run.environment |= {
        "PATH": f"{folder}:{run.environment['PATH']}",
        "CHARTS": str(folder),
        "HELM_CALLS": str(run.folder / "calls"),
    }
    return run.folder / "calls"


CHART_PROJECT = """
[[generate]]
target = ["typescript"]
releases = ["1.35"]
kind = ["Widget"]
crds = ["oci://registry.example/charts/widgets:1.0.0"]
output = "out"
"""


@pytest.mark.nightly
def test_crds_of_a_chart_come_from_a_registry_by_the_users_helm(
    run: Command, helm: Path
) -> None:
    path = run.folder / "kubestencil.toml"
    path.write_text(CHART_PROJECT)
    assert run("render").returncode == 0
    module = run.folder / "out" / "example.com" / "v1.d.ts"
    assert "colour" in module.read_text()
    done = run("update")
    assert done.returncode == 0, done.stderr
    assert "- removed: `example.com/v1 WidgetSpec.colour`" in done.stdout
    assert "shape" in module.read_text()
    assert "widgets:1.1.0" in path.read_text()
    for call in helm.read_text().splitlines():
        assert call.endswith("-- oci://registry.example/charts/widgets"), call
    path.write_text(CHART_PROJECT.replace("1.0.0", "9.0.0"))
    failed = run("render", "--overwrite")
    assert failed.returncode in (1, 2)
    assert "no such chart" in failed.stderr


@pytest.mark.parametrize(
    "name", ["oci://-o", "oci://a/b:-x", "oci://a/b c", "oci://a/$(x)"]
)
def test_what_is_no_address_of_a_chart_is_refused(
    run: Command, helm: Path, name: str
) -> None:
    done = run("render", "1.35", "-t", "typescript", "--crds", name)
    assert done.returncode == 2
    assert "no address of a chart" in done.stderr
    assert not helm.exists()


def test_crds_of_a_chart_in_a_folder_are_those_below_crds(run: Command) -> None:
    chart = run.folder / "chart"
    for folder in (chart / "crds", chart / "templates", chart / "charts/sub/crds"):
        folder.mkdir(parents=True)
    (chart / "Chart.yaml").write_text("apiVersion: v2\nname: widgets\nversion: 1.0.0\n")
    (chart / "templates" / "a.yaml").write_text("{{ fail }}\n")
    (chart / "crds" / "a.json").write_bytes(widget_crd("colour"))
    other = definition("Gear", version("v1", {"type": "object"}, storage=True))
    (chart / "charts/sub/crds/a.json").write_text(json.dumps(other))
    done = run("render", "1.35", "-t", "typescript", "--crds", "chart", "-o", "out")
    assert done.returncode == 0, done.stderr
    text = (run.folder / "out/1.35/typescript/example.com/v1.d.ts").read_text()
    assert "colour" in text and "interface Gear" in text
    shutil.rmtree(chart / "crds")
    shutil.rmtree(chart / "charts")
    done = run("render", "1.35", "-t", "typescript", "--crds", "chart", "-o", "out")
    assert done.returncode == 2
    assert "without a folder crds/" in done.stderr


def test_a_lock_of_a_stranger_names_no_address_in_this_machine(
    run: Command,
) -> None:
    (run.folder / "kubestencil.toml").write_text(
        '[[generate]]\ntarget = ["rust"]\nreleases = ["1.35"]\noutput = "out"\n'
    )
    (run.folder / "kubestencil.lock").write_text(
        'kubestencil = "0"\n[releases]\n[documents."1.35"]\norigin = "a"\n'
        f'sha256 = "{"0" * 64}"\nurl = "http://127.0.0.1:1/"\n'
    )
    done = run("render")
    assert done.returncode == 2
    assert "is damaged" in done.stderr


def test_wrong_index_is_wrong_usage() -> None:
    with pytest.raises(UsageError):
        newest.newer_releases("ftp://example.com/stable.txt", [NEWEST])


def test_names_of_documents_mention_nobody_in_a_summary() -> None:
    name = "`@octocat ![x](https://x.y)"
    new = Lock(documents={name: LockedDocument("@a", "0" * 64)})
    text = summary(Lock(), new, {}, ["@octocat #1"], [], None)
    html = unescape(MarkdownIt().render(text))
    assert "@octocat #1" not in html and "<img" not in html
    assert "<code>'@octocat ![x](https://x.y)</code>" in html
