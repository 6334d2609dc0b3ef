"""Makes the pictures of the page for the documentation: `python -m tests.page.pictures`."""

from __future__ import annotations

import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from tests.bridge.conftest import Daemon, until
from tests.page.browser import Browser, find_chromium
from tests.page.conftest import is_set, page_of
from tests.page.worlds import MODEL, ROOT, drop, prepare, slow_model
from tests.reliability.zygote import Zygote

LOOKS = {
    "wide-light": {"width": 1240, "dark": False},
    "wide-dark": {"width": 1240, "dark": True},
    "narrow-light": {"width": 390, "dark": False},
    "narrow-dark": {"width": 390, "dark": True},
}


def main(folder: Path) -> None:
    program = find_chromium()
    assert program, "there is no Chromium"
    with tempfile.TemporaryDirectory() as made, slow_model() as (model, gate), Zygote() as zygote:
        root = Path(made) / "Fermentation"
        prepare(zygote, root, datetime.now(UTC))
        drop(root)
        daemon = Daemon(zygote, root, VAULTD_LLM__MODEL=MODEL, VAULTD_LLM__BASE_URL=model.url)
        try:
            with Browser(program, Path(made) / "profile") as browser:
                take(browser, daemon, folder)
        finally:
            daemon.kill()
            gate.set()


def take(browser: Browser, daemon: Daemon, folder: Path) -> None:
    """Wait until the scene is set, then look at it in every way."""
    assert until(lambda: is_set(daemon)), daemon.get("/v1/jobs")
    browser.look(width=1240)
    browser.open(page_of(daemon))
    browser.until("document.querySelectorAll('#held li').length && document.querySelector('svg')")
    browser.until("document.querySelector('#folders details details')")
    browser.click("#folders details details summary")
    browser.until("document.querySelectorAll('#folders a').length")
    browser.click("#estimate")
    browser.until("document.querySelectorAll('#upkeep-found li').length")
    browser.run("document.querySelector('#query').focus()")
    browser.type("why does salt slow the dough")
    browser.until("document.querySelectorAll('#results li').length")
    for name, look in LOOKS.items():
        browser.look(**look)  # type: ignore[arg-type]
        browser.until("document.fonts.status === 'loaded'")
        browser.picture(folder / f"{name}.png")
    assert browser.errors == []


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "page")
