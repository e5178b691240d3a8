"""Transforms by their arguments, each made once.

Example:
    transform = vd.fft.make_fft_shader((4, 64))
    transform(held)
    print(transform.explain())
    assert vd.fft.make_fft_shader((4, 64)) is transform
    vd.fft.print_cache_info()
"""

from __future__ import annotations

import collections
import operator
import threading
from collections.abc import Callable, Sequence
from typing import Any

from ..base import dtype as dt
from ..base.errors import WrongTypeError
from ..base.words import bracketed
from ..codegen import arguments as ann
from ..codegen.functions.builtin_values import global_invocation_id
from ..codegen.mapping import MappingFunction
from ..shader.decorator import shader
from ..shader.memo import PlanMemo
from ..shader.shader_function import ShaderFunction
from .arguments import refuse_other_keywords
from .checks import refuse_inner_real_axis
from .plan import FFTFunction, Transform
from .precision import ensure_complex_precision, resolve_compute_precision
from .ranges import normal_axis, normal_range, normal_shape

#: Most kernels of one convolution: the core's limit.
MAX_KERNELS = 64
CacheInfo = collections.namedtuple("CacheInfo", ["hits", "misses", "maxsize", "currsize"])


class _Cache:
    """Transforms by what they are; of those with maps the plans, for their functions and what these hold are the user's.

    All are kept until cache_clear(), as in vkdispatch 0.1.
    """

    def __init__(self) -> None:
        self._made: dict[tuple, Any] = {}
        # Shaders found by plain arguments of earlier calls.
        self._called: dict[tuple, FFTFunction] = {}
        self._plans = PlanMemo(None)
        self._lock = threading.Lock()
        self.hits = self.misses = 0

    def transform(self, transform: Transform) -> FFTFunction:
        """The function of a transform."""
        if transform.has_maps:
            return FFTFunction(transform, self._plans)
        return self.get(transform.key, lambda: FFTFunction(transform))

    def get(self, key: tuple, make: Callable[[], Any]) -> Any:
        with self._lock:
            found = self._made.get(key)
            if found is not None:
                self.hits += 1
            else:
                self.misses += 1
                found = self._made[key] = make()
            return found

    def recall(self, call: tuple) -> FFTFunction | None:
        """The shader that remember() stored for the same call."""
        with self._lock:
            found = self._called.get(call)
            if found is not None:
                self.hits += 1
            return found

    def remember(self, call: tuple, function: FFTFunction) -> None:
        """Give `function` again for that call, without looking at its arguments: it has no maps."""
        with self._lock:
            if self._made.get(function.transform.key) is function:
                self._called[call] = function

    def clear(self) -> None:
        with self._lock:
            self._made.clear()
            self._called.clear()
            self.hits = self.misses = 0
        self._plans.clear()

    def info(self) -> CacheInfo:
        plans = self._plans
        size = len(self._made) + len(plans)
        return CacheInfo(self.hits + plans.hits, self.misses + plans.misses, None, size)


_transforms, _convolutions, _transposes = _Cache(), _Cache(), _Cache()
recall_fft, remember_fft = _transforms.recall, _transforms.remember


def cache_clear() -> None:
    """Forget all transforms."""
    for cache in (_transforms, _convolutions, _transposes):
        cache.clear()


def get_cache_info() -> CacheInfo:
    """Hits, misses and size of the memory of transforms."""
    return _transforms.info()


def print_cache_info() -> None:
    """Print how often transforms were found made."""
    print(f"FFT cache: {_transforms.info()}")
    print(f"Convolution cache: {_convolutions.info()}")


# ---- Arguments -------------------------------------------------------------------------------------------------------


def check_maps(output_map: Any, input_map: Any, output_type: Any, input_type: Any, kernel_map: Any = None) -> None:
    """Raise ValueError if a map and a type are given for one side, or if a map is not a map."""
    sides = ((output_map, output_type, "output"), (input_map, input_type, "input"), (kernel_map, None, "kernel"))
    for mapping, given, side in sides:
        if mapping is not None and not isinstance(mapping, MappingFunction):
            raise WrongTypeError(f"{side}_map must be a vd.map function (got {type(mapping).__name__})!")
        if mapping is not None and given is not None:
            raise ValueError(f"{side}_type cannot be provided when {side}_map is used")


def checked_tune(tune: Any) -> int:
    """Level of measuring as the core takes it; ValueError if it is not 0, 1 or 2."""
    try:
        level = operator.index(tune)
    except TypeError:
        level = -1
    if level not in (0, 1, 2):
        raise ValueError(f"tune {bracketed(tune)} must be 0, 1 or 2!")
    return level


def is_any_order(order: Any, name: str = "order") -> bool:
    """Whether a spectrum may lie in any order; ValueError if the word is not known."""
    if order not in ("natural", "any"):
        raise ValueError(f"{name} {bracketed(order)} must be 'natural' or 'any'!")
    return bool(order == "any")


def checked_kernel_num(kernel_num: Any) -> int:
    """The number of kernels that a convolution takes; ValueError if it is not a positive integer."""
    try:
        count = operator.index(kernel_num)
    except TypeError:
        count = 0
    if count < 1:
        raise ValueError(f"kernel_num {bracketed(kernel_num)} must be an integer of at least 1!")
    if count > MAX_KERNELS:
        raise ValueError(f"convolve(): kernel_num ({count}) is past the limit ({MAX_KERNELS})!")
    return count


def _types(output_map: Any, input_map: Any, output_type: Any, input_type: Any, compute_type: Any) -> dict[str, Any]:
    check_maps(output_map, input_map, output_type, input_type)
    out = None if output_map is not None else ensure_complex_precision(output_type or dt.complex64, "output_type")
    if input_map is not None:
        taken = None
    else:
        taken = ensure_complex_precision(input_type or out or dt.complex64, "input_type")
        if out is not None and taken is not out:
            raise ValueError("input_type must match output_type when input_map is None and output_map is None")
    compute = resolve_compute_precision([out, taken], compute_type)
    return {"output_type": out, "input_type": taken, "compute_type": compute}


# ---- Factories -------------------------------------------------------------------------------------------------------


@refuse_other_keywords()
def make_fft_shader(
    buffer_shape: Sequence[int],
    axis: int | None = None,
    inverse: bool = False,
    normalize_inverse: bool = True,
    r2c: bool = False,
    input_map: MappingFunction | None = None,
    output_map: MappingFunction | None = None,
    input_type: Any = None,
    output_type: Any = None,
    compute_type: Any = None,
    input_signal_range: Any = None,
    name: str | None = None,
    output_signal_range: Any = None,
    tune: int = 0,
    workspace: bool = False,
    order: str = "natural",
) -> FFTFunction:
    """A transform along one axis, batched over the others.

    `tune` says what is measured on the device when it is compiled: 0 nothing, 1 the best four ways of each pass, 2 all.
    Results are kept in the cache folder, so that a pass is measured once. With `workspace` calls give it a buffer for what
    its passes write and read again, of at least its `workspace_size` bytes, as their keyword `workspace`. `order` is that of
    the spectrum, as in fft().
    """
    shape = normal_shape(buffer_shape)
    along = normal_axis(axis, len(shape))
    if r2c:
        refuse_inner_real_axis(along, shape)
    half = shape[along] // 2 + 1
    read, written = (half if r2c and inverse else shape[along]), (half if r2c and not inverse else shape[along])
    transform = Transform(
        shape,
        along,
        inverse=bool(inverse),
        normalize=bool(normalize_inverse),
        r2c=bool(r2c),
        signal_range=normal_range(input_signal_range, read, whole=shape[along]),
        written_range=normal_range(output_signal_range, written, "output_signal_range"),
        output_map=output_map,
        input_map=input_map,
        name=name,
        tune=checked_tune(tune),
        workspace=bool(workspace),
        any_order=is_any_order(order),
        **_types(output_map, input_map, output_type, input_type, compute_type),
    )
    return _transforms.transform(transform)


@refuse_other_keywords()
def make_convolution_shader(
    buffer_shape: Sequence[int],
    kernel_map: MappingFunction | None = None,
    kernel_num: int = 1,
    axis: int | None = None,
    normalize: bool = True,
    transposed_kernel: bool = False,
    kernel_inner_only: bool = False,
    input_map: MappingFunction | None = None,
    output_map: MappingFunction | None = None,
    input_type: Any = None,
    output_type: Any = None,
    kernel_type: Any = None,
    compute_type: Any = None,
    input_signal_range: Any = None,
    conjugate_kernel: bool = True,
    name: str | None = None,
    r2c: bool = False,
    output_signal_range: Any = None,
    kernel_order: str = "natural",
) -> FFTFunction:
    """A transform along one axis, a multiplication by a kernel's spectrum and the way back, in one.

    `transposed_kernel` needs nothing: a prepared kernel lies as any other.
    """
    shape = normal_shape(buffer_shape)
    along = normal_axis(axis, len(shape))
    if kernel_map is not None and kernel_type is not None:
        raise ValueError("kernel_type cannot be provided when kernel_map is used")
    if r2c:
        refuse_inner_real_axis(along, shape)
    types = _types(output_map, input_map, output_type, input_type, compute_type)
    kernel = None
    if kernel_map is None:
        kernel = ensure_complex_precision(kernel_type or types["output_type"] or dt.complex64, "kernel_type")
        if compute_type is None:
            types["compute_type"] = resolve_compute_precision([types["output_type"], types["input_type"], kernel])
    kernel_count = checked_kernel_num(kernel_num)
    transform = Transform(
        shape,
        along,
        convolve=True,
        kernel_map=kernel_map,
        kernel_type=kernel,
        kernel_count=kernel_count,
        r2c=bool(r2c),
        normalize=bool(normalize),
        conjugate=bool(conjugate_kernel),
        shared_kernel=bool(kernel_inner_only),
        signal_range=normal_range(input_signal_range, shape[along]),
        written_range=normal_range(output_signal_range, shape[along], "output_signal_range"),
        output_map=output_map,
        input_map=input_map,
        name=name,
        any_order=is_any_order(kernel_order, "kernel_order"),
        **types,
    )
    return _convolutions.transform(transform)


@refuse_other_keywords()
def get_transposed_size(buffer_shape: Sequence[int], axis: int | None = None, compute_type: Any = dt.complex64) -> int:
    """Elements of a kernel that transpose() prepared for a convolution along an axis."""
    shape = normal_shape(buffer_shape)
    normal_axis(axis, len(shape))
    size = 1
    for n in shape:
        size *= n
    return size


@refuse_other_keywords()
def make_transpose_shader(
    buffer_shape: Sequence[int],
    axis: int | None = None,
    kernel_inner_only: bool = False,
    input_type: Any = dt.complex64,
    output_type: Any = dt.complex64,
    compute_type: Any = dt.complex64,
) -> ShaderFunction:
    """A kernel (output, input) that prepares a kernel's spectrum for convolutions along an axis."""

    shape = normal_shape(buffer_shape)
    along = normal_axis(axis, len(shape))
    input_type = ensure_complex_precision(input_type, "input_type")
    output_type = ensure_complex_precision(output_type, "output_type")
    count = 1
    for n in shape[along if kernel_inner_only else 0 :]:
        count *= n

    def make() -> Any:
        # Convolutions read neighbouring columns together, so that the natural order is as good as any.
        def transpose(output: Any, input: Any) -> None:
            index = global_invocation_id().x
            output[index] = input[index].to_dtype(output_type)

        annotations = [ann.Buffer[output_type], ann.Buffer[input_type]]
        return shader(exec_size=count, arg_type_annotations=annotations, arg_names=["output", "input"])(transpose)

    return _transposes.get((count, input_type, output_type), make)
