"""How large a launch is, and the function that is made for each kernel to launch it quickly."""

from __future__ import annotations

import contextlib
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
from ..base.host_values import shown
from ..base.remarks import caution
from ..compat import numpy_compat as npc
from .values import Member, ValuesLayout


class _Missing:
    def __repr__(self) -> str:
        return "<missing>"


MISSING = _Missing()


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
            raise TypeError(f"The kernel takes {len(names)} argument(s), but {len(args)} were given!")
        for name in kwargs:
            if name not in names:
                raise TypeError(
                    f"The kernel has no parameter '{name}'! A graph is given as graph=, a size as exec_size= or workgroups=."
                )
        values = []
        for i, (name, default) in enumerate(names_and_defaults):
            if i < len(args) and args[i] is not MISSING:
                if name in kwargs:
                    raise TypeError(f"Argument '{name}' is given twice!")
                values.append(args[i])
            elif name in kwargs and kwargs[name] is not MISSING:
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


def check_element_type(what: str, name: str, var_type: type[dt.dtype], given: type[dt.dtype], noted: set) -> bool:
    """Whether a buffer of dtype `given` is as good as one of an argument's.

    Vectors and complex numbers of the same scalars are, and the log says so, once for each of `noted`. Scalars of another size
    are a ValueError, and those of another kind a warning at each place, in strict mode a ValueError.
    """
    if given is var_type:
        return True
    if dt.same_bits(given, var_type):
        if (what, name, var_type, given) not in noted:
            noted.add((what, name, var_type, given))
            init.log_info(
                f"{what}: argument '{name}' wants {var_type.name}, the buffer has {given.name}; its bytes are taken as they are"
            )
        return True
    wanted, other = dt.scalar_of(var_type), dt.scalar_of(given)
    said = f"{what}: argument '{name}' wants {var_type.name}, and the buffer has {given.name}"
    cure = f"array.astype(np.{wanted.name}) before vd.asbuffer() converts, and Buff[{given.name}] takes it as it is"
    if wanted.item_size != other.item_size:
        raise ValueError(
            f"{said}: numbers of {8 * other.item_size} bits cannot be taken for numbers of {8 * wanted.item_size}. {cure}!"
        )
    caution(f"{said}: its bytes are taken as they are, which are other numbers. {cure}")
    return False


#: What an expression for a launch's size may use besides the parameters.
EXPRESSION_NAMES = {"__builtins__": {}, "len": len, "min": min, "max": max, "math": math}


def size_function(expression: str, names: Sequence[str], of: str = "") -> Callable[..., Any]:
    """The expression as a function of the parameters, compiled once."""
    usable = [name if name.isidentifier() and not keyword.iskeyword(name) else f"_{i}" for i, name in enumerate(names)]
    try:
        return eval(f"lambda {', '.join(usable)}: (\n{expression}\n)", dict(EXPRESSION_NAMES))
    except SyntaxError as error:
        raise ValueError(f"Cannot read the launch size {expression!r}{of}: {error}") from None


def as_counts(value: Any, what: str) -> tuple[int, int, int]:
    """A launch's size as three positive ints."""
    if isinstance(value, (tuple, list)):
        dims = value
    elif npc.is_integer_scalar(value):
        dims = (value,)
    else:
        raise WrongTypeError(f"{what} ({shown(value)}) must be an int or up to three of them!")
    if not 1 <= len(dims) <= 3:
        raise ValueError(f"{what} ({shown(value)}) must have one to three dimensions!")
    try:
        counts = [operator.index(n) for n in dims]
    except TypeError:
        raise WrongTypeError(f"{what} ({shown(value)}) must be made of ints!") from None
    for i, n in enumerate(counts):
        if n <= 0:
            raise ValueError(f"{what} ({n}) for dimension {i} must be greater than 0!")
    x, y, z = (*counts, 1, 1)[:3]
    return x, y, z


# Invocations on an axis are counted in 32 bits.
_MOST_THREADS = (1 << 32) - 1


class ExecutionBounds:
    """How many workgroups a call launches, and how many invocations of them do something."""

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

_SOURCE = """
def launch({parameters}):
    try:
        if workgroups is not None or __tracing.builder is not None:
            raise LookupError
        if exec_size is not None:
            if exec_size.__class__ is not int or not 0 < exec_size <= __most_threads:
                raise LookupError
            __x, __y, __z = exec_size, 1, 1
        else:
{sizes}
        __target = ((__graphs.custom_graph or __graphs.default_graph) if graph is None else graph)._record
        if __target is None:
            raise LookupError
{body}
    except Exception:
        return __slow(({names}), graph, exec_size, workgroups)
    if __now(__target, 0, __x, __y, __z, {values}{handles}):
        __wait(({names}), graph, exec_size)
"""


def quick_launcher(
    names_and_defaults: Sequence[tuple[str, Any]],
    buffers: Sequence[tuple[str, set, int]],
    value_expressions: Sequence[str],
    pack: Callable[..., bytes] | None,
    size: Any,
    groups: bool,
    local_size: tuple[int, int, int],
    max_count: Sequence[int],
    scope: dict[str, Any],
) -> Callable[..., None] | None:
    """A function with the kernel's own parameters that launches it; None where a name is in the way.

    A size given in the call as an int is quick too.

    Whatever is out of the ordinary (a missing argument, another type, another size) goes to the slower way, which checks
    everything and says what is wrong.
    """
    names = [name for name, _ in names_and_defaults]
    if len(set(names)) != len(names):
        return None
    if not all(name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("__") for name in names):
        return None
    # A warning skips the package's own frames by their module's name, to the program's line.
    scope = {**scope, "__name__": __name__}
    body: list[str] = []
    sizes = _size_lines(names, size, groups, local_size, max_count, scope)
    scope["__most_threads"] = min(max_count[0] * local_size[0], _MOST_THREADS)
    for i, (name, types, indexed_size) in enumerate(buffers):
        scope[f"__types{i}"] = types
        body.append(f"__h{i} = {name}._bind")
        body.append(f"if {name}.var_type not in __types{i}: raise LookupError")
        if indexed_size:
            body.append(f"if {name}.mem_size < __x * {indexed_size}: raise LookupError")
    values = "None"
    if value_expressions:
        if pack is None:
            return None
        scope["__pack"] = pack
        body.append(f"__values = __pack({', '.join(value_expressions)})")
        values = "__values"
    parameters = []
    for i, (name, default) in enumerate(names_and_defaults):
        scope[f"__default{i}"] = MISSING if default is None else default
        parameters.append(f"{name}=__default{i}")
    source = _SOURCE.format(
        parameters=", ".join([*parameters, "*", "graph=None", "exec_size=None", "workgroups=None"]),
        body="\n".join(" " * 8 + line for line in body) or "        pass",
        names="".join(f"{name}, " for name in names),
        sizes="\n".join(" " * 12 + line for line in sizes),
        values=values,
        handles="".join(f", __h{i}" for i in range(len(buffers))),
    )
    exec(compile(source, "<kernel launch>", "exec"), scope)  # noqa: S102 - made above, of identifiers
    return scope.pop("launch")  # its own globals: left in, it would keep itself and the plan alive


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
) -> Any:
    """What quick_launcher() makes as an object of the extension, whose calls run no Python code; None where it cannot be.

    `threads_state` are the graphs and the tracing of each thread. What is out of the ordinary goes to the quick launcher.
    """
    names = tuple(sys.intern(name) for name, _ in names_and_defaults)
    members = layout.members
    if Launch is None or len(set(names)) != len(names) or any(m.field is not None for m in members):
        return None
    own = layout.scalar_packer() is not None and all(_format_of(m) in LAUNCH_FORMATS for m in members)
    values = tuple((names.index(m.argument), _format_of(m) if own else "x", m.offset) for m in members)
    threads, function, holder = [0, 0, 0], None, None
    if isinstance(size, str):
        function = size_function(size, names)
    elif callable(size):
        function, holder = size, _holder_class(names)
    elif size is not None:
        with contextlib.suppress(LookupError, ValueError):  # wrong on every call; the slower way says so
            threads = _as_threads(size, groups, local_size, max_count)
    most = min(max_count[0] * local_size[0], _MOST_THREADS)
    factor, y, z = local_size if groups else (1, 1, 1)
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
            tuple(threads),
            most,
            function,
            holder,
            (factor, most // factor, y, z),
            *threads_state,
            immediate,
        )
    except ValueError:
        return None  # more arguments than it takes


def prepared_plan_launch(
    plan: int, owner: Any, types: Sequence[Any], threads_state: tuple[Any, Any], immediate: bool
) -> Any:
    """The same for a plan that knows its size and takes buffers of these dtypes by position, and nothing else."""
    if Launch is None:
        return None
    names = tuple(str(i) for i in range(len(types)))
    nothing = (None,) * len(types)
    accepted = tuple({var_type} for var_type in types)
    try:
        return Launch(
            plan, owner, names, nothing, tuple(types), accepted, tuple((i, 0) for i in range(len(types))), (), 0, None, (0, 0, 0), 0,
            None, None, (0, 0, 0, 0), *threads_state, immediate,
        )  # fmt: skip
    except ValueError:
        return None  # more arguments than it takes


def _format_of(member: Member) -> str:
    return member.var_type.host.struct_format if dt.is_scalar(member.var_type) else ""


def _size_lines(
    names: Sequence[str],
    size: Any,
    groups: bool,
    local: tuple[int, int, int],
    max_count: Sequence[int],
    scope: dict[str, Any],
) -> list[str]:
    """The lines that work out the invocations where the call does not say how many."""
    if size is None:
        return ["raise LookupError"]
    if not isinstance(size, str) and not callable(size):
        try:
            x, y, z = _as_threads(size, groups, local, max_count)
        except (LookupError, ValueError):  # wrong on every call; the slower way says so
            return ["raise LookupError"]
        return [f"__x, __y, __z = {x}, {y}, {z}"]
    if isinstance(size, str):
        scope["__size"] = size_function(size, names)
        first = f"__x = __size({', '.join(names)})"
    else:
        scope["__size"] = size
        scope["__holder"] = _holder_class(names)
        first = f"__x = __size(__holder({', '.join(names)}))"
    factor = local[0] if groups else 1
    scope["__most"] = min(max_count[0] * local[0], _MOST_THREADS) // (local[0] if groups else 1)
    scope["__as_threads"] = lambda value: _as_threads(value, groups, local, max_count)
    return [
        first,
        "if __x.__class__ is int and 0 < __x <= __most:",
        f"    __x, __y, __z = __x * {factor}, {local[1] if groups else 1}, {local[2] if groups else 1}",
        "else:",
        "    __x, __y, __z = __as_threads(__x)",
    ]


def _as_threads(value: Any, groups: bool, local: tuple[int, int, int], max_count: Sequence[int]) -> list[int]:
    counts = as_counts(value, "The launch size")
    threads = [counts[i] * local[i] if groups else counts[i] for i in range(3)]
    if any(-(-threads[i] // local[i]) > max_count[i] or threads[i] > _MOST_THREADS for i in range(3)):
        raise LookupError
    return threads


def _holder_class(names: Sequence[str]) -> type:
    """A small class whose attributes are the parameters."""
    parameters = ", ".join(names)
    lines = [f"def __init__(self, {parameters}):", *(f"    self.{name} = {name}" for name in names), "    pass"]
    scope: dict[str, Any] = {}
    exec("\n".join(lines), scope)  # noqa: S102 - made of identifiers
    return type("Arguments", (), {"__slots__": tuple(names), "__init__": scope["__init__"]})
