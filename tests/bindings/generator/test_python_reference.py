"""The Python reference: it is up to date, has every public name, and says what is missing."""

import importlib
import inspect
import subprocess
import sys

import pytest

pytest.importorskip("cffi")
import python_reference as reference
import vkdispatch as vd

pytestmark = pytest.mark.tools


def test_committed_pages_are_what_the_docstrings_give(root):
    script = root / "bindings/generator/python_reference.py"
    done = subprocess.run([sys.executable, script, "--check"], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def pages():
    found, missing = reference.generate()
    assert not missing
    return {path.rpartition("/")[2]: text for path, text in found.items()}


@pytest.mark.parametrize("name", reference.PAGES)
def test_every_public_name_is_on_its_page(name, pages):
    module = importlib.import_module(name)
    text = pages[name.rpartition(".")[2] + ".md"]
    names = reference.public_names(module)
    assert len(names) > 10
    for one in names:
        marks = (f"### {one}\n", f"`{one}(", f"\n{one}(", f"| `{one}` |", f"- `{one}`", f"`{one}:")
        assert any(mark in text for mark in marks), one


def test_classes_that_are_imported_from_their_modules_are_on_the_page(pages):
    text = pages["vkdispatch.md"]
    for name, part in reference.FROM_MODULES["vkdispatch"].items():
        assert f"### {name}\n" in text and f"from vkdispatch.{part} import {name}" in text
    assert "from_spirv(" in text and "launch_now" not in text


@pytest.mark.parametrize("name", reference.PAGES)
def test_completion_lists_names_and_no_modules(name):
    module = importlib.import_module(name)
    listed = [one for one in dir(module) if not one.startswith("__")]
    parts = {"vkdispatch": {"codegen", "fft", "reduce", "vkfft"}, "vkdispatch.kp": {"pyshader"}}.get(name, set())
    assert {one for one in listed if inspect.ismodule(getattr(module, one))} == parts
    assert not [one for one in listed if one.startswith("_") or one == "TYPE_CHECKING"]
    assert set(getattr(module, "__all__", listed)) - {"__version__"} == set(listed)


def without_words(x):
    return x


def with_words(x):
    """Its words."""
    return x


@pytest.mark.parametrize(
    "function, problem", [(without_words, "has no docstring"), (with_words, "does not say what type its result has")]
)
def test_what_is_missing_is_named(function, problem, monkeypatch):
    monkeypatch.setattr(function, "__module__", "vkdispatch.codegen.functions.bits")
    monkeypatch.setattr(vd.codegen, "newly_added", function, raising=False)
    _, missing = reference.generate()
    assert f"vkdispatch.codegen.newly_added {problem}" in missing


def test_a_new_name_is_on_the_page(monkeypatch):
    def newly_added(x: int) -> int:
        """Something new."""
        return x

    newly_added.__module__ = "vkdispatch.codegen.functions.bits"
    monkeypatch.setattr(vd.codegen, "newly_added", newly_added, raising=False)
    found, missing = reference.generate()
    assert not missing and "- `newly_added(x: int) -> int`: Something new." in found["docs/python/codegen.md"]


def test_a_section_without_an_example_is_named(monkeypatch):
    monkeypatch.setattr(vd.codegen.functions.bits, "__doc__", "Bits.")
    assert "vkdispatch.codegen.functions.bits (module) has no example" in reference.generate()[1]


def test_examples_are_taken_out_of_docstrings():
    words, examples = reference.split_example("First.\n\nMore.\n\nExample:\n    a = 1\n\n    b = 2\n")
    assert words == "First.\n\nMore." and examples == ["a = 1\n\nb = 2"]


def test_attributes_and_members_are_told_by_their_comments(pages):
    assert "- `shape: tuple[int, ...]`: Elements along each axis." in pages["vkdispatch.md"]
    assert "- `NO_PRINTF`: Printing does nothing." in pages["codegen.md"]
    assert "- `SubgroupAdd`, a `ReduceOp`: The sum." in pages["reduce.md"]


def test_an_attribute_without_a_type_is_named(monkeypatch):
    class Thing:
        """A thing."""

        def __init__(self):
            #: The count.
            self.count = 3

    problems = reference.Problems()
    assert not list(reference.attributes_of("vkdispatch.Thing", Thing, problems))
    assert problems.lines == ["vkdispatch.Thing.count does not say what type it has"]
