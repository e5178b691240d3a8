"""Sequences of Kompute 0.5 and 0.6: recorded between begin() and end() by calls that return whether they worked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..base.words import bracketed
from .algorithm import Algorithm, objects_of
from .enums import MemoryTypes
from .errors import invalid, wrong_state
from .legacy_tensor import LegacyTensor
from .log import logger
from .operations import OpAlgoDispatch, OpBase, OpCopy, OpMult, OpSyncDevice, OpSyncLocal
from .sequence import Sequence

_FOREVER = 2**64 - 1


def _tensors(tensors: Any, what: str) -> list[Any]:
    found = objects_of(tensors, f"{what}: tensors")
    if not found:
        raise invalid(f"{what} called with less than 1 tensor")
    return found


def _code(data: Any) -> Any:
    """Code as text or bytes; a list of characters becomes text."""
    return "".join(data) if isinstance(data, (list, tuple)) and all(isinstance(c, str) for c in data) else data


class LegacySequence(Sequence):
    """A sequence that `Manager.create_sequence()` makes."""

    def init(self, *args: Any) -> None:
        """Nothing: it is ready."""

    def begin(self) -> bool:  # type: ignore[override]  # as Kompute 0.5 has it
        """Begin to record, and forget what was recorded. False while it records or runs."""
        self._check("begin")
        if self._recording or self._runs.pending:
            logger.warning("Sequence.begin: the sequence is %s", "recording" if self._recording else "running")
            return False
        self.clear()
        self._recording = True
        return True

    def end(self) -> bool:  # type: ignore[override]  # as Kompute 0.5 has it
        """End recording. False if it does not record."""
        self._check("end")
        recording, self._recording = self._recording, False
        if not recording:
            logger.warning("Sequence.end: the sequence is not recording")
        return recording

    def is_rec(self) -> bool:
        """Another name of is_recording()."""
        return self._recording

    def eval(self, op: Any = None) -> bool:  # type: ignore[override]  # as Kompute 0.5 has it
        """Run what is recorded, and wait. False while it runs."""
        if self._runs.pending:
            logger.warning("Sequence.eval: the sequence is running")
            return False
        super().eval(op)
        return True

    def eval_async(self, op: Any = None) -> bool:  # type: ignore[override]  # as Kompute 0.5 has it
        """Submit what is recorded. False while it runs."""
        if self._runs.pending:
            logger.warning("Sequence.eval_async: the sequence is running")
            return False
        super().eval_async(op)
        self._runs.unawaited = False
        return True

    def eval_await(  # type: ignore[override]  # as Kompute 0.5 has it
        self, wait: Any = None, *, waitFor: Any = None
    ) -> bool:
        """Wait for submitted work, so many nanoseconds at most. Whether it is done; False if nothing runs."""
        running = bool(self._runs.pending)
        super().eval_await(wait if waitFor is None else waitFor)
        return running and not self._runs.pending

    # ---- Recording

    #: The Manager's call that does all at once, while it runs: messages name it.
    _called = ""

    def _said(self, method: str) -> str:
        return self._called or f"Sequence.{method}"

    def _add(self, method: str, tensors: Any, make: Callable[[list[Any]], OpBase]) -> bool:
        found = _tensors(tensors, self._said(method))
        for tensor in found:
            tensor._check_home(self._home, self._said(method))
        if not self._recording:
            logger.error("%s: the sequence is not recording; begin() comes first", self._said(method))
            return False
        self.record(make(found))
        return True

    def record_tensor_create(self, tensors: Any) -> bool:
        """Make tensors' memory on the device, with their data, at once."""
        found = _tensors(tensors, self._said("record_tensor_create"))
        for tensor in found:
            if not isinstance(tensor, LegacyTensor):
                raise wrong_state(f"{self._said('record_tensor_create')}: the Tensor has already been initialized")
            tensor._create(self._home)
            self._created(tensor)
        return True

    #: Tells the Manager of a tensor that it has now.
    _created: Callable[[Any], Any] = staticmethod(lambda tensor: None)

    def _sync(self, method: str, tensors: Any, kind: type) -> bool:
        for tensor in _tensors(tensors, self._said(method)):
            if tensor.memory_type() is MemoryTypes.storage:
                raise wrong_state(f"{self._said(method)}: a storage tensor cannot be used to receive or pass data")
        return self._add(method, tensors, kind)

    def record_tensor_copy(self, tensors: Any) -> bool:
        """Copy the first tensor to the others."""
        return self._add("record_tensor_copy", tensors, OpCopy)

    def record_tensor_sync_device(self, tensors: Any) -> bool:
        """Upload the host's data, as it is at each eval."""
        return self._sync("record_tensor_sync_device", tensors, OpSyncDevice)

    def record_tensor_sync_local(self, tensors: Any) -> bool:
        """Download to the host's data."""
        return self._sync("record_tensor_sync_local", tensors, OpSyncLocal)

    def record_algo_mult(self, tensors: Any) -> bool:
        """Multiply two tensors into a third."""
        return self._add("record_algo_mult", tensors, lambda found: OpMult(found, Algorithm._new(self._home)))

    def record_algo_data(self, tensors: Any, bytes: Any, work_group: Any = (0, 0, 0)) -> bool:
        """Run SPIR-V, or text in GLSL."""

        def make(found: list[Any]) -> OpBase:
            algorithm = Algorithm._new(self._home)
            algorithm._build(found, _code(bytes), work_group, (), (), self._said("record_algo_data"))
            return OpAlgoDispatch(algorithm)

        return self._add("record_algo_data", tensors, make)

    def record_algo_file(self, tensors: Any, file_path: Any, work_group: Any = (0, 0, 0)) -> bool:
        """Run a file's SPIR-V, or its text in GLSL."""
        try:
            code = Path(file_path).read_bytes()
        except TypeError:
            raise TypeError(
                f"{self._said('record_algo_file')}: file_path {bracketed(file_path)} must be a path: incompatible function arguments"
            ) from None
        except (OSError, ValueError) as error:
            raise wrong_state(f"{self._said('record_algo_file')}: Error reading file {file_path!r}: {error}") from None
        return self.record_algo_data(tensors, code, work_group)

    def record_algo_lro(self, tensors: Any) -> bool:
        """RuntimeError: left-right-out takes a shader, and this call has none."""
        _tensors(tensors, self._said("record_algo_lro"))
        raise wrong_state(f"{self._said('record_algo_lro')}: the operation takes a shader, which this call cannot give")


LegacySequence.__name__ = "Sequence"  # in messages
