"""The table of operations: the library and the header name the same operands."""

import json
import re
from pathlib import Path

import pytest
from vkdispatch import _native
from vkdispatch._native import enums
from vkdispatch._native._load import ffi

API = json.loads((Path(__file__).parents[3] / "bindings/generator/api.json").read_text())
OPS = {
    value["name"]: (value["value"], value.get("doc", ""))
    for enum in API["enums"]
    if enum["name"] == "vd_op"
    for value in enum["values"]
    if value["name"] not in ("VD_OP_NONE", "VD_OP_FORCE_32")
}


def test_the_header_names_the_operands_that_the_library_names():
    assert len(OPS) > 140
    for name, (number, doc) in OPS.items():
        info = _native.raw.vd_op_get_info(number)
        stated = re.match(r"\(([^)]*)\)", doc)
        assert stated, name
        assert stated[1] == ffi.string(info.operands).decode(), name
        assert ffi.string(info.name).decode() == name.removeprefix("VD_OP_").lower()


def test_a_wrong_count_names_the_operands():
    raw = _native.raw
    builder = raw.vd_builder_create(raw.vd_builder_desc())
    zero = raw.vd_builder_emit(builder, enums.VD_OP_ZERO, enums.VD_TYPE_F32, [], 0, 0)
    with pytest.raises(ValueError, match=r"operand count \(2\) is not 3: \(x, low, high\)"):
        raw.vd_builder_emit(builder, enums.VD_OP_CLAMP, 0, [zero, zero], 0, 0)
