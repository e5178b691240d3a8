"""include/vkdispatch_build.h: a helper for each op, so that a kernel in C reads as its formulas."""

from __future__ import annotations

import re
import textwrap

from . import model, ops
from .emit_ops import NOTE

PATH = "include/vkdispatch_build.h"
#: Operands whose names C or C++ keeps for itself.
RENAMED = {"struct": "structure", "new": "replacement"}
#: Ops whose names vkdispatch.h has for something else.
HELPERS = {"builtin": "builtin_value", "loop": "forever"}
#: Immediates that the caller states, as parameters; every other one is 0.
PARAMETERS = {
    "Bits": "uint64_t bits",
    "Builtin": "vd_builtin which",
    "Field": "uint32_t field",
    "Swizzle": "const char *components",
    "CopySize": "uint32_t size",
    "Groups": "uint32_t open",
}
#: Rules of operands of which this one is a string.
STRINGS = {"String": "text", "Printf": "format", "Assert": "text"}
#: Constants of C's own types.
CONSTANTS = {"f32": "float", "f64": "double", "i32": "int32_t", "u32": "uint32_t", "i64": "int64_t", "u64": "uint64_t"}
WIDTH = 120

HEAD = f"""\
/* {NOTE}
 * libvkdispatch: helpers to write kernels in C and C++.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each op of vd_op has a helper of its name: vd_add(builder, a, b) emits VD_OP_ADD and gives its value. All work on any
 * vd_builder, also on one that a generator hands out, and may be mixed with calls of vkdispatch.h.
 *
 * - Errors. A helper that fails returns 0, and so does every helper that takes this 0. vd_builder_finish() then fails
 *   with the message of the first failure, which names its file and line. No earlier call needs a check.
 * - Locations. The helpers are macros that pass their file and line on, so that messages of a running kernel name them,
 *   too. Each macro evaluates its arguments once.
 * - Operands may be references; they are loaded where a value is wanted. An operand named "[value]" may be 0.
 *
 *     vd_value x = vd_argument_buffer(b, VD_TYPE_F32, "x"), i = vd_global_id(b, 0);
 *     vd_if(b, vd_lt(b, vd_at(b, x, i), vd_const_f32(b, 0)));
 *         vd_store_at(b, x, i, vd_neg(b, vd_at(b, x, i)));
 *     vd_end(b);
 */
#ifndef VKDISPATCH_BUILD_H
#define VKDISPATCH_BUILD_H

#include <stdlib.h>
#include <string.h>

#include "vkdispatch.h"

#ifdef __cplusplus
extern "C" {{
#endif

/* ---- What all helpers share ------------------------------------------------------------------------------------ */

static inline vd_value vd_build_emit(vd_builder *builder, vd_op op, vd_type type, const vd_value *operands,
                                     uint32_t count, uint64_t immediate, const char *file, uint32_t line) {{
    vd_location location = 0;
    vd_value result = 0;
    (void)vd_builder_location(builder, file, line, NULL, &location);
    (void)vd_builder_emit(builder, op, type, operands, count, immediate, location, &result);
    return result;
}}
/** Emit any op with any operands and any immediate: VD_MATH_PRECISE, VD_MATH_NATIVE, the bits of an access, an order of
 *  memory. */
#define vd_emit(builder, op, type, operands, count, immediate) \\
    vd_build_emit((builder), (op), (type), (operands), (count), (immediate), __FILE__, __LINE__)

/* Ops of none to three operands, which decide the type. */
static inline vd_value vd_build_0(vd_builder *builder, vd_op op, const char *file, uint32_t line) {{
    return vd_build_emit(builder, op, VD_TYPE_NONE, NULL, 0, 0, file, line);
}}
static inline vd_value vd_build_1(vd_builder *builder, vd_op op, vd_value a, const char *file, uint32_t line) {{
    return vd_build_emit(builder, op, VD_TYPE_NONE, &a, 1, 0, file, line);
}}
static inline vd_value vd_build_2(vd_builder *builder, vd_op op, vd_value a, vd_value b, const char *file,
                                  uint32_t line) {{
    const vd_value operands[2] = {{a, b}};
    return vd_build_emit(builder, op, VD_TYPE_NONE, operands, 2, 0, file, line);
}}
static inline vd_value vd_build_3(vd_builder *builder, vd_op op, vd_value a, vd_value b, vd_value c, const char *file,
                                  uint32_t line) {{
    const vd_value operands[3] = {{a, b, c}};
    return vd_build_emit(builder, op, VD_TYPE_NONE, operands, 3, 0, file, line);
}}

/* Entries that take no location report that of the call before. */
static inline vd_value vd_build_string(vd_builder *builder, const char *text, const char *file, uint32_t line) {{
    vd_location location = 0;
    vd_value result = 0;
    (void)vd_builder_location(builder, file, line, NULL, &location);
    (void)vd_builder_string(builder, text, &result);
    return result;
}}

static inline vd_value vd_build_call(vd_builder *builder, const vd_kernel *function, const vd_value *operands,
                                     uint32_t count, const char *file, uint32_t line) {{
    vd_location location = 0;
    vd_value result = 0;
    (void)vd_builder_location(builder, file, line, NULL, &location);
    (void)vd_builder_call(builder, function, operands, count, location, &result);
    return result;
}}
/** Inline a function; gives what it returns. */
#define vd_call(builder, function, operands, count) \\
    vd_build_call((builder), (function), (operands), (count), __FILE__, __LINE__)

static inline vd_value vd_build_argument(vd_builder *builder, vd_argument_kind kind, vd_type type, const char *name,
                                         const char *file, uint32_t line) {{
    vd_argument_desc desc = VD_ARGUMENT_DESC_INIT;
    vd_value result = 0;
    desc.kind = kind;
    desc.type = type;
    desc.name = name;
    (void)vd_builder_location(builder, file, line, NULL, &desc.location);
    (void)vd_builder_argument(builder, &desc, &result);
    return result;
}}
/** Declare the next argument: a buffer with elements of `type`. */
#define vd_argument_buffer(builder, type, name) \\
    vd_build_argument((builder), VD_ARGUMENT_BUFFER, (type), (name), __FILE__, __LINE__)
/** Declare the next argument: a value that is fixed when the launch is recorded. */
#define vd_argument_constant(builder, type, name) \\
    vd_build_argument((builder), VD_ARGUMENT_CONSTANT, (type), (name), __FILE__, __LINE__)
/** Declare the next argument: a value that may change between submissions. */
#define vd_argument_variable(builder, type, name) \\
    vd_build_argument((builder), VD_ARGUMENT_VARIABLE, (type), (name), __FILE__, __LINE__)
/** Declare the next parameter of a function: a value. */
#define vd_argument_value(builder, type, name) \\
    vd_build_argument((builder), VD_ARGUMENT_VALUE, (type), (name), __FILE__, __LINE__)
/** Declare the next parameter of a function: a reference to a value. */
#define vd_argument_reference(builder, type, name) \\
    vd_build_argument((builder), VD_ARGUMENT_REFERENCE, (type), (name), __FILE__, __LINE__)

static inline vd_value vd_build_argument_image(vd_builder *builder, vd_type type, uint32_t dimensions, vd_bool layers,
                                               vd_format format, vd_argument_access access, const char *name,
                                               const char *file, uint32_t line) {{
    vd_argument_desc desc = VD_ARGUMENT_DESC_INIT;
    vd_value result = 0;
    desc.kind = VD_ARGUMENT_IMAGE;
    desc.type = type;
    desc.name = name;
    desc.image_dimensions = dimensions;
    desc.image_layers = layers;
    desc.image_format = format;
    desc.image_access = access;
    (void)vd_builder_location(builder, file, line, NULL, &desc.location);
    (void)vd_builder_argument(builder, &desc, &result);
    return result;
}}
/** Declare the next argument: an image that the kernel samples. `type` is that of a channel: f32, i32 or u32. */
#define vd_argument_image(builder, type, dimensions, name) \\
    vd_build_argument_image((builder), (type), (dimensions), 0, VD_FORMAT_NONE, 0, (name), __FILE__, __LINE__)
/** Declare the next argument: an image with array layers that the kernel samples. */
#define vd_argument_image_array(builder, type, dimensions, name) \\
    vd_build_argument_image((builder), (type), (dimensions), 1, VD_FORMAT_NONE, 0, (name), __FILE__, __LINE__)
/** Declare the next argument: an image whose texels the kernel loads, stores or both, as `access` says. */
#define vd_argument_storage_image(builder, type, dimensions, format, access, name) \\
    vd_build_argument_image((builder), (type), (dimensions), 0, (format), (access), (name), __FILE__, __LINE__)
/** Declare the next argument: an image with array layers whose texels the kernel loads, stores or both. */
#define vd_argument_storage_image_array(builder, type, dimensions, format, access, name) \\
    vd_build_argument_image((builder), (type), (dimensions), 1, (format), (access), (name), __FILE__, __LINE__)

static inline vd_value vd_build_shared_array(vd_builder *builder, vd_type type, uint32_t count, const char *file,
                                             uint32_t line) {{
    vd_location location = 0;
    vd_value result = 0;
    (void)vd_builder_location(builder, file, line, NULL, &location);
    (void)vd_builder_shared(builder, type, count, VD_SHARED_OFFSET_AUTO, NULL, &result);
    return result;
}}
/** Declare an array that the invocations of a workgroup share. */
#define vd_shared_array(builder, type, count) vd_build_shared_array((builder), (type), (count), __FILE__, __LINE__)

/* Letters as the immediate of VD_OP_SWIZZLE; what is no component is an immediate that the op refuses. */
static inline uint64_t vd_build_components(const char *letters) {{
    uint64_t order = 0, count = 0;
    for (; letters != NULL && *letters != 0 && count < 5; ++letters, ++count) {{
        const char *found = strchr("xyzw", *letters);
        if (found == NULL || count == 4) return UINT64_C(1) << 16;
        order |= (uint64_t)(*letters == 'w' ? 3 : *letters - 'x') << (2 * count);
    }}
    return order | count << 8;
}}
"""

MIDDLE = """
/* ---- Constants --------------------------------------------------------------------------------------------------- */
"""

CONSTANT = """
static inline vd_value vd_build_const_{name}(vd_builder *builder, {type} value, const char *file, uint32_t line) {{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    return vd_build_emit(builder, VD_OP_CONST, VD_TYPE_{upper}, NULL, 0, bits, file, line);
}}
/** A constant of type {name}. */
#define vd_const_{name}(builder, value) vd_build_const_{name}((builder), (value), __FILE__, __LINE__)
"""

BOOL = """
static inline vd_value vd_build_const_bool(vd_builder *builder, vd_bool value, const char *file, uint32_t line) {
    return vd_build_emit(builder, VD_OP_CONST, VD_TYPE_BOOL, NULL, 0, value != 0, file, line);
}
/** A constant of type bool: false for 0, else true. */
#define vd_const_bool(builder, value) vd_build_const_bool((builder), (value), __FILE__, __LINE__)
"""

PLACES = """
/* ---- Elements ---------------------------------------------------------------------------------------------------- */

/** An element of a buffer, array or vector: a reference, which is loaded where a value is wanted. */
#define vd_at(builder, array, at) vd_index((builder), (array), (at))

static inline vd_value vd_build_load_at(vd_builder *builder, vd_value array, vd_value at, const char *file,
                                        uint32_t line) {
    return vd_build_1(builder, VD_OP_LOAD, vd_build_2(builder, VD_OP_INDEX, array, at, file, line), file, line);
}
/** The value of an element, as it is when a statement uses it. */
#define vd_load_at(builder, array, at) vd_build_load_at((builder), (array), (at), __FILE__, __LINE__)

static inline void vd_build_store_at(vd_builder *builder, vd_value array, vd_value at, vd_value value, const char *file,
                                     uint32_t line) {
    const vd_value element = vd_build_2(builder, VD_OP_INDEX, array, at, file, line);
    (void)vd_build_2(builder, VD_OP_STORE, element, value, file, line);
}
/** Put a value into an element. */
#define vd_store_at(builder, array, at, value) \\
    vd_build_store_at((builder), (array), (at), (value), __FILE__, __LINE__)

static inline vd_value vd_build_component(vd_builder *builder, vd_value vector, uint32_t number, const char *file,
                                          uint32_t line) {
    const vd_value at = vd_build_const_u32(builder, number, file, line);
    return vd_build_2(builder, VD_OP_INDEX, vector, at, file, line);
}
/** A component of a vector or complex number, or a column of a matrix, by its number. */
#define vd_component(builder, vector, number) vd_build_component((builder), (vector), (number), __FILE__, __LINE__)

/* ---- Built-in values --------------------------------------------------------------------------------------------- */
"""

TAIL = """
#ifdef __cplusplus
}
#endif

#endif /* VKDISPATCH_BUILD_H */
"""


def emit(table: ops.Table, header: model.Header) -> dict[str, str]:
    parts = [HEAD]
    group = ""
    for op in table.ops:
        if op.group != group:
            group = op.group
            title = f"/* ---- {group[0].upper() + group[1:]} "
            parts.append(f"\n{title}{'-' * (WIDTH - 3 - len(title))} */\n")
        parts.append(helper(op))
    parts.append(MIDDLE)
    parts += [CONSTANT.format(name=name, type=type_, upper=name.upper()) for name, type_ in CONSTANTS.items()]
    parts += [BOOL, PLACES]
    parts += [builtin(value) for value in builtins(header)]
    text = "".join([*parts, TAIL])
    check_names(text, header)
    return {PATH: text}


def check_names(text: str, header: model.Header) -> None:
    """No helper hides what vkdispatch.h declares."""
    made = re.findall(r"^#define (vd_\w+)\(|^static inline [\w ]+?[ *](vd_\w+)\(", text, re.MULTILINE)
    for macro, function in made:
        if taken := header.find(macro or function):
            raise model.HeaderError(header.path, taken.line, f"'{taken.name}' is the name of a helper of {PATH}, too")


# ---- Ops


def helper(op: ops.Op) -> str:
    """The macro of an op, and its function where the shared ones do not do."""
    plain = [RENAMED.get(operand.name, operand.name) for operand in op.operands]
    immediate = op.immediate in PARAMETERS or op.immediate == "Memory" and not op.operands
    special = op.gives in ops.TYPED or immediate or op.takes in STRINGS
    if not special and not any(operand.optional or operand.many for operand in op.operands):
        return f"\n{doc(op)}\n{macro_only(op, plain)}\n"
    return made(op)


def macro_only(op: ops.Op, names: list[str]) -> str:
    head = f"#define vd_{HELPERS.get(op.name, op.name)}({', '.join(['builder', *names])})"
    values = "".join(f", ({name})" for name in names)
    call = f"vd_build_{len(names)}((builder), {op.enumerator}{values}, __FILE__, __LINE__)"
    return joined(head, f"((void){call})" if op.gives == "Nothing" else call)


def made(op: ops.Op) -> str:
    params, names = ["vd_builder *builder"], ["builder"]

    def add(declaration: str) -> str:
        params.append(declaration)
        names.append(re.findall(r"\w+", declaration)[-1])
        return names[-1]

    type_ = add("vd_type type") if op.gives in ops.TYPED else "VD_TYPE_NONE"
    lines, values, fixed, many = [], [], 0, ""
    for operand in op.operands:
        if operand.many:
            many = add(f"const vd_value *{operand.name}")
            add(f"uint32_t {operand.name.removesuffix('s')}_count")
            continue
        name = RENAMED.get(operand.name, operand.name)
        if operand.name == STRINGS.get(op.takes):
            text = f"vd_build_string(builder, {add(f'const char *{name}')}, file, line)"
            values.append(f"{name} == NULL ? 0 : {text}" if operand.optional else text)
        else:
            values.append(add(f"vd_value {name}"))
        fixed += not operand.optional
    immediate = "0"
    if op.immediate == "Memory" and not op.operands:
        immediate = add("vd_memory memory")
    elif op.immediate in PARAMETERS:
        immediate = add(PARAMETERS[op.immediate])
        if op.immediate == "Swizzle":
            immediate = f"vd_build_components({immediate})"
        elif op.immediate == "Builtin":
            immediate = f"(uint64_t){immediate}"
    operands, count = "NULL", "0"
    if many and not values:
        operands, count = many, names[-1]
    elif many:
        operands, count = "operands", f"{len(values)} + {names[-1]}"
        lines.append(f"vd_value *operands = (vd_value *)calloc({count}, sizeof(vd_value));")
        lines += [f"if (operands != NULL) operands[{i}] = {value};" for i, value in enumerate(values)]
        tail = f"operands + {len(values)}, {many}, {names[-1]} * sizeof(vd_value)"
        lines.append(f"if (operands != NULL && {many} != NULL) memcpy({tail});")
    elif values:
        operands, count = "operands", str(fixed)
        lines.append(f"const vd_value operands[{len(values)}] = {{{', '.join(values)}}};")
        if fixed < len(values):
            count = f"operands[{fixed}] != 0 ? {fixed + 1} : {fixed}" if fixed else "operands[0] != 0"
    call = f"vd_build_emit(builder, {op.enumerator}, {type_}, {operands}, {count}, {immediate}, file, line);"
    void = op.gives == "Nothing"
    lines.append(("(void)" if void else "return ") + call)
    if many and values:
        assert void
        lines.append("free(operands);")
    params += ["const char *file", "uint32_t line"]
    head = f"static inline {'void' if void else 'vd_value'} vd_build_{op.name}("
    body = "".join(f"{wrapped(line, '    ')}\n" for line in lines)
    return (
        f"\n{wrapped(head + ', '.join(whole(p) for p in params) + whole(') {'), '', len(head))}\n{body}}}\n"
        f"{doc(op)}\n{macro(op.name, names)}\n"
    )


def doc(op: ops.Op) -> str:
    text = f"/** {op.enumerator}: {op.summary}"
    return "\n".join(textwrap.wrap(text, WIDTH - 3, subsequent_indent=" *  ", break_on_hyphens=False)) + " */"


def macro(name: str, names: list[str]) -> str:
    head = f"#define vd_{HELPERS.get(name, name)}({', '.join(names)})"
    call = f"vd_build_{name}({', '.join(f'({n})' for n in names)}, __FILE__, __LINE__)"
    return joined(head, call)


def joined(head: str, call: str) -> str:
    return f"{head} {call}" if len(head) + len(call) < WIDTH else f"{head} \\\n    {call}"


def wrapped(text: str, indent: str, more: int = 0) -> str:
    """A line of code within the width; what follows goes under `more` columns."""
    under = more or text.find("(") + 1 + len(indent)
    text = textwrap.fill(text, WIDTH, initial_indent=indent, subsequent_indent=" " * under, break_on_hyphens=False)
    return text.replace("~", " ")


def whole(text: str) -> str:
    """Words that stay on one line."""
    return text.replace(" ", "~")


# ---- Built-in values


def builtins(header: model.Header) -> list[model.Enumerator]:
    found = header.find("vd_builtin")
    values = found.values if isinstance(found, model.Enum) else []
    return [value for value in values if not value.name.endswith("_FORCE_32")]


def builtin(value: model.Enumerator) -> str:
    """A helper for a built-in value; of three dimensions it gives one."""
    name = value.name.removeprefix("VD_BUILTIN_").lower()
    if "u32x3" in value.doc:
        return f"""
static inline vd_value vd_build_{name}(vd_builder *builder, uint32_t axis, const char *file, uint32_t line) {{
    const vd_value vector = vd_build_builtin(builder, {value.name}, file, line);
    return vd_build_component(builder, vector, axis, file, line);
}}
/** One axis of {value.name}, 0 to 2. */
#define vd_{name}(builder, axis) vd_build_{name}((builder), (axis), __FILE__, __LINE__)
"""
    return f"""
/** {value.name}. */
#define vd_{name}(builder) vd_builtin_value((builder), {value.name})
"""
