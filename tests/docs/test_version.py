"""Files of a release that the documents name have the version of the package."""

import re
from pathlib import Path

from vkdispatch import __version__

ROOT = Path(__file__).resolve().parents[2]
NAMED = re.compile(r"libvkdispatch-(\d+\.\d+\.\d+)")


def test_the_distribution_of_kp_has_this_version():
    text = (ROOT / "bindings/kp/pyproject.toml").read_text()
    assert f'version = "{__version__}"' in text and f"libvkdispatch>={__version__}" in text


def test_documents_name_this_version():
    documents = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    named = [(path.name, version) for path in documents for version in NAMED.findall(path.read_text())]
    assert {path for path, _ in named} >= {"README.md", "python.md"}
    assert [(path, version) for path, version in named if version != __version__] == []
