"""The languages that source is printed in."""

from .base import CodeGenBackend
from .cuda import CUDABackend
from .glsl import GLSLBackend
from .opencl import OpenCLBackend

#: By name.
BACKENDS: dict[str, type[CodeGenBackend]] = {b.name: b for b in (GLSLBackend, CUDABackend, OpenCLBackend)}
