"""A transform that can be called: described once, built for a context when it is first needed."""

from __future__ import annotations

import dataclasses
from types import TracebackType
from typing import Any

from .. import _native
from ..base.context import Context, get_context
from ..base.errors import WrongTypeError
from ..base.words import bracketed
from ..codegen import _state
from ..codegen import arguments as ann
from ..codegen._types import TYPE_OF
from ..codegen.explaining import explaining
from ..codegen.mapping import MappingFunction
from ..codegen.variables.variables import ShaderVariable
from ..shader.generated import CorePlan, GeneratedFunction, PassBuilder, index_variable
from ..shader.memo import PlanMemo, map_key
from .arguments import called_as, complete
from .global_memory_iterators import GlobalReadOp, GlobalWriteOp, _current, mapped_kernel_index
from .watch import MapWatch

_e = _native.enums
_PARTS = {"output": _e.VD_FFT_MAP_OUTPUT, "input": _e.VD_FFT_MAP_INPUT, "kernel": _e.VD_FFT_MAP_FILTER}


@dataclasses.dataclass(frozen=True)
class Transform:
    """Everything that makes one transform different from another."""

    shape: tuple[int, ...]
    axis: int
    compute_type: Any
    output_type: Any = None
    input_type: Any = None
    kernel_type: Any = None
    inverse: bool = False
    normalize: bool = True
    r2c: bool = False
    signal_range: tuple[int | None, int | None] = (None, None)
    written_range: tuple[int | None, int | None] = (None, None)
    convolve: bool = False
    conjugate: bool = True
    shared_kernel: bool = False
    kernel_count: int = 1
    output_map: MappingFunction | None = None
    input_map: MappingFunction | None = None
    kernel_map: MappingFunction | None = None
    name: str | None = None
    tune: int = 0
    workspace: bool = False
    any_order: bool = False

    def __post_init__(self) -> None:
        if self.name is not None and not isinstance(self.name, str):
            called = "convolve()" if self.convolve else called_as(self.inverse, self.r2c)
            raise WrongTypeError(f"{called}: name {bracketed(self.name)} must be a str")

    @property
    def key(self) -> tuple:
        """A key, equal for transforms with equal code: maps count by their code, their types and the values that they
        read now."""
        values = [getattr(self, field.name) for field in dataclasses.fields(self)]
        return tuple(map_key(v) if isinstance(v, MappingFunction) else v for v in values)

    @property
    def has_maps(self) -> bool:
        """Whether functions of the user's are part of it."""
        return any(mapping is not None for _, mapping, _ in self.parts())

    @property
    def out_of_place(self) -> bool:
        """Whether the input is an argument of its own."""
        return self.output_map is not None and self.input_map is None

    def parts(self) -> list[tuple[str, MappingFunction | None, Any]]:
        """(part, map or None, type) of the arguments, in their order."""
        parts = [("output", self.output_map, self.output_type)]
        if self.input_map is not None or self.out_of_place:
            parts.append(("input", self.input_map, self.input_type))
        if self.convolve:
            parts.append(("kernel", self.kernel_map, self.kernel_type))
        return parts

    def arguments(self) -> list[tuple[str, Any]]:
        """(name, annotation) of each argument."""
        result: list[tuple[str, Any]] = []
        for part, mapping, var_type in self.parts():
            if mapping is None:
                result.append((part, ann.Buffer[var_type]))  # type: ignore[valid-type]
            else:
                result.extend((f"{part}{i}", annotation) for i, annotation in enumerate(mapping.buffer_types))
        if self.workspace:
            result.append(("workspace", ann.Buffer[self.compute_type]))  # type: ignore[name-defined]
        return result

    def told_arguments(self) -> list[tuple[str, Any]]:
        """The same with the names that messages give: a map's parameters by their own, too."""
        own: dict[str, str] = {}
        for part, mapping, _ in self.parts():
            parameters = mapping.names_and_defaults if mapping is not None else ()
            of = getattr(mapping and mapping.mapping_function, "__name__", "a map")
            own |= {f"{part}{i}": f" ({parameter} of {of})" for i, (parameter, _) in enumerate(parameters)}
        return [(name + own.get(name, ""), annotation) for name, annotation in self.arguments()]

    def desc(self) -> tuple[Any, list]:
        """The core's descriptor, and the objects that must live as long as it is used."""
        from .._native._load import ffi

        if self.r2c and self.kernel_count > 1 and len(self.shape) == 1:
            # The stride of rows says where the next kernel's result begins, and a line alone has none.
            return dataclasses.replace(self, shape=(1, *self.shape), axis=1).desc()
        flags = 0
        for part, mapping, _ in self.parts():
            flags |= _PARTS[part] if mapping is not None else 0
        flags |= _e.VD_FFT_OUT_OF_PLACE if self.out_of_place else 0
        flags |= _e.VD_FFT_WORKSPACE if self.workspace else 0
        if self.convolve:
            flags |= _e.VD_FFT_CONVOLVE | (_e.VD_FFT_CONJUGATE if self.conjugate else 0)
            flags |= _e.VD_FFT_SHARED_FILTER if self.shared_kernel else 0
        kind = _e.VD_FFT_KIND_C2C if not self.r2c else _e.VD_FFT_KIND_C2R if self.inverse else _e.VD_FFT_KIND_R2C
        (low, high), (first, end) = self.signal_range, self.written_range
        fields: dict[str, Any] = {}
        for side, var_type, real in (
            ("in", self.input_type, not self.inverse),
            ("out", self.output_type, self.inverse or self.convolve),
        ):
            kept = var_type if var_type is not None else self.compute_type
            fields[f"{side}_type"] = TYPE_OF[kept.child_type if self.r2c and real else kept]
            # In place these are the core's own, with which it may go over ranges.
            if self.r2c and (self.out_of_place or self.kernel_count > 1):
                fields[f"{side}_strides"] = self._strides(2 if real else 1)
        name = ffi.new("char[]", (self.name or "fft").encode()) if self.name else None
        if name is not None:
            fields["label"] = name
        desc = _native.raw.vd_fft_desc(
            direction=_e.VD_FFT_DIRECTION_INVERSE if self.inverse else _e.VD_FFT_DIRECTION_FORWARD,
            kind=kind,
            flags=flags,
            norm=_e.VD_FFT_NORM_INVERSE if self.normalize else _e.VD_FFT_NORM_NONE,
            rank=len(self.shape),
            axis_count=1,
            shape=list(self.shape),
            axes=[self.axis],
            in_low=self._along(low),
            in_high=self._along(high),
            out_low=self._along(first),
            out_high=self._along(end),
            filter_type=TYPE_OF[self.kernel_type] if self.convolve and self.kernel_type is not None else 0,
            compute_type=TYPE_OF[self.compute_type],
            filter_count=self.kernel_count,
            tune=self.tune,
            spectrum=_e.VD_FFT_SPECTRUM_ANY if self.any_order else _e.VD_FFT_SPECTRUM_NATURAL,
            **fields,
        )
        return desc, [name]

    def _along(self, number: int | None) -> list[int]:
        """A number for the axis, none for the others."""
        return [(number or 0) if i == self.axis else 0 for i in range(len(self.shape))]

    def _strides(self, per_number: int) -> list[int]:
        """Strides of rows as long as their half spectrum, in complex numbers or in reals."""
        step, strides = self.shape[-1] // 2 + 1, [1]
        step *= per_number
        for n in reversed(self.shape[:-1]):
            strides.append(step)
            step *= n
        return strides[::-1]


class _Tracer:
    """Writes a transform's maps where the core asks for them."""

    def __init__(self, transform: Transform, gen: Any):
        self._transform = transform
        self._gen = gen
        self._builders: list[PassBuilder] = []
        self._arguments: dict[str, list[Any]] = {}
        self._watches = {part: MapWatch(part, mapping) for part, mapping, _ in transform.parts() if mapping is not None}

    def run(self) -> None:
        """All elements of all passes."""
        saved = _state._state.builder
        try:
            while True:
                element, native = _native.raw.vd_fft_gen_next(self._gen)
                if element.point == _e.VD_FFT_POINT_DONE:
                    break
                if _pass_of(element) == len(self._builders):
                    self._builders.append(PassBuilder(native))
                builder = self._builders[-1]
                _state._state.builder = builder
                self._write(builder, element)
                builder.close()
        finally:
            _state._state.builder = saved
            for builder in self._builders:
                builder.end_trace()
                builder.shader_args = []
        for watch in self._watches.values():
            watch.tell()

    @explaining()
    def _write(self, builder: PassBuilder, element: Any) -> None:
        t = self._transform
        if element.point == _e.VD_FFT_POINT_ARGUMENTS:
            part = next(name for name, flag in _PARTS.items() if flag == element.part)
            annotations = self._map(part).buffer_types
            names = [f"{part}{i}" for i in range(len(annotations))]
            before = len(builder.shader_args)
            self._arguments[part] = builder.declare_shader_arguments(annotations, names)[before:]
            return
        register = ShaderVariable(builder, t.compute_type, element.value, True, True)
        common = {
            "fft_offset": 0,
            "fft_stride": int(element.stride),
            "fft_index": index_variable(builder, element.position),
            "fft_size": int(element.size),
            "register_id": int(element.element_id),
            "register_count": int(element.element_count),
            "element_id": int(element.element_id),
            "element_count": int(element.element_count),
            "instance_id": int(element.filter_index),
            "instance_count": int(element.filter_count),
            "register": register,
            "io_index": index_variable(builder, element.index),
            "r2c": t.r2c,
            "inverse": t.inverse,
            "_gen": self._gen,
        }
        _current.kernel = int(element.filter_index) if t.convolve and element.point != _e.VD_FFT_POINT_READ else None
        try:
            if element.point == _e.VD_FFT_POINT_WRITE:
                op = _current.write = GlobalWriteOp(**common)
                self._watches["output"].trace(builder, op, self._arguments["output"])
            else:
                part = "kernel" if element.point == _e.VD_FFT_POINT_FILTER else "input"
                # A kernel's spectrum has no range: ranges belong to the transformed signal.
                kept = t.signal_range if part == "input" else (None, None)
                read = _current.read = GlobalReadOp(**common, signal_range=kept)
                if kept != (None, None):  # what a map that asks for the range leaves out is zero
                    register[:] = 0
                self._watches[part].trace(builder, read, self._arguments[part])
        except TypeError as error:
            if _current.kernel is None and "NoneType" in str(error) and _asks_for_kernel(error.__traceback__):
                hint = "vd.fft.mapped_kernel_index() is None here: only maps of a convolution's kernel and output have a kernel"
                raise TypeError(f"{error}: {hint}").with_traceback(error.__traceback__) from None
            raise
        finally:
            _current.read = _current.write = _current.kernel = None

    def _map(self, part: str) -> MappingFunction:
        return next(m for name, m, _ in self._transform.parts() if name == part)  # type: ignore[return-value]


def _asks_for_kernel(traceback: TracebackType | None) -> bool:
    """Whether a function that was left by an exception calls mapped_kernel_index()."""
    while traceback is not None:
        if mapped_kernel_index.__name__ in traceback.tb_frame.f_code.co_names:
            return True
        traceback = traceback.tb_next
    return False


def _pass_of(element: Any) -> int:
    return int(getattr(element, "pass"))


class FFTFunction(GeneratedFunction):
    """A transform that can be called with its buffers, as a kernel can."""

    def __init__(self, transform: Transform, memo: PlanMemo | None = None):
        super().__init__(transform.name or ("convolve" if transform.convolve else "fft"), transform.told_arguments())
        self.transform = transform
        self._memo = memo

    @property
    def described(self) -> str:
        """The subject of the library's error messages."""
        transform = self.transform
        return f"{'convolve' if transform.convolve else 'fft'}() of shape {transform.shape} along axis {transform.axis}"

    @property
    def workspace_size(self) -> int:
        """Bytes of its workspace on the current context's device; nothing is compiled for it."""
        desc, kept = self.transform.desc()
        size = _native.raw.vd_context_get_fft_workspace_size(get_context()._pointer, desc)
        del kept
        return int(size)

    def build(self) -> None:
        """Write the user's functions, and compile. Doing it again does so only if what the functions read has changed."""
        self._built()

    def _built(self) -> CorePlan:
        if self._memo is None:
            return super()._built()
        context = get_context()
        transform = self.transform
        plan = self._memo.get(
            transform.key, lambda: CorePlan(context, self._make_plan, self.name), lambda: transform.key
        )
        self.plan = plan
        return plan

    def _make_plan(self, context: Context, device: int) -> Any:
        raw = _native.raw
        desc, kept = self.transform.desc()
        desc.device = device
        if not self.transform.has_maps:  # it may be tuned, or go over ranges
            plan = raw.vd_plan_create_fft(context._pointer, desc)
            del kept
            return plan
        gen = raw.vd_fft_gen_create(context._pointer, desc)
        del kept
        _Tracer(self.transform, gen).run()
        return raw.vd_fft_gen_finish(gen)

    def _call(self, *args: Any, graph: Any = None, **parameters: Any) -> None:
        """Record the transform into `graph`, else into the thread's graph. Parameters of maps may be named, or left to their
        defaults."""
        t = self.transform
        maps = t.output_map, t.input_map, t.kernel_map
        own = []
        if t.workspace:
            if "workspace" not in parameters:
                raise TypeError(f"transform '{self.name}' takes its workspace: workspace=, of workspace_size bytes!")
            own = [parameters.pop("workspace")]
        self._record([*complete(self.name, args, maps, t.convolve, parameters), *own], graph)
        if self._memo is None:
            self._prepare()
