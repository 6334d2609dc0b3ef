"""The order of a durable write, as the kernel saw it (E1)."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CALLS = "openat,write,fsync,rename,renameat2,link,linkat,unlink,unlinkat,mkdir"
WRITES = """
import sys
from pathlib import Path
from vaultd.vault.files import Vault
from vaultd.vault.layout import make_layout
root = Path(sys.argv[1])
vault = Vault(root, make_layout(root))
vault.write("wiki/a.md", b"one", expect=None)
(root / "MARK1").touch()
vault.write("wiki/new/b.md", b"made", expect=None)
(root / "MARK2").touch()
vault.write("wiki/a.md", b"two", expect=b"one")
(root / "MARK3").touch()
vault.write_state("c.json", b"state")
"""
TEMP = "temp"


@pytest.fixture(scope="module")
def writes(tmp_path_factory: pytest.TempPathFactory) -> list[list[str]]:
    """The system calls of a new file in a new folder, a replaced file, and a state file."""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    root = tmp_path_factory.mktemp("vault")
    (root / "wiki").mkdir()
    log = root.with_name(f"{root.name}.strace")
    command = ["strace", "-f", "-y", "-qq", "-e", f"trace={CALLS}", "-o", str(log)]
    ran = subprocess.run(
        [*command, sys.executable, "-c", WRITES, str(root)], capture_output=True, text=True
    )
    if ran.returncode and "ptrace" in ran.stderr.lower():
        pytest.skip("processes may not be traced here")
    assert ran.returncode == 0, ran.stderr
    lines = log.read_text().splitlines()
    marks = [n for n, line in enumerate(lines) if f"{root}/MARK" in line and "O_CREAT" in line]
    ends = [*marks[1:], len(lines)]
    return [
        [step for line in lines[start + 1 : end] if (step := _step(line, root))]
        for start, end in zip(marks, ends, strict=True)
    ]


def _step(line: str, root: Path) -> str:
    """Return a system call in our own words, "" for one that changes nothing in the vault."""
    if str(root) not in line or "ENOENT" in line or "MARK" in line:
        return ""
    call = re.search(r"(\w+)\(", line)
    assert call is not None
    places = [
        TEMP if "/.vaultd-" in path else path.removeprefix(str(root)).lstrip("/") or "."
        for path in re.findall(r"[\"<](/[^\"<>]+)[\">]", line)
        if path.startswith(str(root))
    ]
    name = call[1].removesuffix("at2").removesuffix("at")
    if name == "open":
        exclusive = "O_EXCL" in line and "O_CREAT" in line
        return f"create {places[-1]}" if exclusive else ""
    return " ".join((name, *places))


def test_a_new_file_is_whole_before_it_has_its_name_e1(writes: list[list[str]]) -> None:
    assert writes[0] == [
        "mkdir wiki/new",
        "fsync wiki",
        f"create {TEMP}",
        f"write {TEMP}",
        f"fsync {TEMP}",
        f"link {TEMP} wiki/new/b.md",
        f"unlink {TEMP}",
        "fsync wiki/new",
    ]


def test_a_replaced_file_is_exchanged_in_one_step_e1(writes: list[list[str]]) -> None:
    assert writes[1] == [
        f"create {TEMP}",
        f"write {TEMP}",
        f"fsync {TEMP}",
        f"rename {TEMP} wiki/a.md",
        f"unlink {TEMP}",
        "fsync wiki",
    ]


def test_a_state_file_is_replaced_in_one_step_e1(writes: list[list[str]]) -> None:
    assert writes[2] == [
        f"create {TEMP}",
        f"write {TEMP}",
        f"fsync {TEMP}",
        f"rename {TEMP} .llm-wiki/c.json",
        "fsync .llm-wiki",
    ]
