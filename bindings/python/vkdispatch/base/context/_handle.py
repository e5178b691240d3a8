"""Objects of the library, the objects that they need, and those that need them."""

from __future__ import annotations

import weakref
from typing import Any

from ... import _native
from ..pointers import address_of, let_go
from ._context import Context, current_context, living

_enums = _native.enums

#: Names used by the package, or by programs for vkdispatch 0.1 that reach inside; completion leaves them out.
_INSIDE = {
    "register_handle",
    "register_parent",
    "release_parent",
    "clear_parents",
    "add_child_handle",
    "remove_child_handle",
    "parents",
    "children_dict",
    "ends_with_context",
}


class Handle:
    """An object of the library: its context, the objects it needs and those that need it.

    `_handle` is a number that no other live object has. A child keeps its parents alive; destroying a parent destroys its
    children first.
    """

    context: Context
    _handle: int | None
    destroyed: bool
    _forked = False
    #: Whether it is destroyed since its context is, which messages say.
    ends_with_context = False

    def __init__(self, context: Context | None = None):
        self.context = context or current_context()
        self._handle = None
        self._pointer: Any = None
        self.destroyed = False
        self.parents: dict[int, Handle] = {}
        self.children_dict: weakref.WeakValueDictionary[int, Handle] = weakref.WeakValueDictionary()

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in _INSIDE]

    def register_handle(self, handle: Any) -> None:
        """Take the library's handle: a pointer of the raw layer, or a number."""
        self._pointer = handle
        self._handle = handle if isinstance(handle, int) else address_of(handle)
        self.context.handles_dict[self._handle] = self
        if self.context._ending:  # by another thread, which may not have seen it
            self.destroyed = self.ends_with_context = True
            self.context.handles_dict.pop(self._handle, None)
            self._pointer = None
            self.context._refuse(type(self).__name__)

    def register_parent(self, parent: Handle) -> None:
        """Keep `parent` alive as long as this object."""
        if parent._handle is not None:
            self.parents[parent._handle] = parent
            parent.add_child_handle(self)

    def release_parent(self, parent: Handle) -> None:
        """Let go of `parent`, which this object no longer needs."""
        if parent._handle is not None and self.parents.pop(parent._handle, None) is not None:
            parent.remove_child_handle(self)

    def clear_parents(self) -> None:
        """Let go of every parent."""
        for parent in list(self.parents.values()):
            parent.remove_child_handle(self)
        self.parents.clear()

    def add_child_handle(self, child: Handle) -> None:
        """Note that `child` needs this object."""
        if child._handle is not None:
            self.children_dict[child._handle] = child

    def remove_child_handle(self, child: Handle) -> None:
        """Forget `child`."""
        if child._handle is not None:
            self.children_dict.pop(child._handle, None)

    def _destroy(self) -> None:
        """Give the object's resources back."""

    def _description(self) -> str:
        """The end of a message, which says which object it is about."""
        return ""

    def _check_alive(self, where: str = "") -> None:
        if self.destroyed:
            if self._forked:
                raise _native._errors.StateError(
                    f"{type(self).__name__} was made before os.fork(), it belongs to the parent process"
                    f"{self._description()}{where}: use 'spawn' to start processes, or make it in the child",
                    _enums.VD_ERR_STATE,
                )
            how = " with its context" if self.ends_with_context else ""
            raise _native._errors.StateError(
                f"{type(self).__name__} was destroyed{how}{self._description()}{where}", _enums.VD_ERR_STATE
            )

    def destroy(self) -> None:
        """Give the resources back, once work in flight is done with them. Doing it twice is no error."""
        if self.destroyed:
            return
        self.destroyed = True
        for child in living(self.children_dict):
            child._parent_destroyed(self)
        self.clear_parents()
        if self._handle is not None:
            self.context.handles_dict.pop(self._handle, None)  # before another thread's new object may have the number
            self._destroy()
        self._pointer = None

    def _forget(self) -> None:
        """In the child of a fork: make this object unusable without touching the parent's."""
        let_go(self._pointer)
        self._pointer = None
        self.destroyed = self._forked = True

    def _parent_destroyed(self, parent: Handle) -> None:
        self.destroy()

    def free(self) -> None:
        """The same as destroy()."""
        self.destroy()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *exc: object) -> None:
        self.destroy()
