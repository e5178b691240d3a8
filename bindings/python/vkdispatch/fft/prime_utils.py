"""Lengths that transform quickly.

Example:
    assert vd.fft.pad_dim(1000) >= 1000
"""

from __future__ import annotations

import operator


def pad_dim(dim: int, max_register_count: int | None = None) -> int:
    """The smallest length of at least `dim` whose prime factors are all at most `max_register_count` (16)."""
    length = operator.index(dim)
    if length <= 0:
        raise ValueError(f"Dimension must be greater than 0 (pad_dim() got {length})")
    most = 16 if max_register_count is None else operator.index(max_register_count)
    primes = [p for p in (2, 3, 5, 7, 11, 13) if p <= most]
    if not primes:
        raise ValueError(f"max_register_count ({most}) must be at least 2")
    while not _has_only(length, primes):
        length += 1
    return length


def _has_only(n: int, primes: list[int]) -> bool:
    for p in primes:
        while n % p == 0:
            n //= p
    return n == 1
