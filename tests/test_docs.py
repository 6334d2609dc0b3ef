"""The documentation is about this program: nothing missing, nothing that does not exist."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer.main

from scripts.settings_page import PAGE, page
from vaultd.cli.application import app

ROOT = Path(__file__).resolve().parent.parent
GROUP: Any = typer.main.get_group(app)
COMMANDS = {name: GROUP.get_command(None, name) for name in GROUP.list_commands(None)}
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *ROOT.glob("docs/*.md"),
]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_settings_page_says_what_the_settings_are() -> None:
    assert PAGE.read_text(encoding="utf-8") == page() + "\n", (
        "write it anew with `python -m scripts.settings_page`"
    )


def test_every_link_between_the_pages_leads_somewhere() -> None:
    lost = []
    for place in PAGES:
        for target in re.findall(r"\]\(([^)\s]+)\)", place.read_text(encoding="utf-8")):
            path, _, anchor = target.partition("#")
            there = (place.parent / path) if path else place
            if target.startswith(("http:", "https:", "obsidian:")):
                continue
            if not there.exists() or (anchor and anchor not in anchors(there)):
                lost.append(f"{place.name}: {target}")
    assert lost == []


def anchors(place: Path) -> set[str]:
    """Return what the headings of a page are called in an address, as GitHub has it."""
    titles = re.findall(r"^#+ +(.+?) *$", place.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_dependency_has_its_line_and_its_cost() -> None:
    project = tomllib.loads(read("pyproject.toml"))["project"]
    extras = project["optional-dependencies"]
    decisions = read("docs/decisions.md")

    for requirement in [*project["dependencies"], *sum(extras.values(), [])]:
        name = re.split(r"[<>=\[]", requirement)[0]
        assert name == "vaultd" or re.search(rf"\b{re.escape(name)}\b", decisions), name
    for requirement in project["dependencies"]:
        name = re.split(r"[<>=\[]", requirement)[0]
        assert re.search(rf"^\| {re.escape(name)} \|.*MB", decisions, re.M), name


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_is_in_the_readme_and_explains_itself(name: str) -> None:
    command = COMMANDS[name]

    assert re.search(
        rf"\bvaultd(?: \w+ ·)* {re.escape(name)}\b|`{re.escape(name)}\b", read("README.md")
    )
    assert command.help
    assert command.help.splitlines()[0].endswith((".", ":"))
    for parameter in command.params:
        assert getattr(parameter, "help", None), f"{name}: {parameter.name} has no help"


def test_the_readme_names_no_command_that_does_not_exist() -> None:
    named = set(re.findall(r"^\| `vaultd ([a-z-]+)", read("README.md"), re.M))

    assert named <= set(COMMANDS)


@pytest.mark.parametrize("document", PAGES, ids=lambda path: path.name)
def test_every_relative_link_leads_somewhere(document: Path) -> None:
    text = document.read_text(encoding="utf-8")

    for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", text):
        assert (document.parent / target).exists(), target


def test_every_package_of_the_program_is_in_the_architecture() -> None:
    architecture = read("docs/architecture.md")

    for path in (ROOT / "vaultd").iterdir():
        is_module = path.suffix == ".py" and not path.stem.startswith("_")
        if is_module or (path / "__init__.py").exists():
            assert re.search(rf"\b{path.stem}\b", architecture), path.name
