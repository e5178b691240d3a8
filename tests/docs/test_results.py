"""docs/performance.md's table of backends is what tests/gpu/report.py makes of the committed results."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RESULTS = [ROOT / "docs/results/h200.json"]


@pytest.fixture
def report(script):
    return script("report")


def test_the_page_has_the_table_of_the_committed_results(check_page):
    assert len(RESULTS) == 1, "which of them is the page's?"
    check_page("report", "tables", RESULTS[0])


def test_results_say_when_where_and_how_far_off():
    results = json.loads(RESULTS[0].read_text())
    assert results["date"] and results["driver"]
    for backend in ("vulkan", "cuda", "opencl", "host"):
        found = results["conformance"][backend]
        assert found["device"] and found["passed"] > 80 and not found["failed"]
        assert found["ulp"] > 0 and found["where"]
        assert found["full"] or backend == "opencl"  # the page says that it is OpenCL's short form


CASE = (
    '{"case": "%s", "backend": "cuda", "device": "GPU", "status": "%s", "full": true, "seed": 0, "seconds": 1.5, '
    '"compared": 3, "ulp": %g, "where": "%s", "reason": "%s"}\n'
)


def test_the_last_result_of_a_case_counts(report, tmp_path, capsys):
    lines = [
        ("a", "fail", 9, "sin", "wrong"),
        ("b", "skip", 0, "", "the device does not report f16"),
        ("a", "pass", 1.25, "exp", ""),
    ]
    (tmp_path / "conformance-cuda.jsonl").write_text("".join(CASE % line for line in lines))
    (tmp_path / "python-cuda.xml").write_text(
        '<testsuites><testsuite><testcase name="x"/><testcase name="y"><failure message="no"/></testcase>'
        '<testcase name="z"><skipped message="the device does not report f16"/></testcase></testsuite></testsuites>'
    )
    (tmp_path / "bench-launch_cuda.log").write_text(
        'GPU\n{"case": "cuda launch and wait", "device": "GPU", "raw": 2.0, "raw_least": 1.0, "ours": 2.2, "ratio": 1.1}\n'
    )
    results = report.collect(tmp_path)
    found = results["conformance"]["cuda"]
    assert (found["passed"], found["failed"], found["ulp"], found["where"]) == (1, [], 1.25, "exp")
    assert found["skipped"] == {"the device does not report f16": 1}
    assert results["python"]["cuda"] == {"passed": 1, "failed": ["y"], "skipped": {"the device does not report f16": 1}}
    assert results["launch"]["cuda"]["launch and wait"]["raw_us"] == 2.0
    assert results["unit"] == {}
    assert report.failures(results) == 1
    report.print_table(results)
    assert "1.25 ulp (exp)" in capsys.readouterr().out
    table = report.backends_table(results)
    assert "| CUDA | 1 of 1 pass, 1 skipped (no f16) | 1.25 ULP (exp) | 1 of 2 pass | 1.10 |" in table
    text = f"before\n{report.BEGIN}\nold\n{report.END}\nafter"
    assert report.in_page(text, table) == f"before\n{report.BEGIN}\n{table}\n{report.END}\nafter"


# A GoogleTest program in small: of its four tests one fails, one is skipped and one ends the process.
GTESTS = """#!/bin/sh
case $1 in
--gtest_list_tests) printf 'A.\\n  Good\\n  Bad\\nB.\\n  Skipped\\n  Ends\\n'; exit ;;
esac
for name in $(echo "${2#--gtest_filter=}" | tr : ' '); do
  echo "[ RUN      ] $name"
  case $name in
  A.Good) echo "[       OK ] $name (1 ms)" ;;
  A.Bad) echo "[  FAILED  ] $name (1 ms)" ;;
  B.Skipped) echo "[  SKIPPED ] $name (0 ms)" ;;
  B.Ends) kill -ABRT $$ ;;
  esac
done
echo "[  PASSED  ] 1 test."
exit 1
"""


def test_unit_tests_are_counted(report, tmp_path, capsys):
    program, gtests = tmp_path / "program", ROOT / "tests/gpu/gtests.py"
    program.write_text(GTESTS)
    program.chmod(0o755)
    with (tmp_path / "unit-cuda.log").open("w") as log:
        command = [sys.executable, gtests, program, "--passed", tmp_path / "unit-cuda.tests"]
        assert subprocess.run(command, stdout=log, check=False).returncode == 1
    (tmp_path / "conformance-cuda.jsonl").write_text(CASE % ("a", "pass", 1.25, "exp", ""))
    results = report.collect(tmp_path)
    assert results["unit"] == {"cuda": {"passed": 2, "failed": 2}}
    assert report.failures(results) == 2
    report.print_table(results)
    assert re.search(r"^cuda .* 2/4$", capsys.readouterr().out, re.MULTILINE)


def test_the_page_has_the_launches_of_the_committed_results(check_page):
    check_page("launches", "tables", RESULTS[0])


def test_launches_in_c_make_a_table(report, script, tmp_path):
    launches = script("launches")
    for number, (raw, ours) in enumerate([(2.0, 2.5), (4.0, 4.4), (3.0, 3.5)], 1):
        line = {"case": "burst of 256, host", "raw": raw, "raw_word": 9.0, "raw_least": 1.0, "ours": ours}
        line["ratio"] = round(ours / raw, 3)
        (tmp_path / f"bench-launch_opencl-{number}.log").write_text(f"GPU\n{json.dumps(line)}\n")
    cases = report.collect(tmp_path)["launch"]["opencl"]
    assert launches.c_table(cases) == (
        "| case | raw | ours | ratio, each process | goal |\n"
        "|---|---|---|---|---|\n"
        "| burst of 256, host | 3 | 3.5 | 1.10, 1.17, 1.25 | 1.2 |"
    )


def test_launches_from_python_make_tables(report, script, tmp_path):
    launches = script("launches")
    (tmp_path / "bench-python-cuda-1.log").write_text(
        'GPU\n{"case": "launch and wait", "ours": 9.0, "cupy": 10.55, "raw C": 8.4, "ours C": 8.6, "above raw": 0.6}\n'
        '{"case": "256 MiB up", "ours": 13400.0, "cupy": 31400.0}\n'
    )
    (tmp_path / "bench-python-cuda-2.log").write_text('{"case": "launch and wait", "ours": 8.9, "above raw": 0.5}\n')
    (tmp_path / "bench-python-cuda-3.log").write_text('{"case": "launch and wait", "ours": 99.0, "cupy": 7.55}\n')
    (tmp_path / "bench-python-opencl-1.log").write_text(
        '{"case": "launch and wait", "ours": 12.04, "pyopencl": 30.6}\n'
    )
    results = report.collect(tmp_path)
    assert launches.python_table(results) == (
        "| case | CUDA ours | from C | raw C | CuPy | OpenCL ours | pyopencl |\n"
        "|---|---|---|---|---|---|---|\n"
        "| launch and wait | 9 | 8.6 | 8.4 | 7.55 | 12 | 30.6 |\n"
        "| 256 MiB up, ms | 13.4 |  |  | 31.4 |  |  |"
    )
    assert launches.above_raw_table(results).endswith("| launch and wait | 0.60, 0.50 |  |")
