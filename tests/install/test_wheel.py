"""The wheel that VD_WHEEL names (`.ci/run wheel` makes it), in environments that have nothing else."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WHEEL = Path(os.environ.get("VD_WHEEL", "none"))
OTHERS = ROOT / "build/wheels"  # cffi and NumPy, which `.ci/setup wheels` fetches
FILES_OF_0_1 = (Path(__file__).parent / "files_of_0.1.txt").read_text().split()
README_KERNEL = re.search(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)[1]
WITHOUT_NUMPY = """
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, f32

@vd.shader("out.size")
def double(out: Buff[f32]):
    i = vc.global_invocation_id().x
    out[i] = out[i] * 2

out = vd.Buffer((3,), vd.float32)
out.write([1, 2, 3])
double(out)
assert [out.read(0)[i] for i in range(3)] == [2, 4, 6]
"""

pytestmark = pytest.mark.skipif(not WHEEL.exists(), reason="VD_WHEEL names no wheel; `.ci/run wheel` makes one")


def run(*command, expected=0, **options):
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == expected or expected is None, f"{command}\n{done.stdout}{done.stderr}"
    return done


def pythons():
    """Python 3.10 and later by their versions, as far as this machine has them: on the path, or pyenv's."""
    usable = "import sys, venv; print('%d.%d' % sys.version_info[:2])"
    found = {f"{sys.version_info[0]}.{sys.version_info[1]}": sys.executable}
    for minor in range(10, 15):
        ours = Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/python3")
        for path in [shutil.which(f"python3.{minor}"), *map(str, ours)]:
            if path and run(path, "-c", usable, expected=None).stdout.strip() == f"3.{minor}":
                found.setdefault(f"3.{minor}", path)
    return found


class Place:
    """A fresh environment, of which nothing else is seen: no compiler, no driver, no library, no checkout."""

    def __init__(self, folder, python=sys.executable):
        self.folder = folder
        run(python, "-m", "venv", folder / "venv")
        self.python = folder / "venv/bin/python"
        (folder / "empty").mkdir()
        self.environment = {
            "PATH": str(folder / "empty"),
            "HOME": str(folder / "empty"),
            "VK_DRIVER_FILES": str(folder / "no.json"),
            "VK_ICD_FILENAMES": str(folder / "no.json"),
            "OCL_ICD_VENDORS": str(folder / "empty"),
        }

    def pip(self, *words, **options):
        line = [self.python, "-m", "pip", "--disable-pip-version-check", *words]
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("PIP_", "PYTHON"))}
        environment |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(OTHERS)}
        return run(*line, env=environment, cwd=self.folder, **options)

    def install(self, *names, **options):
        return self.pip("install", "-q", *names, **options)

    def run(self, code, **options):
        (self.folder / "program.py").write_text(code)  # a file, since kernels are read from their source
        return run(self.python, self.folder / "program.py", env=self.environment, cwd=self.folder, **options)

    @property
    def package(self):
        return next((self.folder / "venv/lib").glob("python3*/site-packages")) / "vkdispatch"


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def with_libraries(place):
    """NumPy and cffi by a path file, where an environment's own pip is not what is tried."""
    (place.package.parent / "others.pth").write_text(str(Path(pytest.__file__).resolve().parents[1]))


def test_one_wheel_for_every_python_and_most_systems():
    name = re.fullmatch(r"libvkdispatch-(.+)-cp310-abi3-manylinux_2_(\d+)_x86_64\.whl", WHEEL.name)
    assert name, WHEEL.name
    assert int(name[2]) <= 34  # Debian 12, Ubuntu 22.04, RHEL 9
    assert WHEEL.stat().st_size < 8 << 20
    with zipfile.ZipFile(WHEEL) as wheel:
        files = wheel.namelist()
        metadata = wheel.read(next(file for file in files if file.endswith("/METADATA"))).decode()
    assert f"\nVersion: {name[1]}\n" in metadata
    assert {"cli", "cuda", "opencl", "numpy"} == set(re.findall(r"^Provides-Extra: (\w+)", metadata, re.MULTILINE))
    assert 'nvidia-cuda-nvrtc-cu12>=12.4; extra == "cuda"' in metadata
    assert {"vkdispatch/libvkdispatch.so", "vkdispatch/_native/_vdhot.abi3.so", "vkdispatch/py.typed"} <= set(files)
    assert {"vkdispatch/licenses/glslang-dev.txt", "vkdispatch/licenses/libvkfft-dev.txt"} <= set(files)
    assert not [file for file in files if file.endswith((".c", ".h", ".pyc"))]


def test_the_first_kernel_of_the_readme(place):
    place.install(WHEEL, "numpy")
    done = place.run(README_KERNEL)
    assert "no GPU" in done.stderr or "host" in done.stderr, done.stderr
    listed = run(place.folder / "venv/bin/vdlist", "--all", env=place.environment, cwd=place.folder)
    assert "host" in listed.stdout.lower() and "built without" not in listed.stdout + listed.stderr
    own = """
from vkdispatch._native import _load, hot
import vkdispatch as vd
assert hot.EXTENSION
assert _load.candidates()[0].startswith(vd.__path__[0]), _load.candidates()
"""
    place.run(own)


def test_komputes_module_from_both_distributions(place):
    """The first example of the page on Kompute, by `import kp`, with the drivers of this machine."""
    source, folder = place.folder / "source", place.folder / "wheel"
    shutil.copytree(ROOT / "bindings/kp", source)
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-build-isolation", "--no-deps", "--no-index"]
    run(*command, "-w", folder, source)
    place.install(WHEEL, "numpy", *folder.glob("libvkdispatch_kp-*.whl"))
    page = (ROOT / "docs/kompute.md").read_text()
    program = re.search(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[1]
    assert program.startswith("import vkdispatch.kp as kp\n")
    program = program.replace("import vkdispatch.kp as kp", "import kp") + "print(kp.__name__, out.data().tolist())"
    for name in ("VK_DRIVER_FILES", "VK_ICD_FILENAMES", "OCL_ICD_VENDORS"):
        del place.environment[name]
    assert place.run(program).stdout == "vkdispatch.kp [2.0, 4.0, 6.0]\n"


@pytest.mark.parametrize("version", pythons())
def test_each_python(version, tmp_path):
    place = Place(tmp_path, pythons()[version])
    place.install(WHEEL)
    place.run(WITHOUT_NUMPY)


def test_pip_refuses_a_wheel_for_another_machine(place, tmp_path):
    other = tmp_path / WHEEL.name.replace("x86_64", "aarch64")
    shutil.copy(WHEEL, other)
    done = place.install("--no-deps", other, expected=1)
    assert "not a supported wheel on this platform" in done.stderr


def test_a_library_for_another_machine_says_so(place):
    place.install("--no-deps", WHEEL)
    with_libraries(place)
    library = place.package / "libvkdispatch.so"
    data = bytearray(library.read_bytes())
    data[18:20] = (183).to_bytes(2, "little")
    library.write_bytes(data)
    done = place.run("import vkdispatch as vd; vd.get_context()", expected=1)
    assert f"{library}: it is for aarch64, and this Python for x86_64" in done.stderr


def stand_in(folder):
    """A distribution with the names of vkdispatch 0.1's files."""
    info = "vkdispatch_core-0.1.0.dist-info"
    files = dict.fromkeys(FILES_OF_0_1, "")
    files["vkdispatch/__init__.py"] = 'from .backends import dummy_backend\n__version__ = "0.1.0"\n'
    files[f"{info}/METADATA"] = "Metadata-Version: 2.1\nName: vkdispatch-core\nVersion: 0.1.0\n"
    files[f"{info}/WHEEL"] = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
    path = folder / "vkdispatch_core-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
    return path


def test_over_vkdispatch_0_1_and_back(place, tmp_path):
    old = stand_in(tmp_path)
    version = "import vkdispatch; print(vkdispatch.__version__)"
    place.install(old)
    assert place.run(version).stdout == "0.1.0\n"

    place.install("--no-deps", WHEEL)
    with_libraries(place)
    done = place.run(version, expected=1)
    assert "has files of vkdispatch 0.1 (backends/dummy_backend.py" in done.stderr
    commands = re.findall(r"^  python -m pip (\w+) (.*)$", done.stderr, re.MULTILINE)
    assert [command[0] for command in commands] == ["uninstall", "install"]

    place.pip(commands[0][0], *commands[0][1].split())
    assert not place.package.exists() or not list(place.package.rglob("*.py"))
    assert commands[1][1] == "libvkdispatch"
    place.install("--no-deps", WHEEL)
    place.run(WITHOUT_NUMPY)

    place.pip("uninstall", "-y", "libvkdispatch")
    place.install(old)
    assert place.run(version).stdout == "0.1.0\n"
    kept = {str(file.relative_to(place.package.parent)) for file in place.package.rglob("*.py")}
    assert kept == set(FILES_OF_0_1)
