"""The variables that are bound to memory outside of the invocation, in one place."""

from __future__ import annotations

from .bound import BoundVariable
from .buffers import BufferVariable
from .images import ImageVariable, SampledImageVariable, StorageImageVariable

__all__ = ["BoundVariable", "BufferVariable", "ImageVariable", "SampledImageVariable", "StorageImageVariable"]
