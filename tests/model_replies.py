"""What the scripted server says: canned replies from a folder, or text that fits the request."""

from __future__ import annotations

import json
import re
from pathlib import Path

STAGE_FILES = {
    "analysis": "analysis.md",
    "converse": "analysis.md",
    "generation": "generation.txt",
    "review": "review.txt",
    "caption": "caption.txt",
}
PATH = re.compile(r"wiki/[^\s`\"|\]]+(?: [^\s`\"|\]]+)*\.md")
CHINESE = "本页内容已改写为目标语言。" * 6
QUOTED = re.compile(r"<<<[^\n]*\n(.*?)\n>>>", re.DOTALL)


class Folder:
    """Replies by document: FOLDER/<document's stem>/<stage's file>, and a few beside them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        names = (path.name for path in folder.iterdir() if path.is_dir())
        self._stems = sorted(names, key=len, reverse=True)

    def reply(self, stage: str, prompt: str) -> str | None:
        """Return the canned reply to a prompt, None without one."""
        name = STAGE_FILES.get(stage, "")
        if stage == "chunk" and (match := re.search(r"^Part: (\d+) of", prompt, re.MULTILINE)):
            name = f"chunk-{match[1]}.md"
        if stage == "merge" and (match := re.search(r"^Page: (.*)$", prompt, re.MULTILINE)):
            slug = Path(match[1].strip()).stem.lower().replace(" ", "-")
            return self._text(self._folder / f"merge-{slug}.md")
        if stage == "folder" and (match := re.search(r"^Folder: (.*)$", prompt, re.MULTILINE)):
            return self._text(self._folder / f"folder-{match[1].strip().strip('/')}.json")
        if stage == "again":
            return self._blocks(prompt)
        stem = self._stem(prompt)
        return self._text(self._folder / stem / name) if stem and name else None

    def _stem(self, prompt: str) -> str:
        match = re.search(r"^File: (.*)$", prompt, re.MULTILINE)
        file = Path(match[1].strip()).name if match else ""
        return next((stem for stem in self._stems if file.startswith(f"{stem}.")), "")

    def _blocks(self, prompt: str) -> str | None:
        """Return the blocks of the document's canned generation that are asked for."""
        stem = self._stem(prompt)
        whole = self._text(self._folder / stem / "generation.txt") if stem else None
        asked = wanted(prompt)
        if whole is None or not asked:
            return None
        blocks = re.findall(r"(?ms)^---FILE: (.*?)---\n(.*?)^---END FILE---$", whole)
        given = [block(path, text.strip("\n")) for path, text in blocks if path in asked]
        return "\n\n".join(given) or None

    def _text(self, path: Path) -> str | None:
        return path.read_text(encoding="utf-8") if path.is_file() else None


def wanted(prompt: str) -> list[str]:
    """Return the paths listed below "Pages to write:"."""
    match = re.search(r"^Pages to write:\n((?:- .*\n?)+)", prompt, re.MULTILINE)
    return PATH.findall(match[1]) if match else []


def block(path: str, text: str) -> str:
    """Return a FILE block."""
    return f"---FILE: {path}---\n{text}\n---END FILE---"


def page(path: str, file: str, body: str) -> str:
    """Return a FILE block of a small page."""
    title = Path(path).stem.replace("-", " ")
    kind = {"sources": "source", "entities": "entity"}.get(path.split("/")[1], "concept")
    return block(
        path,
        f'---\ntype: {kind}\ntitle: "{title}"\ntags: [scripted]\nsources: ["{file}"]\n---\n\n'
        f"# {title}\n\n{body}",
    )


def invented(stage: str, prompt: str) -> str:
    """Return a reply of the right shape for any request."""
    match = re.search(r"^File: (.*)$", prompt, re.MULTILINE)
    file = match[1].strip() if match else "unknown.txt"
    texts = QUOTED.findall(prompt)
    first = " ".join(texts[0].split())[:160] if texts else "nothing"
    if stage in ("generation", "again"):
        return _pages(prompt, file, first)
    if stage == "folder":
        names = re.findall(r"^- (\S[^:\n]*)", prompt, re.MULTILINE)[:5]
        overview = "## Contents\n\n" + "\n".join(f"- {name}" for name in names)
        return json.dumps({"abstract": f"Holds {len(names)} notes.", "overview": overview})
    reading = f"## Key entities\n\n- scripted reading of {file}: {first}"
    digest = f"Digest so far of {file}."
    texts_by_stage = {
        "analysis": reading,
        "converse": reading,
        "chunk": f"## Chunk Analysis\n\n{first}\n\n## Updated Global Digest\n\n{digest}",
        "review": (
            f"---REVIEW: suggestion | Read more about {file}---\nThe source is short.\n"
            "OPTIONS: Create Page | Skip\nSEARCH: more about it | newer work\n---END REVIEW---"
        ),
        "merge": "\n\n".join(text.strip() for text in texts),
        "language": CHINESE if "Chinese" in prompt else f"Rewritten: {first}",
    }
    return texts_by_stage.get(stage, f"Scripted text: {first}")


def _pages(prompt: str, file: str, first: str) -> str:
    asked = wanted(prompt)
    summary = re.search(r"^Summary page: (.*)$", prompt, re.MULTILINE)
    if not asked:
        slug = re.sub(r"[^\w]+", "-", Path(file).stem).strip("-").lower()
        own = summary[1].strip() if summary else f"wiki/sources/{slug}.md"
        asked = [own, f"wiki/concepts/idea-of-{slug}.md"]
    given = [page(path, file, f"{first} [[raw/{file}|{file}]].") for path in asked]
    log = block("wiki/log.md", f"## [2026-01-01] ingest | {file}\n\n- scripted")
    return "\n\n".join([*given, log, "---END OF REPLY---"])
