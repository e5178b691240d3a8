"""Compiled source text of a program's own, in the language of the backend, or a module of SPIR-V.

`ComputePlan` is imported from `vkdispatch.base.compute_plan`. A `DescriptorSet` says what is bound to it, and a
`CommandList` launches it. Vulkan takes GLSL, CUDA takes CUDA C++, OpenCL takes OpenCL C, and the host takes no text.

Example:
    from vkdispatch.base.compute_plan import ComputePlan

    texts = {
        "vulkan": '''#version 450
            layout(local_size_x = 64) in;
            layout(set = 0, binding = 0) buffer X { float x[]; };
            layout(push_constant) uniform Values { float factor; };
            void main() { x[gl_GlobalInvocationID.x] *= factor; }''',
        "cuda": '''#define VKDISPATCH_EXPECTED_LOCAL_SIZE_X 64
            extern "C" __global__ void vkdispatch_main(float *x, float factor) {
                x[blockIdx.x * blockDim.x + threadIdx.x] *= factor;
            }''',
        "opencl": '''#define VKDISPATCH_EXPECTED_LOCAL_SIZE_X 64
            __kernel void vkdispatch_main(__global float *x, float factor) { x[get_global_id(0)] *= factor; }''',
    }
    text = texts.get(vd.get_backend())
    if text is not None:
        plan = ComputePlan(text, [1], pc_size=4, shader_name="scaled")  # one storage buffer, and 4 bytes for each launch
        assert plan.pc_size == 4 and plan.binding_list == [1]
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import _native
from ..compat import numpy_compat as npc
from .context import Context, Handle, context_for
from .errors import WrongTypeError
from .named_parameters import expected_local_size, in_order
from .pointers import address_of, let_go
from .source_text import describe_source
from .spirv import SpirvInfo, bits_of, inspect_spirv
from .words import bracketed

_enums = _native.enums
_NO_CONSTANT = _enums.VD_NO_SPEC_CONSTANT
_STORAGE_BUFFER = _enums.VD_BINDING_STORAGE_BUFFER
# Far more than devices have: drivers keep something for each number up to the highest.
_MOST_BINDINGS = 4096
#: The kinds of bindings that a plan takes, by number.
KINDS = {
    _STORAGE_BUFFER: "a storage buffer",
    _enums.VD_BINDING_UNIFORM_BUFFER: "a uniform buffer",
    _enums.VD_BINDING_SAMPLED_IMAGE: "an image with its sampler",
    _enums.VD_BINDING_STORAGE_IMAGE: "a storage image",
    _enums.VD_BINDING_TEXTURE: "an image whose sampler is another binding",
    _enums.VD_BINDING_SAMPLER: "a sampler alone",
}
_CONSTANT = re.compile(r"layout\s*\(\s*constant_id\s*=\s*(\d+)\s*\)\s*const\s+(\w+)\s+(\w+)")
_SIZE = re.compile(r"\blocal_size_[xyz]_id\s*=\s*(\d+)")
_TYPES = {"bool": "bool", "int": "i32", "uint": "u32", "float": "f32", "double": "f64"}
_TYPES |= {f"{kind}{bits}_t": f"{kind[0]}{bits}" for kind in ("int", "uint", "float") for bits in (8, 16, 32, 64)}
_LANGUAGE_OF = {
    "vulkan": _enums.VD_LANGUAGE_GLSL,
    "cuda": _enums.VD_LANGUAGE_CUDA,
    "opencl": _enums.VD_LANGUAGE_OPENCL,
    "host": _enums.VD_LANGUAGE_IR,
}


def _kinds_of(binding_type_list: Sequence[int], what: str) -> list[int]:
    """The kinds of bindings, checked. `what` names the call in messages."""
    try:
        kinds = [operator.index(kind) for kind in binding_type_list]
    except TypeError:
        raise WrongTypeError(
            f"{what}: binding_type_list {bracketed(binding_type_list)} must be made of integers, a kind for each binding"
        ) from None
    for i, kind in enumerate(kinds):
        if kind not in KINDS:
            names = ", ".join(f"{number} ({name})" for number, name in KINDS.items())
            raise _native.UnsupportedError(
                f"{what}: binding {i} is of type {kind}, which is not one of {names}", _enums.VD_ERR_UNSUPPORTED
            )
    return kinds


def _size_of(pc_size: Any, what: str) -> int:
    """The bytes of push constants, checked."""
    if not npc.is_integer_scalar(pc_size):
        raise WrongTypeError(f"{what}: pc_size {bracketed(pc_size)} must be an integer, the bytes of push constants")
    if not 0 <= pc_size < 1 << 32:
        raise ValueError(f"{what}: pc_size ({pc_size}) must be from 0 to {(1 << 32) - 1} bytes")
    return int(pc_size)


def _check_texts(what: str, **texts: Any) -> None:
    """Raise for an argument that must be text and is not."""
    for name, text in texts.items():
        if not isinstance(text, str):
            raise WrongTypeError(f"{what}: {name} {bracketed(text)} must be a str")


def _constants_of_glsl(source: str) -> dict[int | str, tuple[int, str]]:
    """Number and type of the specialisation constants of GLSL that the text shows, by number and by name."""
    found: dict[int | str, tuple[int, str]] = {int(number): (int(number), "u32") for number in _SIZE.findall(source)}
    for number, kind, name in _CONSTANT.findall(source):
        if kind in _TYPES:
            found[int(number)] = found[name] = (int(number), _TYPES[kind])
    return found


def _constants_of_spirv(info: SpirvInfo) -> dict[int | str, tuple[int, str]]:
    found: dict[int | str, tuple[int, str]] = {}
    for constant in info.spec_constants:
        found[constant.id] = (constant.id, constant.type)
        if constant.name:
            found[constant.name] = (constant.id, constant.type)
    return found


def _spec_constants(
    given: Mapping[int | str, Any] | None, known: dict[int | str, tuple[int, str]], what: str, all_known: bool
) -> list[tuple[int, int]]:
    """Numbers and bits of the specialisation constants of a call. A text may have others than those known, which are unsigned
    integers. `what` names the call in messages."""
    if given is not None and not isinstance(given, Mapping):
        raise WrongTypeError(f"{what}: spec_constants {bracketed(given)} must be a dict of values by number or name")
    values = []
    for key, value in (given or {}).items():
        found = known.get(key)
        if found is None:
            hidden = not all_known and npc.is_integer_scalar(key) and 0 <= int(key) < _NO_CONSTANT
            if not hidden or not npc.is_integer_scalar(value):
                others = f"which is not one of {sorted(map(str, known))}" if known else "and the source has none"
                raise ValueError(f"{what}: spec_constants has {key!r}, {others}")
            found = int(key), "u32"
        number, kind = found
        values.append((number, bits_of(value, kind, f"{what}: spec_constants[{key!r}]")))
    return values


class ComputePlan(Handle):
    """Compiled source text. `binding_type_list` gives the kind of each binding; `pc_size` is the bytes of push constants.

    - Kinds are 1 (storage buffer), 3 (uniform buffer), 5 (image with its sampler), 6 (storage image), 7 (image whose
      sampler is another binding) and 8 (sampler alone). Bindings count from 0.
    - `entry` is the name of the kernel. None is `main` in GLSL, and `vkdispatch_main` in CUDA C++ and OpenCL C.
    - GLSL has push constants in a `push_constant` block, the other languages in the last parameter, by value.
    - The text gives the workgroup size: GLSL by `local_size_x`, the other languages by a line
      `#define VKDISPATCH_EXPECTED_LOCAL_SIZE_X 64`, with `_Y` and `_Z` for the other axes.
    - `spec_constants` gives values to specialisation constants of GLSL, by number or name. The other languages have
      macros: put lines of `#define` in front of the text.
    - `shader_name` is the name of the plan in messages and profiles.

    A text that does not compile is a vd.CompileError with the compiler's log. On Vulkan a text that uses more bindings or
    push constants than the call says is a vd.InvalidError, and on OpenCL one with another number of parameters. CUDA's
    compiler does not report them, so nothing is checked there. A kind that the backend does not bind is a
    vd.UnsupportedError, and so is any text on the host.

    A plan does not change, and any thread may use it. Destroying it destroys its descriptor sets, and lists that hold it
    can no longer be submitted.
    """

    #: The source text; of a traced kernel what the library printed.
    shader_source: str
    #: The kind of each binding.
    binding_list: list[int]
    #: Bytes of push constants of each launch.
    pc_size: int
    #: The name in messages and profiles.
    shader_name: str
    # Gives the function to call when the plan is destroyed, or None.
    on_destroy: Any = None
    #: Makes the library's plan for a device of the context.
    _make: Callable[[int], Any] | None = None

    def __init__(
        self,
        shader_source: str,
        binding_type_list: Sequence[int],
        pc_size: int = 0,
        shader_name: str = "kernel",
        *,
        entry: str | None = None,
        spec_constants: Mapping[int | str, Any] | None = None,
        context: Context | None = None,
    ):
        super().__init__(context)
        _check_texts("ComputePlan", shader_source=shader_source, shader_name=shader_name, entry=entry or "")
        kinds, size = _kinds_of(binding_type_list, "ComputePlan"), _size_of(pc_size, "ComputePlan")
        backend = self.context.backend
        text, local_size = shader_source, []
        if backend in ("cuda", "opencl"):
            text = in_order(shader_source, kinds, backend == "opencl")
            local_size = expected_local_size(shader_source)
        if spec_constants and backend in ("cuda", "opencl"):
            raise _native.UnsupportedError(
                f"ComputePlan: spec_constants are GLSL's and SPIR-V's, and the plan is for {self.context.name}; a #define before "
                "the source does the same there",
                _enums.VD_ERR_UNSUPPORTED,
            )
        constants = _spec_constants(spec_constants, _constants_of_glsl(shader_source), "ComputePlan", False)
        self.shader_source = shader_source
        with _native.naming("ComputePlan"):
            self._compile(
                _LANGUAGE_OF.get(backend), text.encode(), kinds, size, shader_name, entry, constants, local_size
            )

    @classmethod
    def from_spirv(
        cls,
        code: Any,
        binding_type_list: Sequence[int] | None = None,
        pc_size: int | None = None,
        shader_name: str = "kernel",
        *,
        entry: str | None = None,
        spec_constants: Mapping[int | str, Any] | None = None,
        context: Context | None = None,
    ) -> ComputePlan:
        """Compile a module of SPIR-V, on Vulkan: bytes, or an array of its words.

        Kinds of bindings, the size of the push constants and the workgroup size are the module's own unless given.
        `spec_constants` gives values by number, or by name where the module has names. Bytes that are no module are a
        vd.CompileError, unknown constants a ValueError, and other backends a vd.UnsupportedError.
        """
        what = "ComputePlan.from_spirv"
        _check_texts(what, shader_name=shader_name, entry=entry or "")
        context = context_for(context, what)
        if context.backend in ("cuda", "opencl"):
            raise _native.UnsupportedError(
                f"{what}: SPIR-V ('{shader_name}') runs on Vulkan alone, and the plan is for {context.name}; write the kernel with "
                "@vd.shader, or use Vulkan",
                _enums.VD_ERR_UNSUPPORTED,
            )
        info = inspect_spirv(code, entry)
        if binding_type_list is None:
            used = [binding for binding in info.bindings if binding.set == 0 and binding.used]
            last = max((binding.binding for binding in used), default=-1)
            if last >= _MOST_BINDINGS:
                raise ValueError(
                    f"{what}: binding {last} of '{shader_name}' is past {_MOST_BINDINGS - 1}, the last that a plan takes"
                )
            kinds = [_STORAGE_BUFFER] * (last + 1)
            for binding in used:
                kinds[binding.binding] = binding.kind
            binding_type_list = kinds
        self = cls.__new__(cls)
        Handle.__init__(self, context)
        kinds = _kinds_of(binding_type_list, what)
        size = info.push_constant_size if pc_size is None else _size_of(pc_size, what)
        constants = _spec_constants(spec_constants, _constants_of_spirv(info), what, True)
        with _native.naming(what):
            self._compile(_enums.VD_LANGUAGE_SPIRV, bytes(code), kinds, size, shader_name, info.entry, constants, [])
        return self

    def _compile(
        self,
        language: int | None,
        text: bytes,
        kinds: list[int],
        pc_size: int,
        name: str,
        entry: str | None,
        constants: list[tuple[int, int]],
        local_size: list[int],
    ) -> None:
        if language is None or self.context.backend == "dummy":
            raise RuntimeError("ComputePlan: the dummy backend shows source only (vd_plan_create)")
        if self.context.backend == "host":
            raise _native.UnsupportedError(
                f"ComputePlan: the host backend compiles no source text ('{name}'); write the kernel with @vd.shader, or use "
                "Vulkan (GLSL, SPIR-V), CUDA (CUDA C++) or OpenCL (OpenCL C)",
                _enums.VD_ERR_UNSUPPORTED,
            )
        raw = _native.raw
        source, kept = describe_source(language, text, entry, kinds, pc_size, constants)
        self.binding_list = list(kinds)
        self.pc_size = pc_size
        self.shader_name = name
        context = self.context

        def make(device: int, _kept: Any = kept) -> Any:
            desc = raw.vd_plan_desc(source=source, label=name, device=device)
            if local_size:
                desc.workgroup_size = local_size
            return raw.vd_plan_create(context._live_pointer(f"Kernel '{name}'"), desc)

        self._take(make(0), make)

    @classmethod
    def from_kernel(cls, context: Context, kernel: Any, local_size: Sequence[int], name: str) -> ComputePlan:
        """Compile a traced kernel for a workgroup size."""
        self = cls.__new__(cls)
        Handle.__init__(self, context)
        raw = _native.raw

        def make(device: int) -> Any:
            desc = raw.vd_plan_desc(kernel=kernel, workgroup_size=list(local_size), label=name, device=device)
            return raw.vd_plan_create(context._live_pointer(f"Kernel '{name}'"), desc)

        self._take(make(0), make)
        info = raw.vd_plan_get_info(self._plan)
        self.shader_name = name
        self.pc_size = info.values_size
        self.binding_list = [_STORAGE_BUFFER] * info.binding_count
        for i in range(raw.vd_kernel_get_info(kernel).argument_count):
            argument = raw.vd_kernel_get_argument(kernel, i)
            if argument.kind == _enums.VD_ARGUMENT_IMAGE:
                self.binding_list[argument.binding] = (
                    _enums.VD_BINDING_STORAGE_IMAGE if argument.image_access else _enums.VD_BINDING_SAMPLED_IMAGE
                )
        return self

    def _take(self, plan: Any, make: Callable[[int], Any] | None = None) -> None:
        self._plan = plan
        self._hot = _native.hot.vd_plan(address_of(plan), plan)
        self._others: dict[int, Any] = {}
        if len(self.context.device_ids) > 1:
            self._make = make
        self.register_handle(plan)

    def _live_plan(self) -> Any:
        """The library's plan, which another thread may destroy with the context."""
        plan = self._plan
        self._check_alive()
        return plan

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

        False if it might have to wait, or a buffer is gone: nothing has been done.
        """
        if not record and not _native.hot.keep_lock:
            return False
        # Another thread may destroy them as soon as their handles are taken.
        kept = [self._hot, *(buffer._pointer for buffer in buffers)]
        try:
            handles = [buffer._bind for buffer in buffers]
        except AttributeError:
            return False
        if kept[0] is None:
            return False
        try:
            return bool(kept[0].try_launch(record, 0, *threads, values or None, *handles) == 0)
        except _native.Error as error:
            _native.naming(f"Kernel '{self.shader_name}'").rename(error)
            raise

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
