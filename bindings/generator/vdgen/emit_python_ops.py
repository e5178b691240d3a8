"""Python's functions of numbers and variables, for ops that take values and give one: between marks in their modules.

The module defines an op on Python's own numbers as `_name` (on complex numbers `_complex_name`); math and cmath
have most. An op without one takes variables alone.
"""

from __future__ import annotations

import re
from pathlib import Path

from . import ops
from .emit_ops import BEGIN as HEADER_BEGIN
from .model import HeaderError

FOLDER = "bindings/python/vkdispatch/codegen"
ENUMS = "bindings/python/vkdispatch/_native/_enums.py"
BEGIN = f"# {HEADER_BEGIN.strip(' /*' + chr(10))}\n"
END = "# end of ops\n"

#: The modules of functions. Functions of ops that are not listed are in `common`.
MODULES = {
    "exponential": ["sqrt", "rsqrt", "exp", "exp2", "log", "log2", "pow"],
    "trigonometry": [
        *("radians", "degrees", "sin", "cos", "tan", "asin", "acos", "atan", "atan2"),
        *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
    ],
    "bits": ["popcount", "clz", "ctz", "bitreverse"],
    "common": [],
}
#: Names that Python's kernel language has from GLSL.
SPELLED = {"rsqrt": "inversesqrt", "round_even": "round"}
#: Ops that Python writes as operators.
OPERATORS = {"rem", "floordiv", "floormod", "and", "or", "xor", "not", "lt", "le", "gt", "ge"}
#: Functions that do more than emit their op: a warning, names of parameters of their own, types that need no op.
WRITTEN_BY_HAND = {"mod", "clamp", "sign"}
#: The helpers that make functions, by the rule of their operands.
MADE_BY = {"Floats": "floating", "Transcendental": "floating", "Numbers": "keeping", "Integers": "of_bits"}
#: Functions of math and cmath that mean the same as the op, from Python 3.10 on.
MATH = {*MODULES["trigonometry"], "exp", "sqrt", "isinf", "isnan"}
CMATH = {"exp", "log", "sqrt"}


def emit(table: ops.Table, root: Path, enums: str) -> dict[str, str]:
    """The modules with their functions, the package that lists them, and the classes of ops beside the constants."""
    files, names = {}, {}
    for module in MODULES:
        path = f"{FOLDER}/functions/{module}.py"
        text = (root / path).read_text()
        members = [op for op in table.ops if is_plain(op) and module_of(op) == module]
        files[path] = between_marks(path, text, "".join(function(op, text) for op in members))
        names[module] = [SPELLED.get(op.name, op.name) for op in members]
    path = f"{FOLDER}/__init__.py"
    files[path] = with_imports((root / path).read_text(), names)
    return {**files, ENUMS: enums + classes(table)}


def is_plain(op: ops.Op) -> bool:
    """Whether an op is a function of values and nothing else."""
    if op.classes and not set(op.classes) <= {"float", "located"} or op.name in OPERATORS | WRITTEN_BY_HAND:
        return False
    if op.takes == "Integers" and len(op.operands) != 1 or op.immediate != "None":
        return False
    return op.takes in MADE_BY and op.gives in ("First", "Comparison")


def module_of(op: ops.Op) -> str:
    return next((module for module, names in MODULES.items() if op.name in names), "common")


def between_marks(path: str, text: str, body: str) -> str:
    begin, end = text.find(BEGIN), text.find(END)
    if begin < 0 or end < begin:
        raise HeaderError(path, 1, f"the marks '{BEGIN.strip()}' and '{END.strip()}' are missing")
    return f"{text[: begin + len(BEGIN)]}\n\n{body.strip()}\n\n\n{text[end:]}"


def function(op: ops.Op, module: str) -> str:
    name = SPELLED.get(op.name, op.name)
    params = [operand.name for operand in op.operands]
    complex_too = op.takes == "Transcendental"
    fold = fold_of(name, "", "math", MATH, module)
    call = f'{MADE_BY[op.takes]}("{name}", {op.number}, {fold}, {", ".join(params)})'
    result = "float"
    if op.gives == "Comparison":
        call, result = call.replace("floating(", "tested("), "bool"
    lines = []
    if complex_too:
        complex_fold = fold_of(name, "complex_", "cmath", CMATH, module)
        operands = [f"operand({param})" for param in params]
        lines = [
            f"{', '.join(params)} = {', '.join(operands)}",
            f"if has_complex(({', '.join(params)}{',' if len(params) == 1 else ''})):",
            f"    return complex_function({op.number}, {complex_fold}, {', '.join(params)})",
        ]
    body = "".join(f"    {line}\n" for line in [f'"""{op.summary}"""', *lines, f"return {call}  # {op.enumerator}"])
    if len(params) == 1 and result == "float":
        kind = "Complex" if complex_too else "Value"
        return f"def {name}({params[0]}: {kind}) -> {kind}:\n{body}\n\n"
    numbers = ", ".join(f"{param}: float" for param in params)
    values = ", ".join(f"{param}: Any" for param in params)
    return (
        f"@overload\ndef {name}({numbers}) -> {result}: ...\n"
        f"@overload\ndef {name}({values}) -> ShaderVariable: ...\n"
        f"def {name}({values}) -> Any:\n{body}\n\n"
    )


def fold_of(name: str, prefix: str, library: str, known: set[str], module: str) -> str:
    """The Python expression that computes the function on plain numbers."""
    own = f"_{prefix}{name}"
    if re.search(rf"^(def {own}\(|{own} = )", module, re.MULTILINE):
        return own
    return f"{library}.{name}" if name in known else "None"


def with_imports(text: str, names: dict[str, list[str]]) -> str:
    """The package with an import for each function."""
    for module, members in names.items():
        line = re.compile(rf"^from \.functions\.{module} import (\w+) as \1\n", re.MULTILINE)
        found = list(line.finditer(text))
        all_names = sorted({match[1] for match in found} | set(members))
        block = "".join(f"from .functions.{module} import {name} as {name}\n" for name in all_names)
        text = text[: found[0].start()] + block + text[found[-1].end() :]
    return text


def classes(table: ops.Table) -> str:
    lines = ["\n# Classes of vd_op, from src/ir/ops.inc\n"]
    for name in ("atomic", "loop", "barrier", "subgroup"):
        numbers = ", ".join(str(op.number) for op in table.of(name))
        lines.append(f"{name.upper()}_OPS = frozenset(({numbers}))\n")
    return "".join(lines)
