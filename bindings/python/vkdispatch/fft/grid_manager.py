"""The assignment of lines to invocations in a transform inside a kernel.

Example:
    with vd.fft.fft_context((4, 64)) as ctx:
        print(ctx.grid.local_size, ctx.grid.exec_size)
"""

from __future__ import annotations

from typing import Any

import vkdispatch.codegen as vc

from .. import _native
from ..base import dtype as dt
from ..codegen._types import BOOL
from ..codegen.global_builder import get_builder
from ..codegen.variables.variables import ShaderVariable
from ..shader.generated import index_variable
from .config import FFTConfig


class FFTGridManager:
    """The launch's size, and the places that a thread has in it. With variables, the core begins its transform here."""

    def __init__(self, config: FFTConfig, force_sdata: bool = False, declare_variables: bool = True):
        self.config = config
        #: There is always shared memory for whoever asks for it.
        self.force_sdata: bool = force_sdata
        self.inline_batches_inner = config.inline_batches_inner
        self.inline_batches_outer = config.inline_batches_outer
        self.local_size = config.local_size
        self.workgroup_count = config.workgroup_count
        self.exec_size = tuple(n * m for n, m in zip(self.workgroup_count, self.local_size, strict=True))
        self.tid: Any = None
        self.exists: Any = None
        #: The core's transform.
        self.block: Any = None
        if declare_variables:
            self._declare()

    def _declare(self) -> None:
        builder, raw = get_builder(), _native.raw
        self.block = raw.vd_fft_block_create(builder._native, self.config._desc)
        assignment = raw.vd_fft_block_get_assignment(self.block)
        line = index_variable(builder, assignment.line)
        none = index_variable(builder, builder.literal(0, dt.uint32))
        self.tid = index_variable(builder, assignment.invocation)
        self.local_inner, self.local_outer = (line, none) if self.config.columns else (none, line)
        group, count = vc.workgroup(), self.workgroup_count
        self.workgroup_index = (group.x + group.y * count[0] + group.z * (count[0] * count[1])).to_register()
        # Threads without a line repeat the last one, and write nothing.
        if assignment.exists:
            self.exists = ShaderVariable(builder, dt.int32, assignment.exists, type_number=BOOL)
        self.global_inner_index = index_variable(builder, assignment.inner)
        self.global_outer_index = index_variable(builder, assignment.outer)
        self.global_inner_offset = self.global_inner_index
        self.global_outer_offset = (self.global_outer_index * self.config.batch_outer_stride).to_register()

    def get_transposed_index(self, register_id: int, inner_only: bool = False) -> ShaderVariable:
        """The index of a register's element, in the order of reads, in a kernel that transpose() made: its natural
        place."""
        config, stage = self.config, self.config.stages[0]
        instance, part = divmod(register_id, stage.fft_length)
        butterfly = self.tid + instance * config.batch_threads
        if (instance + 1) * config.batch_threads > stage.butterflies:  # threads without one repeat the last
            butterfly = vc.min(butterfly, stage.butterflies - 1)
        at = (butterfly + part * stage.butterflies) * config.fft_stride + self.global_inner_offset
        return at if inner_only else at + self.global_outer_offset
