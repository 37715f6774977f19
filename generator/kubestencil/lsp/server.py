"""Answers an editor over standard input and output, with pygls."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path
from pygls.workspace import TextDocument

from kubestencil.checking import Finding, Severity
from kubestencil.checking.upgrade import Upgrade
from kubestencil.lsp.cursor import Cursor, cursor_at
from kubestencil.lsp.fields import CompletionWord, describe, suggest
from kubestencil.lsp.findings import Replacement, findings_in, replacements
from kubestencil.version import __version__

_SEVERITIES: dict[Severity, types.DiagnosticSeverity] = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}
_MAX_SUGGESTIONS = 1_000


def make_server(upgrade: Upgrade) -> LanguageServer:
    """A server that checks the texts of an editor against the releases of ``upgrade``.

    Called for each change, so that findings are those of the text that is shown.
    """
    server = LanguageServer("kubestencil", __version__)
    found: dict[str, list[Finding]] = {}

    def publish(uri: str) -> None:
        document = server.workspace.get_text_document(uri)
        found[uri] = findings_in(document.source, _path(document), upgrade)
        server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(
                uri,
                [_diagnostic(finding, document) for finding in found[uri]],
                document.version,
            )
        )

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        publish(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        publish(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        found.pop(params.text_document.uri, None)

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions([types.CodeActionKind.QuickFix]),
    )
    def fixes(params: types.CodeActionParams) -> list[types.CodeAction]:
        document = server.workspace.get_text_document(params.text_document.uri)
        first, last = params.range.start.line + 1, params.range.end.line + 1
        return [
            _action(replacement, finding, document)
            for finding in found.get(document.uri, ())
            if first <= finding.line <= last and finding.fixes
            for replacement in replacements(document.source, _path(document), finding)
        ]

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        document = server.workspace.get_text_document(params.text_document.uri)
        cursor = _cursor(document, params.position)
        text = describe(cursor, upgrade.after) if cursor else ""
        # Descriptions are texts of others: plain, they have no links and commands.
        content = types.MarkupContent(types.MarkupKind.PlainText, text)
        return types.Hover(content) if text else None

    @server.feature(types.TEXT_DOCUMENT_COMPLETION)
    def complete(params: types.CompletionParams) -> types.CompletionList:
        document = server.workspace.get_text_document(params.text_document.uri)
        cursor = _cursor(document, params.position)
        words = suggest(cursor, upgrade.after) if cursor else []
        items = [_item(word) for word in words[:_MAX_SUGGESTIONS]]
        return types.CompletionList(len(words) > len(items), items)

    return server


def _path(document: TextDocument) -> str:
    return str(to_fs_path(document.uri) or Path(document.filename or "a.yaml"))


def _cursor(document: TextDocument, at: types.Position) -> Cursor | None:
    lines = document.lines
    position = document.position_codec.position_from_client_units(lines, at)
    texts = [line.rstrip("\r\n") for line in lines]
    if position.line >= len(texts):
        texts.append("")
    row = min(position.line, len(texts) - 1)
    return cursor_at(texts, row, position.character)


def _position(document: TextDocument, line: int, column: int) -> types.Position:
    """A place as clients count: ``line`` and ``column`` are from 0, in characters."""
    return document.position_codec.position_to_client_units(
        document.lines, types.Position(line, column)
    )


def _diagnostic(finding: Finding, document: TextDocument) -> types.Diagnostic:
    row, column = finding.line - 1, finding.column - 1
    line = document.lines[row] if row < len(document.lines) else ""
    word = line[column:].split(" #")[0].rstrip()
    key = word.partition(":")[0]
    hint = f"\n{finding.hint}" if finding.hint else ""
    return types.Diagnostic(
        range=types.Range(
            _position(document, row, column),
            _position(document, row, column + len(key)),
        ),
        message=f"{finding.message}{hint}",
        severity=_SEVERITIES[finding.severity],
        code=finding.rule_id,
        source="kubestencil",
    )


def _action(
    replacement: Replacement, finding: Finding, document: TextDocument
) -> types.CodeAction:
    source = document.source
    start, end = (
        _position(
            document,
            source.count("\n", 0, index),
            index - (source.rfind("\n", 0, index) + 1),
        )
        for index in (replacement.start, replacement.end)
    )
    edit = types.TextEdit(types.Range(start, end), replacement.new)
    return types.CodeAction(
        replacement.title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[_diagnostic(finding, document)],
        edit=types.WorkspaceEdit(changes={document.uri: [edit]}),
        is_preferred=replacement.is_sure,
    )


def _item(word: CompletionWord) -> types.CompletionItem:
    kind = types.CompletionItemKind
    return types.CompletionItem(
        word.word,
        kind=kind.Field if word.is_field else kind.EnumMember,
        detail=f"{word.detail}, required" if word.is_required else word.detail,
        insert_text=f"{word.word}: " if word.is_field else word.word,
        # Required fields come first.
        sort_text=f"{not word.is_required:d}{word.word}",
    )
