"""`vaultd ingest --chat`: a conversation before the pages are written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.model_server import ModelServer

TEXT = "# Rennet\n\nRennet sets milk: an enzyme from the stomach of calves, or from moulds.\n"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with ModelServer() as server:
        monkeypatch.setenv("VAULTD_LLM__MODEL", "scripted")
        monkeypatch.setenv("VAULTD_LLM__BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "x")
        yield server


@pytest.fixture
def source(root: Path) -> str:
    (root / "raw/Rennet.md").write_text(TEXT)
    return str(root / "raw/Rennet.md")


def test_what_was_said_is_what_the_pages_are_written_with(
    root: Path, run: Callable[..., Any], source: str, server: ModelServer
) -> None:
    said = run("ingest", "--chat", source, input="Mind the VEGETARIANS.\n/write\n")

    assert said.exit_code == 0, said.stderr
    assert "/write writes the pages" in said.stderr
    assert said.stdout.splitlines()[-1].startswith("the conversation: done, ")
    assert (root / "wiki/sources/Rennet.md").exists()
    assert all("VEGETARIANS" in c.prompt for c in server.calls if c.stage == "generation")


@pytest.mark.parametrize("end", ["/quit\n", ""])
def test_who_leaves_has_no_pages_written(
    root: Path, run: Callable[..., Any], source: str, server: ModelServer, end: str
) -> None:
    said = run("ingest", "--chat", source, input=end)

    assert said.exit_code == 0, said.stderr
    assert not (root / "wiki/sources/Rennet.md").exists()
    assert "generation" not in {call.stage for call in server.calls}
