"""Values that every invocation has: its indices, the launch's sizes, and typed infinities.

Indices and sizes are uint32 or uvec3 and count invocations, workgroups or subgroups. `vc.global_invocation.x` is another
spelling of `vc.global_invocation_id().x`.

Example:
    @vd.shader(workgroups=2, local_size=4)
    def places(out: Buff[u32], groups: Buff[u32]):
        i = vc.global_invocation_id().x
        out[i] = 10 * vc.workgroup_id().x + vc.local_invocation_id().x
        groups[i] = vc.num_workgroups().x * vc.workgroup_size().x

    found, groups = vd.zeros(8, vd.uint32), vd.zeros(8, vd.uint32)
    places(found, groups)
    assert list(found.read(0)) == [0, 1, 2, 3, 10, 11, 12, 13] and (groups.read(0) == 8).all()
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ..._native import enums as e
from ...base import dtype as dt
from ..global_builder import active
from ..variables.variables import ShaderVariable
from ._apply import named


def _builtin(name: str, number: int, t: type[dt.dtype], doc: str) -> Callable[[], ShaderVariable]:
    def function() -> ShaderVariable:
        b = active()
        value = b.emit(e.VD_OP_BUILTIN, 0, number, 0)
        if number == e.VD_BUILTIN_GLOBAL_ID:
            b.hazards.number_vector = value
        return ShaderVariable(b, t, value)

    return named(name, doc, function, __name__)


def _infinity(name: str, t: type[dt.dtype], x: float) -> Callable[[], ShaderVariable]:
    def function() -> ShaderVariable:
        b = active()
        return ShaderVariable(b, t, b.literal(x, t))

    return named(name, f"{'Minus infinity' if x < 0 else 'Infinity'} as {t.name}.", function, __name__)


global_invocation_id = _builtin(
    "global_invocation_id", e.VD_BUILTIN_GLOBAL_ID, dt.uvec3, "Index of the invocation in the launch, a uvec3."
)
local_invocation_id = _builtin(
    "local_invocation_id", e.VD_BUILTIN_LOCAL_ID, dt.uvec3, "Index of the invocation in its workgroup, a uvec3."
)
local_invocation_index = _builtin(
    "local_invocation_index",
    e.VD_BUILTIN_LOCAL_INDEX,
    dt.uint32,
    "Number of the invocation in its workgroup: x + size.x * (y + size.y * z).",
)
workgroup_id = _builtin("workgroup_id", e.VD_BUILTIN_WORKGROUP_ID, dt.uvec3, "Index of the workgroup, a uvec3.")
workgroup_size = _builtin(
    "workgroup_size", e.VD_BUILTIN_WORKGROUP_SIZE, dt.uvec3, "Invocations of a workgroup, a uvec3."
)
num_workgroups = _builtin("num_workgroups", e.VD_BUILTIN_NUM_WORKGROUPS, dt.uvec3, "Workgroups of the launch, a uvec3.")
num_subgroups = _builtin("num_subgroups", e.VD_BUILTIN_NUM_SUBGROUPS, dt.uint32, "Subgroups of a workgroup.")
subgroup_id = _builtin("subgroup_id", e.VD_BUILTIN_SUBGROUP_ID, dt.uint32, "Number of the subgroup in its workgroup.")
subgroup_size = _builtin("subgroup_size", e.VD_BUILTIN_SUBGROUP_SIZE, dt.uint32, "Invocations of a subgroup.")
subgroup_invocation_id = _builtin(
    "subgroup_invocation_id", e.VD_BUILTIN_SUBGROUP_LANE, dt.uint32, "Number of the invocation in its subgroup."
)


class _Index:
    """An index with its components as attributes, as earlier releases wrote it: `global_invocation.x`."""

    def __init__(self, function: Callable[[], ShaderVariable], doc: str):
        self._function = function
        self.__doc__ = doc

    @property
    def x(self) -> ShaderVariable:
        """The first component."""
        return self._function().x

    @property
    def y(self) -> ShaderVariable:
        """The second component."""
        return self._function().y

    @property
    def z(self) -> ShaderVariable:
        """The third component."""
        return self._function().z

    def __call__(self) -> ShaderVariable:
        return self._function()


global_invocation = _Index(global_invocation_id, "Index of the invocation in the launch.")
local_invocation = _Index(local_invocation_id, "Index of the invocation in its workgroup.")
workgroup = _Index(workgroup_id, "Index of the workgroup.")


def subgroup_invocation() -> ShaderVariable:
    """The same as subgroup_invocation_id()."""
    return subgroup_invocation_id()


inf_f16 = _infinity("inf_f16", dt.float16, math.inf)
ninf_f16 = _infinity("ninf_f16", dt.float16, -math.inf)
inf_f32 = _infinity("inf_f32", dt.float32, math.inf)
ninf_f32 = _infinity("ninf_f32", dt.float32, -math.inf)
inf_f64 = _infinity("inf_f64", dt.float64, math.inf)
ninf_f64 = _infinity("ninf_f64", dt.float64, -math.inf)
