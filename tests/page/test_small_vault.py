"""What the page makes of names of any length and direction, and of a vaultd that comes and goes."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from itertools import pairwise

import pytest

from tests.bridge.conftest import Daemon, until
from tests.page.browser import Browser
from tests.page.conftest import page_of
from tests.reliability.zygote import Zygote
from vaultd.bridge.keys import new_token
from vaultd.vault.files import Vault

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

LONG = "x" * 180
ARABIC = "هجرة/مذكرات عن الريح.md"
WIND = "الرياح الشمالية قوية في الشتاء وتحمل الغبار إلى المدينة. "
CUT = b"%PDF-1.7\nthe rest has not come yet"
NAMES = {
    f"{LONG}.md": f"# {LONG}\n\nThis name has no place to break, and its text is short. ",
    "很长的文件名.md": "# 很长的文件名\n\n文件名太长的时候，列表里就看不清后面的内容。",
    ARABIC: f"# مذكرات\n\n{WIND * 3}",
}


@pytest.fixture(scope="module")
def daemon(
    program: str, zygote: Zygote, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Daemon]:
    """Three documents with names of their own, and one that has not come whole."""
    root = tmp_path_factory.mktemp("names") / "Notes"
    for name, text in NAMES.items():
        place = root / "raw" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    (root / "raw" / "Cut.pdf").write_bytes(CUT)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    started = Daemon(zygote, root, VAULTD_BRIDGE__PORT=str(port))
    try:
        assert until(lambda: is_set(started)), started.get("/v1/status")
        started.idle()
        yield started
    finally:
        started.kill()


def is_set(daemon: Daemon) -> bool:
    """Tell whether all is done that can be."""
    counts = daemon.get("/v1/status")["counts"]
    return bool(counts["done"] == len(NAMES) and counts["waiting"] + counts["parked"] == 1)


@pytest.fixture
def page(window: Browser, daemon: Daemon) -> Browser:
    """The page of that vault, complete."""
    window.look(width=1240)
    window.open("about:blank")
    window.open(page_of(daemon))
    window.until("document.body.dataset.state === 'here'")
    window.until(f"document.querySelectorAll('#lately li').length === {len(NAMES)}")
    window.until("document.querySelectorAll('#folders details').length")
    return window


def search(page: Browser, text: str) -> None:
    page.run("document.querySelector('#query').focus()")
    page.type(text)
    page.until("document.querySelectorAll('#results li').length")


@pytest.mark.parametrize("width", [1240, 620, 320])
def test_no_name_makes_the_page_wider_than_its_window(page: Browser, width: int) -> None:
    page.look(width=width)
    search(page, LONG[:20])
    page.run("document.querySelectorAll('#folders details').forEach(e => e.open = true)")
    page.until("document.querySelectorAll('#folders a').length >= 2")

    assert page.run("document.documentElement.scrollWidth") == width


def test_a_path_is_shown_in_its_order_whatever_direction_its_names_have(page: Browser) -> None:
    search(page, "الرياح الشمالية")
    parts = "[...document.querySelectorAll('#results li:first-child a .where bdi')]"
    lefts = page.run(f"{parts}.map(e => e.getBoundingClientRect().left)")

    assert page.run(f"{parts}.map(e => e.innerText)") == ["raw", "هجرة", "مذكرات"]
    assert all(one < other for one, other in pairwise(lefts))
    direction = "getComputedStyle(document.querySelector('#results .snippet')).direction"
    assert page.run(direction) == "rtl"
    assert page.text("#results .also") == "Also in مذكرات wiki/sources/هجرة"


def test_a_heading_that_is_the_title_is_named_once(page: Browser) -> None:
    search(page, "文件名")

    assert page.text("#results a") == (
        "很长的文件名 raw\n很长的文件名 文件名太长的时候，列表里就看不清后面的内容。"
    )


def test_a_file_that_waits_without_a_job_is_listed_with_its_reason(
    page: Browser, daemon: Daemon
) -> None:
    page.until("document.querySelectorAll('#held li').length")
    shown = page.text("#held")
    page.click("#held button")
    page.until("document.querySelector('#held').innerText.includes('damaged')")

    assert shown.startswith("Cut.pdf")
    assert "the end of the file is missing" in shown
    assert page.run("document.querySelectorAll('#held li').length") == 1
    page.click("#estimate")
    page.until("document.querySelectorAll('#upkeep-found li').length")
    assert page.text("#upkeep-said") == "1 document cannot be read."


def test_a_held_file_is_asked_about_once(page: Browser) -> None:
    question = {"title": "T", "text": "x", "options": ["Skip"], "pages": [], "sources": []}
    asked = [question | {"id": "1", "kind": "parked"}, question | {"id": "2", "kind": "conflict"}]
    page.run(
        "import('/page/reviews.js').then(m =>"
        f" m.makeReviews(null, null).render({json.dumps(asked)}, 'Notes'))"
    )

    assert page.run("document.querySelectorAll('#reviews > li').length") == 1
    assert page.text("#reviews .kind") == "Your edit and a new version"


def test_keys_of_an_input_method_stay_with_it(page: Browser) -> None:
    search(page, "文件名")
    page.call("Input.imeSetComposition", text="tai", selectionStart=3, selectionEnd=3)
    page.press("ArrowDown")

    assert page.run("document.activeElement.id") == "query"
    assert page.run("document.querySelector('#query').value") == "文件名tai"


def test_a_page_whose_key_was_changed_asks_for_the_new_one(page: Browser, daemon: Daemon) -> None:
    new_token(Vault(daemon.root, daemon.state))
    (daemon.root / "Another note.md").write_text("It is indexed, and the page is told.\n")
    page.until("document.body.dataset.state === 'stranger'")

    assert "vaultd open" in page.text("#stranger")
    assert not page.run("document.querySelector('#work').checkVisibility()")


def test_a_vaultd_that_comes_back_is_asked_again_and_tells_nothing_twice(
    page: Browser, daemon: Daemon
) -> None:
    daemon.kill()
    page.until("document.body.dataset.state === 'away'")
    page.run("document.querySelector('#query').focus()")
    page.type("文件名")
    page.until("document.querySelector('#search-said').innerText === 'vaultd does not answer.'")
    daemon.start()
    page.until("document.querySelectorAll('#results li').length", within=40)

    assert page.text("#results a").startswith("很长的文件名")
    assert page.run("document.querySelectorAll('#lately li').length") == len(NAMES)
