"""The words of a module, as programs bring them; the library reads both orders of bytes, and pyshader's memory model."""

from __future__ import annotations

import struct
from typing import Any

from .errors import invalid

_MAGICS = (0x07230203, 0x03022307)  # the latter in the other order of bytes
_KERNEL = 6  # a capability of OpenCL's


def is_spirv(code: bytes) -> bool:
    """Whether bytes begin as a module does, in either order."""
    return len(code) >= 4 and struct.unpack_from("<I", code)[0] in _MAGICS


def whole_words(code: bytes, what: str) -> bytes:
    """The module, if it is a whole number of words."""
    if len(code) % 4:
        raise invalid(f"{what}: spirv has {len(code)} bytes, which is no whole number of words of 4")
    return code


def refuse_kernels(capabilities: Any, what: str) -> None:
    """RuntimeError for a module of OpenCL's."""
    if _KERNEL in capabilities:
        raise invalid(
            f"{what}: the module is OpenCL's SPIR-V (capability Kernel), another dialect than Vulkan's; compile GLSL for Vulkan, "
            "or write the kernel with @vd.shader"
        )
