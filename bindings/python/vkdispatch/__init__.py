"""GPU kernels written in Python, for Vulkan, CUDA, OpenCL and the CPU."""

__version__ = "0.1.0"
