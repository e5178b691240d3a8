"""The stages that the core splits a line into."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

MAX_PRIME = 13


@dataclasses.dataclass(frozen=True)
class Stage:
    """Butterflies of one radix. Thread t of T does those numbered t, t + T, ..."""

    #: Inputs of a butterfly.
    fft_length: int
    #: Product of the radices before it.
    input_stride: int
    #: Butterflies of a line.
    butterflies: int
    #: Butterflies of a thread.
    instance_count: int
    primes: tuple[int, ...]

    @property
    def output_stride(self) -> int:
        """Product of the radices up to it."""
        return self.input_stride * self.fft_length

    @property
    def register_count(self) -> int:
        """Registers of a thread that it uses."""
        return self.fft_length * self.instance_count


def prime_factors(n: int) -> list[int]:
    """The primes of n, the smallest first. ValueError for one above 13."""
    primes, p = [], 2
    while n > 1:
        while n % p == 0:
            primes.append(p)
            n //= p
        p += 1
        if p * p > n > 1:
            p = n
    for prime in primes:
        if prime > MAX_PRIME:
            raise ValueError(f"A prime factor of N is {prime}, which exceeds the maximum prime supported {MAX_PRIME}")
    return primes


def stages_of(n: int, radices: Sequence[int], threads: int) -> tuple[Stage, ...]:
    """The stages of a line of n that `threads` invocations share."""
    stages, before = [], 1
    for radix in radices:
        butterflies = n // radix
        primes = tuple(prime_factors(radix)) or (1,)
        stages.append(Stage(radix, before, butterflies, -(-butterflies // threads), primes))
        before *= radix
    return tuple(stages)
