"""Reductions: an associative operation over all elements of a buffer, or over some axes, with the user's functions."""

from __future__ import annotations

from . import decorator, operations, reduce_function, stage
from .decorator import map_reduce, reduce
from .operations import (
    ReduceOp,
    SubgroupAdd,
    SubgroupAnd,
    SubgroupMax,
    SubgroupMin,
    SubgroupMul,
    SubgroupOr,
    SubgroupXor,
)
from .reduce_function import ReduceFunction, mapped_io_index
from .stage import ReductionParams, make_reduction_stage

__all__ = [
    "ReduceFunction",
    "ReduceOp",
    "ReductionParams",
    "SubgroupAdd",
    "SubgroupAnd",
    "SubgroupMax",
    "SubgroupMin",
    "SubgroupMul",
    "SubgroupOr",
    "SubgroupXor",
    "make_reduction_stage",
    "map_reduce",
    "mapped_io_index",
    "reduce",
]


def __dir__() -> list[str]:
    """The public names: the modules, which programs for 0.1 may name, are not listed."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
