"""The bytes of constants: specialisation constants, and push constants.

Lists become the types that the shader declares. Arrays are their own bytes where both sides of a call are arrays, as in
Kompute; else each is a list. `bytes` and records are taken as they are.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from ..base.spirv import SpirvInfo
from ..base.words import bracketed, shown
from ..compat import numpy_compat as npc
from .errors import invalid, list_of
from .log import logger

#: Letters of `struct` for the scalars of reflection.
LETTERS = {"i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I", "u64": "Q"}
LETTERS |= {"f16": "e", "f32": "f", "f64": "d", "bool": "I"}
#: Types whose arrays are taken as bytes, whatever the shader declares.
_PLAIN = ("float32", "int32", "uint32", "float64")
#: NumPy's names of scalars whose arrays are taken as bytes.
_NUMPY = {"f32": "float32", "i32": "int32", "u32": "uint32"}
#: Their names by NumPy's letters, since NumPy takes a microsecond for a name.
_NAMES = {"f": "float32", "i": "int32", "I": "uint32", "d": "float64"}


class Given(NamedTuple):
    """Constants of a call: values to convert, or bytes, of elements of a type, to take as they are."""

    values: list[Any] | None = None
    raw: bytes = b""
    kind: str = ""  # NumPy's name of the elements of an array

    @property
    def empty(self) -> bool:
        """Whether there are none."""
        return not self.values and not self.raw


def _is_array(given: Any) -> bool:
    np = npc.numpy_module()
    return np is not None and isinstance(given, np.ndarray)


def _is_raw(given: Any) -> bool:
    """Whether it is bytes by its nature: `bytes`, or an array of records."""
    return isinstance(given, (bytes, bytearray, memoryview)) or (_is_array(given) and given.dtype.names is not None)


def _floats(given: Any) -> bool:
    """Whether Kompute takes an array for a list of Python's floats."""
    return bool(given.size == 0 or given.dtype.char == "d")


def given_constants(spec: Any, push: Any, what: str) -> tuple[Given, Given]:
    """Both kinds of constants of a call."""
    arrays = _is_array(spec) and _is_array(push) and not (_floats(spec) and _floats(push))
    return _given(spec, arrays, f"{what}: spec_consts"), _given(push, arrays, f"{what}: push_consts")


def given_push(push: Any, what: str) -> Given:
    """The push constants of a dispatch: of an array of any type but float64 the bytes."""
    return _given(push, _is_array(push) and not _floats(push), f"{what}: push_consts")


def _no_dtype(dtype: Any, what: str, declared: Iterable[str] = ()) -> Exception:
    """The error about an array's elements; it says how to give numbers where a shader declares some scalars."""
    call, _, name = what.rpartition(": ")
    cure = ""
    if _scalar_of(str(dtype)) or dtype == "bool":
        types = sorted({_NUMPY[scalar] for scalar in declared if scalar in _NUMPY}) or ["float32", "int32", "uint32"]
        named = " or ".join(f"np.{one}" for one in types)
        cure = f"; an array of {named} is taken as its bytes, and a list, as array.tolist(), as numbers"
    return invalid(f"{call}: no valid dtype supported for {name} ({dtype}){cure}")


def _refuse_dtype(given: Any, what: str) -> None:
    """RuntimeError for records with addresses of Python's objects in them, and for dates, which item() makes numbers."""
    dtype: Any = getattr(given, "dtype", None)
    kind = getattr(dtype, "kind", "")
    if kind in ("m", "M") or (kind == "V" and dtype.hasobject):
        raise _no_dtype(dtype, what)


def _given(given: Any, as_bytes: bool, what: str) -> Given:
    if _is_array(given):
        _refuse_dtype(given, what)
    if _is_raw(given):
        try:
            if isinstance(given, memoryview) and "O" in given.format:
                raise _no_dtype("object", what)
            return Given(None, given.tobytes() if hasattr(given, "tobytes") else bytes(given), "bytes")
        except ValueError as error:  # a memoryview that was released
            raise TypeError(f"{what} cannot be read: {error}: incompatible function arguments") from None
    if as_bytes and _is_array(given):
        if not given.size:
            return Given([])
        native = given if given.dtype.isnative else given.astype(given.dtype.newbyteorder("="))
        return Given(None, native.tobytes(), _NAMES.get(native.dtype.char) or str(native.dtype.name))
    if isinstance(given, dict):
        raise TypeError(
            f"{what} {bracketed(given)} must be a list or an array of numbers: incompatible function arguments"
        )
    flat = given.reshape(-1).tolist() if _is_array(given) else given
    found = list_of(flat, what, "a list or an array of numbers")
    values = []
    for value in found:
        if hasattr(value, "item"):
            _refuse_dtype(value, what)
            value = value.item()
        values.append(value)
        if not isinstance(value, (int, float, bool)):
            raise TypeError(f"{what} has {shown(value)}, which is no number: incompatible function arguments")
    return Given(values)


def packed(value: Any, scalar: str, what: str) -> bytes:
    """The bytes of a number of a list as a scalar: fractions are cut off, and integers wrap."""
    letter = LETTERS.get(scalar, "f")
    if letter in "efd":
        try:
            return struct.pack("<" + letter, _float(value))
        except OverflowError:
            return struct.pack("<" + letter, math.inf if value > 0 else -math.inf)
    if scalar == "bool":
        return struct.pack("<I", int(bool(value)))
    if value - value != 0:
        raise invalid(f"{what}: the value {shown(value)} is no integer, and the shader declares {scalar} there")
    size = struct.calcsize("<" + letter)
    return (int(value) & ((1 << (8 * size)) - 1)).to_bytes(size, "little")


def packed_all(values: Iterable[tuple[Any, str]], what: str) -> list[bytes]:
    """The bytes of each number of a list as its scalar. A warning tells of those that become other numbers."""
    made, changed = [], []
    for value, scalar in values:
        data = packed(value, scalar, what)
        made.append(data)
        if scalar == "bool":
            continue
        taken = struct.unpack("<" + LETTERS.get(scalar, "f"), data)[0]
        if taken != value and (isinstance(taken, int) or math.isinf(taken)):
            changed.append(f"{shown(value)} becomes {taken} ({scalar})")
    if changed:
        more = ", ..." if len(changed) > 8 else ""
        logger.warning("%s: numbers that do not fit what the shader declares: %s%s", what, ", ".join(changed[:8]), more)
    return made


def numbers_of(given: Given) -> list[float]:
    """The constants of a call as numbers; those of bytes as words of 4."""
    if given.values is not None:
        return [_float(value) for value in given.values]
    scalar = "u32" if given.kind == "bytes" else _scalar_of(given.kind)
    letter = LETTERS[scalar] if scalar else "B"
    whole = len(given.raw) - len(given.raw) % struct.calcsize("<" + letter)
    return [float(value) for (value,) in struct.iter_unpack("<" + letter, given.raw[:whole])]


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


# ---- Specialisation constants


def spec_bits(given: Given, info: SpirvInfo, warn: Callable[[str], None], what: str) -> list[tuple[int, int]]:
    """Number and bits of each constant: value i is that of constant_id i."""
    if given.empty and given.values is not None:
        return []
    declared = {constant.id: constant.type for constant in info.spec_constants}
    if given.values is None:
        block = _spec_block(given, declared)
        if block is not None:
            return block
    widths = {struct.calcsize("<" + LETTERS[kind]) for kind in declared.values()}
    values = given.values if given.values is not None else _spec_values(given, widths, what)
    what_consts = f"{what}: spec_consts"
    known = [(number, value, declared[number]) for number, value in enumerate(values) if number in declared]
    if given.values is not None:
        blocks = packed_all(((value, scalar) for _, value, scalar in known), what_consts)
    else:
        blocks = [_as_declared(value, scalar, what_consts) for _, value, scalar in known]
    bits = [(number, int.from_bytes(data, "little")) for (number, _, _), data in zip(known, blocks, strict=True)]
    unused = [str(number) for number in range(len(values)) if number not in declared]
    if unused:
        more = ", ..." if len(unused) > 8 else ""
        warn(
            f"{what}: the shader declares no constant_id {', '.join(unused[:8])}{more}: {len(unused)} of {len(values)} spec_consts "
            "are not used"
        )
    return bits


def _spec_block(given: Given, declared: dict[int, str]) -> list[tuple[int, int]] | None:
    """The constants one after the other, of bytes or 4-byte words that are as long as all of them: so records with constants of
    8 bytes come as words. None where the bytes are no such block."""
    numbers = range(max(declared, default=-1) + 1)
    sizes = [struct.calcsize("<" + LETTERS[declared[number]]) if number in declared else 4 for number in numbers]
    if given.kind not in ("bytes", "uint32", "int32", "float32") or 8 not in sizes or len(given.raw) != sum(sizes):
        return None
    bits, at = [], 0
    for number, size in enumerate(sizes):
        if number in declared:
            bits.append((number, int.from_bytes(given.raw[at : at + size], "little")))
        at += size
    return bits


def _spec_values(given: Given, widths: set[int], what: str) -> list[tuple[str, bytes]]:
    """The elements of an array, each as its type and bytes."""
    if given.kind == "bytes":
        if len(given.raw) % 4:
            raise invalid(f"{what}: spec_consts has {len(given.raw)} bytes, which is no whole number of words of 4")
        return [("u32", given.raw[at : at + 4]) for at in range(0, len(given.raw), 4)]
    scalar = _scalar_of(given.kind)
    size = struct.calcsize("<" + LETTERS[scalar]) if scalar else 0
    if not scalar or (given.kind not in _PLAIN and size not in widths):
        raise _no_dtype(given.kind, f"{what}: spec_consts")
    return [(scalar, given.raw[at : at + size]) for at in range(0, len(given.raw), size)]


def _scalar_of(kind: str) -> str:
    """Reflection's name of NumPy's type; "" for others."""
    name = kind.replace("uint", "u").replace("int", "i").replace("float", "f")
    return name if name in LETTERS and name != "bool" else ""


def _as_declared(value: tuple[str, bytes], declared: str, what: str) -> bytes:
    """The bytes of an array's element, as they are; by its value where the constant has another width."""
    scalar, data = value
    if declared == "bool":
        return struct.pack("<I", int(any(data)))
    if len(data) == struct.calcsize("<" + LETTERS[declared]):
        return data
    return packed(struct.unpack("<" + LETTERS[scalar], data)[0], declared, what)


# ---- Push constants


class Slot(NamedTuple):
    """A scalar of the block of push constants."""

    offset: int
    scalar: str
    #: The member of the block that it belongs to.
    name: str = ""


def scalars_of(offset: int, kind: str, matrix_stride: int = 0, row_major: bool = False) -> list[Slot]:
    """The scalars of a scalar, a vector or a matrix, whose columns or rows have no gaps if `matrix_stride` is 0."""
    scalar, _, shape = kind.partition("m")
    if shape:
        columns, rows = (int(n) for n in shape.split("x"))
        lines, count = (rows, columns) if row_major else (columns, rows)
    else:
        scalar, _, length = kind.partition("x")
        lines, count = 1, int(length or 1)
    if scalar not in LETTERS:
        return []
    width = struct.calcsize("<" + LETTERS[scalar])
    stride = matrix_stride or count * width
    return [Slot(offset + line * stride + i * width, scalar) for line in range(lines) for i in range(count)]


def slots_of(info: SpirvInfo) -> list[Slot]:
    """The scalars that a shader declares in its block, in the order of their places."""
    found: list[Slot] = []
    for member in info.push_constants:
        array = bool(member.element and member.stride)
        for at in range(0, member.size, member.stride) if array else (0,):
            kind = member.element if array else member.type
            for slot in scalars_of(member.offset + at, kind, member.matrix_stride, member.row_major):
                found.append(slot._replace(name=member.name))
    return sorted(found)


def check_elements(given: Given, slots: Sequence[Slot], what: str) -> None:
    """RuntimeError for an array's bytes whose elements are no numbers that a block of such scalars may have."""
    if given.values is not None or given.kind == "bytes" or given.kind in _PLAIN:
        return
    scalar = _scalar_of(given.kind)
    widths = {struct.calcsize("<" + LETTERS[slot.scalar]) for slot in slots}
    if not scalar or struct.calcsize("<" + LETTERS[scalar]) not in widths:
        raise _no_dtype(given.kind, f"{what}: push_consts", [slot.scalar for slot in slots])


def push_bytes(given: Given, slots: Sequence[Slot], what: str) -> bytes:
    """The block of a call, from its first byte on; of a list each value in the type that stands where it comes to lie, which is
    float32 in a gap that has room for it."""
    if given.values is not None:
        places = _places(len(given.values), slots)
        typed = [(value, place.scalar) for value, place in zip(given.values, places, strict=True)]
        blocks = packed_all(typed, f"{what}: push_consts")
        block = bytearray(places[-1].offset + len(blocks[-1]) if places else 0)
        for place, data in zip(places, blocks, strict=True):
            block[place.offset : place.offset + len(data)] = data
        return bytes(block)
    check_elements(given, slots, what)
    return given.raw


class _Place(NamedTuple):
    """The bytes of a number of a list."""

    offset: int
    scalar: str
    #: The scalar behind the gap that it lies in, if it lies in one.
    before: Slot | None = None


def _places(count: int, slots: Sequence[Slot]) -> list[_Place]:
    """The places of as many numbers in a block."""
    places, at = [], 0
    left = iter(slots)
    slot = next(left, None)
    for _ in range(count):
        while slot is not None and slot.offset < at:
            slot = next(left, None)
        if slot is not None and slot.offset - at < 4:
            places.append(_Place(slot.offset, slot.scalar))
        else:
            places.append(_Place(at, "f32", slot))
        at = places[-1].offset + struct.calcsize("<" + LETTERS[places[-1].scalar])
    return places


def gap_remark(given: Given, slots: Sequence[Slot]) -> str:
    """The end of a message about a block of another size: the numbers of a list that lie in gaps; "" without such."""
    numbers: dict[Slot, list[int]] = {}
    first: dict[Slot, int] = {}
    for number, place in enumerate(_places(len(given.values or ()), slots)):
        if place.before is not None:
            numbers.setdefault(place.before, []).append(number)
            first.setdefault(place.before, place.offset)
    said = []
    for slot, found in list(numbers.items())[:3]:
        which = f"number {found[0]} lies" if len(found) == 1 else f"numbers {found[0]} to {found[-1]} lie"
        said.append(f"{which} in the gap before '{slot.name}' (bytes {first[slot]} to {slot.offset - 1})")
    return "".join(f"; {one}" for one in said)
