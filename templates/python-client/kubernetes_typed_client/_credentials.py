"""The headers and certificates that authenticate requests."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import threading
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from ._config import Config, ExecPlugin
from ._errors import ConfigError

_VERSIONS = frozenset(
    f"client.authentication.k8s.io/{version}" for version in ("v1", "v1beta1")
)
# Seconds. A token file is replaced long before its token expires.
_FILE_AGE = 60.0
# A credential is not used in the last seconds before it expires.
_MARGIN = 10.0
_PLUGIN_TIMEOUT = 120.0
_NOT_IN_HEADERS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")


Headers = tuple[tuple[str, str], ...]


class Certificate(NamedTuple):
    """A client certificate and its key, as PEM data."""

    certificate: bytes
    key: bytes

    def __repr__(self) -> str:
        return "<Certificate>"


class Credential(NamedTuple):
    """A token, a certificate, and the time (Unix) until which they can be used; the
    headers of requests with them, some of them several times."""

    token: str = ""
    certificate: Certificate | None = None
    expires: float | None = None
    headers: Headers = ()

    def __repr__(self) -> str:
        return "<Credential>"


class Credentials:
    """The credentials of a configuration, read and refreshed as needed.

    May be used by several threads. ``may_block`` says that a program is run for them.
    """

    def __init__(self, config: Config) -> None:
        self._config = config
        self._lock = threading.Lock()
        self._current: Credential | None = None
        self.may_block = config.plugin is not None

    def get(self, refused: Credential | None = None) -> Credential:
        """The credential of a request: a new one where that of the last time was
        ``refused``, unless another thread got one meanwhile.

        Raises ConfigError where there is none to be had.
        """
        with self._lock:
            current = self._current
            expires = current.expires if current else None
            is_expired = expires is not None and time.time() > expires
            if current is None or current is refused or is_expired:
                new = self._new()
                headers = (*self._config.impersonate, *self._authorization(new.token))
                current = self._current = new._replace(headers=headers)
        for name, value in current.headers:
            if _NOT_IN_HEADERS.search(value):
                # Without the value, which can be a secret.
                raise ConfigError(f"{name}: has a line break or control character")
        return current

    def _authorization(self, token: str) -> Headers:
        config = self._config
        token = token.strip()
        if token:
            return (("authorization", f"Bearer {token}"),)
        if config.username is not None and config.password is not None:
            pair = f"{config.username}:{config.password}".encode()
            basic = f"Basic {base64.b64encode(pair).decode()}"
            return (("authorization", basic),)
        return ()

    @property
    def certificate(self) -> Certificate | None:
        """The client certificate that belongs to the last credential."""
        config = self._config
        if config.client_certificate and config.client_key:
            return Certificate(config.client_certificate, config.client_key)
        return self._current.certificate if self._current else None

    def _new(self) -> Credential:
        config = self._config
        if config.token_file is not None:
            try:
                token = config.token_file.read_text().strip()
            except OSError as error:
                raise ConfigError(f"{config.token_file}: {error.strerror}") from error
            except UnicodeDecodeError as error:
                raise ConfigError(f"{config.token_file}: is not text") from error
            return Credential(token, expires=time.time() + _FILE_AGE)
        if config.token is not None:
            return Credential(config.token)
        if config.plugin is not None:
            return _run(config.plugin)
        return Credential()


def _run(plugin: ExecPlugin) -> Credential:
    """The credential that a program prints."""
    if plugin.api_version not in _VERSIONS:
        raise ConfigError(
            f"{plugin.command}: apiVersion {plugin.api_version!r} is not supported: "
            f"available: {', '.join(sorted(_VERSIONS))}"
        )
    if plugin.is_interactive:
        raise ConfigError(
            f"{plugin.command}: interactiveMode is Always, and it would have no terminal"
        )
    spec: dict[str, Any] = {"interactive": False}
    if plugin.cluster is not None:
        spec["cluster"] = plugin.cluster
    info = {"apiVersion": plugin.api_version, "kind": "ExecCredential", "spec": spec}
    try:
        process = subprocess.run(
            [plugin.command, *plugin.args],
            env={
                **os.environ,
                **dict(plugin.env),
                "KUBERNETES_EXEC_INFO": json.dumps(info),
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            timeout=_PLUGIN_TIMEOUT,
            check=True,
        )
    except (
        OSError,
        ValueError,
        TypeError,
        RecursionError,
        subprocess.SubprocessError,
    ) as error:
        hint = f" ({plugin.install_hint})" if plugin.install_hint else ""
        raise ConfigError(f"{plugin.command} failed: {_reason(error)}{hint}") from None
    try:
        return _read_credential(json.loads(process.stdout), plugin.api_version)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ConfigError(
            f"{plugin.command} printed no ExecCredential: {error}"
        ) from None


def _reason(error: Exception) -> str:
    """Why a program failed, without its arguments, which can be secrets."""
    if isinstance(error, subprocess.CalledProcessError):
        return f"exit code {error.returncode}"
    if isinstance(error, subprocess.TimeoutExpired):
        return f"it takes longer than {error.timeout:g} seconds"
    return str(error)


def _read_credential(value: Mapping[str, Any], api_version: str) -> Credential:
    """The credential in an ExecCredential. Raises ValueError where there is none."""
    if value["apiVersion"] != api_version:
        raise ValueError(f"its apiVersion is {value['apiVersion']!r}")
    status = value["status"]
    certificate, key = status.get("clientCertificateData"), status.get("clientKeyData")
    if bool(certificate) != bool(key):
        raise ValueError("it has a certificate or a key without the other")
    if not certificate and not status.get("token"):
        raise ValueError("it has neither a token nor a certificate")
    expires = status.get("expirationTimestamp")
    return Credential(
        token=str(status.get("token") or ""),
        certificate=(
            Certificate(certificate.encode(), key.encode())
            if certificate and key
            else None
        ),
        expires=_timestamp(expires) - _MARGIN if expires else None,
    )


def _timestamp(text: str) -> float:
    try:
        value = datetime.fromisoformat(text)
    except ValueError:  # Its message has the text.
        raise ValueError("its expirationTimestamp is no time") from None
    return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
