"""The hash of the library's sources, by which entries of the disk cache are a build's own."""

import re
import subprocess
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "cmake" / "VdSourceHash.cmake"


def hash_of(folder: Path, output: Path) -> str:
    subprocess.run(["cmake", f"-DFOLDER={folder}", f"-DOUTPUT={output}", "-P", SCRIPT], check=True)
    found = re.search('"([0-9a-f]{64})"', output.read_text())
    assert found is not None
    return found[1]


def test_each_change_of_a_file_is_another_hash(tmp_path: Path) -> None:
    folder = tmp_path / "src"
    (folder / "fft").mkdir(parents=True)
    (folder / "a.cpp").write_text("int a;\n")
    (folder / "fft" / "b.h").write_text("int b;\n")
    hashes = [hash_of(folder, tmp_path / "out.cpp")]
    assert hash_of(folder, tmp_path / "again.cpp") == hashes[0]
    (folder / "fft" / "b.h").write_text("int c;\n")
    hashes.append(hash_of(folder, tmp_path / "out.cpp"))
    (folder / "fft" / "b.h").rename(folder / "fft" / "c.h")
    hashes.append(hash_of(folder, tmp_path / "out.cpp"))
    (folder / "fft" / "c.h").unlink()
    hashes.append(hash_of(folder, tmp_path / "out.cpp"))
    assert len(set(hashes)) == len(hashes)
