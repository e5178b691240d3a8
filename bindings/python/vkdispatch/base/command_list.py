"""Lists of launches of source text, whose push constants are given when they are submitted.

`CommandList` is imported from `vkdispatch.base.command_list`.

Example:
    from vkdispatch.base.command_list import CommandList

    if text is not None:
        commands = CommandList()
        commands.record_compute_plan(plan, bound, [2, 1, 1])  # two workgroups of 64
        commands.submit(np.float32([3, 0.5]))  # two instances: times 3, then times 0.5
        assert commands.get_instance_size() == 4 and (numbers.read(0) == 1.5).all()
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _native
from .compute_plan import ComputePlan
from .context import Context, Handle, as_integer, context_for
from .descriptor_set import DescriptorSet
from .errors import WrongTypeError
from .launch_desc import launch_desc
from .streams import current_stream, stream_handle
from .words import bracketed

_MOST_WORKGROUPS = (1 << 32) - 1


class CommandList(Handle):
    """Launches of plans, each with its descriptor set and its number of workgroups, in the order in which they run.

    Submitting takes a snapshot: the list may be changed right after. One thread at a time records, resets or submits it.

    It keeps its plans and sets alive. Where one of them is destroyed, submit() is a RuntimeError until reset(). The dummy
    backend runs nothing, so a list of its own is a RuntimeError.
    """

    _numbers = iter(range(1 << 62, 1 << 63))

    def __init__(self, context: Context | None = None) -> None:
        context = context_for(context, type(self).__name__)
        if context.backend == "dummy":
            raise RuntimeError(
                f"{type(self).__name__}: the dummy backend shows source only, it runs nothing (vd_graph_create)"
            )
        super().__init__(context)
        self._commands: list[tuple[ComputePlan, DescriptorSet, tuple[int, int, int]]] = []
        self._invalid = ""
        self.register_handle(next(CommandList._numbers))

    def record_compute_plan(self, plan: ComputePlan, descriptor_set: DescriptorSet, blocks: Sequence[int]) -> None:
        """Add a launch of `blocks` workgroups: three numbers from 1 to 2^32 - 1. The descriptor set is one of the plan.

        Other numbers, a set of another plan and objects of another context are a ValueError, wrong types a TypeError.
        """
        self._check_alive()
        what = f"{type(self).__name__}.record_compute_plan"
        if not isinstance(plan, ComputePlan):
            raise WrongTypeError(f"{what}: plan {bracketed(plan)} is not a ComputePlan")
        if not isinstance(descriptor_set, DescriptorSet):
            raise WrongTypeError(f"{what}: descriptor_set {bracketed(descriptor_set)} is not a DescriptorSet")
        plan._check_alive()
        descriptor_set._check_alive()
        if plan.context is not self.context:
            raise ValueError(
                f"{what}: plan '{plan.shader_name}' belongs to {plan.context.name}, and the list to {self.context.name}"
            )
        if descriptor_set.compute_plan is not plan:
            raise ValueError(
                f"{what}: descriptor_set is one of plan '{descriptor_set.compute_plan.shader_name}', and the plan to record is "
                f"another one, '{plan.shader_name}'"
            )
        self._commands.append((plan, descriptor_set, _workgroups(blocks, f"{what}: blocks")))
        self.register_parent(plan)
        self.register_parent(descriptor_set)

    def reset(self) -> None:
        """Forget every launch. Work in flight goes on."""
        self._check_alive()
        self._commands.clear()
        self._invalid = ""
        self.clear_parents()

    def __repr__(self) -> str:
        if self.destroyed:
            return f"<{type(self).__name__}, destroyed>"
        count = len(self._commands)
        return f"<{type(self).__name__}: {count} {'launch' if count == 1 else 'launches'}>"

    def get_instance_size(self) -> int:
        """Bytes of push constants of all launches together: those of one instance."""
        return sum(plan.pc_size for plan, _, _ in self._commands)

    def submit(
        self,
        data: bytes | None = None,
        queue_index: int = -2,
        instance_count: int | None = None,
        cuda_stream: Any = None,
    ) -> None:
        """Run the list once for each instance, on a queue (-2: on every one, -1: on any). Returns at once.

        `data` is bytes or an array of the push constants: those of all launches in their order, instance after instance.
        Its size gives the number of instances, so `instance_count` is only needed where there are no push constants.
        `cuda_stream` is a CUDA stream of another library's, for the work to run on.

        Data of another size and a queue that the context lacks are a ValueError, and so are a binding without an object
        and a call without either argument. Errors of a launch are the library's own, as vd.InvalidError.
        """
        self._check_alive()
        what = f"{type(self).__name__}.submit"
        if self._invalid:
            raise RuntimeError(f"{what}: the list uses a {self._invalid} that was destroyed; reset() empties it")
        stream = current_stream() if cuda_stream is None else stream_handle(cuda_stream, f"{what}: cuda_stream")
        if stream and self.context.backend != "cuda":
            raise RuntimeError(f"{what}: cuda_stream: streams are CUDA's, and the list belongs to {self.context.name}")
        if data is None and instance_count is None:
            raise ValueError(f"{what}: Either data or instance_count is needed!")
        payload = b"" if data is None else _bytes_of(data, f"{what}: data")
        size = self.get_instance_size()
        if instance_count is not None:
            instance_count = as_integer(instance_count, f"{what}: instance_count")
            if instance_count < 0:
                raise ValueError(f"{what}: instance_count ({instance_count}) must not be negative")
        else:
            if size == 0 and payload:
                raise ValueError(f"{what}: the list takes no push constants, but data has {len(payload)} bytes!")
            if size and len(payload) % size:
                raise ValueError(
                    f"{what}: data ({len(payload)} bytes) is not a multiple of an instance ({size} bytes)!"
                )
            instance_count = len(payload) // size if payload else 1
        if len(payload) != size * instance_count:
            raise ValueError(
                f"{what}: data has {len(payload)} bytes, but {instance_count} instances of {size} bytes are wanted!"
            )
        queues = self.context.queues(queue_index, f"{what}: queue_index")
        with _native.naming(what):
            for queue in queues:
                self._run(queue, payload, instance_count, stream)

    def _run(self, queue: int, payload: bytes, instance_count: int, stream: int) -> None:
        raw = _native.raw
        at = 0
        for _ in range(instance_count):
            for plan, descriptor_set, blocks in self._commands:
                values = payload[at : at + plan.pc_size]
                at += plan.pc_size
                desc, kept = launch_desc(queue, (0, 0, 0), descriptor_set.bindings(), values, stream)
                desc.workgroups = blocks
                raw.vd_plan_launch(plan.on_device(self.context.queue_devices[queue]), desc)
                del kept

    def submit_any(self, data: bytes | None = None, instance_count: int | None = None) -> None:
        """Run the list on whichever queue is free: submit() with the queue -1."""
        self.submit(data, -1, instance_count)

    def _parent_destroyed(self, parent: Handle) -> None:
        self._invalid = type(parent).__name__


def _workgroups(blocks: Any, what: str) -> tuple[int, int, int]:
    """Numbers of workgroups on three axes, checked."""
    try:
        given = [blocks[axis] for axis in range(3)] if getattr(blocks, "__len__", lambda: 3)() == 3 else []
    except (TypeError, LookupError):
        given = []
    if not given:
        raise WrongTypeError(f"{what} {bracketed(blocks)} must be three integers, the workgroups on each axis")
    counts = [as_integer(count, f"{what}[{axis}]") for axis, count in enumerate(given)]
    for axis, count in enumerate(counts):
        if not 1 <= count <= _MOST_WORKGROUPS:
            raise ValueError(f"{what}[{axis}] ({count}) is outside 1 to {_MOST_WORKGROUPS}")
    return counts[0], counts[1], counts[2]


def _bytes_of(data: Any, what: str) -> bytes:
    try:
        return memoryview(data).tobytes()
    except TypeError:
        raise WrongTypeError(f"{what} {bracketed(data)} is not bytes, nor an object with the buffer protocol") from None
