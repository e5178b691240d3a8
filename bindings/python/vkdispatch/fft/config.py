"""What a transform inside a kernel is made of, before any of it is written."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

from ..base import dtype as dt
from ..base.context import get_context
from .precision import ensure_complex_precision
from .ranges import normal_axis, normal_shape
from .stages import choose_stages

#: Threads of a group that a transform fills with lines.
_GROUP = 64
#: Neighbouring columns of a group.
_COLUMNS = 8


class FFTConfig:
    """A transform of lines along one axis, each within one workgroup."""

    def __init__(
        self,
        buffer_shape: Sequence[int],
        axis: int | None = None,
        max_register_count: int | None = None,
        compute_type: Any = dt.complex64,
    ):
        context = get_context()
        shape = normal_shape(buffer_shape)
        along = normal_axis(axis, len(shape))
        if max_register_count is not None and operator.index(max_register_count) < 2:
            raise ValueError(f"max_register_count ({max_register_count}) must be at least 2!")
        self.buffer_shape = shape
        self.axis = along
        self.compute_type = ensure_complex_precision(compute_type, "compute_type")
        self.N = shape[along]
        self.stages, self.batch_threads = choose_stages(self.N, max_register_count, context.max_workgroup_size[1])
        self.register_count = max(stage.register_count for stage in self.stages)
        self.max_prime_radix = max(max(stage.primes) for stage in self.stages)
        self.thread_counts = tuple(-(-stage.butterflies // stage.instance_count) for stage in self.stages)
        self.fft_stride = math.prod(shape[along + 1 :])
        self.batch_inner_count = self.fft_stride
        self.batch_outer_stride = self.N * self.fft_stride
        self.batch_outer_count = math.prod(shape[:along])
        self.sdata_row_size = self.N
        # A line may begin in any bank, so lines lie an odd number of elements apart.
        self.sdata_row_size_padded = self.N | 1
        line = self.sdata_row_size_padded * self.compute_type.item_size
        needs = line if self.batch_threads > 1 else 0
        if needs > context.max_shared_memory:
            raise ValueError(
                f"Unable to build an FFT plan for size {self.N}: a line has {needs} bytes, the device shares "
                f"{context.max_shared_memory}"
            )
        lines = max(1, _GROUP // self.batch_threads)
        if needs:
            lines = min(lines, max(1, context.max_shared_memory // line))
        if self.batch_inner_count > 1:
            self.inline_batches_inner = min(_COLUMNS if self.batch_threads < 128 else 1, self.batch_inner_count)
            if needs:
                self.inline_batches_inner = min(self.inline_batches_inner, max(1, context.max_shared_memory // line))
            limit = max(1, context.max_workgroup_invocations // self.batch_threads)
            self.inline_batches_inner = min(self.inline_batches_inner, limit)
            self.inline_batches_outer = 1
        else:
            self.inline_batches_inner = 1
            self.inline_batches_outer = min(lines, self.batch_outer_count)
        self.sdata_allocation = (
            self.sdata_row_size_padded * self.inline_batches_inner * self.inline_batches_outer if needs else 0
        )

    def angle_factor(self, inverse: bool) -> float:
        """The angle of a whole turn, with the sign of the transform's exponent."""
        return (2 if inverse else -2) * math.pi

    def __repr__(self) -> str:
        radices = "x".join(str(stage.fft_length) for stage in self.stages)
        return f"<FFTConfig of {self.N} as {radices}, {self.batch_threads} threads, {self.register_count} registers>"
