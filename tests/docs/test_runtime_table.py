"""docs/performance.md's tables of the runtime's goals and of Vulkan's copies are what tests/gpu/runtime.py makes of the
committed results."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "docs/results/h200_runtime.json"


@pytest.fixture
def runtime(script):
    return script("runtime")


def test_the_page_has_the_tables_of_the_committed_results(check_page):
    check_page("runtime", "tables", RESULTS)


def test_every_goal_has_the_values_of_three_processes(runtime):
    lines = json.loads(RESULTS.read_text())
    for title, name, goals, _ in runtime.ROWS:
        for backend in goals:
            values = [line for line in lines if (line["what"], line["backend"]) == (name, backend)]
            assert len(values) >= 3, (title, backend)


def test_values_come_from_each_program_and_misses_are_marked(runtime, tmp_path):
    def log(name, *lines):
        (tmp_path / name).write_text("NVIDIA H200\n" + "".join(json.dumps(line) + "\n" for line in lines))

    log("bench-launch-1.log", {"case": "launch and wait", "ratio": 1.3}, {"case": "graph of 10, each", "ratio": 1.1})
    log("bench-launch_cuda-1.log", {"case": "cuda launch and wait", "ratio": 1.05})
    log("bench-python-cuda-1.log", {"case": "1000 instances of 10, each", "ours": 2.0, "old": 12.0})
    log("bench-python-cuda-2.log", {"case": "1000 instances of 10, each", "ours": 3.0, "old": 15.0})
    log("bench-python-vulkan-1.log", {"case": "1000 instances of 10, each", "ours": 3.0})
    for i, time in ((1, 0.5), (2, 2.0)):
        log(f"bench-runtime-transfers-vulkan-{i}.log", {"case": "up", "GB_s": 20.0, "ratio": 3, "of_cuda": time})
    log("bench-runtime-transfers-opencl-1.log", {"case": "down_new", "GB_s": 9, "ratio": 2.5, "allowed": 0.8})
    log("bench-runtime-timestamps-opencl-1.log", {"case": "timestamps, graph of 1000", "added_us": 8.0})
    log(
        "bench-runtime-first_kernel-cuda-1.log",
        {"case": "first kernel, empty cache", "ms": 99},
        {"case": "first kernel, filled cache", "ms": 1.5},
    )
    cold = {"case": "pow2_1024", "backend": "vulkan"}
    lines = [cold | {"who": "cold", "gbs": 990.0}, cold | {"who": "warm", "gbs": 1000.0}]
    (tmp_path / "bench-rest-vulkan-1.jsonl").write_text("\n".join(map(json.dumps, lines)))
    for i, rate in ((1, 50.0), (2, 40.0), (3, 20.0)):
        one = {"case": "one up", "up_GB_s": rate, "down_GB_s": 0.0}
        log(f"bench-copies-vulkan-{i}.log", one, {"case": "both", "up_GB_s": rate, "down_GB_s": 30.0})
    found = runtime.collect(tmp_path)
    assert runtime.copies_table(found).splitlines()[2:] == ["| one up | 40.0 |  |  |", "| both | 40.0 | 30.0 | 70.0 |"]
    rows = {row.split("|")[1].strip(): row for row in runtime.table(found).splitlines()[2:]}
    cells = {name: [cell.strip() for cell in row.split("|")[2:-1]] for name, row in rows.items()}
    assert cells["launch and wait, of raw C's time"] == ["≤ 1.2", "1.30 (short)", "1.05", ""]
    assert cells["graph of 10, of raw C's"][1] == "1.10"
    assert cells["the same from Python, times vkdispatch 0.1's rate"][1:] == ["", "5.00, 6.00", ""]
    assert cells["pageable 256 MiB up, of our time on CUDA"][1:] == ["0.50, 2.00 (short)", "", ""]
    assert cells["256 MiB down into a new array, of CuPy's rate"][3] == "2.50"
    assert cells["the same, of a warm read's rate and touching the pages"][3] == "0.80 (short)"
    assert cells["what timestamps add to a node, us"][3] == "8.00 (short)"
    assert cells["first kernel of a process from a warm cache, ms"][2] == "1.50"
    assert cells["20 transforms after a rest of 2 s, of their rate"][1] == "0.99"
