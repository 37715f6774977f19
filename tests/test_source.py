"""Where specs come from, and what is said when they cannot be had."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from kubestencil.errors import SourceError, SpecError, UsageError
from kubestencil.source import available, decode, embedded, locate, remote
from kubestencil.source.releases import ListedRelease
from tests.conftest import RELEASES, SMALL, document, full_specs, load

LOST = {
    # kubernetes-validate does not keep the descriptions of these two.
    "io.k8s.apimachinery.pkg.api.resource.Quantity",
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
}


@pytest.mark.skipif(full_specs() is None, reason="KUBESTENCIL_SPECS is not set")
@pytest.mark.parametrize("release", ["1.29", "1.33", "1.34", "1.35"])
def test_undone_the_embedded_spec_is_upstreams(release: str) -> None:
    ours, theirs = load(release), load(release, full_specs())
    assert list(ours.definitions) == list(theirs.definitions)
    for name, definition in theirs.definitions.items():
        raw = dict(definition.schema.raw)
        if name in LOST:
            del raw["description"]
        assert ours.definitions[name].schema.raw == raw


def test_every_release_of_the_list_is_embedded() -> None:
    assert set(RELEASES) <= set(available(None))


def test_an_undo_step_that_never_applies_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A newer package may convert differently: then nobody may print its output."""

    def gone(_: object) -> bool:
        return False

    monkeypatch.setattr(embedded, "_STEPS", (gone,))
    with pytest.raises(SourceError, match="gone never applied"):
        embedded.read("1.35").document()


def test_a_folder_goes_before_what_is_embedded(tmp_path: Path) -> None:
    (tmp_path / "1.35.yaml").write_text("swagger: '2.0'")
    assert locate("1.35", tmp_path).origin == str(tmp_path / "1.35.yaml")
    (tmp_path / "1.35.json").write_text("{}")
    assert locate("1.35", tmp_path).origin == str(tmp_path / "1.35.json")
    assert "kubernetes-validate" in locate("1.34", tmp_path).origin


def test_yaml_is_read_as_json_is() -> None:
    import yaml

    text = yaml.safe_dump(document(SMALL))
    assert decode(text.encode(), "x.yaml") == document(SMALL)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b'{"swagger": "2.0", "definitions": {"a', "ends before its JSON does"),
        (b'{"swagger": nope}', "is not JSON"),
        (b"[1, 2]", "holds a list"),
        (b'{"a": NaN}', "NaN is not a JSON number"),
        (b"\xff\xfe\x00", "is not UTF-8"),
        (b'{"a": "\\ud800"}', "half a surrogate pair"),
        (b"a: [b", "neither JSON nor YAML"),
        (b"a: &x [*x]", "is not JSON written as YAML"),
        (b"just words", "holds text"),
        (b"[" * 200_000, "is not JSON"),
    ],
)
def test_bytes_that_are_no_document(data: bytes, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        decode(data, "spec.json")


def test_a_pair_of_surrogates_is_a_character() -> None:
    assert decode(b'{"a": "\\ud83d\\ude00"}', "x") == {"a": "\N{GRINNING FACE}"}


class Answers(BaseHTTPRequestHandler):
    """A server on loopback that does what the path says."""

    body = json.dumps(document(SMALL)).encode()
    calls: dict[str, int]

    def do_GET(self) -> None:
        count = self.calls[self.path] = self.calls.get(self.path, 0) + 1
        if self.path == "/missing":
            self.send_error(404)
        elif self.path == "/flaky" and count < 3:
            self.send_error(503)
        elif self.path == "/moved":
            self.send_response(302)
            self.send_header("location", "http://example.invalid/swagger.json")
            self.end_headers()
        else:
            self.send_response(200)
            length = len(self.body)
            length = 10**12 if self.path == "/huge" else length
            length = length + 50 if self.path == "/cut" else length
            self.send_header("content-length", str(length))
            self.end_headers()
            self.wfile.write(self.body)

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


@contextmanager
def server() -> Iterator[str]:
    Answers.calls = {}
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as http:
        thread = threading.Thread(target=http.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{http.server_port}"
        finally:
            http.shutdown()
            thread.join()


def silent(received: int, expected: int) -> None:
    """No progress to show."""


def accept(source: object) -> None:
    """Nothing to complain about."""


def test_a_document_from_a_server_on_this_machine() -> None:
    with server() as address:
        source = remote.read(f"{address}/flaky", "cluster")
        assert source.document() == document(SMALL)
        assert Answers.calls["/flaky"] == 3, "a busy server is asked again"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/missing", "404"),
        ("/huge", "bytes"),
        ("/cut", "cannot be downloaded"),
    ],
)
def test_downloads_that_fail_leave_nothing(
    tmp_path: Path, path: str, message: str
) -> None:
    with server() as address:
        row = ListedRelease("1.35", address + path, None)
        with pytest.raises(SourceError, match=message):
            remote.fetch(row, tmp_path / "specs", silent, accept)
    assert not (tmp_path / "specs").exists()


def test_a_redirect_may_not_leave_https() -> None:
    with server() as address, pytest.raises((UsageError, SourceError)):
        remote.download(f"{address}/moved", silent)


def test_fetch_checks_the_digest_and_the_document(tmp_path: Path) -> None:
    digest = hashlib.sha256(Answers.body).hexdigest()
    seen: list[object] = []
    with server() as address:
        row = ListedRelease("1.35", f"{address}/x", digest)
        path = remote.fetch(row, tmp_path, silent, seen.append)
        assert path.read_bytes() == Answers.body
        assert len(seen) == 1

        wrong = ListedRelease("1.34", f"{address}/x", "0" * 64)
        with pytest.raises(SourceError, match="is on record"):
            remote.fetch(wrong, tmp_path, silent, accept)

        def refuse(_: object) -> None:
            raise SpecError("is not valid")

        with pytest.raises(SpecError):
            remote.fetch(
                ListedRelease("1.33", f"{address}/x", None), tmp_path, silent, refuse
            )
    assert [each.name for each in tmp_path.iterdir()] == ["1.35.json"]


@pytest.mark.parametrize("place", ["ftp://x/y", "http://example.com/x", "file:///x"])
def test_only_https_is_read(place: str) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        remote.read(place, "x")


def test_no_network_is_said_plainly() -> None:
    with pytest.raises(SourceError) as caught:
        remote.download("https://127.0.0.1:9/swagger.json", silent)
    assert "embedded specs" in caught.value.hint
