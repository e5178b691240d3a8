"""Files that do not belong together: another package's in the folder, a library for another kind of machine."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import vkdispatch as vd
from vkdispatch import _folder
from vkdispatch._native import _load

PACKAGE = Path(vd.__file__).parent


def imported_from(folder, code="import vkdispatch"):
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(
        [sys.executable, "-c", code], check=False, env=environment, capture_output=True, text=True, cwd=folder
    )


@pytest.mark.parametrize("name", _folder.FOREIGN)
def test_a_file_of_vkdispatch_0_1_is_an_error_that_says_what_to_do(name, tmp_path):
    package = tmp_path / "vkdispatch"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    assert imported_from(tmp_path).returncode == 0
    (package / name).write_text("")
    done = imported_from(tmp_path)
    assert done.returncode == 1 and "ImportError" in done.stderr
    assert f"{package} has files of vkdispatch 0.1 ({name})" in done.stderr
    assert "pip uninstall -y vkdispatch vkdispatch-core vkdispatch-vulkan-native libvkdispatch" in done.stderr


def test_the_marks_are_files_of_vkdispatch_0_1_alone():
    theirs = (Path(__file__).parents[2] / "install/files_of_0.1.txt").read_text().split()
    for name in _folder.FOREIGN:
        assert f"vkdispatch/{name}" in theirs and not (PACKAGE / name).exists()


def elf(machine, order="little"):
    """The first bytes of an ELF file."""
    head = b"\x7fELF\x02" + (b"\x01" if order == "little" else b"\x02")
    return head.ljust(18, b"\0") + machine.to_bytes(2, order) + bytes(44)


@pytest.mark.parametrize(
    "header, name", [(elf(183), "aarch64"), (elf(243), "riscv"), (elf(22, "big"), "machine 22"), (elf(40), "arm")]
)
def test_a_library_for_another_machine_says_so(header, name, tmp_path, monkeypatch):
    library = tmp_path / "lib.so"
    library.write_bytes(header)
    (tmp_path / "python").write_bytes(elf(62))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("VKDISPATCH_LIBRARY", str(library))
    with pytest.raises(ImportError, match=rf"lib\.so: it is for {name}, and this Python for x86_64: install the wheel"):
        _load.open_library()


def test_a_file_that_is_no_library_keeps_the_loaders_words(tmp_path, monkeypatch):
    library = tmp_path / "lib.so"
    library.write_text("no library")
    monkeypatch.setenv("VKDISPATCH_LIBRARY", str(library))
    with pytest.raises(ImportError, match=r"could not be opened.*\n.*lib\.so: .*(invalid ELF header|file too short)"):
        _load.open_library()
