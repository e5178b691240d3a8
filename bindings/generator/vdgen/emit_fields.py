"""The fields of vd_device_info as a list of macros, so that src/core/device_check.cpp has a rule for each of them."""

from __future__ import annotations

from . import model
from .text import NOTE

PATH = "src/core/device_fields.h"
STRUCT = "vd_device_info"


def emit(header: model.Header) -> dict[str, str]:
    """Nothing for a header without the struct."""
    found = [s for s in header.structs if s.name == STRUCT]
    return {PATH: cpp(found[0])} if found else {}


def cpp(struct: model.Struct) -> str:
    lines = [
        f"// {NOTE}",
        f"// The fields of {struct.name}, in their order.",
        "#pragma once",
        "",
        "#define VD_DEVICE_FIELDS(FIELD) \\",
        *(f"  FIELD({field.name}) \\" for field in struct.fields),
    ]
    return "\n".join(lines).removesuffix(" \\") + "\n"
