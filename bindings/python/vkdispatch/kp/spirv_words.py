"""The words of a module, as programs bring them: in the other order of bytes, or with a memory model of pyshader's."""

from __future__ import annotations

import struct
from typing import Any

from .errors import invalid

_MAGIC = 0x07230203
_SWAPPED = 0x03022307
_OP_MEMORY_MODEL = 14
_SIMPLE, _GLSL450 = 0, 1
_KERNEL = 6  # a capability of OpenCL's


def is_spirv(code: bytes) -> bool:
    """Whether bytes begin as a module does, in either order."""
    return len(code) >= 4 and struct.unpack_from("<I", code)[0] in (_MAGIC, _SWAPPED)


def normal_words(code: bytes, what: str) -> bytes:
    """The module in the machine's order, with the memory model that Vulkan wants."""
    if len(code) % 4:
        raise invalid(f"{what}: spirv has {len(code)} bytes, which is no whole number of words of 4")
    if struct.unpack_from("<I", code)[0] == _SWAPPED:
        count = len(code) // 4
        code = struct.pack(f"<{count}I", *struct.unpack(f">{count}I", code))
    at = 20
    while at + 12 <= len(code):
        word = struct.unpack_from("<I", code, at)[0]
        length, op = word >> 16, word & 0xFFFF
        if length == 0:
            break
        if op == _OP_MEMORY_MODEL and length == 3:
            if struct.unpack_from("<I", code, at + 8)[0] == _SIMPLE:
                return code[: at + 8] + struct.pack("<I", _GLSL450) + code[at + 12 :]
            break
        at += 4 * length
    return code


def refuse_kernels(capabilities: Any, what: str) -> None:
    """RuntimeError for a module of OpenCL's."""
    if _KERNEL in capabilities:
        raise invalid(
            f"{what}: the module is OpenCL's SPIR-V (capability Kernel), another dialect than Vulkan's; compile GLSL for Vulkan, "
            "or write the kernel with @vd.shader"
        )
