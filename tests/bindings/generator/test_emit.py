"""The generated files: they are up to date, they compile, and a changed header changes them."""

import json
import shutil
import subprocess
import sys

import generate
import pytest
from vdgen import emit_abi, emit_hot, emit_json, emit_python, emit_tests, header

pytestmark = pytest.mark.tools


def compilers() -> list[list[str]]:
    found = []
    for name in ("gcc", "clang", "clang-15"):
        if shutil.which(name):
            found.append([name, "-std=c11"])
            found.append([name, "-x", "c++", "-std=c++20"])
    return found


def test_committed_files_are_what_the_header_gives(capsys):
    assert generate.main(["--check"]) == 0, capsys.readouterr().out


def test_check_notices_drift_and_changes_nothing(tmp_path, capsys):
    assert generate.main(["--root", str(tmp_path)]) == 0
    assert generate.main(["--root", str(tmp_path), "--check"]) == 0
    target = tmp_path / "abi" / "symbols.txt"
    target.write_text("other\n")
    capsys.readouterr()
    assert generate.main(["--root", str(tmp_path), "--check"]) == 1
    assert "abi/symbols.txt" in capsys.readouterr().out
    assert target.read_text() == "other\n"


def test_a_bad_header_ends_with_file_and_line(tmp_path, small, capsys):
    path = tmp_path / "h.h"
    path.write_text(small("uint32_t count,", "long count,"))
    assert generate.main(["--root", str(tmp_path), "--header", str(path)]) == 1
    assert "include/vkdispatch.h:" in capsys.readouterr().err
    assert not (tmp_path / "abi").exists()


def test_generated_files_say_so_on_their_first_line(root):
    for name, text in generate.generate("h.h", (root / generate.HEADER).read_text()).items():
        assert "generated" in text.split("\n")[0].lower(), name


def test_a_struct_keeps_the_size_of_its_first_release(tmp_path, small, capsys):
    path, table = tmp_path / "h.h", tmp_path / "abi" / "first_sizes.txt"
    run = ["--root", str(tmp_path), "--header", str(path)]
    path.write_text(small())
    assert generate.main(run) == 0
    first = table.read_text()
    assert "vd_buffer_desc 104\n" in first
    assert "kFirstSize<vd_buffer_desc> = 104;" in (tmp_path / "src/api/first_sizes.h").read_text()

    # It grows: old programs go on saying 104.
    field = "const void     *data /*@nullable @bytes(size)*/; /**< Contents. */"
    grown = small(field, field + "\n    uint64_t        more; /**< Added later. */").replace(
        "{ 0 }, NULL, NULL }", "{ 0 }, NULL, NULL, 0 }"
    )
    path.write_text(grown)
    assert generate.main(run) == 0
    assert table.read_text() == first
    assert generate.main([*run, "--check"]) == 0

    # It shrinks again, or the table says more than there is: that breaks every program.
    table.write_text(first.replace("vd_buffer_desc 104", "vd_buffer_desc 112"))
    path.write_text(small())
    capsys.readouterr()
    assert generate.main(run) == 1
    assert "vd_buffer_desc (104 bytes) is smaller than at first (112); --rebase-sizes?" in capsys.readouterr().err
    assert generate.main([*run, "--check"]) == 1
    assert generate.main([*run, "--rebase-sizes"]) == 0
    assert table.read_text() == first
    path.write_text(grown)
    assert generate.main([*run, "--rebase-sizes"]) == 0
    assert "vd_buffer_desc 112\n" in table.read_text()

    # A struct that no longer exists, and a text that is no table.
    table.write_text(first + "vd_gone_desc 16\n")
    assert generate.main(run) == 1
    assert "no struct vd_gone_desc" in capsys.readouterr().err
    table.write_text("vd_buffer_desc\n")
    assert generate.main(run) == 1
    assert "abi/first_sizes.txt:1: 'vd_buffer_desc' is not 'struct size'" in capsys.readouterr().err


def test_a_changed_unstable_section_needs_a_larger_version(tmp_path, small, capsys):
    path, table = tmp_path / "h.h", tmp_path / "abi" / "unstable.txt"
    run = ["--root", str(tmp_path), "--header", str(path)]
    path.write_text(small())
    assert generate.main(run) == 0
    first = table.read_text()
    assert "constant VD_UNSTABLE_VERSION 3\n" in first and "entry vd_image_create " in first
    assert "vd_buffer" not in first and "vd_recorder" not in first

    # Another field, and no other version; then with one that is smaller.
    field = "uint32_t unstable_version; /**< VD_UNSTABLE_VERSION. */\n"
    grown = small(field, field + "    uint32_t width; /**< Width. */\n")
    grown = grown.replace("VD_UNSTABLE_VERSION }", "VD_UNSTABLE_VERSION, 0 }")
    for text in (grown, grown.replace("VERSION 3", "VERSION 2")):
        path.write_text(text)
        capsys.readouterr()
        assert generate.main(run) == 1 and generate.main([*run, "--check"]) == 1
        assert (
            "is not that of VD_UNSTABLE_VERSION 3 (abi/unstable.txt); VD_UNSTABLE_VERSION (" in capsys.readouterr().err
        )
        assert table.read_text() == first
    path.write_text(grown.replace("VERSION 3", "VERSION 4"))
    assert generate.main(run) == 0
    assert "constant VD_UNSTABLE_VERSION 4\n" in table.read_text() and "field width 8 4 uint32_t" in table.read_text()

    # Comments and stable declarations are no part of it, and neither table keeps a struct of the section.
    path.write_text(small("An image.", "A picture."))
    table.write_text(first)
    assert generate.main(run) == 0 and table.read_text() == first
    path.write_text(small("VD_STEP_ONE = 1", "VD_STEP_ONE = 2"))
    assert generate.main(run) == 0 and table.read_text() == first
    assert "vd_image_desc" not in (tmp_path / "abi" / "first_sizes.txt").read_text()
    assert "kFirstSize<vd_image_desc> = 8;" in (tmp_path / "src/api/first_sizes.h").read_text()


def test_a_raw_layer_states_the_version_of_the_unstable_section(small):
    raw = emit_python.raw(header.parse("h.h", small()))
    assert "    _x.struct_size = _sizeof_vd_image_desc\n    _x.unstable_version = 3\n" in raw
    assert raw.count("unstable_version") == 1


def test_api_json(small):
    data = json.loads(emit_json.emit(header.parse("h.h", small()))[emit_json.PATHS[0]])
    use = next(f for f in data["functions"] if f["name"] == "vd_buffer_use")
    assert (use["self"], use["returns"], use["hot"]) == ("vd_buffer", "vd_status", True)
    assert use["statuses"] == ["VD_ERR_INVALID"]
    items = {
        "name": "items",
        "type": "vd_buffer",
        "ptr": 2,
        "dir": "in",
        "nullable": True,
        "array": "item_count",
        "doc": "Others.",
    }
    assert use["params"][2] == items
    assert use["params"][-1]["dir"] == "out"


def test_symbols_and_version_nodes(small):
    h = header.parse("h.h", small())
    script = emit_abi.version_script(h)
    assert "VKDISPATCH_0.1 {" in script and "local:\n    *;" in script
    entries = ("vd_image_create", "vd_image_release", "vd_image_retain")
    names = "".join(f"    {name};\n" for name in entries)
    assert f"VKDISPATCH_UNSTABLE {{\n  global:\n{names}}} VKDISPATCH_0.1;" in script
    assert "vd_image_retain 0.1 unstable\n" in emit_abi.symbols(h)


@pytest.mark.parametrize("compiler", compilers(), ids=" ".join)
def test_layout_asserts_compile(root, compiler, tmp_path):
    source = root / "tests" / "abi" / "layout_asserts.c"
    flags = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{root / 'include'}", "-c", "-o", str(tmp_path / "out.o")]
    subprocess.run([*compiler, *flags, str(source)], check=True)


@pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc")
@pytest.mark.parametrize(
    "old, new",
    [
        ("vd_buffer *buffer, uint32_t count,", "vd_buffer *buffer, int32_t count,"),
        ("VD_INCOMPLETE      = 2", "VD_INCOMPLETE      = 3"),
        ("    uint64_t        size;               /**< Bytes. */\n", ""),
        ("const vd_buffer_desc *desc", "vd_buffer_desc *desc"),
    ],
)
def test_layout_asserts_notice_a_changed_header(small, old, new, tmp_path):
    asserts = emit_abi.asserts(header.parse("h.h", small()))
    (tmp_path / "asserts.c").write_text(asserts)
    command = ["gcc", "-std=c11", "-fsyntax-only", f"-I{tmp_path}", str(tmp_path / "asserts.c")]
    (tmp_path / "vkdispatch.h").write_text(small())
    subprocess.run(command, check=True)
    (tmp_path / "vkdispatch.h").write_text(small(old, new))
    failed = subprocess.run(command, check=False, capture_output=True, text=True)
    assert failed.returncode != 0 and "error" in failed.stderr


def test_the_raw_layer_of_the_small_header(small):
    files = emit_python.emit(header.parse("h.h", small()))
    raw = files[f"{emit_python.FOLDER}/_raw.py"]
    compile(raw, "_raw.py", "exec")
    assert "def vd_buffer_use(buffer: Any, count: Any, items: Any = None, data: Any = None) -> Any:" in raw
    assert "return _gc(out_buffer[0], _release_vd_buffer)" in raw
    assert "VD_INCOMPLETE = 2" in files[f"{emit_python.FOLDER}/_enums.py"]


def test_the_raw_layer_has_every_entry(root):
    h = header.parse("h.h", (root / generate.HEADER).read_text())
    raw = emit_python.raw(h)
    for function in h.functions:
        assert f"\ndef {function.name}(" in raw


def test_the_hot_layer_has_the_same_names_twice(small):
    files = emit_hot.emit(header.parse("h.h", small()))
    c, python = files[f"{emit_hot.FOLDER}/_vdhot.c"], files[f"{emit_hot.FOLDER}/_hot_cffi.py"]
    compile(python, "_hot_cffi.py", "exec")
    assert '"use(count, data, *items)"' in c
    assert "def use(self, count, data, *items):" in python


def test_generated_api_tests_cover_every_pointer(root):
    h = header.parse("h.h", (root / generate.HEADER).read_text())
    text = emit_tests.emit(h)[emit_tests.PATH]
    for function in h.functions:
        for param in function.params:
            if emit_tests.refuses_null(function, param):
                assert f"TEST_F(Generated, {function.name}_{param.name}_null)" in text


def test_the_command_runs_as_a_program(root):
    command = [sys.executable, str(root / "bindings" / "generator" / "generate.py"), "--check"]
    assert subprocess.run(command, check=False).returncode == 0
