"""A list of launches whose push constants are given when it is submitted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _native
from .compute_plan import ComputePlan
from .context import Context, Handle, context_for
from .descriptor_set import DescriptorSet
from .launch_desc import launch_desc
from .streams import current_stream, stream_handle


class CommandList(Handle):
    """Plans with their buffers and sizes. Submitting takes a snapshot: the list may be changed right after."""

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
        """Add a launch of `blocks` workgroups."""
        self._check_alive()
        plan._check_alive()
        self._commands.append((plan, descriptor_set, (int(blocks[0]), int(blocks[1]), int(blocks[2]))))
        self.register_parent(plan)
        self.register_parent(descriptor_set)

    def reset(self) -> None:
        """Forget every launch."""
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
        """Bytes of push constants of all launches together."""
        return sum(plan.pc_size for plan, _, _ in self._commands)

    def submit(
        self,
        data: bytes | None = None,
        queue_index: int = -2,
        instance_count: int | None = None,
        cuda_stream: Any = None,
    ) -> None:
        """Run the list once for each instance. `data` holds the push constants, instance after instance."""
        self._check_alive()
        if self._invalid:
            raise RuntimeError(f"The list uses a {self._invalid} that was destroyed; reset() empties it")
        stream = current_stream() if cuda_stream is None else stream_handle(cuda_stream, "cuda_stream")
        if stream and self.context.backend != "cuda":
            raise RuntimeError(f"cuda_stream: streams are CUDA's, and the list belongs to {self.context.name}")
        if data is None and instance_count is None:
            raise ValueError("Either data or instance_count is needed!")
        payload = b"" if data is None else bytes(data)
        size = self.get_instance_size()
        if instance_count is None:
            if size == 0 and payload:
                raise ValueError(f"The list takes no push constants, but data has {len(payload)} bytes!")
            if size and len(payload) % size:
                raise ValueError(f"data ({len(payload)} bytes) is not a multiple of an instance ({size} bytes)!")
            instance_count = len(payload) // size if payload else 1
        if len(payload) != size * instance_count:
            raise ValueError(
                f"data has {len(payload)} bytes, but {instance_count} instances of {size} bytes are wanted!"
            )
        for queue in self.context.queues(queue_index):
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
        """Run the list on whichever queue is free."""
        self.submit(data, -1, instance_count)

    def _parent_destroyed(self, parent: Handle) -> None:
        self._invalid = type(parent).__name__
