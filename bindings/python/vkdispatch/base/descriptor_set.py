"""The buffers, images and samplers of a launch of source text, by binding.

`DescriptorSet` is imported from `vkdispatch.base.descriptor_set`.

Example:
    from vkdispatch.base.descriptor_set import DescriptorSet

    if text is not None:
        numbers = vd.ones(128)
        bound = DescriptorSet(plan)
        bound.bind_buffer(numbers, 0)
"""

from __future__ import annotations

from typing import Any

from .. import _native
from . import dtype as dt
from .buffer import Buffer
from .compute_plan import KINDS, ComputePlan
from .context import Handle, as_integer
from .errors import WrongTypeError
from .image import Image, Sampler
from .launch_desc import Binding
from .words import bracketed, tensor_cure

_enums = _native.enums
_BIND_BUFFER = "DescriptorSet.bind_buffer"


class DescriptorSet(Handle):
    """The buffers, images and samplers bound to a plan. A binding may be set again.

    A launch takes what is bound when its list is submitted. A plan may have many sets. One thread at a time uses a set.

    A binding that the plan lacks or that is of another kind is a ValueError, and so is an object of another context. An
    object of another type is a TypeError. Destroying the plan, or an object that is bound, destroys the set: later use is a
    RuntimeError.
    """

    #: The plan.
    compute_plan: ComputePlan
    _numbers = iter(range(1, 1 << 62))

    def __init__(self, compute_plan: ComputePlan):
        super().__init__(compute_plan.context)
        compute_plan._check_alive()
        self.compute_plan = compute_plan
        self._bound: dict[int, Binding] = {}
        self._inline: Buffer | None = None
        # There is nothing of the library's behind it: a number of its own, below every address.
        self.register_handle(next(DescriptorSet._numbers))
        self.register_parent(compute_plan)

    def _kind(self, method: str, binding: int, *kinds: int) -> tuple[int, int]:
        """A binding as an int, and its kind, which is one of these. `method` names the call in messages."""
        self._check_alive()
        known = self.compute_plan.binding_list
        number = as_integer(binding, f"DescriptorSet.{method}: binding")
        if not 0 <= number < len(known):
            raise ValueError(
                f"DescriptorSet.{method}: binding ({number}) is not one of the {len(known)} of plan "
                f"'{self.compute_plan.shader_name}', counted from 0"
            )
        if known[number] not in kinds:
            wanted = " or ".join(KINDS[kind] for kind in kinds)
            raise ValueError(
                f"DescriptorSet.{method}: binding {number} of plan '{self.compute_plan.shader_name}' takes "
                f"{KINDS[known[number]]}, not {wanted}"
            )
        return number, known[number]

    def _check_object(self, method: str, name: str, given: Any, *classes: type[Handle]) -> None:
        """Check an argument: a live object of one of these classes and of the plan's context."""
        if not isinstance(given, classes):
            wanted = " or ".join(f"a vd.{kind.__name__}" for kind in classes)
            raise WrongTypeError(
                f"DescriptorSet.{method}: {name} {bracketed(given)} is not {wanted}{tensor_cure(given, name)}"
            )
        given._check_alive()
        if given.context is not self.context:
            raise ValueError(
                f"DescriptorSet.{method}: {name} {bracketed(given)} belongs to {given.context.name}, and plan "
                f"'{self.compute_plan.shader_name}' to {self.context.name}"
            )

    def bind_buffer(
        self,
        buffer: Buffer,
        binding: int,
        offset: int = 0,
        range: int = 0,
        uniform: bool = False,
        read_access: bool = True,
        write_access: bool = True,
    ) -> None:
        """Put a buffer, or `range` bytes of it from byte `offset`, at a binding. A range of 0 goes to the end.

        The plan's list of kinds says whether it is a uniform buffer; `uniform=True` is a ValueError where it is not. So
        are bytes outside of the buffer, and a read-only buffer unless `write_access=False`. `read_access` changes nothing.
        On Vulkan and OpenCL a launch reports an offset that is not a multiple of the device's alignment as a
        vd.InvalidError, which has the alignment.
        """
        storage, block = _enums.VD_BINDING_STORAGE_BUFFER, _enums.VD_BINDING_UNIFORM_BUFFER
        self._check_alive()
        self._check_object("bind_buffer", "buffer", buffer, Buffer)
        kinds = (block,) if uniform else (storage, block)
        number, kind = self._kind("bind_buffer", binding, *kinds)
        begin, size = as_integer(offset, f"{_BIND_BUFFER}: offset"), as_integer(range, f"{_BIND_BUFFER}: range")
        if not 0 <= begin < buffer.mem_size:
            raise ValueError(
                f"{_BIND_BUFFER}: offset ({begin}) is outside the {buffer.mem_size} bytes of buffer '{buffer.label}'"
            )
        if not 0 <= size <= buffer.mem_size - begin:
            raise ValueError(
                f"{_BIND_BUFFER}: range ({size}) is outside 0 to {buffer.mem_size - begin}, the bytes of buffer "
                f"'{buffer.label}' from offset {begin}"
            )
        if kind == storage and write_access and not buffer.is_writable:
            raise ValueError(
                f"{_BIND_BUFFER}: buffer '{buffer.label}' is read-only, and binding {number} has write_access=True"
            )
        self._bind(number, (buffer, begin, size))

    def bind_sampler(
        self, sampler: Sampler | Image, binding: int, read_access: bool = True, write_access: bool = True
    ) -> None:
        """Put an image and its sampler at a binding of kind 5, or the sampler alone at one of kind 8.

        `image.sample(...)` makes samplers. An image is sampled with the defaults of `Image.sample()`. The two accesses
        change nothing.
        """
        self._check_alive()
        if isinstance(sampler, Image):
            sampler = sampler.sample()
        self._check_object("bind_sampler", "sampler", sampler, Sampler, Image)
        number, kind = self._kind("bind_sampler", binding, _enums.VD_BINDING_SAMPLED_IMAGE, _enums.VD_BINDING_SAMPLER)
        self._bind(number, (sampler,) if kind == _enums.VD_BINDING_SAMPLED_IMAGE else (sampler, None))

    def bind_image(self, image: Image, binding: int, level: int = 0) -> None:
        """Put a level of an image at a binding that loads and stores it (kind 6), or an image at one of kind 7, whose sampler
        is another binding. A level that the image lacks is a ValueError."""
        self._check_alive()
        self._check_object("bind_image", "image", image, Image)
        number, _ = self._kind("bind_image", binding, _enums.VD_BINDING_STORAGE_IMAGE, _enums.VD_BINDING_TEXTURE)
        self._bind(number, (image, image._level(level, "DescriptorSet.bind_image")))

    def set_inline_uniform_payload(self, payload: bytes) -> None:
        """Give the uniform block at binding 0 by value. RuntimeError on other backends than CUDA."""
        self._check_alive()
        if self.context.backend != "cuda":
            raise RuntimeError(
                "set_inline_uniform_payload works on the CUDA backend alone: bind a buffer with uniform=True"
            )
        data = bytes(payload)
        if not data:
            raise ValueError("set_inline_uniform_payload: payload is empty")
        self._kind("set_inline_uniform_payload", 0, _enums.VD_BINDING_UNIFORM_BUFFER)
        padded = data + bytes(-len(data) % 4)
        if self._inline is None or self._inline.mem_size != len(padded):
            self._inline = Buffer(len(padded) // 4, dt.uint32, context=self.context)
        self._inline.write(padded)
        self._bind(0, (self._inline, 0, len(data)))

    def _bind(self, number: int, binding: Binding) -> None:
        """Put an object at a binding. What was there is let go of, unless another binding has it."""
        before = self._bound.get(number)
        self._bound[number] = binding
        self.register_parent(binding[0])
        if before is not None and all(other[0] is not before[0] for other in self._bound.values()):
            self.release_parent(before[0])

    def bindings(self) -> list[Binding]:
        """Get the buffers and images in the order of the bindings; ValueError naming one that is not bound."""
        self._check_alive()
        missing = [i for i, _ in enumerate(self.compute_plan.binding_list) if i not in self._bound]
        if missing:
            raise ValueError(f"Binding {missing[0]} of plan '{self.compute_plan.shader_name}' is not bound")
        return [self._bound[i] for i in sorted(self._bound)]
