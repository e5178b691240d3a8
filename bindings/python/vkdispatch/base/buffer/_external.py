"""Memory that another library owns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass
class ExternalBufferInfo:
    """Memory that another library owns."""

    writable: bool
    iface: dict
    keepalive: Any
    cuda_ptr: int
