"""Whatever is done to notes and summaries in whatever order: every folder ends with its text."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
    run_state_machine_as_test,
)

from tests.fakes import FakeClock
from tests.summarize.fakes import FakeAuthor, FakeEmbedder, Reviews, put
from tests.summarize.test_files import index
from vaultd.core.folder_note import note_path_of
from vaultd.core.region import find_regions
from vaultd.errors import EndpointClosedError, NotFoundError, UnreadableSourceError
from vaultd.model.paths import VaultPath
from vaultd.model.summary import Node, NodeKind, NodeState
from vaultd.store import folders, nodes, summaries
from vaultd.store.database import Database
from vaultd.summarize.child import REGION, read_note
from vaultd.summarize.files import Wish
from vaultd.summarize.operations import SummaryOperations
from vaultd.summarize.summarizer import DirectorySummarizer
from vaultd.vault.files import Vault
from vaultd.vault.layout import make_layout

FOLDERS = ("wiki/a", "wiki/a/b", "wiki/c")
NOTES = ("wiki/a/one.md", "wiki/a/b/one.md", "wiki/a/b/two.md", "wiki/c/one.md", "wiki/two.md")
BODIES = (  # with a paragraph, with text but no paragraph, without text
    "Boats number {0} float.\n",
    "---\ntype: concept\n---\n\nHeat number {0} flows.\n\n- a list\n",
    "| boats | {0} |\n|---|---|\n| float | {0} |\n",
    "",
)
bodies = st.sampled_from(BODIES)
notes, places = st.sampled_from(NOTES), st.sampled_from(("wiki", *FOLDERS, *NOTES))


class AnyHistory(RuleBasedStateMachine):
    """A person, programs and a restarting daemon at work on one small vault."""

    def __init__(self) -> None:
        super().__init__()
        self.run = asyncio.Runner()
        self.folder = tempfile.TemporaryDirectory()
        root = Path(self.folder.name) / "vault"
        root.mkdir()
        self.vault = Vault(root, make_layout(root))
        self.db = Database(":memory:")
        self.clock, self.author, self.embedder = FakeClock(), FakeAuthor(), FakeEmbedder()
        self.saves = 0
        self.start()

    @initialize(bodies=st.lists(bodies, min_size=len(NOTES), max_size=len(NOTES)))
    def fill(self, bodies: list[str]) -> None:
        for path, body in zip(NOTES, bodies, strict=True):
            self.save(path, body, indexed=True)

    @rule()
    def start(self) -> None:
        """Start the daemon, for the first time or again: nothing in memory is known."""
        self.summarizer = DirectorySummarizer(
            self.db, self.vault, self.author, self.embedder, self.clock, Reviews().propose
        )
        self.operations = SummaryOperations(
            self.db, self.summarizer, self.clock, embed_model=self.embedder.identity
        )

    @rule(path=notes, body=bodies, indexed=st.booleans())
    def save(self, path: str, body: str, indexed: bool) -> None:
        self.saves += 1
        text = body.format(self.saves)
        put(self.vault, {path: text})
        self._at_rest(self.vault.root / path)
        if indexed:
            self.db.run_sync(index, VaultPath(path), [text] if text else [], self.clock)
        self._mark(path)

    @rule(path=places)
    def delete(self, path: str) -> None:
        place = self.vault.root / path
        if path == "wiki" or not place.exists():
            return
        shutil.rmtree(place) if place.is_dir() else place.unlink()
        self._mark(path)

    @rule(old=places, new=places)
    def move(self, old: str, new: str) -> None:
        source, target = self.vault.root / old, self.vault.root / new
        if not source.exists() or target.exists() or new.startswith(f"{old}/") or old == "wiki":
            return
        if source.is_dir() != (not new.endswith(".md")):
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        source.rename(target)
        self._mark(old, new)

    @rule(path=places)
    def drop(self, path: str) -> None:
        self.run.run(self.operations.drop(VaultPath(path)))

    @rule(path=places)
    def take_back(self, path: str) -> None:
        self.run.run(self.operations.take_back(VaultPath(path)))

    @rule()
    def drop_files(self) -> None:
        self.run.run(self.operations.drop_kb_summary(VaultPath("wiki")))

    @rule()
    def describe_and_recreate(self) -> None:
        """What a person does who wants everything anew."""
        self.run.run(self.summarizer.refresh_all())
        self.recreate()
        self.everything_is_described()

    @rule(path=notes)
    def summarise(self, path: str) -> None:
        with suppress(NotFoundError, UnreadableSourceError):  # told to whoever asked
            self.run.run(self.operations.add_kb_summary(VaultPath(path), Wish()))

    @rule()
    def recreate(self) -> None:
        async def every() -> list[int]:
            root = self.operations.knowledge_base("wiki")
            return [event["finished"] async for event in self.operations.recreate(root, Wish())]

        self.run.run(every())

    @rule(away=st.booleans())
    def model(self, away: bool) -> None:
        def gone(_: str) -> None:
            raise EndpointClosedError("nobody answers")

        self.author.fault = gone if away else None

    @rule()
    def look(self) -> None:
        self.run.run(self.summarizer.refresh_marked())

    @rule()
    def everything_is_described(self) -> None:
        """With the model there, a look at all leaves nothing undone, and a second finds nothing."""
        self.author.fault = None
        self.clock.pass_(hours=1)
        self.run.run(self.summarizer.refresh_all(asked=True))
        for folder in self.summarizer.tree.folders_below(VaultPath("wiki")):
            self._is_described(folder)
        calls = self.author.calls
        again = self.run.run(self.summarizer.refresh_all())
        assert (again.calls, again.rows, again.embeddings, again.notes) == (0, 0, 0, 0)
        assert self.author.calls == calls
        assert not again.degraded

    def _is_described(self, folder: VaultPath) -> None:
        node = self.db.read_sync(nodes.node, folder)
        path = note_path_of(folder)
        note = (self.vault.read(path) or b"").decode() if path else ""
        shown = find_regions(note).get(REGION)
        if self.db.read_sync(folders.is_left_out, folder) or not self._says_something(folder):
            assert node is None, folder
            assert shown is None, folder
            return
        assert node is not None, folder
        assert node.state is NodeState.OK, folder
        assert shown is not None, folder
        assert node.abstract in shown.body
        assert not self.db.read_sync(summaries.lacks_vectors, folder, self.embedder.identity)

    def _says_something(self, folder: VaultPath) -> bool:
        listing = self.summarizer.tree.children(folder)
        return any(self._row(below) is not None for below in listing.folders) or any(
            self._note_says_something(note) for note in listing.notes
        )

    def _note_says_something(self, path: VaultPath) -> bool:
        note = read_note(self.vault, path)
        if note is None or note.is_folder_note or not note.body.strip():
            return False
        return bool(note.abstract) or not self.db.read_sync(folders.is_left_out, path)

    def _row(self, folder: VaultPath) -> Node | None:
        node = self.db.read_sync(nodes.node, folder)
        return node if node is not None and node.kind is NodeKind.FOLDER else None

    def _mark(self, *paths: str) -> None:
        changed = [VaultPath(path) for path in paths]
        self.db.run_sync(nodes.mark_dirty, changed, reason="changed", now=self.clock())

    def _at_rest(self, place: Path) -> None:
        """Give a file a time of its own, long ago: it is read again only if it changed."""
        os.utime(place, (self.saves, self.saves))

    def teardown(self) -> None:
        self.everything_is_described()
        self.db.close()
        self.run.close()
        self.folder.cleanup()


def go_through(histories: int, steps: int) -> None:
    limits = settings(max_examples=histories, stateful_step_count=steps, deadline=None)
    run_state_machine_as_test(AnyHistory, settings=limits)


def test_any_history_ends_with_a_text_for_every_folder() -> None:
    go_through(5, 8)


@pytest.mark.full
@pytest.mark.timeout(900)
def test_any_of_many_histories_ends_with_a_text_for_every_folder() -> None:
    go_through(250, 30)
