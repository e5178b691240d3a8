"""The names that a shader uses without importing them: types, mathematics, and Python's own functions that work on values of
the shader."""

from __future__ import annotations

import builtins
import functools
import math
import types
from collections.abc import Callable
from typing import Any

from ..base import dtype as dt
from ..codegen.functions import barriers, common, exponential, geometric, matrix, trigonometry
from ..codegen.functions.casts import to_dtype
from ..codegen.functions.control_flow import all as all_of
from ..codegen.variables.variables import ShaderVariable
from .pyshader_types import TYPES, Array, Struct

_FUNCTIONS: dict[Any, str] = {
    common: "sign floor ceil trunc round_even fract mod clamp mix step smoothstep isnan isinf fma",
    trigonometry: "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh radians degrees",
    exponential: "exp exp2 log log2 sqrt inversesqrt",
    geometric: "length distance dot cross normalize",
    matrix: "matrix_comp_mult outer_product transpose determinant inverse",
    barriers: "barrier",
}


def _is_kernels(args: tuple[Any, ...]) -> bool:
    return any(isinstance(x, ShaderVariable) for x in args)


def _either(python: Callable[..., Any], kernels: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is Python's for numbers of Python's."""

    @functools.wraps(python)
    def function(*args: Any) -> Any:
        return kernels(*args) if _is_kernels(args) else python(*args)

    return function


def _of_several(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda *args: functools.reduce(function, args)


def _read(texture: Any, coordinates: Any) -> Any:
    """texture.read(coordinates)."""
    return texture.read(coordinates)


def _write(texture: Any, coordinates: Any, value: Any) -> None:
    """texture.write(coordinates, value)."""
    texture.write(coordinates, value)


def _sample(texture: Any, sampler: Any, coordinates: Any) -> Any:
    """texture.sample(sampler, coordinates)."""
    return texture.sample(sampler, coordinates)


def _reflect(incident: Any, normal: Any) -> Any:
    """A direction, mirrored by a surface with a normal."""
    return incident - 2.0 * geometric.dot(normal, incident) * normal


def _face_forward(normal: Any, incident: Any, reference: Any) -> Any:
    """The normal, or its opposite, that faces against a direction."""
    return common.select(geometric.dot(reference, incident) < 0, normal, -normal)


_MATH: dict[str, Any] = {name: getattr(module, name) for module, names in _FUNCTIONS.items() for name in names.split()}
# Further names of the original. Its n... functions prefer numbers to NaN, which ours always do.
_MATH |= {
    "smooth_step": common.smoothstep,
    "matrix_inverse": matrix.inverse,
    "nclamp": common.clamp,
    "nmin": common.min,
    "nmax": common.max,
    "reflect": _reflect,
    "face_forward": _face_forward,
}
_PYTHON: dict[str, Any] = {
    "abs": _either(builtins.abs, common.abs),
    "min": _either(builtins.min, _of_several(common.min)),
    "max": _either(builtins.max, _of_several(common.max)),
    "pow": _either(builtins.pow, exponential.pow),
    "round": _either(builtins.round, common.round),
    "int": _either(builtins.int, lambda x: to_dtype(dt.int32, x)),
    "float": _either(builtins.float, lambda x: to_dtype(dt.float32, x)),
    "bool": _either(builtins.bool, all_of),
}
#: Mathematics by name: `stdlib.exp(x)`.
stdlib = types.SimpleNamespace(**_MATH, **_PYTHON, read=_read, write=_write, sample=_sample)

# Python's `math` in a shader, with the names that differ.
_MATH_MODULE = types.SimpleNamespace(
    **{name: getattr(math, name) for name in ("pi", "e", "tau", "inf", "nan")},
    **{name: value for name, value in _MATH.items() if hasattr(math, name)},
    pow=_PYTHON["pow"],
    fabs=_PYTHON["abs"],
)


# Packages whose functions a program imports under the names of a shader's, which stand for them.
_IMPORTED = ("math", "numpy", "pyshader", __name__.partition(".")[0])


def _is_kept(value: Any) -> bool:
    """Whether a module's global stays what it is in a shader: a number, or a function that the program wrote."""
    if isinstance(value, types.FunctionType):
        return str(value.__module__).partition(".")[0] not in _IMPORTED
    return not callable(value)


def names_for(scope: dict[str, Any]) -> dict[str, Any]:
    """The names that a shader sees besides its module's globals. A number or a function of the program keeps its name, and the
    module `math` becomes the shader's."""
    found: dict[str, Any] = {"stdlib": stdlib, "Array": Array, "Struct": Struct, **vars(stdlib), **TYPES}
    added = {name: value for name, value in found.items() if name not in scope or not _is_kept(scope[name])}
    return added | {name: _MATH_MODULE for name, value in scope.items() if value is math}
