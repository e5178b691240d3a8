"""The short form of examples: drivers that compile on the CPU take seconds for each, so they take turns."""

import os
import zlib

import pytest

FULL = bool(os.environ.get("VD_TEST_FULL"))


def in_turn(name, backends, *values):
    """Parameters, each with these values before it: the backends, of which all but one are skipped in the short form."""
    backends = list(backends)
    chosen = backends[zlib.crc32(name.encode()) % len(backends)]
    reason = f"on {chosen} in turn: VD_TEST_FULL=1 runs it on each backend"
    skip = pytest.mark.skip(reason=reason)
    return [pytest.param(*values, backend, marks=[] if FULL or backend == chosen else [skip]) for backend in backends]
