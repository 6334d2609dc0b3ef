"""docs/spec.md names what is there: modules, tests, and the value of every constant."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SPEC = (ROOT / "docs/spec.md").read_text("utf-8")
TABLE_ROWS = [line for line in SPEC.splitlines() if line.startswith("|")]

_MODULE = re.compile(r"`((?:[a-z_]+/)*[a-z_-]+\.(?:py|md|sql))(?::[^`]*)?`")
_TEST = re.compile(r"`(test_\w+?)(_?…)?`")
_TEST_PLACE = re.compile(r"`(tests/[\w/]+(?:\.py)?)`")
_CONSTANT = re.compile(r"^\| `([A-Z_]+)` \| ([\d.]+) \| `([\w.]+)` \|", re.M)

TESTS = "\n".join(place.read_text("utf-8") for place in (ROOT / "tests").rglob("test_*.py"))
NAMES = set(re.findall(r"def (test_\w+)", TESTS))


def test_every_module_named_exists() -> None:
    named = {match[1] for row in TABLE_ROWS for match in _MODULE.finditer(row)}
    files = {place.relative_to(ROOT).as_posix() for place in ROOT.glob("vaultd/**/*.*")}

    missing = sorted(
        name
        for name in named
        if not name.startswith("tests/")
        and not any(file.endswith(f"/{name}") for file in files)
        and not (ROOT / name).exists()
        and not name.startswith("test_")
        and not (name == "log.md" or name == "index.md" or name == "overview.md")
    )

    assert missing == []


def test_every_test_named_exists() -> None:
    missing = []
    for row in TABLE_ROWS:
        for match in _TEST.finditer(row):
            name, open_end = match[1], match[2]
            found = any(each.startswith(name) for each in NAMES) if open_end else name in NAMES
            if not found and not list((ROOT / "tests").rglob(f"{name}.py")):
                missing.append(name)
        missing += [m[1] for m in _TEST_PLACE.finditer(row) if not (ROOT / m[1]).exists()]

    assert sorted(set(missing)) == []


@pytest.mark.parametrize(("name", "value", "module"), _CONSTANT.findall(SPEC))
def test_every_constant_has_its_value(name: str, value: str, module: str) -> None:
    assert getattr(importlib.import_module(module), name) == float(value)


def test_every_row_says_what_does_it_and_what_tests_it() -> None:
    empty = [row for row in TABLE_ROWS if any(not cell.strip() for cell in row[1:-1].split("|"))]

    assert empty == []
