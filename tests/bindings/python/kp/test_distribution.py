"""The distribution libvkdispatch-kp: its wheel gives the module kp, and it does not go beside Kompute's."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[4] / "bindings/kp"
PROGRAM = """
import kp
manager = kp.Manager(backend="host")
a, b, out = (manager.tensor(x) for x in ([2, 2, 2], [1, 2, 3], [0, 0, 0]))
sq = manager.sequence().record(kp.OpSyncDevice([a, b])).record(kp.OpMult([a, b, out], manager.algorithm([])))
sq.record(kp.OpSyncLocal([out])).eval()
assert out.data().tolist() == [2.0, 4.0, 6.0] and kp.__name__ == "vkdispatch.kp"
"""


def run(folder, code, *paths):
    path = os.pathsep.join([*map(str, paths), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(code, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def kompute(tmp_path):
    """A folder in which Kompute's distribution seems to be installed."""
    info = tmp_path / "kompute/kp-0.9.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: kp\nVersion: 0.9.0\n")
    return info.parent


@pytest.fixture
def installed(tmp_path):
    """A folder into which the wheel is installed."""
    pytest.importorskip("setuptools", reason="pip builds the wheel with the setuptools that are installed")
    source = tmp_path / "source"
    shutil.copytree(SOURCE, source)
    pip = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]
    options = ["--no-build-isolation", "--no-deps", "--no-index"]
    subprocess.run([*pip, "wheel", *options, "-w", str(tmp_path), str(source)], check=True)
    (wheel,) = tmp_path.glob("libvkdispatch_kp-*.whl")
    folder = tmp_path / "installed"
    subprocess.run([*pip, "install", "--no-deps", "--no-index", "--target", str(folder), str(wheel)], check=True)
    return folder


def test_the_module(installed, tmp_path):
    done = run(tmp_path, [sys.executable, "-c", PROGRAM], installed)
    assert done.returncode == 0, done.stderr


def test_it_does_not_go_beside_komputes(installed, kompute, tmp_path):
    done = run(tmp_path, [sys.executable, "-c", "import kp"], installed, kompute)
    assert done.returncode != 0 and "Kompute's distribution kp 0.9.0" in done.stderr and "pip uninstall" in done.stderr


def test_it_is_not_built_beside_komputes(kompute, tmp_path):
    source = tmp_path / "source"
    shutil.copytree(SOURCE, source)
    done = run(source, [sys.executable, "setup.py", "--version"], kompute)
    assert done.returncode != 0 and "Kompute's distribution kp 0.9.0" in done.stderr
