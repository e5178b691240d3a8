"""An element of a transform, as a map sees it."""

from __future__ import annotations

import dataclasses
from typing import Any


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
