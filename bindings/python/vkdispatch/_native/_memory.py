"""Host memory on its way into and out of the library."""

from __future__ import annotations

import weakref
from typing import Any

from ._load import ffi, lib

# Objects that a C struct points to, kept as long as the struct.
_kept: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


def keep(struct: Any, objects: Any) -> None:
    """Keep `objects` alive as long as `struct`."""
    _kept[struct] = objects


def text_in(
    fields: dict[str, Any], names: tuple[str, ...], pointers: dict[str, tuple[str, str] | None] | None = None
) -> tuple[dict[str, Any], list]:
    """`fields` with the strings among `names` as C strings, and what they point to, to be kept alive; None is NULL.

    `pointers` are other fields that point to something: to an array, with the C type of its elements and the field that counts
    them ("" without one), or to a struct or an object, with None. An array may be given as a sequence, which sets the field that counts.
    """
    kept = []
    result = dict(fields)
    for name, target in (pointers or {}).items():
        value = result.get(name)
        if target is not None and isinstance(value, (list, tuple)):
            element, count = target
            if count:
                result.setdefault(count, len(value))
            value = result[name] = ffi.new(f"{element}[]", value)
        if value is None:
            result.pop(name, None)
        else:
            kept.append(value)
    for name in names:
        value = result.get(name)
        if isinstance(value, str):
            value = value.encode()
        if isinstance(value, bytes):
            result[name] = ffi.new("char[]", value)
            kept.append(result[name])
        elif value is None and name in result:
            del result[name]
    return result, kept


def bytes_in(data: Any) -> tuple[Any, int]:
    """The address and size of a call's input: a string, bytes, or any contiguous buffer; None is NULL."""
    if data is None:
        return ffi.NULL, 0
    if isinstance(data, str):
        data = data.encode()
    view = ffi.from_buffer("char[]", data)
    return view, len(view)


def bytes_out(data: Any) -> tuple[Any, int]:
    """Pointer to and size of a writable contiguous buffer that a call fills."""
    view = ffi.from_buffer("char[]", data, require_writable=True)
    return view, len(view)


def parts_out(data: Any, count: int) -> list[Any]:
    """`count` equal parts of a writable contiguous buffer, each of which a call fills."""
    view, size = bytes_out(data)
    part = size // count
    return [memoryview(ffi.buffer(view))[i * part : (i + 1) * part] for i in range(count)]


def memory_at(pointer: Any, size: int, owner: Any) -> Any:
    """`size` bytes of the library's as a writable buffer, which keeps `owner` alive."""
    return ffi.buffer(ffi.gc(ffi.cast("char *", pointer), lambda _: owner), size)


def blob_memory(blob: Any) -> Any:
    """The bytes of a blob as a buffer, without a copy; None while the copy of vd_buffer_fetch() is not done."""
    size = ffi.new("uint64_t *")
    pointer = lib.vd_blob_data(blob, size)
    return None if pointer == ffi.NULL else memory_at(pointer, size[0], blob)
