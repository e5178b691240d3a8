"""GPU kernels written in Python, for Vulkan, CUDA, OpenCL and the CPU."""

from ._version import __version__

__all__ = ["__version__"]
