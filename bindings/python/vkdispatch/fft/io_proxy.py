"""The source or destination of a transform's numbers: a buffer, or a map.

Example:
    proxy = vd.fft.IOProxy(c64, "input")
    assert not proxy.has_callback()
"""

from __future__ import annotations

import typing
from collections.abc import Sequence
from typing import Any

from ..codegen import arguments as ann
from ..codegen.mapping import MappingFunction
from .watch import MapWatch


class IOProxy:
    """A side of a transform inside a kernel."""

    def __init__(self, source: Any, name: str):
        self.name = name
        self.map = source if isinstance(source, MappingFunction) else None
        self.buffer_types: list[Any] = [] if source is None else [ann.Buffer[source]]
        if self.map is not None:
            self.buffer_types = list(self.map.buffer_types)
        for annotation in self.buffer_types:
            if len(typing.get_args(annotation)) != 1:
                raise ValueError(f"{name}: a map's annotations need exactly one type argument (got {annotation!r})!")
        self.enabled = source is not None
        self.variables: list[Any] = []

    def names_and_defaults(self) -> list[tuple[str, Any]]:
        """The name and the default of each argument; None where there is no default."""
        if self.map is not None:
            return self.map.names_and_defaults
        return [(self.name, None)] if self.enabled else []

    def has_callback(self) -> bool:
        """Whether it is a map."""
        return self.map is not None

    def set_variables(self, variables: Sequence[Any]) -> None:
        """The kernel's arguments that belong to it."""
        if len(variables) != len(self.buffer_types):
            raise ValueError(f"{self.name} takes {len(self.buffer_types)} argument(s) (got {len(variables)})!")
        self.variables = list(variables)

    def do_callback(self) -> None:
        """Write the map, for the present element."""
        if self.map is None:
            raise ValueError(f"{self.name} is no map!")
        self.map.callback(*self.variables)

    def watch(self) -> MapWatch | None:
        """The observer of a map while it is written for one element after another; None if there is no map."""
        return None if self.map is None else MapWatch(self.name, self.map)
