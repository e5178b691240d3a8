"""Buffers whose memory holds real rows and their spectra."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...compat import numpy_compat as npc
from .. import dtype as dt
from ..context import Context
from ._buffer import Buffer
from ._shape import normal_shape

if TYPE_CHECKING:
    import numpy.typing as npt


class RFFTBuffer(Buffer):
    """A complex buffer for real transforms in place: its memory also holds the real rows, each padded."""

    def __init__(
        self,
        shape: Sequence[int],
        fourier_type: dt.DTypeLike = dt.complex64,
        *,
        label: str | None = None,
        context: Context | None = None,
    ):
        fourier_type = dt.as_dtype(fourier_type, "RFFTBuffer: fourier_type")
        if not dt.is_complex(fourier_type):
            raise ValueError(f"fourier_type must be a complex type (got {fourier_type!r})")
        real_shape = normal_shape(shape)
        if not real_shape:
            raise ValueError("An RFFTBuffer has at least one dimension (got the shape ())")
        #: The shape of the real rows.
        self.real_shape: tuple[int, ...] = real_shape
        #: The shape of their spectra: rows of n // 2 + 1 complex numbers.
        self.fourier_shape: tuple[int, ...] = (*real_shape[:-1], real_shape[-1] // 2 + 1)
        assert fourier_type.child_type is not None
        #: The dtype of the real numbers.
        self.real_type: type[dt.dtype] = fourier_type.child_type
        super().__init__(self.fourier_shape, fourier_type, label=label, context=context)

    def copy(self) -> RFFTBuffer:
        """A new buffer with the same contents."""
        self._check_alive()
        result = RFFTBuffer(self.real_shape, self.var_type, context=self.context)
        result.copy_from(self)
        return result

    @property
    def _padded_shape(self) -> tuple[int, ...]:
        return (*self.real_shape[:-1], 2 * self.fourier_shape[-1])

    def write_real(self, data: Any, index: int | None = None) -> None:
        """Write real rows, each padded with zeros. Numbers of another dtype are converted, integers too."""
        np = npc.require_numpy("RFFTBuffer.write_real")
        data = np.asarray(data)
        if data.shape != self.real_shape:
            raise ValueError(f"Data shape {data.shape} does not match the real shape {self.real_shape}!")
        if np.issubdtype(data.dtype, np.complexfloating):
            raise ValueError("Data must be real!")
        padded = np.zeros(self._padded_shape, self.real_type.numpy)
        padded[..., : self.real_shape[-1]] = data
        self.write(padded, index)

    def read_real(self, index: int | None = None) -> npt.NDArray[Any]:
        """The real rows without their padding; a leading axis of queues where `index` is None."""
        np = npc.require_numpy("RFFTBuffer.read_real")
        queue = self._queue(index)
        if queue is None:
            return np.stack([self.read_real(i) for i in range(self.context.queue_count)])
        padded = np.empty(self._padded_shape, self.real_type.numpy)
        self._read_queue(queue, padded, 0)
        return np.ascontiguousarray(padded[..., : self.real_shape[-1]])

    def write_fourier(self, data: Any, index: int | None = None) -> None:
        """Write complex values in the transformed layout."""
        np = npc.require_numpy("RFFTBuffer.write_fourier")
        data = np.asarray(data)
        if data.shape != self.fourier_shape:
            raise ValueError(f"Data shape {data.shape} does not match the fourier shape {self.fourier_shape}!")
        if not np.issubdtype(data.dtype, np.complexfloating):
            raise ValueError("Data must be complex!")
        if self.var_type is dt.complex32:
            halves = np.empty((*data.shape, 2), np.float16)
            halves[..., 0], halves[..., 1] = data.real, data.imag
            self.write(halves, index)
        else:
            self.write(data.astype(self.var_type.numpy), index)

    def read_fourier(self, index: int | None = None) -> npt.NDArray[Any]:
        """The complex values: the same as read()."""
        return self.read(index)


_FOURIER_OF_SIZE = {2: dt.complex32, 4: dt.complex64, 8: dt.complex128}


def asrfftbuffer(
    data: Any, fourier_type: dt.DTypeLike | None = None, *, label: str | None = None, context: Context | None = None
) -> RFFTBuffer:
    """A new RFFTBuffer with real data, converted to its real type.

    `fourier_type` is complex64 for float32 and int32, complex128 for 64 bits, complex32 for 16, unless given. Numbers in a list
    are of 64 bits, as NumPy has them.
    """
    np = npc.require_numpy("asrfftbuffer")
    data = np.asarray(data)
    if np.issubdtype(data.dtype, np.complexfloating):
        raise ValueError("asrfftbuffer: Data must be real! (asbuffer takes complex numbers)")
    if fourier_type is None:
        if data.dtype.kind not in "iuf" or data.dtype.itemsize not in _FOURIER_OF_SIZE:
            raise ValueError(
                f"asrfftbuffer: Unsupported dtype ({data.dtype})! Supported are floats and integers of 16, 32 and 64 bits: "
                "array.astype(np.float32) converts."
            )
        fourier_type = _FOURIER_OF_SIZE[data.dtype.itemsize]
    buffer = RFFTBuffer(data.shape, fourier_type, label=label, context=context)
    buffer.write_real(data)
    return buffer
