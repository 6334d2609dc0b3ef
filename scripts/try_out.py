"""Drops a document into a copy of the sample vault and shows what the daemon makes of it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from vaultd.cli.asking import read_database
from vaultd.cli.looking import status_beside
from vaultd.cli.target import Target, target_at
from vaultd.cli.watching import watching
from vaultd.store import events
from vaultd.store.events import Event

ROOT = Path(__file__).resolve().parent.parent
DROPPED = ROOT / "scripts" / "sample" / "Temperature and fermentation.pdf"
QUESTIONS = ("what if the koji gets too warm", "米曲太热怎么办")  # the same, in another language
PATIENCE = 300.0  # seconds; a slow machine needs under one minute
QUIET = 2.0  # seconds without an open job: it is done
LINES_OF_PAGE = 60

VAULTD = (sys.executable, "-m", "vaultd")
SETTINGS = {  # a try-out need not wait for slow copies, and takes any free port
    "VAULTD_INGEST__SETTLE_SECONDS": "1",
    "VAULTD_WATCH__RESCAN_SECONDS": "5",
    "VAULTD_BRIDGE__PORT": "0",
}


def main() -> int:
    """Run the whole show; 1 if no page appeared."""
    own = {name: value for name, value in os.environ.items() if name.startswith("VAULTD_LLM__")}
    for name in [name for name in os.environ if name.startswith("VAULTD_")]:
        del os.environ[name]
    os.environ.update(SETTINGS | own)
    vault = Path(tempfile.mkdtemp(prefix="vaultd-try-")) / "Kitchen notes"
    shutil.copytree(ROOT / "sample-vault", vault)
    headline(f"A copy of the sample vault: {vault}")
    subprocess.run([*VAULTD, "init", "--vault", str(vault)], check=True)
    target = target_at(vault)
    with daemon(vault):
        headline(f"Dropping {DROPPED.name} into raw/ while the daemon runs")
        shutil.copy(DROPPED, vault / "raw")
        ended = follow(target)
        written = show_pages(target)
        for question, count in zip(QUESTIONS, ("5", "2"), strict=True):
            headline(f'vaultd search "{question}"')
            asked = [*VAULTD, "search", question, "-k", count, "--vault", str(vault)]
            subprocess.run(asked, check=False)
    headline("Look at it in Obsidian")
    print(f"Open folder as vault: {vault}")
    print(f"or: obsidian://open?path={quote(str(vault))}")
    command = Path(sys.executable).with_name("vaultd")
    print(f"Drop a document of your own into raw/ and run: {command} run --once --vault '{vault}'")
    return 0 if ended and written else 1


def headline(text: str) -> None:
    """Print a line that stands out."""
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n== {text}", flush=True)


@contextmanager
def daemon(vault: Path) -> Iterator[None]:
    """Run `vaultd run` beside this process; its log goes to the vault's state folder."""
    process = subprocess.Popen(
        [*VAULTD, "run", "--vault", str(vault)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=20)


def follow(target: Target) -> bool:
    """Show progress until nothing is open any more; False if that takes too long."""
    began = time.monotonic()
    quiet_since: float | None = None
    cursor = 0
    with watching() as tell:
        while time.monotonic() - began < PATIENCE:
            cursor = told(target, cursor, tell)
            status = status_beside(target)
            seen = any(DROPPED.name in file["path"] for file in status["files"])
            if not seen or status["jobs"] or status["counts"]["queued"]:
                quiet_since = None
            elif quiet_since is None:
                quiet_since = time.monotonic()
            elif time.monotonic() - quiet_since > QUIET:
                return True
            time.sleep(0.3)
    print(f"Still not done after {PATIENCE:.0f} s: see {target.state / 'logs'}")
    return False


def told(target: Target, cursor: int, tell: Callable[[Event], None]) -> int:
    """Show the events after `cursor`; return the new cursor."""
    page = read_database(target, lambda db: db.read(events.since, cursor))
    if page is None:
        return cursor
    for event in page.events:
        tell(event)
    return page.cursor


def show_pages(target: Target) -> int:
    """Print the pages written, the tree of the wiki, and the dropped document's page."""
    wiki = target.root / "wiki"
    pages = sorted(path for path in wiki.rglob("*.md"))
    headline(f"{len(pages)} pages in wiki/")
    for line in tree(wiki):
        print(line)
    for file in status_beside(target)["files"]:
        line = f"{file['state']:8} {file['path']} → {len(file['pages'])} pages {file['reason']}"
        print(line.rstrip())
    page = wiki / "sources" / f"{DROPPED.stem}.md"
    if page.exists():
        lines = page.read_text(encoding="utf-8").splitlines()
        headline(f"wiki/sources/{page.name}")
        print("\n".join(lines[:LINES_OF_PAGE]))
        if len(lines) > LINES_OF_PAGE:
            print(f"… and {len(lines) - LINES_OF_PAGE} lines more")
    return int(page.exists())


def tree(folder: Path, indent: str = "") -> Iterator[str]:
    """Give the lines of a folder tree, folders first."""
    entries = sorted(folder.iterdir(), key=lambda path: (path.is_file(), path.name))
    for at, entry in enumerate(entries):
        last = at == len(entries) - 1
        yield f"{indent}{'└── ' if last else '├── '}{entry.name}{'/' if entry.is_dir() else ''}"
        if entry.is_dir():
            yield from tree(entry, indent + ("    " if last else "│   "))


if __name__ == "__main__":
    sys.exit(main())
