"""docs/performance.md's tables of reductions are what tests/gpu/reductions.py makes of the committed results."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "docs/results/h200_reductions.json"


@pytest.fixture
def reductions(script):
    return script("reductions")


def test_the_page_has_the_tables_of_the_committed_results(check_page):
    check_page("reductions", "tables", RESULTS)


def test_results_have_both_backends_and_peers_and_are_right():
    lines = json.loads(RESULTS.read_text())
    for run in ("cuda", "vulkan"):
        mine = [line for line in lines if line["run"] == run]
        assert {line["program"] for line in mine} == {"ours", "cub", "torch"}
        assert {line["count"] for line in mine} == {1 << power for power in range(10, 29)}
        assert all(line["right"] and line["us"] > 0 for line in mine if line["program"] == "ours")


def test_tables_have_the_peers_time_divided_by_ours(reductions, tmp_path):
    def line(program, power, us, operation="sum", right=True):
        return {"case": f"reduce_{operation}", "program": program, "count": 1 << power, "right": right, "us": us}

    cuda = [line("ours", 28, 250), line("cub", 28, 200), line("ours", 10, 2), line("cub", 10, 8)]
    cuda += [line("ours", 11, 2), line("cub", 11, 4), line("torch", 11, 3), line("torch", 10, 9, right=False)]
    (tmp_path / "bench-reduce-cuda.jsonl").write_text("\n".join(map(json.dumps, cuda)))
    (tmp_path / "bench-reduce-vulkan.jsonl").write_text(json.dumps(line("ours", 28, 500)))
    lines = reductions.collect(tmp_path)
    assert reductions.bands_table(lines).splitlines()[2:] == [
        "| 2^10 to 2^19 |  |  |  | 2.83 (2.00) |  | 1.50 (1.50) |",
        "| 2^20 to 2^23 |  |  |  |  |  |  |",
        "| 2^24 to 2^28 |  |  |  | 0.80 (0.80) |  |  |",
    ]
    assert reductions.goal_table(lines).splitlines()[2:] == [
        "| Vulkan | 500 | 2.15 |  |",
        "| CUDA | 250 | 4.29 | 0.80 |",
    ]
