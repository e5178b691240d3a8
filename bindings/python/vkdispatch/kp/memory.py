"""The base of tensors and images: a place on the device, a place on the host, and the way between them.

Example:
    manager = kp.Manager()
    for memory in (manager.tensor([1, 2]), manager.image([1, 2], 2, 1, 1)):
        assert isinstance(memory, kp.Memory) and memory.size() == 2 and memory.nbytes == 8
        memory.destroy()
        assert not memory.is_init()
"""

from __future__ import annotations

import contextlib
import enum
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from .. import _native
from ..base.words import bracketed
from ..compat import numpy_compat as npc
from .elements import Element, view_of
from .enums import MemoryTypes
from .errors import wrong_state
from .home import Child, Home
from .host_function import is_in_host_function
from .host_memory import HostMemory, Pages
from .log import logger

if TYPE_CHECKING:
    import numpy.typing as npt


class Memory(Child):
    """The base of Tensor and Image."""

    # Whether launches copy from the host's memory before them, and to it after them.
    _follows_host = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise TypeError(f"{type(self).__name__}: No constructor defined! A Manager makes it")

    @classmethod
    def _new(cls, home: Home, element: Element, count: int, kind: Any) -> Any:
        self = object.__new__(cls)
        self._start(home, element, count, kind)
        return self

    def _start(self, home: Home, element: Element, count: int, kind: Any) -> None:
        self._home = home
        self._element = element
        self._count = count
        self._bytes = count * element.size
        self._kind = kind
        self._alive = True
        # The library's buffer or image.
        self._device: Any = None
        self._host: HostMemory | None = None
        # The times that others than data() asked for the address, and the memory that they keep after destroy().
        self._shown = 0
        self._kept: HostMemory | None = None
        # Whether syncs copy: the host's memory is a mirror.
        self._mirrored = kind is MemoryTypes.device
        # Runs of sequences that may read or write the host's memory; made with the first one.
        self._users: weakref.WeakSet[Any] | None = None
        # Whether the device's memory has contents: zeros, or what work that was submitted writes. Until then the graph
        # whose nodes give it all of its bytes first.
        self._has_contents = True
        self._given_by: weakref.ref[Any] | None = None

    # ---- Looking

    def size(self) -> int:
        """The number of elements; 0 after destroy()."""
        return self._count if self._alive else 0

    def __len__(self) -> int:
        return self.size()

    def memory_type(self) -> enum.Enum:
        """The place of its memory."""
        return self._kind

    def tensor_type(self) -> enum.Enum:
        """The name of memory_type() in 0.7 to 0.9."""
        return self._kind

    def data_type(self) -> enum.Enum:
        """The type of an element, of DataTypes."""
        return self._element.data_type

    def is_init(self) -> bool:
        """Whether it was neither destroyed, nor its Manager."""
        return self._alive

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self._bytes if self._alive else 0

    @property
    def dtype(self) -> npt.DTypeLike:
        """NumPy's dtype of an element; its name without NumPy."""
        np = npc.numpy_module()
        if np is None:
            return self._element.name
        return self._element.custom if self._element.custom is not None else np.dtype(self._element.typestr)

    # ---- The host's memory

    def data(self) -> npt.NDArray[Any]:
        """The host's memory as a flat array of NumPy's, whose base is this object; a memoryview without NumPy.

        Waits for submitted work that reads or writes it. The array may be used after destroy(), which releases its memory when the
        last one is gone.
        """
        self._check("data")
        host = self._wait_for_host("data")
        np = npc.numpy_module()
        if np is None:
            with self._home.lock:
                self._check("data")  # another thread may have destroyed it meanwhile
                return view_of(host.memory(), self._element)
        view = np.asarray(self)
        host.show(view)
        with self._home.lock:
            self._shown -= 1
        return view

    @property
    def __array_interface__(self) -> dict[str, Any]:
        if not self._alive or self._kind is MemoryTypes.storage:
            self._check("data")
            self._refuse_storage("data")
        host = self._wait_for_host("data")
        with self._home.lock:
            self._check("data")  # another thread may have destroyed it meanwhile
            self._shown += 1
            address = host.address
        said: dict[str, Any] = {
            "shape": (self._count,),
            "typestr": self._element.typestr,
            "data": (address, False),
            "version": 3,
        }
        if self._element.custom is not None:
            said["typestr"] = f"|V{self._element.size}"
            said["descr"] = self._element.custom  # NumPy takes a dtype, too; of a list it makes fields of the gaps
        return said

    def set_data(self, data: Any) -> None:
        """Replace the host's data by as many elements."""
        self._check("set_data")
        given = self._convert(data, f"{self._noun()}.set_data")
        if given.count != self._count:
            raise wrong_state(
                f"{self._noun()}.set_data: Cannot set data of different sizes ({given.count} elements, not {self._count})"
            )
        host = self._wait_for_host("set_data")
        with self._home.lock:
            self._check("set_data")
            host.fill(given.bytes)

    def _convert(self, data: Any, what: str) -> Any:
        raise NotImplementedError

    def _wait_for_host(self, what: str) -> HostMemory:
        if self._kind is MemoryTypes.storage:
            self._refuse_storage(what)
        with self._naming(what):
            self._wait_for_users(what)
            return self._need_host()

    @contextlib.contextmanager
    def _naming(self, what: str) -> Iterator[None]:
        """Name the call in errors of the work, or where another thread destroyed the Manager meanwhile."""
        try:
            yield
        except _native.Error as error:
            _native.naming(f"{self._noun()}.{what}").rename(error)
            raise

    def _wait_for_users(self, what: str = "data") -> None:
        """Wait for submitted work that reads or writes the host's memory."""
        if self._users is None:
            return
        if is_in_host_function(self._home):
            if self._host is not None and not self._host.shared:
                raise wrong_state(
                    f"{self._noun()}.{what}: on {self._home.name} bytes reach the host after the wait, and not in OpHost"
                )
            return
        with self._home.lock:
            users = list(self._users)
        for runs in users:
            runs.wait_for(self)

    def _add_user(self, runs: Any) -> None:
        """Note the runs of a sequence, some of which read or write the host's memory. Under the Manager's lock."""
        if self._users is None:
            self._users = weakref.WeakSet()
        self._users.add(runs)

    def _refuse_storage(self, what: str) -> NoReturn:
        raise wrong_state(
            f"{self._noun()}.{what}: memory of type storage is not reached by the host; OpCopy brings it to another {self._noun()}"
        )

    def _need_host(self) -> HostMemory:
        """The host's memory, made when it is first needed."""
        host = self._host
        if host is None:
            with self._home.lock:
                if self._host is None:
                    self._host = HostMemory(self._home, self._bytes)
                    self._host.clear()
                host = self._host
        return host

    def _index(self, index: Any) -> int:
        try:
            number = int(index.__index__())
        except (AttributeError, TypeError, ValueError):
            raise TypeError(f"{self._noun()}: index {bracketed(index)} must be an integer") from None
        if number < 0:
            raise TypeError(f"{self._noun()}: index ({number}) is negative: incompatible function arguments")
        if number >= self.size():
            raise IndexError(f"{self._noun()}: index ({number}) is past the last of {self.size()} elements")
        return number

    def __getitem__(self, index: Any) -> Any:
        self._check("__getitem__")
        number = self._index(index)
        return self.data()[number]

    def __setitem__(self, index: Any, value: Any) -> None:
        self._check("__setitem__")
        number = self._index(index)
        try:
            self.data()[number] = value
        except (TypeError, ValueError, OverflowError) as error:
            raise TypeError(
                f"{self._noun()}: value {bracketed(value)} cannot become {self._element.name}: incompatible function arguments ({error})"
            ) from None

    def __iter__(self) -> Iterator[Any]:
        return iter(self.data())

    def __contains__(self, value: Any) -> bool:
        return any(one == value for one in self.data())

    def __reversed__(self) -> Any:
        return list(self.data())[::-1]

    # ---- Life

    def _check(self, method: str) -> None:
        if not self._alive:
            raise wrong_state(f"{self._noun()}.{method}: the {self._noun()} was destroyed, or its Manager was")

    def destroy(self) -> None:
        """Free the device's memory, once work in flight is done with it. Doing it again changes nothing."""
        with self._home.lock:
            if not self._alive:
                return
            self._alive = False
            host, self._host = self._host, None
            # Arrays that others made have this object as their base, which keeps the memory for them.
            if self._shown:
                self._kept = host
            elif host is not None:
                host.let_go()
        self._discard()
        self._device = None

    def _discard(self) -> None:
        raise NotImplementedError

    def _handle(self) -> Any:
        """The library's buffer or image; RuntimeError where it was destroyed, by another thread even since the last look. The
        caller names the operation."""
        found = self._device
        if found is None:
            raise wrong_state(f"the {self._noun()} was destroyed, or its Manager was")
        return found

    # ---- The device's first contents

    def _need_contents(self, graph: Any = None) -> Any:
        """The library's object, with zeros in it if nothing wrote it yet, and if `graph` does not before."""
        if not self._has_contents and not self._is_given_by(graph):
            with self._home.first_contents:
                if not self._has_contents and self._alive:
                    self._clear_device()
                    self._take_contents()
        return self._handle()

    def _clear_device(self) -> None:
        raise NotImplementedError

    def _give_contents(self, graph: Any) -> Any:
        """The library's object, all of whose bytes a node of `graph` writes."""
        if not self._has_contents:
            self._given_by = weakref.ref(graph)
        return self._handle()

    def _is_given_by(self, graph: Any) -> bool:
        return graph is not None and self._given_by is not None and self._given_by() is graph

    def _take_contents(self) -> None:
        """Note that such a graph was submitted."""
        self._has_contents, self._given_by = True, None

    # ---- Recording into a graph of the library

    def _mirror(self) -> list[HostMemory]:
        """The host's mirror, which copies alone touch; none if the host uses the device's memory, or does not look."""
        return [self._host] if self._mirrored and self._host is not None else []

    def _in_place(self) -> list[HostMemory]:
        """The memory of the host's that all work uses where it is."""
        return [self._host] if not self._mirrored and self._host is not None else []

    def _upload(self, graph: Any) -> None:
        """From the mirror to the device."""
        raise NotImplementedError

    def _download(self, graph: Any) -> None:
        """From the device to the mirror."""
        raise NotImplementedError

    def _copy_host(self, graph: Any, mirror: HostMemory) -> None:
        """From the host's memory to another object's mirror."""
        here = self._need_host()
        _native.raw.vd_graph_copy(graph, here.buffer, here.first, mirror.buffer, mirror.first, self._bytes)

    def _binding(self, graph: Any) -> dict[str, Any]:
        """The object as an argument of a launch."""
        raise NotImplementedError

    def _before_kernel(self, graph: Any) -> None:
        """Prepare a launch that uses the host's memory where it is."""

    def _after_kernel(self, graph: Any) -> None:
        """Give the host what such a launch wrote."""

    def __repr__(self) -> str:
        state = f"{self._count} of {self._element.name}, {self._kind}" if self._alive else "destroyed"
        return f"<kp.{self._noun()}: {state}>"


def share_or_mirror(memory: Memory, home: Home, buffer: Any) -> bool:
    """Whether the host uses a buffer of the device's where it is; else a warning that it gets a mirror."""
    raw = _native.raw
    if raw.vd_buffer_get_info(buffer).mappable:
        pages = Pages(home, memory._bytes, buffer)
        if pages.shared:
            memory._host = HostMemory(home, memory._bytes, pages)
            return True
    logger.warning(
        "%s has no memory that is near to both device and host: deviceAndHost behaves as device, with a mirror",
        home.name,
    )
    return False
