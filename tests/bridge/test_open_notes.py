"""A note that is open in an editor is written there, offered over the bridge."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.bridge.conftest import Daemon, until

NOTE = "wiki/sources/cat.md"
EDIT = "\nA person's line.\n"


def restored_beside(daemon: Daemon, act: Any) -> tuple[Path, str, int]:
    """Restore a version while the note is open in an editor that does `act` with the offer."""
    daemon.idle()
    page = daemon.root / NOTE
    first = page.read_text()
    page.write_text(first + EDIT)
    os.utime(page, (time.time() - 60,) * 2)
    kept = daemon.state / "page-history" / NOTE / "20260101T000000.000000Z.md"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(first)
    history = daemon.get("/v1/pages/history", path=NOTE)
    file = page.stat().st_ino
    body = {"path": NOTE, "version": kept.stem, "if_match": history["current"]}
    with ThreadPoolExecutor() as threads:
        asking = threads.submit(daemon.post, "/v1/pages/open", notes=[NOTE])
        assert until(asking.running)
        daemon.get("/v1/status")  # asked later, so the question about the open note has arrived
        restoring = threads.submit(daemon.post, "/v1/pages/restore", **body)
        offer = asking.result()["offer"]
        act(page, offer)
        daemon.post("/v1/pages/open", answered=offer["id"], wait=0)
        job = daemon.job(restoring.result()["id"])
    assert (job["state"], job["reason"]) == ("done", "")
    assert offer["before"] == first + EDIT
    return page, first, file


def test_open_note_is_written_in_its_editor(daemon: Daemon) -> None:
    page, first, file = restored_beside(daemon, lambda at, offer: at.write_text(offer["after"]))

    assert page.read_text() == first
    assert page.stat().st_ino == file


def test_offer_that_is_declined_is_written_as_any_other(daemon: Daemon) -> None:
    page, first, file = restored_beside(daemon, lambda at, offer: None)

    assert page.read_text() == first
    assert page.stat().st_ino != file


def test_asking_without_an_open_note_is_answered_at_once(daemon: Daemon) -> None:
    assert daemon.post("/v1/pages/open") == {"offer": None}
