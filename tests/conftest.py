"""Leaves tests of tools to a step of their own, and reports the random choices of tests at the end of each run.

They are reported whether the tests passed or not, so that a run can be repeated.
"""

import os

import pytest

RUNS_TOOLS = bool(os.environ.get("VD_TEST_FULL") or os.environ.get("VD_TEST_TOOLS"))


def pytest_collection_modifyitems(items):
    """Leave the tests of tools to a step of their own in the short form."""
    if RUNS_TOOLS:
        return
    skip = pytest.mark.skip(reason="one of tools: '.ci/run tools' runs it, and VD_TEST_FULL=1")
    for item in items:
        if item.get_closest_marker("tools"):
            item.add_marker(skip)


@pytest.fixture
def tell(record_property):
    """A function that adds a line to the report."""
    return lambda line: record_property("drawn", line)


def pytest_terminal_summary(terminalreporter):
    told = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            lines = [value for name, value in getattr(report, "user_properties", ()) if name == "drawn"]
            told.update({(report.nodeid, line): None for line in lines})
    if told:
        terminalreporter.section("drawn at random")
        for nodeid, line in told:
            terminalreporter.write_line(f"{nodeid}: {line}")
