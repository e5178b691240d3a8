"""An element of a transform, as a map sees it.

Example:
    with vd.fft.fft_context((4, 64)) as ctx:
        places = [element.element_id for element in vd.fft.memory_reads_iterator(ctx.resources)]
        assert places == list(range(len(places)))
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from typing import Any

from .. import _native
from ..codegen.global_builder import get_builder
from ..shader.generated import index_variable
from .resources import FFTResources, order_of


@dataclasses.dataclass
class MemoryOp:
    """A number on its way into, through or out of a transform. Counts are known while tracing, the position is not."""

    #: Address of the line's first element; part of `io_index` already.
    fft_offset: Any
    #: Elements between neighbours along the axis.
    fft_stride: int
    #: Position along the axis.
    fft_index: Any
    #: Length of the axis.
    fft_size: int
    register_id: int
    register_count: int
    element_id: int
    element_count: int
    instance_id: int
    instance_count: int


def memory_reads_iterator(resources: FFTResources, stage_index: int = 0) -> Iterator[MemoryOp]:
    """The elements that a stage's inputs are, one for each register, in order. To be gone through to the end."""
    return elements(resources, order_of(stage_index), _native.enums.VD_FFT_ACCESS_READ)


def memory_writes_iterator(resources: FFTResources, stage_index: int = -1) -> Iterator[MemoryOp]:
    """The elements that a stage's outputs are, one for each register, in order. To be gone through to the end."""
    return elements(resources, order_of(stage_index, True), _native.enums.VD_FFT_ACCESS_WRITE_SHARED)


def elements(resources: FFTResources, order: int, access: int) -> Iterator[MemoryOp]:
    """The elements of an order, as the core hands them out."""
    raw, config, block, remarks = _native.raw, resources.config, resources.grid.block, resources._remarks
    builder = get_builder()
    count = config.stages[order // 2].instance_count
    remarks.begin()
    raw.vd_fft_block_set_order(block, order)
    try:
        while (element := raw.vd_fft_block_next(block, access)).value:
            remarks.element(int(element.element_id), int(element.element_count))
            yield MemoryOp(
                fft_offset=0,
                fft_stride=config.fft_stride,
                fft_index=index_variable(builder, element.position),
                fft_size=config.N,
                register_id=int(element.element_id),
                register_count=config.register_count,
                element_id=int(element.element_id),
                element_count=int(element.element_count),
                instance_id=int(element.butterfly),
                instance_count=count,
            )
        remarks.end()
    except GeneratorExit:
        remarks.leave()
        with contextlib.suppress(_native.Error):  # the trace may be over
            raw.vd_fft_block_end(block)
        raise
