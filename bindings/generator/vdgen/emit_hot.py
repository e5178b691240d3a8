"""The hot entries for Python, twice: a small C extension on the limited API, and the same names over cffi.

The extension is given the addresses of the entries at start, so that it shares the one loaded library and links nothing. It
keeps the interpreter's lock: hot entries never wait and take no lock under which callbacks run.
"""

from __future__ import annotations

from . import check, facts, model
from .text import NOTE

FOLDER = "bindings/python/vkdispatch/_native"

C_TYPES = {"u32": "uint32_t", "i32": "int32_t", "u64": "uint64_t", "handle": "void *"}


def emit(header: model.Header) -> dict[str, str]:
    entries = [Entry(header, f) for f in header.functions if f.hot]
    files = {f"{FOLDER}/_vdhot.c": extension(entries), f"{FOLDER}/_hot_cffi.py": fallback(entries)}
    if any(e.would_block is not None for e in entries):
        enum = header.find("vd_status")
        assert isinstance(enum, model.Enum)
        known = [f"{v.name} = {v.value}" for v in enum.values if v.name in (*facts.REFUSED, facts.WOULD_BLOCK)]
        files[f"{FOLDER}/_statuses.h"] = STATUSES.format(note=NOTE, values=", ".join(known))
    return files


STATUSES = """/* {note}
 * Statuses that the extension's own code knows. */
#pragma once

enum {{ {values} }};
"""


class Entry:
    """A hot function: what its Python method takes, in which order."""

    def __init__(self, header: model.Header, function: model.Function):
        self.function = function
        self.params = check.hot_params(header, function)
        self.handle = function.params[0].type.name
        self.method = function.name.removeprefix(self.handle + "_")
        self.fixed = [(k, p) for k, p in self.params if k in ("u32", "i32", "u64", "handle", "bytes")]
        self.array = next((p for k, p in self.params if k == "array"), None)
        self.bytes = next((p for k, p in self.params if k == "bytes"), None)
        self.out = next((p for k, p in self.params if k == "out"), None)
        self.out_type = header.resolve(self.out.type.name) if self.out else ""
        self.would_block = facts.would_block(header, function)

    @property
    def signature(self) -> str:
        names = [p.name for _, p in self.fixed] + (["*" + self.array.name] if self.array else [])
        return ", ".join(names)


def by_handle(entries: list[Entry]) -> dict[str, list[Entry]]:
    result: dict[str, list[Entry]] = {}
    for entry in entries:
        result.setdefault(entry.handle, []).append(entry)
    return result


# ---- The extension ---------------------------------------------------------------------------------------------------

C_HEAD = """
/* NOTE
 * Calls the entries that are marked hot. A method takes integers (and bytes), holds the interpreter's lock, and gives an
 * integer back. start() receives the addresses of the entries, so nothing is linked. */
#define Py_LIMITED_API 0x030A0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

typedef struct {
    PyObject_HEAD
    void *handle;
    PyObject *owner; /* keeps the handle alive */
} Handle;

static PyObject *raise_function; /* raises the exception of (status, message) */
static const char *(*last_error)(void);

static PyObject *failed(int32_t status) {
    PyObject *result = PyObject_CallFunction(raise_function, "iy", (int)status, last_error());
    if (result) {
        Py_DECREF(result);
        PyErr_SetString(PyExc_SystemError, "a failed call raised nothing");
    }
    return NULL;
}

static int take_u64(PyObject *object, const char *name, uint64_t *out) {
    if (!PyLong_Check(object)) {
        PyObject *index = PyNumber_Index(object);
        if (!index) return -1;
        int result = take_u64(index, name, out);
        Py_DECREF(index);
        return result;
    }
    unsigned long long value = PyLong_AsUnsignedLongLong(object);
    if (value == (unsigned long long)-1 && PyErr_Occurred()) return -1;
    *out = (uint64_t)value;
    return 0;
}

static int take_u32(PyObject *object, const char *name, uint32_t *out) {
    uint64_t value = 0;
    if (take_u64(object, name, &value) < 0) return -1;
    if (value > UINT32_MAX) {
        PyErr_Format(PyExc_OverflowError, "%s (%llu) does not fit 32 bits", name, (unsigned long long)value);
        return -1;
    }
    *out = (uint32_t)value;
    return 0;
}

static int take_i32(PyObject *object, const char *name, int32_t *out) {
    long long value = PyLong_AsLongLong(object);
    if (value == -1 && PyErr_Occurred()) return -1;
    if (value < INT32_MIN || value > INT32_MAX) {
        PyErr_Format(PyExc_OverflowError, "%s (%lld) does not fit 32 bits", name, value);
        return -1;
    }
    *out = (int32_t)value;
    return 0;
}

static int take_handle(PyObject *object, const char *name, void **out) {
    uint64_t value = 0;
    if (take_u64(object, name, &value) < 0) return -1;
    *out = (void *)(uintptr_t)value;
    return 0;
}

static int take_bytes(PyObject *object, const char *name, const void **out, uint32_t *out_size) {
    char *data = NULL;
    Py_ssize_t size = 0;
    *out = NULL;
    *out_size = 0;
    if (object == Py_None) return 0;
    if (PyBytes_AsStringAndSize(object, &data, &size) < 0) return -1;
    if ((uint64_t)size > UINT32_MAX) {
        PyErr_Format(PyExc_OverflowError, "%s is longer than 32 bits can say", name);
        return -1;
    }
    *out = data;
    *out_size = (uint32_t)size;
    return 0;
}

static int count_arguments(Py_ssize_t count, Py_ssize_t least, int more, const char *name) {
    if (count >= least && (more || count == least)) return 0;
    PyErr_Format(PyExc_TypeError, "%s takes %s%zd arguments (%zd given)", name, more ? "at least " : "", least, count);
    return -1;
}

static PyObject *handle_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    unsigned long long address = 0;
    PyObject *owner = Py_None;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "K|O", &address, &owner)) return NULL;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Handle *self = (Handle *)alloc(type, 0);
    if (!self) return NULL;
    self->handle = (void *)(uintptr_t)address;
    self->owner = owner;
    Py_INCREF(owner);
    return (PyObject *)self;
}

static void handle_dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    Py_XDECREF(((Handle *)object)->owner);
    release(object);
    Py_DECREF(type);
}
""".strip()


def extension(entries: list[Entry]) -> str:
    parts = [C_HEAD.replace("NOTE", NOTE)]
    for entry in entries:
        parts.append("\n".join(pointer(entry)))
        parts.append("\n".join(method(entry)))
    for handle, methods in by_handle(entries).items():
        rows = [
            f'    {{"{e.method}", (PyCFunction)(void (*)(void)){e.function.name}_call, METH_FASTCALL, '
            f'"{e.method}({e.signature})"}},'
            for e in methods
        ]
        parts.append(
            f"static PyMethodDef {handle}_methods[] = {{\n" + "\n".join(rows) + "\n    {NULL, NULL, 0, NULL},\n};\n\n"
            f"static PyType_Slot {handle}_slots[] = {{\n"
            f"    {{Py_tp_new, (void *)handle_new}},\n"
            f"    {{Py_tp_dealloc, (void *)handle_dealloc}},\n"
            f"    {{Py_tp_methods, {handle}_methods}},\n"
            f"    {{0, NULL}},\n}};\n\n"
            f"static PyType_Spec {handle}_spec = {{\n"
            f'    "vkdispatch._native._vdhot.{handle}", (int)sizeof(Handle), 0, Py_TPFLAGS_DEFAULT, {handle}_slots,\n}};'
        )
    addresses = ["last_error", *(f"{e.function.name}_entry" for e in entries)]
    variables = ", ".join(f"a{i}" for i in range(len(addresses)))
    pointers = ", ".join(f"&a{i}" for i in range(len(addresses)))
    fill = "\n".join(f"    {assign(name, i, entries)}" for i, name in enumerate(addresses))
    order = ", ".join(["vd_last_error", *(e.function.name for e in entries)])
    parts.append(
        f"/* start(raise_function, addresses of {order}) */\n"
        "static PyObject *start(PyObject *module, PyObject *args) {\n"
        f"    unsigned long long {variables};\n"
        "    PyObject *function;\n"
        "    (void)module;\n"
        f'    if (!PyArg_ParseTuple(args, "O{"K" * len(addresses)}", &function, {pointers})) return NULL;\n'
        "    Py_INCREF(function);\n"
        "    Py_XDECREF(raise_function);\n"
        "    raise_function = function;\n"
        f"{fill}\n"
        "    Py_RETURN_NONE;\n"
        "}\n\n"
        "static PyMethodDef module_methods[] = {\n"
        '    {"start", start, METH_VARARGS, "start(raise_function, *addresses)"},\n'
        "    {NULL, NULL, 0, NULL},\n};\n\n"
        "static struct PyModuleDef module_definition = {\n"
        '    PyModuleDef_HEAD_INIT, "_vdhot", "Entries that are called often.", -1, module_methods, NULL, NULL, NULL, NULL,'
        "\n};"
    )
    adds = "\n".join(
        f"    type = PyType_FromSpec(&{handle}_spec);\n"
        f'    if (!type || PyModule_AddObject(module, "{handle}", type) < 0) return NULL;'
        for handle in by_handle(entries)
    )
    names = "".join(f', "{e.function.name}"' for e in entries)
    build = f'"({"s" * len(entries)})"{names}'
    parts.append(
        "int vd_add_launcher(PyObject *module); /* in _launcher.c */\n\n"
        "PyMODINIT_FUNC PyInit__vdhot(void) {\n"
        "    PyObject *module = PyModule_Create(&module_definition), *type;\n"
        "    if (!module) return NULL;\n"
        f"{adds}\n"
        f"    PyObject *entries = Py_BuildValue({build});\n"
        '    if (!entries || PyModule_AddObject(module, "ENTRIES", entries) < 0) return NULL;\n'
        "    if (vd_add_launcher(module) < 0) return NULL;\n"
        "    return module;\n"
        "}"
    )
    return "\n\n".join(parts) + "\n"


def assign(name: str, i: int, entries: list[Entry]) -> str:
    if name == "last_error":
        return f"last_error = (const char *(*)(void))(uintptr_t)a{i};"
    return f"{name} = ({name}_type)(uintptr_t)a{i};"


def c_param(entry: Entry, kind: str, param: model.Field) -> str:
    if kind in ("self", "handle"):
        return "void *"
    if kind == "array":
        return "void **" if param.type.ptr == 2 else "const uint64_t *"
    if kind == "bytes":
        return "const void *"
    if kind == "out":
        return f"{entry.out_type} *"
    if kind == "length":
        return "uint32_t"
    return C_TYPES[kind]


def pointer(entry: Entry) -> list[str]:
    params = ", ".join(c_param(entry, k, p) for k, p in entry.params)
    name = entry.function.name
    return [f"typedef int32_t (*{name}_entry_type)({params});", f"static {name}_entry_type {name}_entry;"]


def method(entry: Entry) -> list[str]:
    """Arguments in the entry's order; the elements of its array trail."""
    name = entry.function.name
    fixed = len(entry.fixed)
    more = 1 if entry.array else 0
    out = [
        f"static PyObject *{name}_call(PyObject *object, PyObject *const *args, Py_ssize_t count) {{",
        "    Handle *self = (Handle *)object;",
        f'    if (count_arguments(count, {fixed}, {more}, "{entry.method}") < 0) return NULL;',
    ]
    for i, (kind, param) in enumerate(entry.fixed):
        if kind == "bytes":
            out.append(f"    const void *{param.name};")
            out.append(f"    uint32_t {param.name}_length;")
            out.append(
                f'    if (take_bytes(args[{i}], "{param.name}", &{param.name}, &{param.name}_length) < 0) return NULL;'
            )
        else:
            ctype = C_TYPES[kind]
            gap = "" if ctype.endswith("*") else " "
            out.append(f"    {ctype}{gap}{param.name};")
            out.append(f'    if (take_{kind}(args[{i}], "{param.name}", &{param.name}) < 0) return NULL;')
    if entry.array:
        out += array(entry.array, fixed)
    if entry.out:
        out.append(f"    {entry.out_type} result = 0;")
    out.append(f"    int32_t status = {name}_entry({', '.join(argument(entry, k, p) for k, p in entry.params)});")
    if entry.array:
        out.append("    if (items != room) PyMem_Free(items);")
    quiet = f" && status != {entry.would_block}" if entry.would_block else ""
    out.append(f"    if (status < 0{quiet}) return failed(status);")
    if entry.out:
        out.append("    return PyLong_FromUnsignedLongLong(result);")
    else:
        out.append("    return PyLong_FromLong(status);")
    return [*out, "}"]


def array(param: model.Field, fixed: int) -> list[str]:
    handles = param.type.ptr == 2
    take = "take_handle" if handles else "take_u64"
    element = "void *" if handles else "uint64_t"
    return [
        "    void *room[32], **items = room;" if handles else "    uint64_t room[32], *items = room;",
        f"    Py_ssize_t length = count - {fixed};",
        "    if (length > 32) {",
        f"        items = PyMem_Malloc((size_t)length * sizeof({element}));",
        "        if (!items) return PyErr_NoMemory();",
        "    }",
        "    for (Py_ssize_t i = 0; i < length; i++) {",
        f'        if ({take}(args[{fixed} + i], "{param.name}", &items[i]) < 0) {{',
        "            if (items != room) PyMem_Free(items);",
        "            return NULL;",
        "        }",
        "    }",
    ]


def argument(entry: Entry, kind: str, param: model.Field) -> str:
    if kind == "self":
        return "self->handle"
    if kind == "array":
        return "items"
    if kind == "out":
        return "&result"
    if kind == "length":
        if entry.array and entry.array.ann["array"][0] == param.name:
            return "(uint32_t)length"
        assert entry.bytes
        return f"{entry.bytes.name}_length"
    return param.name


# ---- The same over cffi ----------------------------------------------------------------------------------------------

PY_HEAD = '''
"""The hot entries over cffi: where the extension cannot be had, under the same names."""

# fmt: off
import struct

from ._load import fail as _fail
from ._load import ffi, lib

NULL = ffi.NULL
_PACK = [struct.Struct(f"={n}Q").pack_into for n in range(33)]


class _Handle:
    """The address of a handle, and the object that keeps it alive."""

    def __init__(self, address, owner=None):
        self._self = ffi.cast("void *", address)
        self._owner = owner
        self._room = 0
        self._reserve(32)

    def _reserve(self, room):
        # Kept between calls: an object with such an entry belongs to one thread at a time.
        self._operands = ffi.new("uint64_t[]", room)
        self._view = ffi.buffer(self._operands)
        self._out = ffi.new("uint64_t *")
        self._room = room
'''.strip()


def fallback(entries: list[Entry]) -> str:
    out = [f"# {NOTE}", PY_HEAD]
    for handle, methods in by_handle(entries).items():
        out += ["", "", f"class {handle}(_Handle):", f'    """A {handle}."""', ""]
        out += ["    def __init__(self, address, owner=None):", "        super().__init__(address, owner)"]
        out.append(f'        self._self = ffi.cast("{handle} *", address)')
        for entry in methods:
            out += ["", *("    " + line for line in fallback_method(entry))]
    return "\n".join(out) + "\n"


def fallback_method(entry: Entry) -> list[str]:
    out = [f"def {entry.method}(self, {entry.signature}):", f'    """{entry.function.doc.summary}"""']
    call: list[str] = []
    for kind, param in entry.params:
        name = param.name
        if kind == "self":
            call.append("self._self")
        elif kind == "handle":
            call.append(f'ffi.cast("{param.type.name} *", {name})')
        elif kind == "bytes":
            call.append(f"NULL if {name} is None else {name}")
        elif kind == "length":
            if entry.array and entry.array.ann["array"][0] == name:
                call.append("_count")
            else:
                assert entry.bytes
                call.append(f"0 if {entry.bytes.name} is None else len({entry.bytes.name})")
        elif kind == "out":
            out.append("    _out = self._out")
            call.append("_out" if entry.out_type == "uint64_t" else f'ffi.cast("{param.type.name} *", _out)')
        elif kind == "array":
            out.append(f"    _count = len({name})")
            if param.type.ptr == 2:
                out.append(f'    _kept = ffi.new("uintptr_t[]", {name})')
                out.append(f'    _items = ffi.cast("{param.type.name} **", _kept)')
            else:
                out += [
                    "    if _count > self._room:",
                    "        self._reserve(_count)",
                    "    if _count <= 32:",
                    f"        _PACK[_count](self._view, 0, *{name})",
                    "    else:",
                    f'        struct.pack_into(f"={{_count}}Q", self._view, 0, *{name})',
                    "    _items = self._operands",
                ]
            call.append("_items")
        else:
            call.append(name)
    out.append(f"    _status = lib.{entry.function.name}({', '.join(call)})")
    quiet = f" and _status != {entry.would_block}" if entry.would_block else ""
    out += [f"    if _status < 0{quiet}:", "        _fail(_status)"]
    if entry.out and entry.out_type == "uint32_t":
        out.append(f'    return ffi.cast("{entry.out.type.name} *", _out)[0]')
    else:
        out.append("    return _out[0]" if entry.out else "    return _status")
    return out
