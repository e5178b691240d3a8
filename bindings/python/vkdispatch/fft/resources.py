"""What the parts of a transform inside a kernel share: configuration, grid, and the guards of idle threads."""

from __future__ import annotations

from typing import Any

import vkdispatch.codegen as vc

from .config import FFTConfig
from .grid_manager import FFTGridManager


class FFTResources:
    """The transform being written."""

    def __init__(self, config: FFTConfig, grid: FFTGridManager):
        self.config = config
        self.grid = grid
        self._open = False

    def stage_begin(self, stage_index: int) -> None:
        """Begin a stage: a scope with its name in printed source."""
        stage = self.config.stages[stage_index]
        vc.new_scope(comment=f"stage {stage_index % len(self.config.stages)}: radix {stage.fft_length}")

    def stage_end(self, stage_index: int) -> None:
        """End what stage_begin() began."""
        vc.end()

    def butterfly(self, stage_index: int, instance: int) -> Any:
        """The number of this thread's butterfly; idle threads repeat the last one."""
        stage, threads = self.config.stages[stage_index], self.config.batch_threads
        number = self.grid.tid + instance * threads
        if threads * (instance + 1) > stage.butterflies:
            number = vc.min(number, vc.to_dtype(vc.u32, stage.butterflies - 1))
        return number.to_register()

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

    def input_positions(self, stage_index: int, instance: int) -> list[Any]:
        """Where along the line a butterfly's inputs are."""
        stage = self.config.stages[stage_index]
        number = self.butterfly(stage_index, instance)
        return [number + r * stage.butterflies for r in range(stage.fft_length)]

    def output_positions(self, stage_index: int, instance: int) -> list[Any]:
        """Where along the line a butterfly's outputs belong."""
        stage = self.config.stages[stage_index]
        number = self.butterfly(stage_index, instance)
        j = (number % stage.input_stride).to_register() if stage.input_stride > 1 else 0
        first = ((number - j) * stage.fft_length + j).to_register()
        return [first + r * stage.input_stride for r in range(stage.fft_length)]
