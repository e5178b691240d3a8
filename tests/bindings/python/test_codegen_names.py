"""Every public name of the kernel language exists, with a doc line."""

import builtins
import importlib
import inspect
import pathlib

import pytest
import vkdispatch.codegen as vc
from vkdispatch.base import dtype as dt

NAMES = (pathlib.Path(__file__).parent / "data" / "codegen_names.txt").read_text().split()


def resolve(name):
    parts = name.split(".")
    found = importlib.import_module(parts[0])
    for i, part in enumerate(parts[1:], 2):
        if not hasattr(found, part):
            importlib.import_module(".".join(parts[:i]))
        found = getattr(found, part)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_name_exists(name):
    found = resolve(name)
    if inspect.isclass(found) or inspect.isfunction(found) or inspect.ismodule(found):
        assert inspect.getdoc(found)


def test_made_functions_know_their_names():
    for name in (
        "to_float",
        "new_uvec3_register",
        "sin",
        "subgroup_add",
        "workgroup_id",
        "inf_f64",
        "float_bits_to_int",
    ):
        assert getattr(vc, name).__name__ == name


def test_the_abbreviations_are_44_and_shadow_no_builtin():
    scope = {}
    exec("from vkdispatch.codegen.abbreviations import *", scope)  # noqa: S102
    names = {n for n in scope if not n.startswith("__")}
    assert len(names) == 44
    assert not names & set(dir(builtins))


def test_the_other_spelling_has_two_names_more():
    scope = {}
    exec("from vkdispatch.codegen.abreviations import *", scope)  # noqa: S102
    assert {"ConstArr", "VarArr", "f32", "Buff"} <= set(scope)
    assert len([n for n in scope if not n.startswith("__")]) == 46


def test_abbreviations_are_the_dtypes():
    assert vc.f32 is dt.float32 and vc.c64 is dt.complex64 and vc.uhv3 is dt.uhvec3 and vc.m4 is dt.mat4


def test_casts_and_registers_exist_for_every_dtype():
    spelled = {"bool_": "bool", "float32": "float", "int32": "int", "uint32": "uint"}
    for name in dt.ALL_DTYPES:
        short = spelled.get(name, name)
        assert callable(getattr(vc, f"to_{short}")) and callable(getattr(vc, f"new_{short}_register"))


def test_indices_as_objects():
    with vc.shader_context():
        for name in ("global_invocation", "local_invocation", "workgroup"):
            index = getattr(vc, name)
            assert index().var_type is vc.uv3
            assert index.x.copy().var_type is index.y.var_type is index.z.var_type is vc.u32
        assert vc.subgroup_invocation().var_type is vc.u32


def test_arrays_of_values_say_that_they_come_later():
    for name in ("ConstArr", "VarArr"):
        with pytest.raises(NotImplementedError, match="arrays of values"):
            getattr(vc, name)[vc.f32]


def test_abbreviations_of_vectors():
    from vkdispatch.codegen import abbreviations

    families = {
        "v": ("v2", "v3", "v4"), "hv": ("hv2", "hv3", "hv4"), "dv": ("dv2", "dv3", "dv4"), "iv": ("iv2", "iv3", "iv4"),
        "uv": ("uv2", "uv3", "uv4"), "ihv": ("ihv2", "ihv3", "ihv4"), "uhv": ("uhv2", "uhv3", "uhv4"),
    }  # fmt: skip
    for family, names in families.items():
        for count, name in enumerate(names, 2):
            assert getattr(abbreviations, name) is getattr(dt, f"{family[:-1]}vec{count}")
