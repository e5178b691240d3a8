"""The options that transforms along several axes and convolutions share: taken from a call, checked, handed on to the passes."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from .arguments import Parts, parts_of
from .operands import Map, shape_of
from .out_of_place import complex_call
from .shader_factories import check_maps


@dataclasses.dataclass
class Options:
    """The options of a call by their names; what a function does not take has its default."""

    graph: Any = None
    print_shader: bool = False
    buffer_shape: Sequence[int] | None = None
    input_map: Map = None
    output_map: Map = None
    input_type: Any = None
    output_type: Any = None
    compute_type: Any = None
    normalize: bool = True
    out: Any = None
    order: str = "natural"
    # Only for convolutions.
    kernel_map: Map = None
    kernel_type: Any = None
    transposed_kernel: bool = False
    kernel_inner_only: bool = False
    conjugate_kernel: bool = True
    kernel_order: str = "natural"

    @classmethod
    def of(cls, arguments: dict[str, Any]) -> Options:
        """Take the options out of a function's arguments."""
        return cls(**{name: arguments[name] for name in _NAMES if name in arguments})

    def resolve_out(self, name: str, buffers: Sequence[Any]) -> Sequence[Any]:
        """The buffers of the call; `out` becomes the first of them, and a map reads the buffer that was first."""
        if self.out is None:
            return buffers
        call = complex_call(name, buffers, self.out, self.buffer_shape, self.compute_type)
        self.input_map, self.output_map = call.input_map, call.output_map
        self.buffer_shape, self.compute_type, self.out = call.buffer_shape, call.compute_type, None
        return call.buffers

    def parts_of(self, name: str, buffers: Sequence[Any], takes_kernel: bool = False) -> tuple[Parts, tuple[int, ...]]:
        """Assign each buffer to an argument, and find the shape; maps and types that do not fit are an error."""
        check_maps(self.output_map, self.input_map, self.output_type, self.input_type, self.kernel_map)
        parts = parts_of(name, buffers, self.input_map, self.output_map, self.kernel_map, takes_kernel)
        return parts, shape_of(buffers, self.buffer_shape, self.output_map)

    @property
    def of_run(self) -> dict[str, Any]:
        """Options of the run: where each pass is recorded, and whether its source is printed."""
        return {"graph": self.graph, "print_shader": self.print_shader}

    @property
    def of_kernel(self) -> dict[str, Any]:
        """Options of the pass with the filter."""
        return {
            "kernel_map": self.kernel_map, "kernel_type": self.kernel_type, "transposed_kernel": self.transposed_kernel,
            "kernel_inner_only": self.kernel_inner_only, "conjugate_kernel": self.conjugate_kernel, "normalize": self.normalize,
            "kernel_order": self.kernel_order, "compute_type": self.compute_type,
        }  # fmt: skip


_NAMES = tuple(field.name for field in dataclasses.fields(Options))
