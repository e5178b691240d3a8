"""Recorded launches: graphs, and the one of each thread that runs them at once.

Launches, transforms, reductions and copies of a graph run in the order of their accesses to memory: work on separate
memory may run side by side. Values are read when a launch is recorded, except those of `Var` arguments, which each
submission reads.

Example:
    @vd.shader("x.size")
    def add(x: Buff[f32], amount: Var[f32]):
        x[vc.global_invocation_id().x] += amount

    total = vd.zeros(3)
    with vd.record() as graph:
        add(total, graph.bind_var("amount"))
        add(total, 10.0)
    graph.set_var("amount", 1.0)
    graph.submit()
    graph.set_var("amount", [1.0, 2.0])  # one for each of two runs
    graph.submit(2)
    graph.wait()
    assert list(total.read(0)) == [34, 34, 34]
"""

from __future__ import annotations

import atexit
import contextlib
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .. import _native
from .._native._launcher import GRAPH, Evaluator, Submitter, mark_thread
from ..base import dtype as dt
from ..base.buffer import Buffer, StridedView
from ..base.buffer._recorded import buffer_of, copy_records, fill_record
from ..base.command_list import CommandList
from ..base.compute_plan import ComputePlan
from ..base.context import Context, context_for, get_context, queue_wait_idle
from ..base.errors import WrongTypeError
from ..base.image import Image, ImagePart, Sampler
from ..base.image._recorded import copy_record as image_copy_record
from ..base.image._recorded import mips_record
from ..base.image._texels import Texels
from ..base.labels import checked_label
from ..base.launch_desc import Binding, launch_desc
from ..base.pointers import address_of, let_go
from ..base.profile import Profile, as_repeats, median, without_timestamps
from ..base.remarks import caution
from ..base.semaphore import SemaphorePoint, order_fields, order_queues, points
from ..base.streams import current_stream, note_captured, stream_handle
from ..base.values import pack_by_name
from ..base.words import bracketed
from ..compat import numpy_compat as npc
from .buffer_builder import BufferBuilder, BufferUsage
from .graph_variables import Bound, BoundValue, GraphVariables, reset_meanwhile

_enums = _native.enums
_MOST_INSTANCES = (1 << 32) - 1
# Spans of a timed run: the most, and those of calls beside the graph's.
_MOST_TIMED, _ROOM = 1 << 24, 1000


def _is_of(given: Any, resource: Buffer | Image) -> bool:
    """Whether an argument is a resource, or a view of it."""
    while given is not resource and isinstance(given, Buffer) and given.base is not None:
        given = given.base
    return given is resource


def _check_replacement(old: Buffer, new: Buffer) -> None:
    """Refuse or remark on a buffer of another dtype, as a kernel's call does."""
    if dt.same_bits(old.var_type, new.var_type):
        return
    wanted, given = dt.scalar_of(old.var_type), dt.scalar_of(new.var_type)
    said = f"CommandGraph.replace: the recorded buffer has {old.var_type.name}, and the other one {new.var_type.name}"
    if wanted.item_size != given.item_size:
        raise ValueError(
            f"{said}: numbers of {8 * given.item_size} bits cannot be taken for numbers of {8 * wanted.item_size}!"
        )
    caution(f"{said}: its bytes are taken as they are, which are other numbers")


@dataclass
class BufferBindInfo:
    """A buffer for a binding of a launch."""

    buffer: Buffer
    binding: int
    shape_name: str | None
    read_access: bool
    write_access: bool


@dataclass
class ImageBindInfo:
    """A sampler for a binding of a launch."""

    sampler: Any
    binding: int
    read_access: bool
    write_access: bool


class CommandGraph(CommandList):
    """Launches with their arguments, recorded once and submitted as often as wanted.

    With `submit_on_record` each launch is submitted when it is recorded; with `reset_on_submit` the graph is empty after each
    submission.
    """

    #: The end of the message about arguments of another context.
    _context_cure = "vd.CommandGraph(context=...) makes a graph of another context"

    def __init__(
        self, reset_on_submit: bool = False, submit_on_record: bool = False, *, context: Context | None = None
    ):
        self._reset_on_submit = reset_on_submit
        self.submit_on_record = submit_on_record
        # One for each device, recorded alike; none before there is something to record.
        self._native_graphs: list[Any] = []
        # Functions that call() recorded; made with the first one.
        self._functions: Any = None
        # The submitter of the only graph, if there is one queue.
        self._submitter: Submitter | None = None
        # Submits it and waits in one call; a sequence of Kompute's makes it.
        self._evaluator: Evaluator | None = None
        self.pc_builder = BufferBuilder(usage=BufferUsage.PUSH_CONSTANT)
        self.pc_values: dict = {}
        self.uniform_values: dict = {}
        self._variables = GraphVariables()
        # Known by these names to programs that look.
        self.name_to_pc_key_dict = self._variables.fields
        self.queued_pc_values = self._variables.values
        # Labels of what is recorded now, and resources whose accesses are not ordered (none: all).
        self._marks: list[tuple[str | None, tuple[Any, ...] | None]] = []
        self._labels: dict[int, str] = {}  # by node; of a launch of several nodes by its last, which the library gives
        self.recorded_descriptor_sets: list = []
        self.uniform_descriptors: list = []
        self.uniform_constants_size = 0
        self.uniform_constants_buffer: Buffer | None = None
        self.buffers_valid = False
        super().__init__(context)  # from here on another thread may destroy it
        self.uniform_builder = BufferBuilder(self.context.uniform_buffer_alignment, BufferUsage.UNIFORM_BUFFER)
        # The graph that a launch passes to the library: 0 runs the launch now, None takes the slower path.
        self._record: int | None = None
        if len(self.context.device_ids) > 1:
            pass
        elif not submit_on_record:
            self._record = self._graph_address()
        elif reset_on_submit and self.context.queue_count == 1:
            self._record = 0

    def _recorded(self) -> list[Any]:
        """The graphs that there are, which the caller keeps: another thread may destroy this one meanwhile."""
        graphs = self._native_graphs
        self._check_alive()
        return graphs

    def _graphs(self) -> list[Any]:
        graphs = self._recorded()
        if not graphs:
            context = self.context._live_pointer("CommandGraph")
            graphs = [_native.raw.vd_graph_create(context) for _ in self.context.device_ids]
            if self.context.queue_count == 1:
                self._submitter = Submitter(address_of(graphs[0]), graphs[0])
            self._native_graphs = graphs
        return graphs

    def _graph_address(self) -> int:
        return address_of(self._graphs()[0])

    # ---- Recording

    def _launch(
        self,
        plan: ComputePlan,
        threads: Sequence[int],
        bindings: Sequence[Binding],
        values: bytes,
        bound: Sequence[Bound] = (),
        counts: Buffer | None = None,
    ) -> None:
        """Record or run a launch: the general way. `bound` are its variables: (value, offset, dtype, argument)."""
        self._check_alive()
        # A launch that is only recorded runs where the graph is submitted.
        stream = current_stream() if self.submit_on_record and self._reset_on_submit else 0
        _kept, record = self._native_graphs, self._record  # another thread may destroy the graph meanwhile
        if record is not None and not bound and not stream and counts is None:
            whole = [binding[0] for binding in bindings if isinstance(binding[0], Buffer) and not any(binding[1:])]
            if len(whole) == len(bindings) and plan.launch_now(record, threads, whole, values):
                return
        raw = _native.raw
        self._variables.check(self, bound)
        immediate, resets = self.submit_on_record and self._reset_on_submit, self._variables.resets
        naming = _native.naming(f"Kernel '{plan.shader_name}'")
        for queue in self.context.queues(-2) if immediate else (0,):
            desc, kept = launch_desc(queue, threads, bindings, values, stream, counts)
            if immediate:
                note_captured(plan, [*(binding[0] for binding in bindings), counts])
                on_device = plan.on_device(self.context.queue_devices[queue])
                with naming:
                    raw.vd_plan_launch(on_device, desc)
            else:
                plans = [plan.on_device(device) for device in range(len(self.context.device_ids))]
                for graph, of_device in zip(self._graphs(), plans, strict=True):
                    with naming:
                        node = raw.vd_graph_launch(graph, of_device, desc)
                    self._mark(graph, node, bindings if counts is None else [*bindings, (counts, 0, 0)])
                self._variables.add(node, bound, resets)
            del kept
        if self.submit_on_record and not immediate:
            self.submit()

    def record_shader(
        self,
        plan: Any,
        shader_description: Any,
        exec_limits: Sequence[int],
        blocks: Sequence[int],
        bound_buffers: Sequence[BufferBindInfo],
        bound_samplers: Sequence[ImageBindInfo] = (),
        uniform_values: dict[str, Any] | None = None,
        pc_values: dict[str, Any] | None = None,
        shader_uuid: str | None = None,
    ) -> None:
        """Record a launch whose arguments are sorted by kind already. Values are taken now."""
        by_binding: dict[int, Binding] = {info.binding: (info.buffer, 0, 0) for info in bound_buffers}
        by_binding |= {
            info.binding: (info.sampler.image, 0) if info.write_access else (info.sampler,) for info in bound_samplers
        }
        bindings = [by_binding[binding] for binding in sorted(by_binding)]
        values = shader_description_values(shader_description, {**(uniform_values or {}), **(pc_values or {})})
        self._launch(plan, exec_limits, bindings, values)

    def record_compute_plan(self, plan: Any, descriptor_set: Any, blocks: Any) -> None:
        """Refuse a plan: those go into a CommandList, whose submissions give their push constants."""
        raise _native._errors.UnsupportedError(
            f"{type(self).__name__}.record_compute_plan: plan {bracketed(plan)} cannot be recorded into a graph; a CommandList "
            "takes plans and descriptor sets",
            _enums.VD_ERR_UNSUPPORTED,
        )

    def bind_var(self, name: str) -> BoundValue:
        """Return a placeholder for a `Var` argument whose value set_var() gives before each submission. An unset value
        is zero."""
        self._check_alive()
        if self.submit_on_record:
            raise ValueError("A graph that submits on record cannot bind variables!")
        if not isinstance(name, str):
            raise WrongTypeError(f"bind_var: name {bracketed(name)} must be a str, the variable's name for set_var()")
        self._variables.bind(name)
        return BoundValue(self, name)

    def set_var(self, name: str, value: Any) -> None:
        """Set a variable that bind_var() named: one value for all instances, or a sequence with one for each.

        Where it is a vector or a complex number in all launches, a flat sequence of as many numbers as that has components is one
        value. The values are taken now.
        """
        self._check_alive()
        self._variables.set(name, value)

    # ---- What is recorded

    @contextlib.contextmanager
    def label(self, text: str) -> Iterator[None]:
        """Name what is recorded inside the block, in dot() and in profiles."""
        if not isinstance(text, str):
            raise WrongTypeError(f"CommandGraph.label: text {bracketed(text)} must be a str!")
        checked_label(text, "CommandGraph.label")
        with self._marking("label", (text, None)):
            yield

    @contextlib.contextmanager
    def unordered(self, *resources: Buffer | Image) -> Iterator[None]:
        """Leave accesses of what is recorded inside the block out of the graph's order: those to `resources`, or all.

        Views of a buffer count with it. The launches may then run side by side with all others of the graph: you vouch that no
        result depends on it.
        """
        for resource in resources:
            if not isinstance(resource, (Buffer, Image)):
                raise WrongTypeError(
                    f"Expected buffers and images for CommandGraph.unordered (got {type(resource).__name__})!"
                )
            self._check_context(resource.context, f"CommandGraph.unordered: {bracketed(resource)}")
        with self._marking("unordered", (None, resources)):
            yield

    @contextlib.contextmanager
    def _marking(self, what: str, mark: tuple[str | None, tuple[Any, ...] | None]) -> Iterator[None]:
        self._check_alive()
        if self.submit_on_record:
            raise ValueError(f"CommandGraph.{what}: a graph that submits on record keeps nothing to mark!")
        self._marks.append(mark)
        record, self._record = self._record, None
        try:
            yield
        finally:
            self._marks.pop()
            if not self.destroyed:
                self._record = record

    def _check_context(self, context: Context, said: str) -> None:
        """Raise for what `said` names in the message, if it is of another context."""
        if context is not self.context:
            raise ValueError(f"{said} belongs to {context.name}, and the graph to {self.context.name}")

    def _marked_labels(self) -> list[str]:
        return [text for text, _ in self._marks if text is not None]

    def _name(self, graph: Any, node: int) -> None:
        labels = self._marked_labels()
        if labels:
            self._labels[node] = ": ".join(labels)
            _native.raw.vd_graph_set_label(graph, node, self._labels[node])

    def _mark(self, graph: Any, node: int, bindings: Sequence[Binding]) -> None:
        raw = _native.raw
        self._name(graph, node)
        for _, resources in self._marks:
            if resources is None:
                continue
            if not resources and all(binding[0] is not None for binding in bindings):
                raw.vd_graph_set_unordered(graph, node, _enums.VD_ALL_ARGUMENTS, 1)
                continue
            for i, binding in enumerate(bindings):
                given: Any = binding[0].image if isinstance(binding[0], Sampler) else binding[0]
                if given is not None and (not resources or any(_is_of(given, resource) for resource in resources)):
                    raw.vd_graph_set_unordered(graph, node, i, 1)

    def replace(self, old: Any, new: Any = None) -> None:
        """Use another buffer or image from the next submission on: `new` for `old`, or each value of a dict for its key.

        All are replaced at once, so that `{a: b, b: a}` swaps two. A view of `old` becomes the same view of `new`. Work in flight
        keeps what it was submitted with.
        """
        graphs = self._recorded()
        pairs = list(old.items()) if isinstance(old, dict) and new is None else [(old, new)]
        for a, b in pairs:
            self._check_pair(a, b)
        if pairs and not graphs:
            raise ValueError("CommandGraph.replace: nothing is recorded!")
        raw = _native.raw
        steps: list[tuple[Callable[..., Any], list[Any], list[Any]]] = []
        for kind, entry in ((Buffer, raw.vd_graph_replace_buffers), (Image, raw.vd_graph_replace_images)):
            chosen = [(a._pointer, b._pointer) for a, b in pairs if isinstance(a, kind)]
            if chosen:
                steps.append((entry, [a for a, _ in chosen], [b for _, b in chosen]))
        with _native.naming("CommandGraph.replace"):
            if len(steps) * len(graphs) > 1:  # tried on copies, since nothing is replaced unless all can be
                trials = [raw.vd_graph_create(self.context._pointer) for _ in graphs]
                for trial, graph in zip(trials, graphs, strict=True):
                    raw.vd_graph_add_graph(trial, graph)
                graphs = [*trials, *graphs]
            for graph in graphs:
                for entry, given, replacements in steps:
                    entry(graph, given, replacements)

    def _check_pair(self, old: Any, new: Any) -> None:
        """Raise unless one may be replaced by the other, as far as they tell."""
        if not isinstance(old, (Buffer, Image)):
            raise WrongTypeError(f"CommandGraph.replace: expected a buffer or an image (got {type(old).__name__})!")
        if not isinstance(new, Buffer if isinstance(old, Buffer) else Image):
            raise WrongTypeError(
                f"CommandGraph.replace: a {type(old).__name__} cannot be replaced by a {type(new).__name__}!"
            )
        old._check_alive()
        new._check_alive()
        for name, given in (("old", old), ("new", new)):
            self._check_context(given.context, f"CommandGraph.replace: {name} {bracketed(given)}")
        if isinstance(old, Buffer) and isinstance(new, Buffer):
            _check_replacement(old, new)

    def add_graph(self, other: CommandGraph) -> None:
        """Record all that `other` has recorded, with its variables. Later changes of `other` change nothing here.

        Inside of label() the text comes before the labels that `other` gave. Accesses that are not ordered are named where they are
        recorded: inside of unordered() this is a ValueError.
        """
        self._check_alive()
        if not isinstance(other, CommandGraph):
            raise WrongTypeError(f"Expected a CommandGraph (got {type(other).__name__})!")
        others = other._recorded()
        self._check_context(other.context, "CommandGraph.add_graph: other")
        if self.submit_on_record:
            raise ValueError("CommandGraph.add_graph: a graph that submits on record keeps nothing!")
        if any(resources is not None for _, resources in self._marks):
            raise ValueError(
                "CommandGraph.add_graph: what `other` has recorded has its order already; use other.unordered() where it is recorded"
            )
        if not others:
            return
        first = 0
        with other._variables.lock:
            if other._functions is not None:
                self._called().add_those_of(other._functions)
            for graph, added in zip(self._graphs(), others, strict=True):
                with _native.naming("CommandGraph.add_graph"):
                    count = _native.raw.vd_graph_get_info(added).node_count  # before, since both may be the same
                    first = _native.raw.vd_graph_add_graph(graph, added)
                    self._name_added(graph, first, count, other._labels)
            fields, values = dict(other._variables.fields), dict(other._variables.values)
        self._variables.add_those_of(fields, values, first)

    def _name_added(self, graph: Any, first: int, count: int, labels: dict[int, str]) -> None:
        """Name the nodes that were added from `first` on. `labels` are those of the graph that they come from."""
        before = self._marked_labels()
        for node in range(count):  # each names all nodes of its launch, and the last has the launch's own label
            own = [labels[node]] if node in labels else []
            if before or own:
                self._labels[first + node] = ": ".join(before + own)
            if before:
                _native.raw.vd_graph_set_label(graph, first + node, self._labels[first + node])

    def call(self, function: Callable[[], Any]) -> None:
        """Record a call of a function: when all before is done, and before anything after it begins.

        Each run calls it once, on another thread. It must not use vkdispatch; an exception is printed, and the run goes on.
        """
        self._check_alive()
        if not callable(function):
            raise WrongTypeError(f"CommandGraph.call: function {bracketed(function)} cannot be called!")
        if self.submit_on_record:
            raise ValueError("CommandGraph.call: a graph that submits on record keeps nothing!")
        functions = self._called()
        for graph in self._graphs():
            node = functions.record(graph, function)
            self._name(graph, node)
        _callers.add(self.context)

    def _called(self) -> Any:
        """The functions that it calls."""
        if self._functions is None:
            from .._native import _host_calls

            self._functions = _host_calls.Functions()
        return self._functions

    def fill(self, buffer: Buffer | StridedView, value: Any = 0) -> None:
        """Record a fill: every element of a buffer or view becomes `value`, a number or the numbers of an element."""
        what = "CommandGraph.fill"
        self._record_transfer(buffer_of(buffer, what), *fill_record(buffer, value, what), what)

    def copy(
        self, source: Buffer | StridedView | Image | ImagePart, destination: Buffer | StridedView | Image | ImagePart
    ) -> None:
        """Record a copy: between buffers of as many bytes, or elements of a view and a buffer or view of its shape. Of an image
        it is level 0 or a part(), to or from a buffer of as many texels or an image of its format and shape."""
        what = "CommandGraph.copy"
        if isinstance(source, Texels) or isinstance(destination, Texels):
            self._record_transfer(destination, *image_copy_record(source, destination, what), what)
        else:
            for record, buffers in copy_records(source, destination, what):
                self._record_transfer(buffer_of(destination, what), record, buffers, what)

    def generate_mips(self, image: Image) -> None:
        """Record the computation of all levels of an image above the first, as Image.generate_mips() does it at once.

        Each level is computed from the one before, so these accesses are ordered inside of unordered(), too.
        """
        what = "CommandGraph.generate_mips"
        self._record_transfer(image, *mips_record(image, what), what)

    def _record_transfer(self, to: Any, record: Callable[[Any], int], arguments: list[Any] | None, what: str) -> None:
        """Record a node. Without its `arguments` there may be several, and all accesses are ordered."""
        self._check_alive()
        if self.submit_on_record:
            raise ValueError(f"{what}: a graph that submits on record keeps nothing!")
        self._check_context(to.context, f"{what}: the {'image' if isinstance(to, Texels) else 'buffer'}")
        names_each = arguments is None and bool(self._marked_labels())
        for graph in self._graphs():
            with _native.naming(what):
                first = _native.raw.vd_graph_get_info(graph).node_count if names_each else 0
                node = record(graph)
            if arguments is not None:
                self._mark(graph, node, [(argument, 0, 0) for argument in arguments])
            elif names_each:
                for each in range(first, node + 1):
                    self._name(graph, each)

    def dot(self) -> str:
        """The graph in Graphviz's language: what is recorded, in rows that may run side by side, and what orders them."""
        self._check_alive()
        raw = _native.raw
        return raw.vd_blob_data(raw.vd_graph_get_dot(self._graphs()[0])).decode()

    # ---- Submitting

    def submit(  # type: ignore[override]
        self,
        instance_count: int | None = None,
        queue_index: int = -2,
        *,
        stream: Any = None,
        wait: SemaphorePoint | Sequence[SemaphorePoint] = (),
        signal: SemaphorePoint | Sequence[SemaphorePoint] = (),
    ) -> None:
        """Run what is recorded, `instance_count` times, on a queue (-2: on every one, -1: on any). Returns at once.

        `stream` is a CUDA stream of another library's: the work runs there, in the order of the stream. `wait` and `signal` are
        points of semaphores: what the work waits for, and what is set when it and all earlier work of its queues is done.

        A value is refused unless it is above all that the semaphore was set to or that work in flight sets, as far as the backend knows.
        On one queue nothing runs then. On several the work runs nevertheless, since the value is asked for behind it.
        """
        submitter, graphs = self._submitter, self._native_graphs  # another thread may destroy the graph meanwhile
        variables = self._variables
        self._check_alive()
        target = current_stream() if stream is None else stream_handle(stream, "CommandGraph.submit: stream")
        if target and self.context.backend != "cuda":
            raise RuntimeError(f"CommandGraph.submit: streams are CUDA's, and the graph belongs to {self.context.name}")
        if target:
            note_captured(self, graphs)
        if (
            not target
            and instance_count is None
            and queue_index == -2
            and submitter is not None
            and not variables.sequences
            and wait == ()
            and signal == ()
        ):
            try:
                if variables.changed:
                    with variables.lock:
                        variables.put_changed(graphs)
                submitter.submit()
            except _native.Error as error:
                _native.naming("CommandGraph.submit").rename(error)
                raise
        else:
            count = 1 if instance_count is None else as_count(instance_count)
            queues = self.context.queues(queue_index, "CommandGraph.submit: queue_index")
            waits, signals = self._points(wait, "wait", queues), self._points(signal, "signal", queues)
            runs = bool(count and graphs)
            if runs and len(queues) == 1:
                self._submit(graphs, queues, count, {"stream": target, **order_fields(waits, signals)})
            else:
                order_queues(waits, (), "CommandGraph.submit", target, queues)
                if runs:
                    self._submit(graphs, queues, count, {"stream": target})
                order_queues((), signals, "CommandGraph.submit", target, queues)
        if self._reset_on_submit and not self.destroyed:
            self.reset()

    def _points(
        self, given: SemaphorePoint | Sequence[SemaphorePoint], name: str, queues: Sequence[int]
    ) -> Sequence[SemaphorePoint]:
        """Points of semaphores of a submission to these queues."""
        chosen = points(given, f"CommandGraph.submit: {name}")
        if chosen and chosen[0].semaphore.context is not self.context:
            raise ValueError(
                f"CommandGraph.submit: {name} is of {chosen[0].semaphore.context.name}, and the graph of {self.context.name}"
            )
        devices = {self.context.queue_devices[queue] for queue in queues}
        if chosen and devices != {chosen[0].semaphore.device}:
            raise ValueError(
                f"CommandGraph.submit: {name} is on device {chosen[0].semaphore.device}, and the queues on {sorted(devices)}"
            )
        return chosen

    def _submit(self, graphs: Sequence[Any], queues: Sequence[int], count: int, fields: dict[str, Any]) -> None:
        from .._native._load import ffi

        order = _native.raw.vd_order_desc(**fields) if any(fields.values()) else None
        raw, naming = _native.raw, _native.naming("CommandGraph.submit")
        variables = self._variables
        with variables.lock, naming:
            resets = variables.resets
            instance_values, kept = variables.put(graphs, count)
        for queue in queues:
            graph = graphs[self.context.queue_devices[queue]]
            desc = None
            if queue != 0 or count != 1 or order is not None:
                desc = raw.vd_submit_desc(
                    queue=queue,
                    repeat=count,
                    instance_values=instance_values,
                    instance_value_count=len(instance_values),
                    order=order or ffi.NULL,
                )
            try:
                with naming:
                    raw.vd_graph_submit(graph, desc)
            except _native._errors.InvalidError as error:
                if variables.resets != resets:
                    raise reset_meanwhile("CommandGraph.submit") from error
                raise
        del kept

    def submit_any(self, instance_count: int | None = None) -> None:  # type: ignore[override]
        """Run what is recorded once, on whichever queue is free."""
        self.submit(instance_count, -1)

    def time(self, repeats: int = 10) -> float:
        """The seconds that the device takes for one run: the launches, copies and fills of the graph, one after the other. The
        median of `repeats` runs, after one that does not count. They are runs as any other, and change what the graph writes."""
        what = "CommandGraph.time"
        repeats = as_repeats(repeats, what)
        graphs = self._recorded()
        if self.submit_on_record or self._reset_on_submit:
            raise ValueError(
                f"{what}: a graph that submits on record, or resets on submit, keeps nothing to run again!"
            )
        count = _native.raw.vd_graph_get_info(graphs[0]).node_count if graphs else 0
        if not count:
            raise ValueError(f"{what}: nothing is recorded!")
        self.submit()
        self.wait()
        times: list[int] = []
        for _ in range(repeats):
            capacity = min(_MOST_TIMED, _ROOM + 4 * count * self.context.queue_count)
            with Profile(capacity=capacity, summary=False, context=self.context) as profile:
                self.submit()
            spans = [span for span in profile.spans if span.on_device]
            times += [sum(s.duration for s in spans if s.queue == queue) for queue in {span.queue for span in spans}]
        if not times:
            raise without_timestamps(what)
        return median(times) / 1e9

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the queues have done all work submitted before. False if `timeout` seconds ran out."""
        return queue_wait_idle(None, self.context, timeout)

    def reset(self) -> None:
        """Forget everything recorded. Work in flight goes on."""
        graphs = self._recorded()
        with self._variables.lock:
            if self._functions is not None:
                self._functions.leave_to_work_in_flight()
            for graph in graphs:
                with _native.naming("CommandGraph.reset"):
                    _native.raw.vd_graph_reset(graph)
            for values in (self.pc_values, self.uniform_values, self._labels):
                values.clear()
            self._variables.clear()
        super().reset()

    def prepare_submission_state(self, instance_count: int | None = None) -> None:
        """Nothing to prepare: values are taken when a launch is recorded."""

    def prepare_for_cuda_graph_capture(self, instance_count: int | None = None) -> None:
        """Nothing to prepare: values are taken when a launch is recorded."""

    def ensure_uniform_constants_capacity(self, size: int) -> None:
        """Nothing to grow: the library keeps room for the values of launches."""

    def __repr__(self) -> str:
        if self.destroyed:
            return f"<{type(self).__name__}, destroyed>"
        said = f"<{type(self).__name__} on {self.context.backend}"
        if self.submit_on_record:
            return f"{said}: runs what is recorded at once>"
        graphs = self._native_graphs
        try:
            count = _native.raw.vd_graph_get_info(graphs[0]).node_count if graphs else 0
        except _native._errors.StateError:
            return f"{said}: another thread records into it>"
        said += f": {count} {'command' if count == 1 else 'commands'} recorded"
        with self._variables.lock:
            variables = ", ".join(map(repr, self._variables.fields))
        return f"{said}, variables {variables}>" if variables else f"{said}>"

    def __del__(self) -> None:
        # Functions mostly hold this object: only without the library's graphs does what is left keep no more than work in flight.
        if getattr(self, "_functions", None) is not None:
            self._drop_graphs()

    def _drop_graphs(self) -> None:
        if self._functions is not None:
            self._functions.leave_to_work_in_flight()
        self._record = self._submitter = self._evaluator = None
        self._native_graphs = []

    def _forget(self) -> None:
        for graph in self._native_graphs:
            let_go(graph)
        self._drop_graphs()
        super()._forget()

    def _destroy(self) -> None:
        self._drop_graphs()
        super()._destroy()


def as_count(value: Any) -> int:
    """A number of instances."""
    said = f"CommandGraph.submit: instance_count {bracketed(value)} must be an integer that is not negative!"
    if not npc.is_integer_scalar(value):
        raise WrongTypeError(said)
    if value < 0:
        raise ValueError(said)
    if value > _MOST_INSTANCES:
        raise ValueError(f"CommandGraph.submit: instance_count ({value}) is above the limit ({_MOST_INSTANCES})!")
    return int(value)


def shader_description_values(description: Any, values: dict[str, Any]) -> bytes:
    """The block of constants and variables of a launch, by the names that the core knows them by."""
    return pack_by_name(description, values)


#: Contexts whose graphs call functions.
_callers: weakref.WeakSet[Any] = weakref.WeakSet()


@atexit.register
def _end_calls() -> None:
    # A call that came after the interpreter's end would end in the midst of the library.
    for context in list(_callers):
        with contextlib.suppress(Exception):
            queue_wait_idle(None, context)


# ---- The graphs of a thread ------------------------------------------------------------------------------------------


class _Thread:
    """Stands for a thread, and ends with it."""


class _GlobalGraph(threading.local):
    custom_graph: CommandGraph | None = None
    # The default graph that was used last. Contexts keep those of threads, which keep no context.
    last: weakref.ref[CommandGraph] | None = None

    def __init__(self) -> None:  # once in each thread
        self.thread = _Thread()

    @property
    def default_graph(self) -> CommandGraph | None:
        return None if self.last is None else self.last()

    @default_graph.setter
    def default_graph(self, graph: CommandGraph | None) -> None:
        self.last = None if graph is None else weakref.ref(graph)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name == "custom_graph":
            mark_thread(GRAPH, value is not None)


_global_graph = _GlobalGraph()


def default_graph(context: Context | None = None) -> CommandGraph:
    """This thread's graph that runs launches at once, of a context; None is the current one."""
    graph = _global_graph.default_graph
    context = get_context() if context is None else context_for(context, "default_graph")
    if graph is not None and not graph.destroyed and graph.context is context:
        return graph
    graphs, thread = context._default_graphs, _global_graph.thread
    graph = graphs.get(thread)
    if graph is None or graph.destroyed:
        graph = graphs[thread] = CommandGraph(reset_on_submit=True, submit_on_record=True, context=context)
    _global_graph.default_graph = graph
    return graph


def global_graph(context: Context | None = None) -> CommandGraph:
    """The graph that calls without `graph=` go to: the one that was set for this thread, else the default one of a
    context; None is the current one."""
    return _global_graph.custom_graph or default_graph(context)


def target_of_call(graph: Any, context: Context, what: str) -> CommandGraph:
    """The graph that a call on objects of a context goes to: the one that it names, else the thread's."""
    target = global_graph(context) if graph is None else graph
    if not isinstance(target, CommandGraph):
        raise WrongTypeError(f"Expected a CommandGraph as graph= (got {type(target).__name__})!")
    if target.context is not context:
        raise ValueError(
            f"{what}: its arguments belong to {context.name}, and the graph to {target.context.name}! "
            + target._context_cure
        )
    return target


def set_global_graph(graph: CommandGraph | None = None) -> None:
    """Set the graph of this thread; None goes back to the default one. RuntimeError if one is set already."""
    if graph is None:
        _global_graph.custom_graph = None
        return
    if not isinstance(graph, CommandGraph):
        raise WrongTypeError(f"Expected a CommandGraph (got {type(graph).__name__})")
    if _global_graph.custom_graph is not None:
        raise RuntimeError("A global graph is already set for this thread!")
    _global_graph.custom_graph = graph


@contextlib.contextmanager
def record(graph: CommandGraph | None = None) -> Iterator[CommandGraph]:
    """Record launches, transforms and reductions inside the block into a new graph, or into `graph`. May be nested.

    Reads, writes, fills and copies of buffers happen at once, and are not recorded: graph.fill() and graph.copy() are.
    """
    if graph is None:
        graph = CommandGraph()
    elif not isinstance(graph, CommandGraph):
        raise WrongTypeError(f"record: graph must be a CommandGraph (got {type(graph).__name__})")
    previous = _global_graph.custom_graph
    _global_graph.custom_graph = graph
    try:
        yield graph
    finally:
        _global_graph.custom_graph = previous


__all__ = [
    "BufferBindInfo",
    "CommandGraph",
    "ImageBindInfo",
    "default_graph",
    "global_graph",
    "record",
    "set_global_graph",
    "target_of_call",
]
