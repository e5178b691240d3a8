"""OpenCL C."""

from ..._native import enums as e
from .base import CodeGenBackend


class OpenCLBackend(CodeGenBackend):
    """OpenCL C."""

    name = "opencl"
    language = e.VD_LANGUAGE_OPENCL
    entry_point = "vkdispatch_main"
