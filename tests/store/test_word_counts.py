"""How many passages hold a word is counted, wherever they stand."""

from __future__ import annotations

from vaultd.store.database import Connection, Database
from vaultd.store.passages import put_words
from vaultd.store.word_counts import FEW, WordCounts

OFTEN = FEW + 88


def _passages(db: Connection, word: str, start: int, count: int) -> None:
    for number in range(start, start + count):
        put_words(db, number, "", "", word)


async def test_a_word_is_counted_wherever_its_passages_stand(db: Database) -> None:
    await db.run(_passages, "whale", 1, OFTEN)  # one book about whales
    await db.run(_passages, "harbour", 90_000, 30)  # what was written years later
    counts = WordCounts()

    assert await db.read(counts.of, "whale", OFTEN + 30) == OFTEN
    assert await db.read(counts.of, "harbour", OFTEN + 30) == 30
    assert await db.read(counts.of, "ship", OFTEN + 30) == 0


async def test_a_count_is_kept_while_the_vault_is_about_the_same(db: Database) -> None:
    await db.run(_passages, "whale", 1, OFTEN)
    counts = WordCounts()
    await db.read(counts.of, "whale", OFTEN)
    await db.run(_passages, "whale", 2_000, 5)
    assert await db.read(counts.of, "whale", OFTEN + 5) == OFTEN

    await db.run(_passages, "whale", 3_000, 100)
    assert await db.read(counts.of, "whale", OFTEN + 105) == OFTEN + 105


async def test_a_rare_word_is_counted_each_time(db: Database) -> None:
    await db.run(_passages, "whale", 1, OFTEN)
    counts = WordCounts()
    assert await db.read(counts.of, "zebra", OFTEN) == 0

    await db.run(_passages, "zebra", 5_000, 1)
    assert await db.read(counts.of, "zebra", OFTEN + 1) == 1
