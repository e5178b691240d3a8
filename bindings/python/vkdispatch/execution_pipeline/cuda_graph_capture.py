"""Submitting into a CUDA graph that another library is capturing; comes with the CUDA part of the package.

Example:
    assert vd.get_cuda_capture() is None
    try:
        with vd.cuda_graph_capture():
            pass
    except (RuntimeError, NotImplementedError) as error:
        print(error)
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from ..base import init


class CUDAGraphCapture:
    """A capture in progress: its stream, and the uniform buffers that it must keep."""

    cuda_stream: Any = None
    uniform_buffers: Sequence[Any] = ()

    def __init__(self, cuda_stream: Any = None):
        self.cuda_stream = cuda_stream
        self.uniform_buffers = []

    def add_uniform_buffer(self, buffer: Any) -> None:
        """Keep `buffer` as long as the capture."""
        self.uniform_buffers = [*self.uniform_buffers, buffer]


def get_cuda_capture() -> CUDAGraphCapture | None:
    """The capture that this thread is in; None outside of one."""
    return None


@contextlib.contextmanager
def suspend_cuda_capture() -> Iterator[None]:
    """Step out of this thread's capture."""
    yield


@contextlib.contextmanager
def cuda_graph_capture(cuda_stream: Any = None) -> Iterator[CUDAGraphCapture]:
    """Send this thread's submissions to `cuda_stream`, where they can be captured. RuntimeError on other backends."""
    if not init.is_cuda():
        raise RuntimeError(f"cuda_graph_capture works on the CUDA backend alone, not on '{init.get_backend()}'")
    raise NotImplementedError("CUDA graph capture: submitting to another library's stream is not in this version")
    yield CUDAGraphCapture(cuda_stream)
