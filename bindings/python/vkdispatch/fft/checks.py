"""Checks of a call's buffers, maps and shapes that the library cannot make."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Sequence
from typing import Any

from ..base.buffer import Buffer, RFFTBuffer
from ..base.remarks import caution
from ..base.words import bracketed
from ..codegen.mapping import MappingFunction
from ..compat import numpy_compat as npc
from .ranges import normal_shape
from .shifts import moves_elements


def several_axes(name: str, shape: Sequence[int], most: int) -> list[int]:
    """The axes of a transform along the last two of two or three, or along all three."""
    rank = len(shape)
    if rank == most or (most == 2 and rank == 3):
        return list(range(rank - most, rank))
    wanted = "2 or 3" if most == 2 else "3"
    others = "fft() transforms along one axis of up to eight, fftn() along those it is told."
    if "rfft" in name:
        others = "rfft() and irfft() transform rows of up to eight dimensions, fftn() other axes of their spectra."
    raise ValueError(f"{name}(): Buffer must have {wanted} dimensions (got {rank}, of shape {tuple(shape)}). {others}")


def refuse_inner_real_axis(along: int, shape: Sequence[int]) -> None:
    """ValueError unless the axis of a real transform is the last one."""
    if along != len(shape) - 1:
        raise ValueError(
            f"R2C io only supported for contiguous data: with r2c=True axis ({along}) must be the last one ({len(shape) - 1}) of "
            f"shape {tuple(shape)}"
        )


# ---- Shapes of kernels -----------------------------------------------------------------------------------------------


def check_kernel(
    name: str,
    kernel: Buffer,
    spectrum: Sequence[int],
    kernel_type: Any = None,
    transposed: bool = False,
    shared: bool = False,
    real_length: int | None = None,
) -> None:
    """ValueError for a kernel that has too few elements for a spectrum, a warning for one that has another shape.

    A `transposed` one has any shape. `real_length` is that of the rows of which the spectrum is a half.
    """
    shape, wanted = tuple(kernel.shape), tuple(spectrum)
    size = (kernel_type or kernel.var_type).item_size
    count = kernel.mem_size // size
    needed = npc.prod(wanted)
    of = "one kernel for all, kernel_inner_only," if shared else "the spectrum"
    if count < needed:
        raise ValueError(
            f"{name}(): the kernel has shape {shape}, and {of} has {wanted}, which takes {needed} elements, not {count}!"
        )
    if transposed or size != kernel.var_type.item_size:  # then its shape is one of other elements
        return
    if _lie_alike(shape, wanted):
        if real_length is not None and isinstance(kernel, RFFTBuffer) and kernel.real_shape[-1] != real_length:
            caution(
                f"{name}(): the kernel is the spectrum of real rows of {kernel.real_shape[-1]}, and the signal's have "
                f"{real_length}: its numbers are taken as if of such rows."
            )
        return
    taken = f"all {count} elements are" if count == needed else f"the first {needed} of {count} elements are"
    half = ""
    if real_length is not None and shape[:-1] == wanted[:-1]:
        half = " A real transform's spectrum is its first half, as rfft() and rfft2() give."
    caution(f"{name}(): the kernel has shape {shape}, and {of} has {wanted}: {taken} taken as if of that shape.{half}")


def _lie_alike(kernel: Sequence[int], spectrum: Sequence[int]) -> bool:
    """Whether the elements are in the same order: joining axes, and axes of length 1, change nothing."""
    if sum(n > 1 for n in kernel) <= 1:  # flat, and as long as one likes
        return True
    strides = [set(itertools.accumulate(reversed(shape), operator.mul)) - {1} for shape in (kernel, spectrum)]
    return npc.prod(kernel) == npc.prod(spectrum) and (strides[0] <= strides[1] or strides[1] <= strides[0])


# ---- Buffers ---------------------------------------------------------------------------------------------------------


def warn_of_packed_rows(buffer: Any, axis: int | None) -> None:
    """Warn of real rows that are transformed as the complex numbers that hold them."""
    if isinstance(buffer, RFFTBuffer) and axis in (None, -1, len(buffer.shape) - 1):
        caution(
            f"An RFFTBuffer of real shape {tuple(buffer.real_shape)} is transformed along its last axis as the complex numbers "
            f"of shape {tuple(buffer.shape)} that it holds: rfft() and irfft(), or r2c=True, transform its real rows."
        )


def warn_of_row_length(buffer: Any, buffer_shape: Any) -> None:
    """Warn of real rows that are transformed as rows of another length: 60 and 61 reals have the same number of bins."""
    if not isinstance(buffer, RFFTBuffer) or buffer_shape is buffer.real_shape:
        return
    length = normal_shape(buffer_shape)[-1]
    if length != buffer.real_shape[-1]:
        caution(
            f"The last extent of buffer_shape {bracketed(buffer_shape)} is {length}, and the real rows of the RFFTBuffer have "
            f"{buffer.real_shape[-1]} (its real shape is {tuple(buffer.real_shape)}): they are taken as rows of {length}."
        )


def refuse_moves_in_place(
    buffers: Sequence[Any], output_map: MappingFunction | None, input_map: MappingFunction | None
) -> None:
    """ValueError for a map that moves elements within the buffer that is read."""
    mover = next((m for m in (output_map, input_map) if m is not None and moves_elements(m)), None)
    if mover is None:
        return
    outputs = 1 if output_map is None else len(output_map.buffer_types)
    inputs = 1 if input_map is None else len(input_map.buffer_types)
    given = list(buffers)
    if any(a is b for a in given[:outputs] for b in given[outputs : outputs + inputs]):
        raise ValueError(
            f"The map '{mover.mapping_function.__name__}' moves elements, so that the transform cannot write into the buffer "
            "that it reads: give the output and the input as two buffers."
        )
