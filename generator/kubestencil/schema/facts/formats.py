"""The formats of texts that limits name: names, keys, addresses, paths.

The syntax is that of k8s.io/apimachinery/pkg/util/validation and of Go's own packages.
Where it changed between releases, there are two formats, each with its releases in
``specs/limits.tsv``. An empty text is no matter of a format, but of ``min_length``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from ipaddress import ip_address
from typing import NamedTuple

_LABEL = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(?:\.{_LABEL})*"
_NAME = r"(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_PORT_NAME = r"(?:[0-9]+-)*[0-9]*[a-z][a-z0-9]*(?:-[a-z0-9]+)*"
# Neither "." nor what begins with "..".
_CONFIG_KEY = r"\.?[-_a-zA-Z0-9][-._a-zA-Z0-9]*"
_ENV_NAME = r"(?:[-_a-zA-Z]|\.[-_a-zA-Z0-9])[-._a-zA-Z0-9]*"
# Neither "." nor "..".
_PATH_SEGMENT = r"[^./%][^/%]*|\.[^./%][^/%]*|\.\.[^/%]+"
# A segment of a path that is not "..", and one that is not empty.
_STEP = r"(?:[^./][^/]*|\.|\.[^./][^/]*|\.\.[^/]+)"
_PATH = rf"{_STEP}?(?:/{_STEP}?)*"
_RELATIVE_PATH = rf"{_STEP}(?:/{_STEP}?)*"


class TextFormat(NamedTuple):
    """A format: what its texts are, for people, and whether a text is one.

    ``expression`` is a regular expression of its whole texts, limits of their length
    aside, in the syntax that ECMA 262, RE2 and Python share; empty where there is none.
    """

    meaning: str
    accepts: Callable[[str], bool]
    expression: str = ""


def _pattern(expression: str, longest: int | None = None) -> Callable[[str], bool]:
    match = re.compile(rf"(?:{expression})\Z", re.ASCII).match
    if longest is None:
        return lambda text: match(text) is not None
    return lambda text: len(text) <= longest and match(text) is not None


_is_label = _pattern(_LABEL, 63)
_is_subdomain = _pattern(_SUBDOMAIN, 253)
_is_name = _pattern(_NAME, 63)
_is_port_characters = _pattern(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?", 15)


def _is_qualified_name(text: str) -> bool:
    prefix, slash, name = text.rpartition("/")
    return _is_name(name) and (not slash or _is_subdomain(prefix))


def _is_port_name(text: str) -> bool:
    has_letter = any(character.isalpha() for character in text)
    return _is_port_characters(text) and has_letter and "--" not in text


def _is_address(text: str) -> bool:
    # Zeros before a number are read as decimal (k8s.io/utils/net, ParseIPSloppy).
    plain = re.sub(r"(?<![0-9A-Fa-f:])0+(?=\d)", "", text) if "." in text else text
    try:
        ip_address(plain)
    except ValueError:
        return False
    return "%" not in text


def _is_cidr(text: str) -> bool:
    address, slash, bits = text.partition("/")
    if not slash or not _is_address(address) or not re.fullmatch(r"[0-9]{1,3}", bits):
        return False
    return int(bits) <= (128 if ":" in address else 32)


def _is_config_key(text: str) -> bool:
    is_plain = re.fullmatch(r"[-._a-zA-Z0-9]+", text) is not None
    return is_plain and len(text) <= 253 and text != "." and not text.startswith("..")


def _has_no_backstep(text: str) -> bool:
    return ".." not in text.split("/")


def _is_ingress_host(text: str) -> bool:
    return _is_subdomain(text.removeprefix("*.")) and not _is_address(text)


def _is_subdomain_prefix(text: str) -> bool:
    # A dash at the end is right before the rest of a name.
    return _is_subdomain(text) or _is_subdomain(f"{text.removesuffix('-')}a")


def _is_ingress_path(text: str) -> bool:
    is_plain = not re.search(r"//|/\./|/\.\./|%2[fF]|/\.\.?\Z", text)
    return text.startswith("/") and is_plain


def _is_schedule(text: str) -> bool:
    text = re.sub(r"\A(?:TZ|CRON_TZ)=\S+ +", "", text)
    return text.startswith("@") or len(text.split()) == 5


def _is_domain_path(text: str) -> bool:
    domain, slash, path = text.partition("/")
    return bool(slash) and _is_subdomain(domain) and bool(path)


#: Formats by name.
FORMATS: Mapping[str, TextFormat] = {
    "dns-label": TextFormat(
        "lower case letters, digits and '-', up to 63 characters",
        _is_label,
        _LABEL,
    ),
    "dns-1035-label": TextFormat(
        "lower case letters, digits and '-', beginning with a letter, up to 63",
        _pattern(r"[a-z](?:[-a-z0-9]*[a-z0-9])?", 63),
        r"[a-z](?:[-a-z0-9]*[a-z0-9])?",
    ),
    "dns-subdomain": TextFormat(
        "labels of lower case letters, digits and '-', with dots between them",
        _is_subdomain,
        _SUBDOMAIN,
    ),
    "dns-subdomain-or-wildcard": TextFormat(
        "a DNS name, which may begin with '*.'",
        lambda text: _is_subdomain(text.removeprefix("*.")),
        rf"(?:\*\.)?{_SUBDOMAIN}",
    ),
    "fqdn": TextFormat(
        "a DNS name with at least two labels",
        lambda text: _is_subdomain(text) and "." in text,
        rf"{_LABEL}(?:\.{_LABEL})+",
    ),
    "fqdn-of-three": TextFormat(
        "a DNS name with at least three labels",
        lambda text: _is_subdomain(text) and text.count(".") > 1,
        rf"{_LABEL}(?:\.{_LABEL}){{2,}}",
    ),
    "qualified-name": TextFormat(
        "letters, digits, '-', '_' and '.', with a DNS name and '/' before it or not",
        _is_qualified_name,
        rf"(?:{_SUBDOMAIN}/)?{_NAME}",
    ),
    "qualified-name-with-prefix": TextFormat(
        "a DNS name, '/', and letters, digits, '-', '_' and '.'",
        lambda text: "/" in text and _is_qualified_name(text),
        rf"{_SUBDOMAIN}/{_NAME}",
    ),
    "label-value": TextFormat(
        "letters, digits, '-', '_' and '.', up to 63 characters",
        _is_name,
        _NAME,
    ),
    "port-name": TextFormat(
        "up to 15 lower case letters, digits and '-', with a letter",
        _is_port_name,
        _PORT_NAME,
    ),
    "ip": TextFormat("an IP address", _is_address),
    "cidr": TextFormat("a range of addresses such as 10.0.0.0/8", _is_cidr),
    "c-identifier": TextFormat(
        "letters, digits and '_', not beginning with a digit",
        _pattern(r"[A-Za-z_][A-Za-z0-9_]*"),
        r"[A-Za-z_][A-Za-z0-9_]*",
    ),
    "env-name": TextFormat(
        "letters, digits, '_', '-' and '.', not beginning with a digit",
        lambda text: (
            re.fullmatch(r"[-._a-zA-Z][-._a-zA-Z0-9]*", text) is not None
            and text != "."
            and not text.startswith("..")
        ),
        _ENV_NAME,
    ),
    "relaxed-env-name": TextFormat(
        "printable ASCII characters but '='",
        _pattern(r"[ -<>-~]+"),
        r"[ -<>-~]+",
    ),
    "config-key": TextFormat(
        "letters, digits, '-', '_' and '.'", _is_config_key, _CONFIG_KEY
    ),
    "path-segment": TextFormat(
        "a name without '/' and '%' that is not '.' or '..'",
        lambda text: text not in (".", "..") and not re.search("[/%]", text),
        _PATH_SEGMENT,
    ),
    "absolute-path": TextFormat(
        "a path that begins with '/'",
        lambda text: text.startswith("/"),
        r"/[\s\S]*",
    ),
    "relative-path": TextFormat(
        "a path that does not begin with '/', without '..'",
        lambda text: not text.startswith("/") and _has_no_backstep(text),
        _RELATIVE_PATH,
    ),
    "path-without-backstep": TextFormat("a path without '..'", _has_no_backstep, _PATH),
    "path-without-colon": TextFormat(
        "a path without ':'",
        lambda text: ":" not in text,
        r"[^:]*",
    ),
    "ingress-host": TextFormat(
        "a DNS name, which may begin with '*.', and no address", _is_ingress_host
    ),
    "ingress-path": TextFormat(
        "a path that begins with '/', without '//', '.' and '..'", _is_ingress_path
    ),
    "dns-subdomain-prefix": TextFormat(
        "the beginning of a DNS name", _is_subdomain_prefix
    ),
    "driver-name": TextFormat(
        "letters, digits, '-' and '.', up to 63 characters",
        lambda text: len(text) <= 63 and _is_subdomain(text.lower()),
    ),
    "schedule": TextFormat("five fields, or a word such as @daily", _is_schedule),
    "domain-path": TextFormat(
        "a DNS name, '/', and a path", _is_domain_path, rf"{_SUBDOMAIN}/[\s\S]+"
    ),
}
