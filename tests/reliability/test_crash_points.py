"""Every durable step has a crash point, and dying at any of them changes nothing in the end."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.model_server import ModelServer
from tests.reliability.kills import ENDS_WITHIN, Whole, World, faults, steady
from tests.reliability.zygote import ROOT, Zygote

PROGRAM = ROOT / "vaultd"
DURABLE = frozenset(["replace", "rename", "unlink", "rmdir", "write_text", "write_bytes", "link"])
ELSEWHERE = {  # what changes files outside `vault.disk`, each with its reason
    "bridge/listening.py": "bridge.json of a process that ends; a stale one does no harm",
    "cli/preparing.py": "init and copying into raw/, run by a person who sees the result",
    "cli/service.py": "the login unit, outside the vault",
    "store/health.py": "moving a damaged database aside, before anything is open",
}
DOCUMENTS = 2
AT_ONCE = 6  # vaults worked on side by side: most of a run is waiting


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        server.rules.append(steady)
        yield server


def calls_in(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def name_of(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def is_durable(call: ast.Call) -> bool:
    """Tell whether a call changes the disk itself: `path.unlink()`, not `disk.unlink(path)`."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in DURABLE:
        return False
    owner = ast.unparse(call.func.value)
    if call.args and ast.unparse(call.args[0]) == "db":
        return False  # a query
    if call.func.attr == "replace" and owner != "os":
        return len(call.args) == 1 and not call.keywords  # Path.replace; text takes two
    return "disk" not in owner.lower()


def test_files_change_in_one_module_only() -> None:
    found = {
        path.relative_to(PROGRAM).as_posix()
        for path in PROGRAM.rglob("*.py")
        for call in calls_in(ast.parse(path.read_text(encoding="utf-8")))
        if is_durable(call)
    }

    assert found - {"vault/disk.py"} == set(ELSEWHERE)


def test_every_durable_step_has_a_crash_point() -> None:
    """A primitive of the disk that changes something, and a transaction, have a point each."""
    disk = ast.parse((PROGRAM / "vault/disk.py").read_text(encoding="utf-8"))
    primitives = next(n for n in disk.body if isinstance(n, ast.ClassDef) and n.name == "Disk")
    without = [
        method.name
        for method in primitives.body
        if isinstance(method, ast.FunctionDef)
        and "crash_point" not in {name_of(call) for call in calls_in(method)}
    ]
    database = (PROGRAM / "store/database.py").read_text(encoding="utf-8")

    assert without == ["close", "sync_folder", "sleep"]
    assert database.count('transaction(self._writer, "begin immediate"') == 1
    assert 'crash_point(f"{name}.stored")' in database


def chosen(passed: dict[str, int]) -> list[str]:
    """Return every point three times: its first passing, one in the middle, its last."""
    return [
        f"{name}#{number}"
        for name, count in sorted(passed.items())
        for number in sorted({1, (count + 1) // 2, count})
    ]


def die(
    folder: Path, server: ModelServer, zygote: Zygote, histories: Sequence[tuple[str, ...]]
) -> list[str]:
    """Die at each point of a history, one after the other, in a vault for each history.

    Return what that broke.
    """
    left_alone = World.make(folder / "whole", server, zygote, DOCUMENTS)
    undisturbed = left_alone.start()

    def live(points: tuple[str, ...]) -> tuple[World, int, int]:
        world = World.make(folder / " ".join(points), server, zygote, DOCUMENTS)
        deaths = [world.die_at(point) for point in points]
        return world, sum(deaths), world.finish()

    with ThreadPoolExecutor(AT_ONCE) as lives:
        lived = list(lives.map(live, histories))
    assert undisturbed.wait(ENDS_WITHIN) == 0, left_alone.tail()
    whole = Whole.of(left_alone)
    broken = []
    for points, (world, deaths, code) in zip(histories, lived, strict=True):
        if code:
            broken.append(f"{points}: not done\n{world.tail()}")
        broken += [f"{points}: {fault}" for fault in faults(world, whole, deaths)]
    return broken


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_dying_at_a_few_points_and_again_in_the_recovery_a2_a3(
    tmp_path: Path, server: ModelServer, zygote: Zygote
) -> None:
    histories = [
        ("book._end.stored", "publish._record"),
        ("publish.file#2", "publish.file#3", "projection._commit.stored"),
    ]

    assert die(tmp_path, server, zygote, histories) == []


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_dying_at_every_point_three_times_a2(
    tmp_path: Path, server: ModelServer, zygote: Zygote
) -> None:
    passed = World.make(tmp_path / "points", server, zygote, DOCUMENTS).points()

    assert len(passed) >= 30
    assert die(tmp_path, server, zygote, [(point,) for point in chosen(passed)]) == []


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_dying_again_at_every_point_of_the_recovery_a3(
    tmp_path: Path, server: ModelServer, zygote: Zygote
) -> None:
    first = "publish.file#3"
    world = World.make(tmp_path / "points", server, zygote, DOCUMENTS)
    assert world.die_at(first)

    histories = [(first, name) for name in sorted(world.points())]

    assert die(tmp_path, server, zygote, histories) == []
