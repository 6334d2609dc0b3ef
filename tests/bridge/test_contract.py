"""The description and the code are one: whatever is sent, the answer is as described."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, assume, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.config import SchemathesisConfig
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from tests.bridge.conftest import Daemon
from vaultd.bridge.openapi import description
from vaultd.bridge.routes import OPERATIONS

FEW, MANY = 2, 150  # requests of each kind to one operation
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
REFUSALS = ["400", "401", "404", "405", "409", "413", "415", "422"]  # of what does not fit
DESCRIPTION = description(OPERATIONS)
SCHEMA = schemathesis.openapi.from_dict(
    DESCRIPTION,
    config=SchemathesisConfig.from_dict(
        {"checks": {"negative_data_rejection": {"expected-statuses": REFUSALS}}}
    ),
)
NAMES = [op.name for op in OPERATIONS if op.name != "stream_events"]  # it never ends


UNSENT: tuple[Any, ...] = (None, "", [], {}, [""])  # in an address these are the same as nothing


def is_sent(case: Any) -> bool:
    """Tell whether what does not fit gets onto the wire; the session's token always does."""
    header = case.meta.components.get(ParameterLocation.HEADER)
    query = dict(case.query or {}).values() if isinstance(case.query, dict | None) else ()
    return not (header and header.mode.is_negative) and all(each not in UNSENT for each in query)


def send(daemon: Daemon, name: str, mode: GenerationMode, count: int) -> None:
    """Send `count` requests that fit (or do not fit) the description; check each answer."""
    method, path = next((op.method, op.path) for op in OPERATIONS if op.name == name)
    described = SCHEMA[path.replace(":int", "")][method.lower()]
    session = requests.Session()
    session.trust_env = False
    session.headers.update(daemon.headers)
    checks = [*CHECKS, negative_data_rejection] if mode.is_negative else CHECKS

    @given(case=described.as_strategy(generation_mode=mode))
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def each(case: Any) -> None:
        assume(not mode.is_negative or is_sent(case))
        if name == "events":
            case.query = {**(case.query or {}), "wait": 0}
        if name == "open_notes" and isinstance(case.body, dict):
            case.body = {"wait": 0} | case.body if mode.is_negative else case.body | {"wait": 0}
        answer = case.call(base_url=daemon.url, session=session)
        case.validate_response(answer, checks=checks)

    with session:
        each()


def takes_fields(name: str) -> bool:
    """Tell whether a request of this operation has anything to get wrong."""
    method, path = next((op.method, op.path) for op in OPERATIONS if op.name == name)
    described = DESCRIPTION["paths"][path.replace(":int", "")][method.lower()]
    return bool(described.get("parameters") or described.get("requestBody"))


ASKING = [name for name in NAMES if takes_fields(name)]


@pytest.mark.parametrize("name", NAMES)
def test_every_answer_is_as_described_c11(daemon: Daemon, name: str) -> None:
    send(daemon, name, GenerationMode.POSITIVE, FEW)


@pytest.mark.parametrize("name", ASKING)
def test_what_does_not_fit_is_refused_as_described_c4(daemon: Daemon, name: str) -> None:
    send(daemon, name, GenerationMode.NEGATIVE, FEW)


@pytest.mark.full
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", NAMES)
def test_a_long_run_finds_no_fault_either(daemon: Daemon, name: str) -> None:
    send(daemon, name, GenerationMode.POSITIVE, MANY)
    if name in ASKING:
        send(daemon, name, GenerationMode.NEGATIVE, MANY)


def test_the_description_served_is_the_one_made_from_the_code(daemon: Daemon) -> None:
    assert daemon.get("/openapi.json") == DESCRIPTION


def test_every_reference_leads_somewhere() -> None:
    text = json.dumps(DESCRIPTION)

    assert set(re.findall(r'"#/components/schemas/(\w+)"', text)) <= set(
        DESCRIPTION["components"]["schemas"]
    )


def test_every_route_is_in_the_guide() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "bridge.md").read_text(encoding="utf-8")

    for path in DESCRIPTION["paths"]:
        assert path in guide, path
