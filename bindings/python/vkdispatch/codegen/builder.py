"""ShaderBuilder: one kernel being traced, with its arguments.

Programs rarely meet one: vd.shader and vc.shader_context() make it.

Example:
    with vc.shader_context() as trace:
        builder = vc.get_builder()
        (out,) = trace.declare_input_arguments([Buff[f32]])
        shared = builder.shared_buffer(f32, 64, var_name="shared")
        shared[vc.local_invocation_index()] = out[0]
        assert builder.binding_count == 1
"""

from __future__ import annotations

import dataclasses
import enum
import typing
from dataclasses import dataclass
from typing import Any, NoReturn

from .._native import enums as e
from ..base import dtype as dt
from ..base.image import storage_texel
from . import arguments as ann
from ._numbers import as_index
from ._types import TYPE_OF, memory_type
from .arguments import check_annotation
from .backends import CodeGenBackend
from .language import chosen_backend, get_codegen_backend
from .shader_description import BindingType, ShaderArgumentInfo, ShaderArgumentType, ShaderDescription
from .shader_writer import ShaderWriter
from .struct_builder import StructBuilder
from .variables.buffers import BufferVariable, truth_of_byte
from .variables.images import ImageVariable, StorageImageVariable
from .variables.variables import ShaderVariable


class ShaderFlags(enum.IntFlag):
    """Flags for the building of a kernel."""

    #: The defaults.
    NONE = 0
    #: Subgroup operations are an error.
    NO_SUBGROUP_OPS = 1
    #: Printing does nothing.
    NO_PRINTF = 2
    #: Invocations past the launch's size run like all others.
    NO_EXEC_BOUNDS = 4


_BUILDER_FLAGS = {
    ShaderFlags.NO_SUBGROUP_OPS: e.VD_BUILDER_NO_SUBGROUP,
    ShaderFlags.NO_PRINTF: e.VD_BUILDER_NO_PRINTF,
    ShaderFlags.NO_EXEC_BOUNDS: e.VD_BUILDER_NO_EXEC_BOUNDS,
}


@dataclass
class SharedBuffer:
    """An array that the invocations of a workgroup share."""

    dtype: type[dt.dtype]
    size: int
    name: str


@dataclass
class ShaderBinding:
    """A buffer or image of a kernel; `dimension` is 0 for buffers."""

    dtype: type[dt.dtype]
    name: str
    dimension: int
    binding_type: BindingType


class ShaderBuilder(ShaderWriter):
    """A kernel being traced."""

    def __init__(self, flags: ShaderFlags = ShaderFlags.NONE):
        super().__init__()
        self.flags = ShaderFlags(flags)
        #: The choice of set_codegen_backend() when the trace began; None leaves the language to the runtime.
        self.chosen_backend: CodeGenBackend | None = chosen_backend()
        self.reset()

    def reset(self) -> None:
        """Begin anew, with an empty kernel."""
        flags = sum(number for flag, number in _BUILDER_FLAGS.items() if self.flags & flag)
        self._open(flags)
        self._kernel: Any = None
        #: (dtype, value) of each argument in the core.
        self.argument_values: list[tuple[type[dt.dtype], int]] = []
        self.shader_args: list[Any] = []
        self.shader_arg_infos: list[ShaderArgumentInfo] = []
        self.binding_list: list[ShaderBinding] = []
        self.shared_buffers: list[SharedBuffer] = []
        self.pc_struct = StructBuilder()
        self.uniform_struct = StructBuilder()
        self._name_count = 0

    @property
    def backend(self) -> CodeGenBackend:
        """The language in which the kernel's source will be printed."""
        return self.chosen_backend or get_codegen_backend()

    @property
    def binding_count(self) -> int:
        """The number of buffers and images."""
        return len(self.binding_list)

    @property
    def exec_count(self) -> ShaderVariable | None:
        """The launch's size as a uvec3; None where the kernel runs past it."""
        if self.flags & ShaderFlags.NO_EXEC_BOUNDS:
            return None
        return ShaderVariable(self, dt.uvec3, self.emit(e.VD_OP_BUILTIN, 0, e.VD_BUILTIN_EXEC_SIZE, 0))

    @property
    def contents(self) -> str:
        """Nothing: the kernel is kept in the core, not as text."""
        return ""

    def append_contents(self, contents: str) -> NoReturn:
        """Raw source text has no place in a kernel that is printed in several languages."""
        raise NotImplementedError("append_contents: raw source text cannot be added to a kernel!")

    def new_name(self) -> str:
        """A name that no automatic one repeats."""
        self._name_count += 1
        return f"var{self._name_count - 1}"

    # ---- Variables

    def new_register(
        self, var_type: type[dt.dtype], value: int | None = None, var_name: str | None = None
    ) -> ShaderVariable:
        """Declare a register here, holding the core's `value`, which has the dtype `var_type`; without one, zero."""
        number = TYPE_OF[var_type]
        if value is None:
            value = self.emit(e.VD_OP_ZERO, number, 0, 0)
        reference = self.statement(e.VD_OP_VAR, number, 0, value)
        if var_name is not None:
            self.name_value(reference, var_name)
        if value in self.hazards.numbers:
            self.hazards.numbers.add(reference)
        reads = ((reference, 0, (), 0, 0, ()),)
        return ShaderVariable(self, var_type, reference, True, True, number, reads, None, var_name)

    def new_var(self, var_type: type[dt.dtype], name: str | None = None, *args: Any, **kwargs: Any) -> ShaderVariable:
        """Declare a register of zeros."""
        return self.new_register(var_type, None, name)

    def new_scaled_var(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Formulas are written with operators; the core folds `x * scale + offset`."""
        raise NotImplementedError("new_scaled_var: write the formula with operators instead!")

    def shared_buffer(self, var_type: type[dt.dtype], size: int, var_name: str | None = None) -> BufferVariable:
        """Declare an array of `size` elements that the invocations of a workgroup share. It is not initialised."""
        from .._native import raw

        if not dt.is_dtype(var_type):
            var_type = dt.as_dtype(var_type, "A shared buffer's type")
        count = as_index(size)
        if count is None:
            raise TypeError(f"A shared buffer's size must be an int, not {type(size).__name__}!")
        if not 1 <= count <= 0xFFFFFFFF:
            raise ValueError(f"A shared buffer's size ({count}) must be at least 1 and fit 32 bits!")
        name = var_name or f"shared{len(self.shared_buffers)}"
        value = raw.vd_builder_shared(self._native, memory_type(var_type), count, e.VD_SHARED_OFFSET_AUTO, name)
        self.shared_buffers.append(SharedBuffer(var_type, count, name))
        return BufferVariable(self, var_type, value, name, None, count)

    # ---- Arguments

    def declare_shader_arguments(
        self,
        type_annotations: typing.Sequence[Any],
        names: typing.Sequence[str] | None = None,
        defaults: typing.Sequence[Any] | None = None,
    ) -> list[Any]:
        """Declare the kernel's parameters from their annotations; the result is what the kernel's function is given."""
        for i, annotation in enumerate(type_annotations):
            name = names[i] if names is not None else f"param{len(self.shader_args)}"
            default = defaults[i] if defaults is not None else None
            self.shader_args.append(self._declare(check_annotation(annotation, name), name, default))
        return self.shader_args

    def get_shader_arguments(self) -> list[Any]:
        """The result of declare_shader_arguments()."""
        return self.shader_args

    def _declare(self, annotation: Any, name: str, default: Any) -> Any:
        if isinstance(annotation, type) and dataclasses.is_dataclass(annotation):
            return self._declare_dataclass(annotation, name, default)
        kind, t = typing.get_origin(annotation), typing.get_args(annotation)[0]
        if issubclass(kind, ann.Buffer):
            return self._declare_buffer(t, name, default)
        if issubclass(kind, ImageVariable):
            return self._declare_image(kind, t, name, default)
        if kind is ann.Constant:
            self._add_info(name, ShaderArgumentType.CONSTANT, default, name)
            return self._declare_value(e.VD_ARGUMENT_CONSTANT, t, name)
        self._add_info(name, ShaderArgumentType.VARIABLE, default, name)
        return self._declare_value(e.VD_ARGUMENT_VARIABLE, t, name)

    def _declare_buffer(self, t: type[dt.dtype], name: str, default: Any) -> BufferVariable:
        value = self._argument(e.VD_ARGUMENT_BUFFER, t, name)
        binding = len(self.binding_list)
        self.binding_list.append(ShaderBinding(t, name, 0, BindingType.STORAGE_BUFFER))
        self._add_info(name, ShaderArgumentType.BUFFER, default, name, f"{name}_shape", binding)
        return BufferVariable(self, t, value, name, binding)

    def _declare_image(self, kind: type[ImageVariable], t: Any, name: str, default: Any) -> ImageVariable:
        from .._native import raw

        channel: type[dt.dtype] = dt.float32
        form, access = e.VD_FORMAT_NONE, 0
        if issubclass(kind, StorageImageVariable):
            texel = storage_texel(t)
            channel, form = texel.scalar, texel.number
            access = e.VD_ARGUMENT_ACCESS_READ | e.VD_ARGUMENT_ACCESS_WRITE
        elif dt.is_scalar(t) and issubclass(t, (dt.int8, dt.int16, dt.int32)):
            channel = dt.int32
        elif dt.is_scalar(t) and issubclass(t, (dt.uint8, dt.uint16, dt.uint32)):
            channel = dt.uint32
        desc = raw.vd_argument_desc(
            kind=e.VD_ARGUMENT_IMAGE,
            type=memory_type(channel),
            name=name,
            image_dimensions=kind.dimensions,
            image_layers=int(kind.layered),
            image_format=form,
            image_access=access,
        )
        value = raw.vd_builder_argument(self._native, desc)
        self.argument_values.append((channel, value))
        binding = len(self.binding_list)
        self.binding_list.append(ShaderBinding(channel, name, kind.dimensions, BindingType.SAMPLER))
        self._add_info(name, ShaderArgumentType.IMAGE, default, name, None, binding)
        return kind(self, channel, value, name, binding)

    def _declare_value(self, kind: int, t: type[dt.dtype], name: str) -> ShaderVariable:
        block = self.pc_struct if kind == e.VD_ARGUMENT_VARIABLE else self.uniform_struct
        block.register_element(name, t)
        value = self._argument(kind, t, name)
        return ShaderVariable(self, t, truth_of_byte(self, value, 0) if t is dt.bool_ else value, name=name)

    def _declare_dataclass(self, annotation: Any, name: str, default: Any) -> Any:
        try:
            hints = typing.get_type_hints(annotation)
        except NameError as error:
            raise TypeError(f"Argument '{name}': the fields' types cannot be resolved ({error})!") from None
        fields = {}
        for field in dataclasses.fields(annotation):
            if not dt.is_dtype(hints[field.name]):
                raise ValueError(f"Field '{field.name}' of argument '{name}' must be annotated with a dtype!")
            fields[field.name] = f"{name}_{field.name}"
        self._add_info(name, ShaderArgumentType.CONSTANT_DATACLASS, default, fields)
        values = {
            field: self._declare_value(e.VD_ARGUMENT_CONSTANT, hints[field], member) for field, member in fields.items()
        }
        return annotation(**values)

    def _argument(self, kind: int, t: type[dt.dtype], name: str) -> int:
        from .._native import raw

        desc = raw.vd_argument_desc(kind=kind, type=memory_type(t), name=name)
        value = raw.vd_builder_argument(self._native, desc)
        self.argument_values.append((t, value))
        return value

    def _add_info(self, *args: Any) -> None:
        self.shader_arg_infos.append(ShaderArgumentInfo(*args))

    # ---- The end

    def build(self, name: str) -> ShaderDescription:
        """Finish the kernel. Further calls describe the same kernel again."""
        from .._native import raw

        if self._kernel is None:
            self.close()
            self.name_value(0, name)
            self._kernel = raw.vd_builder_finish(self._native)
        return ShaderDescription(self, name, self._kernel)
