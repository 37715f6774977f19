"""Sources of documents, and the errors where one cannot be read."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from kubestencil.errors import SourceError, SpecError, UsageError
from kubestencil.source import available, decode, embedded, locate, remote
from kubestencil.source.inputs import read_location
from kubestencil.source.releases import (
    ListedRelease,
    ReleaseRange,
    expand_ranges,
    is_prerelease,
    is_version,
    newest_of,
    newest_release,
    release_name,
    release_order,
    version_in,
    version_name,
)
from tests.answering_server import answer, serve, status
from tests.conftest import RELEASES, SMALL, full_specs, load, make_document

# kubernetes-validate does not have the descriptions of these two.
WITHOUT_DESCRIPTION = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity",
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
}


@pytest.mark.skipif(full_specs() is None, reason="KUBESTENCIL_SPECS is not set")
@pytest.mark.parametrize("release", ["1.29", "1.33", "1.34", "1.35"])
def test_embedded_definitions_equal_the_published_ones(release: str) -> None:
    embedded_release, full_release = load(release), load(release, full_specs())
    assert list(embedded_release.definitions) == list(full_release.definitions)
    for name, definition in full_release.definitions.items():
        assert isinstance(definition.schema.raw, dict)
        raw = dict(definition.schema.raw)
        if name in WITHOUT_DESCRIPTION:
            del raw["description"]
        assert embedded_release.definitions[name].schema.raw == raw


def test_every_supported_release_is_embedded() -> None:
    assert set(RELEASES) <= set(available(None))


def test_a_clone_that_was_never_installed_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedded.releases.cache_clear()
    embedded.table.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(embedded, "data_file", tmp_path.joinpath)
        with pytest.raises(SourceError, match="pip install -e"):
            available(None)
    assert available(None)


def test_a_folder_takes_precedence_over_embedded_specs(tmp_path: Path) -> None:
    (tmp_path / "1.35.yaml").write_text("swagger: '2.0'")
    assert locate("1.35", tmp_path).origin == str(tmp_path / "1.35.yaml")
    (tmp_path / "1.35.json").write_text("{}")
    assert locate("1.35", tmp_path).origin == str(tmp_path / "1.35.json")
    assert "kubernetes-validate" in locate("1.34", tmp_path).origin


def test_yaml_and_json_decode_alike() -> None:
    import yaml

    text = yaml.safe_dump(make_document(SMALL))
    assert decode(text.encode(), "x.yaml") == make_document(SMALL)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (
            b'{"swagger": "2.0", "definitions": {"a',
            "is truncated: the JSON is not complete",
        ),
        (b'{"swagger": nope}', "is not JSON"),
        (b"[1, 2]", "is a list, not"),
        (b'{"a": NaN}', "NaN is not a JSON number"),
        (b'{"a": 1e999}', "1e999 is larger than a number of 64 bits"),
        (b"\xff\xfe\x00", "is not UTF-8"),
        (b'{"a": "\\ud800"}', "unpaired surrogate"),
        (b"a: [b", "is not YAML"),
        (b"a: &x [*x]", "anchor &x contains itself"),
        (b"a: 1\na: 2", "2:1: the key 'a' is duplicated"),
        (b"a: .inf", "inf is not a JSON number"),
        (b"a: 1\n---\nb: 2", "has 2 YAML documents, not one"),
        (b"# nothing", "is empty"),
        (b"just words", "is text, not"),
        (b"[" * 200_000, "is not JSON"),
    ],
)
def test_invalid_documents_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        decode(data, "spec.json")


def test_a_surrogate_pair_is_one_character() -> None:
    assert decode(b'{"a": "\\ud83d\\ude00"}', "x") == {"a": "\N{GRINNING FACE}"}


def no_progress(received: int, expected: int) -> None:
    """Show no progress."""


def accept(source: object) -> None:
    """Accept every document."""


def test_a_busy_server_is_asked_again() -> None:
    with serve() as server:
        server.answers = [*[status(503, "later")] * 2, answer(make_document(SMALL))]
        source = read_location(f"{server.url}/swagger.json", "cluster")
    assert source.document() == make_document(SMALL)


def test_redirects_are_followed_a_few_times() -> None:
    moved = answer(b"", 302, Location="/other")
    with serve() as server:
        server.answers = [*[moved] * 5, answer(b"{}")]
        assert remote.download(server.url, no_progress) == b"{}"
        server.answers = [moved] * 9
        with pytest.raises(SourceError, match="redirects more than 5 times"):
            remote.download(server.url, no_progress)
    assert len(server.answers) == 3


def test_an_unknown_host_is_named_without_the_words_of_a_library(
    tmp_path: Path,
) -> None:
    release = ListedRelease("1.35", "https://nowhere.invalid/x", None)
    with pytest.raises(SourceError, match=r"nowhere\.invalid") as caught:
        remote.fetch(release, tmp_path, no_progress, lambda _: None)
    assert "host=" not in str(caught.value)


def test_fetch_checks_the_digest_and_the_document(tmp_path: Path) -> None:
    body = json.dumps(make_document(SMALL)).encode()
    checked: list[object] = []
    with serve() as server:
        server.answers = [answer(body)] * 3
        sha256 = hashlib.sha256(body).hexdigest()
        release = ListedRelease("1.35", f"{server.url}/x", sha256)
        path = remote.fetch(release, tmp_path, no_progress, checked.append)
        assert path.read_bytes() == body
        assert len(checked) == 1

        changed = ListedRelease("1.34", f"{server.url}/x", "0" * 64)
        with pytest.raises(SourceError, match="not the recorded 0000"):
            remote.fetch(changed, tmp_path, no_progress, accept)

        def refuse(_: object) -> None:
            raise SpecError("is not valid")

        unrecorded = ListedRelease("1.33", f"{server.url}/x", None)
        with pytest.raises(SpecError):
            remote.fetch(unrecorded, tmp_path, no_progress, refuse)
    assert [path.name for path in tmp_path.iterdir()] == ["1.35.json"]


@pytest.mark.parametrize("url", ["ftp://x/y", "http://example.com/x", "file:///x"])
def test_only_https_urls_are_read(url: str) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        read_location(url, "x")


def test_without_a_network_the_hint_names_other_sources() -> None:
    with pytest.raises(SourceError) as caught:
        remote.download("https://127.0.0.1:9/swagger.json", no_progress)
    assert "embedded specs" in caught.value.hint


def test_releases_sort_by_number_and_other_names_last() -> None:
    names = ["my-cluster", "1.30", "1.9", "1.29"]
    assert sorted(names, key=release_order) == ["1.9", "1.29", "1.30", "my-cluster"]


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["1.31"], ["1.31"]),
        (["v1.31"], ["1.31"]),
        (["1.30..1.31", "1.29"], ["1.29", "1.30", "1.31"]),
        (["..1.30"], ["1.9", "1.29", "1.30"]),
        (["1.31.."], ["1.31", "1.32"]),
        ([".."], ["1.9", "1.29", "1.30", "1.31", "1.32"]),
        (["1.31", "1.31"], ["1.31"]),
    ],
)
def test_ranges_include_both_ends(arguments: list[str], names: list[str]) -> None:
    available = ["1.30", "1.29", "1.32", "1.31", "1.9"]
    assert expand_ranges(arguments, available) == names


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("1.33", "unknown release '1.33'"),
        ("1.29..1.33", "unknown release '1.33'"),
        ("1.30..1.29", "the range 1.30..1.29 is empty"),
    ],
)
def test_releases_that_are_not_available_are_refused(
    argument: str, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        expand_ranges([argument], ["1.29", "1.30"])


def test_a_release_name_is_a_plain_file_name() -> None:
    assert release_name("v1.35") == "1.35"
    assert release_name("my-cluster") == "my-cluster"
    for text in ("", "..", "a/b", "-x", "a\n", "x" * 101):
        with pytest.raises(UsageError, match="cannot be the name of a release"):
            release_name(text)


def test_versions_are_sorted_as_semantic_versions_are() -> None:
    names = (
        "1.9", "1.29", "1.30.2", "1.35.9", "1.35.10", "1.36.0-alpha.10",
        "1.36.0-beta.2", "1.36.0-rc.0", "1.36", "1.36.1", "my-cluster",
    )  # fmt: skip
    assert sorted(sorted(names), key=release_order) == list(names)
    assert all(map(is_version, names[:-1])) and not is_version(names[-1])
    assert [name for name in names if is_prerelease(name)] == list(names[5:8])
    assert release_order("v1.36.0")[:-1] == release_order("1.36")[:-1]


@pytest.mark.parametrize("name", ["1.35.2-gke.1", "v1.35.2-eks-0abc", "1.35.2+k3s1"])
def test_what_a_vendor_adds_to_a_version_is_no_pre_release(name: str) -> None:
    assert not is_version(name) and not is_prerelease(name)
    assert version_in(name) == "1.35.2"


def test_what_happens_in_a_minor_version_happens_in_its_patches_and_pre_releases() -> (
    None
):
    until, since = ReleaseRange.parse("1.29..1.31"), ReleaseRange.parse("1.99..")
    assert until.includes("1.31.9") and until.includes("1.29.0-rc.1")
    assert not until.includes("1.32.0-alpha.1")
    assert since.includes("1.99.0-beta.0") and not since.includes("1.98.9")
    patched = ReleaseRange.parse("1.35.4..")
    assert patched.includes("1.35.4") and patched.includes("1.36.0-alpha.1")
    assert not patched.includes("1.35") and not patched.includes("1.35.3")


def test_a_release_of_kubernetes_is_a_version() -> None:
    assert version_name("v1.35") == "1.35" and version_name("1.35.1") == "1.35.1"
    assert version_name("v1.99.0-beta.0") == "1.99.0-beta.0"
    for text in ("1.35.x", "1.35.0-eks.1", "latest-99", "my-cluster"):
        with pytest.raises(UsageError, match="not a release of Kubernetes"):
            version_name(text)


def test_a_pre_release_is_never_the_latest_and_in_no_range_but_as_its_end() -> None:
    names = [*RELEASES, "1.99.0-beta.0"]
    assert expand_ranges(["latest"], names, ["1.99.0-beta.0"]) == [newest_release()]
    assert expand_ranges([".."], names) == list(RELEASES)
    assert newest_of(names) == RELEASES[-1] and newest_of(names[-1:]) == names[-1]
    assert expand_ranges(["latest..1.99.0-beta.0"], names) == [RELEASES[-1], names[-1]]
    with pytest.raises(UsageError, match="unknown release"):
        expand_ranges(["1.99.0-beta.1"], names)


def test_a_patch_without_a_document_of_its_own_has_that_of_its_minor_version(
    tmp_path: Path,
) -> None:
    release = RELEASES[-1]
    source, other = locate(release, None), locate(f"{release}.7", None)
    assert (other.release, other.data) == (f"{release}.7", source.data)
    (tmp_path / f"{release}.7.json").write_text("{}")
    assert locate(f"{release}.7", tmp_path).data == b"{}"
