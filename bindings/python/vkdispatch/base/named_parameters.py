"""Kernels of programs for vkdispatch 0.1 in CUDA C++ and OpenCL C, whose parameters are found by name.

The library takes bindings in order and then one block of values. So the parameters of `vkdispatch_main` are put into that
order: `vkdispatch_binding_<N>_ptr` and `vkdispatch_sampler_<N>` are binding N, `vkdispatch_uniform_ptr` and
`vkdispatch_uniform_value` binding 0, `vkdispatch_pc_value` and `vkdispatch_pc_ptr` the push constants. Sources without
such names stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_ENTRY = "vkdispatch_main"
_BINDING = re.compile(r"vkdispatch_(?:binding_(\d+)_ptr|sampler_(\d+)|uniform_ptr|uniform_value)$")
_SIZE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+VKDISPATCH_EXPECTED_LOCAL_SIZE_([XYZ])[ \t]+(\d+)", re.MULTILINE)
# Comments and strings, where parentheses and commas mean nothing.
_SKIPPED = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"", re.DOTALL)


def expected_local_size(source: str) -> list[int]:
    """The workgroup size that a source defines; empty without one."""
    found = {axis: int(number) for axis, number in _SIZE.findall(source)}
    return [found.get(axis, 1) for axis in "XYZ"] if found else []


def _blank(text: str) -> str:
    """The text with comments and strings as blanks, so that places stay."""
    return _SKIPPED.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def _split(blank: str, first: int) -> tuple[list[tuple[int, int]], int] | None:
    """The places of the parameters behind an opening parenthesis, and of the closing one."""
    parts, depth, begin = [], 0, first
    for at in range(first, len(blank)):
        letter = blank[at]
        if letter in "([{":
            depth += 1
        elif letter in ")]}" and depth:
            depth -= 1
        elif letter == ")" or (letter == "," and not depth):
            parts.append((begin, at))
            begin = at + 1
            if letter == ")":
                return parts, at
    return None


def in_order(source: str, bindings: Sequence[int], opencl: bool) -> str:
    """The source with the parameters of its kernel in the library's order."""
    blank = _blank(source)
    head = re.search(rf"\b{_ENTRY}\s*\(", blank)
    found = _split(blank, head.end()) if head else None
    body = blank.find("{", found[1]) if found else -1
    if head is None or found is None or body < 0:
        return source
    places, end = found
    by_binding: dict[int, str] = {}
    values: list[str] = []
    inserted = ""
    for begin, stop in places:
        text = source[begin:stop].strip()
        name = (re.findall(r"\w+", blank[begin:stop]) or [""])[-1]
        matched = _BINDING.match(name)
        if matched:
            number = int(matched.group(1) or matched.group(2) or 0)
            if name == "vkdispatch_uniform_value":
                kind = text[: text.rindex(name)].strip()
                space = "__constant " if opencl else ""
                text = f"{space}const {kind.removeprefix('const ').strip()} *vkdispatch_uniform_block"
                inserted += f" const {kind.removeprefix('const ').strip()} {name} = *vkdispatch_uniform_block;"
            if number in by_binding:
                raise ValueError(f"ComputePlan: two parameters of {_ENTRY} are binding {number}")
            if number >= len(bindings):
                raise ValueError(f"ComputePlan: parameter {name} is not one of the {len(bindings)} bindings")
            by_binding[number] = text
        elif name == "vkdispatch_pc_ptr" and not opencl:
            kind = text[: text.rindex("*")].strip().removeprefix("const ").strip()
            values.append(f"{kind} vkdispatch_pc_block")
            inserted += f" const {kind} *vkdispatch_pc_ptr = &vkdispatch_pc_block;"
        elif name == "vkdispatch_pc_value":
            values.append(text)
        else:
            return source  # in the library's own order, then
    if not by_binding and not values:
        return source
    unused = "__global const uchar *" if opencl else "const void *"
    ordered = [by_binding.get(i, f"{unused}vkdispatch_unused_{i}") for i in range(len(bindings))] + values
    return source[: head.end()] + ", ".join(ordered) + source[end : body + 1] + inserted + source[body + 1 :]
