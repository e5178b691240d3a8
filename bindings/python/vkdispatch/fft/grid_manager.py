"""Which thread works on which line of a transform inside a kernel."""

from __future__ import annotations

from typing import Any

import vkdispatch.codegen as vc

from ..base.context import get_context
from .config import FFTConfig


class FFTGridManager:
    """The launch's size, and the places that a thread has in it.

    Threads of a group: neighbouring lines along x, the line's own threads along y, further lines along z.
    """

    def __init__(self, config: FFTConfig, force_sdata: bool = False, declare_variables: bool = True):
        self.config = config
        self.force_sdata = force_sdata
        self.inline_batches_inner = config.inline_batches_inner
        self.inline_batches_outer = config.inline_batches_outer
        self.local_size = (self.inline_batches_inner, config.batch_threads, self.inline_batches_outer)
        inner = -(-config.batch_inner_count // self.inline_batches_inner)
        outer = -(-config.batch_outer_count // self.inline_batches_outer)
        most = get_context().max_workgroup_count[1]
        rows = min(outer, most)
        self.workgroup_count = (inner, rows, -(-outer // rows))
        x, y, z = self.workgroup_count
        self.exec_size = (x * self.local_size[0], y * self.local_size[1], z * self.local_size[2])
        self.tid: Any = None
        self.exists: Any = None
        if declare_variables:
            self._declare()

    def _declare(self) -> None:
        config = self.config
        local, group = vc.local_invocation(), vc.workgroup()
        self.local_inner = local.x.to_register()
        self.tid = local.y.to_register()
        self.local_outer = local.z.to_register()
        self.workgroup_index = (group.y + group.z * self.workgroup_count[1]).to_register()
        inner = (group.x * self.inline_batches_inner + self.local_inner).to_register()
        outer = (self.workgroup_index * self.inline_batches_outer + self.local_outer).to_register()
        x, y, z = self.workgroup_count
        conditions = []
        if x * self.inline_batches_inner > config.batch_inner_count:
            conditions.append(inner < config.batch_inner_count)
        if y * z * self.inline_batches_outer > config.batch_outer_count:
            conditions.append(outer < config.batch_outer_count)
        # Threads without a line repeat the last one, and write nothing.
        self.exists = conditions[0] if conditions else None
        for condition in conditions[1:]:
            self.exists = vc.logical_and(self.exists, condition)
        self.global_inner_index = vc.min(inner, vc.to_dtype(vc.u32, config.batch_inner_count - 1)).to_register()
        self.global_outer_index = vc.min(outer, vc.to_dtype(vc.u32, config.batch_outer_count - 1)).to_register()
        self.global_inner_offset = self.global_inner_index
        self.global_outer_offset = (self.global_outer_index * config.batch_outer_stride).to_register()

    def get_transposed_index(self, register_id: int, inner_only: bool = False) -> Any:
        """Where a register of this thread lies among kernels in the order of registers."""
        config = self.config
        thread = self.tid * config.batch_inner_count + self.global_inner_index
        threads = config.batch_threads * config.batch_inner_count
        lines = 1
        if not inner_only:
            thread = self.global_outer_index * threads + thread
            lines = config.batch_outer_count
        return thread + register_id * threads * lines
