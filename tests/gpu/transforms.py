#!/usr/bin/env python3
"""The tables of transforms that docs/performance.md has, from the lines that bench/fft, its counters.py and beside_other.py write (--out).

    tests/gpu/transforms.py collect DIR --write FILE   what bench-fft-*.jsonl, profile-*.jsonl and beside-*.jsonl in DIR say,
                                                       the median where several processes measured the same
    tests/gpu/transforms.py tables FILE [--check]      put the tables into docs/performance.md's marked block, or compare

Needs nothing but Python.
"""

import math
import statistics
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from page import ROOT, in_block, lines_of, main

PAGE = ROOT / "docs/performance.md"
BESIDE = "0.1"  # the row of what was timed from Python beside another vkdispatch
PROFILE = "profile"  # the row of what the profiler counted
OWN_TABLES = DRAWN, SEEDED, DOUBLE, ALONE = "N", "S", "D", "U"  # rows of bench/fft that the table of rows leaves out
USUAL, SMALL = 27, 20  # numbers of an array, as powers of two: what a line has that does not say, and 8 MiB
PEERS = {"cufft": "cuFFT", "cufft_callbacks": "cuFFT, callbacks", "vkfft": "VkFFT, Vulkan", "vkfft_cuda": "VkFFT, CUDA"}
BEGIN, END = "<!-- transforms: made by tests/gpu/transforms.py -->", "<!-- /transforms -->"


def collect(folder):
    """The lines of every backend's run, without the planner's words."""
    runs = [
        [{k: v for k, v in line.items() if k != "explain"} for line in lines_of(path) if line["who"] != "variant"]
        for path in sorted(folder.glob("bench-fft-*.jsonl"))
    ]
    found = medians(runs)
    found += [line for path in sorted(folder.glob("profile-*.jsonl")) for line in lines_of(path)]
    beside = [line for path in sorted(folder.glob("beside-*.jsonl")) for line in lines_of(path)]
    return found + [{"row": BESIDE, **line} for line in beside]


def medians(runs):
    """One line for all processes that measured the same: the median of times, the largest error, and each one's rate.

    Rates are under a process's number, for ratios are taken within one: processes may have run on different devices."""
    same = {}
    for number, lines in enumerate(runs):
        for line in lines:
            key = (*(line[key] for key in ("row", "case", "who", "backend")), is_small(line))
            of_runs = same.setdefault(key, {})
            of_runs[str(number)] = line
    out = []
    for of_runs in same.values():
        group = list(of_runs.values())
        middle = {key: statistics.median(line[key] for line in group) for key in ("gbs", "us", "bound_us")}
        middle["error"] = max(line["error"] for line in group)
        each = {"processes": {number: line["gbs"] for number, line in of_runs.items()}}
        out.append({**group[0], **middle, **each})
    return out


def is_small(line):
    """Whether it is of an array of 8 MiB."""
    return line.get("log2", USUAL) == SMALL


class Run:
    """The cases of one backend's run."""

    def __init__(self, lines, backend):
        mine = [line for line in lines if line["backend"] == backend and line["row"] not in (BESIDE, PROFILE)]
        self.rows = {line["case"]: line["row"] for line in mine}
        self.of = {(line["case"], line["who"]): line for line in mine}

    def rate(self, case, who="ours"):
        """GB/s; None if it was not measured."""
        line = self.of.get((case, who))
        return line["gbs"] if line and line["us"] > 0 else None

    def rates(self, case, who):
        """GB/s by the number of the process; a line of one process has no number."""
        rate = self.rate(case, who)
        return {} if rate is None else self.of[case, who].get("processes", {"": rate})

    def ratio(self, case, *others):
        """Ours divided by the best of the others, or of all peers if none is named, in the median process; None without
        them."""
        peers = [self.rates(case, other) for other in others or PEERS]
        ratios = []
        for process, ours in self.rates(case, "ours").items():
            if beside := [rates[process] for rates in peers if process in rates]:
                ratios.append(ours / max(beside))
        return statistics.median(ratios) if ratios else None

    def bound(self, case):
        """The time that a copy of the same bytes takes, as a fraction of ours."""
        line = self.of[case, "ours"]
        return line["bound_us"] / line["us"] if line["us"] else None

    def cases(self, row):
        return [case for case, its in self.rows.items() if its == row]

    def by_record(self, recorded):
        """Ratios of lines whose plans a record chose, or of others, to the peers that stand beside all of them; lines that
        do not say are none."""
        cases = [case for row in ("F1", "L", SEEDED) for case in self.cases(row)]
        mine = [case for case in cases if self.of.get((case, "ours"), {}).get("recorded") is recorded]
        return [r for case in mine if (r := self.ratio(case, "cufft", "vkfft"))]

    def ratios(self, row, *others):
        return [r for case in self.cases(row) if (r := self.ratio(case, *others))]


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def cell(value, form):
    return "" if value is None else format(value, form)


def rows_table(cuda, vulkan):
    """Every case of either run, but for rows that have tables of their own."""
    return cases_table(cuda, vulkan, lambda row: row not in OWN_TABLES)


def row_table(cuda, vulkan, row):
    """The cases of one row; none where they were not measured."""
    wanted = any(run.cases(row) for run in (cuda, vulkan))
    return cases_table(cuda, vulkan, lambda its: its == row) if wanted else ""


def small_table(cuda, vulkan, small_cuda, small_vulkan):
    """Arrays of 8 MiB by rows, and single lines; none where they were not measured."""
    kinds = {
        "contiguous lines": ("F1",),
        "columns": ("F2",),
        "planes": ("F3",),
        "convolutions": ("C1", "C2"),
        "real lines and planes": ("F8",),
    }
    groups = {f"8 MiB: {name}": (small_cuda, small_vulkan, rows) for name, rows in kinds.items()}
    groups["one line"] = (cuda, vulkan, (ALONE,))
    if not any(run.cases(row) for *both, rows in groups.values() for run in both for row in rows):
        return ""
    heads = ["array", *(f"{name}, of {peer}" for name in ("CUDA", "Vulkan") for peer in ("cuFFT", "the best peer"))]
    out = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for name, (*both, rows) in groups.items():
        found = [[r for row in rows for r in run.ratios(row, *peers)] for run in both for peers in (("cufft",), ())]
        out.append(f"| {name} | {' | '.join(map(spread, found))} |")
    return "\n".join(out)


def cases_table(cuda, vulkan, wants):
    """The cases of either run whose rows are wanted."""
    cases = {case: row for case, row in (cuda.rows | vulkan.rows).items() if wants(row)}
    found = {
        who: name for who, name in PEERS.items() if any((c, who) in run.of for run in (cuda, vulkan) for c in cases)
    }
    heads = ["row", "case", "ours, CUDA", "ours, Vulkan", *found.values(), "ratio, CUDA", "ratio, Vulkan"]
    heads += ["of bound, CUDA", "of bound, Vulkan", "error", "cuFFT's", "registers"]
    out = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for case, row in cases.items():
        first = cuda if (case, "ours") in cuda.of else vulkan
        error, other = first.of[case, "ours"]["error"], first.of.get((case, "cufft"), {}).get("error")
        cells = [row, case, cell(cuda.rate(case), ".0f"), cell(vulkan.rate(case), ".0f")]
        cells += [cell(first.rate(case, who), ".0f") for who in found]
        cells += [cell(run.ratio(case), ".2f") for run in (cuda, vulkan)]
        cells += [cell(run.bound(case) if (case, "ours") in run.of else None, ".2f") for run in (cuda, vulkan)]
        registers = first.of[case, "ours"]["registers"]
        cells += [cell(error, ".1e"), cell(other, ".1e"), str(registers) if registers else ""]
        out.append("| " + " | ".join(cells) + " |")
    return "\n".join(out)


def spread(values):
    """ "geometric mean, least"."""
    return f"{geomean(values):.3f}, least {min(values):.3f}" if values else ""


def goals_table(cuda, vulkan):
    """The goals, and the measured values."""

    def ratios(run, row, part="", others=()):
        return [r for c in run.cases(row) if part in c and (r := run.ratio(c, *others))]

    def errors(run):
        cases = [c for c, row in run.rows.items() if row not in OWN_TABLES and (c, "cufft") in run.of]
        pairs = [(run.of[c, "ours"]["error"], run.of[c, "cufft"]["error"]) for c in cases]
        values = [ours / other for ours, other in pairs if other]
        return f"{geomean(values):.3f}, most {max(values):.2f}" if values else ""

    def one(run, case, *others):
        return cell(run.ratio(case, *others), ".2f")

    def planes(run):
        return ", ".join(cell(r, ".2f") for r in ratios(run, "C2", others=("cufft",)))

    def callbacks(run):
        return spread(run.ratios("C1", "cufft_callbacks") + run.ratios("C2", "cufft_callbacks"))

    here = [c for c in cuda.cases("F1") if vulkan.rate(c)]
    out = ["| goal | CUDA | Vulkan |", "|---|---|---|"]
    rows = [
        ("F1: 1.0 of the best peer, least 0.95", lambda r: spread(ratios(r, "F1"))),
        (
            "F1 on Vulkan: 0.95 of our CUDA",
            lambda r: spread([vulkan.rate(c) / cuda.rate(c) for c in here]) if r is vulkan else "",
        ),
        ("F2: 1.1 of VkFFT at 1024", lambda r: one(r, "strided_1024", "vkfft")),
        ("F3: 0.95 of cuFFT at 1024x1024", lambda r: one(r, "plane_1024", "cufft")),
        ("C1 and C2: of cuFFT that links the product into its kernels", callbacks),
        ("C1: 2.6 with one row for all", lambda r: spread(ratios(r, "C1", "conv_row", ("cufft",)))),
        ("C1: 2.6 scaled", lambda r: spread(ratios(r, "C1", "conv_scaled", ("cufft",)))),
        ("C1: 2.0 with a full kernel", lambda r: spread(ratios(r, "C1", "conv_full", ("cufft",)))),
        ("C2: 1.4", planes),
        ("F8: 0.95 of cuFFT", lambda r: spread(r.ratios("F8", "cufft"))),
        ("A1: at most 1.1 of cuFFT's error", errors),
    ]
    out += [f"| {name} | {what(cuda)} | {what(vulkan)} |" for name, what in rows]
    return "\n".join(out)


def line_names(*lengths):
    return [f"lines_{n}" for n in lengths]


# Goals of single cases: what, the least ratio, to whom ("best": the best peer; "copy": a copy of the same bytes), cases.
CUDA_GOALS = (
    ("lines of 2^14", 1.2, "best", line_names(16384)),
    ("lines of 2^15", 1.4, "best", line_names(32768)),
    ("lines of 2^16", 1.2, "cufft", line_names(65536)),
    ("lines of 2^17 to 2^22", 1.1, "cufft", line_names(*(1 << k for k in range(17, 23)))),
    ("lines of 2^23, 2^24", 1.05, "best", line_names(1 << 23, 1 << 24)),
    ("lines of 2^25 to 2^28", 1.0, "best", line_names(*(1 << k for k in range(25, 29)))),
    ("lines of 10^6, 3^12, 12^6", 1.2, "cufft", line_names(10**6, 3**12, 12**6)),
    ("columns of 1024", 0.9, "copy", ["strided_1024"]),
    ("columns of 2048", 0.82, "copy", ["strided_2048"]),
    ("columns of 4096", 0.66, "copy", ["strided_4096"]),
    ("columns of 1024 far apart", 0.75, "copy", ["far_1024"]),
    ("planes of 1000, 1024", 1.03, "cufft", ["plane_1000", "plane_1024"]),
    ("planes of 4096, 8192", 1.15, "cufft", ["plane_4096", "plane_8192"]),
    ("planes to 128", 1.7, "cufft", ["plane_32", "plane_64", "plane_100", "plane_128"]),
    ("cubes of 512", 1.1, "cufft", ["cube_512"]),
    ("cubes of 128, 256", 1.3, "cufft", ["cube_128", "cube_256"]),
    ("lines of 17, 31", 0.95, "best", line_names(17, 31)),
    ("lines of 61, 2017", 1.3, "best", line_names(61, 2017)),
    ("lines of 4099", 1.7, "best", line_names(4099)),
    ("lines of 10007", 1.5, "best", line_names(10007)),
)
POWERS_IN_F64 = tuple(1 << k for k in range(6, 17))
VULKAN_GOALS = (
    ("lines of 2^14 to 2^24", 1.0, "vkfft", line_names(*(1 << k for k in range(14, 25)))),
    ("lines of 2^14 in one pass", 1.1, "vkfft", line_names(16384)),
    ("columns of 1024", 1.14, "vkfft", ["strided_1024"]),
    ("planes of 1000 to 8192", 0.92, "cufft", ["plane_1000", "plane_1024", "plane_4096", "plane_8192"]),
)
TO_WHOM = {"best": "of the best peer", "copy": "of a copy", "cufft": "of cuFFT", "vkfft": "of VkFFT, Vulkan"}


def single_goals_table(cuda, vulkan):
    """Goals of single cases and whether they are met; none where their lines were not measured."""
    out = ["| goal | at least | measured | |", "|---|---|---|---|"]

    def add(what, goal, measured, met):
        out.append(f"| {what} | {goal} | {measured} | {'' if met else 'short'} |")

    for run, name, goals in ((cuda, "CUDA", CUDA_GOALS), (vulkan, "Vulkan", VULKAN_GOALS)):
        for what, least, whom, cases in goals:
            found = [case for case in cases if (case, "ours") in run.of]
            others = () if whom == "best" else (whom,)
            ratios = [run.bound(case) if whom == "copy" else run.ratio(case, *others) for case in found]
            ratios = [round(r, 2) for r in ratios if r]
            if ratios:
                measured = ", ".join(f"{r:.2f}" for r in ratios)
                add(f"{what}, {name}", f"{least} {TO_WHOM[whom]}", measured, min(ratios) >= least)
    doubles = [r for case in cuda.cases(DOUBLE) if length_of(case) in POWERS_IN_F64 and (r := cuda.ratio(case))]
    if doubles:
        add("f64 of 64 to 65536, CUDA", f"0.98 {TO_WHOM['best']}", spread(doubles), geomean(doubles) >= 0.98)
    for row, what, least in (("F1", "lines to 4096", 0.95), ("C1", "convolutions of lines", 0.9)):
        shares = [vulkan.rate(c) / cuda.rate(c) for c in cuda.cases(row) if cuda.rate(c) and vulkan.rate(c)]
        if shares:
            add(f"{what}, Vulkan", f"{least} of CUDA", spread(shares), min(shares) >= least)
    every = [r for row in set(vulkan.rows.values()) for r in vulkan.ratios(row, "vkfft")]
    if every and (cuda.cases("G") or vulkan.cases("G")):
        goal = f"1.0 {TO_WHOM['vkfft']}, none below 0.9"
        add("every row, Vulkan", goal, spread(every), geomean(every) >= 1 and min(every) >= 0.9)
    return "\n".join(out) if len(out) > 2 else ""


def largest_prime(n):
    """The largest prime factor of a number from 2 on."""
    divisor = 2
    while divisor * divisor <= n:
        if n % divisor:
            divisor += 1
        else:
            n //= divisor
    return n


# Lengths by what a transform of them takes; each length is of the first class that has it.
CLASSES = {
    "powers of two": lambda n: n & (n - 1) == 0,
    "primes": lambda n: largest_prime(n) == n,
    "smooth to 13": lambda n: largest_prime(n) <= 13,
    "with a prime of 17 to 31": lambda n: largest_prime(n) <= 31,
    "with a larger prime": lambda _: True,
}


def class_of(length):
    return next(name for name, has in CLASSES.items() if has(length))


def length_of(case):
    return int(case.rpartition("_")[2])


def drawn_table(cuda, vulkan):
    """Lines of drawn lengths by classes of lengths; none where they were not measured."""
    cases = [case for case, row in (cuda.rows | vulkan.rows).items() if row == DRAWN]
    if not cases:
        return ""
    heads = ["drawn lengths", "how many", f"beside {PEERS['vkfft_cuda']}"]
    heads += [f"{name}, of {whom}" for name in ("CUDA", "Vulkan") for whom in ("cuFFT", "the best peer", "bound")]
    out = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for name in ("all", *CLASSES):
        some = [case for case in cases if name in ("all", class_of(length_of(case)))]
        cells = [name, str(len(some)), str(sum(cuda.rate(case, "vkfft_cuda") is not None for case in some))]
        for run in (cuda, vulkan):
            for others in (("cufft",), ()):
                cells.append(spread([r for case in some if (r := run.ratio(case, *others))]))
            bounds = [run.bound(case) for case in some if (case, "ours") in run.of]
            cells.append(f"{geomean(bounds):.2f}" if bounds else "")
        if some:
            out.append("| " + " | ".join(cells) + " |")
    return "\n".join(out)


def seeded_table(cuda, vulkan):
    """Lines whose plans a record of the device chose, and others; none where drawn smooth lengths were not measured."""
    if not any(run.cases(SEEDED) for run in (cuda, vulkan)):
        return ""
    heads = ["lines of F1, L and S, of the better of cuFFT and VkFFT, Vulkan", "CUDA", "how many", "Vulkan", "how many"]
    out = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    found = [[run.by_record(recorded) for run in (cuda, vulkan)] for recorded in (True, False)]
    for name, both in zip(("with a record", "without"), found, strict=True):
        cells = [name, *(text for ratios in both for text in (spread(ratios), str(len(ratios))))]
        out.append("| " + " | ".join(cells) + " |")
    shares = [geomean(less) / geomean(more) if less and more else None for more, less in zip(*found, strict=True)]
    cells = ["without, of that with one", *(text for share in shares for text in (cell(share, ".3f"), ""))]
    out.append("| " + " | ".join(cells) + " |")
    return "\n".join(out)


def blocks_table(cuda, vulkan):
    """Transforms in a user's kernel beside plans of the same; none where they were not measured."""
    cases = [case for case, row in (cuda.rows | vulkan.rows).items() if row == "B"]
    if not cases:
        return ""
    out = ["| in a kernel of one's own | of its plan, CUDA | of its plan, Vulkan |", "|---|---|---|"]
    for case in cases:
        ratios = [cell(run.ratio(case, "plan") if (case, "ours") in run.of else None, ".2f") for run in (cuda, vulkan)]
        out.append(f"| {case} | {' | '.join(ratios)} |")
    return "\n".join(out)


def cold_table(cuda, vulkan):
    """Transforms after a rest, beside those of a device at work; none where they were not measured."""
    cases = [case for case in cuda.rows | vulkan.rows if cuda.rate(case, "cold") or vulkan.rate(case, "cold")]
    if not cases:
        return ""
    out = ["| after a rest, GB/s | CUDA | of CUDA at work | Vulkan | of Vulkan at work |", "|---|---|---|---|---|"]
    for case in cases:
        cells = [case]
        for run in (cuda, vulkan):
            cold, warm = run.rate(case, "cold"), run.rate(case, "warm") or run.rate(case)
            cells += [cell(cold, ".0f"), cell(cold / warm if cold and warm else None, ".2f")]
        out.append("| " + " | ".join(cells) + " |")
    return "\n".join(out)


def counted(line, *keys, form=".0f", by=1, unit=""):
    """The sum of the counters, divided; nothing where one was not counted or could not be read."""
    values = [line.get(key) for key in keys]
    return "" if None in values or not by else format(sum(values) / by, form) + unit


def profile_table(lines):
    """The profiler's counters of each kernel; empty if it was not run."""
    found = [line for line in lines if line["row"] == PROFILE]
    if not found:
        return ""
    heads = [
        "counted on CUDA",
        "threads",
        "shared, KiB",
        "registers",
        "warps active",
        "issue active",
        "DRAM, of its peak",
    ]
    heads += ["read, of the array", "written, of the array", "sectors of a read", "of a write"]
    heads += ["conflicts, of shared accesses", "spills"]
    heads += ["waits for memory", "for shared memory", "for barriers"]
    out = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    several = {line["case"] for line in found if line["kernel"] > 0}
    for line in found:
        of = partial(counted, line)
        name = f"{line['case']}, {line['kernel'] + 1}" if line["case"] in several else line["case"]
        cells = [name, of("threads"), of("shared", "shared_static", form=".1f", by=1024), of("registers")]
        cells += [of(key, unit=" %") for key in ("occupancy_percent", "issue_percent", "dram_percent")]
        cells += [of(key, form=".2f", by=line["array"]) for key in ("read", "written")]
        cells += [of(key, form=".1f") for key in ("sectors_read", "sectors_written")]
        cells += [of("conflicts", form=".2f", by=line["wavefronts"]), of("local_loads", "local_stores")]
        cells += [of(key, form=".1f") for key in ("wait_memory", "wait_shared", "wait_barrier")]
        out.append("| " + " | ".join(cells) + " |")
    return "\n".join(out)


def beside_table(lines):
    """Transforms from Python beside another vkdispatch's."""
    out = ["| from Python | ours | vkdispatch 0.1 | ratio | error | 0.1's |", "|---|---|---|---|---|---|"]
    for line in lines:
        if line["row"] == BESIDE and "old GB/s" in line:
            ours, old = line["ours GB/s"], line["old GB/s"]
            cells = f"{ours:.0f} | {old:.0f} | {ours / old:.2f} | {line['ours error']:.1e} | {line['old error']:.1e}"
            out.append(f"| {line['case']}, {line['backend']} | {cells} |")
    return "\n".join(out) if len(out) > 2 else ""


def in_page(text, lines):
    """The page's text with the tables of these lines."""
    small = [Run([line for line in lines if is_small(line)], backend) for backend in ("cuda", "vulkan")]
    large = [line for line in lines if not is_small(line)]
    cuda, vulkan = Run(large, "cuda"), Run(large, "vulkan")
    first = (rows_table, goals_table, single_goals_table, drawn_table, seeded_table)
    tables = [table(cuda, vulkan) for table in first]
    tables += [row_table(cuda, vulkan, DOUBLE), small_table(cuda, vulkan, *small), row_table(cuda, vulkan, ALONE)]
    tables += [table(cuda, vulkan) for table in (blocks_table, cold_table)]
    tables += [profile_table(lines), beside_table(lines)]
    return in_block(PAGE.name, text, BEGIN, END, "\n\n".join(filter(None, tables)))


if __name__ == "__main__":
    sys.exit(main("transforms.py", __doc__, PAGE, collect, in_page))
