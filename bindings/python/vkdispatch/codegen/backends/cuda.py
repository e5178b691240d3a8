"""CUDA C++ as NVRTC compiles it."""

from ..._native import enums as e
from .base import CodeGenBackend


class CUDABackend(CodeGenBackend):
    """CUDA C++ as NVRTC compiles it."""

    name = "cuda"
    language = e.VD_LANGUAGE_CUDA
    entry_point = "vkdispatch_main"
