"""The formats of texts that limits name: names, keys, addresses, paths.

The syntax is that of k8s.io/apimachinery/pkg/util/validation and of Go's own packages.
Where it changed between releases, there are two formats, each with its releases in
``specs/limits.tsv``. An empty text is no matter of a format, but of ``min_length``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
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
    ``longest`` is the number of characters that a text may have. ``check`` decides where
    there is no expression, or where parts of a text have limits of their length.
    ``example`` is a text of the format.
    """

    meaning: str
    expression: str = ""
    longest: int | None = None
    check: Callable[[str], bool] | None = None
    example: str = "string"

    def accepts(self, text: str) -> bool:
        """Whether a text, which is not empty, has the format."""
        if self.longest is not None and len(text) > self.longest:
            return False
        if self.check is not None:
            return self.check(text)
        return _compiled(self.expression).fullmatch(text) is not None


@cache
def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(expression, re.ASCII)


def _is_subdomain(text: str) -> bool:
    return FORMATS["dns-subdomain"].accepts(text)


def _is_wildcard(text: str) -> bool:
    return _is_subdomain(text.removeprefix("*."))


def _is_qualified_name(text: str) -> bool:
    prefix, slash, name = text.rpartition("/")
    is_name = FORMATS["label-value"].accepts(name)
    return is_name and (not slash or _is_subdomain(prefix))


def _is_qualified_with_prefix(text: str) -> bool:
    return "/" in text and _is_qualified_name(text)


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


def _is_ingress_host(text: str) -> bool:
    return _is_wildcard(text) and not _is_address(text)


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


def _is_driver_name(text: str) -> bool:
    return _is_subdomain(text.lower())


#: Formats by name.
FORMATS: Mapping[str, TextFormat] = {
    "dns-label": TextFormat(
        "lower case letters, digits and '-', up to 63 characters", _LABEL, 63
    ),
    "dns-1035-label": TextFormat(
        "lower case letters, digits and '-', beginning with a letter, up to 63",
        r"[a-z](?:[-a-z0-9]*[a-z0-9])?",
        63,
    ),
    "dns-subdomain": TextFormat(
        "labels of lower case letters, digits and '-', with dots between them",
        _SUBDOMAIN,
        253,
    ),
    "dns-subdomain-or-wildcard": TextFormat(
        "a DNS name, which may begin with '*.'",
        rf"(?:\*\.)?{_SUBDOMAIN}",
        check=_is_wildcard,
    ),
    "fqdn": TextFormat(
        "a DNS name with at least two labels",
        rf"{_LABEL}(?:\.{_LABEL})+",
        253,
        example="example.com",
    ),
    "fqdn-of-three": TextFormat(
        "a DNS name with at least three labels",
        rf"{_LABEL}(?:\.{_LABEL}){{2,}}",
        253,
        example="www.example.com",
    ),
    "qualified-name": TextFormat(
        "letters, digits, '-', '_' and '.', with a DNS name and '/' before it or not",
        rf"(?:{_SUBDOMAIN}/)?{_NAME}",
        check=_is_qualified_name,
    ),
    "qualified-name-with-prefix": TextFormat(
        "a DNS name, '/', and letters, digits, '-', '_' and '.'",
        rf"{_SUBDOMAIN}/{_NAME}",
        check=_is_qualified_with_prefix,
        example="example.com/string",
    ),
    "label-value": TextFormat(
        "letters, digits, '-', '_' and '.', up to 63 characters", _NAME, 63
    ),
    "port-name": TextFormat(
        "up to 15 lower case letters, digits and '-', with a letter", _PORT_NAME, 15
    ),
    "ip": TextFormat("an IP address", check=_is_address, example="192.0.2.1"),
    "cidr": TextFormat(
        "a range of addresses such as 10.0.0.0/8",
        check=_is_cidr,
        example="192.0.2.0/24",
    ),
    "c-identifier": TextFormat(
        "letters, digits and '_', not beginning with a digit", r"[A-Za-z_][A-Za-z0-9_]*"
    ),
    "env-name": TextFormat(
        "letters, digits, '_', '-' and '.', not beginning with a digit", _ENV_NAME
    ),
    "relaxed-env-name": TextFormat("printable ASCII characters but '='", r"[ -<>-~]+"),
    "config-key": TextFormat("letters, digits, '-', '_' and '.'", _CONFIG_KEY, 253),
    "path-segment": TextFormat(
        "a name without '/' and '%' that is not '.' or '..'", _PATH_SEGMENT
    ),
    "absolute-path": TextFormat(
        "a path that begins with '/'", r"/[\s\S]*", example="/string"
    ),
    "relative-path": TextFormat(
        "a path that does not begin with '/', without '..'", _RELATIVE_PATH
    ),
    "path-without-backstep": TextFormat("a path without '..'", _PATH),
    "path-without-colon": TextFormat("a path without ':'", r"[^:]*"),
    "ingress-host": TextFormat(
        "a DNS name, which may begin with '*.', and no address", check=_is_ingress_host
    ),
    "ingress-path": TextFormat(
        "a path that begins with '/', without '//', '.' and '..'",
        check=_is_ingress_path,
        example="/string",
    ),
    "dns-subdomain-prefix": TextFormat(
        "the beginning of a DNS name", check=_is_subdomain_prefix
    ),
    "driver-name": TextFormat(
        "letters, digits, '-' and '.', up to 63 characters",
        longest=63,
        check=_is_driver_name,
    ),
    "schedule": TextFormat(
        "five fields, or a word such as @daily", check=_is_schedule, example="0 0 * * *"
    ),
    "domain-path": TextFormat(
        "a DNS name, '/', and a path",
        rf"{_SUBDOMAIN}/[\s\S]+",
        check=_is_domain_path,
        example="example.com/string",
    ),
}
