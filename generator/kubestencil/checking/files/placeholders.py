"""Texts that do not say what they stand for: placeholders of templates, references to
secrets, and ciphertext.

What is wrong with such a value is not known before something fills it in or decrypts it,
and no edit may touch it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import starmap
from typing import Any

#: Why a value is not checked.
PLACEHOLDER = "values with placeholders"
ENCRYPTED = "encrypted values"
#: Why a file or document is not read.
ENCRYPTED_FILE = "encrypted"

# Delimiters of Helm, Jinja and ERB.
_OF_TEMPLATES = (("{{", "}}"), ("{%", "%}"), ("<%", "%>"))
# What can be a part of a text: the above, and those of envsubst, Flux and shells, of Azure's
# replace-tokens, and of the Argo CD vault plugin. An expression for them, such as {{.*?}},
# would search to the end of the text from each beginning.
_OF_PARTS = (*_OF_TEMPLATES, ("${", "}"), ("#{", "}"), ("<path:", ">"))
# What is a placeholder only as the whole of a text.
_OF_WHOLES = (
    ("%{", "}"),
    ("@{", "}"),
    ("?{", "}"),
    ("[[", "]]"),
    ("((", "))"),
    ("($", ")"),
    ("<", ">"),
)
# Of sops and hiera-eyaml.
_OF_CIPHERTEXTS = (("ENC[", "]"),)


def _enclosed(opening: str, closing: str) -> str:
    """The pattern of what two delimiters enclose on a line."""
    ends = re.escape(opening[-1] + closing[0])
    return rf"{re.escape(opening)}[^{ends}\n]+{re.escape(closing)}"


def _any_of(*patterns: str) -> str:
    return f"(?:{'|'.join(patterns)})"


_BLANKS = r"[ \t\r\n]*"
# What has less to be known by: $(VAR) of kustomize, $VAR of envsubst, __VAR__, @VAR@ and
# %VAR% of sed and others. Inside of a text, names are in upper case and not part of words.
_NAMES = (
    r"\$\([A-Za-z_][\w.-]*\)|(?<![\w$])\$[A-Z_][A-Z0-9_]*(?!\w)"
    r"|(?<!\w)(?:__[A-Z][A-Z0-9_]*__|@[A-Z_][A-Z0-9_.-]*@|%[A-Z_][A-Z0-9_.-]*%)(?!\w)"
)
_NAMES_OF_WHOLES = (
    r"\$[A-Za-z_]\w*|__[A-Za-z]\w*__|@@?[A-Za-z_][\w.-]*@@?|%%?[A-Za-z_][\w.-]*%%?"
)
# What vals, 1Password and bank-vaults replace.
_REFERENCES = (
    r"(?:(?:secret)?ref\+[\w-]+|op)://[^ \t\r\n]+"
    r"|(?:>>)?(?:vault|bao):(?=[^ \t\r\n#:/]*/)[^ \t\r\n#:]+#[^ \t\r\n]+"
    r"|(?:gcp:secretmanager|azure:keyvault):[^ \t\r\n]+"
)
# Of jasypt, ejson, Vault and Spring; of Ansible, age and PGP.
_CIPHERTEXTS = r"ENC\(|EJ\[\d|vault:v\d+:|\{cipher\}"
_ARMOURS = (
    r"\$ANSIBLE_VAULT;|-----BEGIN (?:AGE ENCRYPTED FILE|PGP MESSAGE|PKCS7|CMS)-----"
)

#: The delimiters and regular expressions of this module, as Python (with ``re.ASCII``) and
#: JavaScript have them: the page of the site that checks manifests gets them.
DELIMITERS: Mapping[str, Sequence[tuple[str, str]]] = {
    "template": _OF_TEMPLATES,
    "part": _OF_PARTS,
    "ciphertext": _OF_CIPHERTEXTS,
}
PATTERNS: Mapping[str, str] = {
    "part": _NAMES,
    "whole": "^"
    + _BLANKS
    + _any_of(*starmap(_enclosed, _OF_WHOLES), _NAMES_OF_WHOLES, _REFERENCES)
    + _BLANKS
    + "$",
    # In lower case: what kubectl, Go and Helm print where there is no value, comparisons,
    # and classes of characters.
    "meant": rf"^{_BLANKS}(?:<(?:invalid|nil|no value|none|pending|unknown|unset)>|<[^a-z]|\[\[:)",
    "ciphertext": rf"^{_BLANKS}(?:{_CIPHERTEXTS}|{_ARMOURS})",
    # The beginnings of files that are encrypted as a whole: besides the above, those of
    # git-crypt, age and OpenSSL (transcrypt).
    "file": r"^(?:\x00GITCRYPT\x00|age-encryption\.org/|Salted__"
    rf"|(?:\xef\xbb\xbf)?{_BLANKS}(?:U2FsdGVkX1|{_ARMOURS}))",
    # @x@, %x% and [[ x ]] without quotes, which no YAML has, or has as a list.
    "unquoted": r"(?<![^\n])[ -]*(?:\w[\w./-]*: +)?"
    r"(?:@@?[A-Za-z_][\w.-]*@|%%?[A-Za-z_][\w.-]*%|\[\[[^\[\]\n]+\]\])",
}
_COMPILED = {name: re.compile(text, re.ASCII) for name, text in PATTERNS.items()}
# What an edit of a text must leave as it is, wherever it stands, by its first character.
_KEPT = re.compile(
    r"(?=[^\w\s\"':]|[E_]|\b[a-z])"
    + _any_of(
        *starmap(_enclosed, (*_OF_PARTS, *_OF_WHOLES, *_OF_CIPHERTEXTS)),
        *(_NAMES, _NAMES_OF_WHOLES, _REFERENCES, rf"(?:{_CIPHERTEXTS})\S*", _ARMOURS),
    ),
    re.ASCII,
)
# Bytes of a file.
_BEGINNING = 1000


def reason_unknown(value: Any) -> str:
    """Why it is not known what a value stands for: PLACEHOLDER or ENCRYPTED; empty of a
    value that is meant as it is. ``[[ X ]]`` without quotes is a list of lists."""
    if type(value) is list and len(value) == 1 and type(value[0]) is list:
        is_text = len(value[0]) == 1 and type(value[0][0]) is str
        return PLACEHOLDER if is_text else ""
    if type(value) is not str:
        return ""
    if _COMPILED["ciphertext"].match(value) or _has_any(value, _OF_CIPHERTEXTS):
        return ENCRYPTED
    is_placeholder = (
        _has_any(value, _OF_PARTS)
        or _COMPILED["part"].search(value)
        or (
            _COMPILED["whole"].match(value)
            and not _COMPILED["meant"].match(value.lower())
        )
    )
    return PLACEHOLDER if is_placeholder else ""


def has_placeholder(text: str) -> bool:
    """Whether something is still to be filled into a text (``${REPLICAS}``), or it has to
    be decrypted."""
    return bool(reason_unknown(text))


def kept_texts(text: str) -> list[str]:
    """The placeholders and ciphertexts in the text of a file, sorted: an edit may move
    one, but not change, add or remove it."""
    return sorted(_KEPT.findall(text))


def is_template(text: str) -> bool:
    """Whether a text that cannot be read has directives of a template language (of Helm,
    Jinja, ERB), or a placeholder that no YAML has."""
    return (
        _has_any(text, _OF_TEMPLATES) or _COMPILED["unquoted"].search(text) is not None
    )


def is_encrypted_file(data: bytes) -> bool:
    """Whether a file is encrypted as a whole, by the first bytes of it."""
    return _COMPILED["file"].match(data[:_BEGINNING].decode("latin-1")) is not None


def has_sops(document: Any) -> bool:
    """Whether sops has encrypted a document: it then has what is needed to decrypt it,
    and a code (``mac``) that covers all of its values."""
    block = document.get("sops") if isinstance(document, dict) else None
    return isinstance(block, dict) and not block.keys().isdisjoint(("mac", "version"))


def _has_any(text: str, delimiters: Sequence[tuple[str, str]]) -> bool:
    """Whether a text has an opening delimiter, and the closing one after it."""
    for opening, closing in delimiters:
        start = text.find(opening)
        if start >= 0 and text.find(closing, start + len(opening)) >= 0:
            return True
    return False
