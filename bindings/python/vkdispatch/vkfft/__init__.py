"""VkFFT's functions and conventions: the library itself on Vulkan, the transforms of vkdispatch.fft elsewhere."""

from __future__ import annotations

from . import vkfft_dispatcher, vkfft_plan
from .vkfft_dispatcher import (
    convolve2D,
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
    transpose_kernel2D,
)
from .vkfft_plan import VkFFTPlan, clear_plan_cache

__all__ = [
    "VkFFTPlan",
    "clear_plan_cache",
    "convolve2D",
    "fft",
    "fft2",
    "fft3",
    "ifft",
    "ifft2",
    "ifft3",
    "irfft",
    "irfft2",
    "irfft3",
    "rfft",
    "rfft2",
    "rfft3",
    "transpose_kernel2D",
]


def __dir__() -> list[str]:
    """The public names: the modules, which programs for 0.1 may name, are not listed."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
