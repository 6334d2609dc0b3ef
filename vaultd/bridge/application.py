"""The routes behind the guard, the page's files, and the description of it all."""

from __future__ import annotations

import importlib.resources
import json
import mimetypes
from collections.abc import Iterable, Mapping

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from vaultd.bridge import problem
from vaultd.bridge.dispatch import JSON, Endpoint, endpoint
from vaultd.bridge.guard import PAGE
from vaultd.bridge.openapi import description
from vaultd.bridge.program import Program
from vaultd.bridge.routes import OPERATIONS
from vaultd.errors import VaultdError

INDEX = "index.html"


def application(program: Program) -> Starlette:
    """Return everything that is answered once the guard has let a request through."""
    application = Starlette(
        routes=[*_operations(program), _described(), *_page()],
        exception_handlers={
            VaultdError: problem.answer_error,
            HTTPException: problem.answer_http,
            TimeoutError: problem.answer_late,
            ClientDisconnect: _answer_nobody,
            Exception: problem.answer_bug,
        },
    )
    application.router.redirect_slashes = False  # "/v1/status/" is no route, and said to be none
    return application


def _operations(program: Program) -> Iterable[Route]:
    """Return one route for each path, which knows every method that is possible there."""
    for path in dict.fromkeys(op.path for op in OPERATIONS):
        there = [op for op in OPERATIONS if op.path == path]
        answering = {op.method: endpoint(op, program) for op in there}
        yield Route(path, _by_method(answering), methods=list(answering))


def _by_method(answering: Mapping[str, Endpoint]) -> Endpoint:
    async def answer(request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        return await answering[method](request)

    return answer


def _described() -> Route:
    content = json.dumps(description(OPERATIONS), ensure_ascii=False).encode()

    async def describe(_: Request) -> Response:
        return Response(content, media_type=JSON)

    return Route("/openapi.json", describe)


def _page() -> Iterable[Route]:
    """Return a route for every file of the page, each read once."""
    folder = importlib.resources.files("vaultd.bridge") / "page"
    if not folder.is_dir():
        return
    for file in sorted(folder.iterdir(), key=lambda each: each.name):
        if file.is_file():
            path = "/" if file.name == INDEX else f"{PAGE}{file.name}"
            yield Route(path, _file(file.name, file.read_bytes()))


def _file(name: str, content: bytes) -> Endpoint:
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    charset = "; charset=utf-8" if kind.startswith("text/") else ""

    async def answer(_: Request) -> Response:
        return Response(content, headers={"Content-Type": kind + charset})

    return answer


async def _answer_nobody(_: Request, __: Exception) -> Response:
    """Answer somebody who has gone already; the status is nowhere seen."""
    return Response(status_code=400)
