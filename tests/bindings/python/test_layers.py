"""The package's folders are layers: imports go one way, and no file is imported by a file that it imports."""

import ast
import functools
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "bindings/python/vkdispatch"
TABLE = ROOT / "bindings/python/layers.txt"
#: The package that functions may import late: its import opens the library.
LATE = "vkdispatch._native"


class Imports(ast.NodeVisitor):
    """The modules that a file imports, with those that functions do and type checkers alone."""

    def __init__(self, name, is_package, modules):
        self._name, self._is_package, self._modules = name, is_package, modules
        self._depth = 0
        self.found, self.late = set(), set()

    def visit_FunctionDef(self, node):
        self._depth += 1
        self.generic_visit(node)
        self._depth -= 1

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Import(self, node):
        for alias in node.names:
            self._add(alias.name)

    def visit_ImportFrom(self, node):
        base = node.module or ""
        if node.level:
            parts = self._name.split(".")
            parts = parts[: len(parts) - node.level + self._is_package]
            base = ".".join([*parts, base] if base else parts)
        for alias in node.names:
            self._add(f"{base}.{alias.name}" if f"{base}.{alias.name}" in self._modules else base)

    def _add(self, module):
        if module in self._modules and module != self._name:
            self.found.add(module)
            if self._depth:
                self.late.add(module)


@functools.cache
def read(package):
    """{module: its Imports}."""
    paths = {}
    for path in sorted(package.rglob("*.py")):
        parts = ["vkdispatch", *path.relative_to(package).with_suffix("").parts]
        is_package = parts[-1] == "__init__"
        paths[".".join(parts[:-1] if is_package else parts)] = (path, is_package)
    result = {}
    for name, (path, is_package) in paths.items():
        result[name] = Imports(name, is_package, paths)
        result[name].visit(ast.parse(path.read_text()))
    return result


def circles(imports):
    """Each circle of modules once, as a sorted list."""
    reached = {name: set(of.found) for name, of in imports.items()}
    for via, further in reached.items():
        for others in reached.values():
            if via in others:
                others |= further
    return {
        tuple(sorted(b for b in reached if b in reached[a] and a in reached[b])) for a in reached if a in reached[a]
    }


def layer_of(module, package):
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and (package / parts[1]).is_dir() else "(package)"


def upward(imports, package):
    """Imports that the table does not have."""
    table = {}
    for line in TABLE.read_text().splitlines():
        if line and line[0] != "#":
            layer, allowed = line.split(":")
            table[layer] = {layer, *allowed.split()}
    return [
        f"{name} imports {other}"
        for name, of in imports.items()
        for other in sorted(of.found)
        if not {layer_of(other, package), "everything"} & table[layer_of(name, package)]
    ]


def test_imports_go_one_way():
    assert upward(read(PACKAGE), PACKAGE) == []


def test_no_file_is_imported_by_what_it_imports():
    assert circles(read(PACKAGE)) == set()


def test_functions_import_late_what_opens_the_library_alone():
    late = {name: {o for o in of.late if not o.startswith(LATE)} for name, of in read(PACKAGE).items()}
    assert {name: others for name, others in late.items() if others} == {}


@pytest.mark.parametrize(
    ("file", "line", "said"),
    [
        (
            "base/words.py",
            "from ..codegen import language",
            "vkdispatch.base.words imports vkdispatch.codegen.language",
        ),
        ("base/words.py", "def f():\n    from ..codegen import language", "vkdispatch.base.words imports"),
        ("codegen/hazards.py", "from .variables.variables import ShaderVariable", ""),
        ("codegen/hazards.py", "if TYPE_CHECKING:\n    from .variables.variables import ShaderVariable", ""),
        ("codegen/hazards.py", "def f():\n    from .variables.variables import ShaderVariable", ""),
    ],
)
def test_what_breaks_a_rule_is_found(tmp_path, file, line, said):
    package = tmp_path / "vkdispatch"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    with (package / file).open("a") as out:
        out.write(f"\n{line}\n")
    imports = read(package)
    if said:
        assert any(said in problem for problem in upward(imports, package))
    else:
        (circle,) = circles(imports)
        assert {"vkdispatch.codegen.hazards", "vkdispatch.codegen.variables.variables"} <= set(circle)
