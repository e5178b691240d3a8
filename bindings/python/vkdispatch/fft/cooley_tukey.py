"""The arithmetic of a transform inside a kernel, which the core writes."""

from __future__ import annotations

from .. import _native
from .registers import FFTRegisters
from .resources import FFTResources, order_of


def run(resources: FFTResources, registers: FFTRegisters, inverse: bool) -> None:
    """Transform registers: from the order of the first stage's inputs to that of the last one's outputs."""
    block = resources.use(registers.registers, order_of(0))
    _native.raw.vd_fft_block_execute(block, int(bool(inverse)))
    resources._remarks.tell("execute()")
