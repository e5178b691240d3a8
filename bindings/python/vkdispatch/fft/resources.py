"""The resources that parts of a transform inside a kernel share: configuration, grid, and the guards of idle
invocations.

Example:
    with vd.fft.fft_context((4, 64)) as ctx:
        assert ctx.resources.config is ctx.config
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import vkdispatch.codegen as vc

from .. import _native
from ..codegen.global_builder import get_builder
from .config import FFTConfig
from .grid_manager import FFTGridManager
from .order_remarks import OrderRemarks


def order_of(stage_index: int, outputs: bool = False) -> int:
    """The core's number for the order of a stage's inputs or outputs."""
    return 2 * stage_index + outputs


class FFTResources:
    """The transform being written."""

    def __init__(self, config: FFTConfig, grid: FFTGridManager):
        self.config = config
        self.grid = grid
        self._builder = get_builder()
        self._remarks: OrderRemarks = OrderRemarks(config, self._builder, grid.block)
        self._open = False
        #: Bytes that an argument must have, by its name, for all that is read from it and written to it without a condition.
        self.least: dict[str, int] = {}

    def reach(self, buffer: Any, elements: int) -> None:
        """So many elements of an argument are read or written, if the kernel comes here."""
        if all(kind == "scope" for kind in self._builder._blocks):  # else it may not be done
            size = elements * buffer.var_type.item_size
            self.least[buffer.name] = max(size, self.least.get(buffer.name, 0))

    def use(self, registers: Sequence[Any], order: int) -> object:
        """The core's transform, working on registers that are in an order."""
        self._remarks.check_loops()
        block = self.grid.block
        _native.raw.vd_fft_block_set_registers(block, [register._value for register in registers])
        _native.raw.vd_fft_block_set_order(block, order)
        return block

    def stage_begin(self, stage_index: int) -> None:
        """Begin a stage: a scope with its name in printed source."""
        stage = self.config.stages[stage_index]
        vc.new_scope(comment=f"stage {stage_index % len(self.config.stages)}: radix {stage.fft_length}")

    def stage_end(self, stage_index: int) -> None:
        """End what stage_begin() began."""
        vc.end()

    def invocation_gaurd(self, stage_index: int, instance: int, writes: bool = False) -> bool:
        """Let only threads that have a butterfly go on, and with `writes` only those that have a line."""
        stage, threads = self.config.stages[stage_index], self.config.batch_threads
        condition = self.grid.exists if writes else None
        if threads * (instance + 1) > stage.butterflies:
            inside = self.grid.tid + instance * threads < stage.butterflies
            condition = inside if condition is None else vc.logical_and(condition, inside)
        if condition is None:
            return False
        vc.if_statement(condition)
        self._open = True
        return True

    def invocation_end(self, stage_index: int, instance: int) -> None:
        """End what invocation_gaurd() began, if it began something."""
        if self._open:
            vc.end()
        self._open = False
