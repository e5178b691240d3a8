#!/usr/bin/env python3
"""The table of reductions that docs/performance.md has, from the lines that bench/reduce/reduce.py writes (--results).

    tests/gpu/reductions.py collect DIR --write FILE   what bench-reduce-*.jsonl in DIR say
    tests/gpu/reductions.py tables FILE [--check]      put the table into docs/performance.md's marked block, or compare

Needs nothing but Python.
"""

import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from page import NAMES, ROOT, in_block, lines_of, main

PAGE = ROOT / "docs/performance.md"
BEGIN, END = "<!-- reductions: made by tests/gpu/reductions.py -->", "<!-- /reductions -->"
# Powers of two, first and last; a name and the peer's cases in each column.
BANDS = ((10, 19), (20, 23), (24, 28))
COLUMNS = (
    ("CUB, sum", "cub", ("sum",)),
    ("CUB, min and max", "cub", ("min", "max")),
    ("torch", "torch", ("sum", "min", "max")),
)


def collect(folder):
    """Every run's lines; which of our backends a run was of, for the peers' lines too."""
    found = []
    for path in sorted(folder.glob("bench-reduce-*.jsonl")):
        run = path.stem.removeprefix("bench-reduce-")
        found += [{"run": run, **line} for line in lines_of(path)]
    return found


def times(lines, run):
    """Microseconds by operation, size and program; what was wrong has none."""
    return {
        (line["case"].removeprefix("reduce_"), line["count"], line["program"]): line["us"]
        for line in lines
        if line["run"] == run and line["right"]
    }


def ratios(of, band, peer, operations):
    """The peer's time divided by ours, for each size of the band."""
    sizes = [1 << power for power in range(band[0], band[1] + 1)]
    keys = [(operation, size) for operation in operations for size in sizes]
    return [of[(*k, peer)] / of[(*k, "ours")] for k in keys if (*k, peer) in of and (*k, "ours") in of]


def spread(values):
    """ "geometric mean (least)"."""
    return f"{math.exp(sum(map(math.log, values)) / len(values)):.2f} ({min(values):.2f})" if values else ""


def bands_table(lines):
    """Each band of sizes beside the peers, on each backend."""
    runs = [run for run in NAMES if any(line["run"] == run for line in lines)]
    heads = [f"{NAMES[run]}: {column[0]}" for run in runs for column in COLUMNS]
    out = ["| elements | " + " | ".join(heads) + " |", "|---" * (1 + len(heads)) + "|"]
    for band in BANDS:
        cells = [spread(ratios(times(lines, run), band, *column[1:])) for run in runs for column in COLUMNS]
        out.append(f"| 2^{band[0]} to 2^{band[1]} | " + " | ".join(cells) + " |")
    return "\n".join(out)


def goal_table(lines):
    """R1's goal: the sum of 2^28."""
    out = ["| sum of 2^28 | us | TB/s | CUB's time divided by ours (goal 0.95) |", "|---|---|---|---|"]
    for run, name in NAMES.items():
        of, key = times(lines, run), ("sum", 1 << 28)
        if (*key, "ours") in of:
            ours, cub = of[(*key, "ours")], of.get((*key, "cub"))
            out.append(
                f"| {name} | {ours:.0f} | {4 * key[1] / ours / 1e6:.2f} | {f'{cub / ours:.2f}' if cub else ''} |"
            )
    return "\n".join(out)


def in_page(text, lines):
    """The page's text with the tables of these lines."""
    return in_block(PAGE.name, text, BEGIN, END, f"{bands_table(lines)}\n\n{goal_table(lines)}")


if __name__ == "__main__":
    sys.exit(main("reductions.py", __doc__, PAGE, collect, in_page))
