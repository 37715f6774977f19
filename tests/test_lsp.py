"""``kubestencil lsp`` answers a real client of the Language Server Protocol (that of
pygls), over the standard input and output of a real process."""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from lsprotocol import types
from pygls.lsp.client import LanguageClient

from kubestencil.checking.release import prepare
from kubestencil.checking.upgrade import Upgrade
from kubestencil.lsp.cursor import cursor_at
from kubestencil.lsp.fields import describe, suggest
from kubestencil.lsp.findings import findings_in, replacements
from kubestencil.text.yaml import dump_all
from tests.conftest import load
from tests.manifests import manifests

pytestmark = pytest.mark.nightly

FILES = 20


class EditorClient(LanguageClient):
    """An editor: it keeps the diagnostics of each text."""

    def __init__(self) -> None:
        super().__init__("test", "1")
        self.diagnostics: asyncio.Queue[types.PublishDiagnosticsParams] = (
            asyncio.Queue()
        )
        self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(
            lambda published: self.diagnostics.put_nowait(published)
        )

    async def open(self, uri: str, text: str) -> list[types.Diagnostic]:
        document = types.TextDocumentItem(uri, "yaml", 1, text)
        self.text_document_did_open(types.DidOpenTextDocumentParams(document))
        return await self._published(uri)

    async def change(self, uri: str, text: str) -> list[types.Diagnostic]:
        self.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(2, uri),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )
        return await self._published(uri)

    async def _published(self, uri: str) -> list[types.Diagnostic]:
        published = await asyncio.wait_for(self.diagnostics.get(), 60)
        assert published.uri == uri
        return list(published.diagnostics)

    async def fixes(self, uri: str, at: types.Range) -> list[types.CodeAction]:
        context = types.CodeActionContext([])
        found = await self.text_document_code_action_async(
            types.CodeActionParams(types.TextDocumentIdentifier(uri), at, context)
        )
        return [
            action for action in found or () if isinstance(action, types.CodeAction)
        ]

    async def hover(self, uri: str, line: int, column: int) -> str:
        found = await self.text_document_hover_async(
            types.HoverParams(
                types.TextDocumentIdentifier(uri), types.Position(line, column)
            )
        )
        if found is None:
            return ""
        assert isinstance(found.contents, types.MarkupContent)
        return found.contents.value

    async def words(self, uri: str, line: int, column: int) -> list[str]:
        found = await self.text_document_completion_async(
            types.CompletionParams(
                types.TextDocumentIdentifier(uri), types.Position(line, column)
            )
        )
        assert isinstance(found, types.CompletionList)
        return [item.label for item in found.items]


def in_editor(work: Callable[[EditorClient], Awaitable[None]], *options: str) -> None:
    """Do some work in an editor with a language server."""

    async def session() -> None:
        editor = EditorClient()
        command = ("-m", "kubestencil", "lsp", "--to", "1.35", *options)
        await editor.start_io(sys.executable, *command)
        await editor.initialize_async(
            types.InitializeParams(
                types.ClientCapabilities(
                    general=types.GeneralClientCapabilities(
                        position_encodings=[types.PositionEncodingKind.Utf16]
                    )
                )
            )
        )
        stop: Any = editor.stop
        try:
            await work(editor)
        finally:
            await editor.shutdown_async(None)
            editor.exit(None)
            await stop()

    asyncio.run(session())


def applied(text: str, action: types.CodeAction, uri: str) -> str:
    """A text after an editor applied an action."""
    assert action.edit and action.edit.changes
    (edit,) = action.edit.changes[uri]
    assert isinstance(edit, types.TextEdit)
    start, end = (_index(text, at) for at in (edit.range.start, edit.range.end))
    return text[:start] + edit.new_text + text[end:]


def _index(text: str, at: types.Position) -> int:
    lines = text.split("\n")
    line = lines[at.line].encode("utf-16-le")[: 2 * at.character]
    return sum(len(before) + 1 for before in lines[: at.line]) + len(
        line.decode("utf-16-le")
    )


def _objects() -> list[Mapping[str, Any]]:
    """Objects with a field in their spec, of different kinds."""
    kinds: dict[str, Mapping[str, Any]] = {}
    for value in manifests():
        spec = value.get("spec")
        if isinstance(spec, dict) and spec:
            kinds.setdefault(value["kind"], value)
    return list(kinds.values())[:FILES]


def test_a_misspelt_field_is_found_mended_described_and_completed(
    tmp_path: Path,
) -> None:
    objects = _objects()
    assert len(objects) == FILES

    async def work(editor: EditorClient) -> None:
        for number, value in enumerate(objects):
            uri = (tmp_path / f"{number}.yaml").as_uri()
            text = "# Größe: 𝄞\n" + dump_all([value])
            name = next(iter(value["spec"]))
            wrong = text.replace(f"\n  {name}:", f"\n  {name}x:", 1)
            before = await editor.open(uri, text)
            unknown = [
                finding
                for finding in await editor.change(uri, wrong)
                if finding.code == "unknown-field"
            ]
            assert [finding.code for finding in before].count("unknown-field") == 0
            assert len(unknown) == 1, (value["kind"], name)
            line = unknown[0].range.start.line
            assert wrong.split("\n")[line].startswith(f"  {name}x:")
            (action,) = [
                action
                for action in await editor.fixes(uri, unknown[0].range)
                if action.is_preferred
            ]
            assert applied(wrong, action, uri) == text
            assert name in await editor.words(uri, line, 4)
            assert await editor.hover(uri, line, 4) == ""
            assert await editor.change(uri, text) == before
            assert (await editor.hover(uri, line, 4)).startswith(f"{name}: ")

    in_editor(work)


_POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  restartPolicy: Never
  containers:
    - name: web
      image: web:1
      imagePullPolicy: x
      ports:
      - containerPort: 80
        protocol:
"""


def _at(text: str, mark: str) -> tuple[int, int]:
    """The line and column behind a mark that a text has once, both from 0."""
    before = text[: text.index(mark) + len(mark)]
    return before.count("\n"), len(before) - before.rfind("\n") - 1


@pytest.mark.parametrize(
    ("text", "mark", "expected", "excluded"),
    [
        (f"{_POD[:-1]} ", "protocol: ", ["TCP", "UDP", "SCTP"], ["hostPort"]),
        (_POD, "protocol:", [], ["TCP", "hostPort"]),
        (_POD, "imagePullPolicy: ", ["Always", "IfNotPresent", "Never"], []),
        (_POD.replace("Never", ""), "restartPolicy: ", ["OnFailure"], []),
        (_POD.replace("kind: Pod", "kind: "), "kind: ", ["Pod", "Service"], ["Deployment"]),
        ("kind: Deployment\napiVersion: ", "apiVersion: ", ["apps/v1"], ["v1"]),
        (_POD.replace("image: web:1", "im"), "im", ["image"], ["name", "ports"]),
        # A text that is no YAML yet.
        (f"{_POD}        \n", "protocol:\n        ", ["hostPort"], ["containerPort"]),
        (f"{_POD}  host\n", "  host", ["hostNetwork"], ["containers", "image"]),
        ("", "", ["apiVersion", "kind"], []),
        (f"{_POD}---\nki", "---\nki", ["kind"], ["spec"]),
    ],
)  # fmt: skip
def test_fields_values_and_kinds_are_completed(
    tmp_path: Path, text: str, mark: str, expected: list[str], excluded: list[str]
) -> None:
    async def work(editor: EditorClient) -> None:
        uri = (tmp_path / "a.yaml").as_uri()
        await editor.open(uri, text)
        words = set(await editor.words(uri, *_at(text, mark)))
        assert set(expected) <= words
        assert words.isdisjoint(excluded)

    in_editor(work)


def test_hover_has_default_allowed_values_and_since_when(tmp_path: Path) -> None:
    async def work(editor: EditorClient) -> None:
        uri = (tmp_path / "a.yaml").as_uri()
        await editor.open(uri, _POD)
        text = await editor.hover(uri, *_at(_POD, "restartPo"))
        assert "Default Always" in text
        assert "Always, Never or OnFailure" in text
        assert "Restart policy for all containers" in text
        kind = await editor.hover(uri, *_at(_POD, "kind: P"))
        assert "Served in 1.35" in kind
        newer = _POD.replace("restartPolicy: Never", "resources: {}")
        await editor.change(uri, newer)
        assert "Added in 1.32" in await editor.hover(uri, *_at(newer, "  resour"))

    in_editor(work)


_PARTS = (
    "\0", "\ud800", "&a", "*a", "<<: *a", "!!x", "\t", "- - -", "{", "}", "[", "'", '"',
    "|\n", "---\n", "...\n", "%YAML 9\n", "\u2028", "\U0001f600", "9" * 5_000, "? ",
    "? [a]: b\n", "\r\n", "null: 1\n", "kind: Pod\n", "#", "---",
)  # fmt: skip


@pytest.mark.nightly
def test_any_text_and_cursor_has_an_answer() -> None:
    """Half-written and hostile texts: findings, fixes and completion, or none."""
    manifest = "---\n".join(map(yaml.safe_dump, _objects()))
    upgrade = Upgrade(None, prepare(load("1.35")))
    for seed in range(300):
        source = random.Random(seed)
        start = source.randrange(len(manifest))
        text = manifest[start : start + source.randrange(1_500)]
        for _ in range(source.randrange(6)):
            at = source.randrange(len(text) + 1)
            part = source.choice(_PARTS) * source.choice((1, 1, 1, 40))
            text = text[:at] + part + text[at + source.randrange(4) :]
        for finding in findings_in(text, "a.yaml", upgrade)[:10]:
            assert all(
                replacement.start <= replacement.end <= len(text)
                for replacement in replacements(text, "a.yaml", finding)
            )
        lines = text.split("\n")
        for _ in range(3):
            row = source.randrange(len(lines))
            cursor = cursor_at(lines, row, source.randrange(len(lines[row]) + 2))
            if cursor is not None:
                describe(cursor, upgrade.after)
                suggest(cursor, upgrade.after)


def test_an_edit_goes_to_the_line_of_its_finding(tmp_path: Path) -> None:
    """Lines of an editor end at no more and no fewer characters than ours."""

    async def work(editor: EditorClient) -> None:
        for number, other in enumerate(("\u2028", "\x85", "\x0c", "\r", "\U0001f600")):
            text = (
                f"# a{other}# b\n---\napiVersion: v1\nkind: ConfigMap\n"
                "metadata: {name: a}\ndata: {\U0001f600: x, a: 1}\n"
            )
            uri = (tmp_path / f"{number}.yaml").as_uri()
            diagnostics = await editor.open(uri, text)
            (diagnostic,) = (one for one in diagnostics if one.code == "wrong-type")
            (action,) = await editor.fixes(uri, diagnostic.range)
            assert action.edit and action.edit.changes
            (edit,) = action.edit.changes[uri]
            assert isinstance(edit, types.TextEdit)
            # As the protocol says, a carriage return ends a line, too.
            start = types.Position(5 + (other == "\r"), 17)
            assert edit.range == types.Range(start, types.Position(start.line, 18))
            assert edit.new_text == '"1"'

    in_editor(work)


def test_kinds_are_proposed_by_use_with_their_version() -> None:
    upgrade = Upgrade(None, prepare(load("1.35")))
    cursor = cursor_at(["kind: D"], 0, 7)
    assert cursor is not None
    words = suggest(cursor, upgrade.after)
    names = [word.word for word in words]
    assert names.index("Deployment") < names.index("DeviceClass")
    assert {"DeploymentList", "Status", "APIGroup", "TokenReview"}.isdisjoint(names)
    assert "KubeletConfiguration" in names
    by_name = {word.word: word.api_version for word in words}
    assert by_name["Deployment"] == "apps/v1"
    cursor = cursor_at(["apiVersion: apps/v1", "kind: D"], 1, 7)
    assert cursor is not None
    assert {word.api_version for word in suggest(cursor, upgrade.after)} == {""}
