"""The code that an algorithm runs: a module of SPIR-V, GLSL that becomes one, or a kernel of the package's."""

from __future__ import annotations

import contextlib
import re
import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

from .. import _native
from .._native._load import ffi
from ..base.compute_plan import KINDS, ComputePlan
from ..base.source_text import describe_source
from ..base.spirv import SpirvInfo, read_spirv, type_name
from ..base.words import bracketed
from ..codegen.shader_description import ShaderArgumentType
from ..shader.launch import ExecutionBounds
from ..shader.shader_function import ShaderFunction
from . import constants
from .constants import Given, Slot
from .errors import invalid, unsupported
from .home import Home
from .image import Image
from .log import logger
from .spirv_words import is_spirv, refuse_kernels, whole_words

_enums = _native.enums
_IMAGE = _enums.VD_BINDING_STORAGE_IMAGE
_SAMPLED = _enums.VD_BINDING_SAMPLED_IMAGE
#: The kinds of bindings that tensors and images are bound to.
_KINDS = {
    kind: KINDS[kind] for kind in (_enums.VD_BINDING_STORAGE_BUFFER, _enums.VD_BINDING_UNIFORM_BUFFER, _IMAGE, _SAMPLED)
}


class Program(NamedTuple):
    """Compiled code, as dispatches use it."""

    plan: Any
    #: Bindings that a launch gives: the first ones of the algorithm's objects.
    binding_count: int
    #: Bytes of the block that a launch gives.
    values_size: int
    slots: tuple[Slot, ...]
    workgroup_size: tuple[int, int, int]
    #: Whether the list's values take the slots one after the other, and not the bytes.
    by_slots: bool
    kernel: Any = None
    #: The numbers of the bindings whose images are sampled.
    sampled: tuple[int, ...] = ()
    #: The name and the default of each number that a kernel takes.
    parameters: tuple[tuple[str, Any], ...] = ()


class Wanted(NamedTuple):
    """A program with the push constants of a call."""

    program: Program
    push: bytes
    #: The invocations that a call without a number means; None: a workgroup for each element of the first object.
    invocations: tuple[int, int, int] | None = None
    #: Whether the workgroups of a call are invocations.
    by_invocation: bool = False
    #: Whether the code knows its own size, as a transform does: then a call gives none.
    own_size: bool = False
    #: The function of Python that was traced, if the code is one.
    function: Any = None


# Bytes of push constants that a descriptor of the library's can say, in whole words.
_MOST_VALUES = 2**32 - 4


def _warn(message: str) -> None:
    logger.warning("%s", message)


# ---- Kinds of code


def kernel_of(code: Any) -> Any:
    """The traced kernel of what was given for `spirv`; None where there is none."""
    carried = getattr(code, "kernel", None)
    return carried if carried is not None else code if _is_kernel(code) else None


def _is_kernel(code: Any) -> bool:
    return isinstance(code, ShaderFunction) or (
        isinstance(code, ffi.CData) and ffi.typeof(code) is ffi.typeof("vd_kernel *")
    )


def code_bytes(code: Any, what: str) -> bytes:
    """The bytes of SPIR-V, or of GLSL; a TypeError for what is neither."""
    if isinstance(code, str):
        return _utf8(code, f"{what}: spirv")
    try:
        return bytes(memoryview(code).cast("B")) if not isinstance(code, bytes) else code
    except (TypeError, ValueError):
        cure = "".join(f"; its {method}() gives them" for method in ("read_bytes", "read") if hasattr(code, method))
        raise TypeError(
            f"{what}: spirv ({type(code).__name__}) must be the bytes of a module, text in GLSL or a kernel, and not a file or its "
            f"name{cure}: incompatible function arguments"
        ) from None


def _utf8(text: str, what: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise invalid(f"{what} has {text[error.start]!r}, which no file can have: {error.reason}") from None


def compile_glsl(source: str, name: str = "shader") -> bytes:
    """GLSL as a module of SPIR-V; `#version 450` where it says none."""
    if "#version" not in source:
        source = "#version 450\n" + source
    _utf8(source + name, "GLSL")
    return bytes(_native.memory.blob_memory(_native.raw.vd_spirv_compile_glsl(source, name)))


class Used(NamedTuple):
    """A binding that a module uses."""

    number: int
    name: str
    kind: int
    is_image: bool
    #: Reflection's name of its scalars; "" where it has none.
    scalar: str
    #: The number of a storage image's format; 0 for any.
    format: int


class Module(NamedTuple):
    """SPIR-V, and what reflection says of it."""

    words: bytes
    info: SpirvInfo
    used: tuple[Used, ...]
    slots: tuple[Slot, ...]


def _module(home: Home, code: bytes, what: str) -> Module:
    """The module that code is or becomes, and what it says; looked into once."""

    def look() -> Module:
        if is_spirv(code):
            refuse_kernels_of(code, what)
        with _native.naming(what):
            words = whole_words(code, what) if is_spirv(code) else compile_glsl(_text(code, what))
            info = read_spirv(words, "main")
        return Module(words, info, _used_bindings(info, what), tuple(constants.slots_of(info)))

    found: Module = home.cached(("module", code), look)
    return found


def refuse_kernels_of(code: bytes, what: str) -> None:
    """RuntimeError for OpenCL's SPIR-V, by its capabilities: it has no entry point that reflection would find."""
    words = whole_words(code, what)
    at, capabilities = 20, []
    while at + 8 <= len(words):
        word, first = struct.unpack_from("<II", words, at)
        if word & 0xFFFF != 17 or word >> 16 != 2:
            break
        capabilities.append(first)
        at += 8
    refuse_kernels(capabilities, what)


_MAIN = re.compile(r"\bmain\s*\(")


def _text(code: bytes, what: str) -> str:
    """GLSL as text. RuntimeError for what cannot be any, such as a file's name."""
    with contextlib.suppress(UnicodeDecodeError):
        text = code.decode()
        if _MAIN.search(text):
            return text
    raise invalid(
        f"{what}: spirv {bracketed(code)} is neither SPIR-V, by its first word, nor text in GLSL with a function main(). It is "
        "the code itself, and not the name of a file, whose bytes pathlib.Path(name).read_bytes() gives"
    )


def refuse_backend(home: Home, code: bytes, why: str, what: str) -> None:
    """RuntimeError for SPIR-V and GLSL where Vulkan does not run them."""
    if home.backend != "vulkan":
        kind = "SPIR-V" if is_spirv(code) else "GLSL"
        devices = ", ".join(info.device_name for info in home.context.device_infos)
        raise unsupported(
            f"{what}: {kind} runs on the Vulkan backend only; this Manager is on '{home.backend}' ({devices}). "
            'Use Manager(backend="vulkan"), or pass a kernel written with @vd.shader (or kp.pyshader), which runs on every '
            f"backend.{why}"
        )


# ---- SPIR-V


def _used_bindings(info: SpirvInfo, what: str) -> tuple[Used, ...]:
    """The bindings that a module uses, by their numbers: single buffers and images of set 0."""
    used = {}
    for binding in info.bindings:
        if not binding.used:
            continue
        if binding.set != 0:
            raise unsupported(f"{what}: the shader uses descriptor set {binding.set}; the objects are bound to set 0")
        if binding.kind not in _KINDS or binding.count != 1:
            raise unsupported(
                f"{what}: binding {binding.binding} ('{binding.name}') is no single buffer or image, or an image apart from its sampler"
            )
        scalar = _scalar_of(binding.element)
        image = binding.kind in (_IMAGE, _SAMPLED)
        form = binding.format if binding.kind == _IMAGE else 0
        used[binding.binding] = Used(binding.binding, binding.name, binding.kind, image, scalar, form)
    return tuple(used[number] for number in sorted(used))


def _scalar_of(type_name: str) -> str:
    """The scalar of a vector's or matrix's name: "f32" of "f32x4"."""
    return type_name.partition("x")[0].partition("m")[0]


def _binding_kinds(used: Sequence[Used], mems: Sequence[Any], what: str) -> tuple[int, ...]:
    """The kinds of the bindings that a launch gives, checked against the objects."""
    kinds: list[int] = []
    for binding in used:
        number = binding.number
        if number >= len(mems):
            raise invalid(
                f"{what}: the shader uses binding {number} ('{binding.name}', {_KINDS[binding.kind]}), and the list has "
                f"{len(mems)} object(s)"
            )
        while len(kinds) < number:  # unused ones before it
            kinds.append(_IMAGE if isinstance(mems[len(kinds)], Image) else _enums.VD_BINDING_STORAGE_BUFFER)
        kinds.append(binding.kind)
        _check_kind(binding, mems[number], what)
    if len(kinds) < len(mems):
        _warn(f"{what}: the shader uses {len(kinds)} of {len(mems)} objects; the last ones are not used")
    return tuple(kinds)


def _sampled(kinds: Sequence[int]) -> tuple[int, ...]:
    return tuple(number for number, kind in enumerate(kinds) if kind == _SAMPLED)


def _check_kind(binding: Used, mem: Any, what: str) -> None:
    image = isinstance(mem, Image)
    if image != binding.is_image:
        raise invalid(
            f"{what}: binding {binding.number} ('{binding.name}') is {_KINDS[binding.kind]}, and object {binding.number} of the "
            f"list is {'an Image' if image else 'a Tensor'}"
        )
    _check_elements(binding, mem, f"{what}: binding {binding.number} ('{binding.name}')")


def _check_elements(used: Used, mem: Any, named: str) -> None:
    """RuntimeError for an image of another format than the code declares; a warning for a tensor of other elements."""
    if used.is_image:
        if used.format not in (_enums.VD_FORMAT_NONE, mem._format):
            raise invalid(
                f"{named} is an image of format {_format_name(used.format)}, and object {used.number} of the list has format "
                f"{_format_name(mem._format)}"
            )
    elif used.scalar and mem._element.reflected not in ("", used.scalar):
        _warn(
            f"{named} has elements of {used.scalar}, and object {used.number} of the list has {mem._element.name}: its bytes are "
            "taken as they are, which are other numbers"
        )


def _format_name(number: int) -> str:
    names = [name for name in dir(_enums) if name.startswith("VD_FORMAT_") and getattr(_enums, name) == number]
    return names[0][len("VD_FORMAT_") :].lower() if names else str(number)


def spirv_program(home: Home, code: bytes, mems: Sequence[Any], spec: Given, push: Given, what: str) -> Wanted:
    """The program of SPIR-V or GLSL, compiled once for its constants, with the push constants."""
    words, info, used, slots = _module(home, code, what)
    kinds = _binding_kinds(used, mems, what)
    bits = tuple(constants.spec_bits(spec, info, _warn, what))
    block = constants.push_bytes(push, slots, what)
    declared = max((member.offset + member.size for member in info.push_constants), default=0)
    if len(block) != declared:
        _warn_of_push_size(len(block), declared, constants.gap_remark(push, slots), what)
    size = min((max(len(block), info.push_constant_size) + 3) & ~3, _MOST_VALUES)

    def make() -> Program:
        plan = _compile(home, words, info.entry, kinds, size, bits, what)
        group = _native.raw.vd_plan_get_info(plan).workgroup_size
        return Program(plan, len(kinds), size, slots, (group[0], group[1], group[2]), False, None, _sampled(kinds))

    return Wanted(home.cached(("spirv", words, bits, kinds, size), make), block)


def _warn_of_push_size(size: int, declared: int, remark: str, what: str) -> None:
    """Warn of a block that is smaller or larger than the code's."""
    rest = "the rest is zero" if size < declared else "the last ones are not used"
    _warn(f"{what}: the shader declares {declared} bytes of push constants, and {size} are given; {rest}{remark}")


def _compile(home: Home, words: bytes, entry: str, kinds: Sequence[int], size: int, bits: Any, what: str) -> Any:
    raw = _native.raw
    source, _kept = describe_source(_enums.VD_LANGUAGE_SPIRV, words, entry, kinds, size, bits)
    with _native.naming(what):
        return raw.vd_plan_create(home.pointer, raw.vd_plan_desc(source=source, label="kp"))


# ---- Plans


def is_plan(code: Any) -> bool:
    """Whether it is a plan of the package's, or a pointer to one of the library's."""
    return isinstance(code, ComputePlan) or (
        isinstance(code, ffi.CData) and ffi.typeof(code) is ffi.typeof("vd_plan *")
    )


def plan_program(home: Home, given: Any, mems: Sequence[Any], spec: Given, push: Given, what: str) -> Wanted:
    """A plan that was compiled elsewhere, with the push constants: a list's are float32, since a plan does not tell its types."""
    if not spec.empty:
        raise TypeError(f"{what}: spec_consts are given, and the plan has been compiled")
    plan = given
    sampled: tuple[int, ...] = ()
    if isinstance(given, ComputePlan):
        given._check_alive()
        if given.context is not home.context:
            raise invalid(f"{what}: the plan belongs to {given.context.name}, and is used with {home.name}")
        for number, (kind, mem) in enumerate(zip(given.binding_list, mems, strict=False)):
            if isinstance(mem, Image) != (kind in (_IMAGE, _SAMPLED)):
                raise invalid(
                    f"{what}: the plan's binding {number} is {KINDS[kind]}, and the object of the list is {mem!r}"
                )
        plan, sampled = given._plan, _sampled(given.binding_list)
    info = _native.raw.vd_plan_get_info(plan)
    if info.binding_count > len(mems):
        raise invalid(f"{what}: the plan has {info.binding_count} bindings, and the list has {len(mems)} object(s)")
    if info.binding_count < len(mems):
        _warn(f"{what}: the plan uses {info.binding_count} of {len(mems)} objects; the last ones are not used")
    block = constants.push_bytes(push, (), what)
    if len(block) > info.values_size:
        raise invalid(
            f"{what}: push constants: the plan takes {info.values_size} bytes, and {len(block)} bytes are given"
        )
    x, y, z = info.workgroup_size
    program = Program(plan, info.binding_count, info.values_size, (), (x, y, z), False, None, sampled)
    return Wanted(program, block, own_size=bool(info.own_size))


# ---- Kernels of the package's


class Signature(NamedTuple):
    """The tensors, images and numbers that a kernel takes."""

    used: tuple[Used, ...]
    slots: tuple[Slot, ...]


def _signature(kernel: Any) -> Signature:
    raw = _native.raw
    used: list[Used] = []
    slots: list[Slot] = []
    for i in range(raw.vd_kernel_get_info(kernel).argument_count):
        argument = raw.vd_kernel_get_argument(kernel, i)
        if argument.kind in (_enums.VD_ARGUMENT_CONSTANT, _enums.VD_ARGUMENT_VARIABLE):
            slots += constants.scalars_of(argument.offset, type_name(argument.type))
        elif argument.kind in (_enums.VD_ARGUMENT_BUFFER, _enums.VD_ARGUMENT_IMAGE):
            image, stored = argument.kind == _enums.VD_ARGUMENT_IMAGE, bool(argument.image_access)
            kind = (_IMAGE if stored else _SAMPLED) if image else _enums.VD_BINDING_STORAGE_BUFFER
            form = int(argument.image_format) if stored else 0
            name = ffi.string(argument.name).decode()
            used.append(Used(argument.binding, name, kind, image, _scalar_of(type_name(argument.type)), form))
    return Signature(tuple(used), tuple(slots))


def _check_kernel_bindings(signature: Signature, mems: Sequence[Any], what: str) -> tuple[int, ...]:
    """The numbers of the images that the kernel samples."""
    for used in signature.used:
        named = f"{what}: the kernel's parameter '{used.name}'"
        if used.number >= len(mems):
            raise invalid(f"{named} is object {used.number} of the list, which has {len(mems)}")
        if isinstance(mems[used.number], Image) != used.is_image:
            raise invalid(f"{named} and object {used.number} of the list are not both images")
        _check_elements(used, mems[used.number], named)
    if len(signature.used) < len(mems):
        _warn(f"{what}: the kernel takes {len(signature.used)} of {len(mems)} objects; the last ones are not used")
    return tuple(used.number for used in signature.used if used.kind == _SAMPLED)


def kernel_program(home: Home, given: Any, mems: Sequence[Any], spec: Given, push: Given, what: str) -> Wanted:
    """The program of a kernel of the package's, with the push constants and the workgroups that it means by itself."""
    if not spec.empty:
        raise TypeError(f"{what}: spec_consts are SPIR-V's; in a kernel of Python's, numbers of Python are constants")
    # A shader of its invocation's number alone: what would be its workgroups are invocations in workgroups of any size.
    wide = getattr(given, "by_invocation", None)
    function = wide or (given if isinstance(given, ShaderFunction) else None)
    kernel = function.shader_description._kernel if function is not None else given
    known = _native.raw.vd_kernel_get_info(kernel)
    parts, asked = tuple(known.hash), tuple(known.workgroup_size)
    signature: Signature = home.cached(("signature", parts), lambda: _signature(kernel))
    sampled = _check_kernel_bindings(signature, mems, what)
    local = asked if asked[0] else _local_size(home, function)

    def make() -> Program:
        raw = _native.raw
        with _native.naming(what):
            plan = raw.vd_plan_create(home.pointer, raw.vd_plan_desc(kernel=kernel, workgroup_size=list(local)))
        info = raw.vd_plan_get_info(plan)
        group = info.workgroup_size
        size, count = (group[0], group[1], group[2]), len(signature.used)
        return Program(plan, count, info.values_size, signature.slots, size, True, kernel, sampled, parameters)

    parameters = _parameters(function, len(signature.slots))
    program: Program = home.cached(("kernel", parts, local, repr(parameters)), make)
    block = kernel_values(program, push, what)
    numbers = push.values or ()
    if push.values is None and program.parameters:
        numbers = [_number(block, slot) for slot in program.slots]
    size = _own_size(function, program.workgroup_size, mems, numbers)
    return Wanted(program, block, size, wide is not None, function=function)


def _parameters(function: Any, count: int) -> tuple[tuple[str, Any], ...]:
    """The name and the default of each number that a kernel takes; none where they are not the parameters, as of a vector."""
    infos = function.shader_description.shader_arg_infos if function is not None else ()
    kinds = (ShaderArgumentType.CONSTANT, ShaderArgumentType.VARIABLE)
    found = tuple((info.name, info.default_value) for info in infos if info.arg_type in kinds)
    return found if len(found) == count else ()


def _with_defaults(given: list[Any], program: Program, what: str) -> list[Any]:
    """The numbers of a call, and behind them the defaults of a kernel's parameters. Where no number is given, those without a
    default are zero, and a warning says so."""
    count = len(program.slots)
    parameters = program.parameters or (("", None),) * count
    missing = [name for name, default in parameters[len(given) :] if not isinstance(default, (int, float))]
    if len(given) > count or (given and missing):
        raise invalid(f"{what}: push constants: the kernel takes {count} numbers, and {len(given)} are given")
    if missing:
        which = f" ({', '.join(missing)})" if missing[0] else ""
        _warn(
            f"{what}: the kernel takes {count} numbers, and no push_consts are given; those without a default{which} are zero"
        )
    return [*given, *(0 if name in missing else default for name, default in parameters[len(given) :])]


def kernel_values(program: Program, push: Given, what: str) -> bytes:
    """The block of a kernel's values, of a list one for each scalar."""
    if push.values is None:
        constants.check_elements(push, program.slots, what)
        if len(push.raw) != program.values_size:
            raise invalid(
                f"{what}: push constants: the kernel's values take {program.values_size} bytes, and {len(push.raw)} are given"
            )
        return push.raw
    values = _with_defaults(push.values, program, what)
    block = bytearray(program.values_size)
    typed = ((value, slot.scalar) for slot, value in zip(program.slots, values, strict=True))
    for slot, data in zip(program.slots, constants.packed_all(typed, f"{what}: push_consts"), strict=True):
        block[slot.offset : slot.offset + len(data)] = data
    return bytes(block)


def _local_size(home: Home, function: Any) -> tuple[int, int, int]:
    """The size of workgroups of a kernel that does not say it."""
    wished = getattr(function, "local_size", None)
    if wished is not None:
        dims = [int(n) for n in wished] if hasattr(wished, "__iter__") else [int(wished)]
        x, y, z = (*dims, 1, 1)[:3]
        return x, y, z
    return min(64, home.context.max_workgroup_size[0]), 1, 1


class _Extent:
    """An image as a kernel's own size sees it: its `size` is the number of texels, as that of the package's images."""

    def __init__(self, image: Image):
        self._image = image
        self.size = image.width * image.height

    def __getattr__(self, name: str) -> Any:
        return getattr(self._image, name)


class _AnyNumber:
    """A number that a dispatch may change: what is computed of it is an error."""

    def __bool__(self) -> bool:
        raise TypeError("a number of a dispatch is not known")

    __eq__ = __ne__ = __bool__  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]


def _own_size(
    function: Any, local: tuple[int, int, int], mems: Sequence[Any], numbers: Sequence[Any]
) -> tuple[int, int, int]:
    """The invocations of a launch without a number: the kernel's own size, else one for each element of the first object."""
    if function is None or (function.exec_size is None and function.workgroups is None):
        return mems[0]._count, 1, 1
    return _evaluated_size(function, local, mems, numbers)


def object_size(wanted: Wanted, mems: Sequence[Any]) -> tuple[int, int, int] | None:
    """The invocations of a kernel whose own size is an expression over its objects alone; None for other kernels."""
    function = wanted.function
    if not _has_expression(function):
        return None
    try:
        count = len(function._names_and_defaults)
        return _evaluated_size(function, wanted.program.workgroup_size, mems, [_AnyNumber()] * count)
    except Exception:  # noqa: BLE001 - whatever a function of the program's does with what is no number
        return None


def size_by_numbers(wanted: Wanted, mems: Sequence[Any], push: bytes) -> tuple[int, int, int] | None:
    """The invocations of a dispatch of a kernel whose own size is an expression over numbers, too; None for other kernels."""
    function, program = wanted.function, wanted.program
    if not _has_expression(function) or not program.slots or len(program.parameters) != len(program.slots):
        return None
    return _evaluated_size(function, program.workgroup_size, mems, [_number(push, slot) for slot in program.slots])


def _has_expression(function: Any) -> bool:
    """Whether a kernel's own size is an expression, or a function of the arguments."""
    return function is not None and (isinstance(function.exec_size, str) or callable(function.exec_size))


def _number(push: bytes, slot: Slot) -> int | float:
    """A number of a block; whole ones are integers, as a list has them."""
    value: int | float = struct.unpack_from("<" + constants.LETTERS[slot.scalar], push, slot.offset)[0]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _evaluated_size(
    function: Any, local: tuple[int, int, int], mems: Sequence[Any], numbers: Sequence[Any]
) -> tuple[int, int, int]:
    bound, values = iter(mems), iter(numbers)
    args = []
    for info in function.shader_description.shader_arg_infos:
        if info.arg_type in (ShaderArgumentType.BUFFER, ShaderArgumentType.IMAGE):
            mem = next(bound)
            args.append(_Extent(mem) if isinstance(mem, Image) else mem.buffer)
        else:
            args.append(next(values, info.default_value))
    bounds = ExecutionBounds(
        function._names_and_defaults, local, function.workgroups, function.exec_size, kernel=function.name
    )
    return bounds.get_blocks_and_limits(args, {})[1]
