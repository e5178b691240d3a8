"""DLPack 1.x: buffers over the tensors of other libraries."""

from __future__ import annotations

from typing import Any

from ... import _native
from ...compat import numpy_compat as npc
from ..context import Context, context_for, queue_wait_idle
from ..words import bracketed
from ._buffer import Buffer
from ._dlpack_tensor import (
    CPU,
    CUDA,
    CUDA_HOST,
    CUDA_MANAGED,
    DEVICES,
    Given,
    ask,
    copied_to_cpu,
    on_other_device,
    row_offsets,
    tensor_bytes,
)
from ._external import ExternalMemory

_enums = _native.enums

# Rows that a strided CUDA tensor is copied by.
_MOST_ROWS = 4096


def from_dlpack(x: Any, *, copy: bool | None = None, context: Context | None = None) -> Buffer:
    """A buffer over the memory of a tensor: any object with `__dlpack__`, or a capsule of DLPack.

    Nothing is copied where the context reaches the memory: the CPU's on the backend "host", a CUDA device's on CUDA. Elsewhere, and
    of a tensor with gaps between its elements, the buffer is a copy; `copy=False` raises BufferError instead, and `copy=True` always
    copies. A tensor that the context does not reach, as one of another CUDA device, goes through the CPU: its library copies it there,
    or this is a BufferError. The tensor is kept as long as the memory is used. On CUDA work on the buffer comes after what the producer's stream has
    been given so far; an array of the CPU is read when kernels run, so do not change it meanwhile.
    """
    target = context_for(context, "from_dlpack")
    if target.backend == "dummy":
        raise RuntimeError("from_dlpack: the dummy backend shows source only, it has no memory")
    if copy is not None and not isinstance(copy, bool):
        raise TypeError(f"from_dlpack: copy {bracketed(copy)} must be True, False or None")
    reached = {"host": (CPU, CUDA_HOST), "cuda": (CUDA, CUDA_HOST, CUDA_MANAGED)}.get(target.backend, ())
    if not hasattr(x, "__dlpack__"):
        return _take(Given(x), target, copy, reached)
    device, number = (int(part) for part in x.__dlpack_device__())
    other = on_other_device(device, number, target) if device in reached else ""
    if other and copy is False:
        raise BufferError(f"from_dlpack: the tensor is {other}, and copy=False forbids a copy")
    if other:
        return _take(Given(copied_to_cpu(x, f"from_dlpack: the tensor is {other}")), target, None, reached)
    if device in reached and device != CPU and target.backend == "cuda":
        stream = _native.raw.vd_context_get_queue_native(target._pointer, 0, "CUstream")
        return _take(Given(ask(x, stream=stream, copy=False if copy is False else None)), target, copy, reached)
    if device not in reached and copy is False:
        raise BufferError(
            f"from_dlpack: the tensor is in memory of {DEVICES.get(device, device)}, which {target.name} does not reach, and "
            "copy=False forbids a copy"
        )
    if device not in (CPU, CUDA_HOST):
        where = f"in memory of {DEVICES.get(device, device)}, which {target.name} does not reach"
        return _take(Given(copied_to_cpu(x, f"from_dlpack: the tensor is {where}")), target, None, reached)
    return _take(Given(ask(x, copy=False if copy is False else None)), target, copy, reached)


def _take(given: Given, context: Context, copy: bool | None, reached: tuple[int, ...]) -> Buffer:
    kind, number = given.device
    if not given.count:
        raise _native._errors.InvalidError(
            f"from_dlpack: a tensor of zero elements (shape {given.shape}) cannot be a buffer", _enums.VD_ERR_INVALID
        )
    aliases = kind in reached and given.contiguous
    other = on_other_device(kind, number, context) if kind in reached else ""
    if other:
        raise BufferError(f"from_dlpack: the tensor is {other}: copy it to the CPU with the library that it is from")
    if not aliases and copy is False:
        why = f"has the strides {given.strides}" if kind in reached else f"is in memory of {DEVICES.get(kind, kind)}"
        raise BufferError(f"from_dlpack: the tensor {why}, so that it must be copied, which copy=False forbids")
    if aliases:
        alias = _alias(given, context)
        if not copy:
            return alias
        copied = alias.copy()
        alias.destroy()
        queue_wait_idle(None, context)  # from now on the producer may write its tensor
        return copied
    if kind in (CPU, CUDA_HOST):
        return _copied_from_host(given, context)
    if kind not in reached:
        raise BufferError(
            f"from_dlpack: the tensor is in memory of {DEVICES.get(kind, kind)}, which {context.name} does not reach: copy it to "
            "the CPU with the library that it is from"
        )
    return _copied_by_rows(given, context)


def _alias(given: Given, context: Context) -> Buffer:
    size = given.count * given.var_type.item_size
    kind = _enums.VD_MEMORY_KIND_HOST if context.backend == "host" else _enums.VD_MEMORY_KIND_CUDA
    # The producer has made the first queue wait. The others learn of it by an order of that queue after itself.
    several = context.backend == "cuda" and context.queue_count > 1
    stream = _native.raw.vd_context_get_queue_native(context._pointer, 0, "CUstream") if several else 0
    return _consume(
        given,
        lambda let_go: Buffer(
            given.shape,
            given.var_type,
            ExternalMemory(kind, given.address, size, not given.read_only, given, stream, let_go),
            context=context,
        ),
    )


def _consume(given: Given, make: Any) -> Any:
    """Make something of a tensor by `make(let_go)`; if that fails, the tensor is given back."""
    let_go = given.take()
    try:
        return make(let_go)
    except BaseException:
        let_go()
        raise


def _copied_from_host(given: Given, context: Context) -> Buffer:
    def make(let_go: Any) -> Buffer:
        buffer: Buffer = Buffer(given.shape, given.var_type, context=context)
        buffer.write(tensor_bytes(given))
        let_go()
        return buffer

    return _consume(given, make)


def _copied_by_rows(given: Given, context: Context) -> Buffer:
    """A copy of a CUDA tensor whose rows are contiguous, on the device."""
    assert given.strides is not None
    size, rows, inner = given.var_type.item_size, len(given.shape), 1
    while rows and (given.shape[rows - 1] == 1 or given.strides[rows - 1] == inner):
        inner *= given.shape[rows - 1]
        rows -= 1
    offsets = (
        row_offsets(given.shape[:rows], given.strides[:rows]) if npc.prod(given.shape[:rows]) <= _MOST_ROWS else []
    )
    if inner == 1 or not offsets:
        raise BufferError(
            f"from_dlpack: the CUDA tensor of shape {given.shape} has the strides {given.strides}: make it contiguous with its own "
            "library"
        )
    span = offsets[-1] + inner

    def make(let_go: Any) -> Buffer:
        memory = ExternalMemory(_enums.VD_MEMORY_KIND_CUDA, given.address, span * size, True, given, 0, let_go)
        whole: Buffer = Buffer(span, given.var_type, memory, context=context)
        buffer: Buffer = Buffer(given.shape, given.var_type, context=context)
        for row, offset in enumerate(offsets):
            _native.raw.vd_buffer_copy(
                whole._pointer, offset * size, buffer._pointer, row * inner * size, inner * size, 0
            )
        whole.destroy()
        queue_wait_idle(None, context)
        return buffer

    return _consume(given, make)
