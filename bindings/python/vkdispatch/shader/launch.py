"""The size of a launch, and the function that is made for each kernel to launch it quickly."""

from __future__ import annotations

import contextlib
import functools
import keyword
import math
import operator
import sys
from collections.abc import Callable, Sequence
from typing import Any

from .._native._launcher import LAUNCH_FORMATS, Launch
from ..base import dtype as dt
from ..base import init
from ..base.errors import WrongTypeError
from ..base.remarks import caution
from ..base.values import Member, ValuesLayout
from ..base.words import bracketed
from ..compat import numpy_compat as npc


class LaunchParametersHolder:
    """The arguments of a call by name, also as attributes."""

    def __init__(
        self,
        names_and_defaults: Sequence[tuple[str, Any]],
        args: Sequence[Any],
        kwargs: dict[str, Any],
        kernel: str | None = None,
    ):
        names = [name for name, _ in names_and_defaults]
        if len(args) > len(names):
            raise TypeError(
                f"The kernel takes {len(names)} argument(s), but {len(args)} were given! They are ({', '.join(names)})."
            )
        for name in kwargs:
            if name not in names:
                raise TypeError(
                    f"The kernel has no parameter '{name}'! It takes ({', '.join(names)}); a graph is given as graph=, a size "
                    "as exec_size= or workgroups=."
                )
        values = []
        for i, (name, default) in enumerate(names_and_defaults):
            if i < len(args):
                if name in kwargs:
                    raise TypeError(f"Argument '{name}' is given twice!")
                values.append(args[i])
            elif name in kwargs:
                values.append(kwargs[name])
            elif default is not None:
                values.append(default)
            else:
                of = f" Kernel '{kernel}' takes ({', '.join(names)})." if kernel is not None else ""
                raise ValueError(f"Missing argument '{name}'!{of}")
        self.ref_dict: dict[str, Any] = dict(zip(names, values, strict=True))

    def get_names(self) -> list[str]:
        """The parameters' names, in order."""
        return list(self.ref_dict)

    def get_values(self) -> list[Any]:
        """The arguments, in order."""
        return list(self.ref_dict.values())

    def __getattr__(self, name: str) -> Any:
        if name != "ref_dict" and name in self.ref_dict:
            return self.ref_dict[name]
        raise AttributeError(f"The kernel has no parameter '{name}'!")


def element_type_remark(
    what: str, name: str, var_type: type[dt.dtype], given: type[dt.dtype], noted: set, taking: str = "Buff[{}]"
) -> str | None:
    """The remark about a buffer of dtype `given` for an argument of another dtype; None if the types agree.

    Vectors and complex numbers of the same scalars agree, which is logged once for each of `noted`. Scalars of another
    size are a ValueError. `taking` is how a program says that it takes a dtype.
    """
    if given is var_type:
        return None
    if dt.same_bits(given, var_type):
        if (what, name, var_type, given) not in noted:
            noted.add((what, name, var_type, given))
            # Not log_info(), which would choose the process's backend.
            text = f"{what}: argument '{name}' wants {var_type.name}, the buffer has {given.name}; its bytes are taken as they are"
            init.write(text, end="\n", level=init.LogLevel.INFO, stack_offset=0)
        return None
    wanted, other = dt.scalar_of(var_type), dt.scalar_of(given)
    said = f"{what}: argument '{name}' wants {var_type.name}, and the buffer has {given.name}"
    of_numpy = var_type if var_type is dt.complex64 or var_type is dt.complex128 else wanted
    cure = f"array.astype(np.{of_numpy.name}) before vd.asbuffer() converts, and {taking.format(given.name)} takes it as it is"
    if wanted.item_size != other.item_size:
        raise ValueError(
            f"{said}: numbers of {8 * other.item_size} bits cannot be taken for numbers of {8 * wanted.item_size}. {cure}!"
        )
    return f"{said}: its bytes are taken as they are, which are other numbers. {cure}"


def check_element_type(
    what: str, name: str, var_type: type[dt.dtype], given: type[dt.dtype], noted: set, taking: str
) -> None:
    """Say what element_type_remark() has to say: a warning at each place, in strict mode a ValueError."""
    said = element_type_remark(what, name, var_type, given, noted, taking)
    if said is not None:
        caution(said)


#: Names that an expression for a launch's size may use besides the parameters.
EXPRESSION_NAMES = {"__builtins__": {}, "len": len, "min": min, "max": max, "math": math}


@functools.lru_cache(1024)
def _evaluated(function: str) -> Callable[..., Any]:
    return eval(function, dict(EXPRESSION_NAMES))


def size_function(expression: str, names: Sequence[str], of: str = "") -> Callable[..., Any]:
    """The expression as a function of the parameters, compiled once."""
    usable = [name if name.isidentifier() and not keyword.iskeyword(name) else f"_{i}" for i, name in enumerate(names)]
    try:
        return _evaluated(f"lambda {', '.join(usable)}: (\n{expression}\n)")
    except SyntaxError as error:
        raise ValueError(f"Cannot read the launch size {expression!r}{of}: {error}") from None


def as_counts(value: Any, what: str) -> tuple[int, int, int]:
    """A launch's size as three positive ints."""
    if isinstance(value, (tuple, list)):
        dims = value
    elif npc.is_integer_scalar(value):
        dims = (value,)
    else:
        raise WrongTypeError(f"{what} {bracketed(value)} must be an int or up to three of them!")
    if not 1 <= len(dims) <= 3:
        raise ValueError(f"{what} {bracketed(value)} must have one to three dimensions!")
    try:
        counts = [operator.index(n) for n in dims]
    except TypeError:
        raise WrongTypeError(f"{what} {bracketed(value)} must be made of ints!") from None
    for i, n in enumerate(counts):
        if n <= 0:
            raise ValueError(f"{what} ({n}) for dimension {i} must be greater than 0!")
    x, y, z = (*counts, 1, 1)[:3]
    return x, y, z


# Invocations on an axis are counted in 32 bits.
_MOST_THREADS = (1 << 32) - 1


class ExecutionBounds:
    """The number of workgroups that a call launches, and the number of their invocations that are in range."""

    def __init__(
        self,
        names_and_defaults: Sequence[tuple[str, Any]],
        local_size: tuple[int, int, int],
        workgroups: Any,
        exec_size: Any,
        max_count: Sequence[int] | None = None,
        kernel: str | None = None,
        where: str = "",
    ):
        self.names_and_defaults = list(names_and_defaults)
        self.local_size = local_size
        self.workgroups = workgroups
        self.exec_size = exec_size
        self.max_count = tuple(max_count) if max_count is not None else None
        self.kernel = kernel
        self.where = where  # in the program, as the end of a message
        self._of = f" of kernel '{kernel}'" if kernel is not None else ""

    def process_input(self, value: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[int, int, int]:
        """A size as three ints: a number, a tuple, an expression over the arguments, or a function of them."""
        if isinstance(value, str) or callable(value):
            holder = LaunchParametersHolder(self.names_and_defaults, args, kwargs, self.kernel)
            if isinstance(value, str):
                expression = value
                size = size_function(expression, holder.get_names(), self._of)
                try:
                    value = size(*holder.get_values())
                except Exception as error:  # noqa: BLE001 - whatever the expression does
                    names = ", ".join(holder.get_names())
                    raise ValueError(
                        f"Cannot evaluate the launch size {expression!r}{self._of}: {error} (its arguments are: {names})"
                    ) from None
            else:
                value = value(holder)
        return as_counts(value, f"The launch size{self._of}")

    def get_blocks_and_limits(
        self, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
        """Workgroups, and invocations, of a call. `exec_size=` and `workgroups=` in it win over the kernel's own."""
        kwargs = dict(kwargs)
        exec_size, workgroups = kwargs.pop("exec_size", None), kwargs.pop("workgroups", None)
        if exec_size is not None and workgroups is not None:
            raise ValueError("Cannot specify both 'workgroups' and 'exec_size'")
        if exec_size is None and workgroups is None:
            exec_size, workgroups = self.exec_size, self.workgroups
        local = self.local_size
        if exec_size is not None:
            limits = self.process_input(exec_size, args, kwargs)
            x, y, z = (-(-limits[i] // local[i]) for i in range(3))
            blocks = (x, y, z)
        elif workgroups is not None:
            blocks = self.process_input(workgroups, args, kwargs)
            limits = (blocks[0] * local[0], blocks[1] * local[1], blocks[2] * local[2])
        else:
            raise ValueError(
                f"Workgroup count{self._of} for dimension 0 must be greater than 0! (exec_size or workgroups is needed, in @vd.shader"
                f"(...) or in the call{self.where})"
            )
        for i in range(3):
            if self.max_count is not None and blocks[i] > self.max_count[i]:
                raise ValueError(
                    f"Workgroup count{self._of} ({blocks[i]}) for dimension {i} is above the device's limit ({self.max_count[i]})!"
                )
            if limits[i] > _MOST_THREADS:
                raise ValueError(
                    f"The launch size{self._of} ({limits[i]} invocations) for dimension {i} is above the limit ({_MOST_THREADS})!"
                )
        return blocks, limits


# ---- The quick way ---------------------------------------------------------------------------------------------------


def prepared_launch(
    plan: int,
    owner: Any,
    names_and_defaults: Sequence[tuple[str, Any]],
    buffers: Sequence[tuple[str, Any, set, int]],
    layout: ValuesLayout,
    size: Any,
    groups: bool,
    local_size: tuple[int, int, int],
    max_count: Sequence[int],
    threads_state: tuple[Any, Any],
    immediate: bool,
    context: int,
    remark: Callable[[int, Any, int], None],
) -> Any:
    """A kernel's launch as an object of the extension, whose calls run no Python code; None where it cannot be.

    `buffers` have name, dtype, the dtypes that are as good, and the bytes that each invocation needs where its number is the index.
    `threads_state` are the graphs and the tracing of each thread, `context` is the serial number of the context. `remark(number, buffer, invocations)` says what there is to say
    of a buffer of another dtype, or shorter than the launch. What is out of the ordinary goes to the kernel's _call(), which checks
    everything and says what is wrong.
    """
    names = tuple(sys.intern(name) for name, _ in names_and_defaults)
    members = layout.members
    if Launch is None or len(set(names)) != len(names):
        return None
    own = layout.scalar_packer() is not None and all(_format_of(m) in LAUNCH_FORMATS for m in members)
    values = tuple((names.index(m.argument), _format_of(m) if own else "x", m.offset) for m in members)
    fields = tuple(None if m.field is None else sys.intern(m.field) for m in members)
    most_groups = tuple(min(n, _MOST_THREADS // k) for n, k in zip(max_count, local_size, strict=True))
    most_threads = tuple(min(n * k, _MOST_THREADS) for n, k in zip(max_count, local_size, strict=True))
    threads, function, holder = (0, 0, 0), None, None
    if isinstance(size, str):
        try:
            function = size_function(size, names)
        except ValueError:
            return None  # an expression that cannot be read; the slower way says so
    elif callable(size):
        if not all(name.isidentifier() and not keyword.iskeyword(name) for name in names):
            return None
        function, holder = size, _holder_class(names)
    elif size is not None:
        with contextlib.suppress(ValueError):  # wrong on every call; the slower way says so
            counts = as_counts(size, "The launch size")
            if all(n <= most for n, most in zip(counts, most_groups if groups else most_threads, strict=True)):
                x, y, z = (n * k if groups else n for n, k in zip(counts, local_size, strict=True))
                threads = (x, y, z)
    try:
        return Launch(
            plan,
            owner,
            names,
            tuple(default for _, default in names_and_defaults),
            tuple(var_type for _, var_type, _, _ in buffers),
            tuple(types for _, _, types, _ in buffers),
            tuple((names.index(name), size) for name, _, _, size in buffers),
            values,
            layout.size,
            None if own or not members else lambda *given: layout.pack(given),
            function,
            holder,
            *threads_state,
            fields,
            remark,
            threads,
            tuple(local_size),
            most_groups,
            most_threads,
            groups,
            immediate,
            context,
        )
    except ValueError:
        return None  # more arguments than it takes


def prepared_plan_launch(
    plan: int, owner: Any, types: Sequence[Any], threads_state: tuple[Any, Any], immediate: bool, context: int
) -> Any:
    """The same for a plan that knows its size and takes buffers of these dtypes by position, and nothing else."""
    if Launch is None:
        return None
    names = tuple(str(i) for i in range(len(types)))
    nothing, none = (None,) * len(types), (0, 0, 0)
    accepted = tuple({var_type} for var_type in types)
    try:
        return Launch(
            plan, owner, names, nothing, tuple(types), accepted, tuple((i, 0) for i in range(len(types))), (), 0, None, None, None,
            *threads_state, (), None, none, none, none, none, False, immediate, context,
        )  # fmt: skip
    except ValueError:
        return None  # more arguments than it takes


def _format_of(member: Member) -> str:
    return member.var_type.host.struct_format if dt.is_scalar(member.var_type) else ""


def _holder_class(names: Sequence[str]) -> type:
    """A small class whose attributes are the parameters."""
    parameters = ", ".join(names)
    lines = [f"def __init__(self, {parameters}):", *(f"    self.{name} = {name}" for name in names), "    pass"]
    scope: dict[str, Any] = {}
    exec("\n".join(lines), scope)  # noqa: S102 - made of identifiers
    return type("Arguments", (), {"__slots__": tuple(names), "__init__": scope["__init__"]})
