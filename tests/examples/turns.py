"""The short form of examples: drivers that compile on the CPU take seconds for each, so they take turns."""

import os
import zlib

FULL = bool(os.environ.get("VD_TEST_FULL"))


def in_turn(name, backends):
    """One of these backends, drawn by the example's name; in the long form all."""
    backends = list(backends)
    return backends if FULL or not backends else [backends[zlib.crc32(name.encode()) % len(backends)]]
