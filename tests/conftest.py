"""What tests drew at random is told at the end of each run, so that a run can be repeated, whether they passed or not."""

import pytest


@pytest.fixture
def tell(record_property):
    """A function that takes a line to be told."""
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
