"""The exceptions of the library's statuses.

Each derives from vd.Error and from the exception of Python's that programs catch: a wrong argument is a ValueError, too
little memory a MemoryError. Messages name the function, the argument, its value and the limit.

Example:
    try:
        vd.zeros(4).write(np.ones(5, np.float32))
    except ValueError as error:
        print(error)
    try:
        vd.Buffer(1 << 44, vd.float32)  # 64 TiB
    except (MemoryError, vd.Error) as error:
        print(error.status, error)
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NoReturn

from . import _enums as enums


class Error(RuntimeError):
    """A call of the library failed. `status` is the C status, `backend` the active backend's name, if any."""

    def __init__(self, message: str = "", status: int = enums.VD_ERR_INTERNAL, backend: str | None = None):
        super().__init__(message)
        self.status = status
        self.backend = backend
        self._said = message  # which renaming leaves as it is


class InvalidError(Error, ValueError):
    """A wrong argument."""


class StateError(Error):
    """Right arguments at the wrong time."""


class UnsupportedError(Error, NotImplementedError):
    """This device, backend or version of the library cannot do it."""


class OutOfMemoryError(Error, MemoryError):
    """Host or device memory ran out."""


class UnavailableError(Error):
    """No such backend or device on this machine."""


class DeviceLostError(Error):
    """The device failed; its context is of no further use."""


class CompileError(Error):
    """A kernel did not verify or compile; the message has the log."""


class KernelError(Error):
    """A running kernel broke a rule that was checked."""


#: Name of the C entry, or of a kernel, before the library's message.
_ENTRY = re.compile(r"^(vd_\w+|Kernel '[^']*'): ")
#: Structs of the C interface, before a field that has the name of Python's argument, or nearly.
_FIELD = re.compile(r"\b(?:desc|order)->(?:\w+->)*")
#: Words of cffi about None in a handle's place, which an object has for one once it is destroyed.
_NO_HANDLE = re.compile(r"ctype 'struct vd_\w+ \*' must be a cdata pointer, not NoneType")


class naming:
    """Inside it, the library's errors begin with the function that the program called, not with the C entry."""

    __slots__ = ("function",)

    def __init__(self, function: str):
        self.function = function

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        if isinstance(error, Error):
            self.rename(error)
        elif isinstance(error, TypeError) and _NO_HANDLE.search(str(error)):
            raise StateError(
                f"{self.function}: another thread destroyed what it works on meanwhile", enums.VD_ERR_STATE
            ) from None

    def rename(self, error: Error) -> None:
        """Name the function in an error: what a block does, for calls that are too many to enter and leave one each time."""
        text = _ENTRY.sub("", str(error))
        if not isinstance(error, CompileError):  # whose log may be about a program's own pointers
            text = _FIELD.sub("", text)
        error.args = (text if text.startswith(f"{self.function}: ") else f"{self.function}: {text}",)


def again(error: Error) -> Error:
    """A new exception for the same failure, with the library's message: to raise where another name and traceback belong."""
    return type(error)(error._said, error.status, error.backend)


_CLASSES: dict[int, type[Error]] = {
    enums.VD_ERR_INVALID: InvalidError,
    enums.VD_ERR_STATE: StateError,
    enums.VD_ERR_UNSUPPORTED: UnsupportedError,
    enums.VD_ERR_OUT_OF_MEMORY: OutOfMemoryError,
    enums.VD_ERR_UNAVAILABLE: UnavailableError,
    enums.VD_ERR_DEVICE_LOST: DeviceLostError,
    enums.VD_ERR_COMPILE: CompileError,
    enums.VD_ERR_KERNEL: KernelError,
}

#: Flags of the C interface by the keywords of Python's that ask for them, in messages.
_KEYWORDS = {
    "VD_BUFFER_HOST": "host_visible=True",
    "VD_BUFFER_EXPORT": "exportable=True",
    "VD_CONTEXT_ROBUST": "robust=True",
    "VD_CONTEXT_CHECKED": "checked=True",
    "VD_CONTEXT_DEBUG": "debug=True",
}
_FLAG = re.compile(rf"\b({'|'.join(_KEYWORDS)})\b")

#: Gives the active backend's name; the package sets it.
active_backend: list[Callable[[], str | None]] = [lambda: None]


def error_of(status: int, message: bytes) -> Error:
    """The exception of a negative status."""
    text = _FLAG.sub(lambda flag: _KEYWORDS[flag.group()], message.decode("utf-8", "replace"))
    return _CLASSES.get(status, Error)(text or f"status {status}", status, active_backend[0]())


def raise_status(status: int, message: bytes) -> NoReturn:
    """Raise the exception of a negative status."""
    raise error_of(status, message)
