"""The state of tracing, one for each thread: the active builder, the chosen language, and whether printed source has line
numbers.

Example:
    vc.set_shader_print_line_numbers(True)
    assert vc.get_shader_print_line_numbers()
    vc.set_shader_print_line_numbers(False)
    try:
        vc.get_builder()  # outside of a kernel
    except RuntimeError as error:
        print(error)
"""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

from .._native._launcher import TRACING, mark_thread
from .backends import BACKENDS, CodeGenBackend, GLSLBackend

if TYPE_CHECKING:
    from ..base.dtype import dtype
    from .builder import ShaderBuilder
    from .variables.bound_variables import BufferVariable


class _State(threading.local):
    builder: ShaderBuilder | None = None
    backend: CodeGenBackend | None = None
    line_numbers: bool = False

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name == "builder":
            mark_thread(TRACING, value is not None)


_state = _State()


def active() -> ShaderBuilder:
    """The builder that statements and built-in values go to; RuntimeError outside of a trace."""
    builder = _state.builder
    if builder is None:
        raise RuntimeError(
            "No global ShaderWriter is set for the current thread! This works only inside a @vd.shader function."
        )
    return builder


def get_builder() -> ShaderBuilder:
    """The builder of the kernel that this thread is tracing; RuntimeError if there is none."""
    builder = _state.builder
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


def set_shader_print_line_numbers(value: bool) -> None:
    """Say whether printed source has line numbers unless told otherwise."""
    _state.line_numbers = bool(value)


def get_shader_print_line_numbers() -> bool:
    """Whether printed source has line numbers unless told otherwise."""
    return _state.line_numbers


def set_codegen_backend(backend: CodeGenBackend | str | None) -> None:
    """Choose the language of printed source for this thread: "glsl", "cuda", "opencl", or None for the runtime's own."""
    if isinstance(backend, str):
        found = BACKENDS.get(backend.lower())
        if found is None:
            raise ValueError(f"Unknown codegen backend '{backend}': expected one of {', '.join(BACKENDS)}!")
        backend = found()
    elif isinstance(backend, type) and issubclass(backend, CodeGenBackend):
        backend = backend()
    elif backend is not None and not isinstance(backend, CodeGenBackend):
        raise ValueError(f"Unknown codegen backend {backend!r}: expected one of {', '.join(BACKENDS)}!")
    _state.backend = backend


def get_codegen_backend() -> CodeGenBackend:
    """The language of printed source: the active builder's, else what this thread chose, else the runtime's."""
    builder = _state.builder
    if builder is not None and builder.chosen_backend is not None:
        return builder.chosen_backend
    return _state.backend or _runtime_backend()


def chosen_backend() -> CodeGenBackend | None:
    """What set_codegen_backend() chose on this thread."""
    return _state.backend


def _runtime_backend() -> CodeGenBackend:
    # Asked each time and never made to start: before initialisation the answer is GLSL, after it the runtime's.
    init = sys.modules.get(f"{__package__.rpartition('.')[0]}.base.init")
    if init is not None and init.is_initialized():
        return BACKENDS.get(init.get_backend(), GLSLBackend)()
    return GLSLBackend()
