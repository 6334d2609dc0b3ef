"""`vaultd init --plugin`: the built plugin, put where Obsidian looks for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vaultd.cli.preparing import PLUGIN_FILES, PLUGIN_FOLDER

Run = Callable[..., Any]

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "plugin-bridge"
BUILT = ROOT / "vaultd/plugin"

needs_build = pytest.mark.skipif(
    not (BUILT / "main.js").exists(), reason="the plugin is not built: scripts/build-plugin"
)


@needs_build
def test_the_plugin_comes_into_the_vault(run: Run, root: Path) -> None:
    result = run("init", "--plugin")

    assert result.exit_code == 0, result.output
    for name in PLUGIN_FILES:
        assert (root / PLUGIN_FOLDER / name).read_bytes() == (BUILT / name).read_bytes()


@needs_build
def test_a_newer_plugin_replaces_ours_and_keeps_its_settings(run: Run, root: Path) -> None:
    folder = root / PLUGIN_FOLDER
    folder.mkdir(parents=True)
    (folder / "main.js").write_text("old", encoding="utf-8")
    (folder / "data.json").write_text("{}", encoding="utf-8")

    run("init", "--plugin")

    assert (folder / "main.js").read_bytes() == (BUILT / "main.js").read_bytes()
    assert (folder / "data.json").read_text(encoding="utf-8") == "{}"


def test_the_names_and_versions_of_the_plugin_agree() -> None:
    manifest = json.loads((SOURCE / "manifest.json").read_text(encoding="utf-8"))
    package = json.loads((SOURCE / "package.json").read_text(encoding="utf-8"))
    versions = json.loads((SOURCE / "versions.json").read_text(encoding="utf-8"))

    assert manifest["id"] == package["name"] == PLUGIN_FOLDER.name
    assert manifest["version"] == package["version"]
    assert versions[manifest["version"]] == manifest["minAppVersion"]
    assert manifest["isDesktopOnly"] is True
