"""Algorithms: code, the objects that it works on, its constants, and the number of workgroups.

Example:
    @vd.shader("out.size")
    def fill(out: Buff[f32], value: Const[f32]):
        out[vc.global_invocation_id().x] = value

    manager = kp.Manager()
    out = manager.tensor([0, 0, 0])
    algorithm = manager.algorithm([out], fill, push_consts=[5])
    manager.sequence().record(kp.OpAlgoDispatch(algorithm)).record(kp.OpSyncLocal([out])).eval()
    assert out.data().tolist() == [5, 5, 5]
"""

from __future__ import annotations

import weakref
from typing import Any

from .. import _native
from ..base.remarks import caution
from ..base.words import bracketed
from . import constants
from .code import (
    Wanted,
    code_bytes,
    is_plan,
    kernel_of,
    kernel_program,
    kernel_values,
    object_size,
    plan_program,
    refuse_backend,
    size_by_numbers,
    spirv_program,
)
from .constants import Given
from .errors import invalid, list_of, unsigned, wrong_state
from .home import Child, Home
from .image import Image
from .memory import Memory


def objects_of(mems: Any, what: str) -> list[Any]:
    """A list of tensors and images; a TypeError for what is none, a bare tensor among it."""
    if isinstance(mems, Memory):
        raise TypeError(
            f"{what} {bracketed(mems)} must be a list of tensors and images: incompatible function arguments"
        )
    found = list_of(mems, what, "a list of tensors and images")
    for i, mem in enumerate(found):
        if not isinstance(mem, Memory):
            raise TypeError(f"{what}[{i}] {bracketed(mem)} is no Tensor and no Image: incompatible function arguments")
    return found


def check_objects(mems: list[Any], home: Home, what: str) -> None:
    """RuntimeError for an object that was destroyed, or belongs to another Manager: it names the place in the list."""
    for place, mem in enumerate(mems):
        if mem._alive and mem._home is home:
            continue
        mem._check_home(home, f"{what}: object {place} of the list")
        raise wrong_state(f"{what}: object {place} of the list: the {mem._noun()} was destroyed, or its Manager was")


def workgroup_of(workgroup: Any, what: str) -> tuple[int, int, int]:
    """Three unsigned integers; anything else is a TypeError."""
    if type(workgroup) is tuple and len(workgroup) == 3:
        x, y, z = workgroup
        if type(x) is int and type(y) is int and type(z) is int and x >= 0 and y >= 0 and z >= 0:
            return x, y, z
    said = "three unsigned integers, the numbers of workgroups, such as (16, 1, 1)"
    numbers = list_of(workgroup, what, said)
    if len(numbers) != 3:
        raise TypeError(f"{what} {bracketed(workgroup)} must be {said}: incompatible function arguments")
    x, y, z = (unsigned(number, f"{what}[{axis}]") for axis, number in enumerate(numbers))
    return x, y, z


class Algorithm(Child):
    """Code with its objects, which it keeps alive. A Manager makes it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise TypeError("Algorithm: No constructor defined! A Manager makes it")

    @classmethod
    def _new(cls, home: Home) -> Algorithm:
        self = cls.__new__(cls)
        self._start(home)
        return self

    def _start(self, home: Home) -> None:
        self._home = home
        self._alive = True
        self._mems: list[Any] = []
        self._wanted: Wanted | None = None
        self._push = b""
        #: Push constants that rebuild() or set_push_constants() gave last: a later call counts for dispatches that were recorded before.
        self._set_push = b""
        self._push_number = 0
        self._spec: list[float] = []
        self._workgroup = (0, 0, 0)
        #: The invocations of a launch; None: all of its workgroups, up to a size that its numbers say.
        self._invocations: tuple[int, int, int] | None = None
        # Sequences whose graphs have it, which are built anew after a change; made with the first one.
        self._users: weakref.WeakSet[Any] | None = None

    def rebuild(
        self, tensors: Any, spirv: Any, workgroup: Any = (0, 0, 0), spec_consts: Any = (), push_consts: Any = ()
    ) -> None:
        """Give it other code and objects. Sequences that have it use them from their next submission on."""
        what = "Algorithm.rebuild"
        self._check(what)
        self._build(tensors, spirv, workgroup, spec_consts, push_consts, what)

    def _build(self, tensors: Any, spirv: Any, workgroup: Any, spec: Any, push: Any, what: str) -> None:
        home = self._home
        mems = objects_of(tensors, f"{what}: tensors")
        groups = workgroup_of(workgroup, f"{what}: workgroup")
        given_spec, given_push = constants.given_constants(spec, push, what)
        kernel, plan, code = None, False, spirv
        if type(spirv) is not bytes:
            kernel, plan = kernel_of(spirv), is_plan(spirv)
            has_no_code = plan or (kernel is not None and not isinstance(spirv, bytes))
            code = b"" if has_no_code else code_bytes(spirv, what)
        if not mems or not (plan or kernel is not None or code):
            self._take(mems, None, groups, given_spec)
            return
        check_objects(mems, home, what)
        is_wide = getattr(kernel, "by_invocation", None) is not None
        if plan:
            wanted = plan_program(home, spirv, mems, given_spec, given_push, what)
        elif kernel is not None and (is_wide or not (code and home.backend == "vulkan")):
            wanted = kernel_program(home, kernel, mems, given_spec, given_push, what)
        else:
            refuse_backend(home, code, home.why, what)
            wanted = spirv_program(home, code, mems, given_spec, given_push, what)
        self._take(mems, wanted, groups, given_spec, what)

    def _take(
        self, mems: list[Any], wanted: Wanted | None, groups: tuple[int, int, int], spec: Given, what: str = "Algorithm"
    ) -> None:
        sized = groups[0] != 0
        groups = _groups_of(wanted, mems, groups, what)
        invocations = None
        if wanted is not None:
            self._check_groups(groups, what)
            invocations = _invocations_of(wanted, mems, groups, sized)
            _warn_of_short_buffers(wanted, mems, groups, invocations or _numbered(wanted, mems, groups, wanted.push))
        self._mems, self._wanted, self._workgroup, self._invocations = mems, wanted, groups, invocations
        self._spec = constants.numbers_of(spec)
        self._set(wanted.push if wanted is not None else b"")

    def _set(self, push: bytes) -> None:
        """Give dispatches without values other ones, those that were recorded before among them."""
        self._push = self._set_push = push
        self._push_number += 1
        self._changed()

    def _check_groups(self, groups: tuple[int, int, int], what: str) -> None:
        for axis, (count, most) in enumerate(zip(groups, self._home.context.max_workgroup_count, strict=True)):
            if count > most:
                raise invalid(
                    f"{what}: workgroup {bracketed(groups)} has {count} groups on axis {axis}, above the device's limit ({most}, "
                    "max_work_group_count)"
                )

    def _changed(self) -> None:
        if self._users is None:
            return
        with self._home.lock:
            users = list(self._users)
        for user in users:
            user._forget_graph()

    def _add_user(self, sequence: Any) -> None:
        with self._home.lock:
            if self._users is None:
                self._users = weakref.WeakSet()
            self._users.add(sequence)

    def _check(self, what: str) -> None:
        if not self._alive:
            raise wrong_state(f"{what}: the Algorithm was destroyed, or its Manager was")

    # ---- Looking

    def is_init(self) -> bool:
        """Whether it has code and objects, and was not destroyed."""
        return self._alive and self._wanted is not None

    def get_mem_objects(self) -> list[Any]:
        """Its tensors and images."""
        return list(self._mems)

    def get_tensors(self) -> list[Any]:
        """The name of get_mem_objects() in 0.7 to 0.9."""
        return list(self._mems)

    def get_spec_consts(self) -> list[float]:
        """The specialisation constants that were given, as numbers."""
        return list(self._spec)

    def get_push_consts(self) -> bytes:
        """The bytes of the push constants that a dispatch without values has now."""
        return self._push

    def get_workgroup(self) -> tuple[int, int, int]:
        """The number of workgroups on each axis."""
        return self._workgroup

    def set_workgroup(self, workgroup: Any) -> None:
        """Change the number of workgroups, from the next submission on."""
        self._check("Algorithm.set_workgroup")
        groups = workgroup_of(workgroup, "Algorithm.set_workgroup: workgroup")
        self._take_groups(groups)

    def _take_groups(self, groups: tuple[int, int, int]) -> None:
        sized = groups[0] != 0
        if sized or self._wanted is not None:
            groups = _groups_of(self._wanted, self._mems, groups, "Algorithm.set_workgroup")
        else:
            groups = self._workgroup
        self._check_groups(groups, "Algorithm.set_workgroup")
        invocations = None
        if self._wanted is not None:
            wanted, mems = self._wanted, self._mems
            invocations = _invocations_of(wanted, mems, groups, sized)
            _warn_of_short_buffers(wanted, mems, groups, invocations or _numbered(wanted, mems, groups, self._push))
        self._workgroup, self._invocations = groups, invocations
        self._changed()

    def set_push_constants(self, push_consts: Any) -> None:
        """Change the push constants of dispatches without values, from the next submission on."""
        self._check("Algorithm.set_push_constants")
        self._set(self._push_of(push_consts, "Algorithm.set_push_constants"))

    def _push_of(self, push_consts: Any, what: str) -> bytes:
        """The bytes of the push constants of a call, of as many as the algorithm has."""
        return self._bytes_of(constants.given_push(push_consts, what), what)

    def _bytes_of(self, given: Given, what: str) -> bytes:
        program = self._built(what).program
        if program.by_slots:
            block = kernel_values(program, given, what)
        else:
            block = constants.push_bytes(given, program.slots, what)
        self._check_size(block, what, given)
        return block

    def _check_size(self, block: bytes, what: str, given: Given | None = None) -> None:
        """RuntimeError unless a dispatch has as many bytes as the algorithm."""
        expected = len(self._set_push)
        if len(block) != expected:
            source = "the size of push_consts" if expected else "without push_consts"
            gaps = "" if given is None else constants.gap_remark(given, self._built(what).program.slots)
            raise invalid(
                f"{what}: push constant total memory size provided is {len(block)} but expected {expected} bytes, {source} "
                f"in algorithm() or rebuild(){gaps}"
            )

    def _built(self, what: str) -> Wanted:
        self._check(what)
        if self._wanted is None:
            raise wrong_state(
                f"{what}: the Algorithm has no code or no tensors, so it must be initialised by rebuild()"
            )
        return self._wanted

    # ---- Recording

    def _record(self, graph: Any, push: bytes, push_number: int | None, live: bool = False) -> int:
        """Record a dispatch into a graph of the library, and give the node's number. `push_number` tells when it took the
        algorithm's push constants; None: they are its own. Live ones become others, so no size is computed of them."""
        from .._native._load import ffi

        wanted = self._built("OpAlgoDispatch")
        program = wanted.program
        mems = self._mems[: program.binding_count]
        for mem in mems:
            mem._before_kernel(graph)
        if push_number is not None and push_number != self._push_number:
            push = self._set_push
        self._check_size(push, "OpAlgoDispatch")
        values = push.ljust(program.values_size, b"\0")
        c_values = ffi.from_buffer(values) if values else ffi.NULL
        # Kept until the call is over: another thread may destroy a tensor meanwhile, and the array of C keeps nothing.
        bound = [mem._binding(graph) for mem in mems]
        for number in program.sampled:
            bound[number]["sampler"] = mems[number]._sampler()
        c_bindings = ffi.new("vd_binding[]", bound)
        raw = _native.raw
        desc = raw.vd_launch_desc(
            bindings=c_bindings, binding_count=len(mems), values=c_values, values_size=len(values)
        )
        if wanted.own_size:
            pass
        elif self._invocations is not None:
            desc.invocations = self._invocations
        elif not live and (invocations := _numbered(wanted, mems, self._workgroup, values)) is not None:
            desc.invocations = invocations
        else:
            desc.workgroups = self._workgroup
        with _native.naming("OpAlgoDispatch"):
            node: int = raw.vd_graph_launch(graph, program.plan, desc)
        for mem in mems:
            mem._after_kernel(graph)
        return node

    def destroy(self) -> None:
        """Let go of code and objects: sequences that have it cannot run. Doing it again changes nothing."""
        self._alive = False
        self._mems, self._wanted = [], None
        self._changed()

    def __repr__(self) -> str:
        state = f"{len(self._mems)} objects, workgroup {self._workgroup}" if self._alive else "destroyed"
        return f"<kp.Algorithm: {state}>"


def _groups_of(wanted: Wanted | None, mems: list[Any], groups: tuple[int, int, int], what: str) -> tuple[int, int, int]:
    """The workgroups of a call, those that it does not give among them."""
    if groups[0] != 0:
        if wanted is not None and wanted.own_size:
            raise invalid(f"{what}: workgroup {bracketed(groups)} is given, and the plan knows its own size")
        return groups[0], groups[1] or 1, groups[2] or 1
    return groups if wanted is None else _default_groups(wanted, mems)


def _invocations_of(
    wanted: Wanted, mems: list[Any], groups: tuple[int, int, int], sized: bool
) -> tuple[int, int, int] | None:
    """The invocations of a launch, none past the size that a kernel has by its objects; None: all of its workgroups."""
    if not sized:
        return wanted.invocations
    if wanted.by_invocation:
        return groups
    return _least(wanted, groups, object_size(wanted, mems))


def _numbered(
    wanted: Wanted, mems: list[Any], groups: tuple[int, int, int], push: bytes
) -> tuple[int, int, int] | None:
    """The invocations of a launch with some push constants, none past the size that a kernel has by them."""
    return _least(wanted, groups, size_by_numbers(wanted, mems, push))


def _least(
    wanted: Wanted, groups: tuple[int, int, int], most: tuple[int, int, int] | None
) -> tuple[int, int, int] | None:
    if most is None:
        return None
    x, y, z = (min(n, count * k) for n, count, k in zip(most, groups, wanted.program.workgroup_size, strict=True))
    return x, y, z


def _warn_of_short_buffers(
    wanted: Wanted, mems: list[Any], groups: tuple[int, int, int], invocations: tuple[int, int, int] | None
) -> None:
    """Give the remarks of a traced kernel's direct call: as many workgroups as there are elements have more invocations."""
    if wanted.function is None:
        return
    program = wanted.program
    x = invocations[0] if invocations is not None else groups[0] * program.workgroup_size[0]
    sizes = [None if isinstance(mem, Image) else mem._bytes for mem in mems[: program.binding_count]]
    for remark in wanted.function._length_remarks(sizes, x):
        caution(remark)


def _default_groups(wanted: Wanted, mems: list[Any]) -> tuple[int, int, int]:
    """The workgroups of a call that gives none."""
    if wanted.own_size:
        return 0, 0, 0
    if wanted.invocations is None:
        return mems[0]._count, 1, 1  # size() is 0 where another thread destroys it now
    x, y, z = (-(-n // k) for n, k in zip(wanted.invocations, wanted.program.workgroup_size, strict=True))
    return x, y, z
