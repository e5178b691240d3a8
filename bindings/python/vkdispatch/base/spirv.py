"""Modules of SPIR-V, looked into without a device: bindings, push constants, specialisation constants, workgroup size.

Words that are no module are a `vd.CompileError` that names the word, an entry point that the module lacks is a ValueError
that lists those that it has. Numbers of capabilities and of kinds of bindings are those of SPIR-V and of ComputePlan.

Example:
    words = "7230203 10000 0 6 0 20011 1 3000e 0 1 5000f 5 4 6e69616d 0 60010 4 11 40 1 1 20013 2 30021 3 2 "
    words += "50036 2 4 0 3 200f8 5 100fd 10038"
    code = np.array([int(word, 16) for word in words.split()], np.uint32)  # of a file: open(path, "rb").read()
    module = vd.inspect_spirv(code)
    assert module.entry == "main" and module.workgroup_size == (64, 1, 1)
    assert not module.bindings and not module.uses_subgroups
"""

from __future__ import annotations

import dataclasses
import struct
from numbers import Number
from typing import Any

from .. import _native
from .words import shown

_enums = _native.enums
_SCALARS = ("", "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64")
#: Letters of `struct` for the scalars.
_LETTERS = {"i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I", "u64": "Q"}
_LETTERS |= {"f16": "e", "f32": "f", "f64": "d"}


def _text(pointer: Any) -> str:
    from .._native._load import ffi

    return ffi.string(pointer).decode("utf-8", "replace")


def type_name(bits: int) -> str:
    """A vd_type of a scalar, vector or matrix in words; "" for none."""
    scalar = _SCALARS[bits & 0xFF]
    shape, columns, rows = bits >> 8 & 0xF, bits >> 12 & 0xF, bits >> 16 & 0xF
    return scalar if shape == 0 else f"{scalar}x{columns}" if shape == 1 else f"{scalar}m{columns}x{rows}"


@dataclasses.dataclass(frozen=True)
class SpirvBinding:
    """A binding that a module declares."""

    #: Number of the descriptor set, and of the binding in it. A plan binds set 0 alone.
    set: int
    binding: int
    #: 1 storage buffer, 3 uniform block, 5 image with sampler, 6 storage image, 7 image without sampler, 8 sampler alone; a plan takes no others.
    kind: int
    name: str
    #: Number of descriptors of an array; 0 if it is not known.
    count: int
    #: Whether the entry point uses it.
    used: bool
    readable: bool
    writable: bool
    #: Bytes of a buffer, at least.
    size: int
    #: Dimensions of an image, whether it has layers, its channels ("f32") and its format's number (0: any).
    dimensions: int
    layers: bool
    channels: str
    format: int
    #: Type of the elements of a buffer that ends in an array ("f32"); "" for others.
    element: str = ""


@dataclasses.dataclass(frozen=True)
class SpirvPushConstant:
    """A member of the block of push constants. Members of structs in it are listed one by one, and so are the elements of
    arrays of structs or arrays: "lights[1].color"."""

    name: str
    offset: int
    size: int
    #: "f32x2" and the like; "" for others.
    type: str
    #: Whether the entry point uses it.
    used: bool
    #: Type of the elements of an array, and their distance in bytes; "" and 0 for others.
    element: str = ""
    stride: int = 0
    #: Distance of a matrix's columns in bytes, or of its rows where it has row after row in memory; 0 for others.
    matrix_stride: int = 0
    row_major: bool = False


@dataclasses.dataclass(frozen=True)
class SpirvConstant:
    """A specialisation constant."""

    id: int
    name: str
    type: str
    default: bool | int | float


@dataclasses.dataclass(frozen=True)
class SpirvInfo:
    """A module of SPIR-V, as one of its compute entry points sees it."""

    entry: str
    #: The names of all compute entry points.
    entries: tuple[str, ...]
    #: Version of SPIR-V, major and minor.
    version: tuple[int, int]
    workgroup_size: tuple[int, ...]
    #: Specialisation constant that gives the size on each axis, or None.
    workgroup_size_ids: tuple[int | None, ...]
    #: Bytes of shared memory of a workgroup, at least.
    shared_size: int
    #: Bytes up to the end of the last push constant that is used.
    push_constant_size: int
    push_constants: tuple[SpirvPushConstant, ...]
    bindings: tuple[SpirvBinding, ...]
    spec_constants: tuple[SpirvConstant, ...]
    capabilities: tuple[int, ...]
    uses_subgroups: bool


def value_of(bits: int, type_name: str) -> bool | int | float:
    """The value of a constant's bits."""
    if type_name == "bool":
        return bits != 0
    letter = _LETTERS[type_name]
    return struct.unpack("<" + letter, bits.to_bytes(8, "little")[: struct.calcsize(letter)])[0]


def bits_of(value: Any, type_name: str, what: str) -> int:
    """The bits of a value for a constant of a type. ValueError if it does not fit, TypeError if it is not a number."""
    if type_name == "bool":
        return int(bool(value))
    letter = _LETTERS[type_name]
    try:
        number = float(value) if letter in "efd" else value.__index__()
        return int.from_bytes(struct.pack("<" + letter, number), "little")
    except (AttributeError, TypeError, ValueError):
        raise TypeError(f"{what} ({value!r}) is not a number of type {type_name}") from None
    except (struct.error, OverflowError):
        raise ValueError(f"{what} ({value!r}) does not fit in {type_name}") from None


def _binding(info: Any) -> SpirvBinding:
    return SpirvBinding(
        set=info.set,
        binding=info.binding,
        kind=int(info.kind),
        name=_text(info.name),
        count=info.count,
        used=bool(info.used),
        readable=bool(info.access & _enums.VD_ARGUMENT_ACCESS_READ),
        writable=bool(info.access & _enums.VD_ARGUMENT_ACCESS_WRITE),
        size=info.size,
        dimensions=info.image_dimensions,
        layers=bool(info.image_layers),
        channels=type_name(info.type),
        format=int(info.image_format),
        element=type_name(info.element),
    )


def inspect_spirv(code: Any, entry: str | None = None) -> SpirvInfo:
    """Look into a module of SPIR-V. `entry` names a compute entry point: without it "main", or the only one."""
    if isinstance(code, (str, list, tuple, Number)) or code is None:
        raise TypeError(
            f"inspect_spirv: code must be the bytes of a module of SPIR-V (got {shown(code)}; numpy.array(words, numpy.uint32) "
            "holds the bytes of a list of words, and source text is compiled first)"
        )
    try:
        words = bytes(code)
    except TypeError:
        raise TypeError(f"inspect_spirv: code must be the bytes of a module of SPIR-V (got {shown(code)})") from None
    with _native.naming("inspect_spirv"):
        return read_spirv(words, entry)


def read_spirv(words: bytes, entry: str | None) -> SpirvInfo:
    """The same of bytes, for callers whose own call a message names."""
    raw = _native.raw
    module = raw.vd_spirv_create(words, entry)
    info = raw.vd_spirv_get_info(module)
    members = [raw.vd_spirv_get_push_constant(module, i) for i in range(info.push_constant_count)]
    constants = [raw.vd_spirv_get_spec_constant(module, i) for i in range(info.spec_constant_count)]
    names = [raw.vd_spirv_get_entry(module, i) for i in range(info.entry_count)]
    return SpirvInfo(
        entry=_text(info.entry),
        entries=tuple(name or "" for name in names),
        version=(info.version >> 16 & 0xFF, info.version >> 8 & 0xFF),
        workgroup_size=tuple(info.workgroup_size),
        workgroup_size_ids=tuple(
            None if number == _enums.VD_NO_SPEC_CONSTANT else number for number in info.workgroup_size_ids
        ),
        shared_size=info.shared_size,
        push_constant_size=info.push_constant_size,
        push_constants=tuple(
            SpirvPushConstant(
                _text(m.name),
                m.offset,
                m.size,
                type_name(m.type),
                bool(m.used),
                type_name(m.element),
                m.stride,
                m.matrix_stride,
                bool(m.row_major),
            )
            for m in members
        ),
        bindings=tuple(_binding(raw.vd_spirv_get_binding(module, i)) for i in range(info.binding_count)),
        spec_constants=tuple(
            SpirvConstant(c.id, _text(c.name), type_name(c.type), value_of(c.bits, type_name(c.type)))
            for c in constants
        ),
        capabilities=tuple(raw.vd_spirv_get_capabilities(module)),
        uses_subgroups=bool(info.uses_subgroups),
    )
