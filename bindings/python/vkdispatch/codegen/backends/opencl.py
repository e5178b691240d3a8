"""OpenCL C.

Example:
    vc.set_codegen_backend(vc.OpenCLBackend())
    assert isinstance(vc.get_codegen_backend(), vc.OpenCLBackend)
    vc.set_codegen_backend(None)
"""

from ..._native import enums as e
from .base import CodeGenBackend


class OpenCLBackend(CodeGenBackend):
    """OpenCL C."""

    name = "opencl"
    language = e.VD_LANGUAGE_OPENCL
    entry_point = "vkdispatch_main"
