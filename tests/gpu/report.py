#!/usr/bin/env python3
"""The one table of a run of tests/gpu/run, and docs/performance.md's table of backends from it.

    tests/gpu/report.py collect DIR [--write FILE]   print the table of the result files in DIR; write what it says as JSON
    tests/gpu/report.py tables FILE [--check]        put the table of such a file into docs/performance.md's marked block, or compare

Needs nothing but Python.
"""

import argparse
import datetime
import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).parent))
import launches
from page import BACKENDS, NAMES, ROOT, in_block, lines_of, update

PAGE = ROOT / "docs/performance.md"
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


def conformance(folder, backend):
    """The last result of each case; None if the backend did not run."""
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
    """Numbers of a run by gtests.py: its list of tests that passed, or were skipped, and the failures in its log."""
    passed, log = folder / f"{name}.tests", folder / f"{name}.log"
    if not passed.exists() and not log.exists():
        return None
    names = set(passed.read_text().splitlines()) if passed.exists() else set()
    text = log.read_text(errors="replace") if log.exists() else ""
    return {"passed": len(names), "failed": len(re.findall(r"^FAILED AT ONCE ", text, re.MULTILINE))}


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
        "launch": launches.in_c(folder),
        "python_launch": launches.in_python(folder),
    }


def case_of(cases, begin):
    """The entry of the first case whose name begins with `begin`; None if there is none."""
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
        columns = [
            k for line in lines for k in line if k not in ("case", "backend", "device", "processes", "above raw, each")
        ]
        columns = list(dict.fromkeys(columns))
        print(f"\n{'Python, ' + backend + ' (us)':24}" + "".join(f"{c:>12}" for c in columns))
        for line in lines:
            print(f"{line['case']:24}" + "".join(f"{line[c]:12.2f}" if c in line else f"{'-':>12}" for c in columns))


def failures(results):
    """The number of failures."""
    count = sum(len(found["failed"]) for part in ("conformance", "python") for found in results[part].values())
    return count + sum(found["failed"] for found in results["unit"].values())


def backends_table(results):
    """The table of backends, in Markdown."""
    gpus = [f["device"] for b, f in results["conformance"].items() if b != "host"]
    where = f"{gpus[0] if gpus else 'the host'}{', driver ' + results['driver'] if results['driver'] else ''}"
    full = " --full" if any(found["full"] for found in results["conformance"].values()) else ""
    out = [
        f"Measured on {where}, {results['date']}, by `tests/gpu/run{full}`:",
        "",
        "| backend | conformance cases | largest difference | Python tests | launch and wait | graph of 100 | saxpy of 2^28 |",
        "|---|---|---|---|---|---|---|",
    ]
    for backend, found in results["conformance"].items():
        total = found["passed"] + len(found["failed"])
        quick = " without `--full`" if full and not found["full"] else ""
        cells = [NAMES[backend], f"{found['passed']} of {total} pass{quick}" + skipped_note(found)]
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


def in_page(text, table):
    """The page's text with another table."""
    return in_block(PAGE.name, text, BEGIN, END, table)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("collect")
    one.add_argument("folder", type=Path)
    one.add_argument("--write", type=Path)
    two = commands.add_parser("tables")
    two.add_argument("file", type=Path)
    two.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if arguments.command == "collect":
        results = collect(arguments.folder)
        print_table(results)
        if arguments.write:
            arguments.write.write_text(json.dumps(results, indent=1) + "\n")
        return 1 if failures(results) else 0
    wanted = in_page(PAGE.read_text(), backends_table(json.loads(arguments.file.read_text())))
    return update(PAGE, wanted, arguments.check, f"tests/gpu/report.py tables {arguments.file}")


if __name__ == "__main__":
    sys.exit(main())
