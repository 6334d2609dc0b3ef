"""Notebooks and drawings: what a person reads in them, without what only a program needs."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from tests.extract.conftest import Read
from tests.extract.test_plain import png
from vaultd.model.document import Extraction, ExtractStatus

PROSE = "A paragraph about the dough that is long enough to be called a text."
PICTURE = base64.b64encode(png()).decode()


def notebook(folder: Path, cells: list[dict[str, Any]], **metadata: Any) -> Path:
    whole = {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}
    (folder / "made.ipynb").write_text(json.dumps(whole), encoding="utf-8")
    return folder / "made.ipynb"


def code(source: str, *outputs: dict[str, Any]) -> dict[str, Any]:
    return {"cell_type": "code", "source": source.splitlines(keepends=True), "outputs": [*outputs]}


def text_of(extraction: Extraction) -> str:
    (page,) = extraction.pages
    assert page.number is None
    return page.text


def test_a_notebook_is_its_prose_its_code_and_what_that_gave(tmp_path: Path, read: Read) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Rising\n", "\n", PROSE]},
        code(
            "print(1 + 1)\nheights",
            {"output_type": "stream", "name": "stdout", "text": ["2\n"]},
            {"output_type": "execute_result", "data": {"text/plain": "[3, 4]", "text/html": "<b>"}},
        ),
        code(
            "1 / 0",
            {
                "output_type": "error",
                "ename": "ZeroDivisionError",
                "evalue": "division by zero",
                "traceback": ["\x1b[0;31mno\x1b[0m"],
            },
        ),
        {"cell_type": "raw", "source": "Raw words."},
        code(""),
    ]
    extraction = read(notebook(tmp_path, cells, title="Rises", language_info={"name": "python"}))

    assert (extraction.kind, extraction.metadata["title"]) == ("ipynb", "Rises")
    assert text_of(extraction) == (
        f"# Rising\n\n{PROSE}\n\n```python\nprint(1 + 1)\nheights\n```\n\n```text\n2\n```\n\n"
        "```text\n[3, 4]\n```\n\n```python\n1 / 0\n```\n\n"
        "```text\nZeroDivisionError: division by zero\n```\n\nRaw words."
    )


def test_pictures_of_a_notebook_stand_where_they_were_drawn(tmp_path: Path, read: Read) -> None:
    figure = {"data": {"text/plain": "<Figure size 640x480>", "image/png": [PICTURE]}}
    attached = {
        "cell_type": "markdown",
        "source": f"{PROSE}\n![seen](attachment:a.png)",
        "attachments": {"a.png": {"image/png": PICTURE}},
    }

    extraction = read(notebook(tmp_path, [attached, code("plot()", figure)]))

    assert "Figure" not in text_of(extraction)
    assert "![seen](image1)" in text_of(extraction)
    assert text_of(extraction).endswith("```\n\n![](image1)")
    assert len(extraction.images) == 1


def test_what_a_cell_gave_is_cut(tmp_path: Path, read: Read) -> None:
    output = {"output_type": "stream", "text": "a row of numbers\n" * 9_000}

    text = text_of(read(notebook(tmp_path, [code("rows", output)])))

    assert len(text) < 5_000
    assert text.endswith("\n…\n```")


def test_an_older_notebook_is_read_too(tmp_path: Path, read: Read) -> None:
    cells = [
        {"cell_type": "heading", "level": 2, "source": "Rising"},
        {"cell_type": "markdown", "source": PROSE},
        {
            "cell_type": "code",
            "input": "x <- 1",
            "outputs": [{"output_type": "pyout", "text": "1"}],
        },
    ]
    older = {
        "nbformat": 3,
        "metadata": {"kernelspec": {"language": "R"}},
        "worksheets": [{"cells": cells}],
    }
    (tmp_path / "old.ipynb").write_text(json.dumps(older))

    text = text_of(read(tmp_path / "old.ipynb"))

    assert text == f"## Rising\n\n{PROSE}\n\n```R\nx <- 1\n```\n\n```text\n1\n```"


def test_what_is_no_notebook_is_told(tmp_path: Path, read: Read) -> None:
    for number, content in enumerate(("{", "[]", '{"cells": 3}', '{"a": 1}', "[" * 100_000)):
        path = tmp_path / f"{number}.ipynb"
        path.write_text(content)

        extraction = read(path)

        assert extraction.status is ExtractStatus.FAILED
        assert extraction.reason == "The notebook is damaged: it cannot be read."


def test_of_a_drawing_its_words_are_read(tmp_path: Path, read: Read) -> None:
    (tmp_path / "made.svg").write_text(
        '<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://x/svg.dtd">'
        '<svg xmlns="http://www.w3.org/2000/svg"><title>How dough rises</title>'
        f"<desc>{PROSE}</desc><style>text {{ fill: red }}</style><g><title>Tip</title>"
        '<text x="1">Yeast <tspan font-weight="bold">eats</tspan><tspan dy="2">sugar</tspan></text>'
        '<foreignObject><div xmlns="http://www.w3.org/1999/xhtml">and<br/>breathes</div>'
        "</foreignObject><text>Tip</text></g></svg>",
        encoding="utf-8",
    )

    extraction = read(tmp_path / "made.svg")

    assert (extraction.kind, extraction.metadata) == ("svg", {"title": "How dough rises"})
    assert text_of(extraction) == (
        f"How dough rises\n\n{PROSE}\n\nTip\n\nYeast eats sugar\n\nand breathes"
    )


def test_a_drawing_without_words_has_no_text(tmp_path: Path, read: Read) -> None:
    (tmp_path / "a.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>'
    )
    (tmp_path / "b.svg").write_text("<svg><path")

    assert read(tmp_path / "a.svg").status is ExtractStatus.NO_TEXT
    assert read(tmp_path / "b.svg").status is ExtractStatus.FAILED
