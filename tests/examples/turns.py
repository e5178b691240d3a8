"""The short form of examples: drivers that compile on the CPU take seconds for each, so they take turns."""

import os

import pytest
from vkdispatch.backends import backend_selection as selection

from ..support.turns import drawn

FULL = bool(os.environ.get("VD_TEST_FULL"))


def in_turn(name, backends, *values):
    """Parameters, each with these values before it: the backends, of which the host runs everything.

    The others take turns where all of them are here: all but one are skipped in the short form.
    """
    drivers = [backend for backend in backends if backend != "host"]
    takes_turns = not FULL and all(selection.backend_info(driver).available for driver in drivers)
    chosen = drawn(name, drivers) if drivers else None
    skip = pytest.mark.skip(reason=f"on {chosen} in turn: VD_TEST_FULL=1 runs it on each backend")
    waits = [backend for backend in drivers if takes_turns and backend != chosen]
    return [pytest.param(*values, backend, marks=[skip] if backend in waits else []) for backend in backends]
