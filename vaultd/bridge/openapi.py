"""The description of the interface (OpenAPI 3.1), made from the operations themselves."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Sequence
from http import HTTPStatus
from typing import Any

from pydantic import BaseModel, TypeAdapter

from vaultd import __version__
from vaultd.bridge.operation import Operation
from vaultd.bridge.problem import MEDIA_TYPE

REFERENCE = "#/components/schemas/{model}"
USUAL = (400, 401, 403, 421, 422, 500, 503, 504)  # what any request may meet
WITH_BODY = (413, 415)
ABOUT = (
    "The local interface of vaultd. It listens on this machine only, at the port that "
    "`bridge.json` in the vault's folder `.llm-wiki` names. Every route but `/health` and "
    "`/v1/pair` needs the key in the file `token` beside it (`vaultd token` prints it), as "
    "`Authorization: Bearer …`. A POST is sent with `Content-Type: application/json`, also "
    "without a body; fields that are not described are refused by name. Paths are named from the "
    "vault's root. Errors are problem details (RFC 9457) with a `code` for programs. Fields may "
    "be added to answers, none is renamed."
)
JOB_ENDS = {  # of the routes that wait for a job
    200: "The job is over, or held: `state` and `reason` say how.",
    202: "The job goes on: `GET /v1/jobs/{id}` and the events tell of its end.",
}

Schema = dict[str, Any]


class FieldFault(BaseModel):
    """A field that does not fit."""

    field: str
    message: str


class Problem(BaseModel):
    """What went wrong (RFC 9457).

    `code` is for programs, `detail` for people; the routes of the summary specification answer
    with the status as `code`, and with `msg`. `errors` names the fields that do not fit,
    `candidates` what may have been meant, `current` the hash of what is there now.
    """

    type: str
    title: str
    status: int
    detail: str
    code: str | int
    msg: str | None = None
    errors: list[FieldFault] | None = None
    candidates: list[str] | None = None
    current: str | None = None


def description(operations: Sequence[Operation]) -> Schema:
    """Return the whole description."""
    asked = [((op.name, "asked"), "validation", TypeAdapter(op.asks)) for op in operations]
    answered = [((op.name, "answered"), "serialization", op.answers) for op in operations]
    problem = [(("", "problem"), "serialization", TypeAdapter(Problem))]
    schemas, shared = TypeAdapter.json_schemas(
        [*asked, *answered, *problem],  # type: ignore[list-item]
        ref_template=REFERENCE,
    )
    shared = shared.get("$defs", {})
    paths: dict[str, Schema] = {}
    for op in operations:
        asks = _resolved(schemas[(op.name, "asked"), "validation"], shared)
        answers = schemas[(op.name, "answered"), "serialization"]
        path = re.sub(r":\w+}", "}", op.path)
        paths.setdefault(path, {})[op.method.lower()] = _operation(op, asks, answers)
    used = {op.asks.__name__ for op in operations if not op.has_body}
    return {
        "openapi": "3.1.0",
        "info": {"title": "vaultd", "version": __version__, "description": ABOUT},
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": {name: shared[name] for name in sorted(shared) if name not in used},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(op: Operation, asks: Schema, answers: Schema) -> Schema:
    documented = inspect.getdoc(op.run) or ""
    summary, _, more = documented.partition("\n\n")
    in_path = set(re.findall(r"{(\w+)", op.path))
    described: Schema = {
        "operationId": op.name,
        "summary": " ".join(summary.split()),
        "responses": _responses(op, answers),
    }
    if more.strip():
        described["description"] = more.strip()
    if op.open:
        described["security"] = []
    fields = asks.get("properties", {})
    needed = set(asks.get("required", ()))
    parameters = [
        _parameter(name, schema, in_path=name in in_path, needed=name in needed)
        for name, schema in fields.items()
        if name in in_path or not op.has_body
    ]
    if parameters:
        described["parameters"] = parameters
    if op.has_body:
        described["requestBody"] = _body(asks, in_path)
    return described


def _parameter(name: str, schema: Schema, *, in_path: bool, needed: bool) -> Schema:
    place = "path" if in_path else "query"
    parameter: Schema = {"name": name, "in": place, "schema": _plain(schema)}
    if text := schema.get("description"):
        parameter["description"] = text
    parameter["required"] = in_path or needed
    if schema.get("type") == "array":
        parameter |= {"style": "form", "explode": False}
    return parameter


def _plain(schema: Schema) -> Schema:
    """Return the schema of a field that cannot be null in an address, only left out."""
    kinds = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
    plain = kinds[0] | {k: v for k, v in schema.items() if k != "anyOf"} if kinds else schema
    return {key: value for key, value in plain.items() if (key, value) != ("default", None)}


def _body(asks: Schema, in_path: Iterable[str]) -> Schema:
    """Return the body's schema: the fields that do not stand in the path."""
    left_out = set(in_path)
    fields = {k: v for k, v in asks.get("properties", {}).items() if k not in left_out}
    needed = [name for name in asks.get("required", ()) if name not in left_out]
    schema = asks | {"properties": fields, "required": needed}
    if not needed:
        del schema["required"]
    return {"required": bool(needed), "content": {"application/json": {"schema": schema}}}


def _responses(op: Operation, answers: Schema) -> Schema:
    if op.streams:
        content: Schema = {"text/event-stream": {"schema": _event(answers), "x-data": answers}}
        about = "A stream; the schema is that of one event, `x-data` that of the JSON in its data."
        said = dict.fromkeys(op.statuses, about)
    else:
        content = {"application/json": {"schema": answers}}
        said = JOB_ENDS if len(op.statuses) > 1 else {}
    responses: Schema = {
        str(int(status)): {
            "description": said.get(status, HTTPStatus(status).phrase),
            "content": content,
        }
        for status in op.statuses
    }
    failing = sorted({*USUAL, *op.fails, *(WITH_BODY if op.has_body else ())})
    problem = {MEDIA_TYPE: {"schema": {"$ref": REFERENCE.format(model="Problem")}}}
    for status in failing:
        responses.setdefault(
            str(status), {"description": HTTPStatus(status).phrase, "content": problem}
        )
    return responses


def _event(answers: Schema) -> Schema:
    """Return the schema of one server-sent event."""
    text = {"type": "string"}
    data = {**text, "contentMediaType": "application/json", "contentSchema": answers}
    return {
        "type": "object",
        "properties": {"event": text, "id": text, "data": data},
        "required": ["data"],
    }


def _resolved(schema: Schema, shared: Schema) -> Schema:
    reference = schema.get("$ref")
    return shared[reference.rpartition("/")[2]] if reference else schema
