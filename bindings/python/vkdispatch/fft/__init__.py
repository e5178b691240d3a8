"""Fourier transforms and convolutions. This version has their names alone."""

from __future__ import annotations

from .. import _later

_PART = "FFT: Fourier transforms and convolutions"

_TRANSFORMS = [f"{inverse}{real}fft{n}" for inverse in ("", "i") for real in ("", "r") for n in ("", "2", "3")]
_FUNCTIONS = [
    *_TRANSFORMS, "convolve", "convolve2D", "convolve2DR", "transpose",
    "make_fft_shader", "make_convolution_shader", "make_transpose_shader", "get_transposed_size", "mapped_kernel_index",
    "get_cache_info", "print_cache_info", "fft_context", "read_op", "write_op", "pad_dim",
    "memory_reads_iterator", "memory_writes_iterator", "global_reads_iterator", "global_writes_iterator",
    "global_trasposed_write_iterator",
]  # fmt: skip
_SOURCES = [*_TRANSFORMS, "convolve", "convolve2D", "convolve2DR", "transpose"]
_CLASSES = {
    "FFTConfig": ["angle_factor"],
    "FFTGridManager": ["get_transposed_index"],
    "FFTRegisters": ["clear", "normalize", "read_from_registers", "register_slice", "slice_set", "try_shuffle"],
    "FFTResources": ["invocation_end", "invocation_gaurd", "stage_begin", "stage_end"],
    "FFTSDataManager": ["do_op", "op_read", "op_write", "read_from_sdata", "write_to_sdata"],
    "GlobalReadOp": ["check_in_signal_range", "from_memory_op", "read_from_buffer", "signal_range_end"],
    "GlobalTransposedWriteOp": ["from_memory_op", "write_to_buffer"],
    "GlobalWriteOp": ["from_memory_op", "write_to_buffer"],
    "IOManager": ["read_from_proxy", "read_input", "read_kernel", "write_output", "write_to_proxy"],
    "IOProxy": ["do_callback", "has_callback", "set_variables"],
    "MemoryOp": [],
}
_SUBMODULES = {
    "config": [], "context": [], "cooley_tukey": [], "functions": ["ensure_supported_complex_precision"],
    "global_memory_iterators": [], "grid_manager": [], "io_manager": [], "io_proxy": [], "memory_iterators": [],
    "precision": [], "prime_utils": [], "registers": [], "resources": [], "sdata_manager": [], "src_functions": [],
    "shader_factories": ["make_fft_shader", "make_convolution_shader", "make_transpose_shader"], "stages": [],
}  # fmt: skip

for _name in [*_FUNCTIONS, *(f"{f}_src" for f in _SOURCES), *(f"{f}_print_src" for f in _SOURCES)]:
    globals()[_name] = _later.function(__name__, _PART, _name)
for _name, _methods in _CLASSES.items():
    globals()[_name] = _later.class_(__name__, _PART, _name, _methods)
for _name, _methods in _SUBMODULES.items():
    globals()[_name] = _later.submodule(__name__, _PART, _name, _methods)


def cache_clear() -> None:
    """Forget the transforms that were built: there are none."""


globals()["shader_factories"].cache_clear = cache_clear
