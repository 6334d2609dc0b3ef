"""The wheel, installed into an empty environment, holds everything and does the main job."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("pyproject.toml", "README.md", "LICENSE", "vaultd")
NOT_SHIPPED = shutil.ignore_patterns("__pycache__", "*.pyc")

Vaultd = Callable[..., "subprocess.CompletedProcess[str]"]


def called(
    *command: str | Path, folder: Path, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a command without this checkout on its path, and without settings from outside."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VAULTD_")}
    kept.pop("PYTHONPATH", None)
    return subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=kept | variables,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built from a copy of what belongs into it."""
    source = tmp_path_factory.mktemp("source")
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, source / part, ignore=NOT_SHIPPED)
        else:
            shutil.copy(ROOT / part, source / part)
    arguments = ("--wheel", "--no-isolation", "--outdir", source / "dist", source)
    built = called(sys.executable, "-m", "build", *arguments, folder=source)
    assert built.returncode == 0, built.stdout + built.stderr
    (path,) = (source / "dist").glob("vaultd-*.whl")
    return path


@pytest.fixture(scope="module")
def vaultd(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Vaultd:
    """The program as installed from the wheel, with the dependencies of the running environment."""
    folder = tmp_path_factory.mktemp("empty")
    made = called(sys.executable, "-m", "venv", "--without-pip", folder / "env", folder=folder)
    assert made.returncode == 0, made.stderr
    python = folder / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = (sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check")
    installed = called(*pip, "install", "--no-deps", "--no-index", wheel, folder=folder)
    assert installed.returncode == 0, installed.stderr
    (packages,) = (folder / "env").rglob("site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")

    def vaultd(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return called(
            python.parent / "vaultd",
            *arguments,
            folder=folder,
            VAULTD_EMBEDDING__PROVIDER="none",
            VAULTD_INGEST__SETTLE_SECONDS="0.05",
        )

    return vaultd


def test_everything_that_is_not_python_is_in_the_wheel(wheel: Path) -> None:
    shipped = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("vaultd/")}
    here = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "vaultd").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }

    assert here - shipped == set()
    assert "vaultd/store/migrations/0001_queue.sql" in shipped
    assert "vaultd/cli/templates/research/schema.md" in shipped


def test_the_installed_program_does_the_main_job(vaultd: Vaultd, tmp_path: Path) -> None:
    made = vaultd("init", "--vault", tmp_path, "--template", "research")
    assert (made.returncode, made.stderr) == (0, "")
    shutil.copy(ROOT / "sample-vault/raw/Koji for beginners.md", tmp_path / "raw")

    done = vaultd("run", "--once", "--vault", tmp_path)

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "wiki/sources/Koji for beginners.md").exists()
    assert (tmp_path / ".llm-wiki/vaultd.db").exists()
