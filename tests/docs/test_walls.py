"""No page has a wall of text: a paragraph is at most five lines of 120 columns, and a table's cell a phrase; lines end at
120 columns."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GENERATED = {"reference.md", "operations.md"}
PAGES = [ROOT / "README.md", *(page for page in sorted((ROOT / "docs").glob("*.md")) if page.name not in GENERATED)]
PARAGRAPH, CELL, COLUMNS = 600, 150, 120


def shown(text):
    """A text as it is read: links without their targets."""
    return re.sub(r"\]\([^)]*\)", "]", " ".join(text.split()))


def walls(text):
    text = re.sub(r"^```.*?^```$|^    .*$", "", text, flags=re.DOTALL | re.MULTILINE)
    for part in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )|\n(?=[#|])", text):
        if part.startswith("|"):
            yield from (cell for cell in map(shown, part.split("|")) if len(cell) > CELL)
        elif len(shown(part)) > PARAGRAPH:
            yield shown(part)


def long_lines(text):
    """Lines of prose; code, tables and lines of one link are as long as they are."""
    text = re.sub(r"^ *```.*?^ *```$|^    (?! *(?:[-*]|\d+\.) ).*$", "", text, flags=re.DOTALL | re.MULTILINE)
    return [line for line in text.splitlines() if len(line) > COLUMNS and not line.startswith("|")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_paragraphs_and_cells_are_short(page):
    assert list(walls(page.read_text())) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_lines_are_short(page):
    assert long_lines(page.read_text()) == []


def test_long_lines_are_found():
    long = "a" * 121
    assert long_lines(f"{long}\n- {long}\n| {long} |\n\n```c\n{long}\n```\n\n    {long}\n{'a' * 120}\n") == [
        long,
        f"- {long}",
    ]


def test_walls_are_found():
    word = "word " * 100
    assert [
        len(wall) for wall in walls(f"{word}\n{word}\n\n{word}\n\n| a | {word} |\n| b | c |\n- {word}\n- {word}\n")
    ] == [999, 499]
    assert list(walls(f"```text\n{word * 3}\n```\n")) == []
