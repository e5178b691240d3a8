"""A pytest plugin (`-p resume --passed FILE`) for suites that are cut off: says each failure at once, and leaves out what passed before.

FILE has the tests that passed or were skipped, one a line; it grows while they run.
"""

from pathlib import Path

import pytest


def pytest_addoption(parser):
    parser.addoption("--passed", type=Path, required=True, help="the tests that passed, one a line")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    try:
        passed = set(config.getoption("--passed").read_text().splitlines())
    except FileNotFoundError:
        return
    left_out = [item for item in items if item.nodeid in passed]
    items[:] = [item for item in items if item.nodeid not in passed]
    config.hook.pytest_deselected(items=left_out)


class _Reports:
    """In the process that hears of all tests."""

    def __init__(self, config):
        self.config, self.path, self.failed = config, config.getoption("--passed"), set()

    def say(self, text):
        self.config.pluginmanager.get_plugin("terminalreporter").write_line("\n" + text, flush=True)

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed.add(report.nodeid)
            self.say(f"FAILED AT ONCE {report.nodeid} ({report.when})\n{report.longreprtext[-3000:]}")
        elif report.when == "teardown" and report.nodeid not in self.failed:
            with self.path.open("a") as file:
                file.write(report.nodeid + "\n")


def pytest_configure(config):
    if hasattr(config, "workerinput"):  # one of several: the process that started it hears of its tests
        return
    config.pluginmanager.register(_Reports(config))
