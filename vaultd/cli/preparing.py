"""`vaultd init`: make a folder a vault, without touching anything that is there."""

from __future__ import annotations

import importlib.resources
import os
from enum import StrEnum
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated

import typer

from vaultd.cli.options import JsonOption, VaultOption
from vaultd.cli.terminal import print_json, remark, say
from vaultd.errors import UsageError
from vaultd.vault.layout import SETTINGS, VAULT_VARIABLE, find_vault, make_layout
from vaultd.vault.obsidian import CONFIG, config_folder

PLUGIN_FOLDER = Path(".obsidian/plugins/vaultd-bridge")  # unless the vault renamed the first
PLUGIN_FILES = ("main.js", "manifest.json", "styles.css")

FIRST_SETTINGS = """\
# Settings of vaultd for this vault. Every key, its default and its reason: docs/settings.md.
# A variable such as VAULTD_LLM__MODEL wins over this file. Keys of models are never kept here.

# Without a model the offline author writes the pages and nothing leaves this machine.
# [llm]
# model = "gpt-4.1-mini"  # at OpenAI, with the key in $OPENAI_API_KEY; or, with Ollama:
# model = "qwen3:14b"
# base_url = "http://127.0.0.1:11434/v1"
"""


class Template(StrEnum):
    """What a wiki is for; decides the page types that schema.md begins with."""

    RESEARCH = "research"
    READING = "reading"
    PERSONAL = "personal"
    BUSINESS = "business"
    GENERAL = "general"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("init")(init)


def init(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="FOLDER", help="The folder to make a vault, if not --vault."),
    ] = None,
    vault: VaultOption = None,
    template: Annotated[
        Template | None,
        typer.Option(help="Write schema.md and purpose.md for this use, where there are none."),
    ] = None,
    plugin: Annotated[
        bool, typer.Option("--plugin", help="Copy the plugin into .obsidian/plugins/.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Make the layout of a vault. Safe to repeat: what is there is never overwritten."""
    root = _folder_for(folder or vault)
    texts = _template_texts(template) if template else {}
    copies = _plugin_files() if plugin else {}
    state = make_layout(root)
    wanted = {state / SETTINGS: FIRST_SETTINGS.encode()}
    wanted |= {root / name: text for name, text in texts.items()}
    made = [path for path, content in wanted.items() if _write_new(path, content)]
    for name, content in copies.items():
        place = config_folder(root) / PLUGIN_FOLDER.relative_to(CONFIG) / name
        _replace_own(place, content)
        made.append(place)
    names = [path.relative_to(root).as_posix() for path in made]
    if as_json:
        print_json({"vault": str(root), "made": names})
        return
    if outer := _vault_around(root):
        remark(f"It lies inside the vault {outer}, which reads what is in it, too.")
    say(f"{root} is a vault of vaultd." + (f" New: {', '.join(names)}." if names else ""))
    say("Drop documents into raw/ and run `vaultd run`, or `vaultd run --once`.")


def _folder_for(named: Path | None) -> Path:
    """Return the folder to prepare: named, or in `$VAULTD_VAULT`, else the working folder."""
    if named is None and os.environ.get(VAULT_VARIABLE):
        named = Path(os.environ[VAULT_VARIABLE])
    if named is None:
        try:
            return find_vault(None, os.environ, Path.cwd())
        except UsageError:
            return Path.cwd()
    if named.exists() and not named.is_dir():
        raise UsageError(f"{named} is a file: name a folder.")
    try:
        named.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{named} cannot be made: {error.strerror}.") from error
    return named.resolve()


def _vault_around(root: Path) -> Path | None:
    try:
        return find_vault(None, {}, root.parent)
    except UsageError:
        return None


def _template_texts(template: Template) -> dict[str, bytes]:
    folder = importlib.resources.files("vaultd.cli") / "templates" / template.value
    return {name: (folder / name).read_bytes() for name in ("schema.md", "purpose.md")}


def _plugin_files() -> dict[str, bytes]:
    """Return the built plugin that this installation carries.

    Raises:
        UsageError: it carries none, as in a checkout before the plugin was built.
    """
    folder: Traversable = importlib.resources.files("vaultd") / "plugin"
    if not all((folder / name).is_file() for name in PLUGIN_FILES):
        raise UsageError(
            "This installation carries no built plugin: in a checkout run `scripts/build-plugin`, "
            "then install anew. Nothing was changed."
        )
    return {name: (folder / name).read_bytes() for name in PLUGIN_FILES}


def _write_new(path: Path, content: bytes) -> bool:
    """Write `path` unless it exists; tell whether it was written."""
    try:
        with path.open("xb") as file:
            file.write(content)
    except FileExistsError:
        return False
    return True


def _replace_own(path: Path, content: bytes) -> None:
    """Write a file of the plugin, which is ours to bring up to date; its settings stay."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.new")
    fresh.write_bytes(content)
    fresh.replace(path)
