"""Bytes that travel between the host and a device that does not share its memory, around each run of a sequence."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from .host_memory import HostMemory
from .operations import Reached


class Carrier:
    """Gives the device what a run reads of the host's memory, and the host what a run wrote there, once."""

    def __init__(self, queue: int):
        self._queue = queue
        self._pushes: list[HostMemory] = []
        self._pulls: list[HostMemory] = []
        # Memory that submissions have still to bring, by its id.
        self._owed: dict[int, HostMemory] = {}
        self._fetching = threading.Lock()

    def plan(self, read: Reached, written: Reached) -> None:
        """Take over what runs read and write from now on."""
        self._pushes, self._pulls = _apart(read), _apart(written)

    @property
    def idle(self) -> bool:
        """Whether runs carry nothing."""
        return not (self._pushes or self._pulls)

    @property
    def owes(self) -> bool:
        """Whether bytes have not come yet."""
        return bool(self._owed)

    def send(self, owed: list[HostMemory]) -> None:
        """Before a submission: give the device its bytes. `owed` receives the memory that is owed from now on."""
        for host in self._pushes:
            host.push(self._queue)
        for host in self._pulls:
            if id(host) in self._owed:
                continue
            if not host.known_to_device:
                host.push(self._queue)
            owed.append(host)
            host.newer_on_device = True
            self._owed[id(host)] = host

    def take_back(self, owed: list[HostMemory]) -> None:
        """After a submission that failed: nothing of it is owed."""
        for host in owed:
            host.newer_on_device = False
            self._owed.pop(id(host), None)

    def fetch(self, wanted: Iterable[HostMemory] | None = None) -> None:
        """After the work: bring the bytes to the host, once, since the program may write there afterwards. Those of `wanted`
        alone, if it is given."""
        with self._fetching:
            for host in list(self._owed.values() if wanted is None else wanted):
                if id(host) in self._owed:
                    host.pull(self._queue)
                    self._owed.pop(id(host), None)

    def forget(self) -> None:
        """Owe nothing: the work failed, or nobody can ask for its bytes."""
        self.take_back(list(self._owed.values()))


def _apart(reached: Reached) -> list[HostMemory]:
    """The memory among it whose bytes the device does not share."""
    return list({id(host): host for _, host in reached if not host.shared}.values())
