#!/usr/bin/env python3
"""The tables of the runtime's goals and of Vulkan's copies by hand that docs/performance.md has, from the results of one
run of `tests/gpu/run --times 3 launch launch-python runtime --old DIR`.

    tests/gpu/runtime.py collect DIR --write FILE   what bench-*.log in DIR say of the goals
    tests/gpu/runtime.py tables FILE [--check]      put the tables into docs/performance.md's marked blocks, or compare

Needs nothing but Python.
"""

import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from launches import PROGRAMS
from page import NAMES, ROOT, in_block, lines_of, main

PAGE = ROOT / "docs/performance.md"
BEGIN, END = "<!-- runtime: made by tests/gpu/runtime.py -->", "<!-- /runtime -->"
BEGIN_COPIES, END_COPIES = "<!-- copies: made by tests/gpu/runtime.py -->", "<!-- /copies -->"
BACKENDS = tuple(PROGRAMS)
#: Rows of the table, with the goals of the backends that have one: title, value's name, goal, and whether more is better.
ROWS = (
    ("launch and wait, of raw C's time", "launch and wait", {"vulkan": 1.2}, False),
    ("graph of 10, of raw C's", "graph of 10", {"vulkan": 1.2}, False),
    ("graph of 4 chains of 100, of raw C's", "graph of 4 chains of 100", {"vulkan": 1.11}, False),
    (
        "graph of 100 with one rebinding a submit, of raw C's",
        "graph of 100, one rebound",
        {"vulkan": 1.2, "cuda": 1.2},
        False,
    ),
    (
        "1,000 instances of 10 launches, of raw C's graph of 10,000",
        "1000 instances of 10",
        {"vulkan": 1.2, "cuda": 1.2},
        False,
    ),
    ("the same from Python, times vkdispatch 0.1's rate", "instances beside 0.1", {"vulkan": 1.7, "cuda": 5}, True),
    ("mapped 256 MiB up, of CuPy's rate from pinned memory", "mapped_up", dict.fromkeys(PROGRAMS, 0.95), True),
    ("mapped 256 MiB down", "mapped_down", dict.fromkeys(PROGRAMS, 0.95), True),
    ("pageable 256 MiB up, of our time on CUDA", "up beside CUDA", {"vulkan": 1.15}, False),
    ("pageable 256 MiB down", "down beside CUDA", {"vulkan": 1.15}, False),
    ("256 MiB down into a new array, of CuPy's rate", "down_new", dict.fromkeys(PROGRAMS, 1.5), True),
    ("the same, of a warm read's rate and touching the pages", "down_new allowed", dict.fromkeys(PROGRAMS, 1), True),
    ("64 pieces of 16 MiB up, computed, down, of CuPy's rate", "stream", dict.fromkeys(PROGRAMS, 0.95), True),
    ("blur of 4096 x 4096 by texture, of CuPy's rate", "blur", dict.fromkeys(PROGRAMS, 0.95), True),
    ("the same between the texels' centers", "blur_nearest", dict.fromkeys(PROGRAMS, 0.95), True),
    ("the same with a linear filter", "blur_linear", dict.fromkeys(PROGRAMS, 0.95), True),
    ("what timestamps add to a node, us", "timestamps", dict.fromkeys(PROGRAMS, 2), False),
    ("first kernel of a process from a warm cache, ms", "first kernel", dict.fromkeys(PROGRAMS, 5), False),
    ("20 transforms after a rest of 2 s, of their rate", "after a rest", {"vulkan": 0.95}, True),
)


def of_launches(folder, found):
    """The ratios of the benchmarks in C."""
    wanted = [name for _, name, _, _ in ROWS]
    for backend, program in PROGRAMS.items():
        for path in sorted(folder.glob(f"bench-{program}-*.log")):
            for line in lines_of(path):
                case = line["case"].removeprefix("cuda ").removesuffix(", each")
                if case in wanted and "ratio" in line:
                    found.append({"what": case, "backend": backend, "value": line["ratio"]})


def of_python(folder, found):
    """The rate of instances beside another vkdispatch."""
    for backend in BACKENDS:
        for path in sorted(folder.glob(f"bench-python-{backend}-*.log")):
            for line in lines_of(path):
                if line["case"].startswith("1000 instances") and "old" in line:
                    value = round(line["old"] / line["ours"], 2)
                    found.append({"what": "instances beside 0.1", "backend": backend, "value": value})


def of_runtime(folder, found):
    """Everything else: bench-runtime-NAME-BACKEND-PROCESS.log."""
    for path in sorted(folder.glob("bench-runtime-*.log")):
        backend = path.stem.split("-")[-2]
        add = lambda what, value, backend=backend: found.append({"what": what, "backend": backend, "value": value})
        for line in lines_of(path):
            case = line["case"]
            if case.startswith("timestamps"):
                add("timestamps", line["added_us"])
            elif case == "first kernel, filled cache":
                add("first kernel", line["ms"])
            elif "ratio" in line and case not in ("up", "down"):
                add(case, line["ratio"])
            if case == "down_new":
                add("down_new allowed", line["allowed"])
            if "of_cuda" in line:
                add(f"{case} beside CUDA", line["of_cuda"])


def of_rests(folder, found):
    """Lines of bench/fft --cold: the rate after a rest, of the rate without."""
    for path in sorted(folder.glob("bench-rest-*.jsonl")):
        lines = {(line["case"], line["who"]): line for line in lines_of(path)}
        for (case, who), line in lines.items():
            if who == "cold" and (case, "warm") in lines:
                value = round(line["gbs"] / lines[case, "warm"]["gbs"], 3)
                found.append({"what": "after a rest", "backend": line["backend"], "value": value})


def of_copies(folder, found):
    """Copies by queues of Vulkan's: a value has the rate up and the rate down."""
    for path in sorted(folder.glob("bench-copies-vulkan-*.log")):
        for line in lines_of(path):
            value = [line["up_GB_s"], line["down_GB_s"]]
            found.append({"what": f"copies: {line['case']}", "backend": "vulkan", "value": value})


def collect(folder):
    """A line for each value of each process."""
    found = []
    for of in (of_launches, of_python, of_runtime, of_rests, of_copies):
        of(folder, found)
    return found


def table(lines):
    """The processes' values beside the goals. The median of a cell that misses its goal is marked."""
    out = ["| what | goal | " + " | ".join(NAMES[b] for b in BACKENDS) + " |", "|---" * (len(BACKENDS) + 2) + "|"]
    for title, name, goals, more in ROWS:
        sign = "≥" if more else "≤"
        goal = f"{sign} {' and '.join(f'{value:g}' for value in dict.fromkeys(goals.values()))}"
        cells = []
        for backend in BACKENDS:
            values = sorted(line["value"] for line in lines if (line["what"], line["backend"]) == (name, backend))
            text = ", ".join(f"{value:.2f}" for value in values)
            wanted = goals.get(backend)
            if values and wanted is not None:
                middle = statistics.median(values)
                text += "" if (middle >= wanted if more else middle <= wanted) else " (short)"
            cells.append(text)
        out.append(f"| {title} | {goal} | " + " | ".join(cells) + " |")
    return "\n".join(out)


def copies_table(lines):
    """The median of the processes' rates by each choice of queues, in the program's order."""
    rates = {}
    for line in lines:
        kind, _, name = line["what"].partition(": ")
        if kind == "copies":
            rates.setdefault(name, []).append(line["value"])
    out = ["| queues | up | down | both |", "|---" * 4 + "|"]
    for name, values in rates.items():
        up, down = (statistics.median(each) for each in zip(*values))
        cells = [f"{rate:.1f}" if rate else "" for rate in (up, down, up + down if up and down else 0)]
        out.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(out)


def in_page(text, lines):
    """The page's text with the tables of these lines."""
    text = in_block(PAGE.name, text, BEGIN, END, table(lines))
    return in_block(PAGE.name, text, BEGIN_COPIES, END_COPIES, copies_table(lines))


if __name__ == "__main__":
    sys.exit(main("runtime.py", __doc__, PAGE, collect, in_page))
