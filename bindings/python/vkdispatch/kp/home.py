"""The thing that a Manager and its children share: a context, its queues and its caches."""

from __future__ import annotations

import itertools
import os
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from .. import _native
from ..base.context import Context
from .errors import invalid, wrong_state
from .log import faults

_numbers = itertools.count(1)
#: Compiled shaders that a Manager keeps.
_MOST_PLANS = 1024

#: The end of a message about a buffer of another context.
CONTEXT_CURE = "context=manager.context makes objects for the Manager, as a block of manager.context.active() does"


_homes: weakref.WeakSet[Home] = weakref.WeakSet()


def _renew_locks() -> None:
    """In a forked process: threads that held them are the parent's."""
    for home in list(_homes):
        home.lock, home.first_contents = threading.RLock(), threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_locks)


class Home:
    """A context for a Manager and its children, which keep this and not the Manager."""

    def __init__(self, context: Context, owned: bool, queues: list[int]):
        self.context = context
        self._pointer: Any = context._pointer
        self.backend: str = context.backend
        #: The context's queue of each of the Manager's.
        self.queues = queues
        self.alive = True
        self.lost = False
        self.lock = threading.RLock()
        #: Held while memory gets its first contents.
        self.first_contents = threading.RLock()
        # The place in the errors of validation layers from which on the next call raises them; None raises none.
        self._faults: int | None = None
        #: Why Vulkan was not taken, as the end of a message.
        self.why = ""
        self._owned = owned
        self._process = os.getpid()
        #: The place of the next small mirrors, which host_memory.py gives out.
        self.shared_pages: Any = None
        #: Living things that the Manager made. Here, since a collector that finds the Manager in a ring empties what only that has.
        self.children: weakref.WeakSet[Any] = weakref.WeakSet()
        #: Tensors whose memory the host reaches and whose buffer the program asked for: any work may use it.
        self.shown: weakref.WeakSet[Any] = weakref.WeakSet()
        self._running: set[Any] = set()
        self._kept: OrderedDict[Any, Any] = OrderedDict()
        _homes.add(self)
        devices = ", ".join(info.device_name for info in context.device_infos)
        #: The Manager's name in messages.
        self.name = f"Manager {next(_numbers)} ({self.backend}: {devices})"

    @property
    def pointer(self) -> Any:
        """The library's context; RuntimeError where another thread destroyed it meanwhile, and in a forked process."""
        found = self._pointer
        if found is None or self.context.destroyed:
            raise wrong_state(self._gone())
        return found

    @property
    def usable(self) -> bool:
        """Whether there is a context: not after destroy(), in a forked process, and at the interpreter's end."""
        return self.alive and not self.context.destroyed

    def _gone(self) -> str:
        """The reason for which there is no context."""
        if self._process != os.getpid():
            return f"{self.name} was made before os.fork(), and belongs to the parent process"
        return f"{self.name} was destroyed"

    @property
    def queue_count(self) -> int:
        """The number of the Manager's queues."""
        return len(self.queues)

    def check(self, what: str) -> None:
        """RuntimeError once the Manager was destroyed."""
        if not self.usable:
            raise wrong_state(f"{what}: {self._gone()}")
        self.raise_faults(what)

    def watch_faults(self) -> None:
        """Raise errors of validation layers from now on, at the next call."""
        self._faults = len(faults)

    @property
    def watches_faults(self) -> bool:
        """Whether each call raises errors of validation layers that came before it."""
        return self._faults is not None

    def raise_faults(self, what: str) -> None:
        """Raise the errors of validation layers since the last call, if the Manager was asked to."""
        if self._faults is not None and len(faults) > self._faults:
            told, self._faults = faults.since(self._faults)
            raise wrong_state(f"{what}: validation layers reported before this call: {'; '.join(told)}")

    def check_queue(self, queue: int, what: str) -> None:
        """RuntimeError for a queue that the Manager lacks."""
        if queue >= self.queue_count:
            raise invalid(f"{what} ({queue}) is not below the Manager's {self.queue_count} queue(s)")

    def keep_running(self, sequence: Any) -> None:
        """Keep a sequence whose work is in flight, whoever lets go of it: data() waits for it."""
        with self.lock:
            self._running = {one for one in self._running if one._keeps_data()}
            self._running.add(sequence)

    def cached(self, key: Any, make: Callable[[], Any]) -> Any:
        """The thing of a key, made once; the one that was not used for longest goes."""
        with self.lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
                return found
        made = make()
        with self.lock:
            self._kept[key] = made
            if len(self._kept) > _MOST_PLANS:
                self._kept.popitem(last=False)
        return made

    def note(self, error: BaseException) -> None:
        """Remember that the device is lost."""
        if isinstance(error, _native.DeviceLostError):
            self.lost = True

    def close(self) -> None:
        """Let go of the context; what is shown to the program stays until it is let go, too."""
        with self.lock:
            self.alive = False
            self._kept.clear()
            self._running = set()
            self.shared_pages = None
            self._pointer = None
        if self._owned:
            self.context.destroy()


class Single:
    """An object that stands for something on a device: neither copied nor pickled, since the copy's end would be its own."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"cannot copy or pickle a {type(self).__name__}: it is bound to its device")


class Child(Single):
    """An object of a Manager's."""

    _home: Home

    def _noun(self) -> str:
        return type(self).__name__

    def _check_home(self, home: Home, what: str) -> None:
        """RuntimeError that names both Managers, if they are two."""
        if self._home is not home:
            raise wrong_state(f"{what}: the {self._noun()} belongs to {self._home.name}, and is used with {home.name}")
