"""ShaderDescription: a finished kernel, with its arguments as Python sees them.

Example:
    with vc.shader_context() as trace:
        trace.declare_input_arguments([Buff[f32], Const[i32]], ["out", "n"])
    description = trace.get_description("described")
    assert [argument.name for argument in description.shader_arg_infos] == ["out", "n"]
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any, Protocol

from .._native import enums as e
from ..base.dtype import dtype, ivec4, uvec4
from .backends import CodeGenBackend
from .language import get_codegen_backend
from .struct_builder import StructElement


class BindingType(enum.Enum):
    """The kind of a binding; the numbers are Vulkan's, as in 0.1."""

    STORAGE_BUFFER = 1
    UNIFORM_BUFFER = 3
    SAMPLER = 5


class ShaderArgumentType(enum.Enum):
    """The kind of a kernel's parameter."""

    BUFFER = 0
    IMAGE = 1
    VARIABLE = 2
    CONSTANT = 3
    CONSTANT_DATACLASS = 4


@dataclass
class ShaderArgumentInfo:
    """A parameter of a kernel. `default_value` None means that a call must give it.

    `shader_name` is its name in the core; of a dataclass it is a dict from field to name. `binding` is the place among
    buffers and images, for those.
    """

    name: str
    arg_type: ShaderArgumentType
    default_value: Any
    shader_name: Any
    shader_shape_name: str | None = None
    binding: int | None = None


class Written(Protocol):
    """A builder whose kernel is finished."""

    hazards: Any
    chosen_backend: CodeGenBackend | None
    argument_values: list[tuple[type[dtype], int]]
    shader_arg_infos: list[ShaderArgumentInfo]


class ShaderDescription:
    """A finished kernel: what `make_shader_function` and the launch need to know of it."""

    def __init__(self, builder: Written, name: str, kernel: Any):
        from .._native import raw

        self.name = name
        self._kernel = kernel
        self._info = raw.vd_kernel_get_info(kernel)
        self._arguments = [raw.vd_kernel_get_argument(kernel, i) for i in range(self._info.argument_count)]
        self._indexed_by_number = builder.hazards.indexed_by_number()
        self._chosen_backend = builder.chosen_backend
        self._types = [t for t, _ in builder.argument_values]
        self.shader_arg_infos: list[ShaderArgumentInfo] = list(builder.shader_arg_infos)
        #: The name of the launch's size in the uniform block; None if the kernel runs past it.
        self.exec_count_name: str | None = None
        #: Members of the block of values that may change between submissions.
        self.pc_structure: list[StructElement] = []
        #: Members of the block of values that are fixed when a launch is recorded.
        self.uniform_structure: list[StructElement] = []
        #: The kind of each binding, as a number of BindingType.
        self.binding_type_list: list[int] = []
        #: (reads, writes) of each binding.
        self.binding_access: list[tuple[bool, bool]] = []
        self._describe()

    def _describe(self) -> None:
        from .._native._load import ffi

        bound: list[tuple[int, tuple[bool, bool]]] = []
        if not self._info.flags & e.VD_BUILDER_NO_EXEC_BOUNDS:
            self.exec_count_name = "exec_count"
            self.uniform_structure.append(StructElement(self.exec_count_name, uvec4, 1))
        for argument, var_type in zip(self._arguments, self._types, strict=True):
            name = ffi.string(argument.name).decode()
            if argument.kind == e.VD_ARGUMENT_CONSTANT:
                self.uniform_structure.append(StructElement(name, var_type, 1))
            elif argument.kind == e.VD_ARGUMENT_VARIABLE:
                self.pc_structure.append(StructElement(name, var_type, 1))
            else:
                kind = BindingType.SAMPLER if argument.kind == e.VD_ARGUMENT_IMAGE else BindingType.STORAGE_BUFFER
                reads = bool(argument.access & (e.VD_ARGUMENT_ACCESS_READ | e.VD_ARGUMENT_ACCESS_ATOMIC))
                writes = bool(argument.access & (e.VD_ARGUMENT_ACCESS_WRITE | e.VD_ARGUMENT_ACCESS_ATOMIC))
                bound.append((kind.value, (reads, writes)))
                if argument.access & e.VD_ARGUMENT_ACCESS_SHAPE:
                    self.uniform_structure.append(StructElement(f"{name}_shape", ivec4, 1))
        if self.uniform_structure:
            bound.insert(0, (BindingType.UNIFORM_BUFFER.value, (True, False)))
        self.binding_type_list = [kind for kind, _ in bound]
        self.binding_access = [access for _, access in bound]

    @property
    def pc_size(self) -> int:
        """Bytes of the values that may change between submissions."""
        return sum(member.dtype.item_size * member.count for member in self.pc_structure)

    @property
    def has_effect(self) -> bool:
        """Whether the kernel does anything that can be seen: a store, an atomic or a print."""
        writes = any(written for _, written in self.binding_access)
        return writes or bool(self._info.requirements & e.VD_FEATURE_PRINTF)

    @property
    def resource_binding_base(self) -> int:
        """The binding of the first buffer or image: 1 behind a uniform block, else 0."""
        return int(bool(self.uniform_structure))

    @property
    def backend(self) -> CodeGenBackend:
        """The language chosen when the kernel was traced, else the present one."""
        return self._chosen_backend or get_codegen_backend()

    @property
    def header(self) -> str:
        """The source before the kernel's function."""
        return self._split()[0]

    @property
    def body(self) -> str:
        """The kernel's function in source."""
        return self._split()[1]

    def _split(self) -> tuple[str, str]:
        lines = self.make_source(0, 0, 0).splitlines(keepends=True)
        entry = f"{self.backend.entry_point}("
        start = next((i for i, line in enumerate(lines) if entry in line), 0)
        return "".join(lines[:start]), "".join(lines[start:])

    def make_source(self, x: int, y: int = 1, z: int = 1, backend: CodeGenBackend | None = None) -> str:
        """The whole source for a workgroup of x by y by z; 0 leaves the size to the core."""
        return self.print((backend or self.backend).language, (x, y, z))

    def print(self, language: int, local_size: tuple[int, int, int] = (0, 0, 0), flags: int = 0) -> str:
        """The kernel in one of the core's languages (a VD_LANGUAGE_ number); the text form is 0."""
        from .._native import raw

        desc = raw.vd_print_desc(language=language, flags=flags, workgroup_size=local_size)
        return raw.vd_blob_data(raw.vd_kernel_print(self._kernel, desc)).decode()

    def get_arg_names_and_defaults(self) -> list[tuple[str, Any]]:
        """Name and default of each parameter, in order."""
        return [(info.name, info.default_value) for info in self.shader_arg_infos]

    def __repr__(self) -> str:
        members = "\n".join(f"    {m.dtype.name} {m.name}[{m.count}]" for m in self.uniform_structure)
        variables = "\n".join(f"    {m.dtype.name} {m.name}[{m.count}]" for m in self.pc_structure)
        return (
            f"Shader Description: {self.name}\n"
            f"  arguments: {', '.join(info.name for info in self.shader_arg_infos)}\n"
            f"  bindings: {self.binding_type_list}, access {self.binding_access}\n"
            f"  uniform block:\n{members}\n  variables ({self.pc_size} bytes):\n{variables}\n"
            f"{self.make_source(0, 0, 0)}"
        )
