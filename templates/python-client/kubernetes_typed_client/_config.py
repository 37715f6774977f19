"""Where the API server is, and how to authenticate: kubeconfig files and Pods.

The rules are those of kubectl (client-go, tools/clientcmd).
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, quote, urlsplit

from ._errors import ConfigError

# Of the name of a header, https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2; the
# percent sign begins an escape.
_HEADER_CHARACTERS = "!#$&'*+-.^_`|~"
# Its password can have any characters.
_USER = re.compile(r"\A([A-Za-z0-9+.-]*://)?.*@", re.DOTALL)
_NO_TEXT = re.compile("[\0\ud800-\udfff]")
_SERVER_SCHEMES = frozenset(["http", "https"])
_PROXY_SCHEMES = frozenset(["http", "https", "socks5", "socks5h"])
# Of a user, any of which does without an auth-provider.
_CREDENTIALS = frozenset(
    [
        "client-certificate",
        "client-certificate-data",
        "exec",
        "token",
        "tokenFile",
        "username",
    ]
)
# Programs that print the credentials of an auth-provider. kubectl has removed all
# providers but oidc, which needs a browser once its refresh token has expired, and
# writes new tokens to the kubeconfig.
_PROVIDER_PROGRAMS = {
    "azure": "kubelogin",
    "gcp": "gke-gcloud-auth-plugin",
    "oidc": "kubectl oidc-login",
}
_SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


@dataclass(frozen=True, slots=True)
class ExecPlugin:
    """A program that prints credentials (client.authentication.k8s.io).

    ``cluster`` is what it is told about the cluster, None unless it asks for it;
    ``is_interactive`` says that it asks the user for something.
    """

    api_version: str
    command: str
    # These can have secrets.
    args: tuple[str, ...] = field(default=(), repr=False)
    env: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    install_hint: str = ""
    cluster: Mapping[str, Any] | None = field(default=None, repr=False)
    is_interactive: bool = False


@dataclass(frozen=True, slots=True)
class Config:
    """An API server and a user of it.

    ``certificate_authority``, ``client_certificate`` and ``client_key`` are PEM data.
    ``server_name`` is the name in the server's certificate, where that is not in its
    address. ``proxy`` is a URL; without one, that of the environment is used.
    ``impersonate`` are headers, names in lower case; a group is a header of its own.
    ``namespace`` is that of the context.
    """

    server: str
    certificate_authority: bytes | None = None
    insecure: bool = False
    server_name: str | None = None
    proxy: str | None = None
    client_certificate: bytes | None = None
    client_key: bytes | None = None
    token: str | None = None
    token_file: Path | None = None
    username: str | None = None
    password: str | None = None
    impersonate: tuple[tuple[str, str], ...] = ()
    plugin: ExecPlugin | None = None
    namespace: str = "default"

    def __repr__(self) -> str:
        return f"<Config of {_without_user(self.server)}>"


def load_config(context: str | None = None) -> Config:
    """The configuration of the environment, as kubectl finds it.

    The files in KUBECONFIG, otherwise ``~/.kube/config``; where there is none, and
    this is a Pod, that of its service account. Raises ConfigError without either.
    """
    paths = _default_paths()
    existing = [path for path in paths if path.is_file()]
    if existing:
        return load_kubeconfig(*existing, context=context)
    if "KUBERNETES_SERVICE_HOST" in os.environ and context is None:
        return load_in_cluster_config()
    raise ConfigError(
        f"no kubeconfig: {', '.join(map(str, paths))} (set KUBECONFIG, or pass a Config)"
    )


def _default_paths() -> list[Path]:
    names = os.environ.get("KUBECONFIG", "")
    paths = [Path(name) for name in names.split(os.pathsep) if name]
    return paths or [Path.home() / ".kube" / "config"]


def list_contexts(*paths: Path | str) -> list[str]:
    """The names of the contexts in kubeconfig files, by default those of the
    environment. Raises ConfigError where a file cannot be read."""
    existing = paths or [path for path in _default_paths() if path.is_file()]
    files = [_read_file(Path(path)) for path in existing]
    return list(dict.fromkeys(name for file in files for name in file.contexts))


def load_in_cluster_config(folder: Path = _SERVICE_ACCOUNT) -> Config:
    """The configuration of a Pod's service account; its token is read when it changes.

    Raises ConfigError outside of a Pod.
    """
    host = os.environ.get("KUBERNETES_SERVICE_HOST", "")
    port = os.environ.get("KUBERNETES_SERVICE_PORT", "")
    token = folder / "token"
    if not host or not port or not token.is_file():
        raise ConfigError(f"not in a Pod with a service account: no {token}")
    host = f"[{host}]" if ":" in host else host
    namespace = folder / "namespace"
    return Config(
        server=f"https://{host}:{port}",
        certificate_authority=_read(folder / "ca.crt"),
        token_file=token,
        namespace=namespace.read_text().strip() if namespace.is_file() else "default",
    )


def load_kubeconfig(*paths: Path | str, context: str | None = None) -> Config:
    """The configuration in kubeconfig files, for ``context`` or the current one.

    Of several files, the first with an entry of a name has it. Raises ConfigError with
    the file and the entry that is wrong.
    """
    return _load([_read_file(Path(path)) for path in paths], context)


def load_kubeconfig_from_dict(
    content: dict[str, Any], *, context: str | None = None
) -> Config:
    """The configuration in the content of a kubeconfig file, as ``load_kubeconfig``.

    Relative paths are those of the working directory.
    """
    return _load([_File(content, Path("kubeconfig"))], context)


def _load(files: Sequence[_File], context: str | None) -> Config:
    current = context or next(
        (file.current_context for file in files if file.current_context), ""
    )
    if not current:
        raise ConfigError(f"{files[0].path}: there is no current-context")
    chosen = _entry(files, "contexts", "context", current)
    cluster = _entry(files, "clusters", "cluster", chosen.text("cluster"))
    user_name = chosen.text("user")
    user = _entry(files, "users", "user", user_name) if user_name else _Entry({})
    token_file = user.path("tokenFile")
    if "auth-provider" in user.values and not _CREDENTIALS & user.values.keys():
        provider = user.values["auth-provider"]
        name = str(provider.get("name")) if isinstance(provider, dict) else ""
        program = _PROVIDER_PROGRAMS.get(name)
        example = f", such as {program}" if program else ""
        raise user.error(
            f"auth-provider {name}".rstrip(),
            "is not supported: name a program that prints credentials under exec"
            f"{example}",
        )
    proxy = cluster.text("proxy-url")
    return Config(
        server=cluster.url("server", split_server).rstrip("/"),
        certificate_authority=cluster.data("certificate-authority"),
        insecure=cluster.values.get("insecure-skip-tls-verify") is True,
        server_name=cluster.text("tls-server-name") or None,
        proxy=cluster.url("proxy-url", split_proxy) if proxy else None,
        client_certificate=user.data("client-certificate"),
        client_key=user.data("client-key"),
        token=None if token_file else user.text("token") or None,
        token_file=token_file,
        username=user.text("username") or None,
        password=user.text("password") or None,
        impersonate=tuple(_impersonation(user)),
        plugin=_plugin(user, cluster),
        namespace=chosen.text("namespace") or "default",
    )


@dataclass(frozen=True, slots=True)
class _Entry:
    """A cluster, user or context; ``where`` says in which file, under which name."""

    values: Mapping[str, Any]
    where: str = ""
    folder: Path = Path()

    def text(self, key: str) -> str:
        value = self.values.get(key)
        if value is not None and not isinstance(value, str):
            raise self.error(key, "must be a string")
        if value and _NO_TEXT.search(value):
            raise self.error(key, "must not have a null character, or half a character")
        return value or ""

    def url(self, key: str, split: Callable[[str], SplitResult]) -> str:
        """A URL that ``split`` accepts."""
        value = self.text(key)
        try:
            split(value)
        except ConfigError as error:
            raise self.error(key, str(error)) from error
        return value

    def path(self, key: str) -> Path | None:
        """A path, relative to the folder of the file."""
        value = self.text(key)
        return self.folder / value if value else None

    def data(self, key: str) -> bytes | None:
        """The content of a file: from ``key-data``, otherwise from the path ``key``."""
        encoded = self.text(f"{key}-data")
        if encoded:
            try:
                return base64.b64decode("".join(encoded.split()), validate=True)
            except ValueError as error:
                raise self.error(f"{key}-data", "is not base64") from error
        path = self.path(key)
        return _read(path) if path else None

    def error(self, key: str, message: str) -> ConfigError:
        return ConfigError(f"{self.where}: {key} {message}")


class _File:
    """A kubeconfig file."""

    def __init__(self, content: Any, path: Path) -> None:
        if not isinstance(content, dict):
            raise ConfigError(f"{path}: must be an object")
        self._content = content
        self.path = path

    @property
    def current_context(self) -> str:
        value = self._content.get("current-context")
        return value if isinstance(value, str) else ""

    @property
    def contexts(self) -> list[str]:
        """The names of all contexts."""
        entries = self._content.get("contexts")
        names = [
            item.get("name")
            for item in (entries if isinstance(entries, list) else ())
            if isinstance(item, dict)
        ]
        return [name for name in names if isinstance(name, str)]

    def entry(self, key: str, kind: str, name: str) -> _Entry | None:
        """The entry of a name in the list ``key``."""
        entries = self._content.get(key)
        for item in entries if isinstance(entries, list) else ():
            if isinstance(item, dict) and item.get("name") == name:
                values = item.get(kind)
                where = f"{self.path}: {kind} {name!r}"
                if not isinstance(values, dict):
                    raise ConfigError(f"{where}: must be an object")
                return _Entry(values, where, self.path.absolute().parent)
        return None


def _read_file(path: Path) -> _File:
    import yaml

    try:
        return _File(yaml.safe_load(_read(path)), path)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        # The message of PyYAML has lines of the file, which can be secrets.
        problem = error.problem if isinstance(error, yaml.MarkedYAMLError) else error
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark else path
        raise ConfigError(f"{where}: not valid YAML: {problem}") from None


def _entry(files: Sequence[_File], key: str, kind: str, name: str) -> _Entry:
    for file in files:
        entry = file.entry(key, kind, name)
        if entry is not None:
            return entry
    paths = ", ".join(str(file.path) for file in files)
    raise ConfigError(f"{paths}: there is no {kind} {name!r}")


def _impersonation(user: _Entry) -> list[tuple[str, str]]:
    headers = []
    for key, header in (("as", "impersonate-user"), ("as-uid", "impersonate-uid")):
        if user.text(key):
            headers.append((header, user.text(key)))
    groups = user.values.get("as-groups")
    for group in groups if isinstance(groups, list) else ():
        headers.append(("impersonate-group", str(group)))
    extra = user.values.get("as-user-extra")
    for key, values in extra.items() if isinstance(extra, dict) else ():
        # As client-go does: a key is in lower case, and its other characters escaped.
        name = f"impersonate-extra-{quote(str(key).lower(), safe=_HEADER_CHARACTERS, errors='replace')}"
        for value in values if isinstance(values, list) else ():
            headers.append((name, str(value)))
    return headers


def _plugin(user: _Entry, cluster: _Entry) -> ExecPlugin | None:
    """The program that prints a user's credentials, if there is one."""
    values = user.values.get("exec")
    if values is None:
        return None
    if not isinstance(values, dict):
        raise user.error("exec", "must be an object")
    entry = _Entry(values, f"{user.where}: exec", user.folder)
    if not entry.text("command"):
        raise entry.error("command", "is missing")
    args, env = values.get("args") or (), values.get("env") or ()
    if not isinstance(args, Sequence) or isinstance(args, str):
        raise entry.error("args", "must be a list")
    try:
        variables = tuple((str(item["name"]), str(item["value"])) for item in env)
    except (KeyError, TypeError) as error:
        raise entry.error("env", "must be a list with names and values") from error
    extensions = cluster.values.get("extensions")
    config = next(
        (
            item.get("extension")
            for item in (extensions if isinstance(extensions, list) else ())
            if isinstance(item, dict)
            and item.get("name") == "client.authentication.k8s.io/exec"
        ),
        None,
    )
    keys = ("server", "tls-server-name", "insecure-skip-tls-verify", "proxy-url")
    told = {key: cluster.values[key] for key in keys if key in cluster.values}
    authority = cluster.data("certificate-authority")
    if authority:
        told["certificate-authority-data"] = base64.b64encode(authority).decode()
    if config is not None:
        told["config"] = config
    command = entry.text("command")
    # As kubectl does: a path is relative to the file, a name is looked up in PATH.
    has_folder = os.sep in command or "/" in command
    return ExecPlugin(
        api_version=entry.text("apiVersion"),
        command=str(user.folder / command) if has_folder else command,
        args=tuple(map(str, args)),
        env=variables,
        install_hint=entry.text("installHint"),
        cluster=told if values.get("provideClusterInfo") is True else None,
        is_interactive=values.get("interactiveMode") == "Always",
    )


def split_server(url: str) -> SplitResult:
    """The parts of the URL of an API server; raises ConfigError where it is none."""
    return _split(url, "is no http or https URL", _SERVER_SCHEMES)


def split_proxy(url: str) -> SplitResult:
    """The parts of the URL of a proxy; raises ConfigError where it is none."""
    return _split(url, "is no URL of a proxy (http, https or socks5)", _PROXY_SCHEMES)


def _split(url: str, mistake: str, schemes: Collection[str]) -> SplitResult:
    try:
        parts = urlsplit(url)
        is_valid = parts.scheme in schemes and parts.hostname and parts.port != 0
        is_valid = is_valid and url.isprintable()
    except ValueError as error:
        # The message about a port has its text, which can be part of a password.
        reason = "the port is no number" if "cast" in str(error) else str(error)
        raise ConfigError(f"{_without_user(url)!r} {mistake}: {reason}") from None
    if not is_valid:
        raise ConfigError(f"{_without_user(url)!r} {mistake}")
    return parts


def _without_user(url: str) -> str:
    """A URL without the name and password of a user."""
    return _USER.sub(r"\1", url)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
