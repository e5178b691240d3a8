"""The core's remarks about the order of a kernel's registers, as warnings at the user's lines.

A register holds another element of its line before a transform than after it. The core follows what becomes of them while the
kernel is traced. Loops over elements are Python's: one that is left before its end leaves registers as they were, an error.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from .. import _native
from ..base.remarks import Place, caller, warn_at
from .config import FFTConfig

_e = _native.enums


@dataclasses.dataclass
class _Loop:
    """Elements being gone through."""

    place: Place
    element: int = -1
    count: int = 0


class OrderRemarks:
    """The remarks of a transform inside a kernel, and its loops over elements."""

    def __init__(self, config: FFTConfig, builder: Any, block: Any):
        self._count = 2 * len(config.stages)
        self._builder = builder
        self._block = block
        self._loop: _Loop | None = None
        self._last: Place | None = None  # where the last loop began
        self._left: str | None = None

    # ---- Loops

    @property
    def in_loop(self) -> bool:
        """Whether elements are being gone through."""
        return self._loop is not None

    def begin(self) -> None:
        """Elements are gone through from here on."""
        self.check_loops()
        self._last = caller()
        self._loop = _Loop(self._last)

    def element(self, number: int, count: int) -> None:
        """The next of them."""
        assert self._loop is not None
        self._loop.element, self._loop.count = number, count
        self.tell()

    def end(self) -> None:
        """There are no more."""
        self.tell()
        self._loop = None

    def leave(self) -> None:
        """The loop over them was left."""
        loop, self._loop = self._loop, None
        if loop is not None and loop.element + 1 < loop.count:
            self._left = (
                f"The loop over the elements of a transform at {loop.place.file}:{loop.place.line} was left after {loop.element + 1} of "
                f"{loop.count}: the other registers keep what they had. Go through all of them; vc.if_block leaves out what "
                "need not be done."
            )

    def check_loops(self) -> None:
        """RuntimeError if a loop over elements was left, or is not at its end."""
        if self._loop is not None:
            self.leave()
        if self._left is not None:
            raise RuntimeError(self._left)

    # ---- Remarks

    def tell(self, call: str = "this call") -> None:
        """Warn of new remarks of the core. `call` describes the program's call."""
        while (remark := _native.raw.vd_fft_block_take_remark(self._block)).kind:
            if remark.kind == _e.VD_FFT_BLOCK_REMARK_MIXED:
                warn_at(
                    self._builder.places.get(remark.location) or caller(),
                    f"fft_context: registers in {self._text(remark.found)} and registers in {self._text(remark.wanted)} are put "
                    "together here, which are other elements of the line: ctx.register_shuffle() brings what execute() left into the "
                    "order of inputs",
                )
                continue
            wanted = self._text(remark.wanted)
            if remark.kind == _e.VD_FFT_BLOCK_REMARK_ELEMENTS and self._last is not None:
                place, what = self._last, f"this loop goes through registers in {wanted}"
            else:
                place, what = caller(), f"{call} takes registers in {wanted}"
            self._warn(place, what, remark.found, remark.wanted)

    def _text(self, order: int) -> str:
        if order in (0, self._count - 1):
            return "the order of outputs" if order else "the order of inputs"
        return f"the order of stage {order // 2}'s {'outputs' if order % 2 else 'inputs'}"

    def _warn(self, place: Place, what: str, found: int, wanted: int) -> None:
        left = " that execute() left" if found == self._count - 1 else ""
        cure = ""
        if wanted == 0 and found % 2:
            stage = "" if found == self._count - 1 else f"output_stage={found // 2}"
            cure = f": call ctx.register_shuffle({stage}) before"
        elif wanted == self._count - 1 and found == 0:
            cure = (
                ": call ctx.execute() before; to store them as they are, go through ctx.reads_iter() and store op.register at "
                "op.io_index"
            )
        warn_at(place, f"fft_context: {what}, and these are in {self._text(found)}{left}{cure}")
