"""A vault that a person kept for years: nothing of theirs changes, whatever happens in the wiki."""

from __future__ import annotations

import json
import unicodedata

import pytest

from tests.life.conftest import World
from tests.life.test_lint import lint
from tests.wiki_checks import assert_sound
from vaultd.core.ignore import DEFAULT_EXCLUDE, DEFAULT_INCLUDE, Fate
from vaultd.vault.scan import rules_of, scan

NOTES = {
    "Categories/Books.md": "---\ntags:\n  - categories\n---\n\n![[Books.base]]\n",
    "Categories/Books.base": "filters:\n  and: []\nviews:\n  - type: table\n",
    "Templates/Book.md": "---\ncreated: {{date}}\nrating:\n---\n# {{title}}\n",
    "Daily/2026-11-01.md": "- [ ] Bake #todo\n\nMet [[Ada Lovelace]] ![[Heat#^b1]]\n",
    "References/Ada Lovelace.md": '---\naliases: [Countess]\nrating: 7\nrelated: "[[Heat]]"\n---\n',
    "Heat.md": "# Heat\n\nrating:: 5 (mood:: warm)\n\nIt costs $5. ^b1\n\n%% mine %%\n",
    "Boards/Plan.canvas": '{"nodes":[],"edges":[]}',
    "日本語/熱.md": "熱は流れる。[[Heat]]\n",
    "عربي/حرارة.md": "الحرارة تنتقل.\n",
    "🌱 Seeds/🍅 Tomatoes.md": "Sun. #🌱/garden\n",
    unicodedata.normalize("NFD", "Café Über.md"): "[[Café Über]]\n",
    "x" * 237 + ".md": "A name of 240 bytes.\n",
    'weird: name? "1" #2 [3].md': "From another system.\n",
    "CRLF.md": "---\r\ntags:\r\n- a # mine\r\n---\r\n\r\nText.\r\n",
    "BOM.md": "\ufeff---\naliases: [b]\n---\nText.\n",
    "JSON.md": '---\n{"tags": ["json"]}\n---\nText.\n',
    "Broken.md": "---\ntitle: a: b: [\n---\nText.\n",
    "Unclosed.md": "---\ntitle: x\n\nText.\n",
    "wiki/concepts/Mine.md": "A page I made: [[Heat]]\n",
}
SETTINGS = {
    "app.json": {"attachmentFolderPath": "Files", "trashOption": "local"},
    "templates.json": {"folder": "Templates"},
}


@pytest.fixture
def lived_in(world: World) -> World:
    for path, text in NOTES.items():
        place = world.vault.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode())
    for name, content in SETTINGS.items():
        place = world.vault.root / ".obsidian" / name
        place.parent.mkdir(exist_ok=True)
        place.write_text(json.dumps(content), "utf-8")
    world.clock.pass_(days=400)
    return world


def looked_at(world: World) -> dict[str, tuple[bytes, int, int]]:
    """Return content, time and inode of every file of the person's."""
    places = [world.vault.root / path for path in NOTES]
    places += [world.vault.root / ".obsidian" / name for name in SETTINGS]
    looks = {place: place.stat() for place in places}
    return {
        str(place): (place.read_bytes(), look.st_mtime_ns, look.st_ino)
        for place, look in looks.items()
    }


async def test_no_byte_and_no_time_of_a_persons_file_changes(lived_in: World) -> None:
    before = looked_at(lived_in)

    await lived_in.ingest(
        "heat.pdf",
        {
            "Heat": "Heat flows. [[raw/heat.pdf#page=1|p. 1]]",
            "Engine": "An engine of [[Ada Lovelace]] and [[heat]]. [[raw/heat.pdf#page=2|p. 2]]",
        },
        picture=True,
    )
    await lived_in.ingest("more.pdf", {"Engine": "It is analytical. [[raw/more.pdf|more]]"})
    await lint(lived_in)
    await lived_in.move("raw/heat.pdf", "raw/physics/heat.pdf")
    await lived_in.ingest("physics/heat.pdf", {"Engine": "An engine. [[raw/physics/heat.pdf]]"})
    await lived_in.undo("physics/heat.pdf")
    await lived_in.forget("more.pdf")

    assert looked_at(lived_in) == before
    assert not lived_in.has("wiki/concepts/Heat.md")
    assert_sound(lived_in.vault.root)


def test_every_note_of_the_person_is_seen_and_templates_are_not(lived_in: World) -> None:
    rules = rules_of(
        lived_in.vault, include=DEFAULT_INCLUDE, exclude=DEFAULT_EXCLUDE, max_bytes=1 << 20
    )

    seen = {each.path for each in scan(lived_in.vault, rules) if each.fate is Fate.NOTE}

    notes = {path for path in NOTES if path.endswith(".md")}
    assert seen == notes - {"Templates/Book.md"}


@pytest.mark.parametrize("name", ["What? Why: 1", "con", "C# [2024] | x", "trailing. "])
async def test_a_page_that_a_person_gave_a_hostile_name_is_updated_in_place_n12(
    world: World, name: str
) -> None:
    await world.ingest("a.pdf", {"Dough": "Dough rises. [[raw/a.pdf|a]]"})
    await world.move("wiki/concepts/Dough.md", f"wiki/concepts/{name}.md", "note")

    await world.ingest("b.pdf", {"Dough": "Dough is kneaded. [[raw/b.pdf|b]]"})

    text = world.text(f"wiki/concepts/{name}.md")
    assert "Dough rises." in text
    assert "Dough is kneaded." in text
    assert not world.has("wiki/concepts/Dough.md")
