"""The conventions: each is refused where it is broken, with file and line."""

import pytest
from vdgen import check, header, layout
from vdgen.model import HeaderError


def problems(text: str) -> str:
    with pytest.raises(HeaderError) as caught:
        check.check(header.parse("include/h.h", text))
    assert all(line.startswith("include/h.h:") for line in str(caught.value).split("\n"))
    return str(caught.value)


def test_the_small_header_is_right(small):
    check.check(header.parse("h.h", small()))


def test_the_header_is_right(root):
    check.check(header.parse("h.h", (root / "include" / "vkdispatch.h").read_text()))


def test_a_long_line_is_refused():
    check.check_lines("h.h", "a" * 120 + "\n")
    with pytest.raises(HeaderError, match=r"h\.h:2: the line is longer than 120 columns"):
        check.check_lines("h.h", "a\n" + "a" * 121 + "\n")


@pytest.mark.parametrize("doc", ["", " /**< Clamp. */", " /**< (x low): between. */", " /**< (x, ): between. */"])
def test_an_op_without_operands_is_refused(root, doc):
    text = (root / "include" / "vkdispatch.h").read_text()
    before, rest = text.split("    VD_OP_CLAMP ", 1)
    line, after = rest.split("\n", 1)
    broken = f"{before}    VD_OP_CLAMP {line.split('/*')[0].rstrip()}{doc}\n{after}"
    assert "'VD_OP_CLAMP' does not begin with its operands" in problems(broken)


DROPPED = "VD_API void vd_buffer_drop(vd_buffer *buffer)"


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("vd_buffer_use(", "vd_Buffer_use(", "is not named vd_noun_verb"),
        ("VD_MAX_DIMS 8", "VD_MAX_dims 8\n#define VD_MAX_DIMS 8", "is not named VD_..."),
        ("VD_BUFFER_HOST  ", "VD_host  ", "is not named VD_..."),
        ("const vd_buffer_desc *desc", "const vd_other_desc *desc", "'vd_other_desc' is not a type of this header"),
        ("/** Memory on a device. @since 0.1 */", "", "'vd_buffer' has no summary"),
        ("/** Take a reference. @since", "/** Take a reference @since", "no sentence that ends with a full stop"),
        ("/** Take a reference. @since", "/** The reference. @since", "'vd_buffer_retain' does not begin with a verb"),
        ("/** Take a reference. @since 0.1 */", "/** Take a reference. */", "'vd_buffer_retain' has no @since"),
        ("/** Take a reference. @since 0.1", "/** Take a reference. @since 0.2", "past the header's version"),
        ("Dimensions at most. @since 0.1", "Dimensions at most.", "'VD_MAX_DIMS' has no @since with a version"),
        (
            "Dimensions at most. @since 0.1",
            "Dimensions at most. @since now",
            "'VD_MAX_DIMS' has no @since with a version",
        ),
        (
            "Dimensions at most. @since 0.1",
            "Dimensions at most. @since 0.2",
            "'VD_MAX_DIMS' is @since 0.2, past the header",
        ),
        ("/** Memory on a device. @since 0.1", "/** Memory on a device.", "'vd_buffer' has no @since with a version"),
        (
            "/** Memory on a device. @since 0.1",
            "/** Memory on a device. @since 0.0",
            "handle 'vd_buffer' is @since 0.0, and 'vd_buffer_retain' @since 0.1",
        ),
        ("/** How a buffer is placed. @since 0.1", "/** How a buffer is placed.", "'vd_buffer_flags' has no @since"),
        (
            "/** How a buffer is placed. @since 0.1",
            "/** How a buffer is placed.",
            "'enum of VD_BUFFER_DEVICE' has no @since",
        ),
        (" * @param count    A number.\n", "", "has no @param for 'count'"),
        (
            "VD_API void vd_log_set_level(",
            "VD_API vd_status vd_log_set_level(",
            "'vd_log_set_level' has no @param for 'level'",
        ),
        ("@param count  ", "@param counts ", "documents 'counts', which is no parameter"),
        ("/**< Bytes. */", "", "field 'vd_buffer_desc.size' is not documented"),
        ("/**< Bytes. */", "/**< bytes. */", "'vd_buffer_desc.size' does not begin with a capital letter"),
        ("/**< Bytes. */", "/**< 8 bytes. */", "'vd_buffer_desc.size' does not begin with a capital letter"),
        ("/**< Bytes. */", "/**< Bytes; */", "'vd_buffer_desc.size' does not end with a full stop"),
        ("/**< Bytes. */", "/**< Of bytes. */", "'vd_buffer_desc.size' begins with 'Of', not with what it is"),
        (
            "/**< Host memory. */",
            "/**< host memory. */",
            "'VD_BUFFER_HOST' is no sentence from capital letter to full stop",
        ),
        ("uint64_t *out_value", "uint64_t *value", "is written to, so it is called out_"),
        ("uint64_t *out_value", "const uint64_t *out_value", "is an output but const"),
        ("uint64_t *out_value", "uint64_t out_value", "is an output but no pointer"),
        ("vd_buffer *buffer, uint32_t count,", "uint32_t *out_c, vd_buffer *buffer,", "stands behind an output"),
        ("vd_buffer *buffer, uint32_t", "vd_buffer buffer, uint32_t", "is a struct by value"),
        ("@array(item_count)", "@array(items)", "is @array(items), which is no integer beside it"),
        (" /*@nullable @bytes(data_size)*/", "", "is a void pointer without @bytes or @user"),
        ("uint32_t        struct_size;", "uint64_t        struct_size;", "does not begin with 'uint32_t struct_size'"),
        ("vd_buffer_flags flags; ", "uint8_t flags; ", "bytes of padding before 'size'"),
        ("{ 0 }, NULL, NULL }", "{ 0 }, NULL }", "has 7 values for 8 fields"),
        ("sizeof(vd_buffer_desc), 0,", "sizeof(vd_buffer_desc), VD_BUFFER_HOST,", "gives 'flags' VD_BUFFER_HOST"),
        ("    VD_STATUS_FORCE_32 = 0x7FFFFFFF\n", "    VD_LAST = 3 /**< Last. */\n", "does not end with a FORCE_32"),
        ("VD_INCOMPLETE      = 2", "VD_INCOMPLETE      = 0", "have the same value (0)"),
        ("VD_BUFFER_HOST   = 1 << 0", "VD_BUFFER_HOST   = 3", "is more than one bit"),
        ("@flags(VD_BUFFER_)", "@flags(VD_BUF_)", "have no enumerators that start with VD_BUF_"),
        ("VD_API void vd_buffer_release(vd_buffer *buffer /*@nullable*/)", DROPPED, "has no 'void vd_buffer_release"),
        ("vd_buffer **out_buffer);", "uint64_t *out_buffer);", "is called create, but has no 'vd_buffer **out_...'"),
        ("uint64_t *out_value", "uint8_t *out_value", "cannot be passed by a hot entry"),
    ],
)
def test_a_broken_convention_is_refused(small, old, new, message):
    assert message in problems(small(old, new))


def test_a_struct_that_grows_has_an_init_macro(small):
    init = "#define VD_BUFFER_DESC_INIT { (uint32_t)sizeof(vd_buffer_desc), 0, 0, 0, 0, { 0 }, NULL, NULL }"
    assert "has no VD_BUFFER_DESC_INIT" in problems(small(init, ""))


def test_all_problems_are_reported_at_once(small):
    text = small(" * @param count    A number.\n", "").replace("/**< Bytes. */", "")
    assert len(problems(text).split("\n")) == 2


def test_layout_of_the_small_struct(small):
    h = header.parse("h.h", small())
    placed = layout.struct_layout(h, h.find("vd_buffer_desc"))
    assert (placed.size, placed.align) == (104, 8)
    assert [(p.field.name, p.offset, p.size) for p in placed.places] == [
        ("struct_size", 0, 4),
        ("flags", 4, 4),
        ("size", 8, 8),
        ("rank", 16, 4),
        ("device", 20, 4),
        ("shape", 24, 64),
        ("label", 88, 8),
        ("data", 96, 8),
    ]
