"""One machine writes a vault that several share; the other reads and says so (W13)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.reliability.places import FastClock
from vaultd.core.page import parse_page
from vaultd.daemon.place import database_path, open_for_work, take_over
from vaultd.daemon.run import run_once
from vaultd.errors import OtherMachineError
from vaultd.model.paths import VaultPath
from vaultd.settings import EmbeddingSettings, IngestSettings, Settings
from vaultd.store import pages, sources
from vaultd.vault.layout import machine_id

SETTINGS = Settings(
    ingest=IngestSettings(settle_seconds=0.05), embedding=EmbeddingSettings(provider="none")
)
TEXT = "# Heat\n\nHeat flows from warm to cold bodies. Nobody has ever seen it flow back.\n" * 3
MACHINES = ("laptop", "desktop")


async def test_the_second_machine_reads_until_it_takes_over_w13(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, clock = tmp_path / "vault", FastClock()
    (root / "raw").mkdir(parents=True)
    (root / "raw/heat.md").write_text(TEXT)
    environments = {name: {"XDG_STATE_HOME": str(tmp_path / name)} for name in MACHINES}
    laptop, desktop = (machine_id(environments[name]) for name in MACHINES)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "laptop"))
    await run_once(root, SETTINGS, clock)
    index = root / "wiki/index.md"
    assert parse_page(index.read_text()).word("vaultd_writer") == laptop

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "desktop"))
    before = sorted((place, place.stat().st_mtime_ns) for place in root.rglob("*"))
    with pytest.raises(OtherMachineError, match="take-over"):
        await run_once(root, SETTINGS, clock)
    after = sorted((place, place.stat().st_mtime_ns) for place in root.rglob("*"))
    assert [each for each in after if each[0].name != "lock"] == [
        each for each in before if each[0].name != "lock"
    ]

    shutil.copy(database_path(root, SETTINGS), tmp_path / "old.db")  # of an earlier time here
    own = root / "wiki/sources/heat.md"
    own.write_text(own.read_text().replace("warm", "hot"))  # as the laptop wrote it meanwhile
    assert await take_over(root, SETTINGS, clock) == laptop

    assert parse_page(index.read_text()).word("vaultd_writer") == desktop
    async with open_for_work(root, SETTINGS, clock) as place:
        written = await place.db.read(pages.last_written, VaultPath("wiki/sources/heat.md"))
        (source,) = await place.db.read(sources.all_sources)
    assert written is not None
    assert written.base is None  # what the laptop alone would have there is not known here
    assert source.ingested_sha256 == source.sha256
