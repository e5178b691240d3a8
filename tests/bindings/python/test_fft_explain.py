"""The explanations of transforms follow from their arguments."""

import re

import numpy as np
import pytest
import vkdispatch as vd
from vkdispatch.codegen.abbreviations import f32

PASS = re.compile(
    r"(?P<name>\w+): (?P<radices>[\dx]+)(?P<back> and back)?, (?P<invocations>\d+) invocations? and (?P<lines>\d+) "
    r"(?P<kind>line|column)s? per workgroup, (?P<workgroups>\d+) workgroups?, (?P<elements>\d+) elements? per invocation, "
    r"(?P<shared>\d+) bytes of shared memory.*?, runs of (?P<read_run>\d+) bytes read and (?P<written_run>\d+) written, "
    r"(?P<idle>\d+) % of lanes idle, (?P<flight>\d+) bytes in flight per (?:workgroup|multiprocessor).*?(?:, (?P<registers>\d+) registers per invocation)?"
    r"(?:, (?P<spilled>\d+) bytes spilled per invocation)?, "
    r"reads (?P<reads>\d+) and writes (?P<writes>\d+) bytes"
)
BOUND = re.compile(
    r"workspace: (\d+) bytes, constants: (\d+) bytes; lower bound: a copy that reads (\d+) and writes (\d+) bytes"
)
EXPLAINED = [  # (lengths of the passes, bytes of each pass that are read, and written; its kind)
    ({"buffer_shape": (50, 64)}, [64], 50 * 64 * 8, 50 * 64 * 8, "line"),
    ({"buffer_shape": (60, 50), "axis": 0}, [60], 60 * 50 * 8, 60 * 50 * 8, "column"),
    ({"buffer_shape": (50, 64), "input_signal_range": (0, 16)}, [64], 50 * 16 * 8, 50 * 64 * 8, "line"),
    ({"buffer_shape": (7, 15), "r2c": True}, [15], 7 * 15 * 4, 7 * 8 * 8, "line"),
    ({"buffer_shape": (2, 30000)}, None, 2 * 30000 * 8, 2 * 30000 * 8, None),
]


@pytest.mark.parametrize("arguments, lengths, reads, writes, kind", EXPLAINED)
def test_numbers_of_explain_follow_from_what_was_asked_for(device, arguments, lengths, reads, writes, kind):
    text = vd.fft.make_fft_shader(**arguments).explain()
    passes = [match.groupdict() for match in map(PASS.match, text.splitlines()) if match]
    bound = BOUND.search(text)
    assert passes and bound
    assert len(passes) == text.count(" of lanes idle") == text.count("\n") - 1
    shape, axis = arguments["buffer_shape"], arguments.get("axis", -1)
    n, others = shape[axis], np.prod(shape) // shape[axis]
    assert np.prod([np.prod([int(r) for r in p["radices"].split("x")]) for p in passes]) == n, text
    for p in passes:
        number = {
            key: int(p[key]) for key in ("invocations", "lines", "workgroups", "elements", "shared", "reads", "writes")
        }
        length = np.prod([int(r) for r in p["radices"].split("x")])
        assert (number["reads"], number["writes"]) == (reads, writes)
        assert 0 < int(p["read_run"]) and 0 < int(p["written_run"]) and 0 <= int(p["idle"]) < 100
        assert p["kind"] == kind or kind is None
        # Enough of each for the array, and no more workgroups than that.
        assert number["invocations"] * number["elements"] >= number["lines"] * length
        lines = others * (n // length)
        least = -(-lines // number["lines"])
        assert int(p["flight"]) * lines >= number["lines"] * reads
        assert number["workgroups"] == least if len(passes) == 1 else least <= number["workgroups"] <= least + others
        assert number["invocations"] <= vd.get_context().max_workgroup_invocations
        most = (
            227 << 10 if device == "cuda" else vd.get_context().max_shared_memory
        )  # what a kernel of CUDA may ask for
        assert number["shared"] <= most
        if "x" in p["radices"]:  # exchanged through shared memory: at least one part of each number
            assert number["shared"] >= number["lines"] * length * 4
        if device != "vulkan":  # of whose drivers some tell
            assert (p["registers"] is not None) == (p["spilled"] is not None) == (device == "cuda")
        assert int(p["registers"] or 1) > 0 and int(p["spilled"] or 0) % 4 == 0
    workspace, constants, read, written = map(int, bound.groups())
    assert (read, written) == (len(passes) * reads, len(passes) * writes)
    assert workspace == (n * others * 8 if len(passes) > 1 else 0)
    assert constants % 4 == 0


@pytest.mark.parametrize("shape", [(1,), (1, 4), (1, 4096), (3, 64)])
def test_the_nouns_of_explain_agree_with_their_counts(host, shape):
    @vd.reduce.reduce(0)
    def total(a: f32, b: f32) -> f32:
        return a + b

    texts = [vd.fft.make_fft_shader(shape, axis=axis).explain() for axis in range(len(shape))]
    texts += [vd.fft.make_fft_shader(shape, axis=0, inverse=True, name="line").explain()]
    texts += [total.explain(shape)]
    for text in texts:
        assert not re.search(r"(?<![\d.x]) 1 [a-z]+s\b", " " + text), text
        assert not re.search(r"(?<![\d.]) (?!1 )\d+ (?:invocation|workgroup|line|column|element|result)\b", text), text
