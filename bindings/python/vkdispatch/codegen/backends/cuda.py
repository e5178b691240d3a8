"""CUDA C++ as NVRTC compiles it.

Example:
    vc.set_codegen_backend(vc.CUDABackend())
    assert isinstance(vc.get_codegen_backend(), vc.CUDABackend)
    vc.set_codegen_backend(None)
"""

from ..._native import enums as e
from .base import CodeGenBackend


class CUDABackend(CodeGenBackend):
    """CUDA C++ as NVRTC compiles it."""

    name = "cuda"
    language = e.VD_LANGUAGE_CUDA
    entry_point = "vkdispatch_main"
