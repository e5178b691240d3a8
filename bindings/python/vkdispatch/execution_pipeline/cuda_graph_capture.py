"""Work on CUDA streams of other libraries, and in CUDA graphs that they capture.

Inside of `with vd.on_stream(stream):` the work of the thread runs on that stream: after what the stream was given before, and
before what it is given later. Reads and writes are ordered with it, too. `vd.cuda_graph_capture(stream)` is for a stream that is
being captured: launches become nodes of the captured graph, and reads, writes and new buffers step out of the capture.

A captured graph uses the memory of its buffers whenever it is launched. What it needs is kept by the capture object and by the
program: keep `capture` as long as the graph. Its launches are ordered with other work by the streams that they run on.

Example:
    assert vd.get_cuda_capture() is None
    try:
        with vd.on_stream(1):  # CUDA's default stream
            vd.zeros(4).fill(1)
    except RuntimeError as error:
        print(error)  # another backend than CUDA
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from .. import _native
from ..base.context import get_context
from ..base.streams import sending_to, stream_handle


class CUDAGraphCapture:
    """A capture in progress: its stream, and what the captured graph needs as long as it is launched."""

    cuda_stream: Any = None
    uniform_buffers: Sequence[Any] = ()

    def __init__(self, cuda_stream: Any = None):
        self.cuda_stream = cuda_stream
        self.uniform_buffers = []
        self._kept: list = []

    def add_uniform_buffer(self, buffer: Any) -> None:
        """Keep `buffer` as long as the capture."""
        self.uniform_buffers = [*self.uniform_buffers, buffer]


class _Captures(threading.local):
    def __init__(self) -> None:
        self.stack: list[CUDAGraphCapture | None] = []


_captures = _Captures()


def get_cuda_capture() -> CUDAGraphCapture | None:
    """The capture that this thread is in; None outside of one."""
    return _captures.stack[-1] if _captures.stack else None


@contextlib.contextmanager
def suspend_cuda_capture() -> Iterator[None]:
    """Step out of this thread's capture."""
    _captures.stack.append(None)
    try:
        with sending_to(0):
            yield
    finally:
        _captures.stack.pop()


def _share_device(what: str) -> None:
    """RuntimeError on other backends. From now on no call of the library's ends a capture of the program's."""
    context = get_context()
    if context.backend != "cuda":
        raise RuntimeError(f"{what} works on the CUDA backend alone, not on '{context.backend}'")
    _native.raw.vd_context_get_native(context._pointer, 0, "CUcontext")


@contextlib.contextmanager
def cuda_graph_capture(cuda_stream: Any = None) -> Iterator[CUDAGraphCapture]:
    """Send this thread's submissions to `cuda_stream`, which is being captured. RuntimeError on other backends.

    None is CUDA's default stream, which cannot be captured: its work runs at once. May be nested.
    """
    _share_device("cuda_graph_capture")
    try:
        stream = stream_handle(1 if cuda_stream is None else cuda_stream, "cuda_graph_capture: cuda_stream")
    except TypeError as error:
        raise RuntimeError(str(error)) from error
    capture = CUDAGraphCapture(cuda_stream)
    _captures.stack.append(capture)
    try:
        with sending_to(stream, capture._kept):
            yield capture
    finally:
        _captures.stack.pop()


@contextlib.contextmanager
def on_stream(stream: Any) -> Iterator[None]:
    """Run this thread's work on a CUDA stream of another library's: kernels, transforms, copies and graphs; reads and writes are
    ordered with it. RuntimeError on other backends. May be nested.

    `stream` is an int, where 0 is CUDA's default stream, or an object of torch, CuPy, Numba or cuda-python.
    """
    _share_device("on_stream")
    with sending_to(stream_handle(stream, "on_stream: stream")):
        yield
