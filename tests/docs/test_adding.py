"""docs/adding.md does what it says: its op and its entry, added to a copy of the tree step by step, work in C and in Python.

Of the library only the files that the page names are compiled anew; the rest is linked as the build tree has it.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("VD_BUILD", ROOT / "build/release"))
STEP = re.compile(r"^```text add (\S+) (after|before) (.+)\n((?:.*\n)*?)^```$", re.MULTILINE)
COPIED = ("abi", "bindings", "docs", "include", "src", "tests/abi", "tests/api")

PYTHON = """
import numpy as np
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch import _native
from vkdispatch.codegen.abbreviations import Buff, f32, v2
from vkdispatch._native import enums as e

@vd.shader("out.size")
def sides(out: Buff[f32], x: Buff[f32], pairs: Buff[v2]):
    i = vc.global_invocation_id().x
    out[i] = vc.hypot(x[i], out[i])
    pairs[i] = vc.hypot(pairs[i], 12)

out = vd.asbuffer(np.array([4, 12, -8], np.float32))
pairs = vd.Buffer(3, vd.vec2)
pairs.write(np.array([[5, 9], [0, 16], [-5, 35]], np.float32))
sides(out, vd.asbuffer(np.array([3, -5, 15], np.float32)), pairs)
assert list(out.read(0)) == [5, 13, 17], out.read(0)
assert pairs.read(0).tolist() == [[13, 15], [12, 20], [13, 37]], pairs.read(0)
assert vc.hypot.__doc__ == "The length of the hypotenuse of sides x and y."
try:
    vc.hypot(3, 4)
except TypeError as error:
    assert str(error) == "hypot() takes a variable, not numbers alone!", error
else:
    raise AssertionError("numbers have a meaning that nobody gave")

raw = _native.raw
builder = raw.vd_builder_create(raw.vd_builder_desc())
x = raw.vd_builder_argument(builder, raw.vd_argument_desc(kind=e.VD_ARGUMENT_BUFFER, type=e.VD_TYPE_F32, name="x"))
at = raw.vd_builder_emit(builder, e.VD_OP_ZERO, e.VD_TYPE_U32, [], 0, 0)
element = raw.vd_builder_emit(builder, e.VD_OP_INDEX, 0, [x, at], 0, 0)
side = raw.vd_builder_emit(builder, e.VD_OP_HYPOT, 0, [element, element], 0, 0)
raw.vd_builder_emit(builder, e.VD_OP_STORE, 0, [element, side], 0, 0)
kernel = raw.vd_builder_finish(builder)
assert raw.vd_kernel_count_op(kernel, e.VD_OP_HYPOT) == 1
assert raw.vd_kernel_count_op(kernel, e.VD_OP_STORE) == 1
assert raw.vd_kernel_count_op(kernel, e.VD_OP_SIN) == 0
try:
    raw.vd_kernel_count_op(kernel, 9999)
except ValueError as error:
    assert "vd_kernel_count_op: op (9999) is unknown" in str(error), error
else:
    raise AssertionError("an unknown op was counted")
for language, text in ((e.VD_LANGUAGE_GLSL, "length(vec2("), (e.VD_LANGUAGE_CUDA, "hypotf("), (e.VD_LANGUAGE_OPENCL, "hypot(")):
    source = raw.vd_blob_data(raw.vd_kernel_print(kernel, raw.vd_print_desc(language=language))).decode()
    assert text in source, source
"""

C = """
#include <string.h>
#include "vkdispatch_build.h"
int main(void) {
    vd_op_info info = VD_OP_INFO_INIT;
    vd_builder *b = NULL;
    vd_kernel *kernel = NULL;
    uint32_t count = 0;
    if (vd_builder_create(NULL, &b) < 0) return 1;
    vd_value x = vd_argument_buffer(b, VD_TYPE_F32, "x"), i = vd_global_id(b, 0);
    vd_store_at(b, x, i, vd_hypot(b, vd_at(b, x, i), vd_const_f32(b, 1)));
    if (vd_builder_finish(b, &kernel) < 0) return 2;
    if (vd_kernel_count_op(kernel, VD_OP_HYPOT, &count) < 0 || count != 1) return 3;
    if (vd_op_get_info(VD_OP_HYPOT, &info) < 0 || strcmp(info.name, "hypot") != 0 || info.min_operands != 2) return 4;
    vd_kernel_release(kernel);
    vd_builder_release(b);
    return 0;
}
"""


def run(command, folder, **environment):
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=300, cwd=folder, env={**os.environ, **environment}
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
    return done.stdout


def add(tree: Path, file: str, where: str, line: str, text: str) -> None:
    """One step of the page: its text behind or before the one line that begins so."""
    lines = (tree / file).read_text().splitlines(keepends=True)
    found = [i for i, one in enumerate(lines) if one.startswith(line)]
    assert len(found) == 1, f"{file} has {len(found)} lines that begin with {line!r}"
    at = found[0] + (where == "after")
    (tree / file).write_text("".join([*lines[:at], text, *lines[at:]]))


def copy_of_the_tree(tree: Path) -> None:
    for file in run(["git", "ls-files", "-co", "--exclude-standard", *COPIED], ROOT).splitlines():
        if (ROOT / file).is_file():
            (tree / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, tree / file)


def units_of(files: list[str]) -> dict[str, str]:
    """The translation units that hold these files, each with its command: files of a folder may be compiled together."""
    entries = json.loads((BUILD / "compile_commands.json").read_text())
    commands = {entry["file"]: entry["command"] for entry in entries if "/vd_objects.dir/" in entry["command"]}
    holds = {}
    for unit in commands:
        for name in re.findall(r'#include "(.+\.cpp)"', Path(unit).read_text()) if "/unity/" in unit else []:
            holds[f"src/{name}"] = unit
    return {unit: commands[unit] for unit in {holds.get(file, str(ROOT / file)) for file in files}}


def build(tree: Path, files: list[str]) -> Path:
    """The library with these files compiled from the copy, in a hurry, and all others as the build tree has them."""
    objects: dict[str, Path] = {}
    jobs = []
    for unit, line in sorted(units_of(files).items()):
        for folder in ("src", "include"):
            line = line.replace(str(ROOT / folder), str(tree / folder))
        command = shlex.split(line)
        at = command.index("-o") + 1
        made = tree / f"{len(objects)}_{Path(unit).name}.o"
        objects[command[at]] = made
        command[at] = str(made)
        jobs.append([*command, "-O0"])
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda command: run(command, BUILD), jobs))
    target = tree / "libvkdispatch.so"
    links = run(["ninja", "-t", "commands", "vkdispatch"], BUILD).splitlines()
    link = next(part for line in reversed(links) for part in line.split(" && ") if " -shared " in part)
    words = [str(objects.get(word, word)) for word in shlex.split(link)]
    words[words.index("-o") + 1] = str(target)
    words = [word.replace(str(ROOT / "abi"), str(tree / "abi")) for word in words]
    assert {str(made) for made in objects.values()} <= set(words)
    run(words, BUILD)
    soname = next(word.removeprefix("-Wl,-soname,") for word in words if word.startswith("-Wl,-soname,"))
    (tree / soname).symlink_to(target.name)
    return target


@pytest.mark.skipif(not (BUILD / "compile_commands.json").exists(), reason="no build tree")
@pytest.mark.tools
def test_the_op_and_the_entry_of_the_page(tmp_path):
    page = (ROOT / "docs/adding.md").read_text()
    steps = STEP.findall(page)
    assert len(steps) == page.count("```text add ") == 8
    copy_of_the_tree(tmp_path)
    for file, where, line, text in steps:
        add(tmp_path, file, where, line, text)
    generator = [sys.executable, "bindings/generator/generate.py"]
    written = run(generator, tmp_path)
    assert "bindings/python/vkdispatch/codegen/functions/common.py: written" in written
    run([*generator, "--check"], tmp_path)

    # Only what the page names was touched by hand; the table itself is compiled too.
    sources = sorted({file for file, *_ in steps if file.endswith(".cpp")} | {"src/ir/op.cpp"})
    library = build(tmp_path, sources)
    (tmp_path / "block.py").write_text(PYTHON)
    where = {"VKDISPATCH_LIBRARY": str(library), "PYTHONPATH": str(tmp_path / "bindings/python")}
    run([sys.executable, "block.py"], tmp_path, **where, VKDISPATCH_NO_EXTENSION="1", VKDISPATCH_BACKEND="host")
    (tmp_path / "block.c").write_text(C)
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-Iinclude", "-L.", f"-Wl,-rpath,{tmp_path}", "-o", "block"]
    run(["gcc", "block.c", *flags, "-lvkdispatch"], tmp_path)
    run(["./block"], tmp_path)
