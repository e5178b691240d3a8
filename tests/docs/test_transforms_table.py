"""docs/performance.md's tables of transforms are what tests/gpu/transforms.py makes of the committed results."""

import importlib.util
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "docs/results/h200_transforms.json"


@pytest.fixture
def transforms(script):
    return script("transforms")


def test_the_page_has_the_tables_of_the_committed_results(check_page):
    check_page("transforms", "tables", RESULTS)


def test_results_have_every_row_and_both_peers():
    lines = json.loads(RESULTS.read_text())
    for backend in ("cuda", "vulkan"):
        mine = [line for line in lines if line["backend"] == backend and line["row"] not in ("0.1", "profile")]
        assert {line["row"] for line in mine} >= {"F1", "F2", "F3", "C1", "C2", "F8"}
        assert {line["who"] for line in mine} >= {"ours", "cufft", "vkfft"}
        assert all(line["error"] < 2e-6 and line["us"] > 0 for line in mine)


def line(case, who, backend, us, error=1e-7):
    row = {"pow2": "F1", "stri": "F2", "plan": "F3", "r2c_": "F8", "bloc": "B"}[case[:4]]
    return {"row": row, "case": case, "who": who, "backend": backend, "gbs": 2000 / us, "us": us, "bound_us": 1}


def test_tables_have_ratios_to_the_better_peer(transforms, tmp_path):
    found = [
        line("pow2_8", "ours", "cuda", 2),
        line("pow2_8", "cufft", "cuda", 3),
        line("pow2_8", "vkfft", "cuda", 1),
        line("pow2_8", "variant", "cuda", 1),
        line("strided_1024", "ours", "cuda", 2),
        line("strided_1024", "vkfft", "cuda", 3),
    ]
    for one in found:
        one |= {"error": 3e-7 if one["who"] == "ours" else 1e-7, "registers": 32, "explain": "words"}
    (tmp_path / "bench-fft-cuda.jsonl").write_text("\n".join(map(json.dumps, found[:4])))
    other = [{**one, "backend": "vulkan", "us": 4 * one["us"], "gbs": one["gbs"] / 4} for one in found[:1]]
    (tmp_path / "bench-fft-vulkan.jsonl").write_text("\n".join(map(json.dumps, found[4:] + other)))
    (tmp_path / "beside-cuda.jsonl").write_text(
        '{"case": "pow2_64", "backend": "cuda", "ours error": 1e-7, "old error": 2e-7, "ours GB/s": 30, "old GB/s": 20}'
    )
    lines = transforms.collect(tmp_path)
    assert len(lines) == 7 and not any("explain" in one for one in lines)
    page = transforms.in_page(f"before\n{transforms.BEGIN}\nold\n{transforms.END}\nafter", lines)
    assert page.startswith("before\n") and page.endswith("\nafter") and "old" not in page
    assert "| F1 | pow2_8 | 1000 | 250 | 667 | 2000 | 0.50 |  | 0.50 | 0.12 | 3.0e-07 | 1.0e-07 | 32 |" in page
    assert "| F2: 1.1 of VkFFT at 1024 | 1.50 |  |" in page
    assert "| pow2_64, cuda | 30 | 20 | 1.50 | 1.0e-07 | 2.0e-07 |" in page
    assert "| A1: at most 1.1 of cuFFT's error | 3.000, most 3.00 |  |" in page
    assert "| F1 on Vulkan: 0.95 of our CUDA |  | 0.250, least 0.250 |" in page
    assert "of its plan" not in page
    both = [
        {**line("block_8", who, "cuda", us), "registers": 32, "error": 1e-7} for who, us in (("ours", 4), ("plan", 3))
    ]
    page = transforms.in_page(page, lines + both)
    assert "| block_8 | 0.75 |  |" in page and "| B | block_8 | 500 |  |" in page


def test_what_comes_after_a_rest_stands_beside_the_rest(transforms):
    lines = [line("pow2_8", "ours", "cuda", 2), line("pow2_8", "cold", "cuda", 4), line("pow2_8", "ours", "vulkan", 1)]
    runs = [transforms.Run(lines, backend) for backend in ("cuda", "vulkan")]
    assert transforms.cold_table(*runs).splitlines()[2:] == ["| pow2_8 | 500 | 0.50 |  |  |"]
    assert transforms.cold_table(runs[1], runs[1]) == ""


# The profiler's format: units below the names, a line for each kernel.
PAGE = (
    '==PROF== Connected\n"ID","Kernel Name","dram__bytes_read.sum","launch__block_size","smsp__inst_executed.sum"\n'
    '"","","Gbyte","","inst"\n"0","vkdispatch_main","1.05","128","2,000"\n"1","vkdispatch_main","2.1","64","n/a"\n'
)


def test_counters_of_the_profiler_make_a_table(transforms):
    spec = importlib.util.spec_from_file_location("counters", ROOT / "bench/fft/counters.py")
    counters = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(counters)
    first, second = counters.table_of(PAGE)
    assert (first["read"], first["threads"], first["instructions"]) == (1.05e9, 128, 2000)
    assert second["instructions"] is None and second["conflicts"] is None
    lines = [
        {"row": "profile", "case": "a", "kernel": k, "array": 2e9, **dict.fromkeys(counters.METRICS, 4)} for k in (0, 1)
    ]
    lines[1] |= {"read": 4e9, "wavefronts": 16, "registers": None}
    assert transforms.profile_table(lines).splitlines()[2:] == [
        "| a, 1 | 4 | 0.0 | 4 | 4 % | 4 % | 4 % | 0.00 | 0.00 | 1.00 | 8 | 4.0 | 4.0 | 4.0 |",
        "| a, 2 | 4 | 0.0 |  | 4 % | 4 % | 4 % | 2.00 | 0.00 | 0.25 | 8 | 4.0 | 4.0 | 4.0 |",
    ]
    assert transforms.profile_table([]) == ""
