"""Texts that do not say what they stand for: placeholders of templates, references to
secrets, and ciphertext.

What is wrong with such a value is not known before something fills it in or decrypts it,
and no edit may touch it.
"""

from __future__ import annotations

import re
from typing import Any

#: Why a value is not checked.
PLACEHOLDER = "values with placeholders"
ENCRYPTED = "encrypted values"
#: Why a file or document is not read.
ENCRYPTED_FILE = "encrypted"

# The delimiters of Helm and Jinja, of ERB, of envsubst, Flux and shells, of Azure's
# replace-tokens, and of the Argo CD vault plugin. An expression for them, such as
# {{.*?}}, would search to the end of the text from each beginning.
_BRACES = ("{{", "}}")
_STATEMENT = ("{%", "%}")
_ERB = ("<%", "%>")
_DELIMITERS = (
    ("${", "}"),
    _BRACES,
    _ERB,
    ("#{", "}"),
    ("<path:", ">"),
)
# What has less to be known by: $(VAR) of kustomize, $VAR of envsubst, __VAR__, @VAR@ and
# %VAR% of sed and others. Inside of a text, names are in upper case and not part of words.
_NAMES = re.compile(
    r"\$\([A-Za-z_][\w.-]*\)|(?<![\w$])\$[A-Z_][A-Z0-9_]*(?!\w)"
    r"|(?<!\w)(?:__[A-Z][A-Z0-9_]*__|@[A-Z_][A-Z0-9_.-]*@|%[A-Z_][A-Z0-9_.-]*%)(?!\w)"
)
# The same as the whole of a text, in any case; %{x}, @{x}, [[ x ]], ((x)), <x>, ?{x}, and
# references that vals, 1Password and bank-vaults replace.
_WHOLE = re.compile(
    r"\s*(?:\$[A-Za-z_]\w*|__[A-Za-z]\w*__|@@?[A-Za-z_][\w.-]*@@?|%%?[A-Za-z_][\w.-]*%%?"
    r"|[%@?]\{[^{}]+\}|\[\[[^\[\]:][^\[\]]*\]\]|\(\([^()]+\)\)|<[A-Za-z][^<>\n]*>"
    r"|(?:(?:secret)?ref\+[\w-]+|op)://\S+|(?:>>)?(?:vault|bao):(?=[^\s#]*/)[^\s#]+#\S+"
    r"|(?:gcp:secretmanager|azure:keyvault):\S+)\s*\Z"
)
# What kubectl, Go and Helm print where there is no value.
_NO_VALUES = frozenset(
    ["<invalid>", "<nil>", "<no value>", "<none>", "<pending>", "<unknown>", "<unset>"]
)
# Of sops and hiera-eyaml, jasypt, ejson, Ansible, age, PGP, Vault and Spring.
_CIPHERTEXT = re.compile(
    r"\s*(?:ENC\(|EJ\[\d|\$ANSIBLE_VAULT;|vault:v\d+:|\{cipher\}"
    r"|-----BEGIN (?:AGE ENCRYPTED FILE|PGP MESSAGE)-----)"
)
# The beginnings of files that are encrypted as a whole: besides the above, those of
# git-crypt, age and OpenSSL (transcrypt).
_FILE = re.compile(
    rb"\0GITCRYPT\0|age-encryption\.org/|Salted__|(?:\xef\xbb\xbf)?\s*(?:U2FsdGVkX1"
    rb"|\$ANSIBLE_VAULT;|-----BEGIN (?:AGE ENCRYPTED FILE|PGP MESSAGE|PKCS7|CMS)-----)"
)
# @x@, %x% and [[ x ]] without quotes, which no YAML has, or has as a list.
_UNQUOTED = re.compile(
    r"^[ -]*(?:\w[\w./-]*:[ ]+)?"
    r"(?:@@?[A-Za-z_][\w.-]*@|%%?[A-Za-z_][\w.-]*%|\[\[[^\[\]\n]+\]\])",
    re.MULTILINE,
)
# What an edit of a text must leave as it is, wherever it stands.
_KEPT = re.compile(
    r"(?=[{$#%@\[<E_])(?:\{\{[^{}\n]*\}\}|[$#%@]\{[^{}\n]*\}|\[\[[^\[\]\n]*\]\]"
    rf"|<[^<>\n]+>|ENC\[[^\[\]\n]*\]|{_NAMES.pattern})"
)


def reason_unknown(value: Any) -> str:
    """Why it is not known what a value stands for: PLACEHOLDER or ENCRYPTED; empty of a
    value that is meant as it is. ``[[ X ]]`` without quotes is a list of lists."""
    if type(value) is list and len(value) == 1 and type(value[0]) is list:
        is_text = len(value[0]) == 1 and type(value[0][0]) is str
        return PLACEHOLDER if is_text else ""
    if type(value) is not str:
        return ""
    if _CIPHERTEXT.match(value) or _has(value, ("ENC[", "]")):
        return ENCRYPTED
    is_placeholder = (
        any(_has(value, delimiters) for delimiters in _DELIMITERS)
        or _NAMES.search(value)
        or (_WHOLE.match(value) and value.strip().lower() not in _NO_VALUES)
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
        any(_has(text, delimiters) for delimiters in (_BRACES, _STATEMENT, _ERB))
        or _UNQUOTED.search(text) is not None
    )


def is_encrypted_file(data: bytes) -> bool:
    """Whether a file is encrypted as a whole, by the first bytes of it."""
    return _FILE.match(data) is not None


def has_sops(document: Any) -> bool:
    """Whether sops has encrypted a document: it then has what is needed to decrypt it,
    and a code (``mac``) that covers all of its values."""
    block = document.get("sops") if isinstance(document, dict) else None
    return isinstance(block, dict) and not block.keys().isdisjoint(("mac", "version"))


def _has(text: str, delimiters: tuple[str, str]) -> bool:
    """Whether a text has the first delimiter, and the second one after it."""
    opening, closing = delimiters
    start = text.find(opening)
    return start >= 0 and text.find(closing, start + len(opening)) >= 0
