"""The parser: what it reads, and where it stops."""

import shutil
import subprocess

import pytest
from vdgen import header, model
from vdgen.model import HeaderError


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


def test_it_reads_every_kind_of_declaration(small):
    h = header.parse("h.h", small())
    assert [s.title for s in h.sections] == ["Version", "Buffers", "Recorders", "Unstable"]
    names = ["vd_last_error", "vd_buffer_retain", "vd_buffer_release", "vd_buffer_create", "vd_buffer_use"]
    assert [f.name for f in h.functions][:5] == names and len(h.functions) == 15
    assert [x.name for x in h.handles] == ["vd_buffer", "vd_recorder", "vd_image"]
    assert h.constant("VD_MAX_DIMS") == 8


def test_types_annotations_and_docs(small):
    h = header.parse("h.h", small())
    use = h.find("vd_buffer_use")
    items = use.params[2]
    assert (items.type.name, items.type.ptr, items.ann) == ("vd_buffer", 2, {"nullable": [], "array": ["item_count"]})
    assert use.hot and use.doc.params["items"] == "Others." and use.doc.since == "0.1"
    desc = h.find("vd_buffer_desc")
    assert desc.fields[5].type == model.Type("uint64_t", array=8, array_name="VD_MAX_DIMS")
    assert desc.fields[7].ann == {"nullable": [], "bytes": ["size"]}
    assert desc.fields[7].doc == "Contents."
    assert desc.init == ["(uint32_t)sizeof(vd_buffer_desc)", "0", "0", "0", "0", "{ 0 }", "NULL", "NULL"]
    assert h.find("vd_buffer_flags").flags == "VD_BUFFER_"
    create = h.find("vd_buffer_create")
    assert (create.doc.summary, create.doc.body) == ("Create a buffer.", "Its contents are undefined.")
    invalid = h.find("vd_status").values[3]
    assert (invalid.name, invalid.value, invalid.doc) == ("VD_ERR_INVALID", -1, "A wrong argument.")


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("uint32_t count,", "long count,", "'long' is outside the subset"),
        ("uint32_t count,", "uint32_t count[4],", "an array parameter is written as a pointer"),
        ("uint32_t count,", "...,", "unexpected character '.'"),
        ("uint32_t count,", "void (*count)(int),", "expected a name"),
        ("uint32_t count,", "vd_buffer ***count,", "more than two stars"),
        ("uint32_t count,", "uint32_t buffer,", "parameter 'buffer' is declared twice"),
        ("(void)", "()", "written '(void)'"),
        ("uint64_t        size; ", "uint64_t size : 3; ", "bit-fields are outside the subset"),
        ("uint64_t        size; ", "union { int a; } size; ", "'union' is outside the subset"),
        ("uint64_t        size; ", "uint64_t flags; ", "field 'flags' is declared twice"),
        ("uint64_t        shape[VD_MAX_DIMS]", "uint64_t shape[VD_SOME]", "'VD_SOME' is not a number"),
        ("VD_INCOMPLETE      = 2", "VD_INCOMPLETE", "has no explicit value"),
        ("VD_INCOMPLETE      = 2", "VD_INCOMPLETE = VD_OK", "'VD_OK' is not a number"),
        ("} vd_status;", "} vd_stat;", "'vd_stat' closes a type that was opened as 'vd_status'"),
        ("/*@hot*/", "/*@hott*/", "unknown annotation @hott"),
        ("/*@hot*/", "/*@hot(1)*/", "@hot takes 0 argument(s), not 1"),
        ("/*@hot*/", "/*@hot @hot*/", "@hot is given twice"),
        ("/*@hot*/", "/*@hot ?*/", "cannot read the annotation"),
        ("/*@hot*/", "/* @hot*/", "an annotation starts with '/*@'"),
        ("#define VD_ABI 0", "#define VD_ABI(x) x", "macro 'VD_ABI' takes arguments"),
        ("#define VD_ABI 0", "#define VD_ABI_OF(x) { x }", "macro 'VD_ABI_OF' takes arguments"),
        ("#define VD_ABI 0", "#define VD_ABI sizeof", "neither a number nor a string"),
        ("#define VD_ABI 0", "#if 1", "'#if' is outside the subset"),
        ("#define VD_ABI 0", "#include <stdio.h>", "'#include' is outside the subset"),
        ("#define VD_BUFFER_DESC_INIT", "#define VD_OTHER_INIT", "belongs to no struct"),
        ("typedef struct vd_buffer vd_buffer;", "static int x;", "expected a declaration, found 'static'"),
        ("typedef struct vd_buffer vd_buffer;", "struct vd_buffer;", "expected a declaration, found 'struct'"),
        ("typedef struct vd_buffer vd_buffer;", "typedef enum { A } vd_buffer;", "'enum' is outside the subset"),
        ("/** Take a reference. @since 0.1 */", "/** A. */\n/** B. @since 0.1 */", "documents nothing"),
        ("VD_API void vd_buffer_release", "VD_API void vd_buffer_retain", "is declared twice"),
        (" * @param count    A number.", " * @param buffer   A number.", "@param buffer is given twice"),
        ("#ifdef VD_UNSTABLE\n", "/* no fence */\n", "the section 'Unstable' does not begin with '#ifdef VD_UNSTABLE'"),
        (
            "#ifdef VD_UNSTABLE\n",
            "#ifdef VD_OTHER\n",
            "the section 'Unstable' does not begin with '#ifdef VD_UNSTABLE'",
        ),
        ("#endif /* VD_UNSTABLE */\n", "/* no end */\n", "the section 'Unstable' does not end with '#endif'"),
        (
            "#endif /* VD_UNSTABLE */\n",
            "#endif\n/** Another. */\ntypedef struct vd_other vd_other;\n",
            "follows the '#endif' of the section 'Unstable'",
        ),
        ("#define VD_ABI 0", "#endif\n#define VD_ABI 0", "'#endif' is outside the subset"),
    ],
)
def test_it_stops_at_what_is_outside_the_subset(small, old, new, message):
    text = small(old, new)
    with pytest.raises(HeaderError) as caught:
        header.parse("include/h.h", text)
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"include/h.h:{caught.value.line}: ")
    # The line is the offending one, or opens the declaration or comment around it.
    assert abs(caught.value.line - line_of(text, new)) <= 12


def test_the_line_is_exact(small):
    text = small("uint32_t count,", "unsigned count,")
    with pytest.raises(HeaderError) as caught:
        header.parse("h.h", text)
    assert caught.value.line == line_of(text, "unsigned count,")


def test_a_function_that_is_not_read_is_noticed(small):
    hidden = "/* hidden\nVD_API void vd_lost(void);\n*/\n/** How a buffer is placed. @since 0.1 */"
    text = small("/** How a buffer is placed. @since 0.1 */", hidden)
    with pytest.raises(HeaderError, match="16 lines start with VD_API, but 15 functions were read"):
        header.parse("h.h", text)


def test_nothing_follows_the_end(small):
    with pytest.raises(HeaderError, match="after the end of the header"):
        header.parse("h.h", small() + "int x;")


def test_a_header_without_sections_is_refused():
    with pytest.raises(HeaderError, match="no section comment"):
        header.parse("h.h", "int x;")


def test_a_second_parser_agrees(root, tmp_path):
    """pycparser, after the preprocessor, finds the same functions with the same parameters."""
    pycparser = pytest.importorskip("pycparser")
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("no C compiler")
    integers = [f"{s}int{n}_t" for s in ("", "u") for n in (8, 16, 32, 64)]
    (tmp_path / "stdint.h").write_text("".join(f"typedef int {name};\n" for name in integers))
    (tmp_path / "stddef.h").write_text("typedef unsigned size_t;\n")
    path = root / "include" / "vkdispatch.h"
    command = [compiler, "-E", "-P", "-nostdinc", "-D__attribute__(x)=", "-DVD_UNSTABLE", f"-I{tmp_path}", str(path)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = {}
    for node in pycparser.CParser().parse(text).ext:
        if isinstance(node, pycparser.c_ast.Decl) and isinstance(node.type, pycparser.c_ast.FuncDecl):
            found[node.name] = [p.name for p in node.type.args.params if p.name]
    ours = header.parse("h.h", path.read_text())
    assert found == {f.name: [p.name for p in f.params] for f in ours.functions}
