"""Each filter of tests that a page names finds tests: one that finds none passes without running any."""

import fnmatch
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "build" / "release" / "bin"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
NAMED = re.compile(r"(vd_\w+)[^`]*?--gtest_filter=(?:'([^']+)'|([^\s`]+))")


def filters(text):
    """{(program, pattern)} of the commands in a text."""
    named = NAMED.findall(" ".join(text.split()))
    return {
        (program, pattern)
        for program, quoted, bare in named
        for pattern in re.split(r"[:-]", quoted or bare)
        if pattern
    }


def listed_tests(program):
    listed = subprocess.run([program, "--gtest_list_tests"], capture_output=True, check=True, text=True).stdout
    suite = ""
    for line in listed.splitlines():
        name = line.split("#")[0].rstrip()
        if name.startswith("  "):
            yield suite + name.strip()
        else:
            suite = name


def unmatched(patterns, tests):
    return [pattern for pattern in sorted(patterns) if not any(fnmatch.fnmatchcase(test, pattern) for test in tests)]


NAMES = sorted({program for page in PAGES for program, _ in filters(page.read_text())})


@pytest.mark.parametrize("program", NAMES)
def test_filters_find_tests(program):
    path = PROGRAMS / program
    if not path.exists():
        pytest.skip(f"{program} was not built")
    patterns = {pattern for page in PAGES for of, pattern in filters(page.read_text()) if of == program}
    assert unmatched(patterns, list(listed_tests(path))) == []


def test_a_filter_without_tests_is_found():
    text = "`bin/vd_unit_a --gtest_filter='*A*:B*'` and (`vd_unit_b --gtest_filter=C*`)"
    assert filters(text) == {("vd_unit_a", "*A*"), ("vd_unit_a", "B*"), ("vd_unit_b", "C*")}
    assert unmatched({"*A*", "B*"}, ["Some/A.One", "Some/B.Two"]) == ["B*"]
