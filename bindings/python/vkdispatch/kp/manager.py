"""Managers: a device with its queues, and all that is made on it.

Example:
    manager = kp.Manager()  # Vulkan's device 0
    print(manager.get_device_properties()["device_name"], len(manager.list_devices()))
    other = kp.Manager(backend="host")
    other.destroy()  # and all that was made on it
"""

from __future__ import annotations

import contextlib
import os
from typing import Any

from .. import _native
from ..backends.backend_selection import BackendUnavailableError
from ..base.buffer import Buffer, asbuffer, from_dlpack
from ..base.context import Context
from ..base.words import bracketed, shown
from ..compat import numpy_compat as npc
from .algorithm import Algorithm
from .devices import Choice, describe, devices_in_order, open_context
from .elements import Data, element_of, float_data, typed_data
from .enums import MemoryTypes, memory_type_of
from .errors import Error, invalid, list_of, unavailable, unsigned, unsupported, wrong_state
from .home import CONTEXT_CURE, Home, Single
from .host_function import is_in_host_function
from .image import Image
from .legacy import LegacyCalls
from .log import forward_messages, logger
from .operations import OpCopy, OpSyncLocal
from .sequence import Sequence
from .tensor import Tensor, refuse_zero_sized

_enums = _native.enums


def _numbers(values: Any, what: str) -> list[int]:
    return [unsigned(value, what) for value in list_of(values, what, "a list of unsigned integers")]


def _names(values: Any, what: str) -> list[str]:
    names = list_of(values, what, "a list of names")
    for name in names:
        if not isinstance(name, str) or not name.isascii() or "\0" in name:
            raise TypeError(f"{what} has {shown(name)}, which is no name: incompatible function arguments")
    return names


def _has_dlpack_alone(source: Any) -> bool:
    """Whether DLPack is the way to an object's elements: it is no array of NumPy's, and says nothing of CUDA."""
    others = hasattr(source, "__cuda_array_interface__") or npc.is_array_like(source)
    return hasattr(source, "__dlpack__") and not others


class Manager(Single, LegacyCalls):
    """A device with queues. It holds what it makes weakly; when it is destroyed or collected, all of that is destroyed.

    `device` counts in Vulkan's own order, CPUs among them; where there is no Vulkan, in that of the next backend. `backend`,
    `device_type` ("discrete", "integrated", "virtual", "cpu"), a part of `device_name` and `device_uuid` choose another one.
    `debug` asks for validation layers, whose errors go to the log, and with "raise" to the next call, too.
    """

    def __init__(
        self,
        device: Any = 0,
        family_queue_indices: Any = (),
        desired_extensions: Any = (),
        *,
        backend: str | None = None,
        device_type: str | None = None,
        device_name: str | None = None,
        device_uuid: Any = None,
        required_extensions: Any = (),
        debug: Any = None,
    ):
        if not (debug is None or isinstance(debug, bool) or (isinstance(debug, str) and debug == "raise")):
            raise TypeError(
                f'Manager: debug {bracketed(debug)} must be a bool, None or "raise": incompatible function arguments'
            )
        number = unsigned(device, "Manager: device")
        families = _numbers(family_queue_indices, "Manager: family_queue_indices")
        wished = _names(desired_extensions, "Manager: desired_extensions")
        required = _names(required_extensions, "Manager: required_extensions")
        forward_messages()
        choice = Choice(number, backend, device_type, device_name, device_uuid)
        info = choice.find()
        if os.environ.get("KOMPUTE_ENV_DEBUG_LAYERS", "").split() and debug is None:
            debug = True
        if info.backend != "vulkan":
            if families:
                logger.info(
                    "Manager: backend '%s' has no queue families; it gets %d queues", info.backend, len(families)
                )
            if wished:
                logger.info("Manager: extensions are Vulkan's, and are not looked at on '%s'", info.backend)
            if required:
                raise unsupported(
                    f"Manager: required_extensions {bracketed(required)} are Vulkan's, and the device is on '{info.backend}'"
                )
        try:
            with _native.naming("Manager"):
                context, queues = open_context(
                    info, families, wished, required, bool(debug) if debug is not None else None
                )
        except BackendUnavailableError as error:
            raise unavailable(f"Manager: {error}") from error
        except ValueError as error:
            raise error if isinstance(error, Error) else invalid(f"Manager: {error}") from error
        for name in wished if info.backend == "vulkan" else ():
            if not context.has_extension(name):
                logger.error("Manager: desired extension '%s' is not supported by '%s'", name, info.device_name)
        self._start(context, True, queues)
        self._wished += [*wished, *required]
        if debug == "raise":
            self._home.watch_faults()
        self._home.why = f" {choice.why}" if choice.why else ""
        logger.info("Manager: using device %d, '%s', backend '%s'", info.dev_index, info.device_name, info.backend)

    @classmethod
    def from_context(cls, context: Any) -> Manager:
        """A Manager over a context of the package's, which the program keeps: one over a device of its own, for example."""
        if not isinstance(context, Context):
            raise TypeError(f"Manager.from_context: context {bracketed(context)} is no vd.Context")
        context.check_alive("Manager.from_context")
        self = cls.__new__(cls)
        self._start(context, False, list(range(context.queue_count)))
        return self

    def _start(self, context: Context, owned: bool, queues: list[int]) -> None:
        self._home = Home(context, owned, queues)
        context._owners.add(self)
        self._wished: list[str] = []
        self._start_legacy()

    def _add(self, child: Any) -> Any:
        home = self._home
        with home.lock:
            if not home.usable or home.watches_faults:
                home.check(f"Manager.{type(child).__name__.lower()}")
            home.children.add(child)
        return child

    # ---- Making things

    def sequence(self, queue_index: Any = 0, total_timestamps: Any = 0) -> Sequence:
        """A sequence on a queue of those that the Manager was made with. With timestamps it takes as many operations at most."""
        home, what = self._home, "Manager.sequence"
        home.check(what)
        queue = unsigned(queue_index, f"{what}: queue_index")
        stamps = unsigned(total_timestamps, f"{what}: total_timestamps")
        home.check_queue(queue, f"{what}: queue_index")
        if stamps and not self.get_device_properties()["timestamps_supported"]:
            raise unsupported(f"{what}: total_timestamps ({stamps}): Device does not support timestamps")
        sequence: Sequence = self._add(Sequence._new(home, queue, stamps))
        return sequence

    def tensor(self, data: Any, memory_type: Any = None, *, tensor_type: Any = None) -> Tensor:
        """A tensor of float32 of whatever NumPy can turn into that."""
        self._home.check("Manager.tensor")
        kind = self._kind(memory_type, tensor_type, "Manager.tensor")
        return self._tensor(float_data(data, "Manager.tensor"), kind, "Manager.tensor")

    def tensor_t(self, data: Any, memory_type: Any = None, *, tensor_type: Any = None, dtype: Any = None) -> Tensor:
        """A tensor of an array, in its own dtype or in `dtype`, which is NumPy's, the package's, or a member of DataTypes."""
        self._home.check("Manager.tensor_t")
        kind = self._kind(memory_type, tensor_type, "Manager.tensor_t")
        return self._tensor(typed_data(data, "Manager.tensor_t", dtype), kind, "Manager.tensor_t")

    def tensor_empty(self, shape: Any, dtype: Any = "float32", memory_type: Any = None) -> Tensor:
        """A tensor of zeros, without data of the host's. `dtype` is NumPy's, the package's, or a member of DataTypes."""
        what = "Manager.tensor_empty"
        self._home.check(what)
        lengths = (shape,) if not isinstance(shape, (list, tuple)) else tuple(shape)
        dims = tuple(unsigned(length, f"{what}: shape") for length in lengths)
        kind = self._kind(memory_type, None, what)
        tensor: Tensor = self._add(Tensor._of(self._home, None, element_of(dtype, what), dims, kind, what))
        return tensor

    def tensor_from(self, source: Any) -> Tensor:
        """A tensor with the elements of a vd.Buffer, or of what DLPack or CUDA's array interface gives: a copy on the device, and
        another in data().

        Of another tensor it is a copy as OpCopy makes one: of the device's memory, and of the host's.
        """
        what = "Manager.tensor_from"
        self._home.check(what)
        if isinstance(source, Tensor):
            source._check_home(self._home, what)
            if not source.is_init():
                raise wrong_state(f"{what}: source: the {source._noun()} was destroyed, or its Manager was")
            made = Tensor._of(self._home, None, source._element, source.shape, MemoryTypes.device, what)
            self.sequence().eval(OpCopy([source, made]))
            copied: Tensor = self._add(made)
            return copied
        buffer = self._buffer_of(source, what)
        if buffer.context is not self._home.context:
            raise invalid(
                f"{what}: the buffer belongs to {buffer.context.name}, and is used with {self._home.name}! {CONTEXT_CURE}"
            )
        tensor = self.tensor_empty(tuple(buffer.shape), buffer.var_type.name, None)
        tensor.buffer.copy_from(buffer)
        self.sequence().eval(OpSyncLocal([tensor]))
        return tensor

    def _buffer_of(self, source: Any, what: str) -> Buffer:
        if isinstance(source, Buffer):
            return source
        shape = getattr(source, "shape", ())
        if isinstance(shape, tuple):
            refuse_zero_sized(shape, what)
        with self._home.context.active():
            try:
                return from_dlpack(source) if _has_dlpack_alone(source) else asbuffer(source)
            except TypeError as error:
                raise TypeError(f"{what}: source: {error}: incompatible function arguments") from None
            except (ValueError, BufferError) as error:
                raise error if isinstance(error, Error) else invalid(f"{what}: source: {error}") from None

    def _kind(self, memory_type: Any, tensor_type: Any, what: str) -> Any:
        if memory_type is not None and tensor_type is not None:
            raise TypeError(f"{what}: memory_type and tensor_type are given, which are the same")
        given = tensor_type if memory_type is None else memory_type
        return MemoryTypes.device if given is None else memory_type_of(given, what)

    def _tensor(self, data: Data, kind: Any, what: str) -> Tensor:
        tensor: Tensor = self._add(Tensor._of(self._home, data, data.element, data.shape or (data.count,), kind, what))
        return tensor

    def image(self, data: Any, width: Any, height: Any, num_channels: Any, memory_type: Any = None) -> Image:
        """An image of channels of float32."""
        self._home.check("Manager.image")
        return self._image(float_data(data, "Manager.image"), width, height, num_channels, memory_type, "Manager.image")

    def image_t(self, data: Any, width: Any, height: Any, num_channels: Any, memory_type: Any = None) -> Image:
        """An image of an array, in its own dtype."""
        self._home.check("Manager.image_t")
        return self._image(
            typed_data(data, "Manager.image_t"), width, height, num_channels, memory_type, "Manager.image_t"
        )

    def _image(self, data: Data, width: Any, height: Any, channels: Any, memory_type: Any, what: str) -> Image:
        kind = self._kind(memory_type, None, what)
        sizes = [
            unsigned(value, f"{what}: {name}")
            for value, name in ((width, "width"), (height, "height"), (channels, "num_channels"))
        ]
        x, y, n = sizes
        with _native.naming(what):
            image: Image = self._add(Image._of(self._home, data, x, y, n, kind, what))
        return image

    def algorithm(
        self, tensors: Any, spirv: Any = b"", workgroup: Any = (0, 0, 0), spec_consts: Any = (), push_consts: Any = ()
    ) -> Algorithm:
        """Code with its objects: SPIR-V or GLSL (on Vulkan), or a kernel of @vd.shader's (everywhere).

        `workgroup` is the number of workgroups on each axis. (0, 0, 0) means one for each element of the first object, an image's
        channels among them; of a kernel, and of a shader of pyshader's that knows only GlobalInvocationId, as many workgroups as
        hold an invocation for each element, or the kernel's own size.
        """
        self._home.check("Manager.algorithm")
        algorithm = Algorithm._new(self._home)
        algorithm._build(tensors, spirv, workgroup, spec_consts, push_consts, "Manager.algorithm")
        made: Algorithm = self._add(algorithm)
        return made

    # ---- Looking

    def get_device_properties(self) -> dict[str, Any]:
        """The properties of the Manager's device."""
        self._home.check("Manager.get_device_properties")
        return describe(self._home.context.device_infos[0])

    def list_devices(self) -> list[dict[str, Any]]:
        """The properties of all devices of the Manager's backend, in the driver's order."""
        self._home.check("Manager.list_devices")
        return [describe(info) for info in devices_in_order(self._home.backend)]

    def enabled_extensions(self) -> list[str]:
        """The desired and required extensions that are enabled. Empty on other backends than Vulkan."""
        self._home.check("Manager.enabled_extensions")
        return [name for name in self._wished if self._home.context.has_extension(name)]

    @property
    def backend(self) -> str:
        """The name of the backend: "vulkan", "cuda", "opencl" or "host"."""
        return self._home.backend

    @property
    def context(self) -> Context:
        """The context, for vd.Buffer and the like."""
        self._home.check("Manager.context")
        return self._home.context

    def is_init(self) -> bool:
        """Whether it was not destroyed."""
        return self._home.alive

    def is_lost(self) -> bool:
        """Whether its device failed."""
        return self._home.lost

    def clear(self) -> None:
        """Nothing: the Manager holds what it makes weakly."""

    # ---- Life

    def destroy(self) -> None:
        """Destroy its sequences, algorithms, tensors and images, and let go of the device. Doing it again is only logged."""
        if is_in_host_function():
            raise wrong_state(
                "Manager.destroy: called in a callback, a function of OpHost, whose own work it would wait for"
            )
        self._end(waits=True)

    def _end(self, waits: bool) -> None:
        home = self._home
        with home.lock:
            if not home.alive:
                logger.info("Manager.destroy: %s was destroyed before", home.name)
                return
            children = list(home.children)
        raised: list[BaseException] = []
        for child in children:
            if isinstance(child, Sequence):
                try:
                    child._close(waits)
                except BaseException as error:
                    if child.is_init():  # an interrupt from the keyboard
                        raise
                    raised.append(error)
        for kind in (Algorithm, (Tensor, Image)):
            for child in children:
                if isinstance(child, kind):
                    child.destroy()
        home.close()
        if raised:
            raise raised[0]

    def _end_with_context(self) -> None:
        """Destroy it because the program destroys its context, which waits for work except in a function of OpHost."""
        if self._home.alive:
            self._end(waits=not is_in_host_function())

    def __del__(self) -> None:
        home = getattr(self, "_home", None)
        if home is not None and home.alive:
            # At the end of the interpreter parts of it may be gone.
            with contextlib.suppress(Exception):
                self._end(waits=not is_in_host_function())  # whose own work it may be

    def __enter__(self) -> Manager:
        return self

    def __exit__(self, *error: object) -> None:
        self.destroy()

    def __repr__(self) -> str:
        return f"<kp.{self._home.name}{'' if self._home.alive else ', destroyed'}>"
