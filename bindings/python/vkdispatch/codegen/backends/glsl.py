"""GLSL 4.50 with Vulkan semantics.

Example:
    vc.set_codegen_backend(vc.GLSLBackend())
    assert isinstance(vc.get_codegen_backend(), vc.GLSLBackend)
    vc.set_codegen_backend(None)
"""

from ..._native import enums as e
from .base import CodeGenBackend


class GLSLBackend(CodeGenBackend):
    """GLSL 4.50 with Vulkan semantics."""

    name = "glsl"
    language = e.VD_LANGUAGE_GLSL
    entry_point = "main"
