"""A vault worked on inside the test: real parts, a clock that runs fast, a disk that may fail."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from tests.fakes import NOON
from vaultd.daemon.parts import Parts, build
from vaultd.daemon.place import Place
from vaultd.daemon.run import _pass, _working
from vaultd.extract import Converter
from vaultd.settings import EmbeddingSettings, IngestSettings, Settings, WatchSettings
from vaultd.store import joblist, jobs
from vaultd.store.database import Database
from vaultd.vault.disk import TEMP_PREFIX, TEMP_SUFFIX, Disk
from vaultd.vault.files import Vault
from vaultd.vault.layout import make_layout

SPEED = 60.0  # how much faster the clock runs: waits of a minute take a second
SETTINGS = Settings(
    embedding=EmbeddingSettings(provider="none"),
    ingest=IngestSettings(settle_seconds=0.0, retry_first_seconds=1),
    watch=WatchSettings(mode="poll"),
)
TEXT = """# {name}

{name} is a small device for measuring the wind. It was built in 1874 in Lisbon by two brothers.

The device stands on a roof and turns with the wind. Its scale has twelve marks of brass.
"""


class FastClock:
    """A clock that begins at noon and runs `speed` times as fast as the real one."""

    def __init__(self, speed: float = SPEED) -> None:
        self._began, self._speed = time.monotonic(), speed

    def __call__(self) -> datetime:
        return NOON + timedelta(seconds=(time.monotonic() - self._began) * self._speed)

    def skip(self, seconds: float) -> None:
        """Move on at once."""
        self._began -= seconds / self._speed


class SharedConverter(Converter):
    """A converter that survives the end of a run: starting its child takes a second."""

    def __init__(self) -> None:
        super().__init__(parallel=2)

    async def close(self) -> None:
        """Stay open; `really_close` ends it."""

    async def really_close(self) -> None:
        await super().close()


@dataclass
class Home:
    """A vault on the disk and what its runs have in common."""

    root: Path
    disk: Disk = field(default_factory=Disk)
    settings: Settings = SETTINGS
    clock: FastClock = field(default_factory=FastClock)

    def drop(self, *names: str) -> None:
        """Put small documents into `raw/`."""
        (self.root / "raw").mkdir(parents=True, exist_ok=True)
        for name in names:
            (self.root / f"raw/{name}.md").write_text(TEXT.format(name=name))

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Parts]:
        """Open the vault and build the parts, as every start of the program does."""
        self.root.mkdir(parents=True, exist_ok=True)
        state = make_layout(self.root)
        vault = Vault(self.root, state, self.disk)
        db = Database(state / "vaultd.db")
        try:
            vault.sweep()
            await db.run(jobs.recover, now=self.clock())
            async with build(Place(vault, db, self.settings, self.clock)) as built:
                yield built
        finally:
            db.close()

    async def work(self) -> None:
        """Do what `vaultd run --once` does."""
        async with self.open() as built, _working(built):
            await _pass(built)

    async def again(self) -> None:
        """Work once more, asked by a person to try what is parked or paused."""
        async with self.open() as built, _working(built):
            rows = await built.place.db.read(joblist.listed)
            for row in rows:
                await built.place.db.run(jobs.retry, row.id, now=self.clock())
            await _pass(built)

    async def states(self) -> dict[str, str]:
        """Return the state and reason of every job that is not done, by its subject."""
        db = Database(self.root / ".llm-wiki/vaultd.db", readonly=True)
        try:
            rows = await db.read(joblist.listed)
        finally:
            db.close()
        return {row.subject: f"{row.state}: {row.reason}" for row in rows}

    def files(self) -> dict[str, bytes]:
        """Return every file of the vault but the state."""
        return {
            str(path.relative_to(self.root)): path.read_bytes()
            for path in sorted(self.root.rglob("*"))
            if path.is_file()
            and ".llm-wiki" not in path.parts
            and not path.name.startswith(TEMP_PREFIX)
        }

    def temps(self) -> list[Path]:
        """Return the temporary files that lie about."""
        return [p for p in self.root.rglob(f"{TEMP_PREFIX}*") if p.name.endswith(TEMP_SUFFIX)]
