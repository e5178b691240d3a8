"""The common part of kernels that the core writes and that users' functions are traced into."""

from __future__ import annotations

import threading
import typing
from collections.abc import Callable, Sequence
from typing import Any

from .. import _native
from .._native._launcher import KernelBase
from ..base import dtype as dt
from ..base.buffer import Buffer
from ..base.compute_plan import ComputePlan
from ..base.context import Context, Handle, context_of, get_context, several_contexts
from ..base.errors import WrongTypeError
from ..base.init import is_dummy
from ..base.launch_desc import Binding, image_binding
from ..base.pointers import address_of
from ..base.values import pack_value
from ..base.words import tensor_cure
from ..codegen import _state, language
from ..codegen import arguments as ann
from ..codegen._types import TYPE_OF
from ..codegen.builder import ShaderBuilder, ShaderFlags
from ..codegen.variables.images import ImageVariable, StorageImageVariable
from ..codegen.variables.variables import ShaderVariable
from ..execution_pipeline import command_graph
from ..execution_pipeline.command_graph import CommandGraph
from ..execution_pipeline.graph_variables import Bound, BoundValue
from .launch import check_element_type, prepared_plan_launch
from .shader_function import ShaderSource


class PassBuilder(ShaderBuilder):
    """A kernel that the core writes and functions are traced into."""

    def __init__(self, native: Any):
        self._given = native
        super().__init__(ShaderFlags.NO_EXEC_BOUNDS)

    def _open(self, flags: int, name: str | None = None) -> None:
        self._clear()
        self._native = self._given
        self.emit = _native.hot.vd_builder(address_of(self._native), self._native).emit


def index_variable(builder: ShaderBuilder, value: int) -> ShaderVariable:
    """An index that the core gives."""
    wide = value >> 32 == TYPE_OF[dt.uint64]
    return ShaderVariable(builder, dt.uint64 if wide else dt.uint32, value)


class CorePlan(ComputePlan):
    """A plan that the core made."""

    def __init__(self, context: Context, make: Callable[[Context, int], Any], name: str):
        Handle.__init__(self, context)
        self._prepared: Any = None
        # For all devices at once: the functions that it is made of are not kept.
        plan, *others = [make(context, device) for device in range(len(context.device_ids))]
        self._take(plan)
        self._others.update(enumerate(others, 1))
        self.shader_name = name
        self.pc_size = _native.raw.vd_plan_get_info(plan).values_size

    def prepared(self, types: Sequence[Any]) -> Any:
        """A launch of it with buffers of these dtypes, for KernelBase; None where that cannot be prepared."""
        if self._prepared is None and not self.pc_size:
            context, native = self.context, self._live_plan()
            self._prepared = prepared_plan_launch(
                address_of(native),
                native,
                types,
                (command_graph._global_graph, _state._state),
                len(context.device_ids) == context.queue_count == 1,
                context.serial,
            )
        return self._prepared

    def _drop(self) -> None:
        if self._prepared is not None:
            self._prepared.drop()
        super()._drop()

    def source(self, name: str, line_numbers: bool | None = None) -> ShaderSource:
        """The source of all its passes."""
        raw = _native.raw
        code = raw.vd_plan_get_source(self._plan)
        if line_numbers is None:
            line_numbers = language.get_shader_print_line_numbers()
        if line_numbers:
            code = "".join(f"{i:4d}: {line}\n" for i, line in enumerate(code.splitlines(), 1))
        local = raw.vd_plan_get_info(self._plan).workgroup_size
        return ShaderSource(name, code, (local[0], local[1], local[2]))

    def explain(self) -> str:
        """Describe it in plain text."""
        return _native.raw.vd_blob_data(_native.raw.vd_plan_explain(self._plan)).decode()


Arguments = tuple[list[Binding], bytes, list[Bound]]


# Arguments of transforms and reductions, and dtypes of buffers, that were remarked on.
_noted: set = set()


def _told(arguments: Sequence[tuple[str, Any]]) -> str:
    return ", ".join(name for name, _ in arguments)


#: The way in which a program says which elements a transform or a reduction takes.
_TAKING = {"transform": "input_type= or output_type=vd.{}", "reduction": "a reduction of vd.{}"}


def gather(arguments: Sequence[tuple[str, Any]], args: Sequence[Any], what: str, of: str) -> Arguments:
    """The buffers and images, the block of values and the variables of a call, of annotated arguments."""
    if len(args) < len(arguments):
        raise ValueError(f"Missing argument '{arguments[len(args)][0]}'! The {what} '{of}' takes ({_told(arguments)}).")
    if len(args) > len(arguments):
        raise ValueError(
            f"The {what} takes {len(arguments)} argument(s), but {len(args)} were given! They are ({_told(arguments)})."
        )
    bindings: list[Binding] = []
    bound: list[Bound] = []
    block = bytearray()
    for (name, annotation), value in zip(arguments, args, strict=True):
        var_type, kind = typing.get_args(annotation)[0], typing.get_origin(annotation)
        if issubclass(kind, ImageVariable):
            bindings.append(image_binding(value, name, f"{what} '{of}'", issubclass(kind, StorageImageVariable)))
            continue
        if issubclass(kind, ann.Buffer):
            if not isinstance(value, Buffer):
                raise WrongTypeError(
                    f"Expected a buffer for argument '{name}' (got {type(value).__name__})!{tensor_cure(value, name)}"
                )
            check_element_type(f"{what} '{of}'", name, var_type, value.var_type, _noted, _TAKING[what])
            if value.mem_size % var_type.item_size:
                raise ValueError(
                    f"Buffer for argument '{name}' has {value.mem_size} bytes, no whole number of {var_type.name}!"
                )
            bindings.append((value, 0, 0))
            continue
        # Scalar block layout: each value at a multiple of its scalar.
        align = (var_type if var_type.scalar is None else var_type.scalar).item_size
        block.extend(bytes(-len(block) % align))
        if isinstance(value, BoundValue):
            if kind is not ann.Variable:
                raise ValueError(f"Cannot use LaunchVariables for Constants (argument '{name}')")
            bound.append((value, len(block), var_type, name))
            block.extend(bytes(var_type.item_size))
        else:
            block.extend(pack_value(value, var_type, name))
    return bindings, bytes(block), bound


class GeneratedFunction(KernelBase):
    """Something that can be called as a kernel can, described once and built for a context when it is first needed."""

    def __init__(self, name: str, arguments: Sequence[tuple[str, Any]]):
        self.name = self.__name__ = name
        #: The plan of the context that it was built for last.
        self.plan: CorePlan | None = None
        self._plans: dict[int, CorePlan] = {}  # by the context's serial number
        self._lock = threading.RLock()
        self._arguments = list(arguments)

    def _make_plan(self, context: Context, device: int) -> Any:
        raise NotImplementedError

    def _ready_plan(self) -> CorePlan | None:
        """The plan if it is one of the present context. Threads with other contexts change `plan`."""
        plan = self.plan
        if plan is None or plan.destroyed or several_contexts() and plan.context is not get_context():
            return None
        return plan

    @property
    def ready(self) -> bool:
        """Whether it is built for the present context."""
        return self._ready_plan() is not None

    def build(self) -> None:
        """Write the user's functions, and compile. Doing it again does nothing."""
        self._built()

    def _built(self) -> CorePlan:
        """The plan of the present context."""
        plan = self._ready_plan()
        if plan is None:
            with self._lock:
                context = get_context()
                plan = self._plans.get(context.serial)
                if plan is None or plan.destroyed:
                    self._plans = {serial: other for serial, other in self._plans.items() if not other.destroyed}
                    plan = self._plans[context.serial] = CorePlan(context, self._make_plan, self.name)
                self.plan = plan
        return plan

    def _record(self, args: Sequence[Any], graph: Any) -> None:
        context = context_of_call(self.name, self._arguments, args)
        with context.active():
            target = target_graph(self.name, graph, context)
            bindings, values, bound = gather(self._arguments, args, "transform", self.name)
            plan = self._built()
        target._launch(plan, (0, 0, 0), bindings, values, bound)

    def _prepare(self) -> None:
        """From now on calls go straight to the library, where the arguments are buffers of the annotated dtypes."""
        plan = self.plan
        if plan is not None and all(issubclass(typing.get_origin(a), ann.Buffer) for _, a in self._arguments):
            self._quick = plan.prepared([typing.get_args(a)[0] for _, a in self._arguments])

    # ---- Source

    def get_src(self, line_numbers: bool | None = None) -> Any:
        """The source of all passes."""
        return self._built().source(self.name, line_numbers)

    def print_src(self, line_numbers: bool | None = None) -> None:
        """Print the source."""
        print(self.get_src(line_numbers))

    def explain(self) -> str:
        """Describe it: passes, invocations, shared memory."""
        return self._built().explain()

    def __repr__(self) -> str:
        return repr(self.get_src())


def context_of_call(name: str, arguments: Sequence[tuple[str, Any]], args: Sequence[Any]) -> Context:
    """The context of a call's buffers; the current one without any."""
    if is_dummy() and not several_contexts():
        raise RuntimeError("Cannot execute shader functions with dummy backend!")
    names = [f"argument '{argument}'" for argument, _ in arguments]
    return context_of(zip(names, args, strict=False), f"Kernel '{name}'") or get_context()


def target_graph(name: str, graph: Any, context: Context) -> CommandGraph:
    """The graph that a call goes to. Raises where a call cannot be."""
    if context.backend == "dummy":
        raise RuntimeError("Cannot execute shader functions with dummy backend!")
    if _state._state.builder is not None:
        raise RuntimeError(f"Kernel '{name}' cannot be called while another kernel is being traced!")
    return command_graph.target_of_call(graph, context, f"Kernel '{name}'")
