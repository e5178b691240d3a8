"""The order that the registers of a kernel are in, followed while the kernel is traced.

A register holds another element of its line before a transform than after it, and the core is told which by its caller.
So every store, load and branch of the trace is looked at on its way into the core: of each register is known in which order
it was filled, of each value from which registers it was computed, and whether from a place in the line. Where registers are
used for other places than theirs, a warning says so at the user's line. What cannot be known (numbers from elsewhere,
branches that disagree) is right, and so is what does the same to all registers, in whatever order it comes to them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

from .. import _native
from ..base.remarks import Place, caller, warn_at, warn_caller
from ..codegen.functions.atomics import ATOMICS
from ..codegen.global_builder import get_builder
from .config import FFTConfig

_e = _native.enums
_LOOPS = (_e.VD_OP_WHILE, _e.VD_OP_LOOP, _e.VD_OP_FOR)
# (register, order) of what went into a value; or one of these: the place of the element being gone through, and a register
# of no known order.
_Sources = frozenset[tuple[int, int]]
_NOTHING: _Sources = frozenset()
_PLACE, _UNKNOWN = (-1, -1), (-2, -2)


@dataclasses.dataclass
class _Frame:
    """A block of code that is open."""

    op: int
    before: dict[int, int | None]  # the orders when it was opened
    ends: list[dict[int, int | None]] = dataclasses.field(default_factory=list)  # of its branches so far
    complete: bool = False  # whether one of its branches runs in any case
    partly: bool = False  # whether it counts as one that has stored the element


@dataclasses.dataclass
class _Walk:
    """Elements being gone through."""

    order: int
    place: Place
    element: int = -1
    count: int = 0
    told: bool = False
    # Of the element:
    partly: int = 0  # branches alone that have stored it
    placed: bool = False  # whether its place in the line matters
    found: int | None = None  # the order of what it was taken from, if that is another


class RegisterOrder:
    """What is known of the registers of the kernel being traced."""

    def __init__(self, config: FFTConfig):
        self._config = config
        self._count = 2 * len(config.stages)
        #: (reference of a register: the order that it is in, None where that is not known or does not matter).
        self._orders: dict[int, int | None] = {}
        self._index: dict[int, int] = {}  # number of a register in its set
        self._roots: dict[int, int] = {}  # a component: its variable
        self._sources: dict[int, _Sources] = {}  # of values
        self._variables: dict[int, _Sources] = {}  # of what the user's variables hold
        self._places: dict[int, list[int | None]] = {}  # of the orders
        self._frames: list[_Frame] = []
        self._closed: _Frame | None = None
        self._walk: _Walk | None = None
        self._left: str | None = None
        self._mixed = False
        self._builder: Any = None
        self._core: Any = None

    # ---- What the parts of a transform say

    def add(self, registers: Sequence[Any]) -> None:
        """Follow these registers, too. They are new, so that their zeros are in any order."""
        if self._core is None:
            self._builder = get_builder()
            self._core, self._builder.emit = self._builder.emit, self._emit
        for i, register in enumerate(registers):
            self._orders[register._value] = None
            self._index[register._value] = i

    def expect(self, registers: Sequence[Any], order: int, what: str) -> None:
        """`what` takes registers in this order: a warning where they are in another."""
        wanted = order % self._count
        for register in registers[: self._slots(wanted)]:
            found = self._orders.get(register._value)
            if found is not None and not self._same(found, wanted):
                self._tell(caller(), f"{what} takes registers in {self._text(wanted)}", found, wanted)
                for known in registers:
                    self._orders[known._value] = None  # it is said once
                return

    def became(self, registers: Sequence[Any], order: int) -> None:
        """The registers are in this order now."""
        now = order % self._count
        for i, register in enumerate(registers):
            self._orders[register._value] = now if i < self._slots(now) else None

    def begin(self, order: int) -> None:
        """Elements of an order are gone through from here on."""
        self.check_walks()
        self._walk = _Walk(order % self._count, caller())

    def element(self, number: int, count: int, position: int) -> None:
        """The next of them, and the value that is its place in the line."""
        walk = self._walk
        assert walk is not None
        self._end_element(walk)
        walk.element, walk.count, walk.partly, walk.placed, walk.found = number, count, 0, False, None
        self._sources[position] = frozenset([_PLACE])

    def end(self) -> None:
        """There are no more."""
        assert self._walk is not None
        self._end_element(self._walk)
        self._walk = None

    def leave(self) -> None:
        """The loop over them was left."""
        walk, self._walk = self._walk, None
        if walk is not None and walk.element + 1 < walk.count:
            self._left = (
                f"The loop over the elements of a transform at {walk.place.file}:{walk.place.line} was left after {walk.element + 1} of "
                f"{walk.count}: the other registers keep what they had. Go through all of them; vc.if_block leaves out what "
                "need not be done."
            )

    def derive(self, value: int, source: int) -> None:
        """The core has made a value of another, which the trace does not show."""
        self._made(value, self._read([source]))

    def check_walks(self) -> None:
        """RuntimeError if a loop over elements was left, or is not at its end."""
        if self._walk is not None:
            self.leave()
        if self._left is not None:
            raise RuntimeError(self._left)

    @property
    def depth(self) -> int:
        """How many branches and loops are open: what stands there may not be done."""
        return sum(kind != "scope" for kind in self._builder._blocks)

    # ---- What the trace does

    def _emit(self, op: int, type: int, immediate: int, location: int, *operands: int) -> int:
        value = self._core(op, type, immediate, location, *operands)
        if op == _e.VD_OP_STORE:
            target, sources = operands[0], self._read(operands[1:])
            self._stored(target, sources)
            self._used(sources | self._sources.get(target, _NOTHING))
        elif op == _e.VD_OP_INDEX:
            root = self._roots.get(operands[0], operands[0])
            if root in self._orders or root in self._variables:
                self._roots[value] = root
            else:
                self._made(value, self._read(operands))
        elif op == _e.VD_OP_VAR:
            self._variables[value] = self._read(operands)
        elif op in (_e.VD_OP_IF, _e.VD_OP_SCOPE, *_LOOPS):
            self._used(self._read(operands))
            self._frames.append(_Frame(op, dict(self._orders)))
        elif op in (_e.VD_OP_ELSE, _e.VD_OP_ELSE_IF):
            self._used(self._read(operands))
            self._branch(bool(immediate), op == _e.VD_OP_ELSE)
        elif op == _e.VD_OP_END:
            self._close()
        else:
            sources = self._read(operands)
            self._made(value, sources)
            if op in ATOMICS:
                self._used(sources)
        return value

    def _made(self, value: int, sources: _Sources) -> None:
        if sources:
            self._sources[value] = sources
        else:
            self._sources.pop(value, None)

    def _read(self, values: Iterable[int]) -> _Sources:
        """What went into values that are used now."""
        found = _NOTHING
        for value in values:
            root = self._roots.get(value, value)
            if root in self._orders:
                order = self._orders[root]
                self._loaded(self._index[root], order)
                found |= {(self._index[root], order) if order is not None else _UNKNOWN}
            else:
                found |= self._variables.get(root) or self._sources.get(value, _NOTHING)
        return found

    def _loaded(self, index: int, order: int | None) -> None:
        walk = self._walk
        if walk is None or index != walk.element or order is None or self._same(order, walk.order):
            return
        walk.found = order
        self._compare(walk)

    def _used(self, sources: _Sources) -> None:
        if self._walk is not None and _PLACE in sources:
            self._walk.placed = True
            self._compare(self._walk)

    def _compare(self, walk: _Walk) -> None:
        if walk.placed and walk.found is not None and not walk.told:
            walk.told = True
            self._tell(
                walk.place, f"this loop goes through registers in {self._text(walk.order)}", walk.found, walk.order
            )

    def _stored(self, target: int, sources: _Sources) -> None:
        root = self._roots.get(target, target)
        if root in self._variables:
            self._variables[root] |= sources
        if root not in self._orders:
            return
        orders = self._different({order for _, order in sources - {_PLACE, _UNKNOWN}})
        if self._walk is not None and self._index[root] == self._walk.element and (_PLACE in sources or not sources):
            self._orders[root] = self._walk.order
            return
        self._orders[root] = orders[0] if len(orders) == 1 else None
        if self._mixed or len(orders) < 2:
            return
        if any(len(self._different({o for i, o in sources if i == number})) > 1 for number, _ in sources):
            self._mixed = True
            a, b = orders[:2]
            warn_caller(
                f"fft_context: registers in {self._text(a)} and registers in {self._text(b)} are put together here, which are "
                "other elements of the line: ctx.register_shuffle() brings what execute() left into the order of inputs"
            )

    # ---- Blocks of code

    def _branch(self, again: bool, last: bool) -> None:
        """The next branch of the `if` that is open, or `again` of the one that was closed last."""
        if again and self._closed is not None:
            frame = self._closed
            self._frames.append(frame)
            if frame.partly and self._walk is not None:
                frame.partly = False
                self._walk.partly -= 1
        else:
            if not self._frames:
                return
            frame = self._frames[-1]
            frame.ends.append(dict(self._orders))
        frame.complete |= last
        self._orders = {**self._orders, **frame.before}

    def _close(self) -> None:
        if not self._frames:  # opened before there were registers
            return
        frame = self._frames.pop()
        if frame.op == _e.VD_OP_SCOPE:
            return
        frame.ends.append(dict(self._orders))
        self._closed = frame
        ends = frame.ends if frame.complete else [*frame.ends, frame.before]
        for register in self._orders:
            orders = {end[register] for end in ends if register in end}
            if len(orders) > 1:
                self._orders[register] = None
                self._note_partial(register, frame)

    def _note_partial(self, register: int, frame: _Frame) -> None:
        """An element that is stored in some cases alone keeps in the others what it was."""
        walk, before = self._walk, frame.before.get(register)
        if walk is None or self._index[register] != walk.element or before is None or self._same(before, walk.order):
            return
        if not frame.partly:
            frame.partly = True
            walk.partly += 1
        # One case after another: none is left, for all that is known.
        self._orders[register] = before if walk.partly == 1 else walk.order

    def _end_element(self, walk: _Walk) -> None:
        if walk.partly != 1:
            return
        for register, order in self._orders.items():
            if self._index[register] == walk.element and order is not None and not self._same(order, walk.order):
                walk.found = order
                self._compare(walk)

    # ---- Orders

    def _slots(self, order: int) -> int:
        return self._config.stages[order // 2].register_count

    def _same(self, a: int, b: int) -> bool:
        return a == b or self._positions(a) == self._positions(b)

    def _positions(self, order: int) -> list[int | None]:
        """Where in the line each register of each thread is."""
        if order not in self._places:
            self._places[order] = self._places_of(order)
        return self._places[order]

    def _places_of(self, order: int) -> list[int | None]:
        config = self._config
        number, outputs = divmod(order, 2)
        stage, threads = config.stages[number], config.batch_threads
        all_of: list[int | None] = []
        for slot in range(stage.register_count):
            instance, part = divmod(slot, stage.fft_length)
            for butterfly in range(instance * threads, (instance + 1) * threads):
                j = butterfly % stage.input_stride
                if butterfly >= stage.butterflies:
                    all_of.append(None)
                elif outputs and number + 1 < len(config.stages):
                    all_of.append((butterfly - j) * stage.fft_length + j + part * stage.input_stride)
                else:
                    all_of.append(butterfly + part * stage.butterflies)
        return all_of

    def _different(self, orders: set[int]) -> list[int]:
        """Some orders, each once."""
        kept: list[int] = []
        for order in sorted(orders):
            if not any(self._same(order, other) for other in kept):
                kept.append(order)
        return kept

    def _text(self, order: int) -> str:
        if order in (0, self._count - 1):
            return "the order of outputs" if order else "the order of inputs"
        return f"the order of stage {order // 2}'s {'outputs' if order % 2 else 'inputs'}"

    def _tell(self, place: Place, what: str, found: int, wanted: int) -> None:
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
