"""How a line is split into stages of butterflies, and how many threads share it."""

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


def _grouped(primes: Sequence[int], most: int) -> list[tuple[int, ...]]:
    groups: list[list[int]] = []
    product = most + 1
    for prime in primes:
        if product * prime > most:
            groups.append([])
            product = 1
        groups[-1].append(prime)
        product *= prime
    return [tuple(group) for group in groups] or [(1,)]


def choose_stages(n: int, max_registers: int | None, max_threads: int) -> tuple[tuple[Stage, ...], int]:
    """The stages of a line of n, and the threads that share it."""
    primes = prime_factors(n)
    largest = max(primes, default=1)
    limits = [max(max_registers, largest)] if max_registers is not None else [max(min(8, n), largest), 16]
    for limit in limits:
        groups = _grouped(primes, limit)
        radices = [_product(group) for group in groups]
        threads = n // max(radices)
        if threads > max_threads:
            continue
        stages, before = [], 1
        for radix, group in zip(radices, groups, strict=True):
            butterflies = n // radix
            stages.append(Stage(radix, before, butterflies, -(-butterflies // threads), group))
            before *= radix
        return tuple(stages), threads
    raise ValueError(f"Unable to build an FFT plan for size {n}: it needs more than {max_threads} threads")


def _product(numbers: Sequence[int]) -> int:
    product = 1
    for n in numbers:
        product *= n
    return product
