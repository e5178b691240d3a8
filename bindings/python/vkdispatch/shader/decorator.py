"""`@vkdispatch.shader(...)`: a Python function becomes a kernel.

A launch needs `exec_size` (invocations) or `workgroups` (times `local_size` invocations), here or in the call. Mistakes in
the kernel are raised while it is traced, at the decorator, with the user's file and line; mistakes in a call are a
ValueError or TypeError that names the argument.

Example:
    @vd.shader("out.size")  # one invocation an element
    def saxpy(out: Buff[f32], x: Buff[f32], a: Const[f32] = 2.0):
        i = vc.global_invocation_id().x
        out[i] = a * x[i] + out[i]

    x, y = vd.arange(4, dtype=vd.float32), vd.ones(4)
    saxpy(y, x)  # a is 2
    saxpy(y, x, a=1.0)
    assert list(y.read(0)) == [1, 4, 7, 10]
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, overload

from ..codegen.builder import ShaderFlags
from ..codegen.signature import trace
from .launch import LaunchParametersHolder
from .shader_function import ShaderFunction

#: A launch's size: how many, up to three of them, an expression over the arguments, or a function of them.
_Size: TypeAlias = int | str | Sequence[int] | Callable[[LaunchParametersHolder], Any] | None


@overload
def shader(
    exec_size: _Size = None,
    local_size: int | Sequence[int] | None = None,
    workgroups: _Size = None,
    flags: ShaderFlags = ShaderFlags.NONE,
    arg_type_annotations: Sequence[Any] | None = None,
    arg_names: Sequence[str] | None = None,
    arg_defaults: Sequence[Any] | None = None,
) -> Callable[[Callable[..., Any]], ShaderFunction]: ...


@overload
def shader(exec_size: Callable[..., Any], /) -> ShaderFunction: ...


def shader(
    exec_size: Any = None,
    local_size: Any = None,
    workgroups: Any = None,
    flags: ShaderFlags = ShaderFlags.NONE,
    arg_type_annotations: Sequence[Any] | None = None,
    arg_names: Sequence[str] | None = None,
    arg_defaults: Sequence[Any] | None = None,
) -> Any:
    """Make a kernel of the decorated function, which is run once, now, on tracing objects.

    `exec_size` is the number of invocations, `workgroups` the number of workgroups: an int, up to three of them, an
    expression over the parameters such as "buff.size", or a function of the arguments. Works without parentheses too.
    """
    if _is_kernel_function(exec_size):
        return shader()(exec_size)
    if exec_size is not None and workgroups is not None:
        raise ValueError("Cannot specify both 'workgroups' and 'exec_size'")

    def decorate(func: Callable) -> ShaderFunction:
        description = trace(func, flags, arg_type_annotations, arg_names, arg_defaults)
        kernel = ShaderFunction(description, local_size=local_size, workgroups=workgroups, exec_count=exec_size)
        functools.update_wrapper(kernel, func, updated=())
        return kernel

    return decorate


def _is_kernel_function(value: Any) -> bool:
    """Whether a bare `@shader` was given its function: one with annotations, where a launch size has none."""
    return callable(value) and not isinstance(value, type) and bool(getattr(value, "__annotations__", None))
