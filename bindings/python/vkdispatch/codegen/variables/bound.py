"""Variables bound to memory outside of the invocation.

Example:
    @vd.shader(1)
    def first(out: Buff[f32], x: Buff[f32]):
        assert (out.binding, x.binding) == (0, 1)
        out[0] = x[0]

    out = vd.empty(1)
    first(out, vd.asbuffer(np.array([3], np.float32)))
    assert out.read(0)[0] == 3
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base import dtype as dt
from .variables import ShaderVariable

if TYPE_CHECKING:
    from ..trace import Trace


class BoundVariable(ShaderVariable):
    """A buffer, shared array or image. It is no value itself; its elements are."""

    __slots__ = ("binding",)

    #: Its number among buffers and images; None for shared arrays.
    binding: int | None

    def __init__(self, builder: Trace, var_type: type[dt.dtype], value: int, name: str, binding: int | None = None):
        super().__init__(builder, var_type, value, False, False, 0, (), None, name)
        self.binding = binding

    @property
    def use_child_type(self) -> bool:
        """False: an element has the whole type."""
        return False
