"""Shaders written as Python functions, for Kompute's programs that import pyshader: the same decorator, types and names.

The function's source is read, not its bytecode, on every Python from 3.10. What to_spirv() gives is a module of SPIR-V, and
carries the traced kernel besides, which runs on every backend.
"""

from __future__ import annotations

import inspect
import re
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .._native import enums as e
from ..base import dtype as dt
from ..base.image import image_format
from ..codegen import arguments as ann
from ..codegen.builder import ShaderFlags
from ..codegen.functions import builtin_values as ids
from ..codegen.plain import rewritten, trace_plain
from ..codegen.variables.images import SampledImageVariable
from ..shader.shader_function import ShaderFunction
from .pyshader_memory import Reading, SampledTexture, Sampler, Texture, View, words_of
from .pyshader_names import names_for, stdlib
from .pyshader_types import TYPES, Array, ShaderType, Struct, as_type

_INPUTS: dict[str, Callable[[], Any]] = {
    "GlobalInvocationId": ids.global_invocation_id,
    "LocalInvocationId": ids.local_invocation_id,
    "LocalInvocationIndex": ids.local_invocation_index,
    "WorkgroupId": ids.workgroup_id,
    "WorkgroupSize": ids.workgroup_size,
    "NumWorkgroups": ids.num_workgroups,
    "NumSubgroups": ids.num_subgroups,
    "SubgroupId": ids.subgroup_id,
    "SubgroupSize": ids.subgroup_size,
    "SubgroupLocalInvocationId": ids.subgroup_invocation_id,
}
RES_INPUT, RES_OUTPUT, RES_UNIFORM = "input", "output", "uniform"
RES_TEXTURE, RES_SAMPLER, RES_BUFFER = "texture", "sampler", "buffer"
_PUSH = "push"
_KINDS = (RES_INPUT, RES_BUFFER, RES_UNIFORM, _PUSH, RES_TEXTURE, RES_SAMPLER)
_FORMAT = re.compile(r"(rgba|rg|r)?(8|16|32)?(unorm|uint|sint|float|ui|u|i|f)(8|16|32)?")
_BUFFER: Any = ann.Buffer
_CONSTANT: Any = ann.Constant
_IMAGES: dict[str, Any] = {
    "1d": ann.StorageImage1D,
    "2d": ann.StorageImage2D,
    "2d-array": ann.StorageImage2DArray,
    "3d": ann.StorageImage3D,
}
_SAMPLED: dict[str, Any] = {"1d": ann.Image1D, "2d": ann.Image2D, "2d-array": ann.Image2DArray, "3d": ann.Image3D}
_CHANNELS: dict[str, Any] = {"f32": dt.float32, "i32": dt.int32, "u32": dt.uint32}
_SUFFIXES = {
    "unorm": "UNORM",
    "uint": "UINT",
    "ui": "UINT",
    "u": "UINT",
    "sint": "SINT",
    "i": "SINT",
    "float": "SFLOAT",
    "f": "SFLOAT",
}


class Parameter(NamedTuple):
    """A parameter of a shader: what it is, where it is bound, and of which type."""

    name: str
    kind: str
    slot: Any
    type: Any


class ShaderBytes(bytes):
    """A module of SPIR-V that knows the kernel that it was made of."""

    #: The same as a kernel, which every backend runs.
    kernel: GroupKernel


class GroupKernel(ShaderFunction):
    """A shader as a kernel whose workgroups have one invocation."""

    #: The same for workgroups of any size, launched with as many invocations as there would be workgroups: that is many times
    #: as fast. None where the shader asks for more than its invocation's number.
    by_invocation: ShaderFunction | None = None


class ShaderModule:
    """A shader made of a Python function."""

    def __init__(self, function: Any):
        name = getattr(function, "__name__", None)
        if not inspect.isfunction(function):
            raise TypeError(f"python2shader: a shader is made of a Python function (got {type(function).__name__})")
        #: The function.
        self.input = function
        self._at = f"{function.__code__.co_filename}:{function.__code__.co_firstlineno}"
        if "compute" not in str(name).lower():
            raise NameError(
                f"python2shader: the name of a shader's function contains 'compute', and '{name}' does not ({self._at})"
            )
        #: The shader in words.
        self.description = f"shader from {name}"
        self.parameters = self._read_parameters()
        self._function = rewritten(function, "python2shader: a shader", names_for(function.__globals__))
        self._lock = threading.RLock()
        self._spirv: ShaderBytes | None = None
        self._kernel: GroupKernel | None = None

    @property
    def kernel(self) -> GroupKernel:
        """The shader as a kernel, traced when it is first asked for. Its workgroups have one invocation."""
        with self._lock:
            if self._kernel is None:
                kernel = GroupKernel(self._trace(ShaderFlags.NO_EXEC_BOUNDS), local_size=(1, 1, 1))
                if all(p.slot == "GlobalInvocationId" for p in self.parameters if p.kind == RES_INPUT):
                    kernel.by_invocation = ShaderFunction(self._trace(ShaderFlags.NONE))
                self._kernel = kernel
            return self._kernel

    def to_spirv(self) -> ShaderBytes:
        """The shader as a module of SPIR-V, with the kernel as its attribute."""
        from .._native import raw

        with self._lock:
            if self._spirv is None:
                description = self.kernel.shader_description
                desc = raw.vd_print_desc(language=e.VD_LANGUAGE_SPIRV, flags=0, workgroup_size=(1, 1, 1))
                made = ShaderBytes(raw.vd_blob_data(raw.vd_kernel_print(description._kernel, desc)))
                made.kernel = self.kernel
                self._spirv = made
            return self._spirv

    def __repr__(self) -> str:
        return f"<ShaderModule {self.description}>"

    # ---- Parameters

    def _read_parameters(self) -> list[Parameter]:
        found: list[Parameter] = []
        for name, parameter in inspect.signature(self.input).parameters.items():
            what = f"python2shader: parameter '{name}' of '{self.input.__name__}' ({self._at})"
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise TypeError(f"{what}: a shader has a fixed number of parameters")
            given = parameter.annotation if parameter.default is parameter.empty else parameter.default
            if isinstance(given, list):
                given = tuple(given)
            if not isinstance(given, tuple) or len(given) != 3:
                raise TypeError(
                    f'{what} needs three things as its default or annotation, kind, slot and type, such as ("buffer", 0, Array(f32))'
                )
            found.append(_checked(Parameter(name, *given), what))
        self._check_slots(found)
        return found

    def _check_slots(self, parameters: list[Parameter]) -> None:
        taken: dict[Any, str] = {}
        for parameter in parameters:
            if parameter.kind != "input":
                key = (parameter.kind == "push", parameter.slot)
                if key in taken:
                    raise TypeError(
                        f"python2shader: parameters '{taken[key]}' and '{parameter.name}' of '{self.input.__name__}' ({self._at}) have the "
                        f"same slot, {parameter.slot}"
                    )
                taken[key] = parameter.name

    # ---- The kernel

    def _trace(self, flags: ShaderFlags) -> Any:
        bound = sorted((p for p in self.parameters if p.kind not in ("input", "push", "sampler")), key=lambda p: p.slot)
        pushed = sorted((p for p in self.parameters if p.kind == "push"), key=lambda p: p.slot)
        by_slot = {p.slot: p for p in bound}
        annotations, names = [], []
        for slot in range(bound[-1].slot + 1 if bound else 0):
            # A slot that no parameter has is a buffer that is not used: binding and slot stay the same.
            annotations.append(_annotation(by_slot[slot]) if slot in by_slot else _BUFFER[TYPES["f32"].dtype])
            names.append(by_slot[slot].name if slot in by_slot else f"unused{slot}")
        for parameter in pushed:
            annotations.append(_annotation(parameter))
            names.append(parameter.name)

        def arguments(*given: Any) -> Sequence[Any]:
            values = dict(zip(names, given, strict=True))
            return [_argument(parameter, values.get(parameter.name)) for parameter in self.parameters]

        return trace_plain(self._function, flags, annotations, names, arguments, names_for)


def python2shader(function: Any) -> ShaderModule:
    """Make a shader of a Python function, whose name contains "compute". Used as a decorator."""
    return ShaderModule(function)


def _checked(p: Parameter, what: str) -> Parameter:
    """A parameter with its slot as a number and its type as an object; TypeError if it is none."""
    kind = p.kind.lower() if isinstance(p.kind, str) else p.kind
    if kind not in _KINDS:
        raise TypeError(f"{what}: the kind is one of {', '.join(_KINDS)} (got {p.kind!r})")
    if kind == "input":
        if p.slot not in _INPUTS:
            raise TypeError(f"{what}: the slot of an input is one of {', '.join(_INPUTS)} (got {p.slot!r})")
        shader_type = as_type(p.type, what)
        if not isinstance(shader_type, ShaderType):
            raise TypeError(f"{what}: an input is a number or a vector, not {shader_type!r}")
        return Parameter(p.name, kind, p.slot, shader_type)
    slot = p.slot
    if isinstance(slot, tuple) and len(slot) == 2:
        if slot[0] != 0:
            raise TypeError(f"{what}: a Manager binds group 0 alone (got {slot!r})")
        slot = slot[1]
    if isinstance(slot, bool) or not isinstance(slot, int) or not 0 <= slot < 1024:
        raise TypeError(f"{what}: the slot is a number from 0 to 1023, or (0, number) (got {p.slot!r})")
    if kind == "sampler":
        return Parameter(p.name, kind, slot, None)
    if kind == "texture":
        return Parameter(p.name, kind, slot, _texture_type(p.type, what))
    shader_type = as_type(p.type, what)
    if kind == "push" and not isinstance(shader_type, ShaderType):
        raise TypeError(f"{what}: a push constant is a number, vector or matrix, not {shader_type!r}")
    _check_memory(shader_type, what)
    return Parameter(p.name, kind, slot, shader_type)


def _check_memory(shader_type: Any, what: str) -> None:
    element = shader_type.subtype if isinstance(shader_type, Array) else shader_type
    try:
        if not isinstance(element, ShaderType):
            words_of(element)
    except TypeError as error:
        raise TypeError(f"{what}: {error}") from None
    if element is TYPES["boolean"]:
        raise TypeError(f"{what}: boolean has no size in memory; i32 and u32 have")


def _texture_type(given: Any, what: str) -> Any:
    """The annotation of an image that is described as "2d rgba32f", or of one to sample, as "2d f32"."""
    words = given.lower().split() if isinstance(given, str) else []
    if len(words) == 2 and words[0] in _SAMPLED and words[1] in _CHANNELS:
        return _SAMPLED[words[0]][_CHANNELS[words[1]]]
    found = _FORMAT.fullmatch(words[1]) if len(words) == 2 and words[0] in _IMAGES else None
    if found is None:
        raise TypeError(
            f'{what}: a texture is described by its axes and its format, such as "2d rgba32f" or "1d r32i", or by the type of its '
            f'channels where it is sampled, as "2d f32" (got {given!r})'
        )
    channels, bits, suffix, more_bits = found.groups()
    name = (
        "".join(f"{letter}{bits or more_bits or 32}" for letter in (channels or "r").upper()) + f"_{_SUFFIXES[suffix]}"
    )
    if name not in image_format.__members__:
        raise TypeError(f"{what}: there are no images of format {name}")
    return _IMAGES[words[0]][image_format[name]]


def _annotation(p: Parameter) -> Any:
    """The annotation of the kernel's parameter."""
    if p.kind == "texture":
        return p.type
    if p.kind == "push":
        return _CONSTANT[p.type.dtype]
    element = p.type.subtype if isinstance(p.type, Array) else p.type
    return _BUFFER[element.dtype if isinstance(element, ShaderType) else TYPES["u32"].dtype]


def _argument(p: Parameter, value: Any) -> Any:
    """The value that the function is given for a parameter."""
    if p.kind == "input":
        return p.type(_INPUTS[p.slot]())
    if p.kind == "push":
        return value
    if p.kind == "texture":
        return SampledTexture(value) if isinstance(value, SampledImageVariable) else Texture(value)
    if p.kind == "sampler":
        return Sampler()
    is_array = isinstance(p.type, Array)
    element = p.type.subtype if is_array else p.type
    memory: Any = value if isinstance(element, ShaderType) else View(value, Array(element), 0, p.kind == "buffer")
    if p.kind == "uniform":
        memory = Reading(memory)
    return memory if is_array else memory[0]


boolean, void = TYPES["boolean"], TYPES["void"]
i16, i32, i64 = TYPES["i16"], TYPES["i32"], TYPES["i64"]
u8, u16, u32, u64 = TYPES["u8"], TYPES["u16"], TYPES["u32"], TYPES["u64"]
f16, f32, f64 = TYPES["f16"], TYPES["f32"], TYPES["f64"]
vec2, vec3, vec4 = TYPES["vec2"], TYPES["vec3"], TYPES["vec4"]
ivec2, ivec3, ivec4 = TYPES["ivec2"], TYPES["ivec3"], TYPES["ivec4"]
uvec2, uvec3, uvec4 = TYPES["uvec2"], TYPES["uvec3"], TYPES["uvec4"]
mat2, mat3, mat4 = TYPES["mat2"], TYPES["mat3"], TYPES["mat4"]

__all__ = [
    "RES_BUFFER",
    "RES_INPUT",
    "RES_OUTPUT",
    "RES_SAMPLER",
    "RES_TEXTURE",
    "RES_UNIFORM",
    "Array",
    "ShaderBytes",
    "ShaderModule",
    "ShaderType",
    "Struct",
    "boolean",
    "f16",
    "f32",
    "f64",
    "i16",
    "i32",
    "i64",
    "ivec2",
    "ivec3",
    "ivec4",
    "mat2",
    "mat3",
    "mat4",
    "python2shader",
    "stdlib",
    "u8",
    "u16",
    "u32",
    "u64",
    "uvec2",
    "uvec3",
    "uvec4",
    "vec2",
    "vec3",
    "vec4",
    "void",
]  # fmt: skip
