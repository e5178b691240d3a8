"""The parts of a transform inside a kernel, before any of it is written.

Example:
    config = vd.fft.FFTConfig((4, 64), axis=1)
    assert config.N == 64 and config.angle_factor(inverse=False) < 0
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

from .. import _native
from ..base import dtype as dt
from ..base.context import get_context
from ..codegen._types import TYPE_OF
from .precision import ensure_complex_precision
from .ranges import normal_axis, normal_shape
from .stages import prime_factors, stages_of

_OTHERS = "vd.fft.fft() transforms lines of every length, and takes maps"


class FFTConfig:
    """A transform of lines along one axis, each within one workgroup. The core makes the choices."""

    def __init__(
        self,
        buffer_shape: Sequence[int],
        axis: int | None = None,
        max_register_count: int | None = None,
        compute_type: Any = dt.complex64,
    ):
        shape = normal_shape(buffer_shape)
        along = normal_axis(axis, len(shape))
        most = 0 if max_register_count is None else operator.index(max_register_count)
        if max_register_count is not None and most < 2:
            raise ValueError(f"max_register_count ({max_register_count}) must be at least 2!")
        self.buffer_shape = shape
        self.axis = along
        self.compute_type = ensure_complex_precision(compute_type, "compute_type")
        self.N = shape[along]
        try:
            self.max_prime_radix = max(prime_factors(self.N), default=1)
        except ValueError as error:
            raise ValueError(f"fft_context() of shape {shape}: {error}; {_OTHERS}") from None
        self.fft_stride = math.prod(shape[along + 1 :])
        self.batch_inner_count = self.fft_stride
        self.batch_outer_stride = self.N * self.fft_stride
        self.batch_outer_count = math.prod(shape[:along])
        context = get_context()
        # Traits are the first device's. Limits are those of all devices, and those that the dummy device reports now.
        self._device = _native.raw.vd_context_get_device(context._pointer, 0)
        self._desc = _native.raw.vd_fft_block_desc(
            compute_type=TYPE_OF[self.compute_type],
            size=self.N,
            outer_count=self.batch_outer_count,
            inner_count=self.batch_inner_count,
            max_registers=most,
            max_invocations=min(context.max_workgroup_invocations, context.max_workgroup_size[0]),
            max_shared_size=min(device.max_shared_memory_opt_in for device in context.device_infos),
            device=self._device,
        )
        try:
            info = _native.raw.vd_fft_block_get_info(self._desc)
        except _native.UnsupportedError as error:
            raise ValueError(
                f"fft_context() of shape {shape}: Unable to build an FFT plan for size {self.N}: {error}; {_OTHERS}"
            ) from None
        self.batch_threads = int(info.invocations)
        self.stages = stages_of(self.N, list(info.radices[0 : info.stage_count]), self.batch_threads)
        self.register_count = int(info.register_count)
        self.thread_counts = tuple(-(-stage.butterflies // stage.instance_count) for stage in self.stages)
        #: Whether neighbouring threads have neighbouring lines, and not neighbours of one line.
        self.columns: bool = bool(info.columns)
        lines = int(info.lines)
        self.inline_batches_inner, self.inline_batches_outer = (lines, 1) if self.columns else (1, lines)
        self.local_size = tuple(int(n) for n in info.workgroup_size)
        self.workgroup_count = tuple(int(n) for n in info.workgroups)
        self.sdata_allocation = int(info.shared_size) // self.compute_type.item_size
        self.sdata_row_size = self.N
        self.sdata_row_size_padded = max(self.N, self.sdata_allocation // lines)

    def angle_factor(self, inverse: bool) -> float:
        """The angle of a whole turn, with the sign of the transform's exponent."""
        return (2 if inverse else -2) * math.pi

    def __repr__(self) -> str:
        radices = "x".join(str(stage.fft_length) for stage in self.stages)
        return f"<FFTConfig of {self.N} as {radices}, {self.batch_threads} threads, {self.register_count} registers>"
