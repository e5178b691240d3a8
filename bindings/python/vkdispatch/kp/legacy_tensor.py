"""Tensors of Kompute 0.5 and 0.6: made without a Manager, created on the device later, with data as a list of floats."""

from __future__ import annotations

import array
from typing import Any

from .. import _native
from ..base.words import bracketed
from ..compat import numpy_compat as npc
from .elements import FLOAT, Data, float_data
from .enums import MemoryTypes, memory_type_of
from .errors import wrong_state
from .home import Home
from .host_memory import HostMemory, Pages
from .tensor import Tensor


class LegacyTensor(Tensor):
    """A tensor that `kp.Tensor(data)` or `Manager.build_tensor(data)` makes."""

    def __init__(self, data: Any, tensor_type: Any = None):
        kind = MemoryTypes.device if tensor_type is None else memory_type_of(tensor_type, "Tensor")
        given = float_data(data, "Tensor")
        self._values = array.array("f")
        self._values.frombytes(bytes(given.bytes))
        self._element, self._count, self._bytes, self._kind = FLOAT, given.count, given.count * FLOAT.size, kind
        self._alive = False
        self._shape = (given.count,)
        self._made = False
        self._host = None
        # Memory of the host that the device sees, of a staging tensor.
        self._visible: HostMemory | None = None

    def _create(self, home: Home) -> None:
        """Make the device's memory, with the data in it."""
        if self._made:
            raise wrong_state("Tensor: the Tensor has already been initialized")
        if not self._count:
            raise wrong_state("Tensor: a zero-sized tensor cannot be made")
        try:
            self._allocate_on(home)
        except BaseException:
            self._alive, self._host, self._visible = False, None, None
            raise
        self._made = True

    def _allocate_on(self, home: Home) -> None:
        raw, kind = _native.raw, self._kind
        self._start(home, FLOAT, self._count, kind)
        self._mirrored = kind is not MemoryTypes.storage
        if kind is MemoryTypes.host:
            self._visible = HostMemory(home, self._bytes, Pages(home, self._bytes))
            self._device = self._visible.buffer
            self._visible.fill(self._values)
        else:
            desc = raw.vd_buffer_desc(size=self._bytes)
            self._device = raw.vd_buffer_create(home.pointer, desc)
            raw.vd_buffer_write(self._device, 0, self._values, 0)
        if self._mirrored:
            self._host = HostMemory(home, self._bytes)
            self._host.fill(self._values)

    def _in_place(self) -> list[HostMemory]:
        return [] if self._visible is None else [self._visible]

    # ---- The host's data

    def _floats(self) -> Any:
        """The host's data as a view of floats, which waits for work that reads or writes it."""
        if self._host is None:
            return memoryview(self._values)
        with self._naming("data"):
            self._wait_for_users()
        with self._home.lock:
            if self._host is None:  # another thread has destroyed it meanwhile
                return memoryview(self._values)
            return memoryview(self._host.memory()).cast("B").cast("f")

    def data(self) -> Any:
        """The host's data as a list."""
        return list(self._floats())

    def numpy(self) -> Any:
        """A copy of the host's data as an array of NumPy's."""
        np = npc.require_numpy("Tensor.numpy")
        return np.array(self._floats(), np.float32)

    @property
    def __array_interface__(self) -> dict[str, Any]:
        raise AttributeError("a tensor of Kompute 0.5's is a list of floats; numpy() gives an array")

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.numpy() if dtype is None else self.numpy().astype(dtype)

    def size(self) -> int:
        """The number of elements."""
        return self._count

    def __getitem__(self, index: Any) -> Any:
        return self._floats()[self._index(index)]

    def __setitem__(self, index: Any, value: Any) -> None:
        number = self._index(index)
        try:
            self._floats()[number] = float(value)
        except (TypeError, ValueError, OverflowError) as error:
            raise TypeError(
                f"Tensor: value {bracketed(value)} cannot become float32: incompatible function arguments ({error})"
            ) from None

    def set_data(self, data: Any) -> None:
        """Replace the host's data by as many numbers."""
        given: Data = float_data(data, "Tensor.set_data")
        if given.count != self._count:
            raise wrong_state(f"Tensor.set_data: Cannot set data of different sizes ({given.count}, not {self._count})")
        self._floats().cast("B")[:] = bytes(given.bytes)

    def map_data_from_host(self) -> None:
        """Copy a staging tensor's memory, as the device sees it, to the host's data."""
        if self._may_map("map_data_from_host") and self._host is not None and self._visible is not None:
            self._host.copy_from(self._visible)

    def map_data_into_host(self) -> None:
        """Copy the host's data to a staging tensor's memory, as the device sees it."""
        if self._may_map("map_data_into_host") and self._host is not None and self._visible is not None:
            self._visible.copy_from(self._host)

    def _may_map(self, method: str) -> bool:
        if not super()._may_map(method):
            return False
        if self._visible is None:
            raise wrong_state(f"Tensor.{method}: the Tensor must be initialised first")
        with self._naming(method):
            self._wait_for_users(method)
        return True

    # ---- Life

    def _check_home(self, home: Home, what: str) -> None:
        if not self._made:
            raise wrong_state(
                f"{what}: a Tensor must be initialised first, by Manager.build_tensor or eval_tensor_create_def"
            )
        super()._check_home(home, what)

    def destroy(self) -> None:
        """Free the device's memory, if it has any. The host's data stays."""
        if not self._made:
            return
        if self._alive and self._host is not None:
            self._values[:] = array.array("f", self._floats())
        super().destroy()
        self._visible = None

    def __repr__(self) -> str:
        return f"<kp.Tensor: {self._count} of float32, {self._kind}{'' if self._alive else ', not on a device'}>"


LegacyTensor.__name__ = "Tensor"  # in messages
Tensor._constructed = LegacyTensor
