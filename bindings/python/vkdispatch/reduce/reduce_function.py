"""A reduction that can be called: one kernel for all sizes of its arguments, made when a size first comes.

Example:
    print(row_sums.explain((1000, 1000)))
    row_sums.print_src()
"""

from __future__ import annotations

import operator
import threading
import typing
from collections.abc import Iterable, Sequence
from typing import Any

from .. import _native
from ..base import dtype as dt
from ..base.buffer import Buffer
from ..base.context import Context, get_context
from ..base.errors import WrongTypeError
from ..base.init import is_dummy
from ..base.launch_desc import image_of
from ..base.remarks import caution
from ..base.words import bracketed, tensor_cure
from ..codegen import _state
from ..codegen import arguments as ann
from ..codegen._types import TYPE_OF
from ..codegen.explaining import explaining
from ..codegen.functions.casts import to_dtype
from ..codegen.mapping import MappingFunction, map_function, set_result
from ..codegen.variables.variables import ShaderVariable
from ..shader.generated import CorePlan, PassBuilder, context_of_call, gather, index_variable, target_graph
from ..shader.memo import PlanMemo, function_key
from .operations import ReduceOp, identity_bytes

_e = _native.enums

# Plans of all reductions whose functions can be distinguished by the values that they read, so that a decorator inside
# of a function compiles once.
_plans = PlanMemo()
#: The shape of which get_src() shows the code: large enough for several groups.
_SHOWN = 1 << 20
#: Bytes of the elements that a reduction without a map reads at once, at most.
_ALIGNMENT = 16
# Arguments that decorators take and calls do not.
_OF_DECORATORS = ("axes", "keepdims", "group_size")


class _Current(threading.local):
    index: Any = None


_current = _Current()


def mapped_io_index() -> ShaderVariable | Any:
    """The element that a reduction's map is traced for, as its flat index; None outside of one."""
    return _current.index


def _element(param0: Any) -> Any:
    return param0[mapped_io_index()]


class ReduceFunction:
    """A reduction over all elements of its first argument, or over some axes of it."""

    def __init__(
        self,
        reduction: ReduceOp,
        out_type: Any,
        group_size: int | None = None,
        map_func: MappingFunction | None = None,
        input_types: Sequence[Any] | None = None,
        axes: Sequence[int] | int | None = None,
        keepdims: bool = False,
        name: str | None = None,
    ):
        if map_func is not None and input_types is None:
            input_types = map_func.buffer_types
        self.reduction = reduction
        self.out_type = out_type
        self.map_func = map_func
        self.input_types = list(input_types) if input_types is not None else [ann.Buffer[out_type]]
        self.axes = None if axes is None else _as_axes(axes)
        self.keepdims = keepdims
        self.name = self.__name__ = name or f"reduce_{reduction.name}"
        self._given_group_size = None if group_size is None else _as_int(group_size, "group_size")
        # Plans of functions that hand on objects: traced once for this reduction and a shape.
        self._own_plans = PlanMemo()
        # Made when a buffer comes that does not lie where several elements are read at once.
        self._of_elements: ReduceFunction | None = None
        named = [(f"param{i}", None) for i in range(len(self.input_types))]
        if map_func is not None and len(map_func.names_and_defaults) == len(named):
            named = map_func.names_and_defaults
        self._arguments = [(name, of) for (name, _), of in zip(named, self.input_types, strict=True)]
        self._defaults = [default for _, default in named]

    @property
    def group_size(self) -> int:
        """Invocations of a group, at most."""
        if self._given_group_size is not None:
            return self._given_group_size
        return get_context().max_workgroup_size[0]

    # ---- Building

    def _desc(self, shape: tuple[int, ...], axes: tuple[int, ...] | None) -> tuple[Any, list]:
        from .._native._load import ffi

        core = self.reduction._core
        kept = [ffi.new("char[]", self.name.encode())]
        fields: dict[str, Any] = {"label": kept[0]}
        if core is None:
            core = _e.VD_REDUCE_OP_CUSTOM
            data = identity_bytes(self.reduction.identity, self.out_type)
            kept.append(ffi.from_buffer(data))
            fields.update(identity=kept[1], identity_size=len(data))
        if self._given_group_size is not None:
            fields["workgroup_size"] = self._given_group_size
        desc = _native.raw.vd_reduce_desc(
            op=core,
            flags=_e.VD_REDUCE_MAP_INPUT if self.map_func is not None else 0,
            rank=len(shape),
            shape=list(shape),
            axis_count=0 if axes is None else len(axes),
            axes=[] if axes is None else list(axes),
            compute_type=TYPE_OF[self.out_type],
            **fields,
        )
        return desc, kept

    def _plan(self, shape: tuple[int, ...], axes: tuple[int, ...] | None) -> CorePlan:
        key = self._key()
        memo = _plans if key is not None else self._own_plans
        return memo.get((shape, axes, key), lambda: self._make_plan(shape, axes), lambda: (shape, axes, self._key()))

    def _key(self) -> Any:
        """A key, equal for reductions that have the same plan for a shape now; None if there is none."""
        of_map = None if self.map_func is None else function_key(self.map_func.mapping_function)
        op = self.reduction
        combined = function_key(op.reduction)
        if combined is None or (of_map is None and self.map_func is not None):
            return None
        fixed = (repr(op.identity), type(op.identity), op._core, self.name, self._given_group_size)
        return of_map, combined, fixed, self.out_type, tuple(self.input_types)

    def _make_plan(self, shape: tuple[int, ...], axes: tuple[int, ...] | None) -> CorePlan:
        context = get_context()
        size = self._given_group_size
        lanes = context.subgroup_size
        if size is not None and (size <= 0 or size % lanes != 0):
            raise ValueError(
                f"Group size must be a multiple of the sub-group size! ({size} is not a multiple of {lanes})"
            )

        def make(context: Context, device: int) -> Any:
            raw = _native.raw
            desc, kept = self._desc(shape, axes)
            desc.device = device
            gen = raw.vd_reduce_gen_create(context._pointer, desc)
            del kept
            self._trace(gen)
            return raw.vd_reduce_gen_finish(gen)

        return CorePlan(context, make, self.name)

    def _trace(self, gen: Any) -> None:
        """Write the user's functions where the core asks for them."""
        saved = _state._state.builder
        builders: dict[int, PassBuilder] = {}
        arguments: list[Any] = []
        try:
            self._write(gen, builders, arguments)
        finally:
            _state._state.builder = saved
            for builder in builders.values():
                builder.end_trace()
                builder.shader_args = []

    @explaining()
    def _write(self, gen: Any, builders: dict[int, PassBuilder], arguments: list[Any]) -> None:
        while True:
            element, native = _native.raw.vd_reduce_gen_next(gen)
            point = element.point
            if point == _e.VD_REDUCE_POINT_DONE:
                return
            number = -1 if point == _e.VD_REDUCE_POINT_COMBINE else int(getattr(element, "pass"))
            if number not in builders:
                builders[number] = PassBuilder(native)
            builder = builders[number]
            _state._state.builder = builder
            if point == _e.VD_REDUCE_POINT_ARGUMENTS:
                before = len(builder.shader_args)
                names = [name for name, _ in self._arguments]
                arguments[:] = builder.declare_shader_arguments(self.input_types, names)[before:]
            else:
                result = ShaderVariable(builder, self.out_type, element.value, True, True)
                if point == _e.VD_REDUCE_POINT_COMBINE:
                    left, right = (ShaderVariable(builder, self.out_type, v) for v in (element.left, element.right))
                    self._combine(result, left, right)
                else:
                    result[:] = self._map(arguments, index_variable(builder, element.index))
            builder.close()

    def _combine(self, result: ShaderVariable, left: Any, right: Any) -> None:
        function = self.reduction.reduction
        value = function(left, right)
        # Between scalars alone: of a vector one component would be taken for all of it.
        if isinstance(value, ShaderVariable) and dt.is_scalar(value.var_type) and dt.is_scalar(self.out_type):
            value = to_dtype(self.out_type, value)
        set_result(result, value, function, "function")

    def _map(self, arguments: list[Any], index: Any) -> Any:
        assert self.map_func is not None
        before, _current.index = _current.index, index
        try:
            return self.map_func.callback(*arguments)
        finally:
            _current.index = before

    # ---- Calling

    def __call__(self, *args: Any, graph: Any = None, **kwargs: Any) -> Buffer:
        """Record the reduction into `graph`, else into the thread's graph. Gives the buffer of the result.

        `result.read(0)[0]` is the value, or the array of values of the axes that stay.
        """
        context = context_of_call(self.name, self._arguments, (*args, *kwargs.values()))
        target = target_graph(self.name, graph, context)
        with context.active():
            return self._record(target, self._bind(args, kwargs))

    def _record(self, target: Any, args: tuple) -> Buffer:
        if not args or not (isinstance(args[0], Buffer) or image_of(args[0]) is not None):
            given = type(args[0]).__name__ if args else "nothing"
            cure = tensor_cure(args[0]) if args else ""
            raise WrongTypeError(f"The first argument of a reduction must be a buffer or an image (got {given})!{cure}")
        if self.map_func is None and isinstance(args[0], Buffer) and not args[0]._lies_at(_ALIGNMENT):
            return self._by_elements()._record(target, args)
        bindings, values, bound = gather(self._arguments, args, "reduction", self.name)
        shape = self._shape_of(args[0])
        axes = self._axes_of(shape)
        plan = self._plan(shape, axes)
        out = Buffer(self._result_shape(shape, axes), self.out_type)
        target._launch(plan, (0, 0, 0), [(out, 0, 0), *bindings], values, bound)
        return out

    def _by_elements(self) -> ReduceFunction:
        """The same reduction of elements that are read one at a time."""
        if self._of_elements is None:
            element = map_function(_element, self.out_type, self.input_types)
            given = (self.reduction, self.out_type, self._given_group_size, element, self.input_types)
            self._of_elements = ReduceFunction(*given, self.axes, self.keepdims, self.name)
        return self._of_elements

    def _bind(self, args: tuple, kwargs: dict[str, Any]) -> tuple:
        """All arguments by position: what is not given is its parameter's default."""
        if not kwargs and (not args or len(args) >= len(self._arguments)):
            return args
        names = [name for name, _ in self._arguments]
        for name in kwargs:
            if name not in names and name in ("axis", *_OF_DECORATORS):
                option = "axes" if name == "axis" else name
                raise TypeError(
                    f"The reduction has no parameter '{name}'! {option}= is told once, to the decorator above '{self.name}': "
                    f"@vd.reduce.reduce(identity, {option}=...), or map_reduce(..., {option}=...)."
                )
            if name not in names:
                raise TypeError(f"The reduction has no parameter '{name}'! It takes ({', '.join(names)}) and graph=.")
            if names.index(name) < len(args):
                raise TypeError(f"Argument '{name}' is given twice!")
        given = list(args)
        for name, default in list(zip(names, self._defaults, strict=True))[len(args) :]:
            value = kwargs.get(name, default)
            if value is None:
                raise ValueError(f"Missing argument '{name}'! Reduction '{self.name}' takes ({', '.join(names)}).")
            given.append(value)
        return tuple(given)

    def _shape_of(self, first: Any) -> tuple[int, ...]:
        """The first argument's shape, in elements of its annotation; an image's in texels."""
        image = image_of(first)
        if image is not None:
            return image.shape
        wanted, given = typing.get_args(self.input_types[0])[0], first.var_type
        if given.item_size == wanted.item_size:
            return tuple(first.shape)
        if self.axes is not None:
            raise ValueError(f"A buffer of {given.name} has no axes in elements of another size!")
        count = first.mem_size // wanted.item_size
        if dt.same_bits(given, wanted):
            caution(
                f"reduction '{self.name}': the {first.size} elements of {given.name} are taken for {count} of {wanted.name} "
                f"(annotations of {given.name} reduce them as they are)"
            )
        return (count,)

    def _axes_of(self, shape: tuple[int, ...]) -> tuple[int, ...] | None:
        if self.axes is None:
            return None
        rank = len(shape)
        for axis in self.axes:
            if not -rank <= axis < rank:
                raise ValueError(f"axis ({axis}) is not an axis of {rank} dimension(s)!")
        axes = tuple(sorted({axis % rank for axis in self.axes}))
        if len(axes) != len(self.axes):
            raise ValueError(f"axes {self.axes} name an axis of {rank} dimension(s) twice!")
        return axes

    def _result_shape(self, shape: tuple[int, ...], axes: tuple[int, ...] | None) -> tuple[int, ...]:
        reduced = range(len(shape)) if axes is None else axes
        if self.keepdims:
            return tuple(1 if i in reduced else n for i, n in enumerate(shape))
        count = 1
        for i, n in enumerate(shape):
            count *= 1 if i in reduced else n
        return (1,) if len(reduced) == len(shape) else (1, count)

    # ---- Source

    def get_src(self, line_numbers: bool | None = None) -> list[Any]:
        """The code for arrays that take several workgroups, and for those of one workgroup."""
        rank = 1 if self.axes is None else max(axis + 1 if axis >= 0 else -axis for axis in self.axes)
        sources = []
        for count in (_SHOWN, 64):
            shape = [2] * rank
            axes = self._axes_of(tuple(shape))
            shape[-1 if axes is None else axes[-1]] = count
            sources.append(self._plan(tuple(shape), axes).source(self.name, line_numbers))
        return sources

    def print_src(self, line_numbers: bool | None = None) -> None:
        """Print the code."""
        print(*self.get_src(line_numbers), sep="\n")

    def explain(self, shape: Sequence[int]) -> str:
        """Describe how an array of a shape is reduced: invocations, accesses, workgroups."""
        dims = (shape,) if isinstance(shape, int) else tuple(_as_int(n, "shape") for n in shape)
        if any(n < 1 for n in dims):
            raise ValueError(f"shape {bracketed(shape)} must have positive dimensions!")
        return self._plan(dims, self._axes_of(dims)).explain()

    def __repr__(self) -> str:
        return (
            f"<reduction '{self.name}' to {self.out_type.name}>" if is_dummy() else "\n".join(map(repr, self.get_src()))
        )


def _as_int(given: Any, name: str) -> int:
    try:
        return operator.index(given)
    except TypeError:
        raise WrongTypeError(f"{name} {bracketed(given)} must be an integer!") from None


def _as_axes(axes: Any) -> tuple[int, ...]:
    try:
        numbers = tuple(operator.index(axis) for axis in (axes if isinstance(axes, Iterable) else (axes,)))
    except TypeError:
        raise WrongTypeError(f"axes {bracketed(axes)} must be an integer or several!") from None
    if not numbers:
        raise ValueError("axes must name at least one axis!")
    return numbers
