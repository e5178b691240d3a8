"""tests/api/generated_test.cpp: every entry refuses NULL, unknown types, enumerators and flags, and wrong descriptor sizes.

Each test varies one argument and leaves the others valid as far as samples.h has valid ones; the message must then name the
argument.
"""

from __future__ import annotations

from . import check, model
from .text import NOTE

PATH = "tests/api/generated_test.cpp"
BAD_ENUM = 0x7FFFFFF0


def emit(header: model.Header) -> dict[str, str]:
    handles = {h.name for h in header.handles}
    out = [
        f"// {NOTE}",
        "// One wrong argument at a time: NULL where it is not allowed, a type, an enumerator or a flag that does not exist, a",
        "// descriptor of an impossible size.",
        '#include "api/samples.h"',
        "",
        "#include <gtest/gtest.h>",
        "",
        "#include <vkdispatch.h>",
        "",
        "namespace {",
        "",
        "using vdtest::refused;",
        "using vdtest::sample;",
    ]
    for function in header.functions:
        for param in function.params:
            if refuses_null(function, param):
                out += case(header, function, param, "null", "nullptr")
        for param in function.params:
            if not param.type.ptr and check.header_enum(header, param.type.name) and is_status(function):
                bad = f"static_cast<{param.type.name}>({BAD_ENUM:#x})"
                out += case(header, function, param, "enum", bad)
            if param.type.name == "vd_type" and not param.name.startswith("out_") and is_status(function):
                field = "0" if param.type.ptr else ""
                out += case(
                    header, function, param, "type", None if field else "bad", field, "bad", each="vdtest::kNoTypes"
                )
            found = header.find(param.type.name)
            sized = isinstance(found, model.Struct) and found.sized and param.type.ptr == 1 and is_status(function)
            if sized and "array" not in param.ann:
                for size in ("0", "4", "5000"):
                    out += case(header, function, param, f"size_{size}", None, "struct_size", size)
                if param.type.const and not is_report(param):
                    out += bad_fields(header, function, param, found)
    released = [f for f in header.functions if all(p.nullable for p in f.params) and f.params and not is_status(f)]
    out += ["", "TEST_F(Generated, nullable_arguments_are_ignored) {"]
    for function in released:
        if function.returns.name == "void" and function.params[0].type.name in handles:
            out.append(f"  {function.name}({', '.join('nullptr' for _ in function.params)});")
    out += ["}", "", "}  // namespace"]
    return {PATH: "\n".join(out) + "\n"}


def is_status(function: model.Function) -> bool:
    return function.returns.name == "vd_status"


def refuses_null(function: model.Function, param: model.Field) -> bool:
    return bool(param.type.ptr) and not param.nullable and is_status(function)


def bad_fields(header: model.Header, function: model.Function, param: model.Field, struct: model.Struct) -> list[str]:
    """Fields of a descriptor that hold an unknown enumerator or flag."""
    out: list[str] = []
    for field in struct.fields[1:]:
        alias = header.find(field.type.name)
        if isinstance(alias, model.Alias) and alias.flags and not field.type.ptr:
            out += case(header, function, param, f"{field.name}_flag", None, field.name, "0x80000000u")
        elif check.header_enum(header, field.type.name) and not field.type.ptr:
            bad = f"static_cast<{field.type.name}>({BAD_ENUM:#x})"
            out += case(header, function, param, f"{field.name}_enum", None, field.name, bad)
        elif field.type.name == "vd_type":
            out += case(header, function, param, f"{field.name}_type", None, field.name, "bad", each="vdtest::kNoTypes")
    return out


def is_report(param: model.Field) -> bool:
    """Whether a struct is given that says how something is, where values of later versions are no error."""
    return param.type.name.endswith("_info")


def case(
    header: model.Header,
    function: model.Function,
    param: model.Field,
    kind: str,
    bad: str | None,
    field: str = "",
    value: str = "",
    each: str = "",
) -> list[str]:
    """One test: `bad` for the parameter, or `value` for a field (or an element) of what it points to; with each `bad` of a list."""
    before: list[str] = []
    args: list[str] = []
    for other in function.params:
        if other is param and bad is not None:
            args.append(bad)
        else:
            args.append(argument(header, function, other, before))
            if other is param:
                before.append(f"  {other.name}{f'[{field}]' if field.isdigit() else f'.{field}'} = {value};")
    # Handles of parts that are not there yet have no valid sample.
    others = [p.type for p in function.params if p is not param and isinstance(header.find(p.type.name), model.Handle)]
    for type_ in others:
        if type_.ptr == 1:
            before.insert(0, f'  if (sample<{type_.name}*>() == nullptr) GTEST_SKIP() << "there is no {type_.name}";')
    indent = "    " if each else "  "
    if each:
        skips = [line for line in before if "GTEST_SKIP" in line]
        before = [*skips, f"  for (const auto bad : {each}) {{", *("  " + line for line in before if line not in skips)]
    named = param.name if field in ("", "struct_size") or field.isdigit() else field
    call = f"{function.name}({', '.join(args)})"
    return [
        "",
        f"TEST_F(Generated, {function.name}_{param.name}_{kind}) {{",
        *before,
        f'{indent}EXPECT_TRUE(refused({call}, "{function.name}", "{named}"));',
        *(["  }"] if each else []),
        "}",
    ]


def argument(header: model.Header, function: model.Function, param: model.Field, before: list[str]) -> str:
    """A valid argument, and the declarations that it needs."""
    type_, name = param.type, param.name
    found = header.find(type_.name)
    if isinstance(found, model.Callback) or "user" in param.ann:
        return "nullptr"
    if not type_.ptr:
        if isinstance(found, model.Enum):
            return f"sample<{type_.name}>()"
        # A length of 1 suits every array and block of bytes beside it.
        return f'sample<{type_.name}>("{function.name}", "{name}")'
    if type_.ptr == 1 and isinstance(found, model.Handle):
        return f"sample<{type_.name}*>()"
    if isinstance(found, model.Struct):
        init = f"vdtest::desc<{type_.name}>()" if type_.const else f"{found.name.upper()}_INIT" if found.sized else "{}"
        before.append(f"  {type_.name} {name} = {init};")
        return f"&{name}"
    if type_.name == "char" and type_.ptr == 1 and "bytes" not in param.ann:
        return '"sample"'
    if type_.ptr == 2 and type_.name == "char":
        before.append(f'  const char* {name}[1] = {{"sample"}};')
        return name
    if type_.ptr == 2:
        value = "nullptr" if name.startswith("out_") else f"sample<{type_.name}*>()"
        before.append(f"  {type_.name}* {name}[1] = {{{value}}};")
        return name
    if type_.name in ("void", "char"):
        before.append(f"  char {name}[64] = {{}};")
        return name
    before.append(f"  {type_.name} {name}[4] = {{}};")
    return name
