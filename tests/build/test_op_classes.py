"""No class of ops is a range of numbers: the op table states classes, and code asks for them."""

import re
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.tools

ROOT = Path(__file__).resolve().parents[2]
OP = r"(?:static_cast<\w+>\()?(?:\w+(?:::|\.))*(?:VD_OP_[A-Z]|kOp[A-Z]\w)"
RANGES = re.compile(
    rf" [<>]=? {OP}"  # op >= VD_OP_ATOMIC_ADD
    rf"|{OP}\w*\)? [<>]=? "  # VD_OP_ATOMIC_ADD <= op
    rf"|range\([^)]*{OP}"  # range(VD_OP_ATOMIC_ADD, ...)
    rf"|{OP}\w* [-+] "  # op - VD_OP_ATOMIC_ADD
    rf"| [-+] {OP}"
    r"|(?:\.op|\bop)\b\)? [<>]=? (?:0x)?[1-9]"  # op < 176
)
SUFFIXES = {".cpp", ".h", ".c", ".inc", ".inl", ".py"}


def is_of_spirv(file: str) -> bool:
    """Whether a file is about SPIR-V's ops, which are others."""
    return Path(file).name.startswith("spirv") or file == "tests/unit/vulkan/float_controls_test.cpp"


def ranges_in(text: str) -> list[str]:
    """The lines that compare numbers of ops."""
    return [line.strip() for line in text.splitlines() if RANGES.search(line)]


@pytest.mark.parametrize(
    "line",
    [
        "if (inst.op >= VD_OP_ATOMIC_ADD && inst.op <= VD_OP_ATOMIC_STORE) return atomic(id);",
        "if (op >= vd::ir::kOpArgument || !vd::ir::is_op(op)) {",
        "if (static_cast<uint32_t>(op) >= static_cast<uint32_t>(kOpArgument) || !is_op(op)) {",
        "} else if (info.op < 1024) {",
        "return VD_OP_SUBGROUP_ADD <= op;",
        "ATOMICS = range(e.VD_OP_ATOMIC_ADD, e.VD_OP_ATOMIC_STORE + 1)",
        "return kNames[op - VD_OP_ADD];",
    ],
)
def test_a_range_is_noticed(line):
    assert ranges_in(line)


@pytest.mark.parametrize(
    "line",
    [
        "return atomic_of<VD_OP_ATOMIC_ADD>(s);",
        "mix(static_cast<uint64_t>(VD_OP_LOAD) << 32 | type.bits(), hash)",
        'compare("lt", VD_OP_LT, [](auto a, auto b) { return a < b; });',
        "c_.emit(VD_OP_END, {}); if (n > 5) return;",
    ],
)
def test_what_is_none_is_not(line):
    assert not ranges_in(line)


def test_there_are_none():
    files = subprocess.check_output(
        ["git", "ls-files", "src", "bindings", "tests", "bench", "examples"], cwd=ROOT, text=True
    )
    own = "tests/build/test_op_classes.py"
    sources = [
        file for file in files.splitlines() if Path(file).suffix in SUFFIXES and file != own and not is_of_spirv(file)
    ]
    assert len(sources) > 300
    for file in sources:
        assert not ranges_in((ROOT / file).read_text()), file
