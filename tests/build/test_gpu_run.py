"""tests/gpu/run, on a build folder whose programs are scripts: what passed is left out, time ends, benchmarks repeat."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.tools

ROOT = Path(__file__).resolve().parents[2]

#: The backends that are here are host and cuda; on cuda a case fails until somebody mends it.
CONFORMANCE = """#!/bin/bash
folder=$(dirname "$0")/..
while [ $# -gt 0 ]; do
  case $1 in --backend) backend=$2 ;; --filter) filter=1 ;; --results) results=$2 ;; esac
  shift
done
case $backend in host | cuda) ;; *) echo "VD_ERR_UNAVAILABLE"; exit 1 ;; esac
[ -z "$filter" ] || exit 0
echo "$backend" >>"$folder/calls"
status=pass; [ "$backend" = cuda ] && [ ! -e "$folder/mended" ] && status=fail
echo '{"case": "a", "backend": "'$backend'", "device": "GPU", "status": "'$status'", "full": false, "seed": 0, "seconds": 1,'\\
  '"compared": 3, "ulp": 1.5, "where": "exp", "reason": ""}' >>"$results/conformance-$backend.jsonl"
[ $status = pass ] || { echo "FAIL a: wrong"; exit 1; }
"""
#: GoogleTest programs: of two suites, of which one is run on each backend; a test fails, ends its process or is slow as a file asks.
GTEST = """#!/bin/bash
folder=$(dirname "$0")/..
for word in "$@"; do
  case $word in
    --gtest_list_tests) printf 'One.\\n  B\\n  A\\n  DISABLED_C\\nAll/Two.\\n  A/cuda  # GetParam() = 2\\n  B/cuda\\n  A/host\\n'; exit ;;
    --gtest_filter=*) filter=${word#*=} ;;
  esac
done
echo "${0##*/}:$filter" >>"$folder/calls"
[ ! -e "$folder/slow" ] || exec sleep 60
status=0
IFS=:
for name in $filter; do
  echo "[ RUN      ] $name"
  if [ -e "$folder/mended" ] || [[ $name != *B* ]]; then echo "[       OK ] $name (0 ms)"; continue; fi
  echo "$name is wrong"
  [ ! -e "$folder/ends" ] || exit 3
  echo "[  FAILED  ] $name (0 ms)"
  status=1
done
[ ! -e "$folder/leaks" ] || status=1
exit $status
"""
BENCH = """#!/bin/bash
echo "${0##*/}" >>"$(dirname "$0")/../calls"
"""


class Harness:
    def __init__(self, folder):
        self.folder = folder
        self.build, self.out = folder / "build", folder / "out"
        (self.build / "bin").mkdir(parents=True)
        (self.build / "bench").mkdir()
        self.program("bin/vd_conformance", CONFORMANCE)
        self.program("bin/vd_unit_host", GTEST)
        self.program("bin/vd_api_tests", GTEST)
        self.program("bench/launch_cuda", BENCH)

    def program(self, name, text):
        path = self.build / name
        path.write_text(text)
        path.chmod(0o755)

    def run(self, *arguments):
        """Its status, what it said, and the programs that ran."""
        calls = self.build / "calls"
        calls.unlink(missing_ok=True)
        command = [ROOT / "tests/gpu/run", "--build", self.build, "--out", self.out, *arguments]
        environment = {**os.environ, "VKDISPATCH_CACHE_DIR": str(self.folder / "cache")}
        done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment, timeout=50)
        return done.returncode, done.stdout, sorted(calls.read_text().split()) if calls.exists() else []


@pytest.fixture
def harness(tmp_path):
    if shutil.which("timeout") is None:
        pytest.skip("there is no timeout(1)")
    return Harness(tmp_path)

# A benchmark that notes its arguments as a line of calls.
NOTES_ARGUMENTS = '#!/bin/bash\necho "$*" | tr " " "@" >>"$(dirname "$0")/../calls"\n'


def test_what_passed_is_left_out_and_what_failed_runs_again(harness):
    status, text, calls = harness.run("conformance", "launch")
    assert status == 1 and calls == ["cuda", "host", "launch_cuda"], text
    assert "== vulkan: not here" in text and "== opencl: not here" in text
    assert "== conformance-host: passed in" in text and "== conformance-cuda: FAILED after" in text
    assert "FAIL a: wrong" in text and text.endswith("2 passed, 1 failed\n")
    (harness.build / "mended").touch()
    status, text, calls = harness.run("conformance", "launch")
    assert status == 0 and calls == ["cuda"], text
    assert "== conformance-host: passed before" in text and "== bench-launch_cuda-1: passed before" in text
    assert "== conformance-cuda: passed in" in text and text.endswith("3 passed, 0 failed\n")
    status, text, calls = harness.run("conformance", "launch")
    assert status == 0 and calls == [] and text.count("passed before") == 3
    assert (harness.out / "results.json").is_file()


def test_tests_that_passed_are_left_out(harness):
    status, text, calls = harness.run("--workers", "2", "unit", "api")
    parts = ["All/Two.A/cuda:All/Two.B/cuda", "All/Two.A/host", "One.A", "One.B"]
    assert status == 1 and text.endswith("0 passed, 2 failed\n")
    assert calls == sorted(
        [f"vd_api_tests:{part}" for part in parts] + [f"vd_unit_host:{p}" for p in (*parts[:2], "One.B:One.A")]
    )
    assert "FAILED AT ONCE One.B\n[ RUN      ] One.B\nOne.B is wrong" in (harness.out / "api.log").read_text()
    (harness.build / "mended").touch()
    status, text, calls = harness.run("--workers", "1", "unit", "api")
    assert status == 0 and text.endswith("2 passed, 0 failed\n")
    assert calls == [
        f"{name}:{part}" for name in ("vd_api_tests", "vd_unit_host") for part in ("All/Two.B/cuda", "One.B")
    ]
    assert "2 of 5 tests ran, 0 failed" in (harness.out / "api.log").read_text()


def test_a_test_that_ends_its_process_fails_alone(harness):
    (harness.build / "ends").touch()
    _, _, calls = harness.run("--workers", "1", "--backend", "cuda", "api")
    parts = ("All/Two.A/cuda:All/Two.B/cuda", "One.B:One.A", "One.A")
    assert calls == [f"vd_api_tests:{part}" for part in sorted(parts)]
    assert "FAILED AT ONCE One.B (its process ended with 3)" in (harness.out / "api.log").read_text()


def test_a_failure_of_none_of_its_tests_runs_them_again(harness):
    (harness.build / "mended").touch()
    (harness.build / "leaks").touch()
    status, _, calls = harness.run("--backend", "host", "unit")
    assert status == 1 and "FAILED AT ONCE vd_unit_host (status 1" in (harness.out / "unit-host.log").read_text()
    (harness.build / "leaks").unlink()
    status, _, again = harness.run("--backend", "host", "unit")
    assert status == 0 and again == calls


def test_a_backend_can_be_chosen(harness):
    status, _, calls = harness.run("--backend", "host", "conformance")
    assert status == 0 and calls == ["host"]


SUITE = """
import pathlib
import pytest

def test_passes(): pass
def test_is_skipped(): pytest.skip("for a reason")
def test_fails(): assert pathlib.Path(__file__).with_name("mended").exists(), "not mended"
"""


def pytest_once(folder):
    """Status and output of a suite whose passed tests are left out."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "-p",
        "resume",
        "--passed",
        folder / "passed",
        folder,
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tests/gpu"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment, cwd=folder, timeout=50)
    return done.returncode, done.stdout


def test_python_tests_that_passed_are_left_out(tmp_path):
    (tmp_path / "test_it.py").write_text(SUITE)
    status, text = pytest_once(tmp_path)
    assert status == 1 and "1 failed, 1 passed, 1 skipped" in text
    assert "FAILED AT ONCE test_it.py::test_fails (call)" in text and "not mended" in text
    (tmp_path / "mended").touch()
    status, text = pytest_once(tmp_path)
    assert status == 0 and "1 passed, 2 deselected" in text
    status, text = pytest_once(tmp_path)
    assert "3 deselected" in text


def test_the_time_ends_what_runs_and_begins_nothing_more(harness):
    (harness.build / "slow").touch()
    status, text, calls = harness.run("--time", "8", "unit", "launch")
    assert status == 1 and "== unit-host: FAILED after" in text
    assert "== bench-launch_cuda-1: no time left" in text and calls == ["vd_unit_host:All/Two.A/cuda:All/Two.B/cuda"]
    (harness.build / "slow").unlink()
    (harness.build / "mended").touch()
    status, text, calls = harness.run("unit", "launch")
    assert status == 0 and calls[0] == "launch_cuda" and len(calls) == 4, text


def test_benchmarks_of_launches_run_in_as_many_processes_as_asked_for(harness):
    status, text, calls = harness.run("--times", "3", "launch")
    assert status == 0 and calls == ["launch_cuda"] * 3, text
    assert all((harness.out / f"bench-launch_cuda-{i}.log").is_file() for i in (1, 2, 3))
    status, text, calls = harness.run("--times", "4", "launch")
    assert status == 0 and calls == ["launch_cuda"] and text.count("passed before") == 3


def test_sweeps_measure_the_cases_of_their_files(harness):
    harness.program("bench/fft", NOTES_ARGUMENTS)
    status, text, calls = harness.run("sweeps")
    assert status == 0 and text.endswith("5 passed, 0 failed\n"), text
    by_sweep = {(words := call.split("@"))[words.index("--sweep") + 1]: words for call in calls}
    names = ("ahead-cuda.txt", "chirps.txt", "planes-cuda.txt", "primes.txt", "tickets.txt")
    assert sorted(by_sweep) == [f"bench/fft/sweeps/{name}" for name in names]
    for sweep, words in by_sweep.items():
        cases = {line.split()[0] for line in (ROOT / sweep).read_text().splitlines()}
        assert words[:2] == ["--backend", "cuda"]
        assert set(words[words.index("--only") + 1].split(",")) == cases
        lengths = words[words.index("--lengths") + 1].split(",") if "--lengths" in words else []
        assert {f"lines_{n}" for n in lengths} == {case for case in cases if case.startswith("lines_")}


def test_rows_of_drawn_lengths_are_measured_in_parts(harness):
    harness.program("bench/fft", NOTES_ARGUMENTS)
    status, text, calls = harness.run("--backend", "cuda", "lengths")
    assert status == 0 and text.endswith("11 passed, 0 failed\n"), text
    words = [call.split("@") for call in calls]
    options = [dict(zip(call[::2], call[1::2], strict=True)) for call in words]
    parts = ["D 0/1", *(f"N {i}/8" for i in range(8)), "S 0/2", "S 1/2"]
    assert sorted(f"{one['--rows']} {one['--part']}" for one in options) == parts
    assert len({one["--out"] for one in options}) == 11


def test_processes_side_by_side_take_turns_on_the_device(harness):
    harness.program("bench/fft", NOTES_ARGUMENTS)
    status, text, calls = harness.run("--backend", "cuda", "--times", "5", "long", "small")
    assert status == 0 and text.endswith("16 passed, 0 failed\n"), text
    options = [dict(zip(call.split("@")[::2], call.split("@")[1::2], strict=True)) for call in calls]
    assert len({one["--out"] for one in options}) == 16
    assert {one["--lock"] for one in options} == {str(harness.out / "device.lock")}
    rows = [one["--rows"] for one in options]
    assert rows.count("G") == 6 and rows.count("U") == 5 and [one.get("--log2") for one in options].count("28") == 1


def test_a_step_that_is_not_there_is_named(harness):
    status, text, _ = harness.run("conformanse")
    assert status == 2 and "there is no step conformanse" in text
