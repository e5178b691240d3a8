"""Reads of a trace's formulas, and later stores to the same memory: where by-name values are not what a program meant.

A formula is evaluated by each statement that uses it. So `x = data[i]; data[i] = 0; out[i] = x` stores 0, and
`a[:], b[:] = b, a` stores b twice. Both are what the language says, and mostly not what was meant: a warning says so.

Each variable knows its reads: which elements and registers its formula loads, and when it was written down. A store
notes when an element changed. A statement that uses a formula compares the two. Accesses that cannot be followed cause
no warning.
"""

from __future__ import annotations

import ast
import contextlib
import linecache
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

from ..base.remarks import Place, warn_at

if TYPE_CHECKING:
    from .trace import Trace


class Target(Protocol):
    """A variable that can be stored to."""

    _builder: Trace
    _value: int
    _reads: tuple[Read, ...]


#: An access: (buffer, index, components, number of stores by then, place, open branches). A register is a buffer with index 0.
Access = tuple[int, int, tuple[Any, ...], int, int, Any]
Read = Access

# A formula that reads more is followed by these alone, and an element that is stored to more often by the last ones.
_MOST_READS = 8
_MOST_STORES = 32


def join_reads(a: tuple[Read, ...], b: tuple[Read, ...]) -> tuple[Read, ...]:
    """The reads of a formula of two others."""
    if not a or a is b:
        return b
    if not b:
        return a
    return (a + tuple([read for read in b if read not in a]))[:_MOST_READS]


def reads_of(*values: Any) -> tuple[Read, ...]:
    """The reads of a formula of variables; numbers among them read nothing."""
    found: tuple[Read, ...] = ()
    for value in values:
        found = join_reads(found, getattr(value, "_reads", ()))
    return found


class Hazards:
    """The stores of one trace so far, and which buffers are indexed by nothing but the invocation's number."""

    __slots__ = (
        "_arguments", "_branches", "_by_number", "_changed", "_choosing", "_closed", "_ifs", "_in_statement", "_left", "_stored",
        "_stored_at", "_stored_by", "_stores", "_texts", "_told", "number_vector", "numbers",
    )  # fmt: skip

    def __init__(self) -> None:
        self._stores = 0  # so far: the time of a read or store
        self._stored: dict[int, list[Access]] = {}  # of each buffer
        self._texts: dict[int, str] = {}  # of indices
        self._branches: tuple[tuple[int, int], ...] = ()  # that are open: number of the if, number of the branch
        self._left: set[tuple[int, int]] = set()  # those which end in a return, break or continue
        self._ifs = 0
        self._closed = (0, 0)
        self._choosing = 0  # the if whose next branch's condition is written
        # Place and instruction of the last store, and all that its statement stored to.
        self._stored_at = self._stored_by = 0
        self._in_statement: list[Read] = []
        self._told: set[int] = set()  # places

        #: Values that are the invocation's number along x.
        self.numbers: set[int] = set()
        #: The vector that the number is a component of.
        self.number_vector = 0
        # Buffer -> the argument that it is, and the numbers by which every invocation indexes it.
        self._arguments: dict[int, str] = {}
        self._by_number: dict[int, set[int]] = {}
        self._changed: set[int] = set()

    # ---- Branches

    def open_branch(self, next_of_chain: bool = False, left: bool = False) -> None:
        """A block begins; or the next branch of the if whose block was closed last (`left`), or is open."""
        if next_of_chain:
            number, branch = self._closed
            if not left:
                *_, (number, branch) = self._branches
                self._branches = self._branches[:-1]
            self._branches += ((number, branch + 1),)
        else:
            self._ifs += 1
            self._branches += ((self._ifs, 0),)

    def close_branch(self) -> None:
        """A block ends."""
        self._closed = self._branches[-1]
        self._branches = self._branches[:-1]

    @contextlib.contextmanager
    def choosing(self, left: bool) -> Iterator[None]:
        """Around the condition of an else-if, which is asked for where no branch before was taken."""
        self._choosing = (self._closed if left else self._branches[-1] if self._branches else (0, 0))[0]
        try:
            yield
        finally:
            self._choosing = 0

    def note_leaving(self) -> None:
        """The invocations that are here go elsewhere: what they stored is not before what follows the block."""
        self._left.add(self._branches[-1] if self._branches else (0, 0))

    def _excluded(self, branches: tuple[tuple[int, int], ...]) -> bool:
        """Whether events on these branches cannot precede the present place."""
        here = dict(self._branches)
        return any(
            here.get(number, branch) != branch
            or number == self._choosing
            or (number, branch) in self._left
            and number not in here
            for number, branch in branches
        )

    # ---- Reads and stores

    def element(self, buffer: int, index: int, at: int, argument: str | None) -> tuple[Read, ...]:
        """The reads of an element of a buffer that is named now."""
        if index in self.numbers and argument is not None:
            self._arguments[buffer] = argument
        return ((buffer, index, (), self._stores, at, ()),)

    def note_use(self, builder: Any, reads: tuple[Read, ...]) -> None:
        """A statement evaluates a formula."""
        for read in reads:
            index = read[1]
            if not index:
                continue
            if index in self.numbers:
                self._note_plain(builder, read[0], index)
            stored = self._stored.get(read[0])
            if stored is not None and stored[-1][3] > read[3]:
                self._check_read(builder, read, stored)

    def _check_read(self, builder: Any, read: Read, stored: list[Access]) -> None:
        _, index, parts, before, read_at, _ = read
        for _, other, components, number, at, branches in reversed(stored[-_MOST_STORES:]):
            if number <= before:
                return
            if _overlap(parts, components) and self._same(builder, index, other) and not self._excluded(branches):
                return self._tell_overwritten(builder, read_at, at)

    def _same(self, builder: Any, a: int, b: int) -> bool:
        """Whether two indices are the same formula. The core keeps one for each line that writes it down."""
        if a == b:
            return True
        for value in (a, b):
            if value not in self._texts:
                self._texts[value] = builder.describe(value)
        return self._texts[a] == self._texts[b]

    def note_store(self, target: Target, at: int, reads: tuple[Read, ...] = ()) -> None:
        """A statement at a place stores a formula with these reads to an element, a register, or a component of one."""
        builder, value = target._builder, target._value
        instruction = builder.last_instruction
        further = self._stored_at == at and instruction > self._stored_by  # store of one statement
        if reads:
            self.note_use(builder, reads)
            if further:
                self._check_statement(builder, reads, at)
        access = target._reads[0] if target._reads else (value, 0, (), 0, 0, ())
        buffer, index, parts, *_ = access
        if index:
            if index in self.numbers:
                self._note_plain(builder, buffer, index)
            self._stores += 1
            access = (buffer, index, parts, self._stores, at, self._branches)
            target._reads = (access,)  # who stores by this name means the element by it, and no value
            if buffer in self._stored:
                self._stored[buffer].append(access)
            else:
                self._stored[buffer] = [access]
        elif value in self.numbers:  # something else from now on, and in a loop before that, too
            self.numbers.discard(value)
            self._changed.add(value)
        if further:
            self._in_statement.append(access)
        else:
            self._in_statement, self._stored_at = [access], at
        self._stored_by = instruction

    def _check_statement(self, builder: Any, reads: tuple[Read, ...], at: int) -> None:
        """Warn of `a[:], b[:] = b, a`, whose second store finds what the first one left."""
        lost = any(
            read[0] == stored[0] and _overlap(read[2], stored[2]) and self._same(builder, read[1], stored[1])
            for read in reads
            for stored in self._in_statement
        )
        place = builder.places.get(at)
        if lost and place is not None and _assigns_several(place):
            self._tell(
                place,
                at,
                "The stores of this assignment are done one after the other, and a later one takes what an earlier one has stored: "
                "names stand for formulas. Keep the old value before: old = value.to_register()",
            )

    # ---- Buffers that are indexed by the invocation's number

    def _note_plain(self, builder: Any, buffer: int, number: int) -> None:
        if not self._left and builder.is_unconditional():
            self._by_number.setdefault(buffer, set()).add(number)

    def indexed_by_number(self) -> frozenset[str]:
        """The buffer arguments that every invocation indexes by its number along x."""
        found = (buffer for buffer, numbers in self._by_number.items() if numbers - self._changed)
        return frozenset(self._arguments[buffer] for buffer in found if buffer in self._arguments)

    # ---- Words

    def _tell_overwritten(self, builder: Any, read_at: int, stored_at: int) -> None:
        here = builder.location()
        read, stored, used = (builder.places.get(at) for at in (read_at, stored_at, here))
        if read is None or stored is None or used is None or read_at == stored_at == here:
            return  # the last is an assignment of several, or a loop of Python's in one line
        self._tell(
            used,
            here,
            f"What line {read.line} reads from memory is overwritten in line {stored.line} before line {used.line} uses it, and so "
            f"the new contents are used: a name stands for a formula. .to_register() in line {read.line} keeps the old ones",
        )

    def _tell(self, place: Place, at: int, message: str) -> None:
        if at not in self._told:
            self._told.add(at)
            warn_at(place, f"{message} ({place.file}:{place.line}).")


def _overlap(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    """Whether one of two paths of components is the other, or leads to it."""
    return not a or not b or all(x == y for x, y in zip(a, b, strict=False))


def _assigns_several(place: Place) -> bool:
    """Whether the statement in a line is one assignment to several targets; False where there is no source."""
    text = ""
    for line in range(place.line, place.line + 8):
        text += linecache.getline(place.file, line, place.scope)
        try:
            statements = ast.parse(textwrap.dedent(text).strip()).body
        except SyntaxError:
            continue
        return any(
            isinstance(s, ast.Assign) and any(isinstance(t, ast.Tuple | ast.List) for t in s.targets)
            for s in statements
        )
    return False
