"""Damaged replies through the whole pipeline: refused or mended, never written raw."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from tests.ingest.conftest import MakeDesk, drop, ingest
from tests.model_server import ModelServer, Say
from tests.wiki_checks import assert_sound, vault_files, wiki_notes
from vaultd.author.seam import Author
from vaultd.core.page import parse_page
from vaultd.vault.files import Vault

pytestmark = pytest.mark.asyncio(loop_scope="session")
MakeModel = Callable[[], Author]

SOURCES = {  # document: pages it has, None for a note of its name
    "pdf-dpr-two-column": 13,
    "pdf-nist-sp800-223": 34,
    "pdf-tracemonkey": 14,
    "pdf-chem-mindmap-zh": 1,
}
ROW = re.compile(r"^\| `([\w.-]+\.txt)` \| `([\w-]+)` \| (.+?) \| (\d+)", re.M)
LOADING = re.compile(r"<(?:iframe|script|img|object|embed)\b|!\[[^\]]*\]\((?:https?:|data:)", re.I)
MENDED = {"unclosed-last-block.txt": 6, "missing-closer-in-the-middle.txt": 6}


MUPDF: Any = pymupdf  # its calls have no types


def _pdf(pages: int) -> bytes:
    document = MUPDF.open()
    for number in range(1, pages + 1):
        page = document.new_page()
        text = f"Page {number} tells how things are made and why they work. " * 2
        page.insert_textbox(MUPDF.Rect(50, 50, 550, 700), text)
    content: bytes = document.tobytes()
    document.close()
    return content


def _cases(shared: Path) -> dict[str, tuple[str, int]]:
    table = (shared / "cases/replies/broken/EXPECTED.md").read_text("utf-8")
    return {row[1]: (row[2], int(row[4])) for row in ROW.finditer(table) if row[2] in SOURCES}


ALWAYS = (
    "unclosed-last-block",
    "missing-closer-in-the-middle",
    "traversal",
    "remote-image-and-iframe",
    "claims-from-another-document",
    "unbalanced-fence-in-body",
)
FULL = (
    "fence-around-all",
    "fence-around-each",
    "think-block",
    "empty-path",
    "windows-device-name",
    "frontmatter-missing-opener",
    "frontmatter-key-prefix",
    "title-with-colon-unquoted",
    "tags-as-mapping",
    "prose-before-and-after",
)
NAMES = [*ALWAYS, *(pytest.param(name, marks=pytest.mark.full) for name in FULL)]


@pytest.mark.parametrize("name", NAMES)
async def test_a_damaged_reply_gives_a_sound_wiki(
    name: str,
    shared: Path,
    vault: Vault,
    make_desk: MakeDesk,
    make_model: MakeModel,
    server: ModelServer,
) -> None:
    document, accepted = _cases(shared)[f"{name}.txt"]
    drop(vault, f"{document}.pdf", _pdf(SOURCES[document]))
    (vault.root / "schema.md").write_text("mine\n", "utf-8")
    (vault.root / ".obsidian").mkdir()
    reply = (shared / f"cases/replies/broken/{name}.txt").read_text("utf-8")
    server.when("generation", Say(reply, finish="length" if "unclosed" in name else "stop"))
    before = [path for path in vault_files(vault.root) if not path.startswith("wiki/")]

    result = await ingest(make_desk(make_model()), f"{document}.pdf")

    assert len(result["pages"]) >= MENDED.get(f"{name}.txt", accepted)
    assert_sound(vault.root)
    assert [p for p in vault_files(vault.root) if not p.startswith("wiki/")] == before
    assert (vault.root / "schema.md").read_text("utf-8") == "mine\n"
    assert not list((vault.root / ".obsidian").iterdir())
    for path in result["pages"]:
        text = wiki_notes(vault.root)[path]
        assert not LOADING.search(text), path
        assert "\r" not in text
        assert parse_page(text).sources == (f"{document}.pdf",)


async def test_a_reply_that_is_only_thinking_is_no_page(
    shared: Path, vault: Vault, make_desk: MakeDesk, make_model: MakeModel, server: ModelServer
) -> None:
    drop(vault, "pdf-tracemonkey.pdf", _pdf(14))
    reply = (shared / "cases/replies/broken/unclosed-think.txt").read_text("utf-8")
    server.when("generation", Say(reply, finish="length"))

    with pytest.raises(Exception, match=r"(?i)thinking|reply|cut"):
        await ingest(make_desk(make_model()), "pdf-tracemonkey.pdf")

    assert wiki_notes(vault.root) == {}
