"""What a database leaves on the disk while nobody works on it."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from vaultd.store.database import Database


def names(folder: Path) -> list[str]:
    return sorted(place.name for place in folder.iterdir())


def test_nothing_but_the_database_is_left_after_writing_and_after_reading(tmp_path: Path) -> None:
    path = tmp_path / "vaultd.db"
    Database(path).close()

    assert names(tmp_path) == ["vaultd.db"]

    reader = Database(path, readonly=True)
    assert reader.read_sync(lambda db: db.execute("select count(*) from jobs").get) == 0
    reader.close()

    assert names(tmp_path) == ["vaultd.db"]


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    path = tmp_path / "vaultd.db"
    Database(path).close()
    reader = Database(path, readonly=True)

    with pytest.raises(apsw.ReadOnlyError):
        reader.read_sync(lambda db: db.execute("delete from jobs"))

    reader.close()
