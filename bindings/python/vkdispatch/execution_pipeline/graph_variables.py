"""The variables of a graph: values of recorded launches that each submission may set anew."""

from __future__ import annotations

import copy
import threading
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from .. import _native
from ..base import dtype as dt
from ..base.context import Handle
from ..base.errors import WrongTypeError
from ..base.host_values import element_of
from ..base.values import pack_value, pack_values
from ..base.words import bracketed
from ..compat import numpy_compat as npc


class BoundValue:
    """Stands for the value of a `Var` argument that a graph's set_var() gives, in launches that are recorded into it."""

    def __init__(self, graph: Any, name: str):
        self.graph = graph
        self.name = name

    def __call__(self, *args: Any) -> None:
        """Nothing: a launch asks which variable this is, not what it holds."""

    def __repr__(self) -> str:
        return f"<variable '{self.name}' of a graph>"


#: A variable of a launch that is recorded: its placeholder, where its bytes go, their dtype and the argument's name.
Bound = tuple[BoundValue, int, Any, str]


@dataclass
class Field:
    """The bytes of a recorded launch's values that a variable sets."""

    node: int
    offset: int
    var_type: Any
    argument: str


class GraphVariables:
    """The variables of a graph by name: the fields that each sets, and its value, if it was given one.

    Setting them, passing them on and forgetting them takes several steps, which hold `lock`; never across a call that waits.
    """

    def __init__(self) -> None:
        self.fields: dict[str, list[Field]] = {}
        self.values: dict[str, Any] = {}
        self.lock = threading.RLock()
        #: Variables whose values the recorded launches do not have yet.
        self.changed: set[str] = set()
        #: Variables whose values are sequences, which may be those of instances.
        self.sequences: set[str] = set()
        #: Counts clear(), by which a call notices that another thread reset the graph meanwhile.
        self.resets = 0

    def bind(self, name: str) -> None:
        """Know a variable."""
        self.fields.setdefault(name, [])

    def check(self, graph: Any, bound: Sequence[Bound]) -> None:
        """Raise for a variable of a launch that is not one of this graph's."""
        for value, _, _, argument in bound:
            if value.graph is not graph:
                raise ValueError(
                    f"The variable of argument '{argument}' was bound to another graph! Give the call the one that bound it, "
                    "as graph=; without, a call goes to the thread's own."
                )
            if value.name not in self.fields:
                raise ValueError(f"The variable of argument '{argument}' was bound before the graph was reset!")

    def add(self, node: int, bound: Sequence[Bound], resets: int) -> None:
        """Let variables set the fields of a node that was recorded when there had been `resets` of clear()."""
        with self.lock:
            for value, offset, var_type, argument in bound:
                if value.name not in self.fields or self.resets != resets:
                    raise reset_meanwhile(f"The variable of argument '{argument}'")
                self.fields[value.name].append(Field(node, offset, var_type, argument))
                self.changed.add(value.name)

    def add_those_of(self, fields: dict[str, list[Field]], values: dict[str, Any], first: int) -> None:
        """Take over the variables of a graph whose nodes are numbered from `first` on in this one."""
        with self.lock:
            for name, added in fields.items():
                moved = [Field(f.node + first, f.offset, f.var_type, f.argument) for f in added]
                self.fields.setdefault(name, []).extend(moved)
                self.changed.add(name)
            for name, value in values.items():
                if name not in self.values:
                    self._keep(name, value)

    def set(self, name: str, value: Any) -> None:
        """Set a variable that was bound: one value for all instances, or a sequence with one for each.

        The components of one vector or complex number are one value.
        """
        with self.lock:
            if name not in self.fields:
                known = ", ".join(map(repr, self.fields)) or "none"
                raise ValueError(
                    f"Variable not bound! set_var: {name!r} is not a variable of the graph (bound are: {known})"
                )
            if not _may_be_values(value):
                raise WrongTypeError(
                    f"CommandGraph.set_var: value {bracketed(value)} of {name!r} must be a number, a vector's numbers, or a "
                    "sequence of them with one for each instance"
                )
            self._keep(name, _copied(value))
            self.changed.add(name)

    def _keep(self, name: str, value: Any) -> None:
        self.values[name] = value
        (self.sequences.add if hasattr(value, "__len__") else self.sequences.discard)(name)

    def clear(self) -> None:
        """Forget all of them. Under the lock."""
        for known in (self.fields, self.values, self.changed, self.sequences):
            known.clear()
        self.resets += 1

    # ---- Passing them on, under the lock

    def put_changed(self, graphs: Iterable[Any], varying: Container[str] = ()) -> None:
        """Put the values of variables that changed into the recorded launches, but for those that differ between instances."""
        for name in [name for name in self.changed if name not in varying]:
            if name in self.values:  # else it is zero
                self._put(graphs, name, self.values[name])
            self.changed.discard(name)

    def put(self, graphs: Iterable[Any], count: int) -> tuple[Any, list[bytes]]:
        """Put values that all of `count` instances share into the recorded launches. Gives entries of vd_instance_values for
        the others, and what must live as long."""
        each = {name: self._each_instance(name, count) for name in self.values}
        varying = {name: values for name, values in each.items() if values is not None}
        self.put_changed(graphs, varying)
        return self._instance_values(varying)

    def _put(self, graphs: Iterable[Any], name: str, value: Any) -> None:
        for field in self.fields[name]:
            data = pack_value(value, field.var_type, field.argument)
            for graph in graphs:
                _native.raw.vd_graph_set_values(graph, field.node, field.offset, data)

    def _each_instance(self, name: str, count: int) -> Sequence[Any] | None:
        """The values of a variable for `count` instances; None if they all have the same."""
        value = self.values[name]
        # Vectors and complex numbers are sequences themselves.
        if not hasattr(value, "__len__") or all(_is_one(value, field.var_type) for field in self.fields[name]):
            return None
        if count == 1:
            scalars = all(dt.is_scalar(field.var_type) for field in self.fields[name])
            if not isinstance(value, (str, bytes)) and len(value) > 1 and scalars:
                raise ValueError(
                    f"Variable '{name}' has {len(value)} value(s) for 1 instance! They stay until set_var() gives others."
                )
            return None
        if len(value) != count:
            raise ValueError(f"Variable '{name}' has {len(value)} value(s) for {count} instances!")
        return value

    def _instance_values(self, varying: dict[str, Sequence[Any]]) -> tuple[Any, list[bytes]]:
        from .._native._load import ffi

        entries, kept = [], []
        for name, values in varying.items():
            packed: dict[Any, bytes] = {}
            for field in self.fields[name]:
                data = packed.get(field.var_type)
                if data is None:
                    data = packed[field.var_type] = pack_values(values, field.var_type, field.argument)
                kept.append(data)
                entries.append(
                    {
                        "node": field.node,
                        "offset": field.offset,
                        "size": len(data) // len(values),
                        "values": ffi.from_buffer(data),
                        "values_size": len(data),
                    }
                )
        return ffi.new("vd_instance_values[]", entries), kept


def _is_one(value: Any, var_type: type[dt.dtype]) -> bool:
    """Whether a sequence is the components of one vector or complex number."""
    if dt.is_scalar(var_type):
        return False
    count = 2 if dt.is_complex(var_type) else var_type.item_size // element_of(var_type).itemsize
    return len(value) == count and not any(hasattr(item, "__len__") or npc.is_complex_scalar(item) for item in value)


def _may_be_values(value: Any) -> bool:
    """Whether something may be the value of a variable, as far as can be told without its type."""
    if value is None or isinstance(value, (str, dict, set, frozenset, Handle)):
        return False
    return not hasattr(value, "__next__")  # an iterator is at its end after one submission


def _copied(value: Any) -> Any:
    """A value that its owner does not change later: sequences are copied, with those in them."""
    if npc.is_array_like(value) and not value.shape:
        return value.tolist()
    if not hasattr(value, "__len__") or isinstance(value, (str, bytes)):
        return value
    if isinstance(value, (list, tuple)):
        return [_copied(item) if hasattr(item, "__len__") else item for item in value]
    try:
        return list(value) if isinstance(value, memoryview) else copy.deepcopy(value)
    except (
        TypeError,
        RuntimeError,
    ):  # no copies of it can be made; RuntimeError is torch's about tensors with a history
        return value


def reset_meanwhile(what: str) -> _native.Error:
    """The error of a call whose graph another thread reset."""
    return _native._errors.StateError(f"{what}: another thread reset the graph meanwhile", _native.enums.VD_ERR_STATE)
