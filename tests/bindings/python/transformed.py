"""What tests of transforms share: numbers, buffers of them, and how far a result is off."""

import numpy as np
import vkdispatch as vd


def random(*shape, seed=3, real=False):
    """Complex numbers in single precision, or reals, the same at each call."""
    generator = np.random.default_rng(seed)
    data = generator.uniform(-1, 1, shape)
    return data.astype(np.float32) if real else (data + 1j * generator.uniform(-1, 1, shape)).astype(np.complex64)


def error(got, want):
    """The relative distance."""
    return np.linalg.norm(got - want) / max(np.linalg.norm(want), 1e-30)


def run(function, data, *args, **kwargs):
    """What a function makes of an array in a buffer."""
    buffer = vd.asbuffer(np.ascontiguousarray(data))
    function(buffer, *args, **kwargs)
    return buffer.read(0)
