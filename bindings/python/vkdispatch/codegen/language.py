"""The language of printed source, and whether it has line numbers: as a thread chose.

Example:
    vc.set_shader_print_line_numbers(True)
    assert vc.get_shader_print_line_numbers()
    vc.set_shader_print_line_numbers(False)
    vc.set_codegen_backend("opencl")
    assert vc.get_codegen_backend().name == "opencl"
    vc.set_codegen_backend(None)
"""

from __future__ import annotations

import sys

from ._state import _state
from .backends import BACKENDS, CodeGenBackend, GLSLBackend


def set_shader_print_line_numbers(value: bool) -> None:
    """Set whether printed source has line numbers by default."""
    _state.line_numbers = bool(value)


def get_shader_print_line_numbers() -> bool:
    """Whether printed source has line numbers by default."""
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
    """The backend that set_codegen_backend() chose on this thread."""
    return _state.backend


def _runtime_backend() -> CodeGenBackend:
    # Asked each time and never made to start: before initialisation the answer is GLSL, after it the runtime's.
    init = sys.modules.get(f"{__package__.rpartition('.')[0]}.base.init")
    if init is not None and init.is_initialized():
        return BACKENDS.get(init.get_backend(), GLSLBackend)()
    return GLSLBackend()
