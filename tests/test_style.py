"""Rules of CONTRIBUTING.md that no linter knows."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from vaultd.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
MODULES = sorted((ROOT / "vaultd").rglob("*.py"))
LONGEST = 400  # lines of a module; more is two subjects

BANNED_WORDS = frozenset(
    ["manager", "handler", "processor", "helper", "helpers", "util", "utils", "service"]
    + ["provider", "factory", "base", "common", "misc", "data", "info"]
)
BANNED_BEGINNINGS = ("do_", "process_", "handle_")
ALLOWED = frozenset(  # words of others, which would be harder to find under another name
    [
        "service",
        "data_uri",
        "without_data_uris",
        "data_version",
    ]  # operating systems, RFC 2397, SQLite
    + ["knowledge_base", "process_directory_event"]  # names that the specifications give
    + ["_without_base", "_base_of_index"]  # the base of a three-way merge
    + ["data"]  # lxml calls a parser's target by this name
)


def words_of(name: str) -> list[str]:
    """Split snake_case and CamelCase."""
    return re.findall(r"[A-Z]?[a-z]+\d*|[A-Z]+(?![a-z])", name)


def names_in(module: Path) -> Iterator[str]:
    yield module.stem
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name


def is_banned(name: str) -> bool:
    if name in ALLOWED:
        return False
    spoken = name.replace("KnowledgeBase", "").replace("knowledge_base", "")  # one word
    words = {word.lower() for word in words_of(spoken)}
    return name.lstrip("_").startswith(BANNED_BEGINNINGS) or bool(BANNED_WORDS & words)


def test_a_module_is_about_one_thing() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    long = {
        str(path.relative_to(ROOT)): lines for path, lines in lengths.items() if lines > LONGEST
    }

    assert long == {}


def test_names_say_what_a_thing_is() -> None:
    vague = [
        f"{module.relative_to(ROOT)}: {name}"
        for module in MODULES
        for name in names_in(module)
        if is_banned(name)
    ]

    assert vague == []


def test_nothing_is_left_for_later_without_an_issue() -> None:
    pattern = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b(?! ?\(?#\d+)")
    places = [
        *MODULES,
        *(ROOT / "scripts").rglob("*.py"),
        *(ROOT / "plugin-bridge").glob("src/**/*.ts"),
    ]
    left = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in places
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if pattern.search(line)
    ]

    assert left == []


def setting_names() -> Iterator[str]:
    for name, field in Settings.model_fields.items():
        section = field.annotation
        if isinstance(section, type) and issubclass(section, BaseModel):
            yield from (f"{name}.{key}" for key in section.model_fields)
        else:
            yield name


def test_every_setting_is_read_somewhere() -> None:
    elsewhere = "\n".join(
        path.read_text(encoding="utf-8") for path in MODULES if path.stem != "settings"
    )
    unread = [
        name
        for name in setting_names()
        if not re.search(rf"\.{name.rpartition('.')[2]}\b", elsewhere)
    ]

    assert unread == []


def test_prompts_and_their_arguments_agree() -> None:
    prompt = pytest.importorskip("vaultd.core.prompt")
    fields = {
        name
        for value in vars(prompt).values()
        for name in getattr(value, "__dataclass_fields__", ())
    }

    for path in sorted((ROOT / "vaultd/prompts").glob("*.md")):
        wanted = set(string.Template(path.read_text(encoding="utf-8")).get_identifiers())
        assert wanted <= fields, f"{path.name}: {sorted(wanted - fields)}"
