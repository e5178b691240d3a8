"""Operations: what a sequence does, one after the other.

Example:
    class Swap(kp.OpBase):
        def __init__(self, a, b, spare):
            self.buffers = a.buffer, b.buffer, spare.buffer

        def record(self, graph):
            a, b, spare = self.buffers
            graph.copy(a, spare)
            graph.copy(b, a)
            graph.copy(spare, b)

    manager = kp.Manager()
    a, b, spare = (manager.tensor([n, n]) for n in (1, 2, 0))
    sequence = manager.sequence().record(kp.OpSyncDevice([a, b])).record(Swap(a, b, spare)).record(kp.OpFill(spare, 9))
    sequence.record(kp.OpSyncLocal([a, b, spare])).eval()
    assert (a[0], b[0], spare[0]) == (2, 1, 9)
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from .. import _native
from ..base import dtype as dt
from ..base.words import bracketed
from ..codegen.arguments import Buffer as KernelBuffer
from ..codegen.functions.builtin_values import global_invocation_id
from ..codegen.functions.control_flow import if_block
from ..execution_pipeline.command_graph import record
from ..shader.decorator import shader
from .algorithm import Algorithm, check_objects, objects_of
from .code import ShaderFunction
from .elements import one_element
from .enums import MemoryTypes
from .errors import invalid
from .home import Home
from .host_function import in_host_function
from .host_memory import HostMemory
from .image import Image
from .memory import Memory
from .tensor import Tensor

#: Memory of the host's, each with its object.
Reached = list[tuple[Memory, HostMemory]]


def mirrors_of(mems: Iterable[Any]) -> Reached:
    """The mirrors of some objects."""
    return [(mem, host) for mem in mems for host in mem._mirror()]


def in_place_of(mems: Iterable[Any]) -> Reached:
    """The memory of some objects that all work uses where it is."""
    return [(mem, host) for mem in mems for host in mem._in_place()]


#: Bytes of an element that a fill of the library's takes.
_MOST_PATTERN = 16


class Live:
    """An array of push constants that each submission reads anew."""

    def __init__(self, array: Any):
        if not hasattr(array, "tobytes"):
            raise TypeError(f"kp.live: array {bracketed(array)} must be an array, whose bytes are read at each eval")
        self.array = array


def live(array: Any) -> Live:
    """Push constants of a dispatch whose bytes are read at each eval, and not when they are recorded."""
    return Live(array)


class Recorded(NamedTuple):
    """An operation with what it took when it was recorded."""

    operation: Any
    push: bytes = b""
    #: The number of the algorithm's push constants, where the operation has no values of its own.
    push_number: int | None = None


class OpBase:
    """The base of operations. A class of the program's may define `record(self, graph)`, which gets a vd.CommandGraph."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if type(self) is OpBase:
            raise TypeError("OpBase: No constructor defined!")

    def _take(self, home: Home) -> Recorded:
        """Check the operation against a Manager, and take its values."""
        if not callable(getattr(self, "record", None)):
            raise TypeError(f"{type(self).__name__}: an operation of the program's defines record(self, graph)")
        return Recorded(self)

    def _build(self, graph: Any, native: Any, recorded: Recorded, user: Any) -> int | None:
        """Add nodes to a graph; the number of the launch whose values are read anew at each eval."""
        self.record(graph)  # type: ignore[attr-defined]  # checked when it was recorded
        return None

    #: Whether nobody knows which memory it uses: what the program defines, or calls.
    _uses_anything = True

    def _used(self) -> list[Any]:
        """The objects that it uses."""
        return []

    def _host_read(self) -> Reached:
        """The memory of the host's that it may read, or write in parts."""
        return []

    def _host_written(self) -> Reached:
        """The memory of the host's that it may write."""
        return []


class _OpMems(OpBase):
    """An operation on a list of objects."""

    _fewest = 1
    _uses_anything = False

    def __init__(self, mems: Any):
        name = type(self).__name__
        self._mems = objects_of(mems, f"{name}: mems")
        if len(self._mems) < self._fewest:
            raise invalid(
                f"{name} called with less than {self._fewest} memory object{'s' if self._fewest > 1 else ''} (got {len(self._mems)})"
            )

    def _take(self, home: Home) -> Recorded:
        check_objects(self._mems, home, type(self).__name__)
        return Recorded(self)

    def _used(self) -> list[Any]:
        return self._mems


class OpSyncDevice(_OpMems):
    """Copies the host's data to the device, for memory of type device."""

    def _build(self, graph: Any, native: Any, recorded: Recorded, user: Any) -> None:
        for mem in self._mems:
            mem._check("OpSyncDevice")
            mem._upload(native)

    def _host_read(self) -> Reached:
        return mirrors_of(self._mems)

    def _host_written(self) -> Reached:
        return in_place_of(mem for mem in self._mems if mem._mirrored)  # staging tensors of old have both


class OpSyncLocal(_OpMems):
    """Copies the device's data to the host, for memory of type device. It is there after the wait."""

    def _build(self, graph: Any, native: Any, recorded: Recorded, user: Any) -> None:
        for mem in self._mems:
            mem._check("OpSyncLocal")
            mem._download(native)

    def _host_read(self) -> Reached:
        return in_place_of(mem for mem in self._mems if mem._mirrored)  # staging tensors of old have both

    def _host_written(self) -> Reached:
        return mirrors_of(self._mems)


class OpMemoryBarrier(_OpMems):
    """Nothing: operations are ordered by the memory that they touch."""

    def _build(self, graph: Any, native: Any, recorded: Recorded, user: Any) -> None:
        pass


class OpCopy(_OpMems):
    """Copies the first object to all others: on the device, and from mirror to mirror.

    The mirrors follow when all operations of the sequence are done, unless one after this brings the mirror itself.
    """

    _fewest = 2

    def _take(self, home: Home) -> Recorded:
        taken, source = super()._take(home), self._mems[0]
        for mem in self._mems[1:]:
            if mem._element.name != source._element.name:
                raise invalid(f"OpCopy: objects have different types ({source._element.name} and {mem._element.name})")
            if mem.size() != source.size():
                raise invalid(f"OpCopy: objects have different sizes ({source.size()} and {mem.size()} elements)")
            if isinstance(source, Image) and isinstance(mem, Image) and mem.shape != source.shape:
                raise invalid(
                    f"OpCopy: image sizes do not match ({source.width} x {source.height} x {source.num_channels} and "
                    f"{mem.width} x {mem.height} x {mem.num_channels})"
                )
        return taken

    def _build(self, graph: Any, native: Any, recorded: Recorded, user: Any) -> None:
        source = self._mems[0]
        source._check("OpCopy")
        source._before_kernel(native)
        for mem in self._mems[1:]:
            mem._check("OpCopy")
            if mem is source:
                continue
            _copy(native, source, mem)
            mem._after_kernel(native)

    def _with_mirrors(self) -> list[Any]:
        """The objects whose mirrors take what the source's host has; a host that has the device's very bytes needs nothing."""
        source = self._mems[0]
        if source._kind is MemoryTypes.storage:
            return []
        return [mem for mem in self._mems[1:] if mem._mirrored and mem is not source]

    def _host_read(self) -> Reached:
        source = self._mems[:1]
        return mirrors_of(source) + in_place_of(source)

    def _host_written(self) -> Reached:
        return mirrors_of(self._with_mirrors()) + in_place_of(self._mems[1:])


def copy_mirrors(graph: Any, operations: list[Any]) -> None:
    """Add the copies of mirrors to the end of a graph: those that no later operation brings by itself."""
    copies: list[tuple[Any, Any]] = []
    brought: set[int] = set()
    for operation in reversed(operations):
        if isinstance(operation, OpSyncLocal):
            brought.update(map(id, operation._mems))
        elif isinstance(operation, OpCopy):
            source, targets = operation._mems[0], operation._with_mirrors()
            copies += [(source, mem) for mem in reversed(targets) if id(mem) not in brought]
    for source, mem in reversed(copies):
        source._copy_host(graph, mem._need_host())


def _copy(graph: Any, source: Memory, target: Memory) -> None:
    raw, here, there = _native.raw, source._need_contents(graph), target._give_contents(graph)
    if isinstance(source, Image) and isinstance(target, Image):
        raw.vd_graph_copy_image(graph, here, None, there)
    elif isinstance(source, Image):
        raw.vd_graph_copy_image_to_buffer(graph, here, None, there, 0)
    elif isinstance(target, Image):
        raw.vd_graph_copy_buffer_to_image(graph, there, None, here, 0)
    else:
        raw.vd_graph_copy(graph, here, 0, there, 0, source._bytes)


class OpAlgoDispatch(OpBase):
    """Runs an algorithm. Without push constants it takes those that the algorithm has when this is recorded, or gets later by
    rebuild() or set_push_constants()."""

    _uses_anything = False

    def __init__(self, algorithm: Any, push_consts: Any = ()):
        if not isinstance(algorithm, Algorithm):
            raise TypeError(
                f"OpAlgoDispatch: algorithm {bracketed(algorithm)} is no Algorithm: incompatible function arguments"
            )
        self._algorithm = algorithm
        self._live = push_consts if isinstance(push_consts, Live) else None
        self._given = None if self._live is not None else _values_of(push_consts)

    def _take(self, home: Home) -> Recorded:
        algorithm, what = self._algorithm, "OpAlgoDispatch"
        algorithm._check_home(home, what)
        algorithm._built(what)
        if self._live is not None:
            return Recorded(self, algorithm._push_of(self._live.array, what))
        if self._given is not None:
            algorithm._push = algorithm._push_of(self._given, what)
            return Recorded(self, algorithm._push)
        return Recorded(self, algorithm._push, algorithm._push_number)

    def _build(self, graph: Any, native: Any, recorded: Recorded, user: Any) -> int | None:
        self._algorithm._add_user(user)
        node = self._algorithm._record(native, recorded.push, recorded.push_number, self._live is not None)
        if user._stamps is not None and not any(mem._follows_host for mem in self._algorithm._mems):
            user._stamps.added(node)
        return node if self._live is not None else None

    def _live_bytes(self) -> bytes:
        """The bytes that the live array has now."""
        assert self._live is not None
        return self._algorithm._push_of(self._live.array, "OpAlgoDispatch: live")

    def _used(self) -> list[Any]:
        return self._algorithm._mems

    def _host_read(self) -> Reached:
        return in_place_of(self._algorithm._mems)

    def _host_written(self) -> Reached:
        return in_place_of(self._algorithm._mems)


def _values_of(given: Any) -> Any:
    """The push constants of a call; None where there are none."""
    if not hasattr(given, "__iter__"):
        raise TypeError(
            f"OpAlgoDispatch: push_consts {bracketed(given)} must be a list or an array: incompatible function arguments"
        )
    try:
        return given if len(given) != 0 else None
    except TypeError:
        # An array without dimensions, or a generator, which gives its values once.
        return given if hasattr(given, "dtype") else list(given) or None


def _multiplier() -> Any:
    """The kernel of OpMult, traced when it is first wanted."""
    if not _kernels:

        def multiply(a: Any, b: Any, out: Any) -> None:
            i = global_invocation_id().x
            # Whoever changes the number of workgroups writes past no tensor.
            with if_block(i < out.shape.w):
                out[i] = a[i] * b[i]

        kinds = [KernelBuffer[dt.float32]] * 3
        _kernels.append(shader(arg_type_annotations=kinds, arg_names=["a", "b", "out"])(multiply))
    return _kernels[0]


_kernels: list[ShaderFunction] = []


class OpMult(OpBase):
    """Multiplies the elements of two tensors of floats into a third, by an algorithm that it builds anew for that."""

    def __init__(self, mems: Any, algorithm: Any):
        found = objects_of(mems, "OpMult: mems")
        if not isinstance(algorithm, Algorithm):
            raise TypeError(
                f"OpMult: algorithm {bracketed(algorithm)} is no Algorithm: incompatible function arguments"
            )
        if len(found) != 3:
            raise invalid(f"OpMult expected 3 mem objects but got {len(found)}")
        for mem in found:
            if not isinstance(mem, Tensor):
                raise TypeError(f"OpMult: mems {bracketed(mem)} must be tensors: incompatible function arguments")
        for mem in found:
            if mem._bytes < 4 * found[0]._count:
                raise invalid(
                    f"OpMult: mems have different sizes: {mem!r} has {mem._bytes} bytes, fewer than {found[0]._count} floats"
                )
        algorithm.rebuild(found, _multiplier())
        self._dispatch = OpAlgoDispatch(algorithm)

    _uses_anything = False

    def _take(self, home: Home) -> Recorded:
        return self._dispatch._take(home)._replace(operation=self)

    def _build(self, graph: Any, native: Any, recorded: Recorded, user: Any) -> int | None:
        return self._dispatch._build(graph, native, recorded, user)

    def _used(self) -> list[Any]:
        return self._dispatch._used()

    def _host_read(self) -> Reached:
        return self._dispatch._host_read()

    def _host_written(self) -> Reached:
        return self._dispatch._host_written()


def _only(value: Any) -> Any:
    """A value, or that of a list or an array of one."""
    if hasattr(value, "item"):
        return value.item()
    while isinstance(value, Iterable):
        value = next(iter(value))
    return value


class OpFill(OpBase):
    """Sets every element of a tensor to a number, on the device."""

    _uses_anything = False

    def __init__(self, mem: Any, value: Any = 0):
        if not isinstance(mem, Tensor):
            raise TypeError(f"OpFill: mem {bracketed(mem)} is no Tensor: incompatible function arguments")
        self._mem = mem
        try:
            given = one_element(mem._convert, value, "OpFill")
        except TypeError:
            given = None
        if value is None or given is None or given.count != 1:
            raise TypeError(
                f"OpFill: value {bracketed(value)} must be one {mem._element.name}: incompatible function arguments"
            )
        if mem._element.code[0] in "iu" and _only(value) != int.from_bytes(
            given.bytes, sys.byteorder, signed=mem._element.code[0] == "i"
        ):
            raise invalid(
                f"OpFill: value {bracketed(value)} is no integer, and mem has elements of {mem._element.name}"
            )
        self._pattern = given.bytes
        if len(self._pattern) > _MOST_PATTERN:
            raise invalid(
                f"OpFill: mem has elements of {len(self._pattern)} bytes, and the device fills with {_MOST_PATTERN} at most"
            )

    def _take(self, home: Home) -> Recorded:
        check_objects([self._mem], home, "OpFill")
        return Recorded(self)

    def _build(self, graph: Any, native: Any, recorded: Recorded, user: Any) -> None:
        self._mem._check("OpFill")
        contents = self._mem._give_contents(native)
        node = _native.raw.vd_graph_fill_pattern(native, contents, 0, self._mem._bytes, self._pattern)
        if user._stamps is not None:
            user._stamps.added(node)

    def _used(self) -> list[Any]:
        return [self._mem]

    def _host_written(self) -> Reached:
        return in_place_of([self._mem])


class OpHost(OpBase):
    """Calls a function of the program's, when all before it is done and before what follows begins.

    It may read and write data(), which the operations before have left, and does nothing else with a Manager: it runs no sequences and makes no objects. What the function raises, the wait for the sequence raises; the operations that follow run all the same. Of several exceptions the first is raised, and the log tells the others, and those of a sequence that nobody awaits.
    """

    _uses_anything = False

    def __init__(self, function: Callable[[], Any]):
        if not callable(function):
            raise TypeError(f"OpHost: function {bracketed(function)} cannot be called: incompatible function arguments")
        self._function = function

    def _take(self, home: Home) -> Recorded:
        return Recorded(self)

    def _build(self, graph: Any, native: Any, recorded: Recorded, user: Any) -> None:
        function, runs = self._function, user._runs

        def call() -> None:
            try:
                with in_host_function(runs):
                    function()
            except BaseException as error:  # noqa: BLE001 - the wait raises it
                runs.raised.append(error)

        graph.call(call if user._stamps is None else user._stamps.timed(call))


class OpRecordVd(OpBase):
    """Calls a function while the graph is the thread's own: transforms, reductions and kernels that it calls are recorded."""

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]):
        if not callable(function):
            raise TypeError(f"Sequence.record_vd: function {bracketed(function)} cannot be called")
        self._function, self._args, self._kwargs = function, args, kwargs

    def _take(self, home: Home) -> Recorded:
        return Recorded(self)

    def _build(self, graph: Any, native: Any, recorded: Recorded, user: Any) -> None:
        with record(graph), graph.context.active():
            self._function(*self._args, **self._kwargs)
