"""Kompute's Python API: `import vkdispatch.kp as kp`, or `import kp` after `vkdispatch.kp.install()`.

Example:
    manager = kp.Manager()
    a, b, out = (manager.tensor(numbers) for numbers in ([2, 2, 2], [1, 2, 3], [0, 0, 0]))
    multiply = kp.OpMult([a, b, out], manager.algorithm([]))
    manager.sequence().record(kp.OpSyncDevice([a, b])).record(multiply).record(kp.OpSyncLocal([out])).eval()
    assert out.data().tolist() == [2, 4, 6]
"""

from .._version import __version__
from . import pyshader
from .algorithm import Algorithm
from .devices import Choice as _Choice
from .enums import DataTypes, MemoryTypes, TensorTypes
from .errors import DeviceLost, Error
from .image import Image
from .installing import install
from .legacy import log_level
from .manager import Manager
from .memory import Memory
from .operations import (
    Live,
    OpAlgoDispatch,
    OpBase,
    OpCopy,
    OpFill,
    OpHost,
    OpMemoryBarrier,
    OpMult,
    OpSyncDevice,
    OpSyncLocal,
    live,
)
from .sequence import Sequence
from .shader import Shader
from .tensor import Tensor

#: The version of Kompute's API that this is.
__kompute_api__ = "0.9"

#: The names of 0.7 to 0.9.
OpTensorSyncDevice = OpSyncDevice
OpTensorSyncLocal = OpSyncLocal
OpTensorCopy = OpCopy

# The members of the enumerations, as Kompute exports them. __all__ leaves them out, since some are names of Python's types.
globals().update({**DataTypes.__members__, **MemoryTypes.__members__})


def backend() -> str:
    """The backend that Manager() would be on now."""
    from_choice = _Choice(0, None, None, None, None)
    return from_choice.find().backend


__all__ = [
    "Algorithm",
    "DataTypes",
    "DeviceLost",
    "Error",
    "Image",
    "Live",
    "Manager",
    "Memory",
    "MemoryTypes",
    "OpAlgoDispatch",
    "OpBase",
    "OpCopy",
    "OpFill",
    "OpHost",
    "OpMemoryBarrier",
    "OpMult",
    "OpSyncDevice",
    "OpSyncLocal",
    "OpTensorCopy",
    "OpTensorSyncDevice",
    "OpTensorSyncLocal",
    "Sequence",
    "Shader",
    "Tensor",
    "TensorTypes",
    "backend",
    "install",
    "live",
    "log_level",
    "pyshader",
]


def __dir__() -> list[str]:
    """The public names: the modules and the members of the enumerations are not listed."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
