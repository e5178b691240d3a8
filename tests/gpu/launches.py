#!/usr/bin/env python3
"""The tables of launches, graphs and transfers that docs/performance.md has, from the results of a run.

    tests/gpu/launches.py tables FILE [--check]   put them into the page's marked blocks, or compare

FILE is what `tests/gpu/report.py collect` wrote. Needs nothing but Python.
"""

import argparse
import json
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import page

PROGRAMS = {"vulkan": "launch", "cuda": "launch_cuda", "opencl": "launch_opencl"}
#: Goals of the ratios in C, by how the cases begin. Where there is none, the row only informs.
GOALS = {
    "burst": 1.2,
    "10,000": 1.2,
    "launch and wait": 1.2,
    "graph of 10,": 1.2,
    "graph of 100,": 1.2,
    "graph of 1000,": 1.2,
    "1000 instances": 1.2,
    "saxpy": 1.02,
    "256 MiB": 1.0,
}
#: Titles of the columns in the table of launches from Python.
COLUMNS = {"ours": "{} ours", "ours C": "from C", "raw C": "raw C", "cupy": "CuPy", "torch": "torch"}
COLUMNS |= {"pyopencl": "pyopencl", "old": "0.1"}
ABOVE_RAW = ("burst", "10000", "launch and wait", "graph of 1,", "graph of 100,")


def in_c(folder):
    """By backend and case: medians of raw and ours over the processes, and the ratio of each process."""
    found = {}
    for backend, program in PROGRAMS.items():
        each = {}
        for path in sorted(folder.glob(f"bench-{program}.log")) + sorted(folder.glob(f"bench-{program}-*.log")):
            for line in page.lines_of(path):
                raw = [v for k, v in line.items() if k.startswith("raw") and not k.endswith("_least")]
                raw = [v for v in raw if isinstance(v, float)]
                if "ratio" in line and raw:
                    entry = min(raw), line["ours"], line["ratio"]
                    each.setdefault(line["case"].removeprefix("cuda "), []).append(entry)
        for case, runs in each.items():
            raw, ours, ratios = (list(column) for column in zip(*runs, strict=True))
            found.setdefault(backend, {})[case] = {
                "raw_us": statistics.median_low(raw),
                "ours_us": statistics.median_low(ours),
                "ratio": statistics.median_low(ratios),
                "ratios": ratios,
            }
    return found


def in_python(folder):
    """By backend: the lines of bench/python_launches.py; medians where it ran several times."""
    found = {}
    for backend in page.BACKENDS:
        cases = {}
        for path in sorted(folder.glob(f"bench-python-{backend}*.log")):
            for line in page.lines_of(path):
                for column, value in line.items():
                    cases.setdefault(line["case"], {}).setdefault(column, []).append(value)
        lines = []
        for columns in cases.values():
            line = {c: statistics.median_low(values) for c, values in columns.items()}
            lines.append(line | {"processes": len(columns["case"]), "above raw, each": columns.get("above raw", [])})
        if lines:
            found[backend] = lines
    return found


def goal_of(case):
    return next((str(goal) for begin, goal in GOALS.items() if case.startswith(begin)), "")


def us(value):
    return f"{value:.0f}" if value >= 1000 else f"{value:.4g}"


def c_table(cases):
    """One backend's table, in Markdown: microseconds."""
    out = ["| case | raw | ours | ratio, each process | goal |", "|---|---|---|---|---|"]
    for case, entry in cases.items():
        ratios = ", ".join(f"{ratio:.2f}" for ratio in sorted(entry["ratios"]))
        out.append(f"| {case} | {us(entry['raw_us'])} | {us(entry['ours_us'])} | {ratios} | {goal_of(case)} |")
    return "\n".join(out)


def python_table(results):
    """The table of launches from Python: microseconds, transfers in milliseconds."""
    of = {b: {line["case"]: line for line in lines} for b, lines in results["python_launch"].items()}
    columns = [(b, c) for b in of for c in COLUMNS if any(c in line for line in of[b].values())]
    names = [COLUMNS[c].format(page.NAMES[b]) for b, c in columns]
    out = ["| case | " + " | ".join(names) + " |", "|---" * (len(columns) + 1) + "|"]
    for case in dict.fromkeys(case for lines in of.values() for case in lines):
        millis = "MiB" in case
        values = [of[b].get(case, {}).get(c) for b, c in columns]
        cells = ["" if v is None else f"{v / 1000 if millis else v:.3g}" for v in values]
        out.append(f"| {case}{', ms' if millis else ''} | " + " | ".join(cells) + " |")
    return "\n".join(out)


def above_raw_table(results):
    """The time of a launch from Python above the raw API in C, beside the goal of 1.5 us, in each process."""
    of = {b: {line["case"]: line for line in lines} for b, lines in results["python_launch"].items()}
    out = ["| above raw C | " + " | ".join(page.NAMES[b] for b in of) + " |", "|---" * (len(of) + 1) + "|"]
    for case in dict.fromkeys(case for lines in of.values() for case in lines):
        if case.startswith(ABOVE_RAW):
            cells = [", ".join(f"{v:.2f}" for v in of[b].get(case, {}).get("above raw, each", [])) for b in of]
            out.append(f"| {case} | " + " | ".join(cells) + " |")
    return "\n".join(out)


def in_page(name, text, results):
    """The page's text with the tables of these results."""
    for backend, cases in results["launch"].items():
        begin, end = (
            f"<!-- launches in C, {backend}: made by tests/gpu/launches.py -->",
            f"<!-- /launches {backend} -->",
        )
        text = page.in_block(name, text, begin, end, c_table(cases))
    begin, end = "<!-- launches from Python: made by tests/gpu/launches.py -->", "<!-- /launches from Python -->"
    return page.in_block(name, text, begin, end, f"{python_table(results)}\n\n{above_raw_table(results)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("tables")
    one.add_argument("file", type=Path)
    one.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    target = page.ROOT / "docs/performance.md"
    wanted = in_page(target.name, target.read_text(), json.loads(arguments.file.read_text()))
    return page.update(target, wanted, arguments.check, f"tests/gpu/launches.py tables {arguments.file}")


if __name__ == "__main__":
    sys.exit(main())
