"""The builder that a thread traces into.

Example:
    try:
        vc.get_builder()  # outside of a kernel
    except RuntimeError as error:
        print(error)
"""

from __future__ import annotations

from ..base.dtype import dtype
from ._state import _state
from .builder import ShaderBuilder
from .language import (
    chosen_backend,
    get_codegen_backend,
    get_shader_print_line_numbers,
    set_codegen_backend,
    set_shader_print_line_numbers,
)
from .variables.bound_variables import BufferVariable


def active() -> ShaderBuilder:
    """The builder that statements and built-in values go to; RuntimeError outside of a trace."""
    builder: ShaderBuilder | None = _state.builder
    if builder is None:
        raise RuntimeError(
            "No global ShaderWriter is set for the current thread! This works only inside a @vd.shader function."
        )
    return builder


def get_builder() -> ShaderBuilder:
    """The builder of the kernel that this thread is tracing; RuntimeError if there is none."""
    builder: ShaderBuilder | None = _state.builder
    if builder is None:
        raise RuntimeError(
            "No global ShaderBuilder is set for the current thread! This works only inside a @vd.shader function."
        )
    return builder


def set_builder(builder: ShaderBuilder | None) -> None:
    """Make `builder` this thread's active one; None clears it. RuntimeError if another one is active."""
    if builder is not None and _state.builder is not None:
        raise RuntimeError(
            "A global ShaderBuilder is already set for the current thread! A kernel is being written: a thread has one "
            "fft_context, shader_context or @vd.shader function at a time, and another begins when that has ended."
        )
    _state.builder = builder


def shared_buffer(var_type: type[dtype], size: int, var_name: str | None = None) -> BufferVariable:
    """Declare an array of `size` elements that the invocations of a workgroup share. It is not initialised."""
    return active().shared_buffer(var_type, size, var_name)


__all__ = [
    "active",
    "chosen_backend",
    "get_builder",
    "get_codegen_backend",
    "get_shader_print_line_numbers",
    "set_builder",
    "set_codegen_backend",
    "set_shader_print_line_numbers",
    "shared_buffer",
]
