"""`vaultd mcp` as a client starts it: a process, standard input and output."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.bridge.conftest import Daemon
from tests.mcp.conftest import PDF, answer, over_stdio, refusal, surroundings
from tests.page.worlds import ask
from tests.reliability.zygote import Zygote
from vaultd.store.database import Database


@pytest.mark.parametrize(
    ("mode", "revision"),
    [
        pytest.param("legacy", "2025-11-25", marks=pytest.mark.full, id="old"),
        pytest.param("auto", "2026-07-28", id="new"),
    ],
)
async def test_clients_of_both_kinds_are_served(made: Path, mode: str, revision: str) -> None:
    async with over_stdio(made, mode=mode) as client:
        assert client.protocol_version == revision
        assert len((await client.list_tools()).tools) == 8
        assert client.instructions
        assert "wiki_overview" in client.instructions

        view = await answer(client, "wiki_overview")
        found = await answer(client, "search", query="salt slows fermentation", k=5)
        page = await answer(client, "fetch", id=found["results"][0]["id"])
        rests = await answer(client, "wiki_sources", name="Lactic acid")
        state = await answer(client, "ingest_status")

    assert view["folders"]
    assert page["text"]
    assert rests["claims"][0]["source"]["path"] == PDF
    assert state["state"] == "stopped"


async def test_beside_a_daemon_files_are_handed_in_and_questions_answered(
    zygote: Zygote, made: Path, world: Path
) -> None:
    with closing(Database(world / ".llm-wiki" / "vaultd.db")) as db:
        await db.run(ask, now=datetime.now(UTC))
    (world / "Leaven.md").write_text("A leaven is flour, water and patience. " * 20)
    daemon = Daemon(zygote, world, XDG_STATE_HOME=str(made.parent / "state"))  # the same machine
    try:
        async with over_stdio(world, "--allow-write") as client:
            queued = await answer(client, "ingest_submit", path="Leaven.md")
            state = await answer(client, "ingest_status")
            (first, *_) = (await answer(client, "review_list"))["reviews"]
            decided = await answer(client, "review_decide", id=first["id"], action="Skip")
            left = (await answer(client, "review_list"))["reviews"]
            wrong = await refusal(client, "review_decide", id=left[0]["id"], action="Guess")
            unknown = await refusal(client, "review_decide", id="review-0", action="Skip")
            gone = await refusal(client, "ingest_submit", path="Nowhere.md")
        job = daemon.job(queued["job"])
    finally:
        daemon.stop()

    assert state["state"] == "running"
    assert (queued["path"], job["state"]) == ("raw/Leaven.md", "done")
    assert decided["state"] == "done"
    assert first["id"] not in [each["id"] for each in left]
    assert "Guess" in wrong
    assert unknown == "There is no review review-0: `review_list` lists them."
    assert "Nowhere.md" in gone


def test_it_ends_with_its_client_and_prints_nothing_else(made: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "vaultd", "--vault", str(made), "mcp"],
        input="",
        env=surroundings(),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )

    assert ended.returncode == 0
    assert ended.stdout == ""
    assert ended.stderr == ""


def test_a_folder_that_is_no_vault_is_refused(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "vaultd", "--vault", str(tmp_path), "mcp"],
        env=surroundings(),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )

    assert ended.returncode == 2
    assert "is no vault yet" in ended.stderr
