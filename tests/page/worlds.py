"""A vault in the middle of its work: things done, under way, held back, and questions."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pymupdf

from tests.mcp.conftest import run_vaultd
from tests.model_server import Call, ModelServer
from tests.reliability.zygote import Zygote
from vaultd.core.review import review_id
from vaultd.core.timing import stamp
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.wiki import ReviewKind
from vaultd.store import ledger, reviews
from vaultd.store.database import Connection, Database
from vaultd.store.ledger import EndedCall, StartedCall
from vaultd.store.reviews import ReviewItem

ROOT = Path(__file__).resolve().parent.parent.parent
SAMPLE = ROOT / "sample-vault"
MODEL = "qwen3:14b"
AES_256 = 5  # PyMuPDF's number of the encryption
PAPER = SourceId("bread/Sourdough, what happens in the dough.pdf")
LOCKED = ("Bakery ledger 1931.pdf", "Bakery ledger 1932.pdf")
DROPPED = (
    ("miso/Barley miso through the seasons.md", "Barley miso ripens slowly in a cool cellar."),
    ("miso/Salt and time.md", "The more salt a miso holds, the longer it keeps."),
    ("bread/Rye sours.md", "Rye needs acid, or its starch does not set."),
    ("bread/Milling at home.md", "Fresh flour drinks more water than flour from a shop."),
    ("vegetables/Kimchi notebook.md", "Two days in the kitchen, then into the cold."),
)


def prepare(zygote: Zygote, root: Path, now: datetime) -> None:
    """Make a vault that has been worked on, with questions, costs, and files that are locked."""
    shutil.copytree(SAMPLE, root)
    run_vaultd(zygote, root, "run", "--once", VAULTD_BRIDGE__ENABLED="false")
    db = Database(root / ".llm-wiki" / "vaultd.db")
    try:
        db.run_sync(ask, now=now)
        db.run_sync(spend, now=now)
    finally:
        db.close()
    for name in LOCKED:
        _lock_pdf(root / "raw" / "bread" / name)


def drop(root: Path) -> None:
    """Drop documents that keep a model busy."""
    for name, text in DROPPED:
        place = root / "raw" / name
        place.parent.mkdir(exist_ok=True)
        place.write_text(f"# {place.stem}\n\n{text} " * 6, encoding="utf-8")


@contextmanager
def slow_model() -> Iterator[tuple[ModelServer, threading.Event]]:
    """Run a model that answers nothing until the event is set."""
    gate = threading.Event()

    def hold(_: Call) -> None:
        gate.wait(120)

    with ModelServer() as server:
        server.rules.append(hold)
        try:
            yield server, gate
        finally:
            gate.set()


def ask(db: Connection, *, now: datetime) -> None:
    """Put two questions to the person."""
    first = "Two figures for salt"
    second = "A page for amylase?"
    reviews.propose(
        db,
        [
            ReviewItem(
                review_id(ReviewKind.CONTRADICTION, first),
                ReviewKind.CONTRADICTION,
                first,
                "The paper stops yeast above 5 % salt, the notes on koji above 8 %.\n\n"
                "Both may hold, for different doughs.",
                ("Keep both", "Skip"),
                pages=(VaultPath("wiki/concepts/Dough.md"), VaultPath("wiki/concepts/Koji.md")),
                sources=(PAPER,),
            ),
            ReviewItem(
                review_id(ReviewKind.SUGGESTION, second),
                ReviewKind.SUGGESTION,
                second,
                "Three pages speak of amylase, and none explains it.",
                ("Create Page", "Skip"),
                pages=(VaultPath("wiki/concepts/Temperature.md"),),
            ),
        ],
        now=now,
    )


def spend(db: Connection, *, now: datetime) -> None:
    """Record calls of the last weeks: some days many, some none."""
    for back in range(28):
        calls = (back * 7) % 5
        for number in range(calls):
            at = stamp(now - timedelta(days=back, minutes=number))
            tokens = 9_000 + 3_100 * ((back * 3 + number) % 6)
            call = StartedCall(f"{back}-{number}", "generation", PAPER, MODEL, "p1", at, tokens)
            key = ledger.begin_call(db, call)
            ledger.end_call(db, key, EndedCall(at, "ok", "stop", tokens, tokens // 4, False, "x"))


def _lock_pdf(place: Path) -> None:
    document: Any = pymupdf.Document()  # type: ignore[no-untyped-call]  # its stubs say little
    document.new_page().insert_text((72, 72), "Flour, salt, wages.")
    document.save(place, encryption=AES_256, user_pw="x", owner_pw="y")
    document.close()
