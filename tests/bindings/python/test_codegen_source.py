"""Finished kernels: their source in every language, and their descriptions."""

from __future__ import annotations

import gc
import threading

import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.base import dtype as dt
from vkdispatch.codegen.abbreviations import *
from vkdispatch.codegen.signature import function_signature, trace

LANGUAGES = {"glsl": vc.GLSLBackend, "cuda": vc.CUDABackend, "opencl": vc.OpenCLBackend}
ENTRY = {"glsl": "void main()", "cuda": "vkdispatch_main(", "opencl": "vkdispatch_main("}


@pytest.fixture(autouse=True)
def no_choice():
    yield
    vc.set_codegen_backend(None)
    vc.set_shader_print_line_numbers(False)


def blur(out: Buff[f32], src: Buff[f32], width: Const[u32], gain: Var[f32] = 2.0):
    i = vc.global_invocation_id().x
    total = vc.new_float_register(var_name="total")
    tile = vc.shared_buffer(f32, 64, "tile")
    tile[vc.local_invocation_index()] = src[i]
    vc.barrier()
    for k in range(3):
        total += tile[(vc.local_invocation_index() + k) % 64]
    with vc.if_block(i < width):
        out[i] = total * gain


@pytest.mark.parametrize("language", LANGUAGES)
def test_source_in_every_language(language):
    vc.set_codegen_backend(language)
    description = trace(blur)
    source = description.make_source(64, 1, 1)
    assert ENTRY[language] in source and "total" in source and "tile" in source and "64" in source
    assert description.header + description.body == description.make_source(0, 0, 0)
    assert ENTRY[language] in description.body and ENTRY[language] not in description.header
    assert isinstance(description.backend, LANGUAGES[language]) and description.backend.name == language


def test_one_kernel_in_all_languages():
    description = trace(blur)
    texts = {name: description.make_source(32, 2, 1, backend()) for name, backend in LANGUAGES.items()}
    for name, text in texts.items():
        assert ENTRY[name] in text
    assert len(set(texts.values())) == 3


def test_description():
    description = trace(blur)
    assert description.name == "blur" and description.get_arg_names_and_defaults()[3] == ("gain", 2.0)
    kinds = [info.arg_type for info in description.shader_arg_infos]
    T = vc.ShaderArgumentType
    assert kinds == [T.BUFFER, T.BUFFER, T.CONSTANT, T.VARIABLE]
    assert [info.binding for info in description.shader_arg_infos] == [0, 1, None, None]
    assert description.pc_structure == [vc.StructElement("gain", dt.float32, 1)] and description.pc_size == 4
    assert [m.name for m in description.uniform_structure] == ["exec_count", "width"]
    assert description.binding_type_list == [3, 1, 1] and description.resource_binding_base == 1
    assert description.binding_access == [(True, False), (False, True), (True, False)]
    assert description.exec_count_name and "blur" in repr(description)


def test_access_counts_conditions_and_prints():
    def kernel(a: Buff[u32], b: Buff[u32], c: Buff[u32], d: Buff[u32], e: Buff[u32]):
        with vc.if_block(a[0] > 1), vc.while_block(b[0] < 3):
            vc.atomic_add(c[0], 1)
        with vc.if_block(d.shape.x > 3):
            e[0] = 1

    description = trace(kernel, vc.ShaderFlags.NO_EXEC_BOUNDS)
    access = description.binding_access[description.resource_binding_base :]
    assert access == [(True, False), (True, False), (True, True), (False, False), (False, True)]
    assert [m.name for m in description.uniform_structure] == ["d_shape"]
    assert description.exec_count_name is None


def test_no_uniform_block_without_members():
    description = trace(lambda a: a.__setitem__(0, 1), vc.ShaderFlags.NO_EXEC_BOUNDS, [Buff[u32]])
    assert description.resource_binding_base == 0 and description.binding_type_list == [1]
    assert description.get_arg_names_and_defaults() == [("param0", None)]


def test_a_kernel_is_built_once():
    with vc.shader_context() as context:
        context.declare_input_arguments([Buff[u32]])[0][0] = 3
        first = context.get_description("first")
        assert context.get_description("other") is first
        again = context.builder.build("again")
    assert again.name == "again" and again.binding_type_list == first.binding_type_list
    assert again.make_source(64) == first.make_source(64)


def test_user_names_survive_collisions_and_keywords():
    def kernel(out: Buff[f32]):
        for name in ("value", "value", "float", "main", "out", "int"):
            out[0] += vc.new_float_register(out[1], var_name=name)

    for language in LANGUAGES:
        vc.set_codegen_backend(language)
        assert trace(kernel).make_source(64, 1, 1).count("value") >= 2


def test_comments_and_scopes_are_printed():
    def kernel(out: Buff[f32]):
        vc.comment("first */ line\nsecond line")
        with vc.scope_block(comment="in here"):
            out[0] = 1

    source = trace(kernel).make_source(64)
    assert "second line" in source and "in here" in source and "first */" not in source


def test_formulas_as_text():
    with vc.shader_context() as context:
        a, n = context.declare_input_arguments([Buff[f32], Const[u32]], ["data", "count"])
        r = vc.new_float_register(var_name="sum")
        text = (a[n + 1] * r).resolve()
        assert "data" in text and "count" in text and "sum" in text and "*" in text


# ---- The language that is chosen (19.1)


def test_choosing_a_language():
    assert vc.get_codegen_backend().name in LANGUAGES
    for choice, name in (("CUDA", "cuda"), (vc.OpenCLBackend(), "opencl"), (vc.CUDABackend, "cuda"), ("glsl", "glsl")):
        vc.set_codegen_backend(choice)
        assert vc.get_codegen_backend().name == name
    for bad in ("metal", 5, object()):
        with pytest.raises(ValueError, match="Unknown codegen backend"):
            vc.set_codegen_backend(bad)
    assert vc.CodeGenBackend.name == "base"
    found = []
    thread = threading.Thread(target=lambda: found.append(vc.get_codegen_backend().name))
    vc.set_codegen_backend("opencl")
    thread.start()
    thread.join()
    assert found == ["glsl"] or vd.get_backend() in ("cuda", "opencl")
    with vc.shader_context() as context:
        vc.set_codegen_backend("cuda")
        assert vc.get_codegen_backend() is context.builder.backend and context.builder.backend.name == "opencl"


def test_line_numbers_are_a_setting_of_the_thread():
    assert vc.get_shader_print_line_numbers() is False
    vc.set_shader_print_line_numbers(True)
    assert vc.get_shader_print_line_numbers() is True
    kernel = vd.shader(1)(blur)
    assert kernel.get_src().code.startswith("   1: ") and not kernel.get_src(line_numbers=False).code.startswith(
        "   1: "
    )


# ---- Signatures (4.2, 4.3); this file's own annotations are strings


def test_signatures():
    types, names, defaults = function_signature(blur)
    assert types == [vc.Buffer[f32], vc.Buffer[f32], vc.Constant[u32], vc.Variable[f32]]
    assert names == ["out", "src", "width", "gain"] and defaults == [None, None, None, 2.0]


def test_annotations_of_local_names_resolve():
    for t in (f32, i64):
        local = t

        def kernel(out: Buff[local]):
            out[0] = 1

        assert function_signature(kernel)[0] == [vc.Buffer[t]]


def test_signatures_that_are_refused():
    def bare(x): ...
    def unresolved(x: Nothing): ...
    def no_argument(x: Buff): ...
    def plain(x: f32): ...
    def number(x: int): ...
    def runtime_buffer(x: vd.Buffer): ...
    def foreign(x: list[f32]): ...
    def variadic(*x: Buff[f32]): ...
    def reserved(graph: Buff[f32]): ...

    for function, error in (
        (bare, ValueError), (unresolved, TypeError), (no_argument, TypeError), (plain, TypeError), (number, TypeError),
        (runtime_buffer, TypeError), (foreign, ValueError), (variadic, ValueError), (reserved, ValueError),
    ):  # fmt: skip
        with pytest.raises(error):
            vd.shader(1)(function)
    with pytest.raises(ValueError, match="Cannot specify both"):
        vd.shader(exec_size=1, workgroups=1)
    for options in ({"arg_names": ["x"]}, {"arg_defaults": [1]}):
        with pytest.raises(ValueError, match="need arg_type_annotations"):
            vd.shader(1, **options)(lambda x: None)


def test_given_types_replace_the_signature():
    kernel = vd.shader(1, arg_type_annotations=[Buff[f32], Const[f32]], arg_names=["a", "b"], arg_defaults=[None, 3.0])(
        lambda a, b: a.__setitem__(0, b)
    )
    assert kernel.shader_description.get_arg_names_and_defaults() == [("a", None), ("b", 3.0)]


# ---- Places in the user's source


def line_of(function):
    return function.__code__.co_firstlineno


def test_errors_of_the_core_name_the_users_line():
    def kernel(out: Buff[f32]):
        tile = vc.shared_buffer(f32, 4)
        tile[9] = 1

    with pytest.raises(ValueError) as caught:
        trace(kernel)
    assert f"{__file__}:{line_of(kernel) + 2}" in str(caught.value)


def test_places_are_kept_in_the_text_form():
    def kernel(out: Buff[f32]):
        i = vc.global_invocation_id().x
        out[i] = out[i] + 1

    description = trace(kernel)
    from vkdispatch._native import enums

    text = description.print(enums.VD_LANGUAGE_IR, flags=enums.VD_PRINT_LOCATIONS)
    assert f"{__file__}" in text and f"{line_of(kernel) + 2}" in text
    assert "store" in description.print(enums.VD_LANGUAGE_IR)


def test_subgroups_can_be_forbidden():
    with pytest.raises(ValueError, match="NO_SUBGROUP"), vc.shader_context(vc.ShaderFlags.NO_SUBGROUP_OPS):
        vc.subgroup_add(vc.new_uint_register())


def test_kernels_of_any_length_trace():
    def kernel(out: Buff[f32]):
        i = vc.global_invocation_id().x
        r = out[i].to_register()
        for k in range(2000):
            r[:] = r * 1.5 + k
        out[i] = r

    assert trace(kernel).print(0).count("\n") > 2000


def test_deep_formulas_trace():
    def kernel(out: Buff[f32]):
        x = out[0]
        for _ in range(5000):
            x = x + 1
        out[1] = x

    assert trace(kernel).make_source(64)


def test_a_kernel_that_cannot_be_printed_is_a_build_error(monkeypatch):
    kernel = vd.shader(1)(blur)
    description = kernel.shader_description

    def unsupported(*arguments):
        raise vd.UnsupportedError("the language has no form of this")

    monkeypatch.setattr(description, "make_source", unsupported)
    monkeypatch.setattr("vkdispatch.base.compute_plan.ComputePlan.from_kernel", unsupported)
    with pytest.raises(vd.ShaderBuildError, match="no form of this") as caught:
        kernel.build()
    assert "store" in caught.value.shader_source.code


def test_a_trace_leaves_nothing_behind():
    raw = vd._native.raw
    trace(blur)
    before = raw.vd_live_objects()
    gc.disable()
    try:
        for _ in range(5):
            trace(blur).make_source(64)
        assert raw.vd_live_objects() <= before
    finally:
        gc.enable()
