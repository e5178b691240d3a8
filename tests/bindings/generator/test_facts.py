"""Annotations: each fact is in api.json and the reference, and one that cannot be true is refused."""

import json

import pytest
from vdgen import check, emit_docs, emit_json, header, nouns
from vdgen.model import HeaderError

READ = "VD_API vd_status vd_buffer_read(vd_buffer *buffer, uint64_t size, void *out_data /*@bytes(size)*/)"
SIZES = "/*@static @remarks(VD_INCOMPLETE)*/"
WAITS = "/*@waits @remarks(VD_TIMEOUT)*/"
LAST_ERROR = "VD_API const char *vd_last_error(void) /*@module*/;"
PARSE = "VD_API vd_status vd_recorder_parse(const char *text, vd_recorder **out_recorder) /*@constructs*/;"
ADD = "VD_API vd_status vd_recorder_add(vd_recorder *recorder, vd_buffer *buffer, vd_step step);"
DIMS = "#define VD_MAX_DIMS 8 /*@type(uint32_t)*/ /**< Dimensions at most. @since 0.1 */"
UNSTABLE_CONSTANT = "#define VD_UNSTABLE_VERSION 3 /*@type(uint32_t)*/ /**< Version of the section. @since 0.1 */\n"
RETAIN_IMAGE = "VD_API void vd_image_retain(vd_image *image /*@nullable*/) /*@unstable*/;"
LABEL = "const char     *label /*@nullable*/; "


def problems(text: str) -> str:
    with pytest.raises(HeaderError) as caught:
        check.check(header.parse("include/h.h", text))
    return str(caught.value)


@pytest.mark.parametrize(
    "old, new, message",
    [
        # waits
        ("uint64_t *out_value) /*@hot*/", "uint64_t *out_value) /*@hot @waits*/", "'vd_buffer_use' is @hot and @waits"),
        (" * Use buffers.", " * Use buffers. Waits for them.", "says that it waits, but is not marked @waits"),
        (
            "uint32_t data_size, uint64_t *out_value) /*@hot*/",
            "uint32_t data_size, uint64_t *out_ticket /*@nullable*/)",
            "'vd_buffer_use' submits work, but is not marked @waits: a full queue has no room for it",
        ),
        ("Read. Waits for the memory.", "Read.", "'vd_buffer_read' is @waits, but its comment does not say for what"),
        # remarks
        (WAITS, "/*@waits*/", "'vd_buffer_read' returns VD_TIMEOUT, which is not in its @remarks"),
        ("@return VD_TIMEOUT; VD_ERR", "@return VD_ERR", "has @remarks(VD_TIMEOUT), but @return does not name it"),
        (WAITS, "/*@waits @remarks(VD_TIMEOUT, VD_LATER)*/", "@remarks(VD_LATER), which is no positive vd_status"),
        (WAITS, "/*@waits @remarks(VD_TIMEOUT, VD_ERR_INVALID)*/", "VD_ERR_INVALID), which is no positive vd_status"),
        (SIZES, "/*@static*/", "'vd_buffer_sizes' gives a list, but has no @remarks(VD_INCOMPLETE)"),
        (
            "uint32_t level) /*@module(log)*/",
            "uint32_t level) /*@module(log) @remarks(VD_TIMEOUT)*/",
            "does not return vd_",
        ),
        # partial, exclusive
        (ADD, ADD.replace(";", " /*@partial*/;"), "'vd_recorder_add' is @partial, but has no status or no outputs"),
        (LAST_ERROR, LAST_ERROR.replace("@module", "@module @partial"), "is @partial, but has no status or no outputs"),
        (ADD, ADD.replace(";", " /*@exclusive*/;"), "is @exclusive, which vd_recorder is already"),
        (SIZES, SIZES.replace("@static", "@static @exclusive"), "'vd_buffer_sizes' is @exclusive, but takes no object"),
        # enumerators and their types
        ("= 0,  /**< Success. */", "= 0,", "enumerator 'VD_OK' is not documented"),
        (" /*@values(VD_STEP_)*/", "", "the enumerators from 'VD_STEP_ONE' on have no type"),
        ("VD_STEP_ALL = 9", "VD_WALK_ALL = 9", "the enumerators from 'VD_STEP_ONE' on have no type"),
        ("@values(VD_STEP_)", "@values(VD_STEPS_)", "no enumerators of that prefix precede it"),
        ("@values(VD_STEP_)", "@values(VD_STEP_) @flags(VD_STEP_)", "is @flags and @values"),
        ("typedef uint32_t vd_step", "typedef float vd_step", "is no integer of 32 or 64 bits"),
        # constants
        (DIMS, DIMS.replace(" /**< Dimensions at most. @since 0.1 */", ""), "constant 'VD_MAX_DIMS' is not documented"),
        (DIMS, DIMS.replace(" /*@type(uint32_t)*/", ""), "constant 'VD_MAX_DIMS' has no @type"),
        (DIMS, DIMS.replace("(uint32_t)", "(vd_buffer)"), "@type(vd_buffer), which is no integer type of this header"),
        ("VD_ABI 0 ", "VD_ABI -1 ", "constant 'VD_ABI' (-1) does not fit its @type(uint32_t)"),
        ("VD_ABI 0 ", "VD_ABI 0x100000000 ", "constant 'VD_ABI' (4294967296) does not fit its @type(uint32_t)"),
        # arrays in structs
        (
            "shape[VD_MAX_DIMS] /*@array(rank)*/",
            "shape[VD_MAX_DIMS] /*@array(ranks)*/",
            "@array(ranks), which is no integer",
        ),
        ("device;             /**<", "device /*@array(rank)*/; /**<", "'device' is annotated but no pointer"),
        # deprecated
        (ADD, ADD.replace(";", " /*@deprecated(vd_recorder_parse)*/;"), "has one of VD_DEPRECATED and @deprecated"),
        (ADD, ADD.replace("VD_API", "VD_API VD_DEPRECATED"), "has one of VD_DEPRECATED and @deprecated"),
        (
            LABEL,
            LABEL.replace("@nullable", "@nullable @deprecated(name)"),
            "@deprecated(name), which this header does not have",
        ),
        (
            LABEL,
            LABEL.replace("@nullable", "@nullable @deprecated(label)"),
            "@deprecated(label), which this header does not",
        ),
        # unstable
        (ADD, ADD.replace(";", " /*@unstable*/;"), "is @unstable, but not in a last section called 'Unstable'"),
        (
            RETAIN_IMAGE,
            RETAIN_IMAGE.replace(" /*@unstable*/", ""),
            "is in the section 'Unstable', but not marked @unstable",
        ),
        (
            "Lists of work. */",
            "Lists of work. */\n/* ---- Unstable ---- */\n#ifdef VD_UNSTABLE\n/* ---- More ---- */",
            "the section 'Unstable' is not the last one",
        ),
        (
            UNSTABLE_CONSTANT,
            "",
            "the section 'Unstable' does not define VD_UNSTABLE_VERSION",
        ),
        ("VD_UNSTABLE_VERSION }", "0 }", "VD_IMAGE_DESC_INIT gives 'unstable_version' 0, not VD_UNSTABLE_VERSION"),
        (
            "uint32_t unstable_version;",
            "int32_t unstable_version;",
            "nor a descriptor with 'uint32_t unstable_version' behind its struct_size",
        ),
        (
            "const vd_image_desc *desc, vd_image **out_image)",
            "const vd_buffer_desc *desc, vd_image **out_image)",
            "'vd_image_create' is unstable, but takes neither an unstable object nor a descriptor",
        ),
        (
            "vd_buffer *buffer, vd_step step)",
            "vd_image *buffer, vd_step step)",
            "is stable, but takes or gives the unstable",
        ),
        (
            LABEL,
            LABEL.replace("char     ", "vd_image "),
            "field 'vd_buffer_desc.label' is stable, but its type vd_image is",
        ),
        # names
        (LAST_ERROR, LAST_ERROR.replace(" /*@module*/", ""), "'vd_last_error' begins with no declared type"),
        ("/*@module(log)*/", "/*@module(logs)*/", "is @module(logs), which does not begin its name"),
        ("/*@module(log)*/", "/*@module(log) @static*/", "is @module and @static: it can be one of them"),
        (
            PARSE,
            PARSE.replace(" /*@constructs*/", ""),
            "does not take a vd_recorder first: rename it, or mark it @static",
        ),
        (PARSE, PARSE.replace("@constructs", "@module(recorder)"), "is @module, but its noun is the type vd_recorder"),
        (PARSE, PARSE.replace("_parse", "_create_text"), "is called create, so @constructs has no meaning on it"),
        (
            PARSE,
            PARSE.replace("recorder **out_recorder", "buffer **out_recorder"),
            "but has no 'vd_recorder **out_...'",
        ),
        (
            PARSE,
            PARSE.replace("char *text", "vd_recorder *text").replace(" /*@constructs*/", ""),
            "gives a new vd_recorder",
        ),
        (ADD, ADD.replace(";", " /*@static*/;"), "is @static, but takes a vd_recorder first"),
        (ADD, ADD.replace(";", " /*@constructs*/;"), "is @constructs, but gives no new object"),
        (ADD, ADD.replace("vd_recorder_add", "vd_buffer_add"), "'vd_buffer_add' does not take a vd_buffer first"),
    ],
)
def test_a_fact_that_cannot_be_true_is_refused(small, old, new, message):
    assert message in problems(small(old, new))


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("/*@hot*/", "/*@flags(VD_)*/", "@flags has no meaning on an entry"),
        ("vd_step step)", "vd_step step /*@waits*/)", "@waits has no meaning on a parameter"),
        ("vd_recorder /*@exclusive*/;", "vd_recorder /*@hot*/;", "@hot has no meaning on a handle"),
        ("} vd_status;", "} vd_status /*@exclusive*/;", "@exclusive has no meaning on a type"),
        ("@values(VD_STEP_)", "@waits", "@waits has no meaning on an alias"),
        ("9 /*@unstable*/", "9 /*@type(vd_step)*/", "@type has no meaning on an enumerator"),
        ("8 /*@type(uint32_t)*/", "8 /*@flags(VD_)*/", "@flags has no meaning on a constant"),
        ("@remarks(VD_TIMEOUT)", "@remarks", "@remarks takes at least 1 argument(s), not 0"),
        ("uint64_t size, void *out_data", "size_t size, void *out_data", "'size_t' is outside the subset"),
    ],
)
def test_an_annotation_in_the_wrong_place_stops_the_parser(small, old, new, message):
    with pytest.raises(HeaderError) as caught:
        header.parse("h.h", small(old, new))
    assert message in str(caught.value)


def test_deprecated_and_unstable_are_accepted_where_they_are_right(small):
    add = ADD.replace("VD_API", "VD_API VD_DEPRECATED").replace(";", " /*@deprecated(vd_recorder_parse)*/;")
    parsed = header.parse(
        "h.h", small(ADD, add).replace(LABEL, LABEL.replace("@nullable", "@nullable @deprecated(data)"))
    )
    check.check(parsed)
    assert parsed.find("vd_recorder_add").state == "deprecated"
    reference = emit_docs.emit(parsed)["docs/reference.md"]
    assert "*Deprecated:* use `vd_recorder_parse`." in reference and "*Deprecated:* use `data`." in reference


def test_every_entry_states_its_facts(small):
    data = json.loads(emit_json.emit(header.parse("h.h", small()))[emit_json.PATHS[0]])
    by_name = {f["name"]: f for f in data["functions"]}
    keys = ("noun", "method", "kind", "waits", "remarks", "exclusive")
    facts = {name: tuple(f[key] for key in keys) for name, f in by_name.items()}
    assert facts["vd_last_error"] == ("", "last_error", "module", False, [], [])
    assert facts["vd_log_set_level"] == ("log", "set_level", "module", False, [], [])
    assert facts["vd_buffer_create"] == ("vd_buffer", "create", "constructor", False, [], [])
    assert facts["vd_buffer_read"] == ("vd_buffer", "read", "method", True, ["VD_TIMEOUT"], [])
    assert facts["vd_buffer_sizes"] == ("vd_buffer", "sizes", "static", False, ["VD_INCOMPLETE"], [])
    assert facts["vd_recorder_parse"] == ("vd_recorder", "parse", "constructor", False, [], [])
    assert facts["vd_recorder_add"] == ("vd_recorder", "add", "method", False, [], ["recorder"])
    assert facts["vd_recorder_release"] == ("vd_recorder", "release", "method", False, [], [])
    assert by_name["vd_image_retain"]["state"] == "unstable"
    assert next(h for h in data["handles"] if h["name"] == "vd_recorder")["exclusive"] is True
    assert next(h for h in data["handles"] if h["name"] == "vd_image")["unstable"] is True
    dims = {"name": "VD_MAX_DIMS", "since": "0.1", "type": "uint32_t", "value": 8, "doc": "Dimensions at most."}
    assert dims in data["constants"]
    step = next(a for a in data["aliases"] if a["name"] == "vd_step")
    assert (step["values"], step["doc"]) == ("VD_STEP_", "How to go on.")
    for kind in ("constants", "handles", "aliases", "enums", "structs", "functions"):
        assert {declaration["since"] for declaration in data[kind]} == {"0.1"}, kind
    steps = next(e for e in data["enums"] if e.get("type") == "vd_step")
    assert steps["values"][1]["unstable"] is True
    desc = next(s for s in data["structs"] if s["name"] == "vd_buffer_desc")
    assert next(f for f in desc["fields"] if f["name"] == "shape")["array"] == "rank"


def test_pointers_and_comments_are_facts(small):
    functions = """/** Frees. @since 0.1 */
typedef void (*vd_free_fn)(void *user /*@nullable*/);

/** Bytes that are read. @since 0.1 */
typedef struct vd_source {
    vd_free_fn release /*@nullable*/; /**< Frees. */
    vd_free_fn told;                  /**< Is told. */
} vd_source;
#define VD_SOURCE_INIT { NULL, NULL }

/**
 * Get the bytes. They may be none.
 *
 * @param buffer   Where from.
 * @param told     Is told.
 * @param freed    Frees.
 * @param out_size How many.
 * @return The bytes, or NULL.
 * @since 0.1
 */
VD_API const void *vd_buffer_bytes(const vd_buffer *buffer, vd_free_fn told, vd_free_fn freed /*@nullable*/,
                                   uint64_t *out_size) /*@borrowed(buffer) @nullable*/;

"""
    mark = "/** How a buffer is placed. @since 0.1 */"
    parsed = header.parse("h.h", small(mark, functions + mark))
    check.check(parsed)
    data = json.loads(emit_json.emit(parsed)[emit_json.PATHS[0]])
    by_name = {f["name"]: f for f in data["functions"]}
    entry = by_name["vd_buffer_bytes"]
    assert entry["result"] == {"type": "void", "ptr": 1, "const": True, "nullable": True, "bytes": "out_size"}
    assert by_name["vd_last_error"]["result"] == {"type": "char", "ptr": 1, "const": True, "nullable": False}
    assert (entry["doc"], entry["details"]) == ("Get the bytes.", "They may be none.")
    assert entry["return_doc"] == "The bytes, or NULL."
    params = {p["name"]: (p.get("nullable"), p["doc"]) for p in entry["params"]}
    assert params["told"] == (False, "Is told.") and params["freed"] == (True, "Frees.")
    fields = {f["name"]: f["nullable"] for f in next(s for s in data["structs"] if s["name"] == "vd_source")["fields"]}
    assert fields == {"release": True, "told": False}
    assert data["callbacks"][-1]["params"][0]["nullable"] is True and data["callbacks"][-1]["since"] == "0.1"
    assert all("doc" in p for f in data["functions"] for p in f["params"] if f["name"] == "vd_buffer_use")


def test_the_reference_states_the_facts(small):
    text = emit_docs.emit(header.parse("h.h", small()))["docs/reference.md"]
    for line in (
        "Method `read` of `vd_buffer`. May wait. Remarks: `VD_TIMEOUT`. Since 0.1.",
        "Method `use` of `vd_buffer`. Hot: never waits. Since 0.1.",
        "Method `add` of `vd_recorder`. One thread at a time: `recorder`. Since 0.1.",
        "Module `log`. Since 0.1.",
        "Method `retain` of `vd_image`. *Unstable.* Since 0.1.",
        "| `VD_STEP_ALL` | 9 | All steps. *Unstable.* |",
        "| `shape` | `uint64_t[8]`, `rank` of them | Elements. |",
        "`VD_MAX_DIMS` = `8`, a `uint32_t`. Dimensions at most.",
        "### vd_step",
    ):
        assert line in text, line


def test_a_ticket_comes_after_its_context(small):
    context = """/** Devices. @since 0.1 */
typedef struct vd_context vd_context;
/** Take a reference. @since 0.1 */
VD_API void vd_context_retain(vd_context *ctx /*@nullable*/);
/** Drop a reference. @since 0.1 */
VD_API void vd_context_release(vd_context *ctx /*@nullable*/);
/** A point in time. @since 0.1 */
typedef uint64_t vd_ticket;
/**
 * Ask for a ticket.
 *
 * @param ctx    Context.
 * @param ticket Ticket.
 * @return VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_ticket_ask(vd_context *ctx, vd_ticket ticket);

"""
    mark = "/** How a buffer is placed. @since 0.1 */"
    right = header.parse("h.h", small(mark, context + mark))
    check.check(right)
    ask = right.find("vd_ticket_ask")
    assert nouns.object_of(right, ask).name == "ticket" and nouns.named(right, ask).kind == "method"
    swapped = context.replace("vd_context *ctx, vd_ticket ticket)", "vd_ticket *ctx /*@inout*/, uint64_t ticket)")
    assert "does not take 'vd_context *' and 'vd_ticket' first" in problems(small(mark, swapped + mark))


def test_every_entry_of_the_header_has_its_noun(root):
    parsed = header.parse("h.h", (root / "include" / "vkdispatch.h").read_text())
    assert list(nouns.rule(parsed)) == []
    data = json.loads((root / "bindings/generator/api.json").read_text())
    for function in data["functions"]:
        assert {"noun", "method", "kind", "waits", "remarks", "exclusive"} <= set(function), function["name"]
        assert function["method"] and (function["noun"] or function["kind"] == "module")
