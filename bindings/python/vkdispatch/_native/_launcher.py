"""Base classes of kernels, buffers and a context's wait: from the extension if it is built, else the ones here.

With the extension a kernel's call goes straight to the library where its `_quick` is set, and to `_call()` otherwise.
Needs no library, so that importing the package does not.
"""

from __future__ import annotations

import threading
from typing import Any

from ._extension import EXTENSION

#: Bits of mark_thread(): the thread has a graph set; it traces a kernel; its work goes to a stream of the program's.
GRAPH, TRACING, STREAM = 1, 2, 4

#: Formats (of the module struct) of values that a Launch packs by itself.
LAUNCH_FORMATS = "fdhHiIqQ"

if EXTENSION:
    from ._vdhot import (
        BufferBase,
        Evaluator,
        KernelBase,
        Launch,
        Submitter,
        Waiter,
        dlpack_capsule,
        mark_thread,
        thread_marks,
    )
else:

    class BufferBase:  # type: ignore[no-redef]
        """Base of buffers: what a launch looks at."""

        var_type: Any
        mem_size: int
        _context_serial: int
        _handle_to_bind: int | None = None

        @property
        def _bind(self) -> int:
            if self._handle_to_bind is None:
                raise AttributeError("_bind")
            return self._handle_to_bind

        @_bind.setter
        def _bind(self, handle: int | None) -> None:
            self._handle_to_bind = handle

    class KernelBase:  # type: ignore[no-redef]
        """Base of kernels: what they are called by."""

        _quick: Any

        def __call__(self, *args: Any, **kwargs: Any) -> None:
            self._call(*args, **kwargs)

        def _call(self, *args: Any, **kwargs: Any) -> None:
            raise NotImplementedError

    class Waiter:  # type: ignore[no-redef]
        """A context's queues, waited for in slices, so that an interrupt from the keyboard arrives between two of them."""

        def __init__(self, address: int, owner: Any, hurries: bool = False):
            self._owner = owner

        def wait_idle(self, queue: int, slice_ns: int) -> None:
            """Wait until a queue is idle."""
            from . import raw

            while raw.vd_context_wait_idle(self._owner, queue, slice_ns):
                pass

    class Submitter:  # type: ignore[no-redef]
        """A graph, submitted once to the first queue."""

        def __init__(self, address: int, owner: Any):
            self._owner = owner

        def submit(self) -> None:
            """Run what is recorded."""
            from . import raw

            raw.vd_graph_submit(self._owner, None)

    class Evaluator:  # type: ignore[no-redef]
        """A graph that is submitted and waited for in one call. The owner is graph, vd_submit_desc or None, and context."""

        def __init__(self, graph: int, desc: int, context: int, owner: Any):
            self._owner = owner

        def run(self, slice_ns: int) -> int:
            """Submit and wait: 0, or after so many nanoseconds the ticket of what is not done."""
            from . import raw

            graph, desc, context = self._owner
            ticket: int = raw.vd_graph_submit(graph, desc)
            return ticket if raw.vd_ticket_wait(context, ticket, slice_ns) else 0

    Launch: Any = None  # type: ignore[no-redef]

    class _Marks(threading.local):
        bits = 0

    _marks = _Marks()

    def mark_thread(bit: int, on: bool) -> None:
        """Note what launches of this thread must look at."""
        _marks.bits = _marks.bits | bit if on else _marks.bits & ~bit

    def thread_marks() -> int:
        """The bits of mark_thread() that are on."""
        return _marks.bits

    _destructor: Any = None

    def dlpack_capsule(address: int, versioned: bool) -> Any:
        """A capsule of a tensor of DLPack; one that nobody takes calls the tensor's deleter when it goes."""
        import ctypes

        global _destructor
        offset_of_deleter = {b"dltensor_versioned": 16, b"dltensor": 56}
        names = tuple(offset_of_deleter)

        def destroy(capsule: Any) -> None:
            for name in names:
                if ctypes.pythonapi.PyCapsule_IsValid(ctypes.c_void_p(capsule), name):
                    get = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)
                    tensor = get(("PyCapsule_GetPointer", ctypes.pythonapi))(capsule, name)
                    deleter = ctypes.c_void_p.from_address(tensor + offset_of_deleter[name]).value
                    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(deleter or 0)(tensor)

        if _destructor is None:
            _destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(destroy)
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(_destructor))  # capsules may go after this module
        new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
            ("PyCapsule_New", ctypes.pythonapi)
        )
        return new(address, names[0 if versioned else 1], ctypes.cast(_destructor, ctypes.c_void_p))
