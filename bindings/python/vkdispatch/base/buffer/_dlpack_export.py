"""DLPack 1.x: tensors over the memory of buffers."""

from __future__ import annotations

from typing import Any

from ... import _native
from ..._native._launcher import dlpack_capsule
from ...compat import numpy_compat as npc
from .. import dtype as dt

_enums = _native.enums
#: The version of DLPack that is spoken.
VERSION = (1, 0)


def export(buffer: Any, versioned: bool, copied: bool) -> Any:
    """A capsule over a buffer's memory."""
    element, extra = _element_of(buffer.var_type)
    shape = (*buffer.shape, *extra)
    if len(shape) > _enums.VD_MAX_DIMS:
        raise BufferError(f"Buffer.__dlpack__: a tensor of shape {shape} has more than {_enums.VD_MAX_DIMS} axes")
    raw = _native.raw
    desc = raw.vd_dlpack_desc(element=element, rank=len(shape), shape=list(shape), versioned=versioned, copied=copied)
    return dlpack_capsule(raw.vd_buffer_export_dlpack(buffer._pointer, desc), versioned)


def _element_of(var_type: type[dt.dtype]) -> tuple[int, tuple[int, ...]]:
    """The library's type of a scalar or a complex number, and the axes of a vector or a matrix."""
    if dt.is_complex(var_type):
        assert var_type.child_type is not None
        return getattr(_enums, f"VD_TYPE_COMPLEX_{_short(var_type.child_type)}"), ()
    scalar = var_type.scalar or var_type
    # Truth is a byte in memory.
    return (_enums.VD_TYPE_BOOL if scalar is dt.bool_ else getattr(_enums, f"VD_TYPE_{_short(scalar)}")), tuple(
        var_type.true_numpy_shape
    )


def _short(scalar: type[dt.dtype]) -> str:
    """F32 for float32."""
    name = scalar.name
    letter = {"f": "F", "i": "I", "u": "U"}[name[0]]
    return letter + "".join(c for c in name if c.isdigit())


def wanted_version(max_version: Any) -> bool:
    """Whether a consumer that knows this version takes versioned capsules."""
    return max_version is not None and max_version[0] >= VERSION[0]


def host_capsule(buffer: Any, max_version: Any) -> Any:
    """A capsule of a copy on the CPU, by NumPy."""
    np = npc.numpy_module()
    if np is None:
        raise BufferError("Buffer.__dlpack__: a copy on the CPU needs numpy")
    array = buffer.read(0)
    try:
        return array.__dlpack__(max_version=max_version)
    except TypeError:  # an older NumPy
        return array.__dlpack__()
