"""An element of a transform, as a map sees it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .resources import FFTResources


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
    return _elements(resources, stage_index, False)


def memory_writes_iterator(resources: FFTResources, stage_index: int = -1) -> Iterator[MemoryOp]:
    """The elements that a stage's outputs are, one for each register, in order. To be gone through to the end."""
    return _elements(resources, stage_index, True)


def _elements(resources: FFTResources, stage_index: int, writes: bool, stores: bool = False) -> Iterator[MemoryOp]:
    config = resources.config
    stage = config.stages[stage_index]
    count = stage.fft_length * stage.instance_count
    for instance in range(stage.instance_count):
        positions = resources.output_positions if writes else resources.input_positions
        # What an idle thread reads is as good as another's; what it wrote would not be.
        guarded = writes and resources.invocation_gaurd(stage_index, instance, stores)
        for r, position in enumerate(positions(stage_index, instance)):
            register_id = instance * stage.fft_length + r
            yield MemoryOp(
                fft_offset=0,
                fft_stride=config.fft_stride,
                fft_index=position.to_register(),
                fft_size=config.N,
                register_id=register_id,
                register_count=config.register_count,
                element_id=register_id,
                element_count=count,
                instance_id=instance,
                instance_count=stage.instance_count,
            )
        if guarded:
            resources.invocation_end(stage_index, instance)
