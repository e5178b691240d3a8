"""Reports the random choices of tests at the end of each run, passed or not, so that a run can be repeated."""

import pytest


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
