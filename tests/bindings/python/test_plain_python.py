"""Kernels of Python's own control flow: each function runs in Python on lists, and as a kernel on every backend."""

import functools
import importlib.util
import inspect
import os
import random
import re
import warnings

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch._native import _enums
from vkdispatch.codegen.abbreviations import *
from vkdispatch.codegen.plain import rewritten, trace_plain

from .plain_programs import Program

COUNT = 12
SCALE = 3
X = [0.5, -1.25, 7.0, 2.0, -3.5, 0.0, 19.0, 4.25, -8.0, 1.0, 6.0, -0.75]
N = [0, 3, -2, 7, 1, 5, -6, 4, 2, 9, -1, 6]


def kernel_of(function, **names):
    """The function as a kernel; its first parameter is the invocation's number."""
    body = rewritten(function, "A kernel", names)

    def arguments(*buffers):
        return (vc.global_invocation_id().x.to_dtype(i32), *buffers)

    description = trace_plain(
        body, vc.ShaderFlags.NONE, [Buff[f32], Buff[f32], Buff[i32]], ["out", "x", "n"], arguments
    )
    return vd.make_shader_function(description, exec_count="out.size")


def computed(function, **names):
    """The kernel's results."""
    out = vd.asbuffer(np.full(COUNT, -99, np.float32))
    kernel_of(function, **names)(out, vd.asbuffer(np.array(X, np.float32)), vd.asbuffer(np.array(N, np.int32)))
    return out.read(0)


def expected(function):
    out = [-99.0] * COUNT
    for i in range(COUNT):
        function(i, out, list(X), list(N))
    return np.array(out, np.float32)


# ---- Programs. They read x[i] and n[i] and write out[i].


def branches(i, out, x, n):
    if x[i] > 2:
        y = x[i] * 2
    elif x[i] > 0:
        y = x[i] + 100
    else:
        y = -1.0
        if n[i] > 0:
            y = y - n[i]
    out[i] = y


def only_one_branch(i, out, x, n):
    y = x[i]
    if n[i] > 2:
        y = 5.0
    out[i] = y


def collatz(i, out, x, n):
    value = n[i] if n[i] > 0 else 1
    steps = 0
    while value != 1:
        if value % 2 == 0:
            value //= 2
        else:
            value = 3 * value + 1
        steps += 1
    out[i] = float(steps)


def nested_loops(i, out, x, n):
    total = 0
    for a in range(n[i]):
        for b in range(a, 10, 3):
            if b == 7:
                break
            if (a + b) % 2:
                continue
            total += a * b
    out[i] = float(total)


def counts_down(i, out, x, n):
    total = 0
    last = -1
    for k in range(n[i], -4, -2):
        total = total * 2 + k
        last = k
    out[i] = float(total + 1000 * last)


def count_is_read_later(i, out, x, n):
    k = -5
    for k in range(n[i]):
        k = k * 2
    for m in range(k, k + 2):
        k = m
    out[i] = float(k)


def number_becomes_float(i, out, x, n):
    total = 0
    for k in range(4):
        total = total + x[i] * k
    if total > 3:
        total = 7
    out[i] = float(total)


def swaps(i, out, x, n):
    a, b = x[i], 1.0
    for _ in range(3):
        a, b = b, a + b
    (c, d), e = (b, a), a
    c, d, e = e, c, d
    out[i] = c + 10 * d + 100 * e


def values_stay(i, out, x, n):
    a = x[i]
    b = a
    a += 1
    x[i] = a * 3
    c = x[i]
    x[i] = 0.0
    out[i] = a + 10 * b + 100 * c + x[i]


def names_change_type(i, out, x, n):
    a = n[i]
    b = a + 1
    a = x[i]
    c = a * b
    a = (a, c)
    out[i] = a[0] + a[1]


def lazy(i, out, x, n):
    k = n[i]
    inside = k >= 0 and k < 12 and x[k] > 0
    outside = k < 0 or k > 11 or x[k] <= 0
    y = x[k] if k >= 0 and k < 12 else -7.0
    z = 1.0 if not inside else 2.0
    if outside and not inside:
        z = z + 10
    out[i] = y + z


def chains(i, out, x, n):
    y = 0.0
    if -1 < x[i] < 4 <= n[i] + 3:
        y = 1.0
    if 0 <= n[i] < 6 and not x[i] < 0.75:
        y += 2
    out[i] = y


def leaves_early(i, out, x, n):
    if x[i] < 0:
        out[i] = 1.0
        return
    for k in range(10):
        if k > n[i]:
            out[i] = 10.0 + k
            return
    out[i] = 3.0


def endless(i, out, x, n):
    y, turns = x[i], 0
    while True:
        y = y / 2
        turns += 1
        if -0.1 < y < 0.1 or turns > 20:
            break
    out[i] = y + turns


def while_of_a_choice(i, out, x, n):
    y = x[i]
    k = 0
    while (y if y > 0 else -y) > 1 and k < n[k] + 8:
        y = y * 0.5
        k = k + 1
    out[i] = y + 100 * k


def python_decides(i, out, x, n):
    y = 0.0
    names = {"a": 2, "b": 3}
    for weight in (0.5, 0.25, 4):
        if weight == 0.25:
            continue
        if weight > 100:
            break
        y += weight * x[i]
    for key, value in names.items():
        if key == "b":
            y = y + value
    if SCALE > 2:
        y *= SCALE
    out[i] = y + sum([x[i] * k for k in range(3)])


def lists(i, out, x, n):
    kept = [x[i], 0.0, float(n[i])]
    kept[1] = kept[0] + kept[2]
    kept[0] = kept[1] * 2
    if n[i] > 3:
        kept[2] += 5
        kept[2] = kept[2] * 2
    out[i] = kept[0] + 10 * kept[1] + 100 * kept[2]


def remainders(i, out, x, n):
    out[i] = x[i] % 3.0 + 100 * (x[i] // 2.0) + 10000 * (n[i] % 4) + 1000000 * (n[i] // 3)


def truths(i, out, x, n):
    found = False
    for k in range(12):
        if x[k] == n[i]:
            found = True
    other = x[i] > 1
    both = found or other
    out[i] = 1.0 if both else 0.0
    if not found:
        out[i] = out[i] + 2


def walrus(i, out, x, n):
    y = 0.0
    if (a := x[i] * 2) > 3:
        y = a
    out[i] = y + a


def walrus_beside_a_loop(i, out, x, n):
    y, k = 16.0, 0
    while y > 3 and k < 9:
        if (y := y * 0.5) < x[i]:
            y += 0.25
        k += 1
    out[i] = y + 100 * k


def written_in_place(i, out, x, n):
    out[i] = x[i]
    out[i] += 2
    for k in range(n[i]):
        out[i] *= 1.5
        out[i] -= k


def declared(i, out, x, n):
    y: f32 = x[i]
    z: float
    z = y + 1
    k: f32 = 3
    k = k / 2
    w: of_no_such_name = k
    out[i] = z + w


def lambdas(i, out, x, n):
    k = 2.0
    twice = lambda k: k * 2 + x[i]
    out[i] = twice(k) + k


def parameter_changes(i, out, x, n):
    k = i
    i = (i + 1) % 12
    y = x[i]
    while i > k:
        i = i - 1
        y = y + 1
    out[k] = y


def temporaries_of_two_types(i, out, x, n):
    y = 0.0
    if n[i] > 0:
        t = n[i]
        y = t * 2.0
    else:
        t = (x[i], 1.0)
        y = t[0] + t[1]
    out[i] = y


def clamped(value, low, high=4.0):
    """A function that a kernel calls."""
    if value < low:
        value = low
    elif value > high:
        value = high
    value += 0.5
    return value


def digits(number):
    count = 0
    while number > 0:
        number //= 2
        count += 1
    return count, number


def power(value, n):
    return value * power(value, n - 1) if n > 1 else value


def calls(i, out, x, n):
    y = x[i]
    chosen1 = 100.0
    z = clamped(y, -1.0) + clamped(low=y, value=0.0) + (1.0 if y > 0 else 2.0)
    count, rest = digits(n[i])
    if n[i] > 2:
        z = clamped(z, 0.0, high=3.0)
    out[i] = y + 10 * z + 100 * count + 1000 * rest + chosen1 + power(y, 3)


PROGRAMS = [
    calls,
    walrus_beside_a_loop,
    branches, only_one_branch, collatz, nested_loops, counts_down, count_is_read_later, number_becomes_float, swaps,
    values_stay, names_change_type, lazy, chains, leaves_early, endless, python_decides, lists, remainders, truths,
    walrus, written_in_place, declared, lambdas, parameter_changes, temporaries_of_two_types,
    while_of_a_choice,
]  # fmt: skip


def in_kernels(x):
    """Python's float() for both."""
    return vc.to_float(x) if isinstance(x, vc.ShaderVariable) else float(x)


def test_kernels_compute_what_python_does(device):
    for program in PROGRAMS:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = computed(program, float=in_kernels)
        np.testing.assert_allclose(found, expected(program), rtol=1e-6, err_msg=program.__name__)


def loaded(path):
    """The function `program` of a file."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.program


def test_random_programs_compute_what_python_does(host, tmp_path):
    differ = []
    for seed in range(2000 if os.environ.get("VD_TEST_FULL") else 60):
        path = tmp_path / f"program_{seed}.py"
        path.write_text(Program(random.Random(seed)).text())
        program = loaded(path)
        if not np.array_equal(computed(program), expected(program)):
            differ.append(seed)
    assert differ == []


# ---- Mistakes: each message ends with the line that it is about.


def loop_makes_a_vector(i, out, x, n):
    y = x[i]
    for k in range(n[i]):
        y = vc.to_vec2(y, k)  # here
    out[i] = y


def branch_takes_a_tuple(i, out, x, n):
    y = x[i]
    if y > 0:
        y = (y, 1)  # here
    out[i] = y


def two_types_are_read(i, out, x, n):
    if x[i] > 0:
        t = n[i]
    else:
        t = vc.to_vec2(x[i], 1)
    out[i] = t  # here


def read_too_early(i, out, x, n):
    for k in range(n[i]):
        out[i] = late  # here
        late = x[i]
    out[i] = late


def leaves_what_is_written_out(i, out, x, n):
    for weight in (1, 2, 3):
        if x[i] > weight:
            break  # here


def list_in_a_branch(i, out, x, n):
    kept = [1.0, 2.0]
    if x[i] > 0:
        kept[0] = 5.0  # here
    out[i] = kept[0]


def returns_a_value(i, out, x, n):
    if x[i] > 0:
        return x[i]  # here


def counts_too_far(i, out, x, n):
    for k in range(0, 2**31 - 1, 2):  # here
        out[i] = float(k)


def no_number(i, out, x, n):
    if x[i]:  # here
        out[i] = 1.0


def unknown_name(i, out, x, n):
    out[i] = missing * x[i]  # here


def component_that_is_not_there(i, out, x, n):
    v = vc.to_vec2(x[i], 1)
    out[i] = v.xyz.x  # here


def chooses_a_tuple(i, out, x, n):
    y = (1.0, 2.0) if x[i] > 0 else (2.0, 1.0)  # here
    out[i] = y[0]


def never_ends(i, out, x, n):
    while True:  # here
        out[i] += 1


MISTAKES = {
    loop_makes_a_vector: (TypeError, "'y' is float32, and cannot become vec2 inside of a branch or loop of the kernel"),
    branch_takes_a_tuple: (TypeError, "'y' is float32, and cannot become a tuple"),
    two_types_are_read: (TypeError, "'t' is int32 behind one branch and vec2 behind another"),
    read_too_early: (UnboundLocalError, "'late' is used before it has a value"),
    leaves_what_is_written_out: (
        TypeError,
        "'break' in a branch of the kernel cannot leave a loop that is written out",
    ),
    list_in_a_branch: (TypeError, "An element of a list that is no variable cannot change inside of a branch or loop"),
    returns_a_value: (TypeError, "'return' with a value inside of a branch or loop of the kernel"),
    counts_too_far: (ValueError, "range(0, 2147483647, 2): a count of the kernel's is an i32"),
    no_number: (TypeError, "A condition must be a comparison or an integer, not of type 'float32'"),
    unknown_name: (NameError, "name 'missing' is not defined"),
    component_that_is_not_there: (ValueError, "has no component 'z'"),
    chooses_a_tuple: (TypeError, "A condition of the kernel chooses between numbers and variables, not a tuple"),
    never_ends: (ValueError, "the condition of this while block is Python's True"),
}


def marked_line(function):
    lines, first = inspect.getsourcelines(function)
    return first + next(i for i, line in enumerate(lines) if "# here" in line)


@pytest.mark.parametrize("function", MISTAKES, ids=lambda function: function.__name__)
def test_mistakes_name_their_line(dummy, function):
    kind, said = MISTAKES[function]
    with pytest.raises(kind) as caught:
        kernel_of(function, float=in_kernels)
    assert said in str(caught.value)
    assert f"{__file__}:{marked_line(function)}" in str(caught.value)


REFUSED = {
    "pass\n\ndef program(*x):\n    pass": "a parameter with '*'",
    "with open('a') as f:\n        pass": "'with'",
    "try:\n        pass\n    except ValueError:\n        pass": "'try'",
    "import math": "'import'",
    "del x": "'del'",
    "global y": "'global'",
    "def f():\n        pass": "a function inside of it",
    "class A:\n        pass": "a class inside of it",
    "raise ValueError": "'raise'",
    "yield 1": "'yield'",
    "while x:\n        pass\n    else:\n        pass": "the 'else' of a loop",
    "for k in x:\n        pass\n    else:\n        pass": "the 'else' of a loop",
    "match x:\n        case 1:\n            pass": "'match'",
}


@pytest.mark.parametrize("statement", REFUSED)
def test_statements_without_a_meaning_are_refused(tmp_path, statement):
    path = tmp_path / "refused.py"
    path.write_text(f"def program(x):\n    {statement}\n")
    function = loaded(path)
    with pytest.raises(SyntaxError, match=re.escape(f"{REFUSED[statement]} has no meaning in 'program'")) as caught:
        rewritten(function, "A kernel")
    assert f"{path}:" in str(caught.value)


def early(value):
    if value > 0:
        return 1.0  # here
    return 2.0


def test_a_called_function_returns_at_its_end(dummy):
    def program(i, out, x, n):
        out[i] = early(x[i])

    with pytest.raises(
        TypeError, match="'return' inside of a branch or loop of the kernel, in a function that the kernel calls"
    ) as caught:
        kernel_of(program)
    assert f"{__file__}:{marked_line(early)}" in str(caught.value)


def test_a_function_that_is_not_the_programs_is_called_as_it_is(host):
    def program(i, out, x, n):
        out[i] = vc.clamp(x[i], -1.0, 1.0) + functools.reduce(lambda a, b: a + b, [x[i], 1.0])

    assert computed(program).tolist() == [min(max(v, -1), 1) + v + 1 for v in X]


def test_a_function_without_source_says_so(tmp_path):
    async def program(x):
        pass

    with pytest.raises(TypeError, match="not of a coroutine"):
        rewritten(program, "A kernel")
    scope = {}
    exec("def typed(x):\n    pass", scope)  # noqa: S102 (that is what is tested)
    with pytest.raises(
        RuntimeError,
        match="reads the source of 'typed', and there is none for '<string>'.*put the function into a file",
    ):
        rewritten(scope["typed"], "A kernel")
    with pytest.raises(TypeError, match="this is a lambda"):
        rewritten(lambda x: x, "A kernel")
    with pytest.raises(TypeError, match="not of builtin_function_or_method"):
        rewritten(len, "A kernel")
    path = tmp_path / "changed.py"
    path.write_text("def program(x):\n    pass\n")
    function = loaded(path)
    path.write_text("\n# another line\n\ndef program(x):\n    pass\n")
    with pytest.raises(RuntimeError, match="was changed after it was imported"):
        rewritten(function, "A kernel")


def test_closures_are_seen_as_they_are_when_it_is_traced(host):
    factor = 2.0

    def program(i, out, x, n):
        y = factor
        if x[i] > 0:
            y = y + factor
        out[i] = y * offset

    offset = 10.0
    first = computed(program).tolist()
    assert first == expected(program).tolist()
    factor = 3.0
    assert computed(program).tolist() == expected(program).tolist() != first


def test_components_are_read_and_assigned(host):
    def program(i, out, x, n):
        v = vc.to_vec4(x[i], 2, 3, 4)
        v.yx = v.xz
        v.a = 9.0
        if x[i] > 0:
            v.zw = v.wz
            v.x += 1
            v.zw += vc.to_vec2(10, 20)
        w = v.rgba
        out[i] = w.x + 100 * w.y + 10000 * w.b + 1000000 * w.w

    found = computed(program)
    for value, result in zip(X, found, strict=True):
        a, b, c, d = 3, value, 3, 9
        if value > 0:
            c, d = d, c
            a, c, d = a + 1, c + 10, d + 20
        assert result == np.float32(a + 100 * b + 10000 * c + 1000000 * d)


def test_parts_of_elements_are_assigned_and_places_are_passed(host):
    def program(i, out, pairs, n):
        pairs[i].x = vc.sqrt(pairs[i].y)
        pairs[i].yx = vc.to_vec2(pairs[i].x + 1, pairs[i].y)
        pairs[i][1] += vc.abs(out[i])
        n[i] = vc.atomic_add(n[0], 2) - vc.atomic_add(n[0], -2)

    body = rewritten(program, "A kernel")

    def arguments(*buffers):
        return (vc.global_invocation_id().x.to_dtype(i32), *buffers)

    annotations, names = [Buff[f32], Buff[v2], Buff[i32]], ["out", "pairs", "n"]
    description = trace_plain(body, vc.ShaderFlags.NONE, annotations, names, arguments)
    pairs, n = vd.Buffer(2, vd.vec2), vd.asbuffer(np.array([7, 5], np.int32))
    pairs.write(np.array([[0, 9], [0, 16]], np.float32))
    vd.make_shader_function(description, exec_count=1)(vd.asbuffer(np.array([-5, 0], np.float32)), pairs, n)
    assert pairs.read(0).tolist() == [[9, 9], [0, 16]] and n.read(0).tolist() == [-2, 5]


def test_operands_are_read_from_left_to_right(host):
    def changes(x, i):
        x[i] = x[i] + 10
        return x[i]

    def program(i, out, x, n):
        a = 2.0
        y = a + (a := 5.0) + a
        out[i] = x[i] + changes(x, i) * 100 + x[i] * 10000 + y * 0.5

    np.testing.assert_array_equal(computed(program), expected(program))


def test_the_source_has_the_programs_names_and_lines(dummy):
    kernel = kernel_of(collatz, float=in_kernels)
    source = kernel.get_src(build=False).code
    assert "value" in source and "steps" in source and "while (" in source
    text = kernel.shader_description.print(0, flags=_enums.VD_PRINT_LOCATIONS)
    assert f"{__file__}" in text
