"""What a person sees and does on the page, in a real browser before a real daemon."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.bridge.conftest import Daemon
from tests.page.browser import Browser
from tests.page.conftest import page_of
from vaultd.store.database import Connection, Database

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

FOCUSED = "document.activeElement"


def rows(browser: Browser, selector: str) -> list[str]:
    """Return the texts of the elements that fit."""
    found = f"[...document.querySelectorAll({json.dumps(selector)})].map(e => e.innerText)"
    return list(browser.run(found))


def one(selector: str, text: str) -> str:
    """Return the expression for the element that fits and shows `text`."""
    shows = f"e => e.innerText.includes({json.dumps(text)})"
    return f"[...document.querySelectorAll({json.dumps(selector)})].find({shows})"


def test_it_shows_what_is_under_way_held_back_and_why(browser: Browser, daemon: Daemon) -> None:
    browser.until(one("#held li", "Bakery ledger 1931.pdf"))
    browser.until(one("#running li", "Understanding"))

    assert browser.text("#vault") == "Fermentation"
    assert browser.text("#state").startswith("Working: ")
    under_way = rows(browser, "#running li")
    assert any("Understanding" in row and ".md" in row for row in under_way)
    assert browser.run("document.querySelectorAll('#running progress').length") == len(under_way)
    assert any(".md raw/" in row for row in under_way), "name and folder are apart"
    held = rows(browser, "#held li")
    assert all("The PDF wants a password" in row for row in held)
    figures = dict(row.split("\n") for row in rows(browser, ".figure"))
    assert figures["held back"] == str(len(held))
    assert figures["done"] == "3"
    assert "Sourdough, what happens in the dough.pdf" in browser.text("#lately")


def test_the_code_is_traded_once_and_leaves_the_address(window: Browser, daemon: Daemon) -> None:
    address = page_of(daemon)
    window.open("about:blank")
    window.open(address)
    window.until("document.body.dataset.state === 'here'")
    shown = window.run("location.href")
    window.run("sessionStorage.clear()")
    window.open("about:blank")
    window.open(address)
    window.until("document.body.dataset.state === 'stranger'")

    assert shown == f"{daemon.url}/"
    assert daemon.token not in window.run("document.documentElement.outerHTML")


def test_a_stranger_sees_nothing_of_the_vault(window: Browser, daemon: Daemon) -> None:
    window.open(f"{daemon.url}/health")
    window.run("sessionStorage.clear()")
    window.open(f"{daemon.url}/")
    window.until("document.body.dataset.state === 'stranger'")

    assert "vaultd open" in window.text()
    assert "Fermentation" not in window.run("document.documentElement.outerHTML")
    assert not window.run("document.querySelector('#query').checkVisibility()")


def test_the_key_stays_in_its_tab(browser: Browser, daemon: Daemon) -> None:
    browser.open(f"{daemon.url}/")
    browser.until("document.body.dataset.state === 'here'")

    assert browser.run("localStorage.length") == 0
    assert browser.run("document.cookie") == ""


def test_results_come_while_one_types_and_open_in_obsidian(browser: Browser) -> None:
    browser.run("document.body.focus()")
    browser.press("/")
    assert browser.run(f"{FOCUSED}.id") == "query"
    browser.type("salt slows the dou")
    browser.until("document.querySelectorAll('#results a').length > 1")
    browser.press("ArrowDown")
    browser.press("ArrowDown")
    browser.press("ArrowUp")

    assert browser.run(f"{FOCUSED} === document.querySelector('#results a')")
    link = browser.run(f"{FOCUSED}.href")
    assert link.startswith("obsidian://open?vault=Fermentation&file=raw%2Fbread%2FSourdough")
    assert browser.run(f"{FOCUSED}.querySelectorAll('mark').length") >= 2
    assert "page 2" in browser.run(f"{FOCUSED}.innerText")
    assert browser.text("#search-said").startswith("6 results.")
    browser.press("Escape")
    assert browser.run(f"{FOCUSED}.id") == "query"
    browser.press("Escape")
    assert browser.run("document.querySelector('#query').value") == ""
    assert browser.run("document.querySelectorAll('#results li').length") == 0


def test_only_the_last_question_is_answered(browser: Browser) -> None:
    browser.run("document.querySelector('#query').focus()")
    for letters in ("sal", "t", " zzzzqqq"):
        browser.type(letters)
    browser.press("Enter")
    browser.until("document.querySelector('#search-said').innerText")

    assert browser.run("document.querySelector('#query').value") == "salt zzzzqqq"
    browser.run("document.querySelector('#query').value = ''")
    browser.press("Enter")
    browser.until("document.querySelector('#search-said').innerText === ''")


def test_what_is_queued_can_be_cancelled_from_the_keyboard(
    browser: Browser, daemon: Daemon
) -> None:
    (daemon.root / "raw" / "To be cancelled.md").write_text("Nobody wants this. " * 20)
    title = one("#queued li", "To be cancelled")
    browser.until(title)
    browser.run(f"({title}).querySelector('button').focus()")
    assert browser.run(f"{FOCUSED}.ariaLabel") == "Cancel: To be cancelled.md"
    browser.press("Enter")
    browser.until(f"!({title})")

    assert browser.text("#said") == "To be cancelled.md is cancelled."
    files = {each["path"]: each["state"] for each in daemon.get("/v1/status")["files"]}
    assert files["raw/To be cancelled.md"] == "cancelled"


@pytest.fixture
def held(daemon: Daemon) -> Iterator[None]:
    """Hold back again what a test let go; the lanes are full, so nobody has begun it."""
    locked = "subject like '%Bakery ledger%'"
    db = Database(daemon.state / "vaultd.db")
    try:
        before: Any = db.read_sync(
            lambda c: c.execute(f"select id, reason, code from jobs where {locked}").fetchall()
        )
        yield
        for number, reason, code in before:
            db.run_sync(_hold, number, reason, code)
    finally:
        db.close()


def _hold(db: Connection, number: int, reason: str, code: str) -> None:
    db.execute(
        "update jobs set state = 'parked', reason = ?, code = ? where id = ?",
        (reason, code, number),
    )


def test_everything_held_back_can_be_tried_again(browser: Browser, held: None) -> None:
    browser.until(one("#held li", "Bakery ledger 1931.pdf"))
    browser.click("#retry-all")
    browser.until(one("#queued li", "Bakery ledger 1931.pdf"))
    browser.until(one("#queued li", "Bakery ledger 1932.pdf"))

    assert browser.text("#said") == "Everything held back is tried again."
    assert not browser.run("document.querySelector('#retry-all').checkVisibility()")


def test_the_wiki_is_looked_over_on_demand(browser: Browser, daemon: Daemon) -> None:
    (daemon.root / "wiki" / "concepts" / "Lonely.md").write_text(
        "---\ntype: concept\n---\n[[Nowhere at all]]\n"
    )
    browser.click("#lint")
    browser.until("document.querySelector('#upkeep-said').innerText.includes('in the wiki.')")

    found = one("#upkeep-found li", "Nowhere at all is not there.")
    assert browser.run(f"({found}).querySelector('a').href").endswith("wiki%2Fconcepts%2FLonely")
    assert browser.run(f"{FOCUSED}.id") == "lint"


def test_vaultd_is_checked_on_demand(browser: Browser) -> None:
    browser.click("#doctor")
    browser.until(one("#upkeep-found li", "holds the lock"))

    found = rows(browser, "#upkeep-found li")
    assert "check" in browser.text("#upkeep-said")
    assert found[0].startswith("embedder"), "what needs a look comes first"
    assert 'Set embedding.provider = "builtin".' in found[0]


def test_what_documents_would_cost_is_told(browser: Browser) -> None:
    browser.click("#estimate")
    browser.until("document.querySelector('#upkeep-said').innerText.includes('not taken yet.')")

    assert browser.text("#upkeep-said").startswith("About ")
    assert any("Rye sours" in row and "tokens" in row for row in rows(browser, "#upkeep-found li"))


def test_what_was_written_offline_can_be_rewritten(browser: Browser, daemon: Daemon) -> None:
    db = Database(daemon.state / "vaultd.db")
    last = db.read_sync(lambda c: c.execute("select max(id) from jobs").get)
    browser.until("document.querySelector('#rewrite').checkVisibility()")
    browser.click("#rewrite")
    browser.until("document.querySelector('#upkeep-said').innerText.includes('written anew')")
    browser.until(one("#queued li", "Koji for beginners.md"))

    db.run_sync(lambda c: c.execute(f"delete from jobs where id > {last} and kind = 'ingest'").get)
    db.close()


def test_what_is_held_back_can_be_tried_again(browser: Browser, daemon: Daemon, held: None) -> None:
    title = one("#held li", "Bakery ledger 1932.pdf")
    browser.until(title)
    browser.run(f"({title}).querySelector('button').focus()")
    assert browser.run(f"{FOCUSED}.ariaLabel") == "Retry: Bakery ledger 1932.pdf"
    browser.press("Enter")
    browser.until(one("#queued li", "Bakery ledger 1932.pdf"))

    assert browser.text("#said") == "Bakery ledger 1932.pdf is tried again."


def test_a_question_is_answered_by_an_option(browser: Browser, daemon: Daemon) -> None:
    title = "A page for amylase?"
    item = one(".review", title)
    assert browser.run(f"({item}).querySelector('a').href").startswith("obsidian://open?vault=")
    browser.run(
        f"[...({item}).querySelectorAll('button')].find(e => e.innerText === 'Skip').focus()"
    )
    browser.press("Enter")
    browser.until(f"!({item})")

    answered = daemon.get("/v1/reviews", state="answered")["reviews"]
    assert [(each["title"], each["action"]) for each in answered if each["title"] == title] == [
        (title, "Skip")
    ]


def test_a_question_is_answered_in_ones_own_words(browser: Browser, daemon: Daemon) -> None:
    item = one(".review", "Two figures")
    browser.run(f"({item}).querySelector('summary').focus()")
    browser.press("Enter")
    browser.until(f"({item}).querySelector('textarea').checkVisibility()")
    browser.run(f"({item}).querySelector('textarea').focus()")
    browser.type("Bread and miso differ.")
    assert browser.run(f"document.querySelector('label[for=' + {FOCUSED}.id + ']') !== null")
    browser.run(f"({item}).querySelector('form').requestSubmit()")
    browser.until(f"!({item})")

    page = (daemon.root / "wiki" / "concepts" / "Dough.md").read_text(encoding="utf-8")
    assert "> Bread and miso differ." in page


def test_folders_say_what_they_are_about_and_open(browser: Browser) -> None:
    browser.until("document.querySelector('#folders details[open] details')")
    folder = one("#folders details details", "concepts")
    browser.run(f"({folder}).querySelector('summary').focus()")
    browser.press("Enter")
    browser.until(f"({folder}).querySelector('a')")

    assert browser.text("#folders > li > details > summary .abstract")
    links = browser.run(f"[...({folder}).querySelectorAll('a')].map(e => e.href)")
    assert "obsidian://open?vault=Fermentation&file=wiki%2Fconcepts%2FDough" in links
    assert browser.run(f"({folder}).querySelector('li .abstract').innerText")


def test_usage_is_drawn_and_stands_in_a_table(browser: Browser, daemon: Daemon) -> None:
    days = {row["day"] for row in daemon.get("/v1/usage", days=30)["days"]}
    browser.click("#usage summary")

    assert browser.run("document.querySelectorAll('#usage g').length") == 30
    drawn = "[...document.querySelectorAll('#usage g')].filter(e => e.getBBox().height > 1).length"
    assert abs(browser.run(drawn) - len(days)) <= 1  # a call under way may have been counted since
    assert abs(len(rows(browser, "#usage tbody tr")) - len(days)) <= 1
    assert "tokens in" in browser.text("#usage")


def test_what_is_dropped_appears_by_itself(browser: Browser, daemon: Daemon) -> None:
    loads = sum(address == f"{daemon.url}/" for address in browser.requests)
    browser.run("document.querySelector('#query').value = 'half a thou'")
    (daemon.root / "raw" / "Dropped meanwhile.md").write_text("A new leaf. " * 30)
    browser.until("document.querySelector('#work').innerText.includes('Dropped meanwhile.md')")

    assert browser.run("document.querySelector('#query').value") == "half a thou"
    assert sum(address == f"{daemon.url}/" for address in browser.requests) == loads


def test_a_daemon_that_is_gone_is_a_quiet_state(browser: Browser, daemon: Daemon) -> None:
    daemon.kill()
    browser.until("document.body.dataset.state === 'away'")
    shown = browser.text()
    daemon.start()
    browser.run("document.querySelector('#again').click()")  # it may have found out by itself
    browser.until("document.body.dataset.state === 'here'", within=40)

    assert "vaultd is not running" in shown
    assert "Looking again in" in shown
    assert "Sourdough" in shown, "what was known stays"
    assert not browser.run("document.querySelector('#again').checkVisibility()")
    browser.until("document.querySelectorAll('#running li').length")


def test_texts_are_never_markup(browser: Browser, daemon: Daemon) -> None:
    name = "<img src=x onerror=document.title='pwned'>.md"
    (daemon.root / "raw" / name).write_text("Harmless. " * 30)
    browser.until("document.querySelector('#work').innerText.includes('<img src=x')")

    assert browser.run("document.querySelectorAll('img').length") == 0
    assert "pwned" not in browser.run("document.title")


@pytest.mark.parametrize(
    ("width", "dark"),
    [
        (1240, False),
        (390, True),
        pytest.param(1240, True, marks=pytest.mark.full),
        pytest.param(390, False, marks=pytest.mark.full),
    ],
)
def test_nothing_is_in_the_way_of_anybody(
    browser: Browser, axe: str, width: int, dark: bool
) -> None:
    browser.look(width=width, dark=dark)
    browser.run("document.querySelector('#query').focus()")
    browser.type("salt")
    browser.until("document.querySelectorAll('#results a').length")
    browser.run("document.querySelectorAll('details').forEach(e => e.open = true)")
    browser.until("document.querySelectorAll('#folders a').length")
    browser.run(axe)

    found = browser.run("axe.run(document, {resultTypes: ['violations']})")
    assert [_said(each) for each in found["violations"]] == []
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")


def test_everything_is_reached_by_tab_and_marked(browser: Browser) -> None:
    shown = (
        "[...document.querySelectorAll('a[href], button, input, summary, textarea')]"
        ".filter(e => e.checkVisibility() && !e.disabled)"
    )
    order, marks = [], set()
    browser.press("Tab")
    while browser.run(f"{FOCUSED} !== document.body"):
        order.append(browser.run(f"{shown}.indexOf({FOCUSED})"))
        marks.add(browser.run(f"getComputedStyle({FOCUSED}).outlineStyle"))
        browser.press("Tab")

    assert order == sorted(order), "from the top to the bottom"
    assert order[0] == 0
    assert len(order) + 2 > browser.run(f"{shown}.length"), "what came meanwhile may be left out"
    assert marks == {"solid"}


def test_the_way_in_is_in_nobodys_way(window: Browser, daemon: Daemon, axe: str) -> None:
    window.open(f"{daemon.url}/health")
    window.run("sessionStorage.clear()")
    window.open(f"{daemon.url}/")
    window.until("document.body.dataset.state === 'stranger'")
    window.run(axe)

    found = window.run("axe.run(document, {resultTypes: ['violations']})")
    assert [_said(each) for each in found["violations"]] == []


def _said(violation: dict[str, Any]) -> str:
    places = [node["html"] + " " + str(node.get("failureSummary")) for node in violation["nodes"]]
    return f"{violation['id']}: {violation['help']}: {places}"


@pytest.mark.parametrize(
    ("module", "call", "value"),
    [
        ("usage", "[1, 3, 12, 101, 5000].map(m.roundUp)", [1, 5, 20, 200, 5000]),
        ("words", "m.pieces('a **b** c')", [["a ", False], ["b", True], [" c", False]]),
        (
            "words",
            "m.obsidian('A & B', 'a/b c.md')",
            "obsidian://open?vault=A%20%26%20B&file=a%2Fb%20c",
        ),
        ("words", "[m.nameOf('a/b.md'), m.folderOf('a/b.md'), m.folderOf('a')]", ["b.md", "a", ""]),
        ("words", "[m.counted(1, 'page'), m.counted(1200, 'page')]", ["1 page", "1,200 pages"]),
        (
            "words",
            "m.stepOf({stage: 'captions', done: 2, total: 9})",
            "Describing pictures, 2 of 9",
        ),
        ("words", "m.titleOf({kind: 'index', subject: 'a/b.md'})", "Index: b.md"),
    ],
)
def test_its_words(window: Browser, daemon: Daemon, module: str, call: str, value: Any) -> None:
    window.open(f"{daemon.url}/")

    assert window.run(f"import('/page/{module}.js').then(m => {call})") == value
