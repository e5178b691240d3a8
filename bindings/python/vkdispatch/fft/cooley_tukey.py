"""The arithmetic of a transform inside a kernel: butterflies of pairs of reals, and the turns between stages."""

from __future__ import annotations

import math
from typing import Any

import vkdispatch.codegen as vc

from .registers import FFTRegisters
from .resources import FFTResources

Number = tuple[Any, Any]


def _frozen(re: Any, im: Any) -> Number:
    return re.to_register(), im.to_register()


def _add(a: Number, b: Number) -> Number:
    return _frozen(a[0] + b[0], a[1] + b[1])


def _sub(a: Number, b: Number) -> Number:
    return _frozen(a[0] - b[0], a[1] - b[1])


def _turned(a: Number, k: int, n: int, sign: int) -> Number:
    """a * exp(sign 2 pi i k / n)."""
    eighth, rest = divmod(8 * (k % n), n)
    if rest == 0 and eighth % 2 == 0:
        quarter = eighth // 2 * sign % 4
        return (a, (-a[1], a[0]), (-a[0], -a[1]), (a[1], -a[0]))[quarter]
    angle = sign * 2 * math.pi * (k % n) / n
    c, s = math.cos(angle), math.sin(angle)
    return _frozen(a[0] * c - a[1] * s, a[0] * s + a[1] * c)


def _prime(x: list[Number], sign: int) -> list[Number]:
    """By sums and differences of the pairs that have conjugate factors."""
    p = len(x)
    if p == 2:
        return [_add(x[0], x[1]), _sub(x[0], x[1])]
    sums = [_add(x[n], x[p - n]) for n in range(1, (p + 1) // 2)]
    differences = [_sub(x[n], x[p - n]) for n in range(1, (p + 1) // 2)]
    total = x[0]
    for pair in sums:
        total = _add(total, pair)
    result: list[Any] = [total] + [None] * (p - 1)
    for k in range(1, (p + 1) // 2):
        re, im = x[0]
        turn_re: Any = None
        turn_im: Any = None
        for n, (even, odd) in enumerate(zip(sums, differences, strict=True), 1):
            angle = 2 * math.pi * (n * k % p) / p
            c, s = math.cos(angle), sign * math.sin(angle)
            re, im = re + even[0] * c, im + even[1] * c
            # i s (odd): what it adds to one result it takes from its mirror image.
            turn_re = odd[1] * -s if turn_re is None else turn_re + odd[1] * -s
            turn_im = odd[0] * s if turn_im is None else turn_im + odd[0] * s
        even_part, odd_part = _frozen(re, im), _frozen(turn_re, turn_im)
        result[k], result[p - k] = _add(even_part, odd_part), _sub(even_part, odd_part)
    return result


def butterfly(x: list[Number], primes: tuple[int, ...], sign: int) -> list[Number]:
    """The transform of a few numbers, prime by prime."""
    n = len(x)
    if n == 1:
        return x
    p, rest = primes[0], n // primes[0]
    if rest == 1:
        return _prime(x, sign)
    parts = [butterfly(x[i::p], primes[1:], sign) for i in range(p)]
    result: list[Any] = [None] * n
    for k in range(rest):
        column = _prime([_turned(parts[i][k], i * k, n, sign) for i in range(p)], sign)
        for q in range(p):
            result[k + q * rest] = column[q]
    return result


def run_stage(resources: FFTResources, registers: FFTRegisters, stage_index: int, inverse: bool) -> None:
    """Transform the registers of a stage, turned by where they stand first."""
    config = resources.config
    stage, sign = config.stages[stage_index], 1 if inverse else -1
    for instance in range(stage.instance_count):
        first = instance * stage.fft_length
        chosen = registers.registers[first : first + stage.fft_length]
        numbers = [_frozen(register.real, register.imag) for register in chosen]
        if stage.input_stride > 1:
            j = (resources.butterfly(stage_index, instance) % stage.input_stride).to_register()
            scalar = config.compute_type.child_type
            for r in range(1, stage.fft_length):
                turn = config.angle_factor(inverse) / stage.output_stride
                angle = vc.to_dtype(scalar, j * r) * turn
                factor = vc.complex_from_euler_angle(angle).to_register()
                c, s = factor.real, factor.imag
                re, im = numbers[r]
                numbers[r] = _frozen(re * c - im * s, re * s + im * c)
        results = butterfly(numbers, stage.primes if stage.fft_length > 1 else (1,), sign)
        for register, (re, im) in zip(chosen, results, strict=True):
            register.real = re
            register.imag = im
