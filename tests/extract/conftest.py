"""Reading in the test's own process: the same steps as in the child, without its limits."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from vaultd.extract import child, recognition, wire
from vaultd.extract.converter import Answer
from vaultd.model.document import Extraction

Read = Callable[..., Extraction]


@pytest.fixture(autouse=True)
def no_recognition(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Leave text recognition out: it takes seconds a page. `full` tests have it."""
    if request.node.get_closest_marker("full") is None:
        monkeypatch.setattr(recognition, "available", lambda: False)


@pytest.fixture
def read() -> Read:
    """Give a function that reads a file as the child does."""
    return read_here


def read_here(path: Path, *, pictures: bool = True) -> Extraction:
    """Return what the child would answer for `path`."""
    stream = io.BytesIO()
    child.answer(path, stream, pictures=pictures)
    stream.seek(0)
    answer = Answer()
    while lengths := stream.read(wire.LENGTHS.size):
        head, data = wire.LENGTHS.unpack(lengths)
        answer.take(json.loads(stream.read(head)), stream.read(data))
    return answer.result()
