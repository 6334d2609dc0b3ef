"""Who may ask at all: checked on every request before any route is looked up."""

from __future__ import annotations

from collections.abc import Iterable

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vaultd.bridge.keys import Keyring
from vaultd.bridge.operation import OPEN
from vaultd.bridge.problem import RefusedError, problem_of

HOSTS = ("127.0.0.1", "localhost", "[::1]")
STRANGE = "Pages from elsewhere are not answered: leave out `Origin`, or ask from Obsidian."
OBSIDIAN = "app://obsidian.md"  # the origin of the desktop app's window
PAGE = "/page/"  # the files of the page at "/"
METHODS = "GET, POST, DELETE"
PREFLIGHT_SECONDS = "600"
AUTHORIZATION = b"authorization"
BEARER = "bearer "

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)  # the page loads nothing from elsewhere, and nothing may frame it
ALWAYS = (
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"content-security-policy", POLICY.encode()),
)

log = structlog.get_logger()


class Guard:
    """Checks Host, then Origin, then the token, and adds the headers every answer has."""

    def __init__(self, app: ASGIApp, keyring: Keyring, *, port: int) -> None:
        self._app = app
        self._keyring = keyring
        self._hosts = frozenset(f"{host}:{port}" for host in HOSTS)
        self._origins = frozenset({OBSIDIAN, *(f"http://{host}" for host in self._hosts)})
        self._not_here = f"Name one `Host`: {', '.join(sorted(self._hosts))}."

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through to the routes, or answer why not."""
        if scope["type"] != "http":
            return  # the server is told to speak nothing else
        try:
            origin = self._checked(scope)
        except RefusedError as error:
            log.warning("request refused", reason=error.code)
            await problem_of(error).response()(scope, receive, _with(send, ALWAYS))
            return
        send = _with(send, [*ALWAYS, *_shared(origin)])
        if scope["method"] == "OPTIONS" and origin == OBSIDIAN:
            await send({"type": "http.response.start", "status": 204, "headers": _preflight()})
            await send({"type": "http.response.body", "body": b""})
            return
        try:
            self._check_token(scope)
        except RefusedError as error:
            log.warning("request refused", reason=error.code)
            await problem_of(error).response()(scope, receive, send)
            return
        await self._app(_without_key(scope), receive, send)

    def _checked(self, scope: Scope) -> str:
        """Return the origin, "" if there is none.

        Raises:
            RefusedError: the host or the origin is not one of ours.
        """
        hosts = _values(scope, b"host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            raise RefusedError(421, "host", self._not_here)
        origins = _values(scope, b"origin")
        if len(origins) > 1 or (origins and origins[0] not in self._origins):
            raise RefusedError(403, "origin", STRANGE)
        return origins[0] if origins else ""

    def _check_token(self, scope: Scope) -> None:
        method, path = scope["method"], scope["path"]
        method = "GET" if method == "HEAD" else method
        of_page = method == "GET" and (path == "/" or path.startswith(PAGE))
        if of_page or (method, path) in OPEN:
            return
        keys = _values(scope, AUTHORIZATION)
        presented = keys[0] if len(keys) == 1 else ""
        is_bearer = presented[: len(BEARER)].lower() == BEARER
        if not (is_bearer and self._keyring.opens(presented[len(BEARER) :].strip())):
            raise RefusedError(
                401,
                "token",
                "The token is missing or wrong: `vaultd token` prints it. Send it as "
                "`Authorization: Bearer …`.",
                {"WWW-Authenticate": "Bearer"},
            )


def _without_key(scope: Scope) -> Scope:
    """Return the request as the routes see it: without the token, which no log may show."""
    headers = [(key, value) for key, value in scope["headers"] if key.lower() != AUTHORIZATION]
    return {**scope, "headers": headers}


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


def _shared(origin: str) -> list[tuple[bytes, bytes]]:
    """Return the headers that let the desktop app's window read the answer."""
    if origin != OBSIDIAN:
        return []
    return [(b"access-control-allow-origin", OBSIDIAN.encode()), (b"vary", b"Origin")]


def _preflight() -> list[tuple[bytes, bytes]]:
    return [
        (b"access-control-allow-methods", METHODS.encode()),
        (b"access-control-allow-headers", b"Authorization, Content-Type, Last-Event-ID"),
        (b"access-control-max-age", PREFLIGHT_SECONDS.encode()),
    ]


def _with(send: Send, headers: Iterable[tuple[bytes, bytes]]) -> Send:
    added = list(headers)

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *added]
        await send(message)

    return sent
