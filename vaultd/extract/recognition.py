"""Text recognition (the extra `ocr`): offline, in the child, one page at a time."""

from __future__ import annotations

import functools
import importlib.util
import io
from dataclasses import dataclass
from typing import Any

from PIL import Image

from vaultd.core.reading_order import reading_order
from vaultd.extract.content import Scan, readable
from vaultd.extract.word_gap import gaps, spaced

NAME = "ocr"  # who read a page, as its document says
SECONDS_A_PAGE = 60.0  # of processor time; 5 to 9 were measured; the first page loads the models
PATIENCE = 4.0  # times as long on the wall clock: other programs want the processor too
MEMORY = 2 * 1024**3  # address space; 0.9 to 1.8 GB were measured on big pages
SURE = 0.8  # a mean score below this is worth a warning


@dataclass(frozen=True, slots=True)
class Recognised:
    """The text of a scan in reading order, and its mean score from 0 to 1."""

    text: str
    score: float


def available() -> bool:
    """Tell whether the extra `ocr` is installed."""
    return all(importlib.util.find_spec(name) for name in ("rapidocr", "onnxruntime"))


def recognised(scan: Scan) -> Recognised:
    """Return the text that `scan` shows; only where the extra is installed."""
    picture = scan()
    found = _engine()(picture, return_word_box=True, return_single_char_box=True)
    with Image.open(io.BytesIO(picture)) as page:
        lines = _lines(found, page.convert("L"))
    if not lines:
        return Recognised("", 0.0)
    score = sum(line.score for line in lines) / len(lines)
    return Recognised(in_reading_order(lines), score)


@functools.cache
def _engine() -> Any:
    """Load the recogniser once a process; its weights are inside its package."""
    from rapidocr import RapidOCR

    return RapidOCR(
        params={
            "Global.log_level": "critical",
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )


@dataclass(frozen=True, slots=True)
class Line:
    """A recognised line: its box in pixels (left, top, right, bottom), text and score."""

    box: tuple[float, float, float, float]
    text: str
    score: float


def _lines(result: Any, page: Image.Image) -> list[Line]:
    if result is None or getattr(result, "txts", None) is None:
        return []
    letters = result.word_results or [()] * len(result.txts)
    parts = zip(result.boxes, result.txts, result.scores, letters, strict=True)
    return [_line(page, *part) for part in parts]


def _line(page: Image.Image, corners: Any, text: str, score: Any, letters: Any) -> Line:
    points = [(float(x), float(y)) for x, y in corners]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    left, width = min(xs), max(max(xs) - min(xs), 1.0)
    boxes = [[float(x) for x, _ in box] for _, _, box in letters]
    middles = [((min(box) + max(box)) / 2 - left) / width for box in boxes]
    text = spaced(text, middles, gaps(page, points)) if middles else text
    return Line((left, min(ys), max(xs), max(ys)), readable(text), float(score))


def in_reading_order(lines: list[Line]) -> str:
    """Return the text of `lines`, column by column, a blank line where the gap is wide."""
    ordered = [lines[index] for index in reading_order([line.box for line in lines])]
    pieces = [ordered[0].text]
    for above, line in zip(ordered, ordered[1:], strict=False):
        height = line.box[3] - line.box[1]
        same_row = abs(line.box[1] - above.box[1]) < height / 2 and line.box[0] >= above.box[2]
        far = line.box[1] - above.box[3] > height or line.box[1] < above.box[1] - height
        pieces += [" " if same_row else "\n\n" if far else "\n", line.text]
    return "".join(pieces)
