"""VkFFT on Vulkan. This version has its names alone."""

from __future__ import annotations

from .. import _later

_PART = "VkFFT"

_TRANSFORMS = [f"{inverse}{real}fft{n}" for inverse in ("", "i") for real in ("", "r") for n in ("", "2", "3")]

for _name in [*_TRANSFORMS, "convolve2D", "transpose_kernel2D"]:
    globals()[_name] = _later.function(__name__, _PART, _name)
for _name in ("vkfft_dispatcher", "vkfft_plan"):
    globals()[_name] = _later.submodule(__name__, _PART, _name)
VkFFTPlan = _later.class_(__name__, _PART, "VkFFTPlan")


def clear_plan_cache() -> None:
    """Forget the plans that were made: there are none."""
