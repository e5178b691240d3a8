"""Tracing a kernel without the decorator: `with shader_context() as ctx`.

Annotations and names that do not fit each other are a ValueError.

Example:
    with vc.shader_context() as trace:
        out, factor = trace.declare_input_arguments([Buff[f32], Const[f32]], ["out", "factor"])
        out[vc.global_invocation_id().x] *= factor
    scale = vd.make_shader_function(trace.get_description("scale"), exec_count="out.size")
    out = vd.ones(3)
    scale(out, 4.0)
    assert list(out.read(0)) == [4, 4, 4]
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from .builder import ShaderBuilder, ShaderFlags
from .explaining import explaining
from .global_builder import set_builder
from .shader_description import ShaderDescription


class ShaderContext:
    """A trace in progress."""

    def __init__(self, builder: ShaderBuilder):
        self.builder = builder
        #: The finished kernel; None before get_description().
        self.shader_description: ShaderDescription | None = None
        self._declared = False

    def declare_input_arguments(
        self, type_annotations: Sequence[Any], names: Sequence[str] | None = None, defaults: Sequence[Any] | None = None
    ) -> list[Any]:
        """Declare the kernel's parameters; the result is one variable for each."""
        if self._declared:
            raise RuntimeError("The input arguments of this kernel are declared already!")
        self._declared = True
        return self.builder.declare_shader_arguments(type_annotations, names, defaults)

    def get_description(self, name: str | None = None) -> ShaderDescription:
        """Finish the kernel; the same object on every call."""
        if self.shader_description is None:
            self.shader_description = self.builder.build(name or "shader")
        return self.shader_description


@contextlib.contextmanager
def shader_context(flags: ShaderFlags = ShaderFlags.NONE) -> Iterator[ShaderContext]:
    """Trace a kernel: what is written inside goes into it. The builder is removed again however the block ends."""
    builder = ShaderBuilder(flags)
    set_builder(builder)
    context = ShaderContext(builder)
    try:
        with explaining():
            yield context
    finally:
        set_builder(None)
        builder.end_trace()
        if context.shader_description is not None:
            builder.shader_args = []  # they refer to the builder: without them it goes at once, not with the next collection
