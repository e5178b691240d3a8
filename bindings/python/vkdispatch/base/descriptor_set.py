"""The buffers of a launch, by binding."""

from __future__ import annotations

from typing import Any

from .. import _native
from .buffer import Buffer
from .compute_plan import ComputePlan
from .context import Handle


class DescriptorSet(Handle):
    """The buffers and values bound to a plan. A binding may be set again."""

    _numbers = iter(range(1, 1 << 62))

    def __init__(self, compute_plan: ComputePlan):
        super().__init__(compute_plan.context)
        compute_plan._check_alive()
        self.compute_plan = compute_plan
        self._bound: dict[int, tuple[Buffer, int, int]] = {}
        # There is nothing of the library's behind it: a number of its own, below every address.
        self.register_handle(next(DescriptorSet._numbers))
        self.register_parent(compute_plan)

    def bind_buffer(
        self,
        buffer: Buffer,
        binding: int,
        offset: int = 0,
        range: int = 0,
        uniform: bool = False,
        read_access: bool = True,
        write_access: bool = True,
    ) -> None:
        """Put a buffer, or `range` bytes of it from `offset`, at a binding. A range of 0 goes to the end."""
        self._check_alive()
        buffer._check_alive()
        if write_access and not buffer.is_writable:
            raise ValueError(f"Binding {binding} is written to, but its buffer is read-only!")
        if uniform:
            raise _native.UnsupportedError(
                "DescriptorSet: uniform buffers cannot be bound yet", _native.enums.VD_ERR_UNSUPPORTED
            )
        if not 0 <= binding < len(self.compute_plan.binding_list):
            raise ValueError(f"Binding {binding} is not one of the plan's {len(self.compute_plan.binding_list)}")
        self._bound[binding] = (buffer, offset, range)
        self.register_parent(buffer)

    def bind_sampler(self, sampler: Any, binding: int, read_access: bool = True, write_access: bool = True) -> None:
        """Put a sampler at a binding."""
        raise _native.UnsupportedError("Images: samplers cannot be bound yet", _native.enums.VD_ERR_UNSUPPORTED)

    def set_inline_uniform_payload(self, payload: bytes) -> None:
        """Give the uniform block by value. RuntimeError on other backends than CUDA."""
        if self.context.backend != "cuda":
            raise RuntimeError("set_inline_uniform_payload works on the CUDA backend alone")
        raise NotImplementedError("CUDA: uniform blocks by value are not in this version")

    def bindings(self) -> list[tuple[Buffer, int, int]]:
        """(buffer, offset, size) of every binding of the plan; ValueError naming one that is not bound."""
        self._check_alive()
        missing = [i for i, _ in enumerate(self.compute_plan.binding_list) if i not in self._bound]
        if missing:
            raise ValueError(f"Binding {missing[0]} of plan '{self.compute_plan.shader_name}' is not bound")
        return [self._bound[i] for i in sorted(self._bound)]
