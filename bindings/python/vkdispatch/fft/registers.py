"""The numbers of a line that a thread holds.

Example:
    with vd.fft.fft_context((4, 64)) as ctx:
        copies = ctx.allocate_registers("copies")
        copies.clear()
        assert len(copies.registers) == len(ctx.registers.registers)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import vkdispatch.codegen as vc

from .. import _native
from .resources import FFTResources, order_of


class FFTRegisters:
    """Variables of a thread, in the order of the stage that reads or wrote them."""

    def __init__(self, resources: FFTResources, count: int | None = None, name: str = "register"):
        self.resources = resources
        config = self.config = resources.config
        self.count = config.register_count if count is None else count
        self.name = name
        self.registers = [vc.new_register(config.compute_type, 0, var_name=f"{name}_{i}") for i in range(self.count)]
        if self.count == config.register_count and not resources._remarks.in_loop:  # the core follows them from here on
            _native.raw.vd_fft_block_set_registers(resources.grid.block, [r._value for r in self.registers])

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> Any:
        return self.registers[index]

    def __setitem__(self, index: int, value: Any) -> None:
        self.registers[index][:] = value

    def clear(self) -> None:
        """Set all to zero."""
        for register in self.registers:
            register[:] = 0

    def normalize(self) -> None:
        """Divide all by the transform's length."""
        for register in self.registers:
            register[:] = register * (1.0 / self.config.N)

    def register_slice(self, selection: slice) -> list[Any]:
        """Some of the registers."""
        return self.registers[selection]

    def slice_set(self, selection: slice, values: Sequence[Any]) -> None:
        """Set some of the registers."""
        chosen = self.registers[selection]
        if len(chosen) != len(values):
            raise ValueError(f"{len(values)} value(s) for {len(chosen)} register(s)!")
        frozen = [value.to_register() for value in values]
        for register, value in zip(chosen, frozen, strict=True):
            register[:] = value

    def read_from_registers(self, other: FFTRegisters) -> None:
        """Copy all registers of another set."""
        if self.count != other.count:
            raise ValueError(f"The counts of registers differ ({self.count} and {other.count})!")
        for register, value in zip(self.registers, other.registers, strict=True):
            register[:] = value

    def try_shuffle(self, output_stage: int = -1, input_stage: int = 0) -> bool:
        """Bring the outputs of a stage into the order of another's inputs; False where other threads have them."""
        done = self._shuffle(output_stage, input_stage)
        self.resources._remarks.tell("try_shuffle()")
        return done

    def _shuffle(self, output_stage: int, input_stage: int) -> bool:
        """The same, as a part of something else."""
        if self.config.batch_threads > 1:
            return False
        block = self.resources.use(self.registers, order_of(output_stage, True))
        _native.raw.vd_fft_block_reorder(block, order_of(input_stage))
        return True
