"""Effects of Python on a kernel being traced that a program does not mean: each has a message with file and line."""

import inspect
import sys
import warnings

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.base import remarks
from vkdispatch.codegen import frames
from vkdispatch.codegen.abbreviations import Buff, f32, i32, u32, v2, v4

TABLE, ARRAY = [1.0, 2.0], np.array([1.0, 2.0])


def line_of(function, text):
    """The number of the function's line that has the text."""
    lines, first = inspect.getsourcelines(function)
    (found,) = [first + i for i, line in enumerate(lines) if text in line]
    return found


def warned(function):
    """Trace a kernel; its warnings as (line, text)."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        vd.shader("out.size")(function)
    assert all(w.category is UserWarning and w.filename == __file__ for w in caught)
    return [(w.lineno, str(w.message)) for w in caught]


def silent(function):
    """Trace a kernel without a warning."""
    assert warned(function) == []


def refused(function, error, said, at):
    """Trace a kernel, which fails with a message that names its line."""
    with pytest.raises(error, match=said) as caught:
        vd.shader("out.size")(function)
    assert f"{__file__}:{line_of(function, at)}" in str(caught.value)


# ---- Blocks without `with`


def if_alone(out: Buff[f32]):
    vc.if_block(out[0] > 1.0)
    out[0] = 1.0


def else_alone(out: Buff[f32]):
    with vc.if_block(out[0] > 1.0):
        out[0] = 1.0
    vc.else_block()
    out[0] = 2.0


def else_if_alone(out: Buff[f32]):
    with vc.if_block(out[0] > 1.0):
        out[0] = 1.0
    vc.else_if_block(out[0] > 2.0)
    with vc.else_block():
        out[0] = 2.0


def while_alone(out: Buff[f32]):
    vc.while_block(out[0] > 1.0)
    out[0] -= 1.0


def for_alone(out: Buff[f32]):
    vc.for_block(4)
    out[0] -= 1.0


def scope_alone(out: Buff[f32]):
    vc.scope_block()
    out[0] = 1.0


def python_if(out: Buff[f32]):
    if vc.if_block(out[0] > 1.0):
        out[0] = 1.0


def the_last_statement(out: Buff[f32]):
    out[0] = 1.0
    vc.if_block(out[0] > 1.0)


@pytest.mark.parametrize(
    "kernel, name",
    [
        (if_alone, "if_block"),
        (else_alone, "else_block"),
        (else_if_alone, "else_if_block"),
        (while_alone, "while_block"),
        (for_alone, "for_block"),
        (scope_alone, "scope_block"),
        (python_if, "if_block"),
        (the_last_statement, "if_block"),
    ],
)
def test_a_block_without_with_is_an_error(host, kernel, name):
    at = f"    vc.{name}(" if kernel is not python_if else "if vc.if_block("
    refused(kernel, RuntimeError, rf"vc\.{name}\(\.\.\.\) without 'with'.*Write 'with vc\.{name}", at)


def test_a_block_without_with_is_an_error_in_a_map_and_a_context(host):
    @vd.map
    def lost(x: Buff[vd.complex64]):
        vc.if_block(x[0].real > 1.0)
        vd.fft.read_op().read_from_buffer(x)

    buffer = vd.zeros(8, vd.complex64)
    with pytest.raises(RuntimeError, match=r"vc\.if_block\(\.\.\.\) without 'with'"):
        vd.fft.fft(buffer, buffer, input_map=lost)
    with pytest.raises(RuntimeError, match="without 'with'"), vc.shader_context() as context:
        (out,) = context.declare_input_arguments([Buff[f32]], ["out"])
        vc.if_block(out[0] > 1.0)
        context.get_description("kernel")


def test_blocks_may_be_made_before_they_are_entered(host):
    @silent
    def kernel(out: Buff[f32]):
        first, second = vc.if_block(out[0] > 1.0), vc.if_block(out[1] > 1.0)
        out[2] = 1.0
        with first:
            out[0] = 1.0
        with second:
            out[0] = 1.0


# ---- Names that are given to something else


def sum_of_name(out: Buff[f32]):
    acc = vc.new_float_register()
    with vc.if_block(out[0] > 1.0):
        acc = acc + 1.0  # here
    out[0] = acc


def chosen(out: Buff[f32]):
    best = out[0].to_register()
    with vc.if_block(out[1] > best):
        best = out[1]  # here
    out[0] = best


def a_number(out: Buff[f32]):
    best = out[0].to_register()
    with vc.if_block(out[1] > best):
        best = 0.0  # here
    out[0] = best


def a_register(out: Buff[f32]):
    best = out[0].to_register()
    with vc.if_block(out[1] > best):
        best = (best + 1.0).to_register()  # here
    out[0] = best


def endless(out: Buff[f32]):
    n = vc.new_int_register()
    with vc.while_block(n < 10):
        out[n] = 1.0
        n = n + 1  # here


def endless_too(out: Buff[f32]):
    n, k = vc.new_int_register(), vc.new_int_register()
    with vc.while_block(n < 10):
        k += 1
        n = k * 2  # here


def counted(out: Buff[f32]):
    acc = vc.new_float_register()
    with vc.for_block(8):
        acc = acc + out[1]  # here
    out[0] = acc


def unrolled(out: Buff[f32]):
    acc = vc.new_float_register()
    for k in range(4):
        with vc.if_block(out[k] > 1.0):
            acc = acc + out[k]  # here
    out[0] = acc


def in_an_else(out: Buff[f32]):
    acc = vc.new_float_register()
    with vc.if_block(out[0] > 1.0):
        acc += 1.0
    with vc.else_block():
        acc = acc + 2.0  # here
    out[0] = acc


def as_statements(out: Buff[f32]):
    acc = vc.new_float_register()
    vc.if_statement(out[0] > 1.0)
    acc = acc + 1.0  # here
    vc.end()
    out[0] = acc


def two_blocks_deep(out: Buff[f32]):
    acc = vc.new_float_register()
    with vc.if_block(out[0] > 1.0), vc.if_block(out[1] > 1.0):
        acc = acc + 1.0  # here
    out[0] = acc


@pytest.mark.parametrize(
    "kernel, name",
    [
        (sum_of_name, "acc"), (chosen, "best"), (a_number, "best"), (a_register, "best"), (endless, "n"), (endless_too, "n"),
        (counted, "acc"), (unrolled, "acc"), (in_an_else, "acc"), (as_statements, "acc"), (two_blocks_deep, "acc"),
    ],
)  # fmt: skip
def test_a_name_that_is_given_to_something_else_is_warned_of_once(host, kernel, name):
    ((line, said),) = warned(kernel)
    assert line == line_of(kernel, "# here")
    assert f"'{name} += 1'" in said and f"'{name}[:] = ...'" in said and f"{__file__}:{line}" in said


def test_warnings_of_the_trace_are_errors_where_asked(host):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="'acc = ...' inside of a block"):
            vd.shader("out.size")(sum_of_name)


def a_number_that_a_loop_adds_to(out: Buff[f32]):
    acc = 0.0
    with vc.for_block(0, 10):
        acc += 1.0  # HERE
    out[0] = acc


def a_number_that_becomes_a_formula(out: Buff[f32]):
    best = 0
    with vc.if_block(out[0] > 1.0):
        best = out[1] * 2.0  # HERE
    out[2] = best


def a_formula_that_becomes_another(out: Buff[f32]):
    x = out[0] * 2.0
    with vc.if_block(out[1] > 1.0):
        x = x + 1.0  # HERE
    out[2] = x


def a_formula_of_each_branch(out: Buff[f32]):
    with vc.if_block(out[1] > 1.0):
        x = out[0] * 2.0
    with vc.else_block():
        x = -out[0]  # HERE
    out[2] = x


@pytest.mark.parametrize(
    "kernel",
    [
        a_number_that_a_loop_adds_to,
        a_number_that_becomes_a_formula,
        a_formula_that_becomes_another,
        a_formula_of_each_branch,
    ],
)
def test_a_value_that_a_block_changes_by_name_is_warned_of(host, kernel):
    ((line, text),) = warned(kernel)
    name = {"a": "acc", "b": "best"}.get(kernel.__code__.co_varnames[1][0], "x")
    assert line == line_of(kernel, "HERE")
    assert text.startswith(f"'{name}' was no register before the block") and f"{__file__}:{line}" in text


def stored_count(out: Buff[i32]):
    n = 0
    with vc.for_block(10):
        n += 1  # HERE
    out[0] = n


def count_in_a_formula(out: Buff[f32]):
    n = 0
    with vc.if_block(out[0] > 1.0):
        n = n + 1  # HERE
    x = out[1] * (2 * n)
    out[2] = x


def count_of_a_function(out: Buff[f32]):
    n = 1
    with vc.if_block(out[0] > 1.0):
        n = 2  # HERE
    out[2] = out[0] if n < 0 else vc.max(n, out[1])


def count_in_a_later_turn(out: Buff[f32]):
    n, total = 0, vc.new_float_register()
    with vc.for_block(4):
        total += n
        n += 1  # HERE
    out[0] = total


def count_in_the_condition(out: Buff[f32]):
    n = 0
    with vc.while_block(out[0] > n):
        out[0] -= 1.0
        n += 1  # HERE


def count_in_a_later_condition(out: Buff[f32]):
    n = 0
    with vc.if_block(out[0] > 1.0):
        n += 1  # HERE
    with vc.if_block(n > 0):
        out[0] = 1.0


def number_of_a_formula(out: Buff[f32]):
    x = out[0] * 2.0
    with vc.if_block(out[1] > 1.0):
        x = 1  # HERE
    out[2] = x


def fraction_of_a_count(out: Buff[f32]):
    x = 0
    with vc.if_block(out[1] > 1.0):
        x += 0.5  # HERE
    out[2] = x


@pytest.mark.parametrize(
    "kernel",
    [
        stored_count, count_in_a_formula, count_of_a_function, count_in_a_later_turn, count_in_the_condition,
        count_in_a_later_condition, number_of_a_formula, fraction_of_a_count,
    ],
)  # fmt: skip
def test_a_number_that_a_block_changes_and_the_kernel_computes_with_is_warned_of(host, kernel):
    ((line, text),) = warned(kernel)
    assert line == line_of(kernel, "HERE")
    assert "was no register before the block" in text and f"{__file__}:{line}" in text


def test_numbers_that_python_alone_uses_may_be_counted_in_blocks(host):
    def places(out: Buff[f32]):
        values, n, table = [0.0] * 9, 0, {}
        with vc.if_block(out[0] > 1.0):
            values[n] = out[0] + 1.0
            n += 1
            out[n] = 2.0
            n += 1
            table["second"] = n
        if n > 1:
            out[n] = values[n - 2]
        for k in range(n):
            out[k + n] = 1.0
        assert str(n) == "2"

    def written(out: Buff[i32]):
        n = 0
        for k in range(3):
            with vc.if_block(out[k] > 1):
                for _ in range(2):
                    out[n] = 2
                    n += 1
        out[0] = n  # a loop of Python's counted them

    def again(out: Buff[i32]):
        n = 5
        with vc.if_block(out[0] > 1):
            n = 5
            out[1] = n
        out[0] = n

    def anew(out: Buff[i32]):
        n = 1
        with vc.if_block(out[0] > 1):
            n = 2
            out[1] = n
        n = 3
        out[0] = n

    def of_a_program(out: Buff[i32]):
        n, sizes = 0, []
        with vc.for_block(4):
            n += 1
            sizes.append(n)
        with vc.for_block(n):
            out[0] += sizes[n - 1]

    for kernel in (places, written, again, anew, of_a_program):
        silent(kernel)


def always(out: Buff[f32]):
    with vc.while_block(True):  # here
        out[0] += 1.0


def numbers_condition(out: Buff[f32]):
    n = 0
    with vc.while_block(n < 10):  # here
        out[n] += 1.0
        n += 1


def left_by_an_inner_loop(out: Buff[f32]):
    with vc.while_block(np.bool_(1)), vc.for_block(4):  # here
        vc.break_statement()


def as_a_statement(out: Buff[f32]):
    vc.while_statement(True)  # here
    vc.if_statement(out[0] > 1.0)
    vc.continue_statement()
    vc.end()
    vc.end()


@pytest.mark.parametrize("kernel", [always, numbers_condition, left_by_an_inner_loop, as_a_statement])
def test_a_loop_that_nothing_ends_is_an_error(host, kernel):
    refused(kernel, ValueError, r"while block is Python's True.*break_statement.*never end.*new_int_register", "# here")


def test_loops_that_something_leaves_may_have_any_condition(host):
    @silent
    def kernel(out: Buff[f32]):
        with vc.while_block(True):
            out[0] += 1.0
            with vc.if_block(out[0] > 4.0):
                vc.break_statement()
        with vc.while_block(False):
            out[0] += 1.0
        with vc.while_block(True), vc.while_block(True), vc.if_block(out[0] > 1.0):
            vc.return_statement()


def test_what_tracing_alone_counts_is_not_warned_of(host):
    def counts(out: Buff[f32]):
        n = 0
        at = vc.global_invocation_id().x
        x = 2.0 * at
        with vc.if_block(at > 1):
            for _ in range(3):
                out[n] = x
                n += 1  # a place, not a value of the kernel
            x = vc.sin(1.0 * at)
            out[n] = x
        for _ in range(2):
            with vc.if_block(at > 2):
                x = vc.cos(1.0 * at)
                out[n] = x
        out[n] = 1.0

    silent(counts)


def test_names_that_are_not_used_behind_the_block_may_be_given_again(host):
    @silent
    def kernel(out: Buff[f32]):
        acc = vc.new_float_register()
        for k in range(4):
            with vc.if_block(out[k] > 1.0):
                t = out[k + 4].to_register()
                acc += t
                doubled = t * 2
                out[k] = doubled
            with vc.while_block(acc > 8.0):
                t = (out[k] * 0.5).to_register()
                acc -= t
        value = acc.to_register()
        with vc.if_block(value > 1.0):
            value = value * 2
            out[0] = value
        value = vc.new_float_register(1)
        out[1] = value

    @silent
    def changed(out: Buff[f32]):
        acc = vc.new_float_register()
        with vc.if_block(out[0] > 1.0):
            acc[:] = acc + 1.0
            acc *= 2.0
        out[0] = acc


# ---- return


def returned(out: Buff[f32]):
    with vc.if_block(out[0] > 1.0):
        return  # here
    out[0] = 1.0


def returned_at_the_end(out: Buff[f32]):
    with vc.if_block(out[0] > 1.0):
        out[0] = 2.0
        return  # here


def returned_in_a_line(out: Buff[f32]):
    # fmt: off
    with vc.if_block(out[0] > 1.0): return
    # fmt: on
    out[0] = 1.0


def returned_from_two(out: Buff[f32]):
    with vc.if_block(out[0] > 1.0), vc.while_block(out[1] > 1.0):
        return  # here
    out[0] = 1.0


def returned_by_a_function(out: Buff[f32]):
    def positive(x):
        with vc.if_block(x > 0.0):
            return x * 2.0  # here
        return x

    out[0] = positive(out[0])


def returned_where_python_says_so(out: Buff[f32]):
    with vc.if_block(out[0] > 1.0):
        if TABLE:
            return  # here
        out[0] = 2.0
    out[0] = 1.0


@pytest.mark.parametrize(
    "kernel",
    [
        returned, returned_at_the_end, returned_in_a_line, returned_from_two, returned_by_a_function,
        returned_where_python_says_so,
    ],
)  # fmt: skip
def test_pythons_return_in_a_block_is_an_error(host, kernel):
    at = "1.0): return" if kernel is returned_in_a_line else "# here"
    refused(kernel, RuntimeError, r"'return' inside of the (if|while) block.*vc\.return_statement\(\)", at)


def broken_off(out: Buff[f32]):
    for k in range(4):
        with vc.if_block(out[k] > 1.0):
            out[k] = 1.0
            break  # here


def broken_off_at_once(out: Buff[f32]):
    for k in range(4):
        out[k] += 1.0
        with vc.if_block(out[k] > 1.0):
            break  # here
        out[k] = 1.0


def gone_on(out: Buff[f32]):
    for k in range(4):
        with vc.if_block(out[k] > 1.0):
            continue  # here
        out[k] = 1.0


def gone_on_in_two(out: Buff[f32]):
    for k in range(4):
        with vc.if_block(out[k] > 1.0), vc.if_block(out[k] > 2.0):
            out[k] = 2.0
            continue  # here
        out[k] = 1.0


@pytest.mark.parametrize("kernel", [broken_off, broken_off_at_once, gone_on, gone_on_in_two])
def test_pythons_break_and_continue_in_a_block_are_errors(host, kernel):
    word = "break" if "broken" in kernel.__name__ else "continue"
    refused(kernel, RuntimeError, rf"'{word}' inside of the if block.*vc\.{word}_statement\(\)", f"{word}  # here")


def test_break_and_continue_that_pythons_numbers_choose_are_none(host):
    @silent
    def kernel(out: Buff[f32]):
        for k in range(4):
            with vc.if_block(out[k] > 1.0):
                if k == 2:
                    continue
                out[k] = 1.0
                if k == 3:
                    break
            if k == 1:
                continue
            out[k] = 2.0
        for k in range(4):
            with vc.if_block(out[k] > 1.0):
                out[k] = 1.0
            continue
        while TABLE:
            with vc.if_block(out[0] > 1.0):
                out[0] = 1.0
            break
        with vc.while_block(out[0] > 1.0), vc.if_block(out[1] > 1.0):
            vc.break_statement()


def test_a_return_behind_a_block_is_none_in_it(host):
    @silent
    def kernel(out: Buff[f32]):
        def larger(x, twice):
            result = x.to_register()
            with vc.if_block(x > 1.0):
                if twice:
                    result[:] = x * 2.0
            return result

        def nothing(x):
            with vc.if_block(x > 1.0), vc.if_block(x > 2.0):
                x[:] = 1.0

        def early(x):
            if TABLE:
                with vc.if_block(x > 1.0):
                    x[:] = 2.0
                return x
            return x + 1

        value = larger(out[0], True).to_register()
        nothing(value)
        out[0] = larger(early(value), False)
        with vc.if_block(out[0] > 1.0):
            out[1] = early(value)

    @silent
    def with_an_end(out: Buff[f32]):
        with vc.if_block(out[0] > 1.0):
            vc.return_statement()
        with vc.while_block(out[0] > 1.0), vc.if_block(out[1] > 1.0):
            vc.break_statement()


# ---- Memory that is overwritten before it is used


def overwritten(out: Buff[f32], x: Buff[f32]):
    i = vc.global_invocation_id().x
    first = x[i]  # read
    twice = first * 2.0 + out[i]
    x[i] = 0.0  # stored
    out[i] = twice  # used


def overwritten_by_the_same_formula(out: Buff[f32]):
    i = vc.global_invocation_id().x
    first = vc.sqrt(out[i + 1])  # read
    out[i + 1] = 0.0  # stored
    out[i] = first  # used


def overwritten_in_place(out: Buff[f32]):
    first = out[0]  # read
    out[0] += 1.0  # stored
    kept = first.to_register()  # used
    out[1] = kept


def overwritten_and_asked_for(out: Buff[f32]):
    large = out[0] > 1.0  # read
    out[0] = 0.0  # stored
    with vc.if_block(large):  # used
        out[1] = 1.0


def changed_by_an_atomic(out: Buff[i32]):
    first = out[0]  # read
    vc.atomic_add(out[0], 1)  # stored
    out[1] = first  # used


def a_component(out: Buff[v2]):
    first = out[0].x  # read
    out[0].x = 0.0  # stored
    out[1].y = first  # used


def a_component_of_all(out: Buff[v2]):
    first = out[0].x  # read
    out[0] = out[1]  # stored
    out[1].y = first  # used


def in_shared_memory(out: Buff[f32]):
    part = vc.shared_buffer(f32, 4)
    first = part[0]  # read
    part[0] = 1.0  # stored
    out[0] = first  # used


def on_both_branches(out: Buff[f32]):
    first = out[0]  # read
    with vc.if_block(out[1] > 1.0):
        out[0] = 1.0  # stored
    out[2] = first  # used


@pytest.mark.parametrize(
    "kernel",
    [
        overwritten, overwritten_by_the_same_formula, overwritten_in_place, overwritten_and_asked_for,
        changed_by_an_atomic, a_component, a_component_of_all,
        in_shared_memory, on_both_branches,
    ],
)  # fmt: skip
def test_memory_that_is_overwritten_before_its_use_is_warned_of(host, kernel):
    read, stored, used = (line_of(kernel, f"# {what}") for what in ("read", "stored", "used"))
    ((line, said),) = warned(kernel)
    assert line == used
    assert f"What line {read} reads from memory is overwritten in line {stored} before line {used} uses it" in said
    assert f".to_register() in line {read}" in said


@pytest.mark.parametrize(
    "function",
    [
        lambda x: -x, lambda x: x * 2.0, lambda x: 2.0 - x, lambda x: x**2, lambda x: vc.abs(x), lambda x: vc.sign(x),
        lambda x: vc.max(x, 0.5), lambda x: vc.mix(0.5, 1.0, x), lambda x: vc.select(x > 1.0, x, 0.0), lambda x: x.to_dtype(vd.int32).to_dtype(f32),
        lambda x: vc.to_vec2(x, 1.0).y, lambda x: vc.to_vec2(x, 1.0).swizzle("yx").x, lambda x: vc.to_complex(x, 1.0).conjugate().imag,
        lambda x: vc.float_bits_to_uint(x).to_dtype(f32), lambda x: vc.popcount(vc.float_bits_to_uint(x)).to_dtype(f32),
        lambda x: vc.subgroup_add(x), lambda x: vc.subgroup_shuffle(x, 1), lambda x: vc.subgroup_max(x),
        lambda x: vc.subgroup_any(x > 1.0).to_dtype(f32), lambda x: vc.subgroup_all(x > 1.0).to_dtype(f32),
        lambda x: vc.subgroup_ballot(x > 1.0).x.to_dtype(f32), lambda x: vc.isinf(x).to_dtype(f32), lambda x: vc.dot(vc.to_vec2(x), vc.to_vec2(1)),
        lambda x: vc.determinant(vc.to_mat2(x)), lambda x: vc.outer_product(vc.to_vec2(x), vc.to_vec2(x))[0][1],
        lambda x: vc.any(x > 1.0, False).to_dtype(f32), lambda x: vc.isnan(x).to_dtype(f32), lambda x: vc.exp(vc.sin(x)),
    ],
)  # fmt: skip
def test_what_a_formula_reads_is_followed_through_every_function(host, function):
    def kernel(out: Buff[f32]):
        value = function(out[0])
        out[0] = 1.0
        out[1] = value

    ((line, _),) = warned(kernel)
    assert line == line_of(kernel, "out[1] = value")


def test_memory_that_is_not_overwritten_before_its_use_is_not_warned_of(host):
    @silent
    def kernel(out: Buff[v4], x: Buff[f32]):
        i = vc.global_invocation_id().x
        kept = x[i].to_register()
        x[i] = 0.0
        x[i] = x[i] + kept
        other = x[i + 1]
        x[i] = 1.0
        x[i + 2] = other
        both = x[3]
        with vc.if_block(both > 1.0):
            x[3] = 1.0
        with vc.else_if_block(both > 0.0):
            x[4] = both
        with vc.else_block():
            x[5] = both
        by_name = x[6]
        by_name += 1.0
        by_name[:] = by_name * 2.0
        x[7] = by_name
        early = x[8]
        with vc.if_block(x[9] > 1.0):
            x[8] = 0.0
            vc.return_statement()
        x[9] = early
        component = out[0].x
        out[0].y = 1.0
        out[1].x = component
        with vc.while_block(x[0] > 1.0):
            x[0] = x[0] - 1.0


# ---- Several at once


def swapped(out: Buff[f32]):
    a, b = vc.new_float_register(1), vc.new_float_register(2)
    a[:], b[:] = b, a  # here
    out[0] = a + b


def butterfly(out: Buff[f32]):
    a, b = vc.new_float_register(1), vc.new_float_register(2)
    a[:], b[:] = a + b, a - b  # here
    out[0] = a * b


def elements(out: Buff[f32]):
    out[0], out[1] = out[1], out[0]  # here


def components(out: Buff[f32]):
    v = vc.new_vec2_register(1, 2)
    v.x, v.y = v.y, v.x  # here
    out[0] = v.x


@pytest.mark.parametrize("kernel", [swapped, butterfly, elements, components])
def test_an_assignment_of_several_that_loses_one_is_warned_of(host, kernel):
    ((line, said),) = warned(kernel)
    assert line == line_of(kernel, "# here") and "one after the other" in said and "to_register()" in said


def test_an_assignment_of_several_that_loses_none_is_not_warned_of(host):
    @silent
    def kernel(out: Buff[f32]):
        a, b = vc.new_float_register(1), vc.new_float_register(2)
        for _ in range(3):
            a[:], b[:] = a + b, b * 2.0
            a[:], b[:] = b.to_register(), a.to_register()
        registers = [vc.new_float_register(k) for k in range(4)]
        # fmt: off
        for k in range(1, 4): registers[k][:] = registers[k - 1]
        a[:] = out[1]; b[:] = a + 1.0
        # fmt: on
        out[0], out[1] = a, b


# ---- Recursion, zeros, components, tables


def test_recursion_names_the_function(host):
    def halved(x):
        with vc.if_block(x > 1.0):
            return halved(x * 0.5) + 1.0

    def plain(x):
        return plain(x + 1.0)

    for function in (halved, plain):

        def kernel(out: Buff[f32], function=function):
            out[0] = function(out[0])

        with pytest.raises(RecursionError, match=f"'{function.__name__}' calls itself without end") as caught:
            vd.shader("out.size", arg_type_annotations=[Buff[f32]], arg_names=["out"])(kernel)
        assert f"{__file__}:{function.__code__.co_firstlineno}" in str(caught.value)


def test_recursion_in_maps_reductions_and_contexts_names_the_function(host):
    def endless(x):
        return endless(x * 2.0)

    @vd.map
    def mapped(x: Buff[vd.complex64]):
        op = vd.fft.read_op()
        op.register[:] = endless(x[op.io_index])

    @vd.reduce.reduce(0.0)
    def total(a: f32, b: f32) -> f32:
        return endless(a) + b

    @vd.reduce.map_reduce(vd.reduce.SubgroupAdd)
    def total_of(x: Buff[f32]) -> f32:
        return endless(x[vd.reduce.mapped_io_index()])

    def in_a_context():
        with vc.shader_context() as context:
            (out,) = context.declare_input_arguments([Buff[f32]], ["out"])
            out[0] = endless(out[0])

    buffer = vd.zeros(8, vd.complex64)
    for call in (
        lambda: vd.fft.fft(buffer, buffer, input_map=mapped),
        lambda: total(vd.zeros(8)),
        lambda: total_of(vd.zeros(8)),
        in_a_context,
    ):
        with pytest.raises(RecursionError, match="'endless' calls itself without end"):
            call()


def test_recursion_that_python_ends_is_written_out(host):
    def power(x, n):
        return x if n == 1 else power(x, n - 1) * x

    @vd.shader("out.size")
    def kernel(out: Buff[f32]):
        i = vc.global_invocation_id().x
        out[i] = power(out[i], 5)

    out = vd.full(3, 2.0)
    kernel(out)
    assert out.read(0).tolist() == [32, 32, 32]


def whole_quotient(out: Buff[i32]):
    out[0] = out[0] // 0  # here


def remainder(out: Buff[i32]):
    out[0] = out[0] % 0  # here


def in_place(out: Buff[i32]):
    out[0] //= 0  # here


@pytest.mark.parametrize("kernel", [whole_quotient, remainder, in_place])
def test_a_literal_divisor_of_zero_is_an_error_for_integers(host, kernel):
    refused(kernel, ZeroDivisionError, r"out\[0\] (//|%) 0: the divisor is zero", "# here")


def quotient(out: Buff[f32]):
    out[0] = out[0] / 0.0  # here


def float_remainder(out: Buff[f32]):
    out[0] = vc.mod(out[0], 0)  # here


@pytest.mark.parametrize("kernel", [quotient, float_remainder])
def test_a_literal_divisor_of_zero_is_a_warning_for_floats(host, kernel):
    ((line, said),) = warned(kernel)
    assert line == line_of(kernel, "# here") and "the divisor is zero" in said and f"{__file__}:{line}" in said


def not_negative(out: Buff[u32]):
    with vc.if_block(out[0] - 1 >= 0):  # here
        out[0] = 1


def negative(out: Buff[u32]):
    out[0] = vc.select(out[0] < 0, 1, 2)  # here


def at_least_zero(out: Buff[u32]):
    out[0] = vc.max(out[0] - 1, 0)  # here


def clamped(out: Buff[u32]):
    out[0] = vc.clamp(out[0] - 1, 0, 5)  # here


@pytest.mark.parametrize("kernel", [not_negative, negative, at_least_zero, clamped])
def test_an_unsigned_number_that_is_asked_for_being_negative_is_a_warning(host, kernel):
    ((line, said),) = warned(kernel)
    assert line == line_of(kernel, "# here") and "a uint32 is never below 0" in said and f"{__file__}:{line}" in said


def signed(out: Buff[i32]):
    with vc.if_block(out[0] - 1 >= 0):
        out[0] = vc.max(out[0], 0)


def test_a_signed_number_is_not(host):
    assert warned(signed) == []


def flipped(out: Buff[f32]):
    with vc.if_block(~(out[0] > 1.0)):
        out[0] = 1.0


def flipped_vote(out: Buff[f32]):
    some = vc.subgroup_any(out[0] > 1.0)
    out[0] = (~some).to_dtype(f32)


@pytest.mark.parametrize("kernel", [flipped, flipped_vote])
def test_flipping_the_bits_of_a_comparison_is_warned_of(host, kernel):
    ((line, said),) = warned(kernel)
    assert line == line_of(kernel, "~") and "-2 or -1, and both are true" in said and "== 0' is its opposite" in said


def flipped_truth(out: Buff[f32]):
    truth = vc.to_bool(out[0])
    out[0] = vc.select(~truth, 1.0, 0.0)


def test_flipping_the_bits_of_a_truth_is_an_error(host):
    refused(flipped_truth, TypeError, "a bool_ has none: .* == 0' is its opposite", "~")


def test_what_the_messages_advise_is_the_opposite(host):
    @vd.shader("out.size")
    def opposites(out: Buff[i32], x: Buff[f32]):
        i = vc.global_invocation_id().x
        truth = vc.to_bool(x[i])
        out[i] = ((x[i] > 0.0) == 0).to_dtype(i32) + 2 * (truth == 0).to_dtype(i32) + (~i.to_dtype(i32) & 0)

    out = vd.zeros(3, vd.int32)
    opposites(out, vd.asbuffer(np.array([-1, 0, 1], np.float32)))
    assert out.read(0).tolist() == [1, 3, 0]


def missing_component(out: Buff[v2]):
    out[0].z = 1.0  # here


def list_index(out: Buff[f32]):
    out[0] = TABLE[vc.global_invocation_id().x]  # here


def tuple_index(out: Buff[f32]):
    out[0] = tuple(TABLE)[vc.global_invocation_id().x]  # here


def array_index(out: Buff[f32]):
    out[0] = float(ARRAY[vc.global_invocation_id().x])  # here


def dict_index(out: Buff[f32]):
    out[0] = {0: 1.0}[vc.global_invocation_id().x]  # here


def python_condition(out: Buff[f32]):
    out[0] = 1.0 if out[0] > 1.0 else 2.0  # here


def pythons_maximum(out: Buff[f32]):
    out[0] = max(out[0], out[1])  # here


def both_conditions(out: Buff[f32]):
    with vc.if_block(out[0] > 1.0 and out[1] > 1.0):  # here
        out[0] = 1.0


def chained(out: Buff[f32]):
    with vc.if_block(0.0 < out[0] < 1.0):  # here
        out[0] = 1.0


@pytest.mark.parametrize("kernel", [python_condition, pythons_maximum, both_conditions, chained])
def test_a_condition_of_pythons_on_a_value_is_an_error(host, kernel):
    refused(kernel, ValueError, r"cannot be cast to a python boolean: .*vc\.select.*vc\.all.*vc\.max", "# here")


def test_a_component_that_is_not_there_is_named_with_those_that_are(host):
    refused(missing_component, AttributeError, "'vec2' has no component 'z'! Its components are x, y", "# here")


@pytest.mark.parametrize("kernel", [list_index, tuple_index, array_index, dict_index])
def test_a_table_of_pythons_that_the_kernel_indexes_is_pointed_to_a_buffer(host, kernel):
    refused(kernel, TypeError, r"vd\.asbuffer\(table\)", "# here")


def test_a_trace_keeps_no_frames(host):
    """The comparison at the end of blocks must not keep all objects that the program's function refers to."""

    class Kept:
        pass

    import gc
    import weakref

    gc.collect()
    gc.disable()
    try:
        seen = []

        def fails(out: Buff[f32]):
            inside = Kept()
            seen.append(weakref.ref(inside))
            with vc.if_block(out[0] > 1.0):
                raise LookupError

        with pytest.raises(LookupError):
            vd.shader("out.size")(fails)
        assert seen[0]() is None
    finally:
        gc.enable()


# ---- What a kernel returns


def returns_a_number(out: Buff[f32]):
    out[0] = 1.0
    return 5


def returns_a_value_in_a_branch(out: Buff[f32]):
    out[0] = 1.0
    if TABLE:
        return out[0] + 1.0  # here
    return None


def returns_one_of_two(out: Buff[f32]):
    out[0] = 1.0
    if TABLE:
        return 1
    return 2


@pytest.mark.parametrize(
    ("kernel", "at", "value"),
    [
        (returns_a_number, "return 5", "5"),
        (returns_a_value_in_a_branch, "# here", "out"),
        (returns_one_of_two, "def ", "1"),
    ],
)
def test_a_value_that_a_kernel_returns_is_warned_of(host, kernel, at, value):
    ((line, said),) = warned(kernel)
    assert line == line_of(kernel, at)
    assert f"'{kernel.__name__}' returns {value}" in said or f"'{kernel.__name__}' returns <" in said
    assert f"{__file__}:{line}" in said


def test_a_value_that_a_kernel_returns_is_an_error_in_strict_mode(host):
    vd.initialize(strict=True)
    try:
        with pytest.raises(ValueError, match="'returns_a_number' returns 5, which goes nowhere"):
            vd.shader("out.size")(returns_a_number)
    finally:
        remarks.set_strict(None)


def test_kernels_that_return_nothing_are_not_warned_of(host):
    def early(out: Buff[f32]):
        out[0] = 1.0
        if TABLE:
            return
        out[0] = 2.0

    silent(early)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vd.shader(1, arg_type_annotations=[Buff[i32]])(lambda out: vc.atomic_add(out[0], 1))


# ---- Pythons whose bytecode is not known


def test_on_a_python_that_is_not_known_nothing_is_guessed(host, monkeypatch):
    def returns_in_a_block(out: Buff[f32]):
        with vc.if_block(out[0] > 1.0):
            return

    def rebinds(out: Buff[f32]):
        best = out[0].to_register()
        with vc.if_block(out[1] > best):
            best = out[1]
        out[0] = best

    monkeypatch.setattr(frames._Reading, "known", False)
    monkeypatch.setattr(frames._Reading, "told", False)
    ((line, said),) = warned(rebinds)
    assert line == line_of(rebinds, "with vc.if_block") and "return, break and continue" in said
    silent(returns_in_a_block)  # it was said once
    assert warned(returns_a_number)[0][0] == line_of(returns_a_number, "def ")


def test_this_python_is_known():
    assert frames._Reading.known == ((3, 10) <= sys.version_info[:2] <= (3, 13))
