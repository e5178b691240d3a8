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
        assert all(line.get("error", 0) < 2e-6 and line["us"] > 0 for line in mine)


def line(case, who, backend, us, error=1e-7):
    rows = {
        "pow2": "F1",
        "strided": "F2",
        "plane": "F3",
        "r2c": "F8",
        "block": "B",
        "n": "N",
        "seeded": "S",
        "f64": "D",
        "lines": "G",
        "one": "U",
    }
    row = rows[case.rpartition("_")[0]]
    return {
        "row": row,
        "case": case,
        "who": who,
        "backend": backend,
        "gbs": 2000 / us,
        "us": us,
        "bound_us": 1,
        "error": error,
    }


def test_tables_have_ratios_to_the_best_peer(transforms, tmp_path):
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
    assert "| ours, Vulkan | cuFFT | VkFFT, Vulkan | ratio, CUDA |" in page
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


def test_processes_that_measured_the_same_give_their_median(transforms, tmp_path):
    for i, us in enumerate((4, 1, 2)):
        lines = lines_of("pow2_8", "cuda", us, vkfft=3, error=us * 1e-7)
        lines.append(line("pow2_8", "vkfft_cuda", "cuda", 8 * us))
        (tmp_path / f"bench-fft-cuda-{i}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    ours, vkfft, other = transforms.collect(tmp_path)
    assert (ours["us"], ours["gbs"], len(ours["processes"])) == (2, 1000, 3) and vkfft["us"] == 3 and other["us"] == 16
    assert ours["error"] == 4e-7
    run = transforms.Run([ours, vkfft, other], "cuda")
    assert run.ratio("pow2_8") == pytest.approx(1.5) and run.ratio("pow2_8", "vkfft_cuda") == 8


def test_ratios_are_of_one_process(transforms, tmp_path):
    # The second ran on a device of half the rate, and without the last peer.
    for i, (us, cufft) in enumerate(((2, 3), (4, 5), (2, 2))):
        lines = lines_of("pow2_8", "cuda", us, cufft=cufft)
        if i == 0:
            lines.append(line("pow2_8", "vkfft_cuda", "cuda", 1))
        (tmp_path / f"bench-fft-cuda-{i}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    run = transforms.Run(transforms.collect(tmp_path), "cuda")
    assert run.ratio("pow2_8", "cufft") == pytest.approx(1.25)
    assert run.ratio("pow2_8") == pytest.approx(1) and run.ratio("pow2_8", "vkfft_cuda") == pytest.approx(0.5)


def test_what_comes_after_a_rest_stands_beside_the_rest(transforms):
    lines = [line("pow2_8", "ours", "cuda", 2), line("pow2_8", "cold", "cuda", 4), line("pow2_8", "ours", "vulkan", 1)]
    runs = [transforms.Run(lines, backend) for backend in ("cuda", "vulkan")]
    assert transforms.cold_table(*runs).splitlines()[2:] == ["| pow2_8 | 500 | 0.50 |  |  |"]
    assert transforms.cold_table(runs[1], runs[1]) == ""


def lines_of(case, backend, ours, cufft=None, vkfft=None, **more):
    """A case's lines with these times, in microseconds."""
    times = {"ours": ours, "cufft": cufft, "vkfft": vkfft}
    return [{**line(case, who, backend, us), "registers": 0, "error": 1e-7, **more} for who, us in times.items() if us]


def test_arrays_of_8_mib_and_single_lines_have_a_table_of_means(transforms, tmp_path):
    small = lines_of("pow2_8", "cuda", 2, cufft=3, vkfft=4, log2=20) + lines_of("plane_8", "cuda", 2, cufft=1, log2=20)
    alone = lines_of("one_4096", "vulkan", 4, cufft=2, log2=24)
    usual = lines_of("pow2_8", "cuda", 5, cufft=4)
    (tmp_path / "bench-fft-cuda.jsonl").write_text("\n".join(map(json.dumps, small + alone + usual)))
    lines = transforms.collect(tmp_path)
    assert len(lines) == 9  # one case in two sizes is two
    page = transforms.in_page(f"{transforms.BEGIN}\n{transforms.END}", lines)
    assert "| 8 MiB: contiguous lines | 1.500, least 1.500 | 1.500, least 1.500 |  |  |" in page
    assert "| 8 MiB: planes | 0.500, least 0.500 | 0.500, least 0.500 |  |  |" in page
    assert "| one line |  |  | 0.500, least 0.500 | 0.500, least 0.500 |" in page
    assert "| F1 | pow2_8 | 400 |  | 500 |" in page and "| U | one_4096 |  | 500 |" in page
    assert "| array |" not in transforms.in_page(page, usual)


def test_goals_of_single_cases_say_which_are_short(transforms):
    lines = lines_of("lines_16384", "cuda", 10, cufft=12) + lines_of("lines_32768", "cuda", 10, cufft=13, vkfft=20)
    lines += lines_of("strided_1024", "cuda", 1.25, bound_us=1) + lines_of("pow2_8", "cuda", 1)
    lines += lines_of("lines_16384", "vulkan", 10, vkfft=8) + lines_of("pow2_8", "vulkan", 2)
    table = transforms.single_goals_table(*(transforms.Run(lines, backend) for backend in ("cuda", "vulkan")))
    assert "| lines of 2^14, CUDA | 1.2 of the best peer | 1.20 |  |" in table
    assert "| lines of 2^15, CUDA | 1.4 of the best peer | 1.30 | short |" in table
    assert "| columns of 1024, CUDA | 0.9 of a copy | 0.80 | short |" in table
    lines += lines_of("f64_64", "cuda", 2, cufft=1) + lines_of("f64_100", "cuda", 1, cufft=9)
    table = transforms.single_goals_table(*(transforms.Run(lines, backend) for backend in ("cuda", "vulkan")))
    assert "| f64 of 64 to 65536, CUDA | 0.98 of the best peer | 0.500, least 0.500 | short |" in table
    assert "| lines of 2^14 in one pass, Vulkan | 1.1 of VkFFT, Vulkan | 0.80 | short |" in table
    assert "| lines to 4096, Vulkan | 0.95 of CUDA | 0.500, least 0.500 | short |" in table
    assert "| every row, Vulkan | 1.0 of VkFFT, Vulkan, none below 0.9 | 0.800, least 0.800 | short |" in table
    assert transforms.single_goals_table(transforms.Run([], "cuda"), transforms.Run([], "vulkan")) == ""


def test_drawn_lengths_are_in_classes(transforms):
    lengths = {"powers of two": (2, 64, 4096), "primes": (3, 13, 31, 4093), "smooth to 13": (6, 169, 3600)}
    lengths |= {"with a prime of 17 to 31": (34, 961, 3968), "with a larger prime": (74, 1369, 4094)}
    for name, some in lengths.items():
        assert {transforms.class_of(n) for n in some} == {name}
    lines = lines_of("n_64", "cuda", 2, cufft=1, vkfft=4) + lines_of("n_128", "cuda", 1, cufft=2, vkfft=1)
    lines += lines_of("n_37", "cuda", 2, vkfft=1) + lines_of("n_64", "vulkan", 1, vkfft=4)
    lines.append(line("n_64", "vkfft_cuda", "cuda", 4))
    runs = [transforms.Run(lines, backend) for backend in ("cuda", "vulkan")]
    assert transforms.drawn_table(*runs).splitlines()[2:] == [
        "| all | 3 | 1 | 1.000, least 0.500 | 0.630, least 0.500 | 0.63 |  | 4.000, least 4.000 | 1.00 |",
        "| powers of two | 2 | 1 | 1.000, least 0.500 | 0.707, least 0.500 | 0.71 |  | 4.000, least 4.000 | 1.00 |",
        "| primes | 1 | 0 |  | 0.500, least 0.500 | 0.50 |  |  |  |",
    ]


def test_plans_of_records_stand_beside_others(transforms):
    lines = lines_of("pow2_8", "cuda", 1, cufft=2, recorded=True) + lines_of("pow2_16", "cuda", 9, cufft=1)
    assert transforms.seeded_table(transforms.Run(lines, "cuda"), transforms.Run([], "vulkan")) == ""
    lines += lines_of("seeded_26", "cuda", 2, cufft=2, vkfft=4, recorded=False)
    lines += lines_of("seeded_30", "vulkan", 2, vkfft=1, recorded=True)
    runs = [transforms.Run(lines, backend) for backend in ("cuda", "vulkan")]
    assert transforms.seeded_table(*runs).splitlines()[2:] == [
        "| with a record | 2.000, least 2.000 | 1 | 0.500, least 0.500 | 1 |",
        "| without | 1.000, least 1.000 | 1 |  | 0 |",
        "| without, of that with one | 0.500 |  |  |  |",
    ]


def test_double_precision_has_a_table_of_its_own(transforms):
    single = lines_of("pow2_8", "cuda", 1, cufft=2)
    double = lines_of("f64_64", "cuda", 2, cufft=3, error=3e-16)
    runs = [transforms.Run(single + double, "cuda"), transforms.Run([], "vulkan")]
    (row,) = transforms.row_table(*runs, transforms.DOUBLE).splitlines()[2:]
    assert row == "| D | f64_64 | 1000 |  | 667 | 1.50 |  | 0.50 |  | 3.0e-16 | 3.0e-16 |  |"
    assert "f64_64" not in transforms.rows_table(*runs)
    assert transforms.row_table(transforms.Run(single, "cuda"), runs[1], transforms.DOUBLE) == ""


# The profiler's format: units below the names, a line for each kernel.
PAGE = (
    '==PROF== Connected\n"ID","Kernel Name","dram__bytes_read.sum","launch__block_size","smsp__inst_executed.sum"\n'
    '"","","Gbyte","","inst"\n"0","vkdispatch_main","1.05","128","2,000"\n"1","vkdispatch_main","2.1","64","n/a"\n'
)


@pytest.fixture
def counters():
    spec = importlib.util.spec_from_file_location("counters", ROOT / "bench/fft/counters.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_profiled_case_is_measured_alone(counters):
    assert counters.arguments_of("plane_1024") == ["--only", "plane_1024"]
    assert counters.arguments_of("lines_20000") == ["--only", "lines_20000", "--rows", "L", "--lengths", "20000"]


def test_counters_of_the_profiler_make_a_table(transforms, counters):
    first, second = counters.table_of(PAGE)
    assert (first["read"], first["threads"], first["instructions"]) == (1.05e9, 128, 2000)
    assert second["instructions"] is None and second["conflicts"] is None
    lines = [
        {"row": "profile", "case": "a", "kernel": k, "array": 2e9, **dict.fromkeys(counters.METRICS, 4)} for k in (0, 1)
    ]
    lines[1] |= {"read": 4e9, "wavefronts": 16, "registers": None}
    assert transforms.profile_table(lines).splitlines()[2:] == [
        "| a, 1 | 4 | 0.0 | 4 | 4 % | 4 % | 4 % | 0.00 | 0.00 | 4.0 | 4.0 | 1.00 | 8 | 4.0 | 4.0 | 4.0 |",
        "| a, 2 | 4 | 0.0 |  | 4 % | 4 % | 4 % | 2.00 | 0.00 | 4.0 | 4.0 | 0.25 | 8 | 4.0 | 4.0 | 4.0 |",
    ]
    # Lines of an earlier run lack some counters.
    for name in ("sectors_read", "sectors_written", "dram_percent"):
        del lines[0][name]
    assert "| a, 1 | 4 | 0.0 | 4 | 4 % | 4 % |  | 0.00 | 0.00 |  |  | 1.00 |" in transforms.profile_table(lines)
    assert transforms.profile_table([]) == ""
