"""The conventions of the C API as code: what the grammar allows and the house does not.

Every rule is one function over the model; the first violation of each entry is reported with file:line, all of them at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from . import facts, layout, model
from .model import HeaderError

Problem = tuple[int, str]
COLUMNS = 120
_FORCE_32 = 0x7FFFFFFF
_INTEGERS = {"uint32_t", "uint64_t"}


def check(header: model.Header) -> None:
    """Raise HeaderError with everything that is wrong; its line is the first one's."""
    problems = sorted({p for rule in RULES for p in rule(header)})
    if problems:
        line, message = problems[0]
        more = "".join(f"\n{header.path}:{at}: {text}" for at, text in problems[1:])
        raise HeaderError(header.path, line, message + more)


def check_lines(path: str, text: str) -> None:
    """Raise HeaderError with the lines that a page of 120 columns would break."""
    wide = [number for number, line in enumerate(text.splitlines(), 1) if len(line) > COLUMNS]
    if wide:
        more = "".join(f"\n{path}:{number}: so is this one" for number in wide[1:])
        raise HeaderError(path, wide[0], f"the line is longer than {COLUMNS} columns{more}")


def out_params(function: model.Function) -> list[model.Field]:
    """The outputs of a function."""
    return [p for p in function.params if p.name.startswith("out_")]


def size_params(fields: list[model.Field]) -> dict[str, model.Field]:
    """Map each field that is a length to the pointer whose length it states."""
    result: dict[str, model.Field] = {}
    for field in fields:
        for word in ("array", "bytes"):
            if word in field.ann:
                result.setdefault(field.ann[word][0], field)
    return result


def _known_types(header: model.Header) -> Iterator[Problem]:
    def unknown(type_: model.Type) -> bool:
        return type_.name not in layout.BUILTIN and not isinstance(
            header.find(type_.name), (model.Handle, model.Struct, model.Enum, model.Alias, model.Callback)
        )

    for decl in header.decls:
        line = decl.line
        uses: list[tuple[int, model.Type]] = []
        if isinstance(decl, model.Struct):
            uses = [(f.line, f.type) for f in decl.fields]
        elif isinstance(decl, (model.Function, model.Callback)):
            uses = [(line, decl.returns)] + [(p.line, p.type) for p in decl.params]
        elif isinstance(decl, model.Alias):
            uses = [(line, decl.target)]
        for at, type_ in uses:
            if unknown(type_):
                yield at, f"'{type_.name}' is not a type of this header"


def _names(header: model.Header) -> Iterator[Problem]:
    lower = re.compile(r"vd_[a-z0-9]+(_[a-z0-9]+)*$")
    for decl in header.decls:
        if isinstance(decl, model.Define):
            if not re.match(r"VD_[A-Z0-9_]+$", decl.name):
                yield decl.line, f"constant '{decl.name}' is not named VD_..."
        elif decl.name and not lower.match(decl.name):
            yield decl.line, f"'{decl.name}' is not named vd_noun_verb"
        if isinstance(decl, model.Callback) and not decl.name.endswith("_fn"):
            yield decl.line, f"callback '{decl.name}' does not end in _fn"
        if isinstance(decl, model.Enum):
            for value in decl.values:
                if not re.match(r"VD_[A-Z0-9_]+$", value.name):
                    yield value.line, f"enumerator '{value.name}' is not named VD_..."
    seen: dict[str, int] = {}
    for enum in header.enums:
        for value in enum.values:
            if value.name in seen:
                yield value.line, f"enumerator '{value.name}' is declared twice (first on line {seen[value.name]})"
            seen[value.name] = value.line


#: Words that begin a noun or a clause, not what an entry does.
_NO_VERB = re.compile(r"(An?|Length|Number|Size|The|Whether)\b")


def _docs(header: model.Header) -> Iterator[Problem]:
    previous: model.Decl | None = None
    for decl in header.decls:
        follows_enum, previous = isinstance(previous, model.Enum), decl
        shown = decl.name or (f"enum of {decl.values[0].name}" if isinstance(decl, model.Enum) else "")
        if not re.fullmatch(r"\d+\.\d+", header.since(decl)):
            yield decl.line, f"'{shown}' has no @since with a version"
        if isinstance(decl, model.Define):
            continue
        # The comment of an anonymous enum is also that of the typedef behind it.
        if isinstance(decl, model.Alias) and follows_enum:
            continue
        if not decl.doc.summary:
            yield decl.line, f"'{decl.name or 'enum'}' has no summary"
        if isinstance(decl, model.Function) and _NO_VERB.match(decl.doc.summary):
            yield decl.doc.line, f"the summary of '{decl.name}' does not begin with a verb"
        if not decl.doc.summary.endswith((".", "?")) and decl.doc.summary:
            yield decl.doc.line, f"the summary of '{decl.name or 'enum'}' is no sentence that ends with a full stop"
        if isinstance(decl, model.Struct):
            for field in decl.fields:
                if not field.doc:
                    yield field.line, f"field '{decl.name}.{field.name}' is not documented"


#: Words that begin no sentence of ours: it would need its neighbours, or begin with a question.
_NO_BEGINNING = re.compile(
    r"(And|As|At|Below|But|By|For|From|How|In|Into|Nor|Of|On|Or|To|What|Where|Which|Whose|With)\b"
)


def sentence_problem(doc: str) -> str:
    """Why the comment of a field is no whole sentence; "" if it is one."""
    if not re.match(r"[A-Z]", doc):
        return "does not begin with a capital letter"
    if not doc.endswith("."):
        return "does not end with a full stop"
    first = _NO_BEGINNING.match(doc)
    return f"begins with '{first[1]}', not with what it is" if first else ""


def _sentences(header: model.Header) -> Iterator[Problem]:
    for struct in header.structs:
        for field in struct.fields:
            problem = sentence_problem(field.doc) if field.doc else ""
            if problem:
                yield field.line, f"the comment of field '{struct.name}.{field.name}' {problem}"
    for enum in header.enums:
        for value in enum.values if enum.name != "vd_op" else []:
            if value.doc and not re.fullmatch(r"[A-Z].*\.", value.doc, re.DOTALL):
                yield (
                    value.line,
                    f"the comment of enumerator '{value.name}' is no sentence from capital letter to full stop",
                )


def _ops_name_operands(header: model.Header) -> Iterator[Problem]:
    name = r"[a-z_0-9]+"
    operands = re.compile(rf"\((|({name}, )*({name}|\[{name}(\.\.\.)?\]|{name}\.\.\.))\)[ :]")
    for enum in header.enums:
        for op in enum.values if enum.name == "vd_op" else []:
            if op.value != 0 and op.value != _FORCE_32 and not operands.match(op.doc):
                yield op.line, f"'{op.name}' does not begin with its operands, as '(x, low, high):' or '():'"


def _params_documented(header: model.Header) -> Iterator[Problem]:
    for function in header.functions:
        doc = function.doc
        names = [p.name for p in function.params]
        for extra in doc.params:
            if extra not in names:
                yield function.line, f"'{function.name}' documents '{extra}', which is no parameter of it"
        # The summary of a call with a single parameter says what it is, as of retain and release. One that can fail says why.
        if len(names) == 1 and not doc.params and function.returns.name != "vd_status":
            continue
        for name in names:
            if not doc.params.get(name):
                yield function.line, f"'{function.name}' has no @param for '{name}'"
        if list(doc.params) != [n for n in names if n in doc.params]:
            yield function.line, f"'{function.name}' documents its parameters in another order"
        if function.returns.name == "vd_status" and not doc.returns:
            yield function.line, f"'{function.name}' has no @return with its expected failures"


def _since_not_ahead(header: model.Header) -> Iterator[Problem]:
    major, minor = header.constant("VD_VERSION_MAJOR"), header.constant("VD_VERSION_MINOR")
    for decl in header.decls:
        if isinstance(major, int) and re.fullmatch(r"\d+\.\d+", decl.doc.since):
            stated = tuple(int(n) for n in decl.doc.since.split("."))
            if stated > (major, minor):
                yield decl.line, f"'{decl.name}' is @since {decl.doc.since}, past the header's version {major}.{minor}"


def _versions(header: model.Header) -> Iterator[Problem]:
    for name in ("VD_VERSION_MAJOR", "VD_VERSION_MINOR", "VD_VERSION_PATCH", "VD_ABI"):
        if not isinstance(header.constant(name), int):
            yield 1, f"'{name}' is not defined"


def _out_order(header: model.Header) -> Iterator[Problem]:
    handles = {h.name for h in header.handles}
    for function in header.functions:
        lengths = size_params(function.params)
        seen_out = False
        for param in function.params:
            type_, name = param.type, param.name
            is_out = name.startswith("out_")
            where = f"'{function.name}': parameter '{name}'"
            if is_out and not type_.ptr:
                yield param.line, f"{where} is an output but no pointer"
            if is_out and type_.const:
                yield param.line, f"{where} is an output but const"
            # The length of an output buffer follows it.
            states_out = name in lengths and lengths[name].name.startswith("out_")
            if not is_out and seen_out and not states_out:
                yield param.line, f"{where} stands behind an output"
            seen_out = seen_out or is_out
            if is_out or type_.const or not type_.ptr:
                continue
            if type_.name in handles and (type_.ptr == 1 or "array" in param.ann):
                continue
            if "inout" in param.ann or "user" in param.ann:
                continue
            yield param.line, f"{where} is written to, so it is called out_{name} or marked @inout"


def _by_value(header: model.Header) -> Iterator[Problem]:
    opaque = {d.name for d in header.decls if isinstance(d, (model.Struct, model.Handle))}
    for decl in header.decls:
        if isinstance(decl, (model.Function, model.Callback)):
            for param in decl.params:
                if not param.type.ptr and param.type.name in opaque:
                    yield param.line, f"'{decl.name}': parameter '{param.name}' is a struct by value"
                if not param.type.ptr and param.type.name == "void":
                    yield param.line, f"'{decl.name}': parameter '{param.name}' is void"
            if not decl.returns.ptr and decl.returns.name in opaque:
                yield decl.line, f"'{decl.name}' returns a struct by value"
        if isinstance(decl, model.Struct):
            for field in decl.fields:
                if not field.type.ptr and field.type.name in opaque:
                    yield field.line, f"field '{decl.name}.{field.name}' holds a struct by value: it could not grow"


def _annotations(header: model.Header) -> Iterator[Problem]:
    for decl in header.decls:
        fields = decl.fields if isinstance(decl, model.Struct) else getattr(decl, "params", [])
        by_name = {f.name: f for f in fields}
        for field in fields:
            where = f"'{decl.name}': '{field.name}'"
            pointer = field.type.ptr or header.resolve(field.type.name) in {c.name for c in header.callbacks}
            allowed = set(field.ann) if pointer else {"array"} if field.type.array is not None else set()
            if set(field.ann) - allowed - {"unstable", "deprecated"}:
                yield field.line, f"{where} is annotated but no pointer"
            for word in ("array", "bytes"):
                length = by_name.get(field.ann.get(word, [""])[0])
                if word in field.ann and (length is None or header.resolve(length.type.name) not in _INTEGERS):
                    yield field.line, f"{where} is @{word}({field.ann[word][0]}), which is no integer beside it"
            if "user" in field.ann and field.ann["user"][0] not in by_name:
                yield field.line, f"{where} is @user({field.ann['user'][0]}), which is no callback beside it"
            needs_length = field.type.ptr == 1 and field.type.name == "void" and "user" not in field.ann
            if needs_length and "bytes" not in field.ann and not isinstance(decl, model.Callback):
                yield field.line, f"{where} is a void pointer without @bytes or @user"
        if isinstance(decl, model.Function):
            owner = decl.ann.get("borrowed", [""])
            if "borrowed" in decl.ann and owner and owner[0] not in by_name:
                yield decl.line, f"'{decl.name}' is @borrowed({owner[0]}), which is no parameter of it"
            takes_handle = any(p.type.ptr for p in decl.params)
            if decl.returns.ptr and takes_handle and not {"borrowed", "owned"} & set(decl.ann):
                yield decl.line, f"'{decl.name}' returns a pointer that is neither @borrowed nor @owned"


def _structs(header: model.Header) -> Iterator[Problem]:
    zeros = {"0", "NULL", "{ 0 }"} | {v.name for enum in header.enums for v in enum.values if v.value == 0}
    for struct in header.structs:
        grows = struct.name.endswith(("_desc", "_info"))
        if not struct.fields:
            yield struct.line, f"'{struct.name}' has no fields"
            continue
        first = struct.fields[0]
        if grows and (first.name != "struct_size" or first.type != model.Type("uint32_t")):
            yield struct.line, f"'{struct.name}' does not begin with 'uint32_t struct_size'"
        for field in struct.fields[1:]:
            if field.name == "struct_size":
                yield field.line, f"'{struct.name}.struct_size' is not the first field"
        if struct.sized:
            macro = struct.name.upper() + "_INIT"
            if struct.init is None:
                yield struct.line, f"'{struct.name}' has no {macro}"
            else:
                if len(struct.init) != len(struct.fields):
                    yield struct.line, f"{macro} has {len(struct.init)} values for {len(struct.fields)} fields"
                if struct.init[0] != f"(uint32_t)sizeof({struct.name})":
                    yield struct.line, f"{macro} does not begin with (uint32_t)sizeof({struct.name})"
                if struct.name.endswith("_desc"):
                    for field, value in zip(struct.fields[1:], struct.init[1:]):
                        if value == model.UNSTABLE_VERSION and field.name == model.UNSTABLE_FIELD:
                            continue
                        if value not in zeros:
                            yield (
                                struct.line,
                                f"{macro} gives '{field.name}' {value}: zero is the default of every field",
                            )


def _no_padding(header: model.Header) -> Iterator[Problem]:
    for struct in header.structs:
        try:
            placed = layout.struct_layout(header, struct)
        except KeyError:
            continue  # an unknown type, reported on its own
        for before, offset, size in placed.gaps:
            where = f"before '{before}'" if before else "at the end"
            yield struct.line, f"'{struct.name}' has {size} bytes of padding {where} (offset {offset})"


def _enums(header: model.Header) -> Iterator[Problem]:
    for enum in header.enums:
        if enum.name:
            last = enum.values[-1]
            if last.value != _FORCE_32 or not last.name.endswith("_FORCE_32"):
                yield enum.line, f"'{enum.name}' does not end with a FORCE_32 enumerator of 0x7FFFFFFF"
            seen: dict[int, str] = {}
            for value in enum.values:
                if value.value in seen:
                    yield value.line, f"'{value.name}' and '{seen[value.value]}' have the same value ({value.value})"
                seen[value.value] = value.name
            if 0 not in seen:
                yield enum.line, f"'{enum.name}' has no enumerator of value 0"
        for value in enum.values:
            top = 1 << 31 if enum.name or value.value < 0 else 1 << 32
            if not -(1 << 31) <= value.value < top:
                yield value.line, f"'{value.name}' ({value.value}) does not fit 32 bits"


def _flags(header: model.Header) -> Iterator[Problem]:
    for alias in header.aliases:
        if not alias.flags:
            continue
        if alias.target.ptr or header.resolve(alias.name) not in ("uint32_t", "uint64_t"):
            yield alias.line, f"flags '{alias.name}' are not a uint32_t or uint64_t"
        values: list[model.Enumerator | model.Define] = [
            v for e in header.enums if not e.name for v in e.values if v.name.startswith(alias.flags)
        ]
        # Bits that no enumerator of C11 can have; other constants may share the prefix.
        wide = [d for d in header.defines if isinstance(d.value, int) and d.value >= 1 << 31]
        values += [d for d in wide if d.name.startswith(alias.flags)]
        if not values:
            yield alias.line, f"flags '{alias.name}' have no enumerators that start with {alias.flags}"
        for value in values:
            if value.value & (value.value - 1):
                yield value.line, f"flag '{value.name}' ({value.value:#x}) is more than one bit"


def _handles(header: model.Header) -> Iterator[Problem]:
    for handle in header.handles:
        for verb in ("retain", "release"):
            name = f"{handle.name}_{verb}"
            function = header.find(name)
            right = (
                isinstance(function, model.Function)
                and function.returns == model.Type("void")
                and [p.type for p in function.params] == [model.Type(handle.name, ptr=1)]
                and function.params[0].nullable
            )
            if not right:
                yield handle.line, f"handle '{handle.name}' has no 'void {name}({handle.name} * /*@nullable*/)'"
            elif handle.doc.since and function.doc.since != handle.doc.since:
                yield (
                    handle.line,
                    f"handle '{handle.name}' is @since {handle.doc.since}, and '{name}' @since {function.doc.since}",
                )


def _callbacks(header: model.Header) -> Iterator[Problem]:
    for callback in header.callbacks:
        last = callback.params[-1] if callback.params else None
        if last is None or last.name != "user" or last.type != model.Type("void", ptr=1):
            yield callback.line, f"callback '{callback.name}' does not end with 'void *user'"


def _hot(header: model.Header) -> Iterator[Problem]:
    for function in header.functions:
        if function.hot:
            try:
                hot_params(header, function)
            except ValueError as error:
                yield function.line, f"hot entry '{function.name}': {error}"


def hot_params(header: model.Header, function: model.Function) -> list[tuple[str, model.Field]]:
    """The kind of each parameter of a hot entry: self, handle, u32, i32, u64, bytes, array, length or out.

    Hot entries are called with integers, and bytes at most, so that their wrapper needs no more than the limited API.
    """
    handles = {h.name for h in header.handles}
    lengths = size_params(function.params)
    result: list[tuple[str, model.Field]] = []
    if function.returns != model.Type("vd_status"):
        raise ValueError("it does not return vd_status")
    for i, param in enumerate(function.params):
        type_ = param.type
        name = header.resolve(type_.name)
        integer = {"uint32_t": "u32", "uint64_t": "u64"}.get(name, "i32" if header_enum(header, name) else "")
        if i == 0:
            if name not in handles or type_.ptr != 1:
                raise ValueError("its first parameter is no handle")
            result.append(("self", param))
        elif param.name in lengths:
            result.append(("length", param))
        elif not type_.ptr and integer:
            result.append((integer, param))
        elif type_.ptr == 1 and name in handles:
            result.append(("handle", param))
        elif "bytes" in param.ann and type_.const:
            result.append(("bytes", param))
        elif "array" in param.ann and not param.name.startswith("out_"):
            if not (type_.ptr == 2 and name in handles) and not (type_.ptr == 1 and name == "uint64_t"):
                raise ValueError(f"'{param.name}' is an array of neither handles nor 64-bit numbers")
            result.append(("array", param))
        elif param.name.startswith("out_") and type_.ptr == 1 and name in ("uint64_t", "uint32_t"):
            result.append(("out", param))
        else:
            raise ValueError(f"'{param.name}' ({type_.c()}) cannot be passed by a hot entry")
    for kind in ("array", "bytes", "out"):
        if sum(k == kind for k, _ in result) > 1:
            raise ValueError(f"it has more than one {kind} parameter")
    return result


def header_enum(header: model.Header, name: str) -> bool:
    """Whether `name` is an enum of the header."""
    return isinstance(header.find(name), model.Enum)


RULES: list[Callable[[model.Header], Iterator[Problem]]] = [
    _known_types, _names, _docs, _sentences, _ops_name_operands, _params_documented, _since_not_ahead, _versions, _out_order, _by_value, _annotations,
    _structs, _no_padding, _enums, _flags, _handles, _callbacks, _hot,
    *facts.RULES,
]  # fmt: skip
