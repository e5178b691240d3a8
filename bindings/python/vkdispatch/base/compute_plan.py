"""A compiled kernel: from source text in the backend's own language, or from a traced kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import _native
from .context import Context, Handle
from .pointers import address_of, let_go

_enums = _native.enums
_STORAGE_BUFFER = _enums.VD_BINDING_STORAGE_BUFFER
_LANGUAGE_OF = {
    "vulkan": _enums.VD_LANGUAGE_GLSL,
    "cuda": _enums.VD_LANGUAGE_CUDA,
    "opencl": _enums.VD_LANGUAGE_OPENCL,
    "host": _enums.VD_LANGUAGE_IR,
}


class ComputePlan(Handle):
    """Compiled work. `binding_type_list` gives the kind of each binding; `pc_size` is the bytes of push constants."""

    #: Gives the function to call when the plan is destroyed, or None.
    on_destroy: Any = None
    #: Makes the library's plan for a device of the context.
    _make: Callable[[int], Any] | None = None

    def __init__(
        self, shader_source: str, binding_type_list: Sequence[int], pc_size: int = 0, shader_name: str = "kernel"
    ):
        from .._native._load import ffi

        super().__init__()
        if self.context.backend == "dummy":
            raise RuntimeError("ComputePlan: the dummy backend shows source only (vd_plan_create)")
        bindings = [int(b) for b in binding_type_list]
        for i, kind in enumerate(bindings):
            if kind != _STORAGE_BUFFER:
                raise _native.UnsupportedError(
                    f"ComputePlan: binding {i} is of type {kind}; only storage buffers (1) can be bound yet",
                    _enums.VD_ERR_UNSUPPORTED,
                )
        raw = _native.raw
        text = ffi.new("char[]", shader_source.encode())
        c_bindings = ffi.new("vd_binding_kind[]", bindings)
        source = raw.vd_source_desc(
            language=_LANGUAGE_OF[self.context.backend],
            text=text,
            size=len(text) - 1,
            binding_kinds=c_bindings,
            binding_count=len(bindings),
            values_size=pc_size,
        )
        self.shader_source = shader_source
        self.binding_list = list(binding_type_list)
        self.pc_size = pc_size
        self.shader_name = shader_name
        context, kept = self.context, (text, c_bindings)

        def make(device: int, _kept: Any = kept) -> Any:
            return raw.vd_plan_create(
                context._pointer, raw.vd_plan_desc(source=source, label=shader_name, device=device)
            )

        self._take(make(0), make)

    @classmethod
    def from_kernel(cls, context: Context, kernel: Any, local_size: Sequence[int], name: str) -> ComputePlan:
        """Compile a traced kernel for a workgroup size."""
        self = cls.__new__(cls)
        Handle.__init__(self, context)
        raw = _native.raw

        def make(device: int) -> Any:
            desc = raw.vd_plan_desc(kernel=kernel, workgroup_size=list(local_size), label=name, device=device)
            return raw.vd_plan_create(context._pointer, desc)

        self._take(make(0), make)
        info = raw.vd_plan_get_info(self._plan)
        self.shader_name = name
        self.pc_size = info.values_size
        self.binding_list = [_STORAGE_BUFFER] * info.binding_count
        return self

    def _take(self, plan: Any, make: Callable[[int], Any] | None = None) -> None:
        self._plan = plan
        self._hot = _native.hot.vd_plan(address_of(plan), plan)
        self._others: dict[int, Any] = {}
        if len(self.context.device_ids) > 1:
            self._make = make
        self.register_handle(plan)

    def on_device(self, device: int) -> Any:
        """The library's plan for a device of the context, compiled when it is first wanted."""
        if device == 0:
            return self._plan
        plan = self._others.get(device)
        if plan is None:
            assert self._make is not None
            plan = self._others[device] = self._make(device)
        return plan

    def launch_now(self, record: int, threads: Sequence[int], buffers: Sequence[Any], values: bytes) -> bool:
        """Launch with whole buffers on the first queue, or record that into the graph of that address.

        False if it would have to wait, or a buffer is gone: nothing has been done.
        """
        try:
            handles = [buffer._bind for buffer in buffers]
        except AttributeError:
            return False
        return self._hot.try_launch(record, 0, *threads, values or None, *handles) == 0

    def __getattr__(self, name: str) -> Any:
        if name == "shader_source" and "_plan" in vars(self):
            self.shader_source = _native.raw.vd_plan_get_source(self._plan)
            return self.shader_source
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _forget(self) -> None:
        for plan in self._others.values():
            let_go(plan)
        super()._forget()
        self._drop()

    def _destroy(self) -> None:
        self._drop()

    def _drop(self) -> None:
        self._plan = self._hot = self._make = None
        self._others.clear()
        forget = self.on_destroy() if self.on_destroy is not None else None
        if forget is not None:
            forget()
