#!/usr/bin/env python3
"""The one table of a run of tests/gpu/run, and README's table of backends from it.

    tests/gpu/report.py collect DIR [--write FILE]   print the table of the result files in DIR; write what it says as JSON
    tests/gpu/report.py readme FILE [--check]        put the table of such a file into README.md's marked block, or compare
    tests/gpu/report.py launches FILE                print the table of launches from Python that docs/performance.md has

Needs nothing but Python.
"""

import argparse
import datetime
import json
import re
import statistics
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
BACKENDS = ("vulkan", "cuda", "opencl", "host")
NAMES = {"vulkan": "Vulkan", "cuda": "CUDA", "opencl": "OpenCL", "host": "host"}
BEGIN, END = "<!-- backends: made by tests/gpu/report.py -->", "<!-- /backends -->"
#: Cases of the launch benchmarks that the tables show: title, and how the benchmarks' names for it begin.
LAUNCH_CASES = {
    "launch and wait": "launch and wait",
    "burst of 256": "burst of 256",
    "graph of 100": "graph of 100",
    "saxpy of 2^28": "saxpy",
    "256 MiB up": "256 MiB up",
    "256 MiB down": "256 MiB down",
}


def lines_of(path):
    """The JSON lines of a file that may have others."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(errors="replace").splitlines() if line.startswith("{")]


def conformance(folder, backend):
    """Of each case the last result; None if the backend did not run."""
    last = {line["case"]: line for line in lines_of(folder / f"conformance-{backend}.jsonl")}
    if not last:
        return None
    found = {
        "device": "",
        "passed": 0,
        "failed": [],
        "skipped": {},
        "full": True,
        "ulp": 0.0,
        "where": "",
        "seconds": 0.0,
    }
    for case, line in sorted(last.items()):
        found["device"] = line.get("device", found["device"])
        found["full"] = found["full"] and line["full"]
        found["seconds"] = round(found["seconds"] + line["seconds"], 1)
        if line["status"] == "skip":
            found["skipped"][line["reason"]] = found["skipped"].get(line["reason"], 0) + 1
        elif line["status"] == "pass":
            found["passed"] += 1
        else:
            found["failed"].append(case)
        if line["ulp"] > found["ulp"]:
            found["ulp"], found["where"] = round(line["ulp"], 2), line["where"]
    return found


def pytest_run(folder, name):
    """Numbers of a pytest run from its XML; skips by reason."""
    path = folder / f"{name}.xml"
    if not path.exists():
        return None
    found = {"passed": 0, "failed": [], "skipped": {}}
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            found["failed"].append(case.get("name"))
        elif skipped is not None:
            reason = re.sub(r"/\S*/(?=tests/)", "", skipped.get("message", ""))
            found["skipped"][reason] = found["skipped"].get(reason, 0) + 1
        else:
            found["passed"] += 1
    return found


def unit_run(folder, name):
    """Numbers of a GoogleTest run from its log."""
    path = folder / f"{name}.log"
    if not path.exists():
        return None
    text = path.read_text(errors="replace")
    count = {what: re.search(rf"\[\s+{what}\s+\] (\d+) test", text) for what in ("PASSED", "SKIPPED")}
    found = {what.lower(): int(number[1]) if number else 0 for what, number in count.items()}
    return found | {"failed": len(set(re.findall(r"\[\s+FAILED\s+\] (\w+[./]\S+)", text)))}


def launches(folder):
    """By benchmark and case: raw, ours and their ratio."""
    found = {}
    for backend, name in (("vulkan", "launch"), ("cuda", "launch_cuda"), ("opencl", "launch_opencl")):
        for line in lines_of(folder / f"bench-{name}.log"):
            if "ratio" not in line:
                continue
            raw = [
                v for k, v in line.items() if k.startswith("raw") and not k.endswith("_least") and isinstance(v, float)
            ]
            entry = {"ours_us": line.get("ours"), "raw_us": min(raw) if raw else None, "ratio": line["ratio"]}
            found.setdefault(backend, {})[line["case"].removeprefix("cuda ")] = entry
    return found


def python_launches(folder):
    """By backend: the lines of bench/python_launches.py; medians where it ran several times."""
    found = {}
    for backend in BACKENDS:
        cases = {}
        for path in sorted(folder.glob(f"bench-python-{backend}*.log")):
            for line in lines_of(path):
                for column, value in line.items():
                    cases.setdefault(line["case"], {}).setdefault(column, []).append(value)
        lines = [
            {c: statistics.median_low(values) for c, values in columns.items()} | {"processes": len(columns["case"])}
            for columns in cases.values()
        ]
        if lines:
            found[backend] = lines
    return found


def driver():
    """The NVIDIA driver's version; "" without one."""
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.split("\n")[0].strip()


def collect(folder):
    """All that the files of a run say."""
    return {
        "date": datetime.date.today().isoformat(),
        "driver": driver(),
        "conformance": {b: found for b in BACKENDS if (found := conformance(folder, b))},
        "python": {b: found for b in BACKENDS if (found := pytest_run(folder, f"python-{b}"))},
        "unit": {b: found for b in BACKENDS if (found := unit_run(folder, f"unit-{b}"))},
        "launch": launches(folder),
        "python_launch": python_launches(folder),
    }


def case_of(cases, begin):
    """The entry of the first case whose name begins so; None if there is none."""
    return next((entry for name, entry in cases.items() if name.startswith(begin)), None)


def skips(found):
    """ "4: the device does not report f16", or "-"."""
    return "; ".join(f"{count}: {reason}" for reason, count in sorted(found["skipped"].items())) or "-"


def print_table(results):
    """The one table of a run."""
    print(
        f"{'backend':8} {'device':24} {'conformance':>12} {'skipped':>8} {'largest difference':34} {'python':>14} {'unit':>6}"
    )
    for backend, found in results["conformance"].items():
        python, unit = results["python"].get(backend), results["unit"].get(backend)
        share = f"{found['passed']}/{found['passed'] + len(found['failed'])}{' full' if found['full'] else ''}"
        skipped = sum(found["skipped"].values())
        in_python = f"{python['passed']}/{python['passed'] + len(python['failed'])}" if python else "-"
        in_unit = f"{unit['passed']}/{unit['passed'] + unit['failed']}" if unit else "-"
        largest = f"{found['ulp']:.3g} ulp ({found['where']})"
        print(
            f"{backend:8} {found['device']:24.24} {share:>12} {skipped:8} {largest:34.34} {in_python:>14} {in_unit:>6}"
        )
        for name, part in (("conformance", found), ("python", python)):
            if part and part["skipped"]:
                print(f"         {name} skipped: {skips(part)}")
            if part and part["failed"]:
                print(f"         {name} FAILED: {', '.join(part['failed'][:12])}")
    if results["launch"]:
        print(f"\n{'ours / raw API in C':22}" + "".join(f"{b:>10}" for b in results["launch"]))
        for title, begin in LAUNCH_CASES.items():
            entries = [case_of(cases, begin) for cases in results["launch"].values()]
            print(f"{title:22}" + "".join(f"{e['ratio']:10.2f}" if e else f"{'-':>10}" for e in entries))
    for backend, lines in results["python_launch"].items():
        columns = [k for line in lines for k in line if k not in ("case", "backend", "device", "processes")]
        columns = list(dict.fromkeys(columns))
        print(f"\n{'Python, ' + backend + ' (us)':24}" + "".join(f"{c:>12}" for c in columns))
        for line in lines:
            print(f"{line['case']:24}" + "".join(f"{line[c]:12.2f}" if c in line else f"{'-':>12}" for c in columns))


#: How the table of launches from Python names the columns, and which it has for a backend.
PYTHON_COLUMNS = {"ours": "{} ours", "ours C": "from C", "raw C": "raw C", "cupy": "CuPy", "torch": "torch"}
PYTHON_COLUMNS |= {"pyopencl": "pyopencl", "old": "0.1"}


def launches_table(results):
    """The table of launches from Python, in Markdown: microseconds, transfers in milliseconds."""
    of = {b: {line["case"]: line for line in lines} for b, lines in results["python_launch"].items()}
    columns = [(b, c) for b in of for c in PYTHON_COLUMNS if any(c in line for line in of[b].values())]
    names = [PYTHON_COLUMNS[c].format(NAMES[b]) for b, c in columns]
    out = ["| case | " + " | ".join(names) + " |", "|---" * (len(columns) + 1) + "|"]
    for case in dict.fromkeys(case for lines in of.values() for case in lines):
        millis = "MiB" in case
        values = [of[b].get(case, {}).get(c) for b, c in columns]
        cells = ["" if v is None else f"{v / 1000 if millis else v:.3g}" for v in values]
        out.append(f"| {case}{', ms' if millis else ''} | " + " | ".join(cells) + " |")
    return "\n".join(out)


def failures(results):
    """How many things failed."""
    count = sum(len(found["failed"]) for part in ("conformance", "python") for found in results[part].values())
    return count + sum(found["failed"] for found in results["unit"].values())


def readme_table(results):
    """README's table, in Markdown."""
    gpus = [f["device"] for b, f in results["conformance"].items() if b != "host"]
    where = f"{gpus[0] if gpus else 'the host'}{', driver ' + results['driver'] if results['driver'] else ''}"
    out = [
        f"Measured on {where}, {results['date']}, by `tests/gpu/run --full`:",
        "",
        "| backend | conformance cases | largest difference | Python tests | launch and wait | graph of 100 | saxpy of 2^28 |",
        "|---|---|---|---|---|---|---|",
    ]
    for backend, found in results["conformance"].items():
        total = found["passed"] + len(found["failed"])
        cells = [NAMES[backend], f"{found['passed']} of {total} pass" + skipped_note(found)]
        cells.append(f"{found['ulp']:.3g} ULP ({found['where'].split(' ')[-1]})")
        python = results["python"].get(backend)
        total = python["passed"] + len(python["failed"]) if python else 0
        cells.append(f"{python['passed']} of {total} pass" if python else "-")
        for title in ("launch and wait", "graph of 100", "saxpy of 2^28"):
            entry = case_of(results["launch"].get(backend, {}), LAUNCH_CASES[title])
            cells.append(f"{entry['ratio']:.2f}" if entry else "-")
        out.append("| " + " | ".join(cells) + " |")
    out += [
        "",
        "The last three columns are our time divided by that of the same API used by hand in C: less than 1 is faster.",
    ]
    return "\n".join(out)


def skipped_note(found):
    """ ", 4 skipped (no f16)"."""
    if not found["skipped"]:
        return ""
    reasons = sorted(reason.replace("the device does not report", "no") for reason in found["skipped"])
    return f", {sum(found['skipped'].values())} skipped ({', '.join(reasons)})"


def in_block(page, text, begin, end, content):
    """A page's text with another content of the block between two marks."""
    before, _, rest = text.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f"{page} has no block from {begin} to {end}")
    return f"{before}{begin}\n{content}\n{end}{after}"


def in_readme(text, table):
    """README's text with another table."""
    return in_block("README.md", text, BEGIN, END, table)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("collect")
    one.add_argument("folder", type=Path)
    one.add_argument("--write", type=Path)
    two = commands.add_parser("readme")
    two.add_argument("file", type=Path)
    two.add_argument("--check", action="store_true")
    three = commands.add_parser("launches")
    three.add_argument("file", type=Path)
    arguments = parser.parse_args()
    if arguments.command == "launches":
        print(launches_table(json.loads(arguments.file.read_text())))
        return 0
    if arguments.command == "collect":
        results = collect(arguments.folder)
        print_table(results)
        if arguments.write:
            arguments.write.write_text(json.dumps(results, indent=1) + "\n")
        return 1 if failures(results) else 0
    page = ROOT / "README.md"
    text = page.read_text()
    wanted = in_readme(text, readme_table(json.loads(arguments.file.read_text())))
    if arguments.check:
        if wanted != text:
            print(
                f"report.py: README.md's table is not what {arguments.file} says; run report.py readme {arguments.file}"
            )
        return int(wanted != text)
    page.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
