"""Waiting for the other invocations of a workgroup, and the order in which they see memory.

All invocations of a workgroup must reach a barrier: use one inside a block only if all of them take the same branch.

Example:
    @vd.shader(workgroups=1, local_size=64)
    def reversed_in_place(x: Buff[f32]):
        shared = vc.shared_buffer(f32, 64)
        i = vc.local_invocation_id().x
        shared[i] = x[i]
        vc.barrier()
        x[i] = shared[63 - i]

    x = vd.arange(64, dtype=vd.float32)
    reversed_in_place(x)
    assert x.read(0)[0] == 63
"""

from __future__ import annotations

from ..._native import enums as e
from ..global_builder import active

_ORDER = e.VD_MEMORY_ACQUIRE_RELEASE


def barrier() -> None:
    """Wait until all invocations of the workgroup are here. What they wrote to shared memory and buffers is seen after."""
    active().statement(e.VD_OP_BARRIER, 0, 0)


def memory_barrier() -> None:
    """Order this invocation's accesses to all memory, as the whole device sees them."""
    active().statement(e.VD_OP_FENCE, 0, _ORDER | e.VD_MEMORY_DEVICE)


def memory_barrier_buffer() -> None:
    """Order this invocation's accesses to buffers."""
    active().statement(e.VD_OP_FENCE, 0, _ORDER | e.VD_MEMORY_DEVICE | e.VD_MEMORY_STORAGE)


def memory_barrier_shared() -> None:
    """Order this invocation's accesses to shared memory."""
    active().statement(e.VD_OP_FENCE, 0, _ORDER | e.VD_MEMORY_WORKGROUP | e.VD_MEMORY_SHARED)


def memory_barrier_image() -> None:
    """Order this invocation's accesses to images."""
    active().statement(e.VD_OP_FENCE, 0, _ORDER | e.VD_MEMORY_DEVICE | e.VD_MEMORY_IMAGE)


def group_memory_barrier() -> None:
    """Order this invocation's accesses to all memory, as its workgroup sees them."""
    active().statement(e.VD_OP_FENCE, 0, _ORDER | e.VD_MEMORY_WORKGROUP)
