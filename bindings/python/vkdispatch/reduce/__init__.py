"""Reductions. This version has their names alone."""

from __future__ import annotations

from .. import _later

_PART = "Reductions"

for _name in ("make_reduction_stage", "map_reduce", "reduce"):
    globals()[_name] = _later.function(__name__, _PART, _name)
for _name in ("ReduceFunction", "ReduceOp", "ReductionParams"):
    globals()[_name] = _later.class_(__name__, _PART, _name)
for _name in ("decorator", "operations", "reduce_function", "stage"):
    globals()[_name] = _later.submodule(__name__, _PART, _name)
for _name in ("Add", "And", "Max", "Min", "Mul", "Or", "Xor"):
    globals()[f"Subgroup{_name}"] = _later.class_(__name__, _PART, f"Subgroup{_name}")


def mapped_io_index() -> None:
    """The element that a reduction's map is traced for; None outside of one."""
