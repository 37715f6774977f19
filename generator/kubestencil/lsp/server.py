"""Answers an editor over standard input and output, with pygls."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lsprotocol import types
from pygls.uris import to_fs_path
from pygls.workspace import TextDocument

from kubestencil.checking import Finding, Severity
from kubestencil.checking.findings import MAX_FINDINGS, most_severe
from kubestencil.checking.upgrade import Upgrade
from kubestencil.lsp.cursor import Cursor, cursor_at
from kubestencil.lsp.fields import CompletionWord, describe, suggest
from kubestencil.lsp.findings import Replacement, findings_in, replacements
from kubestencil.lsp.messages import EditorServer
from kubestencil.lsp.positions import Lines
from kubestencil.source.yaml import position_at
from kubestencil.version import __version__

_SEVERITIES: dict[Severity, types.DiagnosticSeverity] = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}
_MAX_SUGGESTIONS = 1_000
# Findings for which fixes are offered: each reads the text again.
_MAX_FIXED = 50
_MAX_KEY = 300
_DEFAULT_ENCODING = types.PositionEncodingKind.Utf16


def make_server(upgrade: Upgrade) -> EditorServer:
    """A server that checks the texts of an editor against the releases of ``upgrade``.

    Called for each change, so that findings are those of the text that is shown.
    """
    server = EditorServer("kubestencil", __version__)
    shown: dict[str, Sequence[Finding]] = {}

    def document_of(uri: str) -> TextDocument | None:
        # pygls would read the file of a text that is not open, whatever it is.
        documents: dict[str, TextDocument] = server.workspace.text_documents
        return documents.get(unquote(uri))

    def lines_of(document: TextDocument) -> Lines:
        encoding = server.workspace.position_encoding
        return Lines(document.source, encoding or _DEFAULT_ENCODING)

    def publish(uri: str) -> None:
        document = document_of(uri)
        if document is None:
            return
        findings = findings_in(document.source, _path(document), upgrade)
        shown[uri] = most_severe(findings)
        lines = lines_of(document)
        diagnostics = [_diagnostic(finding, lines) for finding in shown[uri]]
        diagnostics += _others(len(findings) - len(diagnostics))
        server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, diagnostics, document.version)
        )

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        publish(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        publish(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        shown.pop(params.text_document.uri, None)

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions([types.CodeActionKind.QuickFix]),
    )
    def fixes(params: types.CodeActionParams) -> list[types.CodeAction]:
        uri = params.text_document.uri
        document = document_of(uri)
        if document is None:
            return []
        lines = lines_of(document)
        first, last = params.range.start.line + 1, params.range.end.line + 1
        fixable = (
            finding
            for finding in shown.get(uri, ())
            if first <= finding.line <= last and finding.fixes
        )
        return [
            _action(replacement, finding, document, lines)
            for finding in islice(fixable, _MAX_FIXED)
            for replacement in replacements(document.source, _path(document), finding)
        ]

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        cursor = cursor_in(params)
        text = describe(cursor, upgrade.after) if cursor else ""
        # Descriptions are texts of others: plain, they have no links and commands.
        content = types.MarkupContent(types.MarkupKind.PlainText, text)
        return types.Hover(content) if text else None

    @server.feature(types.TEXT_DOCUMENT_COMPLETION)
    def complete(params: types.CompletionParams) -> types.CompletionList:
        cursor = cursor_in(params)
        words = suggest(cursor, upgrade.after) if cursor else []
        line = params.position.line
        items = [_item(word, line) for word in words[:_MAX_SUGGESTIONS]]
        return types.CompletionList(len(words) > len(items), items)

    def cursor_in(params: types.HoverParams | types.CompletionParams) -> Cursor | None:
        document = document_of(params.text_document.uri)
        if document is None:
            return None
        lines = lines_of(document)
        return cursor_at(lines.texts, *lines.from_client(params.position))

    return server


def _path(document: TextDocument) -> str:
    """The path of a text, or its last part where it is in no file."""
    path = to_fs_path(document.uri) if urlsplit(document.uri).scheme == "file" else None
    name = path or Path(document.filename or "").name or "a.yaml"
    return name.replace("\0", "")


def _diagnostic(finding: Finding, lines: Lines) -> types.Diagnostic:
    row, column = finding.line - 1, finding.column - 1
    line = lines.texts[row] if row < len(lines.texts) else ""
    word = line[column : column + _MAX_KEY].split(" #")[0].rstrip()
    key = word.partition(":")[0]
    hint = f"\n{finding.hint}" if finding.hint else ""
    return types.Diagnostic(
        range=types.Range(
            lines.to_client(row, column), lines.to_client(row, column + len(key))
        ),
        message=f"{finding.message}{hint}",
        severity=_SEVERITIES[finding.severity],
        code=finding.rule_id,
        source="kubestencil",
    )


def _others(count: int) -> list[types.Diagnostic]:
    """Says at the start of a text how many findings are not shown."""
    message = (
        f"{count:,} findings are not shown: the limit is {MAX_FINDINGS:,} for a file, "
        "the most severe"
    )
    start = types.Position(0, 0)
    warning = types.DiagnosticSeverity.Warning
    shown = types.Diagnostic(
        types.Range(start, start), message, warning, source="kubestencil"
    )
    return [shown] if count else []


def _action(
    replacement: Replacement, finding: Finding, document: TextDocument, lines: Lines
) -> types.CodeAction:
    start, end = (
        lines.to_client(at.line - 1, at.column - 1)
        for at in (
            position_at(document.source, index, 1)
            for index in (replacement.start, replacement.end)
        )
    )
    edit = types.TextEdit(types.Range(start, end), replacement.new)
    return types.CodeAction(
        replacement.title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[_diagnostic(finding, lines)],
        edit=types.WorkspaceEdit(changes={document.uri: [edit]}),
        is_preferred=replacement.is_sure,
    )


def _item(word: CompletionWord, line: int) -> types.CompletionItem:
    """A word for the line of a cursor, above which its apiVersion is written."""
    kind = types.CompletionItemKind
    above = types.Range(types.Position(line, 0), types.Position(line, 0))
    edit = types.TextEdit(above, f"apiVersion: {word.api_version}\n")
    return types.CompletionItem(
        word.word,
        kind=kind.Field if word.is_field else kind.EnumMember,
        detail=f"{word.detail}, required" if word.is_required else word.detail,
        insert_text=f"{word.word}: " if word.is_field else word.word,
        # Required fields come first, and what is used most.
        sort_text=f"{not word.is_required:d}{99 - word.weight:02d}{word.word}",
        additional_text_edits=[edit] if word.api_version else None,
    )
