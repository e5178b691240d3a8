"""The calls of Kompute 0.5 and 0.6 on a Manager: tensors and sequences by name, and operations in one call.

Example:
    manager = kp.Manager()
    a, b, out = (manager.build_tensor(numbers) for numbers in ([2, 2], [1, 3], [0, 0]))
    manager.eval_algo_mult_def([a, b, out])
    manager.eval_tensor_sync_local_def([out])
    assert out.data() == [2.0, 6.0]
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from ..base.words import bracketed
from .errors import unsigned
from .legacy_sequence import LegacySequence
from .legacy_tensor import LegacyTensor
from .log import follow_level, logger

_FOREVER = 2**64 - 1
#: Operations of the calls eval_X_def, eval_X, eval_async_X_def and eval_async_X, and the methods that record them.
OPERATIONS = {
    "tensor_create": "record_tensor_create",
    "tensor_copy": "record_tensor_copy",
    "tensor_sync_device": "record_tensor_sync_device",
    "tensor_sync_local": "record_tensor_sync_local",
    "algo_mult": "record_algo_mult",
    "algo_file": "record_algo_file",
    "algo_str": "record_algo_data",
    "algo_data": "record_algo_data",
    "algo_lro": "record_algo_lro",
}
_LEVELS = (logging.DEBUG, logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL)


class LegacyCalls:
    """The part of a Manager that programs for Kompute 0.5 and 0.6 use."""

    _home: Any
    _add: Callable[[Any], Any]

    def _start_legacy(self) -> None:
        self._named: dict[str, LegacySequence] = {}
        self._anonymous = 0
        self._last: LegacySequence | None = None

    def build_tensor(self, data: Any, tensorType: Any = None) -> LegacyTensor:
        """A tensor of floats on the device, with its data uploaded."""
        tensor = LegacyTensor(data, tensorType)
        self._home.check("Manager.build_tensor")
        tensor._create(self._home)
        self._add(tensor)
        return tensor

    def create_sequence(self, name: str = "", queueIndex: Any = 0) -> LegacySequence:
        """A new sequence, kept under its name, or under a number where there is none."""
        _check_name(name, "Manager.create_sequence: name")
        sequence = self._legacy_sequence(queueIndex)
        if not name:
            self._anonymous += 1
            name = f"anonymous {self._anonymous}"
        self._named[name] = sequence
        return sequence

    def get_create_sequence(self, name: str) -> LegacySequence:
        """The sequence of a name; a new one if there is none."""
        _check_name(name, "Manager.get_create_sequence: name")
        found = self._named.get(name)
        return found if found is not None else self.create_sequence(name)

    def _legacy_sequence(self, queue: Any = 0) -> LegacySequence:
        home, what = self._home, "Manager.create_sequence"
        home.check(what)
        number = unsigned(queue, f"{what}: queueIndex")
        home.check_queue(number, f"{what}: queueIndex")
        sequence: Any = LegacySequence._new(home, number, 0)
        sequence._created = self._add
        made: LegacySequence = self._add(sequence)
        return made

    def eval_await(self, sequenceName: str, waitFor: Any = _FOREVER) -> None:
        """Wait for the sequence of a name, so many nanoseconds at most."""
        found = self._named.get(sequenceName)
        if found is None:
            logger.error("Manager.eval_await: there is no sequence '%s'", sequenceName)
            return
        found.eval_await(waitFor)

    def eval_await_def(self, waitFor: Any = _FOREVER) -> None:
        """Wait for the last sequence without a name, so many nanoseconds at most."""
        if self._last is None:
            logger.error("Manager.eval_await_def: no sequence without a name was run")
            return
        self._last.eval_await(waitFor)

    def _eval_once(
        self, sequence: LegacySequence, method: str, called: str, asynchronous: bool, given: tuple[Any, ...]
    ) -> None:
        if sequence.is_running():
            sequence.eval_await()
        sequence.begin()
        sequence._called = called
        try:
            getattr(sequence, method)(*given)
        finally:
            sequence._called = ""
            sequence.end()
        if asynchronous:
            sequence.eval_async()
        else:
            sequence.eval()


def _check_name(name: Any, what: str) -> None:
    if not isinstance(name, str):
        raise TypeError(f"{what} {bracketed(name)} must be a str: incompatible function arguments")


def _define(name: str, method: str, asynchronous: bool) -> None:
    """Define the two calls of an operation: with a sequence's name, and without."""
    way = "async_" if asynchronous else ""
    said = "Submit" if asynchronous else "Run"

    called = f"Manager.eval_{way}{name}"

    def by_name(self: LegacyCalls, tensors: Any, sequenceName: str, *given: Any) -> None:
        _check_name(sequenceName, f"{called}: sequenceName")
        self._eval_once(self.get_create_sequence(sequenceName), method, called, asynchronous, (tensors, *given))

    def without(self: LegacyCalls, tensors: Any, *given: Any) -> None:
        self._last = self._legacy_sequence()
        self._eval_once(self._last, method, f"{called}_def", asynchronous, (tensors, *given))

    for function, end, on in ((by_name, "", "the sequence of a name"), (without, "_def", "a new sequence")):
        function.__name__ = f"eval_{way}{name}{end}"
        function.__qualname__ = f"Manager.{function.__name__}"
        function.__doc__ = f"{said} `{method}` on {on}."
        setattr(LegacyCalls, function.__name__, function)


for _name, _method in OPERATIONS.items():
    for _asynchronous in (False, True):
        _define(_name, _method, _asynchronous)


def log_level(level: Any) -> None:
    """Set the level of the logger "kp", and of the library's messages to it: 0 (all) to 5 (critical)."""
    number = unsigned(level, "log_level")
    logger.setLevel(_LEVELS[min(number, len(_LEVELS) - 1)])
    follow_level()
