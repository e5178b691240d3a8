"""Sources of transforms, without running them; they need no GPU.

They take what the function takes, with a shape for the buffers.

Example:
    print(vd.fft.fft_src((4, 64)))
    vd.fft.rfft_print_src((4, 64))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..codegen.mapping import MappingFunction
from ..shader.shader_function import ShaderSource
from .checks import several_axes
from .shader_factories import make_convolution_shader, make_fft_shader, make_transpose_shader, normal_shape

_Map = MappingFunction | None
_Sources = tuple[ShaderSource, ...]


def fft_src(
    buffer_shape: Sequence[int],
    axis: int | None = None,
    inverse: bool = False,
    normalize_inverse: bool = True,
    r2c: bool = False,
    input_map: _Map = None,
    output_map: _Map = None,
    input_signal_range: Any = None,
    line_numbers: bool = False,
) -> ShaderSource:
    """Source of fft()."""
    shader = make_fft_shader(
        buffer_shape,
        axis,
        inverse,
        normalize_inverse,
        r2c,
        input_map,
        output_map,
        input_signal_range=input_signal_range,
    )
    return shader.get_src(line_numbers)


def ifft_src(
    buffer_shape: Sequence[int],
    axis: int | None = None,
    normalize: bool = True,
    input_map: _Map = None,
    output_map: _Map = None,
) -> ShaderSource:
    """Source of ifft()."""
    return fft_src(buffer_shape, axis, True, normalize, False, input_map, output_map)


def _axes(name: str, buffer_shape: Sequence[int], most: int) -> list[int]:
    return several_axes(name, normal_shape(buffer_shape), most)


def _several(
    name: str, buffer_shape: Sequence[int], most: int, inverse: bool, normalize: bool, input_map: _Map, output_map: _Map
) -> _Sources:
    axes = _axes(name, buffer_shape, most)
    return tuple(
        fft_src(
            buffer_shape,
            axis,
            inverse,
            normalize,
            False,
            input_map if axis == axes[0] else None,
            output_map if axis == axes[-1] else None,
        )
        for axis in axes
    )


def fft2_src(buffer_shape: Sequence[int], input_map: _Map = None, output_map: _Map = None) -> _Sources:
    """Sources of fft2()."""
    return _several("fft2_src", buffer_shape, 2, False, True, input_map, output_map)


def fft3_src(buffer_shape: Sequence[int], input_map: _Map = None, output_map: _Map = None) -> _Sources:
    """Sources of fft3()."""
    return _several("fft3_src", buffer_shape, 3, False, True, input_map, output_map)


def ifft2_src(
    buffer_shape: Sequence[int], normalize: bool = True, input_map: _Map = None, output_map: _Map = None
) -> _Sources:
    """Sources of ifft2()."""
    return _several("ifft2_src", buffer_shape, 2, True, normalize, input_map, output_map)


def ifft3_src(
    buffer_shape: Sequence[int], normalize: bool = True, input_map: _Map = None, output_map: _Map = None
) -> _Sources:
    """Sources of ifft3()."""
    return _several("ifft3_src", buffer_shape, 3, True, normalize, input_map, output_map)


def _half(buffer_shape: Sequence[int]) -> tuple[int, ...]:
    shape = normal_shape(buffer_shape)
    return (*shape[:-1], shape[-1] // 2 + 1)


def rfft_src(buffer_shape: Sequence[int]) -> ShaderSource:
    """Source of rfft()."""
    return fft_src(buffer_shape, r2c=True)


def rfft2_src(buffer_shape: Sequence[int]) -> _Sources:
    """Sources of rfft2()."""
    axes = _axes("rfft2_src", buffer_shape, 2)[:-1]
    return (rfft_src(buffer_shape), *(fft_src(_half(buffer_shape), axis) for axis in axes))


def rfft3_src(buffer_shape: Sequence[int]) -> _Sources:
    """Sources of rfft3()."""
    axes = _axes("rfft3_src", buffer_shape, 3)[1::-1]
    return (rfft_src(buffer_shape), *(fft_src(_half(buffer_shape), axis) for axis in axes))


def irfft_src(buffer_shape: Sequence[int], normalize: bool = True) -> ShaderSource:
    """Source of irfft()."""
    return fft_src(buffer_shape, None, True, normalize, True)


def irfft2_src(buffer_shape: Sequence[int], normalize: bool = True) -> _Sources:
    """Sources of irfft2()."""
    axes = _axes("irfft2_src", buffer_shape, 2)[:-1]
    columns = (ifft_src(_half(buffer_shape), axis, normalize) for axis in axes)
    return (*columns, irfft_src(buffer_shape, normalize))


def irfft3_src(buffer_shape: Sequence[int], normalize: bool = True) -> _Sources:
    """Sources of irfft3()."""
    axes = _axes("irfft3_src", buffer_shape, 3)[:-1]
    columns = (ifft_src(_half(buffer_shape), axis, normalize) for axis in axes)
    return (*columns, irfft_src(buffer_shape, normalize))


def convolve_src(
    buffer_shape: Sequence[int],
    kernel_map: _Map = None,
    kernel_num: int = 1,
    axis: int | None = None,
    normalize: bool = True,
    transposed_kernel: bool = False,
    kernel_inner_only: bool = False,
    input_map: _Map = None,
    output_map: _Map = None,
    input_signal_range: Any = None,
    line_numbers: bool = False,
) -> ShaderSource:
    """Source of convolve()."""
    shader = make_convolution_shader(
        buffer_shape, kernel_map, kernel_num, axis, normalize, transposed_kernel, kernel_inner_only, input_map, output_map,
        input_signal_range=input_signal_range,
    )  # fmt: skip
    return shader.get_src(line_numbers)


def convolve2D_src(
    buffer_shape: Sequence[int],
    kernel_map: _Map = None,
    normalize: bool = True,
    transposed_kernel: bool = False,
    kernel_inner_only: bool = False,
    input_map: _Map = None,
    output_map: _Map = None,
) -> _Sources:
    """Sources of convolve2D()."""
    middle = _axes("convolve2D_src", buffer_shape, 2)[0]
    return (
        fft_src(buffer_shape, input_map=input_map),
        convolve_src(buffer_shape, kernel_map, 1, middle, normalize, transposed_kernel, kernel_inner_only),
        fft_src(buffer_shape, None, True, normalize, output_map=output_map),
    )


def convolve2DR_src(
    buffer_shape: Sequence[int],
    kernel_map: _Map = None,
    transposed_kernel: bool = False,
    kernel_inner_only: bool = False,
    normalize: bool = True,
) -> _Sources:
    """Sources of convolve2DR()."""
    middle = _axes("convolve2DR_src", buffer_shape, 2)[0]
    return (
        rfft_src(buffer_shape),
        convolve_src(_half(buffer_shape), kernel_map, 1, middle, normalize, transposed_kernel, kernel_inner_only),
        irfft_src(buffer_shape, normalize),
    )


def transpose_src(
    buffer_shape: Sequence[int], axis: int | None = None, kernel_inner_only: bool = False, line_numbers: bool = False
) -> ShaderSource:
    """Source of transpose()."""
    return make_transpose_shader(buffer_shape, axis, kernel_inner_only).get_src(line_numbers)


# ---- Printers --------------------------------------------------------------------------------------------------------


def _printer(name: str, source: Callable[..., Any]) -> Callable[..., None]:
    def print_src(*args: Any, **kwargs: Any) -> None:
        found = source(*args, **kwargs)
        stages = found if isinstance(found, tuple) else (found,)
        for i, stage in enumerate(stages):
            print(f"// {name}: stage {i + 1} of {len(stages)}\n{stage}")

    print_src.__name__ = print_src.__qualname__ = f"{name}_print_src"
    print_src.__doc__ = f"Print what {name}_src() gives."
    return print_src


fft_print_src, fft2_print_src, fft3_print_src = (
    _printer("fft", fft_src), _printer("fft2", fft2_src), _printer("fft3", fft3_src),
)  # fmt: skip
ifft_print_src, ifft2_print_src, ifft3_print_src = (
    _printer("ifft", ifft_src), _printer("ifft2", ifft2_src), _printer("ifft3", ifft3_src),
)  # fmt: skip
rfft_print_src, rfft2_print_src, rfft3_print_src = (
    _printer("rfft", rfft_src), _printer("rfft2", rfft2_src), _printer("rfft3", rfft3_src),
)  # fmt: skip
irfft_print_src, irfft2_print_src, irfft3_print_src = (
    _printer("irfft", irfft_src), _printer("irfft2", irfft2_src), _printer("irfft3", irfft3_src),
)  # fmt: skip
convolve_print_src = _printer("convolve", convolve_src)
convolve2D_print_src = _printer("convolve2D", convolve2D_src)
convolve2DR_print_src = _printer("convolve2DR", convolve2DR_src)
transpose_print_src = _printer("transpose", transpose_src)
