"""Buffers over the memory of CUDA arrays."""

from __future__ import annotations

from typing import Any

from .. import dtype as dt
from ..init import get_backend, is_cuda
from ._buffer import Buffer


def from_cuda_array(
    obj: Any,
    var_type: type[dt.dtype] | None = None,
    require_contiguous: bool = True,
    writable: bool | None = None,
    keepalive: bool = True,
) -> Buffer:
    """A buffer over the memory of a CUDA array. RuntimeError on other backends than CUDA."""
    if not is_cuda():
        raise RuntimeError(f"from_cuda_array works on the CUDA backend alone, not on '{get_backend()}'")
    raise NotImplementedError("External memory: buffers over another library's memory")
