"""GLSL 4.50 with Vulkan semantics."""

from ..._native import enums as e
from .base import CodeGenBackend


class GLSLBackend(CodeGenBackend):
    """GLSL 4.50 with Vulkan semantics."""

    name = "glsl"
    language = e.VD_LANGUAGE_GLSL
    entry_point = "main"
