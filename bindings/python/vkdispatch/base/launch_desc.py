"""A launch as the raw layer takes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _native
from .buffer import Buffer
from .errors import WrongTypeError
from .image import Image, Sampler

#: The binding of an argument: part of a buffer (offset and size in bytes, a size of 0 to the end), an image with the level
#: that is stored, a sampler with its image, or a sampler alone (and None).
Binding = tuple[Buffer, int, int] | tuple[Image, int] | tuple[Sampler] | tuple[Sampler, None]

_WHOLE = _native.enums.VD_WHOLE_SIZE


def _c_binding(binding: Binding) -> dict[str, Any]:
    given: Any = binding[0]
    if isinstance(given, Buffer):
        _, offset, size = binding  # type: ignore[misc]  # a buffer's
        return {"buffer": given._live_pointer(), "offset": offset, "size": size or _WHOLE}
    if isinstance(given, Sampler) and len(binding) == 2:
        return {"sampler": given._pointer}
    if isinstance(given, Sampler):
        return {"image": given.image._pointer, "sampler": given._pointer}
    return {"image": given._pointer, "level": binding[1]}  # type: ignore[misc]  # an image's


def image_of(given: Any) -> Image | None:
    """The image that is given, alone or as its sampler; None of anything else."""
    image = given.image if isinstance(given, Sampler) else given
    return image if isinstance(image, Image) else None


def image_binding(given: Any, name: str, owner: str, stored: bool) -> Binding:
    """An image for an argument of `owner`, which samples it, or loads and stores it."""
    image = image_of(given)
    if image is None:
        cure = "" if stored else " image.sample() makes a sampler of an image."
        raise WrongTypeError(f"Expected an image for argument '{name}' of {owner} (got {type(given).__name__})!{cure}")
    given._check_alive(f", and is argument '{name}' of {owner}")
    if stored:
        return (image, 0)
    return (given if isinstance(given, Sampler) else image.sample(),)


def order_desc(stream: int) -> Any:
    """A vd_order_desc for work on a stream of the program's; None where there is none."""
    return _native.raw.vd_order_desc(stream=stream) if stream else None


def launch_desc(
    queue: int,
    threads: Sequence[int],
    bindings: Sequence[Binding],
    values: bytes,
    stream: int = 0,
    counts: Buffer | None = None,
) -> tuple[Any, list]:
    """A vd_launch_desc, and the objects that must live as long as it is used. `counts` has the numbers of workgroups."""
    from .._native._load import ffi

    # C's entries hold addresses alone, and another thread may destroy the objects meanwhile: so the handles are kept.
    entries = [_c_binding(binding) for binding in bindings]
    counted = ffi.NULL if counts is None else counts._live_pointer()
    c_bindings = ffi.new("vd_binding[]", entries)
    c_values = ffi.from_buffer(values) if values else ffi.NULL
    order = order_desc(stream)
    desc = _native.raw.vd_launch_desc(
        queue=queue,
        invocations=list(threads),
        bindings=c_bindings,
        binding_count=len(bindings),
        values=c_values,
        values_size=len(values),
        order=order or ffi.NULL,
        counts=counted,
    )
    return desc, [entries, counted, c_bindings, c_values, values, order]
