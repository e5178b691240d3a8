# ruff: noqa: B015, B018, PLR0133, SIM117 (expressions for their errors)
"""Valid uses of variables, arguments and assignments, and the errors of invalid ones."""

import dataclasses
import threading

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.base import dtype as dt
from vkdispatch.codegen.abbreviations import *
from vkdispatch.codegen.variables.bound_variables import BoundVariable, BufferVariable
from vkdispatch.codegen.variables.variables import ShaderVariable

# ---- What a variable is (2, 5.1)


def test_a_variable_is_no_python_value(trace):
    x = vc.new_float_register()
    with pytest.raises(ValueError, match="Vkdispatch variables cannot be cast to a python boolean"):
        bool(x)
    with pytest.raises(ValueError):
        x < 1 < 2
    with pytest.raises(ValueError):
        not x
    for function in (hash, len, int, float, round):
        with pytest.raises(TypeError):
            function(x)
    with pytest.raises(TypeError):
        divmod(x, 2)


def test_a_buffer_is_no_value(trace):
    x = vc.new_float_register()
    (b,) = trace.declare_input_arguments([Buff[f32]], ["picture"])
    for use in (
        lambda: -b, lambda: b.to_register(), lambda: vc.sin(b), lambda: vc.min(1, b), lambda: vc.to_int(b),
        lambda: vc.if_block(b).__enter__(), lambda: b[b], lambda: vc.dot(b, x),
    ):  # fmt: skip
        with pytest.raises(TypeError, match="'picture' is a buffer or image and no value: index it first!"):
            use()


def test_a_variable_that_outlives_its_trace_says_so():
    with vc.shader_context() as context:
        x = vc.new_float_register()
        context.get_description()
    with vc.shader_context():
        y = vc.new_float_register()  # an unfinished trace is over too
    for v in (x, y):
        for use in (lambda v=v: v + 1, lambda v=v: v.set_value(2), lambda v=v: v.to_register(), lambda v=v: vc.sin(v)):
            with pytest.raises(RuntimeError, match="a kernel whose trace is over"):
                use()


def test_iteration_ends(trace):
    assert len(list(vc.new_vec3_register())) == 3
    re, im = vc.new_complex_register()
    assert re.var_type is im.var_type is dt.float32
    assert [c.var_type for c in vc.new_mat2_register()] == [dt.vec2, dt.vec2]
    (buffer,) = trace.declare_input_arguments([Buff[f32]])
    for x in (buffer, vc.new_float_register()):
        with pytest.raises(TypeError):
            list(x)


def test_kinds_of_variables(trace):
    buffer, constant, variable = trace.declare_input_arguments([Buff[v3], Const[f32], Var[i32]])
    register = vc.new_vec2_register()
    kinds = [
        (register, True, True), (register.x, True, True), (register[0], True, False), (register * 2, False, False),
        (register.swizzle("xy"), False, False), (register.swizzle("y"), True, False), (buffer[0], True, False),
        (buffer[0].x, True, False), (buffer[0][1], True, False), (constant, False, False), (variable, False, False),
        (buffer.shape, False, False), (vc.global_invocation_id().x, False, False), (+register, False, False),
        (register * 1, False, False), (vc.to_float(1), False, False), (vc.new_complex_register().conjugate(), False, False),
    ]  # fmt: skip
    for x, settable, is_register in kinds:
        assert (x.is_setable(), x.settable) == (settable, settable), x
        assert x.is_register() == is_register, x


def test_attributes_that_programs_read(trace):
    (buffer,) = trace.declare_input_arguments([Buff[c64]], ["data"])
    assert (
        isinstance(buffer, BufferVariable) and isinstance(buffer, BoundVariable) and isinstance(buffer, ShaderVariable)
    )
    assert not isinstance(buffer, vc.Buffer)
    assert buffer.var_type is dt.complex64 and buffer.name == buffer.raw_name == "data"
    assert buffer.can_index and not buffer.use_child_type
    register = vc.new_complex_register(var_name="z")
    assert register.is_complex and not register.is_conjugate and register.conjugate().is_conjugate
    assert register.name == "z" and register.lexical_unit and register.parents == []
    assert len(register.real.parents) == 1
    register.read_callback()
    register.write_callback()
    assert isinstance((register + 1).resolve(), str) and (register + 1).resolve()
    assert register.printf_args().count(",") == 1
    assert "z" in repr(register)


def test_components_that_a_type_lacks(trace):
    c, v, s, m = vc.new_complex_register(), vc.new_vec2_register(), vc.new_uint_register(), vc.new_mat2_register()
    for x, name in ((c, "x"), (c, "y"), (v, "z"), (v, "real"), (s, "x"), (s, "imag"), (m, "x"), (v, "r"), (s, "foo")):
        with pytest.raises(AttributeError):
            getattr(x, name)
        with pytest.raises(AttributeError):
            setattr(x, name, 1)
    for x, name in ((v, "z"), (c, "x")):
        with pytest.raises(ValueError):
            setattr(x, name, 1)


def test_other_spellings(trace):
    x = vc.new_float_register()
    assert x.copy("kept").name == "kept" and x.cast_to(dt.int32).var_type is dt.int32
    assert vc.new(f32, 1).var_type is dt.float32 and vc.new_uvec2(1, 2).var_type is dt.uvec2


# ---- Stores (8.1)


def test_stores_take_the_same_type_only(trace):
    buffer, b2 = trace.declare_input_arguments([Buff[f32], Buff[c64]])
    i = vc.global_invocation_id().x
    buffer[i] = vc.new_float_register()
    buffer[0] = 1
    for store in (
        lambda: buffer.__setitem__(i, i),
        lambda: b2.__setitem__(i, vc.new_vec2_register()),
        lambda: vc.new_int_register().set_value(i),
        lambda: vc.new_float_register().set_value(buffer),
    ):
        with pytest.raises(ValueError, match="Cannot set variable of type"):
            store()
    with pytest.raises(ValueError, match="Cannot set value of"):
        (i + 1).set_value(i)
    with pytest.raises(ValueError, match="Cannot set value of"):
        (i + 1)[:] = 2
    with pytest.raises(ValueError):
        vc.new_vec3_register().swizzle("xy")[:] = 1


def test_stored_numbers_convert(trace):
    u, v, c, h = vc.new_uint_register(), vc.new_vec2_register(), vc.new_complex_register(), vc.new_float16_register()
    u[:] = 2.0
    u[:] = np.int16(3)
    u[:] = True
    v[:] = 0
    v.x = 1
    c[:] = 0
    c[:] = 1 + 2j
    c.real = 3
    h[:] = 0.1
    for target, bad in ((u, 2.5), (u, 1j), (v, 1j), (h, "1"), (u, None), (c, [1])):
        with pytest.raises(TypeError):
            target[:] = bad
    with pytest.raises(OverflowError):
        u[:] = 2**64


def test_only_the_full_slice_stores(trace):
    (buffer,) = trace.declare_input_arguments([Buff[f32]])
    r = vc.new_vec2_register()
    for index in (slice(0, 1), slice(None, None, 2), slice(1, None)):
        with pytest.raises(ValueError, match="full slice"):
            r[index] = 1
        with pytest.raises(ValueError, match="full slice"):
            r[index]
    assert r[:] is r
    r[:] += 1
    with pytest.raises(TypeError, match="as a whole"):
        buffer[:] = 1
    with pytest.raises(TypeError):
        buffer.set_value(1)
    with pytest.raises(TypeError):
        buffer + 1


# ---- Indexing and swizzle (8.2, 8.3)


def test_buffer_indices(trace):
    (buffer,) = trace.declare_input_arguments([Buff[f32]])
    shared = vc.shared_buffer(v2, 16, "tile")
    for index in (0, np.int64(3), (3,), vc.new_uint64_register(), vc.new_int16_register(), (vc.new_uint_register(),)):
        assert buffer[index].var_type is dt.float32 and shared[index].var_type is dt.vec2
    for index in (1.0, True, "x", slice(None), None, vc.new_float_register(), vc.new_uvec2_register(), buffer):
        with pytest.raises(TypeError, match="Index must be"):
            buffer[index]
    with pytest.raises(ValueError, match="single index"):
        buffer[1, 2]


def test_component_indices(trace):
    v, m, c = vc.new_ivec3_register(), vc.new_mat3_register(), vc.new_complex_register()
    i = vc.new_uint_register()
    assert v[2].var_type is dt.int32 and v[i].var_type is dt.int32
    assert m[1].var_type is dt.vec3 and m[i][i].var_type is dt.float32 and c[1].var_type is dt.float32
    m[1] = vc.new_vec3_register()
    m[0][2] = 5
    for x, index in ((v, 7), (v, -1), (m, 3), (c, 2)):
        with pytest.raises(IndexError):
            x[index]
    for index in (1.0, "x", vc.new_float_register()):
        with pytest.raises(ValueError):
            v[index]
    with pytest.raises(ValueError, match="cannot be indexed into"):
        i[0]


def test_swizzles(trace):
    v, c, s = vc.new_uvec3_register(), vc.new_complex_register(), vc.new_float_register()
    assert v.swizzle("x").var_type is dt.uint32 and v.swizzle("zyx").var_type is dt.uvec3
    assert v.swizzle("xxyy").var_type is dt.uvec4
    assert c.swizzle("yx").var_type is dt.vec2 and c.swizzle("y").var_type is dt.float32
    assert s.swizzle("xxx").var_type is dt.vec3 and s.swizzle("x").var_type is dt.float32
    for x, letters in (
        (v, ""),
        (v, "xyzxy"),
        (v, "w"),
        (v, "a"),
        (c, "z"),
        (s, "y"),
        (v, 1),
        (vc.new_mat2_register(), "x"),
    ):
        with pytest.raises(ValueError):
            x.swizzle(letters)


def test_shapes(trace):
    (buffer,) = trace.declare_input_arguments([Buff[f32]])
    assert buffer.shape.var_type is dt.ivec4 and vc.shared_buffer(f32, 8).shape.x.var_type is dt.int32
    with pytest.raises(ValueError):
        buffer.shape.x = 1


# ---- Arguments (4)


def test_annotations_keep_their_types():
    assert vc.Buffer[vc.c64].__origin__ is vc.Buffer and vc.Buffer[vc.c64].__args__ == (dt.complex64,)
    assert vc.Buffer[vc.c64] == vc.Buffer[vc.c64] != vc.Buffer[vc.f32]


@dataclasses.dataclass(frozen=True)
class Params:
    count: u32
    scale: f32


@pytest.mark.parametrize(
    "annotation, error",
    [
        (f32, TypeError), (Buff, TypeError), (int, TypeError), (dict[str, int], ValueError), (list[f32], ValueError),
        (Buff[int], TypeError), (vc.StorageImage2D[vd.image_format], TypeError), (vc.StorageImage2D[vd.mat2], ValueError),
    ],
)  # fmt: skip
def test_annotations_that_are_refused(trace, annotation, error):
    with pytest.raises(error):
        trace.declare_input_arguments([annotation])


def test_dataclasses_become_one_constant_a_field(trace):
    params, buffer = trace.declare_input_arguments([Params, Buff[u32]], ["params", "out"])
    assert isinstance(params, Params) and params.count.var_type is dt.uint32 and not params.scale.settable
    infos = trace.builder.shader_arg_infos
    assert infos[0].arg_type is vc.ShaderArgumentType.CONSTANT_DATACLASS and list(infos[0].shader_name) == [
        "count",
        "scale",
    ]
    buffer[0] = params.count

    @dataclasses.dataclass
    class Bad:
        x: int

    with pytest.raises(ValueError):
        trace.builder.declare_shader_arguments([Bad])


def test_arguments_can_be_declared_once(trace):
    a, b = trace.declare_input_arguments([Buff[f32], Var[i32]])
    assert [info.name for info in trace.builder.shader_arg_infos] == ["param0", "param1"]
    assert all(x is y for x, y in zip(trace.builder.get_shader_arguments(), [a, b], strict=True))
    with pytest.raises(RuntimeError):
        trace.declare_input_arguments([])


def test_shared_buffers(trace):
    tile = vc.shared_buffer(vc.c64, np.int32(64), "tile")
    assert tile.name == "tile" and trace.builder.shared_buffers[0] == vc.SharedBuffer(dt.complex64, 64, "tile")
    for size, error in ((0, ValueError), (-1, ValueError), (1.5, TypeError), (True, TypeError), (2**40, ValueError)):
        with pytest.raises(error):
            vc.shared_buffer(f32, size)
    with pytest.raises(TypeError):
        vc.shared_buffer(int, 4)


# ---- Casts (15)


def test_casts(trace):
    s, v, c, m = vc.new_int_register(), vc.new_vec4_register(), vc.new_complex_register(), vc.new_mat3_register()
    two = v.swizzle("xy")
    good = [
        vc.to_float(s), vc.to_float(v), vc.to_float(c), vc.to_float(True and 1), vc.to_vec3(s), vc.to_vec3(v),
        vc.to_uvec2(s, 1), vc.to_vec4(two, two), vc.to_vec4(two, s, 2.5), vc.to_ivec4(v), vc.to_vec2(c), vc.to_complex64(two),
        vc.to_complex128(c), vc.to_complex64(s, 2), vc.to_mat3(1), vc.to_mat3(s), vc.to_mat2(m), vc.to_mat4(m),
        vc.to_mat2(two, two), vc.to_mat2(1, 2, s, 4), vc.to_uint(), vc.to_mat2(), vc.to_complex64(1 + 2j), vc.to_vec3(1),
        s.to_dtype(dt.float16), vc.to_dtype(dt.complex64, 1), vc.to_complex(1 + 2j), vc.to_int16(70000), vc.to_uint(-1),
    ]  # fmt: skip
    assert not any(x.settable for x in good)
    for bad in (
        lambda: vc.to_float(True), lambda: vc.to_float("1"), lambda: vc.to_float(1j), lambda: vc.to_float(m),
        lambda: vc.to_complex64(v), lambda: vc.to_complex(two), lambda: vc.to_vec2(m), lambda: vc.to_vec2(1j),
        lambda: vc.to_dtype(int, 1),
    ):  # fmt: skip
        with pytest.raises(TypeError):
            bad()
    for bad in (
        lambda: vc.to_float(s, s), lambda: vc.to_vec4(two, s), lambda: vc.to_vec2(s, s, s), lambda: vc.to_complex64(),
        lambda: vc.to_complex64(1, 2, 3), lambda: vc.to_complex(), lambda: vc.to_mat2(1, 2, 3), lambda: vc.to_mat3(two, two, two),
        lambda: vc.new_complex64_register(1, 2, 3), lambda: vc.to_vec4(two),
    ):  # fmt: skip
        with pytest.raises(ValueError):
            bad()
    with pytest.raises(OverflowError):
        vc.to_int(2**64)


def test_the_width_of_complex_numbers(trace):
    h, f, d, i = (vc.new_register(t) for t in (f16, f32, f64, i16))
    assert vc.to_complex(h).var_type is dt.complex32 and vc.to_complex(i, i).var_type is dt.complex32
    assert vc.to_complex(f).var_type is dt.complex64 and vc.to_complex(h, d).var_type is dt.complex128
    assert vc.to_complex(1).var_type is dt.complex64 and vc.to_complex(h, 1).var_type is dt.complex64
    assert vc.new_complex_register().var_type is dt.complex64 and vc.new_complex_register(d).var_type is dt.complex128


def test_raw_source_text_is_refused(trace):
    with pytest.raises(NotImplementedError):
        vc.str_to_dtype(f32, "gl_FragCoord.x")
    with pytest.raises(NotImplementedError):
        trace.builder.append_contents("x = 1;")


def test_conjugates_are_of_complex_numbers(trace):
    with pytest.raises(ValueError):
        vc.new_vec2_register().conjugate()


# ---- Atomics (11.4)


def test_atomic_add_says_what_it_cannot_do(trace):
    buffer, floats, vectors, halves, n = trace.declare_input_arguments(
        [Buff[u32], Buff[f32], Buff[uv2], Buff[f16], Const[u32]]
    )
    shared = vc.shared_buffer(i32, 4)
    old = vc.atomic_add(buffer[0], 1)
    assert old.var_type is dt.uint32 and old.settable and old.register
    assert vc.atomic_add(shared[n], n).var_type is dt.int32
    vc.atomic_add(vectors[0].x, vc.new_int64_register())
    assert vc.atomic_add(floats[0], n).var_type is vc.atomic_min(floats[0], 0.5).var_type is dt.float32
    cases = [
        (lambda: vc.atomic_add(1, 1), "scalar lvalue"),
        (lambda: vc.atomic_add(vectors[0], 1), "scalar lvalue"),
        (lambda: vc.atomic_add(buffer, 1), "scalar lvalue"),
        (lambda: vc.atomic_add(n + 1, 1), "writable lvalue"),
        (lambda: vc.atomic_add(vc.new_uint_register(), 1), "register/local"),
        (lambda: vc.atomic_add(vc.new_uvec2_register()[0], 1), "buffer element"),
        (lambda: vc.atomic_add(halves[0], 1), "only int32, uint32, int64, uint64, float32, float64, not 'float16'"),
        (lambda: vc.atomic_add(floats[0], 1j), "increment must be a real scalar, not complex"),
        (lambda: vc.atomic_add(floats[0], vc.new_vec2_register()), "increment must be a real scalar, not 'vec2'"),
        (lambda: vc.atomic_add(buffer[0], 1.5), "increment must be an integer scalar"),
        (lambda: vc.atomic_add(buffer[0], floats[0]), "increment must be an integer scalar"),
        (lambda: vc.atomic_add(buffer[0], True), "increment must be an integer scalar"),
        (lambda: vc.atomic_or(floats[0], 1), "atomic_or supports only int32, uint32, int64, uint64, not 'float32'"),
        (lambda: vc.atomic_compare_exchange(buffer[0], 1.5, 1), "the expected value must be an integer scalar"),
        (lambda: vc.atomic_compare_exchange(buffer[0], 1, 1.5), "the value must be an integer scalar"),
    ]
    for bad, message in cases:
        with pytest.raises(TypeError, match=message):
            bad()


# ---- Index helpers (16)


def test_index_helpers(trace):
    buffer, i = trace.declare_input_arguments([Buff[f32], Const[u32]])
    shape2, shape3 = vc.new_uvec2_register(), vc.new_ivec3_register()
    assert vc.ravel_index(i, (3, 4)).var_type is dt.uvec2 and vc.ravel_index(5, (3, 4, 5)).var_type is dt.uvec3
    assert vc.ravel_index(i, buffer.shape).var_type is dt.uvec3 and vc.ravel_index(i, shape2).var_type is dt.uvec2
    assert vc.ravel_index(np.int32(5), shape3).var_type is dt.uvec3 and vc.ravel_index(i, [2, 2]).var_type is dt.uvec2
    assert vc.unravel_index((1, 2), (3, 4)) == 6 and vc.unravel_index((1, 2, 3), (2, 3, 4)) == 23
    assert vc.unravel_index((7,), (9,)) == (7,) and vc.unravel_index(i, (9,)) is i
    assert vc.unravel_index(shape2, (3, 4)).var_type is dt.uint32
    assert vc.unravel_index((1, 2), buffer.shape).var_type is dt.int32
    assert vc.unravel_index((i, i), (3, 4)).var_type is dt.uint32
    for bad in (
        lambda: vc.ravel_index(i, (3,)), lambda: vc.ravel_index(i, (1, 2, 3, 4)), lambda: vc.ravel_index(i, (1.5, 2)),
        lambda: vc.ravel_index(1.5, (3, 4)), lambda: vc.ravel_index(i, "ab"), lambda: vc.ravel_index(shape2, (3, 4)),
        lambda: vc.ravel_index((1, 2), (3, 4)), lambda: vc.unravel_index((1, 2, 3), (3, 4)), lambda: vc.unravel_index((), (3,)),
        lambda: vc.unravel_index((1, 2.5), (3, 4)), lambda: vc.unravel_index((1, 2, 3, 4), (3, 4)),
        lambda: vc.ravel_index(i, vc.new_vec2_register()), lambda: vc.ravel_index(i, i),
    ):  # fmt: skip
        with pytest.raises(ValueError):
            bad()


# ---- The state of tracing (2.7, 2.8, 19.1)


def test_no_trace_no_builder():
    with pytest.raises(RuntimeError, match="No global ShaderBuilder is set for the current thread!"):
        vc.get_builder()
    for call in (vc.barrier, vc.global_invocation_id, vc.new_float_register, vc.else_block().__enter__, vc.end):
        with pytest.raises(RuntimeError, match="No global ShaderWriter is set for the current thread!"):
            call()


def test_traces_do_not_nest(trace):
    assert vc.get_builder() is trace.builder
    with pytest.raises(RuntimeError, match="A global ShaderBuilder is already set for the current thread!"):
        with vc.shader_context():
            pass
    assert vc.get_builder() is trace.builder
    with pytest.raises(RuntimeError, match="already set"):
        vc.set_builder(vc.ShaderBuilder())


def test_a_failed_trace_is_cleared():
    with pytest.raises(ZeroDivisionError), vc.shader_context():
        1 / 0
    vc.set_builder(builder := vc.ShaderBuilder())
    assert vc.get_builder() is builder
    vc.set_builder(None)


def test_threads_trace_by_themselves():
    barrier, found, errors = threading.Barrier(2), {}, []

    def work(name):
        try:
            with vc.shader_context() as context:
                barrier.wait(10)
                vc.new_float_register(1.0, var_name=name)
                found[name] = vc.get_builder()
                assert found[name] is context.builder
                barrier.wait(10)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(f"var_thread_{i}",)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and found["var_thread_0"] is not found["var_thread_1"]


def test_variables_of_two_kernels_do_not_mix():
    with vc.shader_context():
        old = vc.new_uint_register()
        with pytest.raises(RuntimeError):
            vc.if_block(1 < 2).__exit__(None, None, None)
    with vc.shader_context() as context:
        (buffer,) = context.declare_input_arguments([Buff[u32]])
        new = vc.new_uint_register()
        for mix in (
            lambda: new + old, lambda: new.set_value(old), lambda: buffer[old], lambda: vc.max(new, old),
            lambda: vc.to_uvec2(new, old), lambda: vc.if_block(old).__enter__(), lambda: vc.atomic_add(buffer[0], old),
        ):  # fmt: skip
            with pytest.raises(RuntimeError, match="different kernel"):
                mix()


# ---- Conditions and blocks (9)


def test_conditions(trace):
    x = vc.new_float_register()
    for condition in (
        x < 1,
        vc.new_uint_register(),
        vc.new_int16_register(),
        True,
        np.False_,
        vc.any(x < 1, True),
        vc.all(),
    ):
        with vc.if_block(condition):
            x += 1
    for bad in (x, 1, None, "yes", vc.new_uvec2_register(), vc.new_complex_register()):
        block = vc.if_block(bad)
        with pytest.raises(TypeError):
            block.__enter__()
    with pytest.raises(TypeError):
        vc.any(1, x < 1)
    with pytest.raises(TypeError):
        vc.all(x)


def test_an_else_needs_its_if(trace):
    x = vc.new_uint_register()
    with pytest.raises(RuntimeError):
        vc.else_block().__enter__()
    with vc.if_block(x):
        x += 1
    x += 1
    with pytest.raises(RuntimeError):
        vc.else_if_block(x).__enter__()
    with vc.if_block(x):
        x += 1
    2 * x
    vc.comment("expressions and comments may stand here")
    with vc.else_if_block(x == 2):
        x += 2
    with vc.else_block():
        x += 3
    with pytest.raises(RuntimeError):
        vc.else_block().__enter__()
    with vc.while_block(x < 9):
        x += 1
    with pytest.raises(RuntimeError):
        vc.else_block().__enter__()


def test_blocks_by_hand(trace):
    x = vc.new_uint_register()
    block = vc.if_block(x)
    block.__enter__()
    x += 1
    block.__exit__(None, None, None)
    with pytest.raises(RuntimeError, match="only once"):
        block.__enter__()
    other = vc.else_block()
    other.__enter__()
    other.__exit__(None, None, None)
    outer, inner = vc.scope_block(), vc.while_block(x < 3)
    outer.__enter__()
    inner.__enter__()
    with pytest.raises(RuntimeError, match="opposite order"):
        outer.__exit__(None, None, None)
    inner.__exit__(None, None, None)
    outer.__exit__(None, None, None)


def test_statement_form(trace):
    x = vc.new_uint_register()
    vc.if_statement(x < 1)
    x += 1
    vc.else_if_statement(x < 2)
    x += 2
    vc.else_if_any(x < 3, x < 4)
    vc.else_if_all(x < 5, x < 6)
    vc.else_statement()
    vc.while_statement(x < 9)
    vc.new_scope(comment="inside")
    vc.end()
    vc.end()
    with pytest.raises(RuntimeError):
        vc.else_statement()
    vc.end()
    vc.if_any(x < 1, x > 2)
    vc.end()
    vc.if_all(x < 1, vc.logical_or(x > 2, vc.logical_and(x < 3, True)))
    vc.end()
    vc.if_statement(x < 1, lambda: x.set_value(2))
    with pytest.raises(RuntimeError):
        vc.end()
    with pytest.raises(RuntimeError):
        vc.else_statement()


def test_an_open_block_is_an_error_at_the_end(trace):
    vc.while_statement(vc.new_uint_register() < 3)
    with pytest.raises(RuntimeError, match="still open"):
        trace.get_description("open")


def test_a_kernel_returns_nothing(trace):
    vc.return_statement()
    for value in (1, vc.to_float(1), "x"):
        with pytest.raises(TypeError):
            vc.return_statement(value)


# ---- Printing (18)


def test_what_functions_refuse_names_what_it_was_given(trace):
    (buffer,) = trace.declare_input_arguments([Buff[f32]], ["picture"])
    c, m, v = vc.new_complex_register(), vc.new_mat2_register(), vc.new_vec2_register()
    for error, text, use in (
        (TypeError, "not str", lambda: vc.mult_complex(c, "x")),
        (TypeError, "not 'vec2'", lambda: vc.complex_from_euler_angle(v)),
        (TypeError, "cannot print a value of type complex", lambda: vc.printf("%f", 1j)),
        (TypeError, r"must be a dtype \(got <class .int.>", lambda: vc.new_register(int)),
        (TypeError, "matrix cannot stand among components", lambda: vc.to_vec4(m, 1)),
        (TypeError, "not NoneType", lambda: vc.to_complex(None)),
        (TypeError, "cannot become an int32", lambda: vc.to_int(1j)),
        (ValueError, "An ivec2 is made of 2 components, not 3", lambda: vc.to_ivec2(1, 2, 3)),
        (TypeError, "cannot stand beside values of type 'float32'", lambda: vc.mix(vc.to_float(1), 1j, 0)),
        (ValueError, "'picture' is a buffer or image, which cannot be swizzled", lambda: buffer.swizzle("x")),
        (NotImplementedError, "with operators", lambda: trace.builder.new_scaled_var()),
    ):
        with pytest.raises(error, match=text):
            use()
    assert vc.to_vec2(v).var_type is dt.vec2 and vc.to_mat2(m).var_type is dt.mat2  # nothing to do
    assert buffer.can_index and vc.shared_buffer(f32, 2)[0].can_index is False
    assert trace.builder.binding_count == 1 and trace.builder.contents == ""
    assert trace.builder.new_var(dt.ivec2).var_type is dt.ivec2 and trace.builder.new_name() != trace.builder.new_name()
    assert trace.builder.exec_count.var_type is dt.uvec3
    assert vc.ShaderBuilder(vc.ShaderFlags.NO_EXEC_BOUNDS).exec_count is None


def test_maps_that_are_refused(trace):
    with pytest.raises(TypeError, match="return type of a map"):
        vd.map(lambda x: x, return_type=float, input_types=[Const[f32]])
    nothing = vd.map(lambda x: None, return_type=f32, input_types=[Const[f32]])
    with pytest.raises(ValueError, match="'float32' must return a value"):
        nothing.callback(vc.new_float_register())


def test_given_types_need_as_many_names():
    with pytest.raises(ValueError, match="1 types need as many names"):
        vd.shader(1, arg_type_annotations=[Buff[f32]], arg_names=["a", "b"])(lambda a: None)
    with pytest.raises(ValueError, match="both"):
        vd.make_shader_function(vd.shader(1)(_nothing).shader_description, workgroups=1, exec_count=1)


def _nothing(out: Buff[f32]):
    out[0] = 1


def test_printing(trace):
    u, v, m, h = vc.new_uint_register(), vc.new_vec3_register(), vc.new_mat2_register(), vc.new_float16_register()
    vc.printf('100%% "%d" %s %5.2f\n', u, "a%b", v.x)
    vc.printf("%d %f %u", 1, 2.5, True)
    vc.print("value:", u, v, m, h, 3, separator=", ")
    for bad in (
        lambda: vc.printf("%d"), lambda: vc.printf("x", u), lambda: vc.printf("%d %d", u), lambda: vc.printf("%d %d", u, u, u)
    ):  # fmt: skip
        with pytest.raises(ValueError):
            bad()
    for bad in (
        lambda: vc.printf("%d", "x"),
        lambda: vc.printf("%s", u),
        lambda: vc.printf("%f", v),
        lambda: vc.printf(5),
    ):
        with pytest.raises(TypeError):
            bad()
    vc.comment("one */ line\nand another")
