"""A kernel that can be called: built once, launched often.

Example:
    print(saxpy.get_src(line_numbers=True))  # the source that was compiled
    saxpy.build()  # compiles without a launch

    with vc.shader_context() as trace:
        (out,) = trace.declare_input_arguments([Buff[f32]])
        out[vc.global_invocation_id().x] = 1
    fill = vd.make_shader_function(trace.get_description("fill"), exec_count=3)
    fill(x)
    assert list(x.read(0)) == [1, 1, 1, 3]
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from .. import _native
from .._native._launcher import KernelBase
from ..base import dtype as dt
from ..base import init
from ..base.buffer import Buffer, StridedView
from ..base.compute_plan import ComputePlan
from ..base.context import Context, context_of, get_context, several_contexts
from ..base.errors import WrongTypeError
from ..base.launch_desc import Binding, image_binding
from ..base.pointers import address_of
from ..base.profile import Profile, as_repeats, median, without_timestamps
from ..base.remarks import caution, warn_caller, warn_of
from ..base.values import ValuesLayout
from ..base.words import bracketed, tensor_cure
from ..codegen import _state
from ..codegen.language import get_shader_print_line_numbers
from ..codegen.signature import RESERVED_NAMES
from ..compat import numpy_compat as npc
from ..execution_pipeline import command_graph
from ..execution_pipeline.command_graph import CommandGraph
from ..execution_pipeline.graph_variables import Bound, BoundValue
from . import launch
from .launch import ExecutionBounds, LaunchParametersHolder, element_type_remark

_enums = _native.enums
# The language that a backend runs; the host runs any kernel, in whatever language it is shown.
_RUNTIME_LANGUAGE = {"vulkan": "glsl", "cuda": "cuda", "opencl": "opencl"}


#: Buffers and sizes of which a kernel remembers what there was to say.
_MOST_SAID = 256
# Launches that are timed at once, room for calls beside them, and numbers that tell the launches from others.
_CALLS = 1000
_times = itertools.count(1)


@dataclass
class ShaderSource:
    """The source of a kernel for one workgroup size."""

    name: str
    code: str
    local_size: tuple[int, int, int]

    def __repr__(self) -> str:
        x, y, z = self.local_size
        return f"// ====== Source Code for '{self.name}', workgroup_size: ({x}, {y}, {z}) ======\n{self.code}"


class ShaderBuildError(_native.Error):
    """A kernel could not be built. `shader_source` has line numbers, `compiler_log` is what the compiler said."""

    def __init__(self, message: str, *, shader_source: ShaderSource, compiler_log: str | None = None):
        super().__init__(message, _enums.VD_ERR_COMPILE, _native._errors.active_backend[0]())
        self.shader_source = shader_source
        self.compiler_log = compiler_log

    def __reduce__(self) -> tuple[Any, ...]:
        made = partial(type(self), shader_source=self.shader_source, compiler_log=self.compiler_log)
        return made, self.args, vars(self)


def normal_local_size(value: Any, context: Context, kernel: str | None = None) -> tuple[int, int, int]:
    """A workgroup size as three ints within the device's limits; None is the widest on the first axis."""
    if value is None:
        return (context.max_workgroup_size[0], 1, 1)
    of = f" of kernel '{kernel}'" if kernel is not None else ""
    size = launch.as_counts(value, f"The local size{of}")
    for i in range(3):
        if size[i] > context.max_workgroup_size[i]:
            raise ValueError(
                f"Local size{of} ({size[i]}) for dimension {i} is above the device's limit ({context.max_workgroup_size[i]})!"
            )
    total = size[0] * size[1] * size[2]
    if total > context.max_workgroup_invocations:
        raise ValueError(
            f"Local size{of} {size} has {total} invocations, above the device's limit ({context.max_workgroup_invocations})!"
        )
    return size


@dataclass
class _Built:
    """A kernel for one context."""

    context: Context
    bounds: ExecutionBounds
    plan: ComputePlan | None  # none on the dummy backend
    quick: Any = None


class ShaderFunction(KernelBase):
    """A traced kernel. Calling it launches it on the context of its buffers; the first call there, or build(), compiles it."""

    def __init__(self, shader_description: Any, local_size: Any = None, workgroups: Any = None, exec_count: Any = None):
        if workgroups is not None and exec_count is not None:
            raise ValueError("Cannot specify both 'workgroups' and 'exec_size'")
        #: The plan of the context that it was built for last.
        self.plan: ComputePlan | None = None
        self._builds: dict[int, _Built] = {}  # by the context's serial number
        self._described_arguments = False
        self.shader_description = shader_description
        self.bounds: ExecutionBounds | None = None
        #: Whether it is built for the context.
        self.ready: bool = False
        #: The name of the function.
        self.name: str = shader_description.name
        self.local_size = local_size
        self.workgroups = workgroups
        self.exec_size = exec_count
        self.__name__ = self.name
        self._source: str | None = None
        self._lock = threading.RLock()
        self._names_and_defaults: list[tuple[str, Any]] = shader_description.get_arg_names_and_defaults()
        # The launch prepared for the extension, which is tried first. Nothing in it refers back to the kernel: dropping that
        # drops its plan.
        self._quick = None

    # ---- Building

    def build(self) -> None:
        """Compile the kernel for the current context. Doing it again does nothing."""
        if self.ready and not several_contexts():
            return
        self._build_for(get_context())

    def _build_for(self, context: Context) -> _Built:
        built = self._builds.get(context.serial)
        if built is None:
            with self._lock:
                built = self._builds.get(context.serial) or self._built_anew(context)
        if self.bounds is not built.bounds:
            self._take(built)
        return built

    def _take(self, built: _Built) -> None:
        """Show this build: by the attributes, and in calls that the extension makes."""
        with self._lock:
            if self._builds.get(built.context.serial) is not built:
                return  # destroyed meanwhile
            self.plan, self.bounds = built.plan, built.bounds
            self._source = None
            self._quick = built.quick
            self.ready = True

    def _built_anew(self, context: Context) -> _Built:
        description = self.shader_description
        local = normal_local_size(self._fixed_local_size() or self.local_size, context, self.name)
        self._check_language(context)
        bounds = ExecutionBounds(
            self._names_and_defaults,
            local,
            self.workgroups,
            self.exec_size,
            context.max_workgroup_count,
            self.name,
            self._place("; the kernel is at "),
        )
        built = _Built(context, bounds, None)
        if context.backend == "dummy":
            self._builds[context.serial] = built
            return built
        try:
            plan = ComputePlan.from_kernel(context, description._kernel, local, self.name)
        except (_native.OutOfMemoryError, _native.DeviceLostError):
            raise
        except _native.Error as error:
            source = ShaderSource(self.name, self._numbered(self._print_anyhow(local)), local)
            log = str(error)
            raise ShaderBuildError(
                f"Failed to build kernel '{self.name}': {log}", shader_source=source, compiler_log=log
            ) from error
        plan.on_destroy = _Forgetting(weakref.WeakMethod(self._forget_build), context.serial)
        built.plan = plan
        self._prepare_launch(built)
        first = not self._builds
        self._builds[context.serial] = built
        if first and not description.has_effect:
            said = f"{self._described()} stores nothing: no store, atomic or print is in it"
            function = getattr(self, "__wrapped__", None)
            warn_caller(said) if function is None else warn_of(function, said)
        return built

    def _described(self) -> str:
        """The kernel's name, and where it is written."""
        return f"kernel '{self.name}'{self._place(' (', ')')}"

    def _place(self, before: str, after: str = "") -> str:
        """File and line of the kernel's function, between two texts; nothing if it has none."""
        code = getattr(getattr(self, "__wrapped__", None), "__code__", None)
        return f"{before}{code.co_filename}:{code.co_firstlineno}{after}" if code else ""

    def _fixed_local_size(self) -> tuple[int, int, int] | None:
        size = tuple(self.shader_description._info.workgroup_size)
        return size if size[0] else None

    def _check_language(self, context: Context) -> None:
        chosen = self.shader_description._chosen_backend
        runtime = _RUNTIME_LANGUAGE.get(context.backend)
        if chosen is not None and runtime is not None and chosen.name != runtime:
            raise RuntimeError(
                f"Kernel '{self.name}' was traced for the language '{chosen.name}', "
                f"which backend '{context.backend}' cannot run! get_src(build=False) shows its source all the same."
            )

    def _forget_build(self, serial: int) -> None:
        """The plan is gone, as when its context is destroyed: the next call there builds another."""
        with self._lock:
            gone = self._builds.pop(serial, None)
            if gone is not None and gone.bounds is self.bounds:
                self.plan = None
                self.ready = False
                self._quick = None

    # ---- Source

    def _print(self, local: Sequence[int]) -> str:
        return self.shader_description.make_source(*local)

    def _print_anyhow(self, local: Sequence[int]) -> str:
        """The source, or the text form where the language lacks what the kernel needs."""
        try:
            return self._print(local)
        except _native.Error:
            return self.shader_description.print(_enums.VD_LANGUAGE_IR)

    @staticmethod
    def _numbered(code: str) -> str:
        return "".join(f"{i:4d}: {line}\n" for i, line in enumerate(code.splitlines(), 1))

    @property
    def source(self) -> str | None:
        """The source text; None before build()."""
        if self._source is None and self.ready:
            assert self.bounds is not None
            text = self._print(self.bounds.local_size)
            self._source = text if text.endswith("\n") else text + "\n"
        return self._source

    def get_src(self, line_numbers: bool | None = None, build: bool = True) -> ShaderSource:
        """The source; with line numbers if asked for, or set so for this thread.

        The kernel is compiled first. `build=False` does without, and so needs no device that could run it: it shows a
        kernel that was traced for another language (vc.set_codegen_backend).
        """
        if line_numbers is None:
            line_numbers = get_shader_print_line_numbers()
        if build:
            self.build()
        if self.bounds is not None:
            local = self.bounds.local_size
            code = self.source or ""
        else:
            local = self._unbuilt_local_size()
            code = self._print(local)
        return ShaderSource(self.name, self._numbered(code) if line_numbers else code, local)

    def _unbuilt_local_size(self) -> tuple[int, int, int]:
        wished = self._fixed_local_size() or self.local_size
        return launch.as_counts(wished, "The local size") if wished is not None else (1, 1, 1)

    def print_src(self, line_numbers: bool | None = None) -> None:
        """Print the source."""
        print(self.get_src(line_numbers))

    def __repr__(self) -> str:
        return repr(self.get_src())

    # ---- Launching

    def time(self, *args: Any, repeats: int = 10, **kwargs: Any) -> float:
        """The seconds that a launch with these arguments takes on the device: the median of `repeats` launches, after one
        that does not count. They are launches as any other, and change what the kernel writes."""
        as_repeats(repeats, f"{self.name}.time")
        if "graph" in kwargs:
            raise ValueError(f"{self.name}.time: graph= is given, and a recorded launch takes no time!")
        graph = CommandGraph(context=self._context_of_call(args, kwargs, None))
        label = f"time {next(_times)}"
        with graph.label(label):
            self._call(*args, graph=graph, **kwargs)
        graph.submit()
        capacity = repeats * graph.context.queue_count + _CALLS
        with Profile(capacity=capacity, summary=False, context=graph.context) as profile:
            graph.submit(repeats)
        times = [span.duration for span in profile.spans if span.on_device and span.label == label]
        if not times:
            raise without_timestamps(f"{self.name}.time")
        return median(times) / 1e9

    def _call(self, *args: Any, **kwargs: Any) -> None:
        """Perform a call that has no prepared launch, or that the prepared launch passed on.

        Launches the kernel, or records it into `graph=` or the thread's graph. `exec_size=` and `workgroups=`
        take precedence over the decorator's. With `counts_from=` they are the most that runs, and the workgroups on each
        axis are the three u32 that this buffer has when the launch begins.
        """
        own = dict(kwargs)
        graph, exec_size, workgroups, counts = (own.pop(name, None) for name in RESERVED_NAMES)
        try:
            self._checked_launch(args, own, graph, exec_size, workgroups, counts)
        except TypeError:
            self._check_call(args, kwargs)
            raise

    def _check_call(self, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
        """Raise a TypeError that names the kernel if the call's arguments do not match its parameters."""
        given = {name: value for name, value in kwargs.items() if name not in RESERVED_NAMES}
        try:
            LaunchParametersHolder(self._names_and_defaults, args, given)
        except TypeError as error:
            raise TypeError(f"Kernel '{self.name}': {error}") from None
        except ValueError:
            pass  # a missing argument is found elsewhere

    def _checked_launch(
        self, args: Sequence[Any], kwargs: dict, graph: Any, exec_size: Any, workgroups: Any, counts: Any = None
    ) -> None:
        _refuse_while_tracing(self.name)
        if counts is not None:
            self._check_counts(counts)
        context = self._context_of_call(args, kwargs, graph)
        if counts is not None and counts.context is not context:
            raise ValueError(
                f"Kernel '{self.name}': counts_from= {bracketed(counts)} belongs to {counts.context.name}, and its arguments "
                f"to {context.name}!"
            )
        if context.backend == "dummy":
            raise RuntimeError("Cannot execute shader functions with dummy backend!")
        built = self._build_for(context)
        assert built.plan is not None
        sizes = {"exec_size": exec_size, "workgroups": workgroups}
        try:
            _, limits = built.bounds.get_blocks_and_limits(args, {**kwargs, **sizes})
        except (AttributeError, TypeError, ValueError):
            # A size that is an expression fails for an argument of a wrong type, which is said first.
            self._gather(LaunchParametersHolder(self._names_and_defaults, args, kwargs, self.name))
            raise
        if built.plan.destroyed:  # a size may be a function of the user's
            raise _native._errors.StateError(
                f"Kernel '{self.name}': the context was destroyed while the launch's size was worked out",
                _enums.VD_ERR_STATE,
            )
        target = command_graph.target_of_call(graph, context, f"Kernel '{self.name}'")
        holder = LaunchParametersHolder(self._names_and_defaults, args, kwargs, self.name)
        bindings, values, bound = self._gather(holder)
        for i, (name, _) in enumerate(self._buffer_arguments):
            self._remark(i, holder.ref_dict[name], limits[0])
        target._launch(built.plan, limits, bindings, values, bound, counts)

    def _check_counts(self, counts: Any) -> None:
        if not isinstance(counts, Buffer):
            raise WrongTypeError(
                f"Expected a buffer for counts_from= of kernel '{self.name}' (got {type(counts).__name__})!"
            )
        counts._check_alive(f", and has the counts of kernel '{self.name}'")
        if dt.scalar_of(counts.var_type) not in (dt.uint32, dt.int32):
            raise ValueError(
                f"counts_from= of kernel '{self.name}' has {counts.var_type.name}, and counts of workgroups are u32!"
            )

    def _context_of_call(self, args: Sequence[Any], kwargs: dict[str, Any], graph: Any) -> Context:
        """The context of the objects that are passed; without any that of the graph, else the current one."""
        if not several_contexts() and not init.is_dummy():
            return get_context()
        names = [f"argument '{name}'" for name, _ in self._names_and_defaults]
        named = [*zip(names, args, strict=False), *((f"argument '{name}'", value) for name, value in kwargs.items())]
        context = context_of(named, f"Kernel '{self.name}'")
        if context is None:
            custom = graph if graph is not None else command_graph._global_graph.custom_graph
            context = custom.context if isinstance(custom, CommandGraph) else get_context()
        return context

    def _gather(self, holder: LaunchParametersHolder) -> tuple[list[Binding], bytes, list]:
        """The buffers and images, the block of values and the variables of a call."""
        bindings: list[Binding] = []
        for name, image_access in self._bound_arguments:
            given = holder.ref_dict[name]
            if image_access is not None:
                bindings.append(image_binding(given, name, f"kernel '{self.name}'", bool(image_access)))
                continue
            if not isinstance(given, Buffer):
                cure = f" vd.asbuffer({name}) makes one." if npc.is_array_like(given) else ""
                cure = tensor_cure(given, name) or cure
                if isinstance(given, StridedView):
                    cure = f" Kernels take elements without gaps: {name}.copy() has them."
                raise WrongTypeError(
                    f"Expected a buffer for argument '{name}' of kernel '{self.name}' (got {type(given).__name__})!{cure}"
                )
            given._check_alive(f", and is argument '{name}' of kernel '{self.name}'")
            bindings.append((given, 0, 0))
        values = []
        bound: list[Bound] = []
        for member in self._layout.members:
            value = holder.ref_dict[member.argument]
            if member.field is not None:
                if not hasattr(value, member.field):
                    raise ValueError(f"Argument '{member.argument}' has no field '{member.field}' (got {value!r})!")
                value = getattr(value, member.field)
            if isinstance(value, BoundValue) and member.variable:
                bound.append((value, member.offset, member.var_type, member.argument))
                value = 0
            if callable(value):
                raise ValueError(f"Cannot use LaunchVariables for Constants (argument '{member.argument}')")
            values.append(value)
        return bindings, self._layout.pack(values) if values else b"", bound

    def _remark(self, index: int, buffer: Buffer, invocations: int) -> None:
        """Give the remarks about a buffer of another dtype than its argument's, or one that ends before the launch
        does."""
        key = (index, buffer.var_type, buffer.mem_size, invocations)
        said = self._said.get(key)
        if said is None:
            said = tuple(self._remarks(index, buffer, invocations))
            if len(self._said) >= _MOST_SAID:
                self._said.clear()
            self._said[key] = said
        for message in said:
            caution(message)

    def _remarks(self, index: int, buffer: Buffer, invocations: int) -> Iterator[str]:
        name, var_type = self._buffer_arguments[index]
        yield from self._remarks_on_dtype(index, name, var_type, buffer)
        yield from self._remarks_on_length(index, buffer.mem_size, invocations)

    def _remarks_on_length(self, index: int, size: int, invocations: int) -> Iterator[str]:
        """A buffer of `size` bytes that ends before the launch does."""
        name, var_type = self._buffer_arguments[index]
        if self._indexed_sizes[index] * invocations > size:
            yield (
                f"kernel '{self.name}': argument '{name}' has {size // var_type.item_size} elements, and the launch has "
                f"{invocations} invocations, each of which indexes it by its number{self._place('; the kernel is at ')}. Make the "
                "launch as long as the shortest buffer, or test the number with vc.if_block"
            )

    def _length_remarks(self, sizes: Sequence[int | None], invocations: int) -> list[str]:
        """The remarks about a launch of so many invocations along the first axis, with buffers of these sizes in bytes, in the order
        of the parameters; None is an image."""
        self._describe_once()
        buffers = (size for size in sizes if size is not None)
        return [remark for i, size in enumerate(buffers) for remark in self._remarks_on_length(i, size, invocations)]

    def _remarks_on_dtype(self, index: int, name: str, var_type: type[dt.dtype], buffer: Buffer) -> Iterator[str]:
        """A buffer of another dtype is as good as one of this where the bytes divide evenly."""
        given, accepted = buffer.var_type, self._accepted_types[index]
        if given in accepted:
            return
        said = element_type_remark(f"kernel '{self.name}'", name, var_type, given, self._noted)
        if buffer.mem_size % var_type.item_size:
            raise ValueError(
                f"Buffer for argument '{name}' of kernel '{self.name}' has {buffer.mem_size} bytes of {given.name}, "
                f"which is no whole number of {var_type.name} ({var_type.item_size} bytes)!"
            )
        if said is not None:
            yield said
        elif given.item_size % var_type.item_size == 0:
            accepted.add(given)

    def _prepare_launch(self, built: _Built) -> None:
        """Work out everything about a launch that does not depend on the call."""
        context, plan = built.context, built.plan
        assert plan is not None
        self._describe_once()
        if len(self._bound_arguments) != len(self._buffer_arguments):
            return  # the extension's launches bind buffers alone
        remark = weakref.WeakMethod(self._remark)
        native = plan._live_plan()
        built.quick = launch.prepared_launch(
            address_of(native),
            native,
            self._names_and_defaults,
            [
                (name, var_type, self._accepted_types[i], self._indexed_sizes[i])
                for i, (name, var_type) in enumerate(self._buffer_arguments)
            ],
            self._layout,
            self.exec_size if self.exec_size is not None else self.workgroups,
            self.exec_size is None,
            built.bounds.local_size,
            context.max_workgroup_count,
            (command_graph._global_graph, _state._state),
            len(context.device_ids) == context.queue_count == 1,
            context.serial,
            lambda *told: remark()(*told),  # type: ignore[misc]  # called by the kernel: it is there
        )

    def _describe_once(self) -> None:
        if not self._described_arguments:
            self._describe_arguments()
            self._described_arguments = True

    def _describe_arguments(self) -> None:
        """Work out everything about a launch that depends neither on the call nor on the context."""
        description = self.shader_description
        self._layout = ValuesLayout(description, f" of kernel '{self.name}'")
        self._buffer_arguments: list[tuple[str, type[dt.dtype]]] = []
        # Buffers and images in their order; of images the access, 0 where they are sampled.
        self._bound_arguments: list[tuple[str, int | None]] = []
        at = 0
        for info in description.shader_arg_infos:
            count = len(info.shader_name) if isinstance(info.shader_name, dict) else 1
            argument = description._arguments[at]
            if argument.kind == _enums.VD_ARGUMENT_BUFFER:
                self._buffer_arguments.append((info.name, description._types[at]))
                self._bound_arguments.append((info.name, None))
            elif argument.kind == _enums.VD_ARGUMENT_IMAGE:
                self._bound_arguments.append((info.name, argument.image_access))
            at += count
        # Bytes that an invocation needs of each, where its number is the index; else 0.
        self._indexed_sizes = [
            var_type.item_size if name in description._indexed_by_number else 0
            for name, var_type in self._buffer_arguments
        ]
        self._noted: set = set()  # arguments and dtypes of buffers that were remarked on
        self._accepted_types: list[set] = [{var_type} for _, var_type in self._buffer_arguments]
        self._said: dict[tuple, tuple[str, ...]] = {}  # what was found to say of a buffer and a size


class _Forgetting:
    """The call of a plan that is destroyed, if its kernel is alive: `plan.on_destroy()` gives the function to call."""

    def __init__(self, forget: weakref.WeakMethod[Any], serial: int):
        self._forget, self._serial = forget, serial

    def __call__(self) -> Any:
        forget = self._forget()
        return None if forget is None else lambda: forget(self._serial)


def _refuse_while_tracing(name: str) -> None:
    if _state._state.builder is not None:
        raise RuntimeError(f"Kernel '{name}' cannot be called while another kernel is being traced!")


def make_shader_function(
    description: Any, local_size: Any = None, workgroups: Any = None, exec_count: Any = None
) -> ShaderFunction:
    """A kernel of a description that shader_context() made."""
    return ShaderFunction(description, local_size=local_size, workgroups=workgroups, exec_count=exec_count)


__all__ = [
    "ExecutionBounds",
    "LaunchParametersHolder",
    "ShaderBuildError",
    "ShaderFunction",
    "ShaderSource",
    "make_shader_function",
]
