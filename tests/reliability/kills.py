"""A vault, a scripted model and the real program, killed and started again; and the judgement."""

from __future__ import annotations

import difflib
import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import apsw

from tests.model_replies import block, invented
from tests.model_server import Call, ModelServer
from tests.reliability.zygote import FOLDERS_REST, Run, Zygote
from vaultd.crash import CRASH_VARIABLE
from vaultd.daemon.place import database_path
from vaultd.model.jobs import JobKind, NewJob
from vaultd.settings import Settings
from vaultd.store import jobs
from vaultd.store.database import Database
from vaultd.vault.disk import TEMP_PREFIX, TEMP_SUFFIX
from vaultd.vault.layout import make_layout

DATE = re.compile(r"\b20\d\d-\d\d-\d\d\b")
KEPT = re.compile(r"^(?:File: .*|Summary page: .*|Pages to write:|- wiki/.*\.md.*)$", re.MULTILINE)
SUBJECTS = ("otters", "lichens", "clocks", "tides", "looms", "glaciers", "bees", "kilns", "maps")
FACT = "{subject} were described in chapter {number}: they need {n} days and {m} hands."
LATENCY = 0.15  # seconds before each reply
ENDS_WITHIN = 300.0  # seconds; an undisturbed run of ten documents needs ten
WIDTH = 12  # calls that may be open at once: three sources, summaries, embeddings
OWN_STAGES = ("analysis", "chunk", "generation", "again", "review", "merge")  # of the sources


@dataclass(slots=True)
class World:
    """One vault, worked on by one process after the other."""

    root: Path
    server: ModelServer
    zygote: Zygote
    environment: dict[str, str] = field(default_factory=dict)
    runs: int = 0

    @classmethod
    def make(cls, folder: Path, server: ModelServer, zygote: Zygote, documents: int) -> World:
        """Make a vault with so many dropped documents; the last one is long."""
        root = folder / "vault"
        (root / ".obsidian").mkdir(parents=True)
        (root / "raw/deep").mkdir(parents=True)
        make_layout(root)
        (root / "Own note.md").write_text("# Own note\n\nNobody else writes here.\n")
        for number in range(documents):
            name = SUBJECTS[number % len(SUBJECTS)]
            place = root / "raw" / ("deep" if number % 2 else "")
            text = document(f"{name} {number}", sentences=400 if number == documents - 1 else 20)
            (place / f"{name.title()} {number}.txt").write_text(text)
        environment = {
            "VAULTD_LLM__MODEL": "scripted",
            "VAULTD_LLM__BASE_URL": server.url,
            "VAULTD_LLM__CONTEXT_CHARS": "24000",
            "OPENAI_API_KEY": "none",
            "VAULTD_EMBEDDING__PROVIDER": "openai",
            "VAULTD_EMBEDDING__BASE_URL": server.url,
            "VAULTD_EMBEDDING__MODEL": "scripted",
            "VAULTD_INGEST__SETTLE_SECONDS": "0.05",
            "VAULTD_INGEST__RETRY_FIRST_SECONDS": "0.05",
            "VAULTD_BRIDGE__ENABLED": "false",
            FOLDERS_REST: "0.2",
        }
        return cls(root, server, zygote, environment)

    @property
    def log(self) -> Path:
        return self.root.parent / "output.txt"

    def start(self, **environment: str) -> Run:
        """Start `vaultd run --once` on the vault."""
        self.runs += 1
        command = ["--vault", str(self.root), "run", "--once"]
        return self.zygote.start(command, self.environment | environment, self.log)

    def finish(self, **environment: str) -> int:
        """Run until nothing is due; return the exit code."""
        run = self.start(**environment)
        code = run.wait(ENDS_WITHIN)
        if code is None:
            run.kill()
            raise AssertionError(f"still working after {ENDS_WITHIN} s\n{self.tail()}")
        return code

    def die_at(self, point: str) -> bool:
        """Run with a crash point; tell whether the program died there (else it is finished)."""
        return self.finish(**{CRASH_VARIABLE: point}) == -9

    def queue(self, sources: Sequence[str]) -> None:
        """Queue these sources in this order, before any run."""
        db = Database(database_path(self.root, Settings()))
        new = [
            NewJob(JobKind.INGEST, path, sha256((self.root / path).read_bytes()).hexdigest())
            for path in sources
        ]
        db.run_sync(jobs.enqueue_all, new, now=datetime.now(UTC))
        db.close()

    def order(self) -> list[str]:
        """Return the sources in the order in which they were first published.

        One that was published when its job had not been told so is looked at once more.
        """
        rows = self.rows(
            "select source from plans where source != '' group by source order by min(id)"
        )
        return [f"raw/{source}" for (source,) in rows]

    def moved(self) -> int:
        """Return how many sources were not published in the order in which they were queued."""
        queued = [
            row[0]
            for row in self.rows("select subject from jobs where kind = 'ingest' order by id")
        ]
        ends = list[int]()  # of the rising runs so far, by length: the longest keeps its order
        for place in map(queued.index, self.order()):
            at = bisect_left(ends, place)
            ends[at : at + 1] = [place]
        return len(queued) - len(ends)

    def points(self) -> dict[str, int]:
        """Finish the vault; return which crash points that passed, and how often."""
        file = self.root.parent / "points.json"
        self.finish(**{CRASH_VARIABLE: "none", "POINTS_FILE": str(file)})
        found: dict[str, int] = json.loads(file.read_text())
        return found

    def tail(self) -> str:
        """Return the end of what the runs printed and logged."""
        logged = self.root / ".llm-wiki/logs/vaultd.log"
        files = (self.log, logged)
        return "\n".join(file.read_text()[-3000:] for file in files if file.exists())

    def files(self) -> dict[str, str]:
        """Return every file of the vault but the state, its dates replaced."""
        found = {}
        for path in sorted(self.root.rglob("*")):
            inside = path.relative_to(self.root)
            if path.is_file() and inside.parts[0] not in (".llm-wiki", ".obsidian"):
                found[str(inside)] = DATE.sub("DATE", path.read_text(encoding="utf-8"))
        return found

    def temps(self) -> list[Path]:
        """Return the temporary files that lie about."""
        return [p for p in self.root.rglob(f"{TEMP_PREFIX}*") if p.name.endswith(TEMP_SUFFIX)]

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Ask the database, while nobody writes."""
        db = apsw.Connection(str(self.root / ".llm-wiki/vaultd.db"), apsw.SQLITE_OPEN_READONLY)
        try:
            return db.execute(sql).fetchall()
        finally:
            db.close()


def document(subject: str, *, sentences: int) -> str:
    """Return a text about `subject` that no other subject has."""
    said = [
        FACT.format(subject=subject.title(), number=n, n=n * 7 % 31, m=n * 5 % 13)
        for n in range(sentences)
    ]
    paragraphs = [" ".join(said[start : start + 5]) for start in range(0, len(said), 5)]
    return f"About {subject}\n\n" + "\n\n".join(paragraphs) + "\n"


def steady(call: Call) -> str | None:
    """Answer by the document alone, so that no reply depends on what was written meanwhile.

    Every document has a page of its own and adds to one that all share.
    """
    if call.stage == "folder":
        told = re.findall(r"^(?:Folder|Holds): (.*)$", call.prompt, re.MULTILINE)
        return json.dumps({"abstract": " holds ".join(told), "overview": "## All of it"})
    if call.stage not in OWN_STAGES or call.stage == "merge":
        return None
    match = re.search(r"^File: (.*)$", call.prompt, re.MULTILINE)
    text = invented(call.stage, "\n".join(KEPT.findall(call.prompt)))
    if call.stage != "generation" or not match:
        return text
    file = match[1].strip()
    head = (
        f'---\ntype: concept\ntitle: "Shared idea"\nsources: ["{file}"]\n---\n\n# Shared idea\n\n'
    )
    shared = block("wiki/concepts/shared-idea.md", f"{head}In {file} it has a place of its own.")
    return f"{shared}\n\n{text}"


@dataclass(slots=True)
class Whole:
    """What an undisturbed run leaves."""

    files: dict[str, str]
    asked: Counter[tuple[str, str]]

    @classmethod
    def of(cls, world: World) -> Whole:
        return cls(world.files(), asked(world))


def asked(world: World) -> Counter[tuple[str, str]]:
    """Return how many usable replies each source has at each stage."""
    rows = world.rows("select stage, subject from model_calls where outcome = 'ok'")
    return Counter((stage, subject) for stage, subject in rows if stage in OWN_STAGES)


def faults(world: World, whole: Whole, kills: int) -> Iterator[str]:
    """Give every promise that the killed runs broke, in words.

    A job in whose place a newer one was done is none: the file had changed meanwhile.
    """
    states = world.rows(
        "select kind, subject, state, reason from jobs as job where state != 'done'"
        " and not (state = 'cancelled' and (kind = 'summarize' or exists (select 1 from jobs"
        " where kind = job.kind and subject = job.subject and id > job.id and state = 'done')))"
    )
    yield from (f"{kind} of {subject} is {state}: {why}" for kind, subject, state, why in states)
    often = world.rows(
        "select subject, count(*) from jobs where kind = 'ingest'"
        " group by subject having count(*) > 1"
    )
    yield from (f"{subject} was queued {count} times" for subject, count in often)
    yield from differences(whole.files, world.files())
    again = world.rows(
        "select stage, subject from model_calls as late where exists (select 1 from model_calls"
        " where digest = late.digest and outcome = 'ok' and id < late.id)"
    )
    yield from (f"{stage} of {subject} was asked again" for stage, subject in again)
    moved = world.moved()
    for step, count in asked(world).items():
        # One that was found running too often goes last, and merges into what others wrote since.
        allowed = whole.asked[step] + (moved if step[0] == "merge" else 0)
        if count > allowed:
            yield f"{step} has {count} replies, undisturbed it has {whole.asked[step]}"
    cut = world.rows("select count(*) from model_calls where ended is null")[0][0]
    if cut > kills * WIDTH:
        yield f"{cut} calls cut by {kills} kills"
    yield from (f"{path} is left over" for path in world.temps())
    yield from _index_faults(world)


def _index_faults(world: World) -> Iterator[str]:
    checked = world.rows("pragma integrity_check")
    if checked != [("ok",)]:
        yield f"integrity check: {checked[:3]}"
    orphans = world.rows(
        "select count(*) from windows where passage not in (select id from passages)"
    )
    if orphans[0][0]:
        yield f"{orphans[0][0]} windows without a passage"


def differences(wanted: dict[str, str], found: dict[str, str]) -> Iterator[str]:
    """Give the files that are missing, additional or different."""
    for path in sorted(wanted.keys() | found.keys()):
        if path not in found:
            yield f"{path} is missing"
        elif path not in wanted:
            yield f"{path} should not be there"
        elif wanted[path] != found[path]:
            old, new = wanted[path].splitlines(), found[path].splitlines()
            yield "\n".join([f"{path} differs:", *difflib.unified_diff(old, new, n=0, lineterm="")])
