"""Transforms by VkFFT's configuration: by VkFFT itself on Vulkan, elsewhere as those of vkdispatch.fft.

Example:
    plan = vd.vkfft.VkFFTPlan((4, 32), axes=[1])
    with vd.record() as graph:
        plan.record_forward(graph, buffer)
    graph.submit()
    assert np.allclose(buffer.read(0), np.fft.fft(signal), atol=1e-3)
    plan.destroy()
"""

from __future__ import annotations

import collections
import math
import operator
import threading
from collections.abc import Iterable, Sequence
from typing import Any

import vkdispatch.codegen as vc

from .. import _native, fft
from ..base import dtype as dt
from ..base.buffer import Buffer
from ..base.context import get_context, on_context_of_arguments
from ..base.errors import WrongTypeError
from ..base.words import bracketed, tensor_cure
from ..codegen import arguments as ann
from ..codegen.mapping import MappingFunction, map_function
from ..execution_pipeline import command_graph
from ..fft.convolutions import convolve_lines
from ..fft.ranges import normal_shape
from ..shader.memo import KEPT_PLANS
from .native import Request, VkFFTFunction, on_vulkan

Padding = Sequence[Sequence[int]]


class VkFFTPlan:
    """A transform over some axes of an array, or a convolution with kernels prepared by transpose_kernel2D()."""

    def __init__(
        self,
        shape: Sequence[int],
        do_r2c: bool = False,
        axes: Sequence[int] | int | None = None,
        normalize: bool = False,
        padding: Padding | None = None,
        pad_frequency_domain: bool = False,
        kernel_count: int = 0,
        input_shape: Sequence[int] | None = None,
        input_type: Any = None,
        kernel_convolution: bool = False,
        conjugate_convolution: bool = False,
        convolution_features: int = 0,
        num_batches: int = 1,
        single_kernel_multiple_batches: bool = False,
        keep_shader_code: bool = False,
    ):
        self.shape = normal_shape(shape)
        if len(self.shape) > 3:
            raise ValueError("Shape must be 1D, 2D, or 3D!")
        rank = len(self.shape)
        given = range(rank) if axes is None else as_axes(axes)
        for axis in given:
            if not -rank <= axis < rank:
                raise ValueError(f"axis ({axis}) is not an axis of {rank} dimension(s)!")
        self.axes = tuple(sorted({axis % rank for axis in given}))
        if len(self.axes) != len(given) or not given:
            raise ValueError(f"axes {bracketed(axes)} must name one axis or several, and none twice!")
        if do_r2c and rank - 1 not in self.axes:
            raise ValueError("A transform of reals needs the last axis!")
        self.input_shape = self.shape if input_shape is None else normal_shape(input_shape)
        if len(self.input_shape) != rank:
            raise ValueError(f"input_shape {bracketed(self.input_shape)} must have {rank} dimension(s), as shape has!")
        self.padding = None if padding is None else as_padding(padding)
        if self.padding is not None and len(self.padding) != rank:
            raise ValueError(f"padding needs a range for each of {rank} axes (got {len(self.padding)})!")
        for axis, (n, (low, high)) in enumerate(zip(self.shape, self.padding or (), strict=False)):
            if low < 0 or high > n:
                raise ValueError(f"padding[{axis}] ({low}, {high}) is not within 0 to {n}!")
        self.do_r2c = do_r2c
        self.normalize = normalize
        self.kernel_count = operator.index(kernel_count)
        self.input_type = input_type
        self.kernel_convolution = kernel_convolution
        self.conjugate_convolution = conjugate_convolution
        if operator.index(num_batches) < 1:
            raise ValueError(f"num_batches ({num_batches}) must be at least 1!")
        self.num_batches = operator.index(num_batches)
        # Arrays of a batch, with a kernel each.
        self.convolution_features = max(operator.index(convolution_features), 1)
        self.pad_frequency_domain = pad_frequency_domain
        self.single_kernel_multiple_batches = single_kernel_multiple_batches
        self.keep_shader_code = keep_shader_code
        self._maps: dict[Any, MappingFunction] = {}
        self._functions: dict[Request, VkFFTFunction | None] = {}
        self._context: Any = None
        self._destroyed = False

    # ---- Recording

    @on_context_of_arguments
    def record(
        self,
        graph: Any,
        buffer: Buffer,
        inverse: bool = False,
        kernel: Buffer | None = None,
        input: Buffer | None = None,
    ) -> None:
        """Transform a buffer, or another into it; with a kernel forward, multiply and back."""
        if self._destroyed:
            raise RuntimeError("The plan is destroyed!")
        check_complex(buffer)
        taken = math.prod(self._half(self.input_shape)) * self._batched[0]
        for name, other, least in (("input", input, taken), ("kernel", kernel, self._kernel_size)):
            if other is None:
                continue
            check_complex(other)
            if other.mem_size < least * other.var_type.item_size:
                raise ValueError(f"{name} must hold {least} numbers (got a buffer of shape {tuple(other.shape)})!")
        if input is None and self.input_shape != self.shape:
            raise ValueError(f"The plan reads an input of shape {self.input_shape}: name its buffer as input=!")
        if kernel is buffer and len(self.axes) > 1:
            raise ValueError("The kernel is the buffer itself, which the first pass changes!")
        if self._by_vkfft(graph, buffer, inverse, kernel, input):
            return
        if kernel is not None:
            self._convolve(graph, buffer, kernel, input)
        elif inverse:
            self._inverse(graph, buffer, input)
        else:
            self._forward(graph, buffer, input)

    def _by_vkfft(
        self, graph: Any, buffer: Buffer, inverse: bool, kernel: Buffer | None, source: Buffer | None
    ) -> bool:
        """Have the library do it; False if it does not, and vkdispatch.fft has to."""
        if not on_vulkan() or (source is not None and (inverse or self.do_r2c or self.input_shape != self.shape)):
            return False
        if any(b is not None and b.var_type is not buffer.var_type for b in (kernel, source)):
            return False
        for axis, (low, high) in enumerate(self.padding or ()):
            # An axis of padding alone is no range; along axes that are not transformed the library leaves padding
            # unchanged.
            if low < high and (axis not in self.axes or (low <= 0 and high >= self.shape[axis])):
                return False
        if kernel is not None and (
            self.conjugate_convolution or self.single_kernel_multiple_batches or self.padding is not None
        ):
            return False
        function = self._function(buffer, inverse, kernel, source)
        if function is None:
            return False
        function(*(b for b in (buffer, source, kernel) if b is not None), graph=graph)
        if self.keep_shader_code:
            print(function.get_src())
        return True

    def _function(
        self, buffer: Buffer, inverse: bool, kernel: Buffer | None, source: Buffer | None
    ) -> VkFFTFunction | None:
        """The library's transform for such buffers; None where it has none."""
        request = Request(
            shape=self._batched,
            axes=tuple(axis + 1 for axis in self.axes),
            var_type=buffer.var_type,
            real=self.do_r2c,
            inverse=inverse,
            normalize=self.normalize,
            convolve=kernel is not None,
            out_of_place=source is not None,
            padding=self.padding,
            pad_frequency_domain=self.pad_frequency_domain,
        )
        context = get_context().serial
        if self._context != context:  # another device may do what the last one did not
            self._functions.clear()
            self._context = context
        if request not in self._functions:
            function = VkFFTFunction(request)
            try:
                function.build()
                self._functions[request] = function
            except _native.UnsupportedError:
                self._functions[request] = None
        return self._functions[request]

    def record_forward(self, graph: Any, buffer: Buffer) -> None:
        """Transform a buffer."""
        self.record(graph, buffer)

    def record_inverse(self, graph: Any, buffer: Buffer) -> None:
        """Transform a buffer back."""
        self.record(graph, buffer, inverse=True)

    def destroy(self) -> None:
        """Refuse further use. What is in flight or recorded goes on."""
        self._destroyed = True
        self._functions.clear()
        self._maps.clear()

    @property
    def _batched(self) -> tuple[int, ...]:
        return (self.num_batches * self.convolution_features, *self.shape)

    def _half(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The complex numbers of an array's rows."""
        return (*shape[:-1], shape[-1] // 2 + 1) if self.do_r2c else shape

    @property
    def _spectrum(self) -> tuple[int, ...]:
        return self._half(self._batched)

    @property
    def _kernel_size(self) -> int:
        """The number of elements of a filter: one filter serves all batches if the configuration says so."""
        count = math.prod(self._spectrum)
        return count // self.num_batches if self.single_kernel_multiple_batches else count

    def _pass(self, graph: Any, buffer: Buffer, axis: int, inverse: bool, source: Buffer | None = None) -> None:
        real = self.do_r2c and axis == len(self.shape) - 1
        options: dict[str, Any] = {
            "buffer_shape": self._batched if real else self._spectrum,
            "graph": graph,
            "print_shader": self.keep_shader_code,
            "axis": axis + 1,
            "inverse": inverse,
            "normalize_inverse": self.normalize,
            "r2c": real,
        }
        if source is None:
            fft.fft(buffer, **options)
        else:
            fft.fft(buffer, source, input_map=self._reader(source.var_type, inverse), **options)

    def _kept(self, key: Any, function: Any, var_type: Any) -> MappingFunction:
        """A map over one buffer, made once."""
        if key not in self._maps:
            self._maps[key] = map_function(function, None, [ann.Buffer[var_type]])
        return self._maps[key]

    def _reader(self, var_type: Any, inverse: bool) -> MappingFunction:
        """A map that reads the input in place, and zeros where it is padded or has ended."""

        def read(source: Any) -> None:
            op = fft.read_op()
            at, inside = self._place(op, inverse)
            if inside is None:
                op.read_from_buffer(source, io_index=at)
                return
            op.register[:] = 0
            with vc.if_block(inside):
                op.read_from_buffer(source, io_index=at)

        return self._kept((var_type, inverse), read, var_type)

    def _multiplier(self, var_type: Any) -> MappingFunction:
        """A map that multiplies by a kernel that all batches have, and by zero where the spectrum is padded."""
        size = self._kernel_size

        def multiply(kernel: Any) -> None:
            op = fft.read_op()
            value = op.register.to_register()
            op.read_from_buffer(kernel, register=value, io_index=op.io_index % size)
            value[:] = vc.mult_complex(op.register, value.conjugate() if self.conjugate_convolution else value)
            _, inside = self._place(op, True) if self.pad_frequency_domain else (None, None)
            if inside is None:
                op.register[:] = value
                return
            op.register[:] = 0
            with vc.if_block(inside):
                op.register[:] = value

        return self._kept((var_type, None), multiply, var_type)

    def _place(self, op: Any, spectrum: bool) -> tuple[Any, Any]:
        """The address of an element in the input, None if it is the array's own; and the condition for it to be in
        range, None if all are."""
        rows, its_rows = (self._half(s) if spectrum else s for s in (self.shape, self.input_shape))
        shape, source = list(rows), list(its_rows)
        if self.do_r2c and not spectrum:  # rows of reals are padded to the spectrum's
            for extents in (shape, source):
                extents[-1] = 2 * (extents[-1] // 2 + 1)
        masked = self.padding is not None and self.pad_frequency_domain == spectrum
        padding = self.padding if masked else ((0, 0),) * len(shape)
        at, rest, step, inside = None, op.io_index, 1, None
        extents_of = list(zip(shape, source, rows, its_rows, padding, strict=True))  # type: ignore[arg-type]
        for n, its, row, its_row, (low, high) in reversed(extents_of):
            here, rest = rest % n, rest // n
            conditions = [here < its_row] if its_row < row else []
            if low < high:
                conditions.append(vc.logical_or(here < low, here >= high))
            for condition in conditions:
                inside = condition if inside is None else vc.logical_and(inside, condition)
            at = here * step if at is None else at + here * step
            step *= its
        return (None if source == shape else at + rest * step), inside

    def _first_source(self, buffer: Buffer, source: Buffer | None, inverse: bool = False) -> Buffer | None:
        """The map by which the first pass reads; None if it reads the buffer directly."""
        masked = self.padding is not None and self.pad_frequency_domain == inverse
        return buffer if source is None and masked else source

    def _forward(self, graph: Any, buffer: Buffer, source: Buffer | None) -> None:
        from_here = self._first_source(buffer, source)
        for axis in reversed(self.axes):
            self._pass(graph, buffer, axis, False, from_here)
            from_here = None

    def _inverse(self, graph: Any, buffer: Buffer, source: Buffer | None) -> None:
        from_here = self._first_source(buffer, source, True)
        for axis in self.axes:
            self._pass(graph, buffer, axis, True, from_here)
            from_here = None

    def _convolve(self, graph: Any, buffer: Buffer, kernel: Buffer, source: Buffer | None) -> None:
        from_here = self._first_source(buffer, source)
        for axis in reversed(self.axes[1:]):
            self._pass(graph, buffer, axis, False, from_here)
            from_here = None
        options: dict[str, Any] = {
            "shape": self._spectrum,
            "graph": graph,
            "print_shader": self.keep_shader_code,
            "axis": self.axes[0] + 1,
            "normalize": self.normalize,
        }
        if self.pad_frequency_domain or (self.single_kernel_multiple_batches and self.num_batches > 1):
            options["kernel_map"] = self._multiplier(kernel.var_type)
        else:
            options["conjugate_kernel"] = self.conjugate_convolution
        if from_here is None:
            convolve_lines((buffer, kernel), **options)
        else:
            reader = self._reader(from_here.var_type, False)
            convolve_lines((buffer, from_here, kernel), input_map=reader, **options)
        for axis in self.axes[1:]:
            self._pass(graph, buffer, axis, True)


# ---- Plans that are kept ---------------------------------------------------------------------------------------------

_plans: collections.OrderedDict[tuple, VkFFTPlan] = collections.OrderedDict()
_lock = threading.Lock()


def as_axes(given: Any) -> tuple[int, ...]:
    """One axis or several, as a tuple."""
    try:
        return tuple(operator.index(axis) for axis in (given if isinstance(given, Iterable) else (given,)))
    except TypeError:
        raise WrongTypeError(f"axis {bracketed(given)} must be an integer or several!") from None


def as_padding(given: Any) -> tuple[tuple[int, int], ...]:
    """A range, (first, end), for each axis."""
    try:
        return tuple((operator.index(first), operator.index(end)) for first, end in given)
    except (TypeError, ValueError):
        raise ValueError(f"padding {bracketed(given)} must have two integers, (first, end), for each axis!") from None


def kept_plan(**arguments: Any) -> VkFFTPlan:
    """The plan of these arguments, made once; of the plans those that were used last are kept."""
    key = tuple(sorted(arguments.items(), key=lambda item: item[0]))
    with _lock:
        found = _plans.get(key)
        if found is None:
            found = _plans[key] = VkFFTPlan(**arguments)
            while len(_plans) > KEPT_PLANS:
                _plans.popitem(last=False)
        _plans.move_to_end(key)
    return found


def clear_plan_cache() -> None:
    """Forget all plans that calls have made."""
    with _lock:
        _plans.clear()


def graph_of(graph: Any) -> Any:
    """The graph that a call records into."""
    return command_graph.global_graph() if graph is None else graph


def check_complex(buffer: Any) -> None:
    """Raise ValueError for a buffer that holds no complex numbers."""
    if not isinstance(buffer, Buffer):
        raise WrongTypeError(f"Expected a buffer (got {type(buffer).__name__})!{tensor_cure(buffer)}")
    if not dt.is_complex(buffer.var_type):
        raise ValueError(f"The buffer must hold complex numbers (got {buffer.var_type.name})!")
