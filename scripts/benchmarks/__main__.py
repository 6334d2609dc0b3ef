"""Runs the benchmarks of the areas named, or of all, and prints one JSON line per figure."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import structlog

AREAS = sorted(
    path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("_")
)


def main() -> int:
    """Run each area's `main()`; an unknown area is an error that lists the known ones."""
    wanted = sys.argv[1:] or AREAS
    if unknown := [area for area in wanted if area not in AREAS]:
        print(f"No benchmark {', '.join(unknown)}; there are {', '.join(AREAS)}.", file=sys.stderr)
        return 2
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(30),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    for area in wanted:
        for figure in importlib.import_module(f"scripts.benchmarks.{area}").main():
            print(json.dumps({"area": area, **figure}, ensure_ascii=False), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
