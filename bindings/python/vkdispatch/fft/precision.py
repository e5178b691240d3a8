"""The complex types in which a transform reads, computes and writes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import Any

from ..base import dtype as dt
from ..base.context import get_context
from ..base.words import shown

_ORDER = (dt.complex32, dt.complex64, dt.complex128)


def ensure_complex_precision(dtype: Any, arg_name: str = "dtype") -> Any:
    """`dtype` as one of the three complex types; ValueError otherwise."""
    if any(dtype is t for t in _ORDER):
        return dtype
    with contextlib.suppress(TypeError):
        found = dt.as_dtype(dtype)
        if found in _ORDER:
            return found
    name = dtype.name if dt.is_dtype(dtype) else shown(dtype)
    raise ValueError(f"{arg_name} must be one of complex32, complex64, or complex128 (got {name})")


def ours(dtype: Any) -> Any:
    """A caller's type, which may be NumPy's, as ours; other objects are returned unchanged, and refused at their
    use."""
    if dtype is None or dt.is_dtype(dtype):
        return dtype
    with contextlib.suppress(TypeError):
        return dt.as_dtype(dtype)
    return dtype


def _has(device: Any, dtype: Any) -> bool:
    if dtype is dt.complex32:
        storage = device.storage_buffer_16_bit_access == 1 or device.uniform_and_storage_buffer_16_bit_access == 1
        return device.float_16_support == 1 and storage
    return dtype is not dt.complex128 or device.float_64_support == 1


def supports_complex_precision(dtype: Any) -> bool:
    """Whether every device of the context has the type."""
    return all(_has(device, dtype) for device in get_context().device_infos)


def ensure_supported_complex_precision(dtype: Any, *, role: str) -> None:
    """ValueError unless every device has the type."""
    for device in get_context().device_infos:
        if not _has(device, dtype):
            parts = "16-bit" if dtype is dt.complex32 else "64-bit"
            raise ValueError(
                f"{role} precision '{dtype.name}' is not supported on the active device set: it needs {parts} floats, which "
                f"device '{device.device_name}' does not have; complex64 is everywhere"
            )


def resolve_compute_precision(io_precisions: Iterable[Any], compute_precision: Any = None) -> Any:
    """The type that a transform computes in: the one asked for, else the highest it reads or writes, at least complex64."""
    if compute_precision is not None:
        compute_precision = ensure_complex_precision(compute_precision, "compute_type")
        ensure_supported_complex_precision(compute_precision, role="Compute")
        return compute_precision
    highest = max([1, *(_ORDER.index(t) for t in io_precisions if t is not None)])
    for choice in (_ORDER[highest], dt.complex64, dt.complex32):
        if supports_complex_precision(choice):
            return choice
    raise ValueError("Unable to resolve a compute precision that the active device set supports")
