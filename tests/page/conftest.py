"""A daemon in the middle of its work, and a browser that looks at its page."""

from __future__ import annotations

import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.bridge.conftest import Daemon, until
from tests.page.browser import Browser, PageError, find_chromium
from tests.page.worlds import LOCKED, MODEL, drop, prepare, slow_model
from tests.reliability.zygote import Zygote
from vaultd.bridge.keys import new_code
from vaultd.vault.files import Vault

STARTS = 3  # of a browser: now and then one hangs on a busy machine
AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"


def page_of(daemon: Daemon) -> str:
    """Return the address that `vaultd open` would open."""
    code = new_code(Vault(daemon.root, daemon.state), datetime.now(UTC))
    return f"{daemon.url}/#code={code}"


@pytest.fixture(scope="module")
def program() -> str:
    """The browser, without which the tests are skipped."""
    return find_chromium() or pytest.skip("no Chromium on this machine")


@pytest.fixture(scope="module")
def daemon(
    program: str, zygote: Zygote, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Daemon]:
    """Documents under way, next and held back; two questions; a month of costs."""
    root = tmp_path_factory.mktemp("page") / "Fermentation"
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with slow_model() as (model, gate):
        prepare(zygote, root, datetime.now(UTC))
        drop(root)
        started = Daemon(
            zygote,
            root,
            VAULTD_LLM__MODEL=MODEL,
            VAULTD_LLM__BASE_URL=model.url,
            VAULTD_BRIDGE__PORT=str(port),
            VAULTD_INGEST__PARALLEL="1",  # three in hand: the others are queued
        )
        try:
            assert until(lambda: is_set(started)), started.get("/v1/jobs")
            yield started
        finally:
            started.kill()  # what it does would end only with the model's answer
            gate.set()


def is_set(daemon: Daemon) -> bool:
    """Tell whether everything is under way or held back that will be."""
    states = [job["state"] for job in daemon.get("/v1/jobs")["jobs"]]
    return states.count("parked") == len(LOCKED) and "running" in states


@pytest.fixture(scope="module")
def window(program: str) -> Iterator[Browser]:
    """One browser for all tests of the module; one that does not come up is started again."""
    profile = Path(tempfile.mkdtemp(prefix="vaultd-browser-"))
    with ExitStack() as closing:
        closing.callback(shutil.rmtree, profile, ignore_errors=True)
        yield closing.enter_context(started_browser(program, profile))


def started_browser(program: str, profile: Path) -> Browser:
    """Return a browser that is up; where none comes up, the tests are skipped as without one."""
    said = ""
    for number in range(STARTS):
        browser = Browser(program, profile / str(number))
        try:
            browser.call("Browser.getVersion")
        except PageError as error:
            browser.close()
            said = str(error)
        else:
            return browser
    return pytest.skip(f"Chromium does not come up on this machine: {said}")


@pytest.fixture
def browser(window: Browser, daemon: Daemon) -> Iterator[Browser]:
    """The page, paired and complete; whatever a test does, it asks nobody but the daemon."""
    window.look(width=1240)
    window.requests.clear()
    window.errors.clear()
    window.open("about:blank")
    window.open(page_of(daemon))
    window.until("document.body.dataset.state === 'here'")
    window.until("document.querySelector('#usage svg')")
    yield window
    assert {address for address in window.requests if not address.startswith(daemon.url)} <= {
        "about:blank"
    }
    assert [text for text in window.errors if not text.startswith("Failed to load resource")] == []


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of the accessibility checker."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed: `npm ci` in tests/page")
    return AXE.read_text(encoding="utf-8")
