#!/usr/bin/env python3
"""Hardware counters of bench/fft on CUDA, read by NVIDIA's profiler (ncu): a line of JSON for each case.

    python bench/fft/counters.py [--program build/release/bench/fft] [--out FILE] [--only NAME,...]

tests/gpu/transforms.py makes the table of docs/performance.md from these lines. The profiler runs a kernel several
times with caches flushed and the clock as it is; its times cannot be compared with those of bench/fft.
"""

import argparse
import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Cases to profile: those slower than a copy, and one of each other kind. The value is the number of kernels in the
# transform.
CASES = {
    "pow2_512": 1,
    "pow2_1024": 1,
    "pow2_4096": 1,
    "smooth_243": 1,
    "smooth_2187": 1,
    "smooth_3600": 1,
    "strided_1024": 1,
    "strided_2048": 1,
    "strided_4096": 1,
    "conv_row_1024": 1,
    "conv_row_4096": 1,
    "conv_plane_1024": 3,
    "r2c_1024": 1,
    "plane_1000": 2,
    "plane_1024": 2,
    "plane_4096": 2,
    "plane_8192": 2,
    "far_1024": 1,
    "lines_61": 1,
    "lines_4099": 1,
    "lines_10007": 1,
    "lines_2501": 1,
    "lines_3649": 1,
    "lines_20000": 1,
    "lines_262144": 2,
}
METRICS = {
    "read": "dram__bytes_read.sum",
    "written": "dram__bytes_write.sum",
    "dram_percent": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "issue_percent": "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "occupancy_percent": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "registers": "launch__registers_per_thread",
    "threads": "launch__block_size",
    "shared": "launch__shared_mem_per_block_dynamic",
    "shared_static": "launch__shared_mem_per_block_static",
    "wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "sectors_read": "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
    "sectors_written": "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio",
    "local_loads": "smsp__inst_executed_op_local_ld.sum",
    "local_stores": "smsp__inst_executed_op_local_st.sum",
    "instructions": "smsp__inst_executed.sum",
    "wait_memory": "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
    "wait_shared": "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio",
    "wait_barrier": "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",
}
ARRAY = 2**30  # bytes
UNITS = {"byte": 1, "kbyte": 1e3, "mbyte": 1e6, "gbyte": 1e9}


def number(text, unit):
    """A value of the profiler's table in its base unit; None if it could not be read."""
    try:
        return float(text.replace(",", "")) * UNITS.get(unit.lower().split("/")[0], 1)
    except ValueError:
        return None


def table_of(text):
    """Each kernel's counters, of the profiler's raw page."""
    lines = text[text.index('"ID"') :].splitlines()
    units, *kernels = list(csv.DictReader(lines))
    return [{name: number(k.get(m, ""), units.get(m, "")) for name, m in METRICS.items()} for k in kernels]


def arguments_of(case):
    """The program's arguments that measure this case alone."""
    row, _, length = case.partition("_")
    return ["--only", case, *(["--rows", "L", "--lengths", length] if row == "lines" else [])]


def profile(ncu, program, case):
    """The counters of the case's kernels, in their order."""
    command = [ncu, "--csv", "--page", "raw", "--clock-control", "none", "--launch-count", str(CASES[case])]
    command += ["--metrics", ",".join(METRICS.values()), str(program), "--backend", "cuda", "--no-peer"]
    command += ["--repeats", "1", "--turns", "1", *arguments_of(case)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=240)
    if done.returncode != 0 or '"ID"' not in done.stdout:
        raise RuntimeError(f"ncu ended with {done.returncode}: {done.stdout[-600:]} {done.stderr[-300:]}")
    return table_of(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/bench/fft")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--only", default=",".join(CASES))
    arguments = parser.parse_args()
    ncu = shutil.which("ncu") or shutil.which("/usr/local/cuda/bin/ncu")
    if not ncu:
        print("there is no ncu here")
        return 1
    lines, failures = [], 0
    for case in arguments.only.split(","):
        try:
            kernels = profile(ncu, arguments.program, case)
        except (RuntimeError, subprocess.TimeoutExpired, ValueError) as e:
            print(f"{case}: {e}")
            failures += 1
            continue
        for number_of, counters in enumerate(kernels):
            where = {"row": "profile", "case": case, "kernel": number_of, "backend": "cuda", "array": ARRAY}
            lines.append(json.dumps({**where, **counters}))
            print(lines[-1], flush=True)
    if arguments.out:
        arguments.out.write_text("".join(f"{line}\n" for line in lines))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
