"""The module as `kp`, and the stand-in for pyshader as `pyshader`, for programs that import them by these names.

Example:
    kp.install(pyshader=False)
    import kp as kompute
    assert kompute is kp
"""

from __future__ import annotations

import importlib
import sys


def install(pyshader: bool = True) -> None:
    """Have `import kp` give this package, and `import pyshader` the stand-in where the real one is not there or does not work."""
    sys.modules["kp"] = sys.modules[__package__ or "vkdispatch.kp"]
    if pyshader and not _works("pyshader"):
        sys.modules["pyshader"] = importlib.import_module(f"{__package__}.pyshader")


def _works(name: str) -> bool:
    """Whether the real pyshader is there, and translates a function on this version of Python."""
    try:
        real = importlib.import_module(name)

        def compute(index=("input", "GlobalInvocationId", real.ivec3), data=("buffer", 0, real.Array(real.f32))):  # noqa: B008
            data[index.x] = data[index.x]

        return bool(real.python2shader(compute).to_spirv())
    except Exception:  # noqa: BLE001 - whatever it does on a version that it does not know
        return False
