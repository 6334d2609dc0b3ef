"""A file that the system refuses holds up its own plan, and nobody else's (E9)."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.publish.test_publish import NEW, OLD, SOURCE, FailingDisk, Wiki, make_wiki, page, plan
from vaultd.errors import PermanentError
from vaultd.model.paths import SourceId, VaultPath
from vaultd.publish import Plan, Write
from vaultd.store import plans

OTHER = VaultPath("wiki/concepts/Other.md")


@dataclass
class RefusingDisk(FailingDisk):
    """A real disk on which some names may not be written."""

    refused: set[str] = field(default_factory=set)

    def exchange(self, one: Path, other: Path) -> bool:
        self._check(other)
        return super().exchange(one, other)

    def link_new(self, old: Path, new: Path) -> bool:
        self._check(new)
        return super().link_new(old, new)

    def _check(self, place: Path) -> None:
        if place.name in self.refused:
            raise PermissionError(13, "Permission denied", str(place))


def make(root: Path, *refused: VaultPath) -> tuple[Wiki, RefusingDisk]:
    wiki = make_wiki(root)
    disk = RefusingDisk(refused={Path(path).name for path in refused})
    wiki.vault.disk = disk
    return wiki, disk


async def test_a_plan_whose_first_file_is_refused_was_never_begun_e9(tmp_path: Path) -> None:
    wiki, _ = make(tmp_path, OLD)
    before = wiki.files()

    with pytest.raises(PermanentError, match=r"Old\.md"):
        await wiki.publish(plan())

    assert {p: t for p, t in wiki.files().items() if "/media/" not in p} == before
    assert await wiki.db.read(plans.open_plans) == ()
    wiki.db.close()


async def test_a_plan_that_is_refused_halfway_holds_up_only_its_own_source_e9(
    tmp_path: Path,
) -> None:
    wiki, disk = make(tmp_path, NEW)
    with pytest.raises(PermanentError):
        await wiki.publish(plan())
    wiki.restart()
    wiki.vault.disk = disk

    assert await wiki.recover() == 0
    with pytest.raises(PermanentError, match=r"New\.md"):
        await wiki.publish(Plan(source=SOURCE, note={"name": "again"}))
    written = Write(OTHER, page("Other", "Says something."), None)
    await wiki.publish(Plan(SourceId("b.pdf"), (written,), note={"name": "other"}))
    assert wiki.read(OTHER) is not None

    disk.refused.clear()
    assert await wiki.recover() == 1
    assert await wiki.db.read(plans.open_plans) == ()
    assert wiki.read(NEW) is not None
    wiki.db.close()
