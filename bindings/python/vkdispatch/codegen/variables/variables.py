"""ShaderVariable: a value of the kernel being traced, with the operators of Python.

It is a thin object around one value of the core. A variable that is not a register is a formula: each statement that
uses it evaluates it again, with the memory as it is then; `to_register()` keeps its present value.

Operators are those of Python, with the types of vkdispatch.base.dtype; components are `.x`, `.y`, `.z`, `.w`, or
several by `swizzle("xy")`; a complex number has `.real` and `.imag`. An operator or component that a type lacks is an
AttributeError or TypeError at the user's line.

Example:
    @vd.shader("out.size")
    def turned(out: Buff[v2], x: Buff[v2]):
        i = vc.global_invocation_id().x
        value = x[i].to_register("value")
        value.x += 1
        out[i] = value.swizzle("yx") * 2

    given, pairs = vd.Buffer(1, vd.vec2), vd.Buffer(1, vd.vec2)
    given.write(np.array([[1, 2]], np.float32))
    turned(pairs, given)
    assert pairs.read(0).tolist() == [[4, 4]]
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from ..._native import enums as e
from ...base import dtype as dt
from ...base.errors import WrongTypeError
from .._numbers import as_index
from .._types import BOOL, SHARED, STORAGE, TYPE_OF, element_of, space_of
from .arithmetic import Arithmetic, no_value, number_value, same_trace
from .casting import cast
from .operands import full_slice, index_value, storable_number

if TYPE_CHECKING:
    from ..hazards import Read
    from ..trace import Trace

Dtype = type[dt.dtype]

_COMPONENTS = {"x": 0, "y": 1, "z": 2, "w": 3}


_FUNCTIONS = "vc.to_float and vc.to_int convert, vc.sin and its like compute, vc.for_block counts"
_TABLES = (
    "vc.for_block counts, and a table that the kernel indexes is a buffer, Buff[f32] of vd.asbuffer(table), or where it is short a "
    "shared_buffer, or vc.select() of its numbers"
)


class ComponentError(AttributeError, ValueError):
    """A component that the variable's type does not have."""


class ShaderVariable(Arithmetic["ShaderVariable"]):
    """A value of the kernel being traced. Made by arguments, registers, operators and the functions of this package."""

    __slots__ = (
        "__weakref__",
        "_builder",
        "_name",
        "_origin",
        "_reads",
        "_type",
        "_value",
        "is_conjugate",
        "register",
        "settable",
        "var_type",
    )

    _is_variable = True

    #: Whether it is a register, or a named component of one.
    register: bool

    def __init__(
        self,
        builder: Trace,
        var_type: Dtype,
        value: int,
        settable: bool = False,
        register: bool = False,
        type_number: int | None = None,
        reads: tuple[Read, ...] = (),
        origin: tuple | None = None,
        name: str | None = None,
        is_conjugate: bool = False,
    ):
        self._reads = reads
        self._builder = builder
        self.var_type = var_type
        self._value = value
        self._type = TYPE_OF[var_type] if type_number is None else type_number
        self.settable = settable
        self.register = register
        self._name = name
        self._origin = origin  # (variable, key) of which this is the element
        self.is_conjugate = is_conjugate

    # ---- What it is

    @property
    def name(self) -> str:
        """The user's name of it, or else its formula."""
        return self._name or self.resolve()

    @property
    def raw_name(self) -> str:
        """The same as name."""
        return self.name

    @property
    def can_index(self) -> bool:
        """Whether `variable[i]` means something."""
        return self.var_type.child_type is not None

    @property
    def use_child_type(self) -> bool:
        """Whether indexing gives the child type; false for buffers, whose elements have the whole type."""
        return True

    @property
    def lexical_unit(self) -> bool:
        """Whether its text needs no parentheses."""
        return self._name is not None

    @property
    def parents(self) -> list[ShaderVariable]:
        """The variable of which it is an element, if it is one."""
        return [self._origin[0]] if self._origin else []

    @property
    def is_complex(self) -> bool:
        """Whether its dtype is complex."""
        return dt.is_complex(self.var_type)

    def is_setable(self) -> bool:
        """Whether it can be assigned to."""
        return self.settable

    def is_register(self) -> bool:
        """Whether it is a register."""
        return self.register

    def resolve(self) -> str:
        """Its formula as text for people."""
        return self._builder.describe(self._value)

    def read_callback(self) -> None:
        """Does nothing: the core finds out by itself what a kernel reads."""

    def write_callback(self) -> None:
        """Does nothing: the core finds out by itself what a kernel writes."""

    def printf_args(self) -> str:
        """Its components as the text of arguments to a print."""
        return ", ".join(part.resolve() for part in scalars_of(self))

    def __repr__(self) -> str:
        kind = type(self).__name__
        try:
            return f"<{kind} {self.var_type.name} {self.name}>"
        except Exception:  # noqa: BLE001 (a repr never fails, also when the core is gone)
            return f"<{kind} {self.var_type.name}>"

    def __bool__(self) -> bool:
        raise ValueError(
            "Vkdispatch variables cannot be cast to a python boolean: their value is not known while tracing. "
            "Use vc.if_block, vc.while_block, vc.select, vc.any and vc.all, and vc.min and vc.max instead of Python's! "
            f"({self._builder._place()})"
        )

    def _no_number(self, wanted: str, cure: str = _FUNCTIONS) -> NoReturn:
        raise TypeError(
            f"A variable of type '{self.var_type.name}' has no value while tracing, and {wanted} needs one: {cure} "
            f"({self._builder._place()})"
        )

    def __float__(self) -> NoReturn:
        self._no_number("float() or a function of Python's math")

    def __round__(self, digits: Any = None) -> NoReturn:
        self._no_number("round(), which vc.round() is in a kernel,")

    def __int__(self) -> NoReturn:
        self._no_number("int()")

    def __index__(self) -> NoReturn:  # noqa: PLE0305 (it raises)
        self._no_number("range(), or an index of a list, tuple or array in the program,", _TABLES)

    if not TYPE_CHECKING:  # where a type checker must see that a name is not there

        def __getattr__(self, name: str) -> NoReturn:
            if name.startswith("_"):
                raise AttributeError(name)
            hint = ""
            if name and set(name) <= set("xyzwrgbastpq"):
                hint = ' (components are x, y, z and w; v.swizzle("xy") gives several)'
            raise AttributeError(
                f"A variable of type '{self.var_type.name}' has no attribute '{name}'{hint}", name=name
            )

    def __iter__(self) -> Iterator[ShaderVariable]:
        if not self.can_index:
            raise TypeError(f"A variable of type '{self.var_type.name}' cannot be iterated over!")
        return iter([self[i] for i in range(self.var_type.child_count)])

    # ---- Making others

    def _expression(self, var_type: Dtype, value: int, type_number: int | None = None) -> ShaderVariable:
        return ShaderVariable(self._builder, var_type, value, False, False, type_number, self._reads)

    def _same(self) -> ShaderVariable:
        """This value as an expression that cannot be assigned to."""
        return self._expression(self.var_type, self._value, self._type)

    def _counted(self) -> ShaderVariable:
        """This value, where it is a bool_ as a comparison: an int32 of 1 or 0."""
        return self if self.var_type is not dt.bool_ else self._expression(dt.int32, self._value, BOOL)

    def to_register(self, var_name: str | None = None) -> ShaderVariable:
        """A new register that holds the present value."""
        b = self._builder
        at = b.location()
        if self._reads:
            b.hazards.note_use(b, self._reads)
        value = self._value if self.var_type is dt.bool_ else number_value(self, at)
        return b.new_register(self.var_type, value, var_name)

    def to_dtype(self, var_type: Dtype) -> ShaderVariable:
        """This value converted to another type."""
        if not dt.is_dtype(var_type):
            var_type = dt.as_dtype(var_type, "to_dtype: the type")
        value, reads = cast(self._builder, var_type, (self,))
        return ShaderVariable(self._builder, var_type, value, reads=reads)

    def copy(self, var_name: str | None = None) -> ShaderVariable:
        """The same as to_register()."""
        return self.to_register(var_name)

    def cast_to(self, var_type: Dtype) -> ShaderVariable:
        """The same as to_dtype()."""
        return self.to_dtype(var_type)

    def conjugate(self) -> ShaderVariable:
        """The complex conjugate."""
        if not self.is_complex:
            raise ValueError(f"Only complex variables have a conjugate, not '{self.var_type.name}'!")
        result = self._unary(e.VD_OP_CONJ)
        result.is_conjugate = not self.is_conjugate
        return result

    # ---- Components and elements

    def _component(self, name: str, index: int) -> ShaderVariable:
        b = self._builder
        value = b.emit(e.VD_OP_INDEX, 0, 0, b.location(), self._value, b.literal(index, dt.uint32))
        if index == 0 and self._value == b.hazards.number_vector:
            b.hazards.numbers.add(value)
        child = self.var_type.child_type
        return ShaderVariable(
            b, child, value, self.settable, self.register, None, self._part_reads(index), (self, name)
        )

    def _part_reads(self, index: Any) -> tuple[Read, ...]:
        """The reads of a component: of an element or a register a place of its own."""
        if not self.settable or not self._reads:
            return self._reads
        buffer, element, parts, *when = self._reads[0]
        part = index if type(index) is int else getattr(index, "_value", str(index))
        return ((buffer, element, (*parts, part), *when),)

    def _vector_part(self, name: str) -> ShaderVariable:
        t = self.var_type
        if not dt.is_vector(t) or _COMPONENTS[name] >= t.child_count:
            raise ComponentError(self._lacks(name))
        return self._component(name, _COMPONENTS[name])

    def _complex_part(self, name: str) -> ShaderVariable:
        if not dt.is_complex(self.var_type):
            raise ComponentError(self._lacks(name))
        return self._component(name, int(name == "imag"))

    def _lacks(self, name: str) -> str:
        t, hint = self.var_type, ""
        if dt.is_complex(t):
            hint = " Use 'real' and 'imag' to access complex components."
        elif dt.is_vector(t):
            hint = f" Its components are {', '.join('xyzw'[: t.child_count])}."
        return f"A variable of type '{t.name}' has no component '{name}'!{hint} ({self._builder._place()})"

    def _set_component(self, name: str, value: Any) -> None:
        if type(value) is ShaderVariable and value._origin is not None:
            parent, key = value._origin
            if parent is self and key == name:
                return  # the end of `v.x += 1`, which has stored already
        (self._vector_part if name in _COMPONENTS else self._complex_part)(name)._store(value)

    @property
    def x(self) -> ShaderVariable:
        """First component of a vector."""
        return self._vector_part("x")

    @x.setter
    def x(self, value: Any) -> None:
        self._set_component("x", value)

    @property
    def y(self) -> ShaderVariable:
        """Second component of a vector."""
        return self._vector_part("y")

    @y.setter
    def y(self, value: Any) -> None:
        self._set_component("y", value)

    @property
    def z(self) -> ShaderVariable:
        """Third component of a vector."""
        return self._vector_part("z")

    @z.setter
    def z(self, value: Any) -> None:
        self._set_component("z", value)

    @property
    def w(self) -> ShaderVariable:
        """Fourth component of a vector."""
        return self._vector_part("w")

    @w.setter
    def w(self, value: Any) -> None:
        self._set_component("w", value)

    @property
    def real(self) -> ShaderVariable:
        """Real part of a complex number."""
        return self._complex_part("real")

    @real.setter
    def real(self, value: Any) -> None:
        self._set_component("real", value)

    @property
    def imag(self) -> ShaderVariable:
        """Imaginary part of a complex number."""
        return self._complex_part("imag")

    @imag.setter
    def imag(self, value: Any) -> None:
        self._set_component("imag", value)

    def swizzle(self, components: str) -> ShaderVariable:
        """One to four components by letter ("xyzw", repeats allowed), as a scalar or a vector."""
        t = self.var_type
        if not isinstance(components, str) or not 1 <= len(components) <= 4:
            raise ValueError(f"A swizzle takes one to four letters, not {components!r}!")
        if not self._type:
            raise ValueError(f"'{self.name}' is a buffer or image, which cannot be swizzled!")
        if dt.is_matrix(t):
            raise ValueError(f"A variable of type '{t.name}' cannot be swizzled!")
        available = max(t.child_count, 1)
        for letter in components:
            if _COMPONENTS.get(letter, 4) >= available:
                raise ValueError(f"A variable of type '{t.name}' has no component '{letter}'!")
        count = len(components)
        if count == 1:
            return self if t.child_type is None else self[_COMPONENTS[components]]
        b, at = self._builder, self._builder.location()
        value = number_value(self, at)
        result = dt.to_vector(element_of(t), count)
        if dt.is_complex(t):
            parts = [b.emit(e.VD_OP_INDEX, 0, 0, at, value, b.literal(_COMPONENTS[c], dt.uint32)) for c in components]
            return self._expression(result, b.emit(e.VD_OP_CONSTRUCT, TYPE_OF[result], 0, at, *parts))
        order = sum(_COMPONENTS[letter] << 2 * i for i, letter in enumerate(components))
        return self._expression(result, b.emit(e.VD_OP_SWIZZLE, TYPE_OF[result], order | count << 8, at, value))

    def __getitem__(self, index: Any) -> ShaderVariable:
        if isinstance(index, slice):
            full_slice(index)
            return self
        t = self.var_type
        if t.child_type is None:
            raise ValueError(f"A variable of type '{t.name}' cannot be indexed into!")
        b = self._builder
        at = b.location()
        value = b.emit(e.VD_OP_INDEX, 0, 0, at, self._value, self._index(index, at))
        return ShaderVariable(
            b, t.child_type, value, self.settable, False, None, self._part_reads(index), (self, index)
        )

    def _index(self, index: Any, at: int) -> int:
        """The value of a component's index; ValueError for an invalid one, IndexError past the end."""
        try:
            value = index_value(self._builder, index, at)
        except TypeError as error:
            raise WrongTypeError(str(error)) from None
        number = as_index(index[0] if isinstance(index, tuple) else index)
        if number is not None and not 0 <= number < self.var_type.child_count:
            raise IndexError(
                f"Index ({number}) is past the end of type '{self.var_type.name}' ({self.var_type.child_count})!"
            )
        return value

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            full_slice(index)
            if value is not self:
                self._store(value)
            return
        if isinstance(value, ShaderVariable) and value._origin is not None:
            parent, key = value._origin
            if parent is self and key is index:
                return  # the end of `buffer[i] += 1`, which has stored already
        self[index]._store(value)

    def set_value(self, value: Any) -> None:
        """Store `value`: the same as `variable[:] = value`."""
        self._store(value)

    def _store(self, value: Any) -> None:
        if not self.settable:
            raise ValueError(
                f"Cannot set value of '{self.name}': it is an expression or a constant! to_register() makes a register of it."
            )
        if self.var_type is dt.bool_:
            return self._store_truth(value)
        b = self._builder
        if isinstance(value, ShaderVariable):
            if not value._type:
                raise ValueError(f"Cannot set variable of type '{self.var_type.name}': {no_value(value)}")
            if value.var_type is not self.var_type:
                raise ValueError(
                    f"Cannot set variable of type '{self.var_type.name}' to value of type '{value.var_type.name}'!"
                    f"{self._cast_hint(value.var_type)}"
                )
            same_trace(self, value)
            at = b.location()
            stored = number_value(value, at) if value._type == BOOL else value._value
            b.hazards.note_store(self, at, value._reads)
        else:
            stored = b.literal(storable_number(value, self.var_type), self.var_type)
            at = b.location()
            b.hazards.note_store(self, at)
        b.emit(e.VD_OP_STORE, 0, 0, at, self._value, stored)

    def _store_truth(self, value: Any) -> None:
        b = self._builder
        at = b.location()
        if isinstance(value, ShaderVariable):
            if value._type != BOOL:
                raise ValueError(
                    f"Cannot set variable of type 'bool_' to value of type '{value.var_type.name}'! "
                    "It takes comparisons: write value != 0, or vc.to_bool(value)."
                )
            same_trace(self, value)
            b.hazards.note_store(self, at, value._reads)
            stored = value._value
        else:
            stored = b.truth(bool(storable_number(value, dt.bool_)))
            b.hazards.note_store(self, at)
        self._put_truth(stored, at)

    def _put_truth(self, stored: int, at: int) -> None:
        self._builder.emit(e.VD_OP_STORE, 0, 0, at, self._value, stored)

    def _cast_hint(self, given: Dtype) -> str:
        mine = self.var_type
        if dt.is_complex(mine) and dt.is_scalar(given):
            parts = " its .real = value and its .imag = 0, or" if given is mine.child_type else ""
            return f" A real value is no complex number: write{parts} vc.to_{mine.name}(value, 0)."
        same_kind = dt.is_complex(mine) == dt.is_complex(given) and dt.is_matrix(mine) == dt.is_matrix(given)
        if not same_kind or mine.child_count != given.child_count:
            return ""
        return f" Nothing is converted unasked: write value.to_dtype(vd.{mine.name})."


class ScaledAndOfftsetIntVariable(ShaderVariable):
    """An integer times a constant plus a constant. Kept for its name: the core folds such formulas of plain variables."""

    __slots__ = ()


# ---- Helpers of this package's functions -----------------------------------------------------------------------------


def scalars_of(variable: ShaderVariable) -> list[ShaderVariable]:
    """The components of a vector or complex number, of a matrix row by row; a scalar itself."""
    t = variable.var_type
    if dt.is_matrix(t):
        return [variable[c][r] for r in range(t.child_count) for c in range(t.child_count)]
    return [variable[i] for i in range(t.child_count)] if t.child_type is not None else [variable]


def is_memory(variable: ShaderVariable) -> bool:
    """Whether it is an element of a buffer or shared array."""
    return space_of(variable._value) in (SHARED, STORAGE)


__all__ = [
    "ComponentError",
    "ScaledAndOfftsetIntVariable",
    "ShaderVariable",
    "full_slice",
    "index_value",
    "is_memory",
    "scalars_of",
    "storable_number",
]
