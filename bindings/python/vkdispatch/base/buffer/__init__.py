"""Buffers: typed memory on a device.

Shapes are an int or up to eight ints of at least 1, the slowest axis first, as NumPy has them; sizes are in elements,
`nbytes` and `mem_size` in bytes. Shapes, dtypes and byte counts that do not fit are a ValueError, too little memory is a
vd.OutOfMemoryError, and use after destroy() or of a destroyed context a RuntimeError.

Example:
    image = vd.Buffer((2, 3), vd.float32, label="image")
    image.write(np.arange(6, dtype=np.float32).reshape(2, 3))
    assert image.read(0).shape == (2, 3) and image.read(0)[1, 2] == 5
    assert (image.size, image.nbytes, image.ndim, len(image)) == (6, 24, 2, 2)
    copied = image.copy()
    image.fill(0)
    assert copied.read(0)[1, 2] == 5 and not image.read(0).any()

    image[:, 0] = np.array([8, 9], np.float32)  # elements with gaps
    assert image[1].read(0)[0] == 9 and image.view(vd.vec3).shape == (2, 1)
    staged = vd.Buffer(100, vd.float32, host_visible=True)
    with staged.map("w") as array:  # the memory itself
        array[:] = np.arange(100)
    assert staged.read(0)[99] == 99

    spectra = vd.asrfftbuffer(np.ones((2, 8), np.float32))  # two lines of 8 reals
    vd.fft.rfft(spectra)
    assert spectra.read_fourier(0)[0, 0] == 8
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...compat import numpy_compat as npc
from .. import dtype as dt
from ..context import Context, context_for
from ..words import tensor_cure
from ._buffer import Buffer
from ._cuda_array import from_cuda_array, other_device
from ._dlpack import from_dlpack
from ._external import ExternalBufferInfo
from ._host_bytes import host_data, offers_dlpack_alone
from ._mapped import Mapping
from ._memory_fd import MemoryFd, memory_behind
from ._rfft_buffer import RFFTBuffer, asrfftbuffer
from ._strided import StridedView


def asbuffer(
    array: Any, var_type: dt.DTypeLike | None = None, *, label: str | None = None, context: Context | None = None
) -> Buffer:
    """A new buffer with the shape, dtype and contents of an array, or of a tensor that offers DLPack alone. A list has no
    dtype: `vd.asbuffer(np.array(values, np.float32))`.

    `var_type` may be another dtype of as many bytes. An array's last axes are a vector's components, or a matrix's columns:
    `vd.asbuffer(points, vd.vec3)` of shape (10, 3) has 10 elements.
    """
    if hasattr(array, "__cuda_array_interface__"):
        target = context_for(context, "asbuffer")
        reached = target.backend == "cuda" and not other_device(array, target)
        return from_cuda_array(array, context=target) if reached else from_dlpack(array, context=target)
    if offers_dlpack_alone(array):
        context = context_for(context, "asbuffer")
        array = host_data(array, "asbuffer")
    if not npc.is_array_like(array):
        cure = tensor_cure(array)
        if isinstance(array, (Buffer, StridedView)):
            cure = " Its copy() is another buffer."
        if cure:
            raise TypeError(f"Expected an array-like object (got {type(array).__name__})!{cure}")
        raise TypeError(
            f"Expected an array-like object (got {type(array).__name__}; np.array(..., np.float32) makes one)"
        )
    if var_type is None:
        try:
            var_type = dt.from_numpy_dtype(npc.array_dtype(array))
        except ValueError as error:
            raise ValueError(f"asbuffer: {error} array.astype(np.float32) converts.") from None
    shape = npc.array_shape(array)
    element = dt.as_dtype(var_type, "asbuffer: var_type").true_numpy_shape
    if element and shape[-len(element) :] == element:
        shape = shape[: -len(element)]
    buffer: Buffer = Buffer(shape, var_type, label=label, context=context)
    buffer.write(array)
    return buffer


def from_fd(
    memory: MemoryFd,
    shape: int | Sequence[int],
    var_type: dt.DTypeLike,
    *,
    read_only: bool = False,
    label: str | None = None,
    context: Context | None = None,
) -> Buffer:
    """A buffer over memory of a file descriptor, which is closed unless this fails. Nothing is copied.

    Work on both sides is ordered by semaphores, or by waiting. vd.UnsupportedError where the device imports none.
    """
    external = memory_behind(memory, read_only, "from_fd")
    buffer: Buffer = Buffer(shape, var_type, external, label=label, context=context)
    memory.detach()
    return buffer


__all__ = [
    "Buffer",
    "Context",
    "ExternalBufferInfo",
    "Mapping",
    "MemoryFd",
    "RFFTBuffer",
    "StridedView",
    "asbuffer",
    "asrfftbuffer",
    "from_cuda_array",
    "from_dlpack",
    "from_fd",
]
