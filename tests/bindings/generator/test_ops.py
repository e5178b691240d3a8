"""The op table is read as it is, and errors in it are refused with their file and line."""

import json
import re
import shutil

import generate
import pytest
from vdgen import emit_build, emit_ops, emit_python_ops, header, ops
from vdgen.model import HeaderError

SQRT = 'VD_IR_OP(SQRT, 123, "x", Transcendental, First, None, kFloat, 4.5, 0,'


@pytest.fixture
def checkout(root, tmp_path):
    """A copy of the table and its rules, in which one piece of text is replaced by another."""

    def make(old: str, new: str, file: str = ops.TABLE):
        for name in (ops.TABLE, ops.RULES):
            target = tmp_path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, target)
        text = (tmp_path / file).read_text()
        assert old in text
        (tmp_path / file).write_text(text.replace(old, new, 1))
        return tmp_path

    return make


def test_a_row_is_read(root):
    table = ops.read(root)
    clamp = next(op for op in table.ops if op.id == "CLAMP")
    assert (clamp.number, clamp.name, clamp.group) == (44, "clamp", "arithmetic")
    assert [operand.name for operand in clamp.operands] == ["x", "low", "high"]
    assert (clamp.fewest, clamp.most, clamp.classes) == (3, 3, ["float"])
    printf = next(op for op in table.ops if op.id == "PRINTF")
    assert (printf.fewest, printf.most) == (1, ops.MANY)
    assert printf.operands[1] == ops.Operand("values", True, True)
    exp = next(op for op in table.ops if op.id == "EXP")
    assert exp.summary == "e to the power of x."
    assert exp.rest.startswith("Native: 3 + 2 |x| ULP.")
    assert {op.name for op in table.of("loop")} == {"while", "loop", "for"}


@pytest.mark.parametrize(
    "old, new, message",
    [
        (SQRT, SQRT.replace(" First,", ""), "a row has 10 cells"),
        (SQRT, SQRT.replace("123", "122"), "number 122 of SQRT is not above 122"),
        (SQRT, SQRT.replace("SQRT", "DEGREES"), "DEGREES is in the table already"),
        (SQRT, SQRT.replace("SQRT", "Sqrt"), "the id 'Sqrt' is not in capitals"),
        (SQRT, SQRT.replace("First", "Frist"), "SQRT: 'Frist' is no result rule of src/ir/op.h"),
        (SQRT, SQRT.replace("Transcendental", "Floods"), "SQRT: 'Floods' is no operands rule"),
        (SQRT, SQRT.replace("None", "Nil"), "SQRT: 'Nil' is no immediate rule"),
        (SQRT, SQRT.replace("kFloat", "kFloat | kFlat"), "SQRT: 'flat' is no class"),
        (SQRT, SQRT.replace("4.5", "4.5f"), "SQRT: could not convert string to float: '4.5f'"),
        ('"x - floor(x).")', '"x - floor(x)")', "FRACT: the doc is not sentences that end with a full stop"),
    ],
)
def test_a_wrong_row_is_refused_with_its_line(checkout, old, new, message):
    with pytest.raises(HeaderError, match=rf"^{re.escape(ops.TABLE)}:\d+: ") as error:
        ops.read(checkout(old, new))
    assert message in str(error.value)


def test_a_rule_without_a_comment_is_refused(checkout):
    with pytest.raises(HeaderError, match=r"src/ir/op.h:\d+: 'Floats,' is not an enumerator with a comment"):
        ops.read(checkout("Floats,          // floats, scalar or vector, all of one type", "Floats,", ops.RULES))


def test_a_changed_row_changes_all_that_comes_from_it(root, checkout, tmp_path, capsys):
    changed = checkout('"Inverse hyperbolic tangent. ', '"What tanh undoes. ')
    assert generate.main(["--check", "--ops", str(changed)]) == 1
    stale = set(re.findall(r"^(\S+): is not", capsys.readouterr().out, re.MULTILINE))
    python = f"{emit_python_ops.FOLDER}/functions/trigonometry.py"
    assert stale == {generate.HEADER, emit_build.PATH, emit_ops.PAGE, emit_ops.API, "docs/reference.md", python}


def test_marks_that_do_not_go_together_are_refused(root):
    table = ops.read(root)
    text = (root / generate.HEADER).read_text()
    with pytest.raises(HeaderError, match="the marks"):
        emit_ops.with_enumerators("h.h", text.replace(emit_ops.END, ""), table)
    assert emit_ops.with_enumerators("h.h", "no vd_op here", table) == "no vd_op here"


def test_api_json_has_a_row_for_each_enumerator(root):
    api = json.loads((root / emit_ops.API).read_text())
    enumerators = next(enum for enum in api["enums"] if enum["name"] == "vd_op")["values"]
    public = [(v["name"], v["value"]) for v in enumerators if v["name"] not in ("VD_OP_NONE", "VD_OP_FORCE_32")]
    assert [(op["name"], op["value"]) for op in api["ops"]] == public
    assert next(op for op in api["ops"] if op["text"] == "atan2")["operands"] == [{"name": "y"}, {"name": "x"}]


def test_cells_of_the_page_are_phrases(root):
    for line in (root / emit_ops.PAGE).read_text().splitlines():
        if line.startswith("| "):
            for cell in line.strip("| ").split(" | "):
                assert len(cell) <= 140, cell


def test_a_helper_may_not_hide_an_entry(root):
    table = ops.read(root)
    text = (root / generate.HEADER).read_text().replace("vd_version(void)", "vd_add(void)")
    with pytest.raises(HeaderError, match="'vd_add' is the name of a helper"):
        emit_build.emit(table, header.parse("h.h", text))


def test_each_op_has_a_helper(root):
    text = (root / emit_build.PATH).read_text()
    for op in ops.read(root).ops:
        assert re.search(rf"^#define vd_{emit_build.HELPERS.get(op.name, op.name)}\(builder", text, re.MULTILINE), op.id
        assert f" {op.enumerator}, " in text


def test_python_has_a_function_for_each_op_of_values(root):
    modules = {
        name: (root / f"{emit_python_ops.FOLDER}/functions/{name}.py").read_text() for name in emit_python_ops.MODULES
    }
    plain = [op for op in ops.read(root).ops if emit_python_ops.is_plain(op)]
    assert len(plain) > 35
    for op in plain:
        name = emit_python_ops.SPELLED.get(op.name, op.name)
        assert f'("{name}", {op.number}, ' in modules[emit_python_ops.module_of(op)]
