"""README is short, and its kernel in C is, too."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_kernel_in_c_has_ten_lines_at_most():
    lines = (ROOT / "README.md").read_text().splitlines()
    first = next(i for i, line in enumerate(lines) if line.strip().startswith("vd_builder *b"))
    last = next(i for i, line in enumerate(lines) if "vd_builder_finish(b, &kernel)" in line)
    kernel = lines[first : last + 1]
    assert len(kernel) <= 10
    assert all(len(line) <= 120 for line in kernel)


def test_a_stranger_reads_it_in_two_minutes():
    text = re.sub(r"^```.*?^```$", "", (ROOT / "README.md").read_text(), flags=re.MULTILINE | re.DOTALL)
    words = re.sub(r"\]\([^)]*\)", "]", text).split()
    assert len(words) <= 700  # beside the code
    paragraphs = [len(part.splitlines()) for part in text.split("\n\n") if not part.lstrip().startswith("|")]
    assert max(paragraphs) <= 5
