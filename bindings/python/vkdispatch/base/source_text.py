"""The descriptor of a plan's source text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _native


def describe_source(
    language: int,
    text: bytes,
    entry: str | None,
    kinds: Sequence[int],
    values_size: int,
    constants: Sequence[tuple[int, int]],
) -> tuple[Any, Any]:
    """A vd_source_desc, and what must live as long, since it points there. `constants` are ids and bits."""
    from .._native._load import ffi

    c_text = ffi.new("char[]", text)
    c_kinds = ffi.new("vd_binding_kind[]", kinds)
    c_constants = ffi.new("vd_spec_constant[]", [{"id": number, "bits": bits} for number, bits in constants])
    source = _native.raw.vd_source_desc(
        language=language,
        text=c_text,
        size=len(text),
        entry=entry,
        binding_kinds=c_kinds,
        binding_count=len(kinds),
        values_size=values_size,
        spec_constants=c_constants,
        spec_constant_count=len(constants),
    )
    return source, (c_text, c_kinds, c_constants)
