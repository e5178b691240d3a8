"""The properties that the dummy device reports."""

from __future__ import annotations

from typing import Any

from ... import _native
from .. import init
from ._context import current_context

_enums = _native.enums


def set_dummy_context_params(
    subgroup_size: int | None = None,
    subgroup_enabled: bool | None = None,
    max_workgroup_size: tuple[int, int, int] | None = None,
    max_workgroup_invocations: int | None = None,
    max_workgroup_count: tuple[int, int, int] | None = None,
    max_shared_memory: int | None = None,
) -> None:
    """Change what the dummy device reports, for kernels built afterwards. RuntimeError on another backend."""
    if not init.is_dummy():
        raise RuntimeError(f"set_dummy_context_params works on the dummy backend alone, not on '{init.get_backend()}'")

    def positive(value: Any, what: str) -> int:
        try:
            number = int(value)
        except (TypeError, ValueError):
            raise ValueError(f"{what} ({value!r}) must be a positive integer") from None
        if number <= 0:
            raise ValueError(f"{what} ({value!r}) must be a positive integer")
        return number

    def triplet(value: Any, what: str) -> list[int]:
        if not isinstance(value, (list, tuple)) or len(value) != 3:
            raise ValueError(f"{what} ({value!r}) must be three positive integers")
        return [positive(v, what) for v in value]

    if subgroup_enabled is not None and not isinstance(subgroup_enabled, bool):
        raise ValueError(f"subgroup_enabled ({subgroup_enabled!r}) must be a bool")
    changes: dict[str, Any] = {}
    if subgroup_size is not None:
        changes["subgroup_size"] = positive(subgroup_size, "subgroup_size")
    if max_workgroup_size is not None:
        changes["max_workgroup_size"] = triplet(max_workgroup_size, "max_workgroup_size")
    if max_workgroup_invocations is not None:
        changes["max_workgroup_invocations"] = positive(max_workgroup_invocations, "max_workgroup_invocations")
    if max_workgroup_count is not None:
        changes["max_workgroup_count"] = triplet(max_workgroup_count, "max_workgroup_count")
    if max_shared_memory is not None:
        changes["max_shared_memory_size"] = positive(max_shared_memory, "max_shared_memory")
        changes["max_shared_memory_opt_in"] = changes["max_shared_memory_size"]

    context = current_context()
    raw = _native.raw
    info = init.dummy_device() or raw.vd_device_get_info(_enums.VD_BACKEND_DUMMY, 0)
    for name, value in changes.items():
        setattr(info, name, value)
    if subgroup_enabled is not None:
        bits = _enums.VD_FEATURE_SUBGROUP_BASIC | _enums.VD_FEATURE_SUBGROUP_ARITHMETIC
        info.features = info.features | bits if subgroup_enabled else info.features & ~bits
    init.set_dummy_device(info)
    context.refresh_limits_from_device_infos()
