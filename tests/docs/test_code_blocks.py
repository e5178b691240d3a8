"""Every code block of README.md and docs/ does what it says: Python and C blocks run, shell blocks parse.

A fence names its language. ```python continues``` goes on from the Python blocks before it on the page, in one program
with them. C blocks are whole programs. ```text``` is anything else.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("VD_BUILD", ROOT / "build/release"))
LANGUAGES = {"python", "c", "cpp", "sh", "text", "cmake", "json"}
FENCE = re.compile(r"^```(.*?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks():
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        if not page.exists():
            continue
        text, name = page.read_text(), page.relative_to(ROOT)
        if page.name == "reference.md":  # it repeats the header's prototypes
            continue
        if "generated" in text.partition("\n")[0].lower():  # one program: its examples go on from each other
            code = "\n".join(fence[2] for fence in FENCE.finditer(text) if fence[1].startswith("python"))
            yield pytest.param("python", code, id=str(name))
            continue
        programs = {}  # by the line of their first block, from which their own lines count
        for fence in FENCE.finditer(text):
            words, code = fence[1].split(), fence[2]
            line = text.count("\n", 0, fence.start()) + 1
            if words[:1] != ["python"]:
                yield pytest.param(words[0] if words else "", code, id=f"{name}:{line}")
            elif "continues" in words:
                first, before = programs.popitem()
                programs[first] = before + "\n" * (line - first - before.count("\n")) + code
            else:
                programs[line] = code
        for line, code in programs.items():
            yield pytest.param("python", code, id=f"{name}:{line}")


def run(command, folder, code=None):
    done = subprocess.run(command, check=False, input=code, capture_output=True, text=True, timeout=120, cwd=folder)
    assert done.returncode == 0, f"{command}\n{code or ''}\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("language, code", list(blocks()))
def test_block(language, code, tmp_path):
    assert language in LANGUAGES, f"a fence names its language, one of {sorted(LANGUAGES)}, not {language!r}"
    if language == "python":
        (tmp_path / "block.py").write_text(code)  # a file, since kernels are read from their source
        run([sys.executable, "block.py"], tmp_path)
    elif language in ("c", "cpp"):
        compiler = ["gcc", "-std=c11", "-x", "c"] if language == "c" else ["g++", "-std=c++20", "-x", "c++"]
        flags = ["-Wall", "-Wextra", "-Werror", f"-I{ROOT}/include", f"-L{BUILD}", f"-Wl,-rpath,{BUILD}", "-o", "block"]
        run([*compiler, "-", *flags, "-lvkdispatch", "-lm"], tmp_path, code)
        run(["./block"], tmp_path)
    elif language == "sh":
        run(["bash", "-n"], tmp_path, code)
        for target in re.findall(r"^make (\w+)", code, re.MULTILINE):
            assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE), f"no make target {target}"
