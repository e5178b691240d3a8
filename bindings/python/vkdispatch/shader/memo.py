"""A memo of objects made from users' functions, by the functions and by the values that they read."""

from __future__ import annotations

import collections
import dis
import enum
import functools
import inspect
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any

from ..base import dtype as dt
from ..base.context import get_context
from ..codegen.mapping import MappingFunction
from ..compat import numpy_compat as npc

#: Plans that one memo keeps, unless told otherwise.
KEPT_PLANS = 256

# Modules whose functions and classes do the same at every call.
_TRUSTED = frozenset({"builtins", "math", "cmath", "operator", "numpy", "vkdispatch"})
# Functions that read what their arguments do not show.
_REACHING = frozenset({"globals", "locals", "vars", "eval", "exec", "compile", "open", "input", "__import__"})
_ATTRIBUTE = frozenset({"LOAD_ATTR", "LOAD_METHOD"})
# Between a name and the attribute that is taken of it.
_NOTHING = frozenset({"CACHE", "EXTENDED_ARG", "PUSH_NULL", "NOP"})
# Names that read or change other names in ways that cannot be followed.
_REFUSED = frozenset(
    {
        "IMPORT_NAME",
        "LOAD_NAME",
        "STORE_GLOBAL",
        "DELETE_GLOBAL",
        "LOAD_CLASSDEREF",
        "LOAD_FROM_DICT_OR_DEREF",
        "LOAD_FROM_DICT_OR_GLOBALS",
    }
)
_MISSING = object()
# Larger values are not looked through at every call.
_DEPTH = 8
_LENGTH = 256


class _Unknown(Exception):
    """Raised for a value without a key."""


def function_key(function: Any) -> Any:
    """A key, equal for functions whose traces are equal now: by code, defaults and the values that they read of
    closures and globals.

    None if there is no such key, as for a function that hands on an object.
    """
    try:
        return _function(function, 0)
    except _Unknown:
        return None


def map_key(mapping: MappingFunction) -> Any:
    """A key, equal for maps whose traces are equal now; a map without such a key is equal to itself alone."""
    key = function_key(mapping.mapping_function)
    if key is None:
        return ("map", mapping.instance_id)
    return key, tuple(mapping.buffer_types), mapping.return_type


# ---- Values ----------------------------------------------------------------------------------------------------------


def _value(value: Any, depth: int) -> Any:
    """A key that equals another only where the values do the same. It keeps nothing alive but classes and code."""
    kind = type(value)
    if value is None or value is Ellipsis or value is NotImplemented or kind in (bool, int, str, bytes):
        return kind, value
    if kind is float:
        return kind, value.hex()  # 0.0 equals -0.0, and not-a-number not itself
    if kind is complex:
        return kind, value.real.hex(), value.imag.hex()
    if depth >= _DEPTH:
        raise _Unknown
    if kind in (range, slice):
        return kind, tuple(_value(part, depth + 1) for part in (value.start, value.stop, value.step))
    if kind in (tuple, list) and len(value) <= _LENGTH:
        return kind, tuple(_value(part, depth + 1) for part in value)
    if kind is dict and len(value) <= _LENGTH:
        return kind, tuple((_value(k, depth + 1), _value(v, depth + 1)) for k, v in value.items())
    if isinstance(value, enum.Enum):
        return kind, value.name, _value(value.value, depth + 1)
    if isinstance(value, type):
        if dt.is_dtype(value) or _trusted(value.__module__):
            return "class", value
        raise _Unknown
    if kind is types.FunctionType:
        return ("function", value) if _trusted(value.__module__) else _function(value, depth + 1)
    if kind is types.BuiltinFunctionType:
        if (
            isinstance(value.__self__, types.ModuleType)
            and _trusted(value.__module__)
            and value.__name__ not in _REACHING
        ):
            return "function", value
        raise _Unknown
    if kind is types.ModuleType and _trusted(value.__name__):
        return "module", value.__name__
    if kind is MappingFunction:
        return "map", _value(value.mapping_function, depth + 1), tuple(value.buffer_types), value.return_type
    np = npc.numpy_module()
    if np is not None:
        if isinstance(value, np.generic) and value.dtype.kind in "biufc":
            return kind, value.tobytes()
        if kind is np.ndarray and value.size <= _LENGTH and value.dtype.kind in "biufc":
            return kind, str(value.dtype), value.shape, value.tobytes()
        if kind is np.ufunc or isinstance(value, np.dtype):
            return kind, str(value)
    raise _Unknown


def _trusted(module: Any) -> bool:
    return isinstance(module, str) and module.partition(".")[0] in _TRUSTED and not module.startswith("numpy.random")


# ---- Functions -------------------------------------------------------------------------------------------------------


def _function(function: Any, depth: int) -> Any:
    # A method's own object is no part of its function.
    if type(function) is not types.FunctionType or function.__dict__ or depth >= _DEPTH:
        raise _Unknown
    code = function.__code__
    reads = _reads(code)
    if reads is None:
        raise _Unknown
    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    values = tuple(_follow(_base(read, function, cells), read[2], depth) for read in reads)
    defaults = _value(function.__defaults__, depth + 1), _value(function.__kwdefaults__, depth + 1)
    return code, values, defaults


def _base(read: tuple, function: types.FunctionType, cells: dict[str, Any]) -> Any:
    """The current value of a name; the marker if the name is undefined."""
    from_closure, name, _ = read
    if from_closure:
        try:
            return cells[name].cell_contents
        except ValueError:  # empty yet
            return _MISSING
    if name in function.__globals__:
        return function.__globals__[name]
    builtins = function.__globals__.get("__builtins__", {})
    return (builtins if isinstance(builtins, dict) else vars(builtins)).get(name, _MISSING)


def _follow(value: Any, attributes: tuple[str, ...], depth: int) -> Any:
    """The key of an attribute of an attribute ...: of the first on the way that says all about what comes after it."""
    for attribute in attributes:
        if value is _MISSING:
            break
        if type(value) is types.ModuleType:
            value = getattr(value, attribute, _MISSING)
            continue
        try:
            return _value(value, depth)
        except _Unknown:
            value = _attribute(value, attribute)
    return ("missing",) if value is _MISSING else _value(value, depth)


def _attribute(value: Any, name: str) -> Any:
    """An attribute that is plain data: getting it runs no code."""
    kind = type(value)
    if kind.__getattribute__ not in (object.__getattribute__, type.__getattribute__):
        raise _Unknown
    found = inspect.getattr_static(value, name, _MISSING)
    if found is _MISSING or hasattr(type(found), "__get__"):
        raise _Unknown
    return found


@functools.lru_cache(maxsize=1024)
def _reads(code: types.CodeType) -> tuple[tuple[bool, str, tuple[str, ...]], ...] | None:
    """The reads of code from outside itself: (from the closure, name, attributes of it). None if they cannot be
    found."""
    try:
        return tuple(dict.fromkeys(_each_read(code, frozenset(code.co_freevars))))
    except _Unknown:
        return None


def _each_read(code: types.CodeType, outer: frozenset[str]) -> Iterator[tuple[bool, str, tuple[str, ...]]]:
    instructions = [i for i in dis.get_instructions(code) if i.opname not in _NOTHING]
    for at, instruction in enumerate(instructions):
        name = instruction.argval
        if instruction.opname in _REFUSED:
            raise _Unknown
        from_closure = instruction.opname == "LOAD_DEREF" and name in outer
        if not from_closure and instruction.opname != "LOAD_GLOBAL":
            continue
        attributes = []
        for following in instructions[at + 1 :]:
            if following.opname not in _ATTRIBUTE:
                break
            attributes.append(following.argval)
        yield from_closure, name, tuple(attributes)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            # A variable of an enclosing function that is not ours is no part of our closure.
            yield from _each_read(constant, outer & frozenset(constant.co_freevars) - frozenset(code.co_cellvars))


# ---- The memo --------------------------------------------------------------------------------------------------------


class PlanMemo:
    """Plans by context and key, the ones that were used last, or all where there is no bound. It holds no function and no object of the
    user's."""

    def __init__(self, bound: int | None = KEPT_PLANS) -> None:
        self.bound = bound
        self.hits = self.misses = 0
        self._plans: collections.OrderedDict[Any, Any] = collections.OrderedDict()
        self._making: dict[Any, threading.RLock] = {}
        self._lock = threading.Lock()

    def find(self, key: Any) -> Any:
        """The plan of a key, if it is there and alive."""
        context = get_context()
        with self._lock:
            plan = self._plans.get((context.serial, key))
            if plan is None or plan.destroyed:
                return None
            self._plans.move_to_end((context.serial, key))
            return plan

    def get(self, wanted: Any, make: Callable[[], Any], key: Callable[[], Any]) -> Any:
        """The plan of a key, else what `make` makes; it is kept if `key` gives the same key still."""
        plan = self.find(wanted)
        if plan is None:
            whose = get_context().serial, wanted
            with self._lock:
                making = self._making.setdefault(whose, threading.RLock())
            with making:  # others that want the same wait for it
                plan = self.find(wanted)
                if plan is None:
                    return self._made(wanted, key, make)
        self.hits += 1
        return plan

    def _made(self, wanted: Any, key: Callable[[], Any], make: Callable[[], Any]) -> Any:
        self.misses += 1
        whose = get_context().serial, wanted
        try:
            plan = make()
            # If tracing changed the values that it reads, the plan cannot be assigned to any of them.
            same = key() == wanted
        finally:
            with self._lock:
                self._making.pop(whose, None)
        if same:
            with self._lock:
                for gone in [key for key, other in self._plans.items() if other.destroyed]:
                    del self._plans[gone]
                self._plans[whose] = plan
                self._plans.move_to_end(whose)
                while self.bound is not None and len(self._plans) > self.bound:
                    self._plans.popitem(last=False)
        return plan

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._plans.clear()
            self.hits = self.misses = 0

    def __len__(self) -> int:
        return len(self._plans)


__all__ = ["KEPT_PLANS", "PlanMemo", "function_key", "map_key"]
