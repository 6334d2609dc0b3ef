"""Dying at any step of a run: what is on the disk in the end is what it would have been."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import FakeClock
from tests.summarize.fakes import FakeAuthor, FakeEmbedder, Reviews, put, snapshot, tree_of
from vaultd.model.paths import VaultPath
from vaultd.model.summary import Node
from vaultd.store import nodes
from vaultd.store.database import Database
from vaultd.summarize.summarizer import DirectorySummarizer, Options
from vaultd.vault.disk import Disk
from vaultd.vault.files import Vault
from vaultd.vault.layout import make_layout

WIDTH = 3


class Killed(BaseException):
    """The process is gone."""


class DyingDatabase(Database):
    """Dies before (even steps) or right after (odd steps) a commit."""

    steps_left = 1_000_000

    async def run(self, query: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        self.steps_left -= 1
        if self.steps_left == 0:
            raise Killed
        result = await super().run(query, *args, **kwargs)
        self.steps_left -= 1
        if self.steps_left <= 0:
            raise Killed
        return result


class DyingDisk(Disk):
    """Dies when a file is put in its place."""

    steps_left = 1_000_000

    def replace(self, old: Path, new: Path) -> None:
        self._step()
        super().replace(old, new)

    def link_new(self, old: Path, new: Path) -> bool:
        self._step()
        return super().link_new(old, new)

    def _step(self) -> None:
        self.steps_left -= 1
        if self.steps_left <= 0:
            raise Killed


class Place:
    """A vault and a database that survive the deaths of what works on them."""

    def __init__(self, root: Path) -> None:
        root.mkdir()
        self.disk = DyingDisk()
        self.vault = Vault(root, make_layout(root), self.disk)
        self.db = DyingDatabase(":memory:")
        self.author = FakeAuthor()
        put(self.vault, tree_of(depth=2, fan=2, notes=1))

    def run(self) -> None:
        summarizer = DirectorySummarizer(
            self.db,
            self.vault,
            self.author,
            FakeEmbedder(),
            FakeClock(),
            Reviews().propose,
            Options(max_concurrent_llm=WIDTH),
        )
        asyncio.run(summarizer.refresh_all())

    def result(self) -> tuple[dict[str, bytes], list[Node]]:
        rows = self.db.read_sync(nodes.nodes_within, VaultPath("."), None)
        return snapshot(self.vault), rows


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], list[Node]]:
    """What a run leaves that nothing disturbed."""
    place = Place(tmp_path_factory.mktemp("whole") / "vault")
    place.run()
    result = place.result()
    place.db.close()
    return result


def check(place: Place, undisturbed: tuple[dict[str, bytes], list[Node]]) -> None:
    with pytest.raises(BaseExceptionGroup):
        place.run()
    place.db.steps_left = place.disk.steps_left = 1_000_000

    place.run()

    assert place.result() == undisturbed
    assert place.author.calls <= 7 + 2 * WIDTH  # as many folders are in work at once
    place.db.close()


@pytest.mark.parametrize("step", [1, 2, 5, 8, 13])
def test_death_at_a_commit(
    step: int, tmp_path: Path, undisturbed: tuple[dict[str, bytes], list[Node]]
) -> None:
    place = Place(tmp_path / "vault")
    place.db.steps_left = step

    check(place, undisturbed)


@pytest.mark.parametrize("step", [1, 4, 7])
def test_death_at_the_writing_of_a_note(
    step: int, tmp_path: Path, undisturbed: tuple[dict[str, bytes], list[Node]]
) -> None:
    place = Place(tmp_path / "vault")
    place.disk.steps_left = step

    check(place, undisturbed)
