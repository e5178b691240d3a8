"""The checks of .ci find what they are there to find: each is shown one good and one bad case."""

import importlib.machinery
import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

TABLE = """\
core: (nothing)
ir: core
backends: core ir
backends/host: core ir backends/backend.h
runtime: core ir backends/backend.h
api: everything
"""


def run(*command):
    done = subprocess.run([str(part) for part in command], check=False, capture_output=True, text=True, cwd=ROOT)
    return done.returncode, done.stdout + done.stderr


def layers(folder, files):
    for name in ("core/status.h", "ir/type.h", "backends/backend.h", "backends/host/host.h", "runtime/queue.h"):
        files.setdefault(name, "")
    for name, text in files.items():
        path = folder / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "layers.txt").write_text(TABLE)
    return run(sys.executable, ROOT / ".ci/layers", folder / "src", folder / "layers.txt")


@pytest.mark.parametrize(
    "name, include",
    [
        ("ir/kernel.h", "core/status.h"),
        ("ir/kernel.h", "ir/type.h"),
        ("runtime/context.cpp", "backends/backend.h"),
        ("backends/host/run.cpp", "backends/backend.h"),
        ("api/context.cpp", "backends/host/host.h"),
        ("core/status.cpp", "vkdispatch.h"),
    ],
)
def test_layers_allow_what_the_table_says(tmp_path, name, include):
    assert layers(tmp_path, {name: f'#include "{include}"\n'}) == (0, "")


@pytest.mark.parametrize(
    "name, include, message",
    [
        ("core/log.cpp", "ir/type.h", 'src/core/log.cpp:2: core may not include "ir/type.h"'),
        ("runtime/context.cpp", "backends/host/host.h", "runtime may not include"),
        ("backends/host/run.cpp", "runtime/queue.h", "backends/host may not include"),
        ("ir/kernel.cpp", "type.h", '"type.h" is not a path from src/'),
        ("elsewhere/x.cpp", "core/status.h", "src/elsewhere/x.cpp: no such layer"),
    ],
)
def test_layers_name_file_and_line_of_a_wrong_include(tmp_path, name, include, message):
    status, output = layers(tmp_path, {name: f'// why\n#include "{include}"\n'})
    assert status == 1
    assert message in output


@pytest.mark.parametrize(
    "line", ["/" + "home/x/y", "http://py" + "pi.org/simple", "// TO" + "DO: later", "<" * 7 + " HEAD"]
)
def test_words_find_what_must_not_be_committed(tmp_path, line):
    path = tmp_path / "file.txt"
    path.write_text(f"good\n{line}\n")
    status, output = run(sys.executable, ROOT / ".ci/words", path)
    assert status == 1
    assert f"{path}:2:" in output


def words():
    loader = importlib.machinery.SourceFileLoader("words", str(ROOT / ".ci/words"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("words", loader))
    loader.exec_module(module)
    return module


def test_words_find_each_name_that_was_replaced(tmp_path):
    renamed = words().RENAMED
    path = tmp_path / "file.txt"
    path.write_text("".join(f"{new}\ncall {old}()\n" for old, new in renamed.items()))
    status, output = run(sys.executable, ROOT / ".ci/words", path)
    assert status == 1
    assert output.splitlines() == [
        f"{path}:{2 * i + 2}: a name of before: {old} is now {new}" for i, (old, new) in enumerate(renamed.items())
    ]


@pytest.mark.parametrize(
    "line",
    [
        "uint32_t local_size[3];",
        "uint32_t group_size;",
        "uint32_t min_groups;",
        "uint32_t max_threads;",
        "uint32_t threads[3];",
        "uint32_t groups[3];",
        "uint64_t kernel_offset;",
        "uint32_t instance_count;",
        "NULL if nobody waits.",
        "0 is none.",
        "Its i32 say so many.",
        "/**< Of an element. */",
        "/** What to create. */",
    ],
)
def test_words_find_what_the_header_must_not_say(tmp_path, line):
    header, other = tmp_path / "include/x.h", tmp_path / "x.h"
    header.parent.mkdir()
    for path in header, other:
        path.write_text(f"good\n{line}\n")
    status, output = run(sys.executable, ROOT / ".ci/words", header)
    assert status == 1 and f"{header}:2: a word that is not used here" in output
    assert run(sys.executable, ROOT / ".ci/words", other) == (0, "")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("src/x.cpp", "// What each op takes."),
        ("src/x.cpp", "int x = 0;\n// Where values go."),
        ("tests/x.h", "int x = 0;  /" + "/ How deep it is"),
        ("bench/x.c", "// Whose turn it is."),
        ("bindings/x.py", '"""Which devices a context has."""'),
        ("bindings/x.py", "x = 0\n#: Of one kernel."),
        ("src/x.cpp", "// Locks, for those who wait.\n\n// Those of a queue."),
    ],
)
def test_words_find_comments_that_do_not_name_their_thing(tmp_path, name, text):
    path = tmp_path / name
    last = text.count("\n") + 1
    for file in path, tmp_path / "x.cpp":
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text}\n")
    status, output = run(sys.executable, ROOT / ".ci/words", path)
    assert status == 1 and f"{path}:{last}: a comment begins with" in output
    assert run(sys.executable, ROOT / ".ci/words", tmp_path / "x.cpp") == (0, "")


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("src/x.h", "uint32_t x;  // 0 is none"),
        ("src/x.h", "// Waits for so many marks."),
        ("src/x.h", "// Nobody holds it."),
        ("src/x.h", "// Somebody holds it."),
        ("src/fft/x.h", "uint32_t x;  // values a thread"),
        ("src/primitives/x.h", "// Groups of a row."),
        ("src/ir/x.cpp", 'put(" local_size {}", size);'),
        ("src/fft/x.cpp", 'if (name == "min_groups") return;'),
        ("tests/unit/ir/x.cpp", "%0: u32 = index group_id, u32 0"),
        ("tests/allocations/x.cpp", 'const char* text = "kernel local_size 64 1 1";'),
        ("tests/kernels/golden/x.ir", "%0: u32 = index group_size, u32 0"),
        ("docs/ir.md", "%0: u32 = index num_groups, u32 0"),
    ],
)
def test_words_find_what_comments_must_not_say(tmp_path, name, line):
    path, other = tmp_path / name, tmp_path / "x.h"
    path.parent.mkdir(parents=True)
    for file in path, other:
        file.write_text(f"// a comment\n\n{line}\n")
    status, output = run(sys.executable, ROOT / ".ci/words", path)
    assert status == 1 and f"{path}:3: a word that is not used here" in output
    assert run(sys.executable, ROOT / ".ci/words", other) == (0, "")


def test_words_accept_comments_that_name_their_thing(tmp_path):
    path = tmp_path / "src/fft/x.cpp"
    path.parent.mkdir(parents=True)
    path.write_text(
        "// Reads a line. Elements out of range are zero.\n// Where a workgroup has no line, it repeats the last one.\n"
        "int x = 0;  // tuned by threads=256\n"
        "int y = 0;  // elements of a line, long enough for a\n            /"
        + "/ Which of a sentence that continues here\n"
    )
    assert run(sys.executable, ROOT / ".ci/words", path) == (0, "")


def test_words_accept_ordinary_text(tmp_path):
    path = tmp_path / "file.txt"
    path.write_text("see docs/work/x.md, ~/home/x and build/home/\n")
    assert run(sys.executable, ROOT / ".ci/words", path) == (0, "")


def library(folder, source, *flags):
    (folder / "v.map").write_text("VKDISPATCH_0.1 { global: vd_*; local: *; };\n")
    (folder / "vkdispatch.h").write_text("VD_API int vd_one(void);\nVD_API const char *vd_two(void);\n")
    (folder / "l.c").write_text(source)
    built = [
        "gcc",
        "-shared",
        "-fPIC",
        folder / "l.c",
        "-o",
        folder / "l.so",
        f"-Wl,--version-script={folder}/v.map",
        *flags,
    ]
    assert run(*built) == (0, "")
    return run(ROOT / "tests/abi/check_symbols.sh", folder / "l.so", folder / "vkdispatch.h")


ONE, TWO = "int vd_one(void) { return 1; }\n", 'const char *vd_two(void) { return "2"; }\n'
needs_gcc = pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc")


@needs_gcc
def test_symbols_of_a_good_library(tmp_path):
    status, output = library(tmp_path, ONE + TWO)
    assert status == 0, output


@needs_gcc
@pytest.mark.parametrize(
    "source, flags, message",
    [
        (ONE, [], "declared but not exported: vd_two"),
        (ONE + TWO + "int vd_three(void) { return 3; }", [], "exported but not declared: vd_three"),
        (ONE + TWO, ["-Wl,--no-as-needed", "-lresolv"], "needs more than the C and C++ runtimes: libresolv"),
    ],
)
def test_symbols_find_a_wrong_library(tmp_path, source, flags, message):
    status, output = library(tmp_path, source, *flags)
    assert status == 1
    assert message in output


@needs_gcc
def test_header_check_finds_a_warning(tmp_path):
    header = tmp_path / "vkdispatch.h"
    text = '#ifndef H\n#define H\n#ifdef __cplusplus\nextern "C"\n#endif\nunsigned vd_version(void);\n#endif\n'
    header.write_text(text)
    status, output = run(ROOT / "tests/abi/check_header.sh", header, 1)
    assert status == 0, output
    header.write_text(text.replace("(void);", "(void);;"))
    status, output = run(ROOT / "tests/abi/check_header.sh", header, 1)
    assert status == 1, output


@needs_gcc
def test_symbols_find_a_wrong_version_node(tmp_path):
    assert library(tmp_path, ONE + TWO)[0] == 0
    header = tmp_path / "vkdispatch.h"
    header.write_text("#define VD_ABI 0\n" + header.read_text())
    symbols = tmp_path / "symbols.txt"
    check = [ROOT / "tests/abi/check_symbols.sh", tmp_path / "l.so", header, symbols]
    symbols.write_text("# name since state\nvd_one 0.1 stable\nvd_two 0.1 stable\n")
    status, output = run(*check)
    assert status == 0, output
    symbols.write_text("vd_one 0.1 stable\nvd_two 0.2 stable\n")
    status, output = run(*check)
    assert status == 1
    assert "vd_two@@VKDISPATCH_0.2" in output


def test_a_checkout_without_setup_is_told_what_to_do(tmp_path):
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci/run", tmp_path / ".ci/run")
    status, said = run(tmp_path / ".ci/run", "build")
    assert status != 0
    assert "there is no .venv; '.ci/run setup' installs what the steps need" in said
    assert "configure-release.log: No such file" not in said
