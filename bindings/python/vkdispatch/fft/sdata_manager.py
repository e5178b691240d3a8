"""Shared memory, through which the numbers of a line go from thread to thread between two stages."""

from __future__ import annotations

from typing import Any

import vkdispatch.codegen as vc

from .memory_iterators import MemoryOp
from .registers import FFTRegisters
from .resources import FFTResources


class FFTSDataManager:
    """An array that the lines of a group share. A barrier stands wherever writing follows reading, or the other way."""

    def __init__(self, resources: FFTResources, registers: FFTRegisters):
        config, grid = resources.config, resources.grid
        self.resources = resources
        self.default_registers = registers
        self.last_op: str | None = None
        size = config.sdata_allocation
        if grid.force_sdata and not size:
            size = config.sdata_row_size_padded * grid.inline_batches_inner * grid.inline_batches_outer
        self.sdata = vc.shared_buffer(config.compute_type, size, "sdata") if size else None
        line = grid.local_outer * grid.inline_batches_inner + grid.local_inner
        self._row = (line * config.sdata_row_size_padded).to_register() if size else None

    def do_op(self, op: str) -> None:
        """Say that "read" or "write" comes next: a barrier if the other came before."""
        if op not in ("read", "write"):
            raise ValueError(f"op ({op!r}) must be 'read' or 'write'!")
        if self.last_op is not None and self.last_op != op:
            vc.barrier()
        self.last_op = op

    def _at(self, op: MemoryOp) -> Any:
        if self.sdata is None:
            raise ValueError("A line in the registers of one thread has no shared memory; ask for it with force_sdata!")
        return self._row + op.fft_index

    def op_read(self, op: MemoryOp, register: Any) -> None:
        """Give a register the number at the place of an element."""
        at = self._at(op)
        register[:] = self.sdata[at]  # type: ignore[index]

    def op_write(self, op: MemoryOp, register: Any) -> None:
        """Put a register at the place of an element."""
        at = self._at(op)
        self.sdata[at] = register  # type: ignore[index]

    def write_to_sdata(self, registers: FFTRegisters | None = None, stage_index: int = -1) -> None:
        """Put what a stage gave where it belongs along the line."""
        from .memory_iterators import memory_writes_iterator

        chosen = self.default_registers if registers is None else registers
        self.do_op("write")
        for op in memory_writes_iterator(self.resources, stage_index):
            self.op_write(op, chosen[op.register_id])

    def read_from_sdata(self, registers: FFTRegisters | None = None, stage_index: int = 0) -> None:
        """Take what a stage needs from along the line."""
        from .memory_iterators import memory_reads_iterator

        chosen = self.default_registers if registers is None else registers
        self.do_op("read")
        for op in memory_reads_iterator(self.resources, stage_index):
            self.op_read(op, chosen[op.register_id])
