from __future__ import annotations

from pathlib import Path

import pytest

from tests.reliability.places import FastClock
from vaultd.daemon.place import open_beside
from vaultd.daemon.run import run_once
from vaultd.model.search import Question
from vaultd.search import SearchEngine
from vaultd.settings import EmbeddingSettings, IngestSettings, Settings
from vaultd.store import translations

SETTINGS = Settings(
    ingest=IngestSettings(settle_seconds=0.05), embedding=EmbeddingSettings(provider="none")
)


async def test_a_vault_that_gets_a_second_language_is_asked_in_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / "Koji.md").write_text("Fermentation makes the grain warm within a day or two.")
    read: list[str] = []
    lines = translations.packaged_lines

    def counted() -> list[str]:
        read.append("read")
        return [line for line in lines() if line.startswith(("發酵", "洋蔥"))]

    monkeypatch.setattr(translations, "packaged_lines", counted)
    await run_once(tmp_path, SETTINGS, FastClock())
    assert not read

    (tmp_path / "泡菜.md").write_text("这里说的是泡菜和洋葱，还有外婆留下来的老坛子。", "utf-8")
    await run_once(tmp_path, SETTINGS, FastClock())
    await run_once(tmp_path, SETTINGS, FastClock())

    db = open_beside(tmp_path, SETTINGS)
    engine = SearchEngine(db, [], vault_name="v")
    found = [(await engine.search(Question(text))).results for text in ("發酵", "onions")]
    db.close()
    assert [hits[0].path for hits in found] == ["Koji.md", "泡菜.md"]
    assert read == ["read"]
