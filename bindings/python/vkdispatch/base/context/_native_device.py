"""A device of the program's, by the handles of its API, for a context to work with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ... import _native
from ..errors import WrongTypeError
from ..words import bracketed


def _handle(value: Any, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise WrongTypeError(f"Context: {what} {bracketed(value)} must be a handle, an integer")
    if not 0 < value < 2**64:
        raise ValueError(f"Context: {what} ({value}) is not from 1 to {2**64 - 1}")
    return value


@dataclass
class NativeDevice:
    """The handles that a context was given."""

    backend: str
    #: The fields of vd_native_desc that are numbers.
    numbers: dict[str, int]
    #: Handle and family of each queue.
    queues: list[tuple[int, int]]
    extensions: str

    def describe(self) -> Any:
        """The descriptor for the library, with what it points to."""
        from ..._native._load import ffi

        raw = _native.raw
        desc = raw.vd_native_desc(extensions=self.extensions, **self.numbers)
        queues = ffi.new("vd_native_queue[]", max(1, len(self.queues)))
        for entry, (queue, family) in zip(queues, self.queues, strict=False):
            entry.queue, entry.family = queue, family
        desc.queues, desc.queue_count = queues if self.queues else ffi.NULL, len(self.queues)
        return desc, queues


def native_device(
    backend: str,
    instance: Any,
    physical_device: Any,
    device: Any,
    queues: Any,
    enabled_features: Any,
    enabled_extensions: Sequence[str],
    api_version: Any,
    cuda_context: Any,
) -> NativeDevice | None:
    """The device that the arguments of a context describe; None without any."""
    vulkan = {
        "instance": instance,
        "physical_device": physical_device,
        "device": device,
        "features": enabled_features,
        "api_version": api_version,
    }
    if cuda_context is None and queues is None and not enabled_extensions and all(v is None for v in vulkan.values()):
        return None
    if backend == "cuda":
        if queues is not None or enabled_extensions or any(v is not None for v in vulkan.values()):
            raise ValueError("Context: backend 'cuda' takes cuda_context alone")
        return NativeDevice(backend, {"cuda_context": _handle(cuda_context, "cuda_context")}, [], "")
    if backend != "vulkan" or cuda_context is not None:
        what = "cuda_context" if cuda_context is not None else "a device's handles"
        raise ValueError(f"Context: {what} given for backend '{backend}', which takes none")
    names = dict(zip(vulkan, ("instance", "physical_device", "device", "enabled_features", "api_version"), strict=True))
    numbers = {field: _handle(value, names[field]) for field, value in vulkan.items()}
    if not isinstance(queues, (list, tuple)) or not queues:
        raise WrongTypeError(f"Context: queues {bracketed(queues)} must be a list of (handle, family)")
    pairs = []
    for i, entry in enumerate(queues):
        if not isinstance(entry, (list, tuple)) or len(entry) != 2 or not isinstance(entry[1], int) or entry[1] < 0:
            raise WrongTypeError(f"Context: queues[{i}] {bracketed(entry)} must be (handle, family)")
        pairs.append((_handle(entry[0], f"queues[{i}][0]"), entry[1]))
    names_of = [enabled_extensions] if isinstance(enabled_extensions, str) else list(enabled_extensions)
    for name in names_of:
        if not isinstance(name, str) or name.split() != [name]:
            raise ValueError(f"Context: enabled_extensions ({name!r}) is not the name of an extension")
    return NativeDevice(backend, numbers, pairs, " ".join(names_of))
