"""The promise of a release: what breaks it fails on a scratch copy, what may be added passes."""

import re
import shutil

import pytest
import released
from vdgen import header, promise

pytestmark = pytest.mark.tools

PAGE = """# What the header promises

## Breaks

| release | what | why |
|---|---|---|
"""


@pytest.fixture
def scratch(tmp_path, root):
    """A function that releases the real header into a scratch checkout, and checks it changed against that."""
    (tmp_path / "include").mkdir()
    (tmp_path / "docs").mkdir()
    target = tmp_path / released.HEADER
    shutil.copy(root / released.HEADER, target)
    (tmp_path / "docs/abi.md").write_text(PAGE)
    assert released.main(["--root", str(tmp_path), "--write"]) == 0
    text = target.read_text()

    def check(*changes: tuple[str, str], rows: str = "", release: tuple[str, str] = ("", "")) -> list[str]:
        changed = text
        for old, new in changes:
            assert changed.count(old) == 1, old
            changed = changed.replace(old, new)
        target.write_text(changed)
        (tmp_path / "docs/abi.md").write_text(PAGE + rows)
        for path in (tmp_path / released.FOLDER).glob("*.txt"):
            path.write_text(path.read_text().replace(*release)) if release[0] else None
        return released.check(tmp_path)

    return check


#: An entry goes, under its name at least.
GONE = ("VD_API void vd_graph_retain(", "VD_API void vd_graph_keep(")


def field_of(text: str, struct: str) -> list[str]:
    """The lines of a struct's fields."""
    body = text[text.index(f"typedef struct {struct} {{") : text.index(f"}} {struct};")]
    return body.split("\n")[1:-1]


@pytest.fixture
def graph_info(root):
    """The fields of vd_graph_info as the header writes them."""
    return field_of((root / released.HEADER).read_text(), "vd_graph_info")


def test_an_unchanged_header_keeps_its_release(scratch):
    assert scratch() == []


def test_a_type_that_renames_a_method_is_found(scratch):
    graph = "/** Recorded work. @since 0.1 */\n"
    (problem,) = scratch((graph, f"/** What a graph copies. */\ntypedef uint32_t vd_graph_copy_buffer;\n{graph}"))
    assert (
        "vd_graph_copy_buffer_to_image.method was 'method 'copy_buffer_to_image' of 'vd_graph'' and is 'constructor "
        "'to_image' of 'vd_graph_copy_buffer''" in problem
    )
    assert scratch((graph, f"/** What a graph copies. */\ntypedef uint32_t vd_graph_copied;\n{graph}")) == []


def test_what_comes_later_says_so(scratch, root):
    release = (root / released.HEADER).read_text()
    major, minor = (re.search(rf"#define VD_VERSION_{part} (\d+)", release)[1] for part in ("MAJOR", "MINOR"))
    graph = "/** Recorded work. @since 0.1 */\n"

    def with_type(since):
        alias = "typedef uint32_t vd_colour /*@values(VD_COLOUR_)*/;\nenum { VD_COLOUR_RED = 0 /**< Red. */ };\n"
        new = f"/** A colour. @since {since} */\n{alias}"
        return scratch((graph, f"{new}{graph}"))

    assert any("vd_colour says @since" in problem for problem in with_type(f"{major}.{minor}"))
    assert not any("says @since" in problem for problem in with_type(f"{major}.{int(minor) + 1}"))


def test_a_removed_symbol_fails(scratch):
    found = scratch(GONE)
    assert len(found) == 1 and "0.2: entry vd_graph_retain is gone, or no longer stable" in found[0]


def test_reordered_fields_fail(scratch, graph_info):
    first, second = graph_info[1:3]
    found = scratch((f"{first}\n{second}", f"{second}\n{first}"))
    names = [line.split()[1].rstrip(";") for line in (first, second)]
    assert len(found) == 2 and all(f"field vd_graph_info.{name} was '" in "".join(found) for name in names)


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("VD_LOG_ERROR          = 3", "VD_LOG_ERROR          = 5", "value VD_LOG_ERROR was '3' and is '5'"),
        ("VD_MAX_DIMS 8 ", "VD_MAX_DIMS 4 ", "constant VD_MAX_DIMS was '8' and is '4'"),
        ("typedef uint64_t vd_ticket", "typedef uint32_t vd_ticket", "type vd_ticket was 'uint64_t' and is 'uint32_t'"),
        (
            "vd_type_get_size(vd_type type,",
            "vd_type_get_size(uint64_t type,",
            "entry vd_type_get_size was '0.1 vd_status (vd_",
        ),
        (
            "typedef void (*vd_log_fn)(const ",
            "typedef int32_t (*vd_log_fn)(const ",
            "callback vd_log_fn was 'void (const",
        ),
        (
            "typedef struct vd_blob vd_blob;",
            "typedef struct vd_blob vd_blob /*@unstable*/;",
            "handle vd_blob is gone, or no",
        ),
        ("    VD_LOG_ERROR          = 3, /**< A failure. */\n", "", "value VD_LOG_ERROR is gone"),
        (
            "VD_API uint32_t vd_version(void) /*@module*/",
            "VD_API uint32_t vd_version(void) /*@module @unstable*/",
            "vd_version",
        ),
    ],
)
def test_a_changed_value_or_type_fails(scratch, old, new, message):
    assert message in "\n".join(scratch((old, new)))


@pytest.mark.parametrize(
    "old, new, message",
    [
        (
            "const vd_submit_desc *desc /*@nullable*/,",
            "const vd_submit_desc *desc,",
            "vd_graph_submit.desc was 'takes NULL' and is not",
        ),
        (
            "*label /*@nullable*/; /**< Name of the work in profiles",
            "*label; /**< Name of the work in profiles",
            "vd_order_desc.label was 'takes NULL' and is not",
        ),
        (
            "vd_context_get_last_ticket(vd_context *ctx, uint32_t queue, vd_ticket *out_ticket);",
            "vd_context_get_last_ticket(vd_context *ctx, uint32_t queue, vd_ticket *out_ticket) /*@waits*/;",
            "vd_context_get_last_ticket.waits was 'never waits'",
        ),
        (
            "typedef struct vd_plan vd_plan;",
            "typedef struct vd_plan vd_plan /*@exclusive*/;",
            "vd_plan.exclusive was 'any thread may use it'",
        ),
        (
            "VD_QUEUE_ALL 0xFFFFFFFF /*@type(uint32_t)*/",
            "VD_QUEUE_ALL 0xFFFFFFFF /*@type(uint64_t)*/",
            "VD_QUEUE_ALL was 'type uint32_t' and is 'type uint64_t'",
        ),
        ("/*@flags(VD_MAP_)*/", "/*@values(VD_MAP_)*/", "vd_map_flags was 'flags VD_MAP_' and is 'values VD_MAP_'"),
        (
            "vd_log_get_level(void) /*@module(log)*/",
            "vd_log_get_level(void) /*@module*/",
            "vd_log_get_level.method was",
        ),
    ],
)
def test_a_changed_fact_fails(scratch, old, new, message):
    found = scratch((old, new))
    assert len(found) == 1 and message in found[0]
    name = message.split()[0]
    assert scratch((old, new), rows=f"| 0.2 | `{name}` | A reason. |\n") == []


def test_a_fact_may_be_promised_later(scratch):
    taken = "vd_context_get_last_ticket(vd_context *ctx, uint32_t queue, vd_ticket *out_ticket"
    assert scratch((taken, f"{taken} /*@nullable*/")) == []


def test_an_appended_field_passes(scratch, graph_info):
    last = graph_info[-1]
    assert scratch((f"{last}\n}} vd_graph_info;", f"{last}\n    uint64_t later; /**< New. */\n}} vd_graph_info;")) == []


def test_a_plain_struct_may_not_grow(scratch, root):
    text = (root / released.HEADER).read_text()
    last = field_of(text, "vd_binding")[-1]
    macro = next(line for line in text.split("\n") if line.startswith("#define VD_BINDING_OF("))
    grown = (f"{last}\n}} vd_binding;", f"{last}\n    uint64_t later; /**< New. */\n}} vd_binding;")
    found = scratch(grown, (macro, macro.removesuffix(" }") + ", 0 }"))
    assert len(found) == 1 and "struct vd_binding was '" in found[0]


@pytest.mark.parametrize(
    "old, new",
    [
        ("    VD_LOG_ERROR          = 3,", "    VD_LOG_MORE = 7, /**< New. */\n    VD_LOG_ERROR          = 3,"),
        ("/* ---- Buffers ", "VD_API uint32_t vd_newer(void);\n/* ---- Buffers "),
        ("typedef uint64_t vd_ticket", "typedef uint64_t vd_time;\ntypedef vd_time vd_ticket"),
        ("VD_API uint32_t vd_version(void)", "VD_API VD_DEPRECATED uint32_t vd_version(void)"),
    ],
)
def test_an_addition_passes(scratch, old, new):
    assert scratch((old, new)) == []


def test_unstable_fields_and_entries_are_no_promise(scratch, root):
    text = (root / released.HEADER).read_text()
    count = next(line for line in field_of(text, "vd_builder_desc") if " cluster_size[3] /*@unstable*/" in line)
    assert scratch((count, count.replace("cluster_size", "cluster_shape", 1))) == []
    block = "VD_API vd_status vd_fft_block_create("
    assert scratch((block, block.replace("create", "create_other"))) == []


def test_a_break_needs_a_line_with_its_reason(scratch):
    assert scratch(GONE, rows="| 0.2 | `vd_graph_retain` | Receivers have levels of their own. |\n") == []
    assert len(scratch(GONE, rows="| 0.2 | `vd_graph_retain` | |\n")) == 1
    assert len(scratch(GONE, rows="| 0.1 | `vd_graph_retain` | Another release. |\n")) == 2
    assert "is as it was; remove the line" in scratch(rows="| 0.2 | `vd_graph_retain` | No break. |\n")[0]


def test_a_stable_promise_has_no_breaks(scratch):
    abi = ("#define VD_ABI 0 ", "#define VD_ABI 1 ")
    row = "| 0.2 | `vd_graph_retain` | A reason. |\n"
    assert "which no release of VD_ABI 1 may" in scratch(GONE, abi, rows=row, release=("abi 0", "abi 1"))[0]


def test_another_abi_number_is_another_promise(scratch):
    assert scratch(GONE, ("#define VD_ABI 0 ", "#define VD_ABI 1 ")) == []


def test_a_release_has_nothing_unstable_and_is_written_once(tmp_path, root, capsys):
    (tmp_path / "include").mkdir()
    shutil.copy(root / released.HEADER, tmp_path / released.HEADER)
    assert released.main(["--root", str(tmp_path), "--write"]) == 0
    text = (tmp_path / "abi/released/0.2.h").read_text()
    assert "vd_fft_block_create(" not in text and text.rstrip().endswith("#endif /* VKDISPATCH_H */")
    parsed = header.parse("0.2.h", text)
    assert parsed.sections[-1].title != "Unstable" and not [f for f in parsed.functions if f.unstable]
    layout = promise.read((tmp_path / "abi/released/0.2.txt").read_text())
    assert "vd_builder_desc.cluster_size" not in layout.items and "vd_order_desc.waits" in layout.items
    assert "vd_fft_block_create" not in layout.items and "vd_context_create" in layout.items
    assert released.main(["--root", str(tmp_path), "--write"]) == 1
    assert "nobody edits a release" in capsys.readouterr().err


def test_a_line_that_is_none_is_refused():
    with pytest.raises(ValueError, match="line 2: 'other x' is no line of a layout"):
        promise.read("abi 0\nother x\n")


def test_the_header_keeps_every_release(root):
    assert released.check(root) == []
