"""Shared memory, through which the numbers of a line go from thread to thread between two stages.

Example:
    with vd.fft.fft_context((4, 64)) as ctx:
        ctx.sdata.write_to_sdata(ctx.registers)
        ctx.sdata.read_from_sdata(ctx.registers)
"""

from __future__ import annotations

from typing import Any

from .. import _native
from ..codegen.variables.variables import ShaderVariable
from .memory_iterators import MemoryOp
from .registers import FFTRegisters
from .resources import FFTResources, order_of


class FFTSDataManager:
    """An array that the lines of a workgroup share. A barrier is inserted between writing and reading, in either
    order."""

    def __init__(self, resources: FFTResources, registers: FFTRegisters):
        self.resources = resources
        self.default_registers = registers
        self.last_op: str | None = None

    def do_op(self, op: str) -> None:
        """Say that "read" or "write" comes next: a barrier if the other came before."""
        enums = _native.enums
        access = {"read": enums.VD_FFT_ACCESS_READ, "write": enums.VD_FFT_ACCESS_WRITE_SHARED}.get(op)
        if access is None:
            raise ValueError(f"op ({op!r}) must be 'read' or 'write'!")
        _native.raw.vd_fft_block_sync_shared(self.resources.grid.block, access)
        self.last_op = op

    def _at(self, op: MemoryOp) -> ShaderVariable:
        reference = _native.raw.vd_fft_block_shared(self.resources.grid.block, op.fft_index._value)
        return ShaderVariable(op.fft_index._builder, self.resources.config.compute_type, reference, True)

    def op_read(self, op: MemoryOp, register: Any) -> None:
        """Give a register the number at the place of an element."""
        register[:] = self._at(op)

    def op_write(self, op: MemoryOp, register: Any) -> None:
        """Put a register at the place of an element."""
        self._at(op)[:] = register

    def write_to_sdata(self, registers: FFTRegisters | None = None, stage_index: int = -1) -> None:
        """Put what a stage gave where it belongs along the line."""
        self._put(self.default_registers if registers is None else registers, stage_index)
        self.resources._remarks.tell("write_to_sdata()")

    def _put(self, registers: FFTRegisters, stage_index: int) -> None:
        """The same, as a part of something else."""
        _native.raw.vd_fft_block_to_shared(self.resources.use(registers.registers, order_of(stage_index, True)))
        self.last_op = "write"

    def read_from_sdata(self, registers: FFTRegisters | None = None, stage_index: int = 0) -> None:
        """Take what a stage needs from along the line."""
        chosen = self.default_registers if registers is None else registers
        order = order_of(stage_index)
        _native.raw.vd_fft_block_from_shared(self.resources.use(chosen.registers, order), order)
        self.last_op = "read"
