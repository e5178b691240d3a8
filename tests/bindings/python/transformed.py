"""Helpers for tests of transforms: numbers, buffers of them, and errors of results."""

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, c32, c64
from vkdispatch.fft.precision import supports_complex_precision


def random(*shape, seed=3, real=False):
    """Complex numbers in single precision, or reals, the same at each call."""
    generator = np.random.default_rng(seed)
    data = generator.uniform(-1, 1, shape)
    return data.astype(np.float32) if real else (data + 1j * generator.uniform(-1, 1, shape)).astype(np.complex64)


def error(got, want):
    """The relative distance."""
    return np.linalg.norm(got - want) / max(np.linalg.norm(want), 1e-30)


def run(function, data, *args, **kwargs):
    """The result of a function on an array in a buffer."""
    buffer = vd.asbuffer(np.ascontiguousarray(data))
    function(buffer, *args, **kwargs)
    return buffer.read(0)


def needs(*var_types):
    """Skips a test where the device lacks a precision."""
    for var_type in var_types:
        if not supports_complex_precision(var_type):
            parts = "16-bit" if var_type is c32 else "64-bit"
            pytest.skip(f"the device does not report {parts} floats")


def half(data):
    """Numbers as a complex32 buffer takes them."""
    return np.stack([data.real, data.imag], -1).astype(np.float16)


def filled(data, var_type):
    """A buffer of that type with an array's numbers."""
    buffer = vd.Buffer(data.shape, var_type)
    buffer.write(half(data) if var_type is c32 else data.astype(np.complex64 if var_type is c64 else np.complex128))
    return buffer


def numbers(buffer):
    """The numbers in a buffer of any complex type, as NumPy has them."""
    data = buffer.read(0)
    return data if data.dtype.kind == "c" else data.reshape(*buffer.shape, 2).astype(np.float64) @ [1, 1j]


def maps_of(var_type):
    """Maps that change what they move, of buffers of a dtype: of input and output, and of a kernel."""

    def twice(source: Buff[var_type]):
        op = vd.fft.read_op()
        op.read_from_buffer(source)
        op.register *= 2

    def one_more(result: Buff[var_type]):
        op = vd.fft.write_op()
        op.register += 1
        op.write_to_buffer(result)

    def times(kernel: Buff[var_type]):
        op = vd.fft.read_op()
        factor = op.register.to_register()
        op.read_from_buffer(kernel, register=factor)
        op.register[:] = vc.mult_complex(op.register, factor)

    return {"input_map": vd.map(twice), "output_map": vd.map(one_more)}, {"kernel_map": vd.map(times)}
