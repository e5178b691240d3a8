"""Fourier transforms and convolutions, with the user's functions inside."""

from __future__ import annotations

from .. import _later
from . import (
    functions,
    global_memory_iterators,
    memory_iterators,
    precision,
    prime_utils,
    shader_factories,
    src_functions,
)
from .functions import (
    convolve,
    convolve2D,
    convolve2DR,
    fft,
    fft2,
    fft3,
    ifft,
    ifft2,
    ifft3,
    irfft,
    irfft2,
    irfft3,
    rfft,
    rfft2,
    rfft3,
    transpose,
)
from .global_memory_iterators import GlobalReadOp, GlobalWriteOp, mapped_kernel_index, read_op, write_op
from .memory_iterators import MemoryOp
from .prime_utils import pad_dim
from .shader_factories import (
    cache_clear,
    get_cache_info,
    get_transposed_size,
    make_convolution_shader,
    make_fft_shader,
    make_transpose_shader,
    print_cache_info,
)
from .src_functions import (
    convolve2D_print_src,
    convolve2D_src,
    convolve2DR_print_src,
    convolve2DR_src,
    convolve_print_src,
    convolve_src,
    fft2_print_src,
    fft2_src,
    fft3_print_src,
    fft3_src,
    fft_print_src,
    fft_src,
    ifft2_print_src,
    ifft2_src,
    ifft3_print_src,
    ifft3_src,
    ifft_print_src,
    ifft_src,
    irfft2_print_src,
    irfft2_src,
    irfft3_print_src,
    irfft3_src,
    irfft_print_src,
    irfft_src,
    rfft2_print_src,
    rfft2_src,
    rfft3_print_src,
    rfft3_src,
    rfft_print_src,
    rfft_src,
    transpose_print_src,
    transpose_src,
)

# The building blocks inside users' own kernels have their names alone.
_PART = "FFT: building blocks inside kernels"

_FUNCTIONS = [
    "fft_context", "memory_reads_iterator", "memory_writes_iterator", "global_reads_iterator", "global_writes_iterator",
    "global_trasposed_write_iterator",
]  # fmt: skip
_CLASSES = {
    "FFTConfig": ["angle_factor"],
    "FFTGridManager": ["get_transposed_index"],
    "FFTRegisters": ["clear", "normalize", "read_from_registers", "register_slice", "slice_set", "try_shuffle"],
    "FFTResources": ["invocation_end", "invocation_gaurd", "stage_begin", "stage_end"],
    "FFTSDataManager": ["do_op", "op_read", "op_write", "read_from_sdata", "write_to_sdata"],
    "GlobalTransposedWriteOp": ["from_memory_op", "write_to_buffer"],
    "IOManager": ["read_from_proxy", "read_input", "read_kernel", "write_output", "write_to_proxy"],
    "IOProxy": ["do_callback", "has_callback", "set_variables"],
}
_SUBMODULES = (
    "config", "context", "cooley_tukey", "grid_manager", "io_manager", "io_proxy", "registers", "resources",
    "sdata_manager", "stages",
)  # fmt: skip

for _name in _FUNCTIONS:
    globals()[_name] = _later.function(__name__, _PART, _name)
for _name, _methods in _CLASSES.items():
    globals()[_name] = _later.class_(__name__, _PART, _name, _methods)
for _name in _SUBMODULES:
    globals()[_name] = _later.submodule(__name__, _PART, _name)

__all__ = [
    "GlobalReadOp",
    "GlobalWriteOp",
    "MemoryOp",
    "cache_clear",
    "convolve",
    "convolve2D",
    "convolve2DR",
    "convolve2DR_print_src",
    "convolve2DR_src",
    "convolve2D_print_src",
    "convolve2D_src",
    "convolve_print_src",
    "convolve_src",
    "fft",
    "fft2",
    "fft2_print_src",
    "fft2_src",
    "fft3",
    "fft3_print_src",
    "fft3_src",
    "fft_print_src",
    "fft_src",
    "functions",
    "get_cache_info",
    "get_transposed_size",
    "global_memory_iterators",
    "ifft",
    "ifft2",
    "ifft2_print_src",
    "ifft2_src",
    "ifft3",
    "ifft3_print_src",
    "ifft3_src",
    "ifft_print_src",
    "ifft_src",
    "irfft",
    "irfft2",
    "irfft2_print_src",
    "irfft2_src",
    "irfft3",
    "irfft3_print_src",
    "irfft3_src",
    "irfft_print_src",
    "irfft_src",
    "make_convolution_shader",
    "make_fft_shader",
    "make_transpose_shader",
    "mapped_kernel_index",
    "memory_iterators",
    "pad_dim",
    "precision",
    "prime_utils",
    "print_cache_info",
    "read_op",
    "rfft",
    "rfft2",
    "rfft2_print_src",
    "rfft2_src",
    "rfft3",
    "rfft3_print_src",
    "rfft3_src",
    "rfft_print_src",
    "rfft_src",
    "shader_factories",
    "src_functions",
    "transpose",
    "transpose_print_src",
    "transpose_src",
    "write_op",
]
