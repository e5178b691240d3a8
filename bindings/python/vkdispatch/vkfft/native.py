"""Calls that the VkFFT library performs itself, on Vulkan."""

from __future__ import annotations

import dataclasses
from typing import Any

from .. import _native
from ..base.context import Context, get_context
from ..codegen import arguments as ann
from ..codegen._types import TYPE_OF
from ..shader.generated import GeneratedFunction

_e = _native.enums


def on_vulkan() -> bool:
    """Whether the present context is Vulkan's."""

    return get_context().backend == "vulkan"


@dataclasses.dataclass(frozen=True)
class Request:
    """Everything that makes one of its transforms different from another."""

    shape: tuple[int, ...]  # batches first
    axes: tuple[int, ...]
    var_type: Any
    real: bool = False
    inverse: bool = False
    normalize: bool = False
    convolve: bool = False
    out_of_place: bool = False
    padding: tuple[tuple[int, int], ...] | None = None  # of the axes behind the batches
    pad_frequency_domain: bool = False

    def arguments(self) -> list[tuple[str, Any]]:
        """(name, annotation) of each argument."""
        names = ["output", "input"] if self.out_of_place else ["output"]
        if self.convolve:
            names.append("kernel")
        return [(name, ann.Buffer[self.var_type]) for name in names]  # type: ignore[name-defined]

    def desc(self, device: int) -> Any:
        """The core's descriptor."""
        flags = _e.VD_FFT_CONVOLVE if self.convolve else 0
        flags |= _e.VD_FFT_OUT_OF_PLACE if self.out_of_place else 0
        kind = _e.VD_FFT_KIND_C2C if not self.real else _e.VD_FFT_KIND_C2R if self.inverse else _e.VD_FFT_KIND_R2C
        number = TYPE_OF[self.var_type]
        part = TYPE_OF[self.var_type.child_type]
        types = {"in_type": number, "out_type": number, "compute_type": number}
        if self.real:
            types["out_type" if self.inverse else "in_type"] = part
        inverse = self.inverse and not self.real
        return _native.raw.vd_fft_desc(
            kind=kind,
            direction=_e.VD_FFT_DIRECTION_INVERSE if inverse else _e.VD_FFT_DIRECTION_FORWARD,
            flags=flags,
            norm=_e.VD_FFT_NORM_INVERSE if self.normalize else _e.VD_FFT_NORM_NONE,
            rank=len(self.shape),
            axis_count=len(self.axes),
            shape=list(self.shape),
            axes=list(self.axes),
            device=device,
            **types,
            **self._ranges(),
        )

    def _ranges(self) -> dict[str, list[int]]:
        # The padding is what is zero, a range what is not: it goes around the end where the padding is in the middle.
        if self.padding is None:
            return {}
        low, high = [0], [0]
        for n, axis, (first, end) in zip(self.shape[1:], range(1, len(self.shape)), self.padding, strict=True):
            empty = axis not in self.axes or first >= end
            low.append(0 if empty or end >= n else end)
            high.append(0 if empty else first)
        side = "in" if self.inverse == self.pad_frequency_domain else "out"
        return {f"{side}_low": low, f"{side}_high": high}


class VkFFTFunction(GeneratedFunction):
    """One of its transforms, built for a context when it is first needed."""

    def __init__(self, request: Request):
        super().__init__("vkfft", request.arguments())
        self.request = request

    def _make_plan(self, context: Context, device: int) -> Any:
        return _native.raw.vd_plan_create_vkfft(context._pointer, self.request.desc(device))

    def __call__(self, *args: Any, graph: Any = None) -> None:
        """Record the transform into `graph`, else into the thread's graph."""
        self._record(args, graph)
