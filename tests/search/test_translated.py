"""Half thoughts in one language that find what stands in the other."""

from __future__ import annotations

import pytest

from tests.search.worlds import World
from vaultd.core.dictionary import translations_of
from vaultd.model.search import Mode
from vaultd.search import SearchEngine
from vaultd.store import translations

LINES = """\
洋蔥 洋葱 [yang2 cong1] /onion/
發酵 发酵 [fa1 jiao4] /to ferment/fermentation/
發熱 发热 [fa1 re4] /to emit heat/feverish/
風 风 [feng1] /wind/
冬天 冬天 [dong1 tian1] /winter/
鹽 盐 [yan2] /salt/salty/
鹹鹽 咸盐 [xian2 yan2] /salt/salty/
"""


@pytest.fixture
async def bilingual(world: World) -> World:
    await world.db.run(translations.put, translations_of(LINES.splitlines()))
    await world.db.run(translations.finish, translations.packaged_edition())
    await world.note("恒春.md", "恒春的冬天有强劲的下坡风，当地人种植洋葱，腌在盐里。")
    await world.note("城市.md", "今天买了一本关于城市规划的书，准备周末读完。")
    await world.note("Koji.md", "Fermentation makes the grain warm within a day or two.")
    await world.note("Garden.md", "We dug a pond in the garden and planted reeds around it.")
    return world


@pytest.mark.parametrize(
    ("question", "path", "shown"),
    [
        (
            "winter wind onions",
            "恒春.md",
            "恒春的**冬天**有强劲的下坡**风**，当地人种植**洋葱**，腌在盐里。",
        ),
        ("salty onions", "恒春.md", "恒春的冬天有强劲的下坡风，当地人种植**洋葱**，腌在**盐**里。"),
        ("發酵", "Koji.md", "**Fermentation** makes the grain warm within a day or two."),
    ],
)
async def test_a_note_is_found_by_words_of_the_other_language(
    bilingual: World, question: str, path: str, shown: str
) -> None:
    first, *_ = (await bilingual.ask(question)).results

    assert (first.path, first.snippet) == (path, shown)
    assert "words" in first.via


async def test_it_is_found_where_nothing_is_embedded(bilingual: World) -> None:
    bilingual.engine = SearchEngine(bilingual.db, [], vault_name="v")

    assert await bilingual.paths("onions in winter") == ["恒春.md"]


async def test_filters_hold_for_translated_words(bilingual: World) -> None:
    assert await bilingual.paths("onions in winter", under="Garden.md") == ["Garden.md"]


async def test_asked_by_words_only_nothing_is_translated(bilingual: World) -> None:
    assert await bilingual.paths("onions", mode=Mode.WORDS) == []


async def test_a_dictionary_that_is_stored_in_part_is_not_asked(bilingual: World) -> None:
    await bilingual.db.run(translations.clear)
    await bilingual.db.run(translations.put, translations_of(LINES.splitlines()))
    bilingual.engine = SearchEngine(bilingual.db, [], vault_name="v")

    assert await bilingual.paths("onions in winter") == []


async def test_the_dictionary_is_stored_once_a_vault_has_both_languages(world: World) -> None:
    await world.note("Koji.md", "Fermentation makes the grain warm within a day or two.")
    await world.indexer.translate()
    assert await world.db.read(translations.edition) == ""

    await world.note("恒春.md", "恒春的冬天有强劲的下坡风，当地人种植洋葱。")
    await world.indexer.translate()
    assert await world.db.read(translations.edition) == translations.packaged_edition()
    assert "洋葱" in (await world.db.read(translations.others_of, ["onion"]))["onion"]
    assert (await world.paths("onions in winter"))[0] == "恒春.md"
    assert not await world.db.read(translations.is_wanted, translations.packaged_edition())
