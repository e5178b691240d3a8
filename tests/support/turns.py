"""The turns of drivers that compile on the CPU, for Python's tests as turns.h is for those in C++."""

import zlib


def drawn(name, drivers):
    """One driver of a list for a test of this name, whatever its place, the other tests and the process."""
    return drivers[zlib.crc32(name.encode()) % len(drivers)]
