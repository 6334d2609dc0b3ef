# mypy: disallow-untyped-calls=False
"""Rows of the bug list that no area's own tests hold: each test names its row."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import NoReturn

import apsw
import numpy as np
import pymupdf
import pytest
from PIL import Image

from tests.extract.conftest import read_here
from tests.fakes import NOON
from tests.reliability.places import TEXT, Home
from tests.search.worlds import World
from vaultd.core.properties import set_properties
from vaultd.daemon.run import _pass, _working
from vaultd.extract import Converter
from vaultd.model.search import Filters, Mode, Question
from vaultd.search import SearchEngine
from vaultd.store import vector_index
from vaultd.store.database import Connection, Database, connect, has_vectors
from vaultd.vault.files import Vault

PROSE = "This page says something in plain words, so that it is worth reading at all."


def test_text_inside_boxes_is_read_d03(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    words = [f"sentinel{number:02d}" for number in range(24)]
    for number, word in enumerate(words):
        left, top = 40 + number % 4 * 130, 60 + number // 4 * 110
        page.draw_rect(pymupdf.Rect(left, top, left + 110, top + 80), fill=(0.9, 0.9, 1))
        page.draw_line((left, top), (left + 110, top + 80))
        page.insert_text((left + 10, top + 40), word)
    page.insert_text((40, 780), PROSE)
    document.save(tmp_path / "boxes.pdf")

    text = "".join(page.text for page in read_here(tmp_path / "boxes.pdf").pages)

    assert [word for word in words if word not in text] == []


async def test_documents_read_at_once_keep_their_text_d05(tmp_path: Path) -> None:
    converter = Converter(parallel=4)
    paths = []
    for number in range(20):
        with pymupdf.open() as document:
            document.new_page().insert_text(
                (72, 72), f"This is document number{number:02d}. {PROSE}"
            )
            document.save(tmp_path / f"{number}.pdf")
        paths.append(tmp_path / f"{number}.pdf")
    try:
        read = await asyncio.gather(*(converter.convert(p, pictures=False) for p in paths))
    finally:
        await converter.close()

    for number, extraction in enumerate(read):
        assert f"number{number:02d}" in extraction.pages[0].text


async def test_a_bad_file_among_good_ones_is_named_and_stops_nobody_d11(
    tmp_path: Path, converter: None
) -> None:
    home = Home(tmp_path / "vault")
    home.drop("Anemometer", "Barograph", "Chronometer")
    (home.root / "raw/broken.pdf").write_bytes(b"%PDF-1.7\n" + bytes(range(256)) * 40 + b"%%EOF")

    await home.work()

    states = await home.states()
    assert list(states) == ["raw/broken.pdf"]
    assert states["raw/broken.pdf"].startswith("parked: ")
    assert {f"wiki/sources/{n}.md" for n in ("Anemometer", "Barograph", "Chronometer")} <= set(
        home.files()
    )


def test_right_to_left_text_stays_in_order_d18(tmp_path: Path) -> None:
    sentence = "هذا نص عربي طويل بما يكفي للقراءة"
    document = pymupdf.open()
    document.new_page().insert_htmlbox(pymupdf.Rect(50, 50, 500, 200), f"<p>{sentence}</p>")
    document.save(tmp_path / "rtl.pdf")

    text = read_here(tmp_path / "rtl.pdf").pages[0].text

    places = [text.find(word) for word in ("هذا", "نص", "عربي", "طويل")]
    assert -1 not in places
    assert places == sorted(places)


def test_a_picture_with_an_inverted_decode_keeps_its_colours_d20(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_textbox(pymupdf.Rect(50, 50, 500, 150), PROSE)
    half = Image.new("1", (200, 200), 1)
    half.paste(0, (0, 0, 200, 60))  # three tenths are black
    half.save(tmp_path / "half.png")
    xref = page.insert_image(pymupdf.Rect(50, 200, 250, 400), filename=tmp_path / "half.png")
    document.xref_set_key(xref, "Decode", "[1 0]")  # seven tenths are, now
    document.save(tmp_path / "decode.pdf")

    (image,) = read_here(tmp_path / "decode.pdf").images
    (tmp_path / "out").write_bytes(image.data)
    with Image.open(tmp_path / "out") as found:
        brightness = np.asarray(found.convert("L")).mean() / 255

    assert brightness == pytest.approx(0.3, abs=0.05)


def test_letters_of_another_form_stay_as_they_are_f21() -> None:
    note = "---\ntitle: Cafe\u0301\nrating: 5 # mine\n---\n\nUn cafe\u0301 s'il vous plai\u0302t.\n"

    changed = set_properties(note, {"updated": NOON.date()})

    assert [line for line in changed.splitlines() if not line.startswith("updated")] == (
        note.splitlines()
    )


async def test_what_moves_before_its_turn_is_ingested_where_it_is_w14_w31(
    tmp_path: Path, converter: None
) -> None:
    """New versions that are renamed, or left to a duplicate, and a duplicate of something new."""
    home = Home(tmp_path / "vault")
    home.drop("a", "c")
    await home.work()
    a, b, c, d, e, f = (home.root / f"raw/{name}.md" for name in "abcdef")
    for place in (a, c):
        place.write_text(place.read_text().replace("Lisbon", "Madrid"))
    d.write_text(c.read_text())
    for place in (e, f):
        place.write_text(TEXT.format(name="e"))
    async with home.open() as built:
        await built.watcher.look()
    a.rename(b)
    c.unlink()
    e.unlink()

    for _ in range(2):
        await home.work()
        home.clock.skip(10 * 60)

    assert await home.states() == {}
    found = home.files()
    assert {f"wiki/sources/{name}.md" for name in "abcdef"} & found.keys() == {
        f"wiki/sources/{name}.md" for name in "bdf"
    }
    assert b"Madrid" in found["wiki/sources/b.md"]
    assert b"Madrid" in found["wiki/sources/d.md"]


async def test_ten_saves_of_a_person_are_answered_by_no_write_f25(
    tmp_path: Path, converter: None
) -> None:
    home = Home(tmp_path / "vault")
    home.drop("Anemometer")
    await home.work()
    page = home.root / "wiki/sources/Anemometer.md"
    async with home.open() as built, _working(built):
        for number in range(0, 10, 2):
            for line in (number, number + 1):
                page.write_text(f"{page.read_text()}\nLine {line} of mine.\n")
            stamp = page.stat().st_mtime_ns, page.stat().st_ino
            await _pass(built)
            assert (page.stat().st_mtime_ns, page.stat().st_ino) == stamp


class Bare(apsw.Connection):
    """A connection of a driver that was built without extensions."""

    @property
    def enable_load_extension(self) -> NoReturn:
        raise AttributeError("enable_load_extension")


@pytest.mark.parametrize("notes", [12, pytest.param(1_000, marks=pytest.mark.full)])
@pytest.mark.timeout(300)
async def test_a_driver_without_extensions_finds_the_same_s07(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, notes: int
) -> None:
    async def answers(name: str) -> list[str]:
        world = World(vault, Database(tmp_path / name))
        for number in range(notes):
            words = f"Note {number} about matter {number % 5} of kind {number % 61}."
            await world.note(f"{number}.md", words)
        lean = SearchEngine(world.db, [world.embedder], vault_name="v", memory_bytes=0)
        found: list[str] = []
        for kind in range(10):
            asked = Question(f"matter 3 of kind {kind}", mode=Mode.VECTORS)
            found += [hit.path for hit in (await lean.search(asked)).results]
        world.db.close()
        return found

    with_extension = await answers("with.db")
    monkeypatch.setattr(apsw, "Connection", Bare)
    without = await answers("without.db")

    assert len(with_extension) == 100
    assert without == with_extension


async def test_a_rare_filter_finds_its_note_among_many_passages_s05(
    vault: Vault, db: Database
) -> None:
    world = World(vault, db)
    many = (f"Caching, said in so many words, number {number}. " * 18 for number in range(400))
    await world.note("many.md", "\n\n".join(many))
    await world.note("rare.md", "---\ntags: rare\n---\nSomething about it.")
    lean = SearchEngine(db, [world.embedder], vault_name="v", memory_bytes=0)
    rare = Question("caching in many words", mode=Mode.VECTORS, filters=Filters(tag="rare"))

    for engine in (world.engine, lean):
        assert [hit.path for hit in (await engine.search(rare)).results] == ["rare.md"]


def test_any_number_of_neighbours_can_be_asked_for_s04_s06(vault: Vault, db: Database) -> None:
    world = World(vault, db)
    asyncio.run(world.note("a.md", "some text"))
    query = np.ones(64, np.float32)

    for k in (4097, 100_000, 1, 0, -1):
        found = db.read_sync(vector_index.indexed_nearest, 1, query, k)
        assert len(found) == 1


def test_every_connection_has_the_extension_or_answers_without_s07_s08(tmp_path: Path) -> None:
    """The one way to open a database loads it; `test_the_index_heals…` shows life without."""
    path = str(tmp_path / "a.db")
    first, second = connect(path), connect(path, readonly=True)

    assert has_vectors(first) == has_vectors(second) is True
    first.close()
    second.close()


@pytest.mark.parametrize("times", [25, pytest.param(1_000, marks=pytest.mark.full)])
@pytest.mark.timeout(900)
def test_threads_that_read_then_write_do_not_lock_each_other_out_s16(
    tmp_path: Path, times: int
) -> None:
    path = tmp_path / "a.db"
    Database(path).close()
    failures: list[BaseException] = []

    def add(db: Connection) -> None:
        known = db.execute("select count(*) from meta").get
        db.execute("insert into meta (key, value) values (?, 'x')", (f"{known}",))

    def work() -> None:
        db = Database(path)
        try:
            for _ in range(times):
                db.run_sync(add)
        except BaseException as error:  # noqa: BLE001  # told below, whatever it is
            failures.append(error)
        finally:
            db.close()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    db = Database(path)
    assert failures == []
    assert (
        db.read_sync(lambda connection: connection.execute("select count(*) from meta").get)
        >= 8 * times
    )
    db.close()
