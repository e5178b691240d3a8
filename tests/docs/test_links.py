"""Each link between the pages leads to an existing file, and to a heading in it."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def without_code(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)


def anchors(text):
    """The names that a page's headings have on the web: small letters, no punctuation, a dash for a blank."""
    found = set(re.findall(r'<a (?:id|name)="([^"]+)"', text))
    for title in re.findall(r"^#+ (.+)$", without_code(text), re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).lower()
        name = re.sub(r"[^\w\- ]", "", words).strip().replace(" ", "-")
        number = sum(re.fullmatch(re.escape(name) + r"(-\d+)?", other) is not None for other in found)
        found.add(name if number == 0 else f"{name}-{number}")
    return found


def broken(page, text):
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", without_code(text))):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        path = (page.parent / file).resolve() if file else page
        if not path.exists():
            yield f"{target}: there is no such file"
        elif anchor and path.suffix == ".md" and anchor not in anchors(text if path == page else path.read_text()):
            yield f"{target}: the page has no such heading"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page):
    assert list(broken(page, page.read_text())) == []


def test_a_broken_link_is_found():
    page = ROOT / "docs" / "c.md"
    assert list(broken(page, "[a](nowhere.md) [b](abi.md#nothing) [c](#neither)\n# Heading\n[d](#heading)")) == [
        "nowhere.md: there is no such file",
        "abi.md#nothing: the page has no such heading",
        "#neither: the page has no such heading",
    ]
    assert list(broken(page, "```c\n[a](nowhere.md)\n```\n[site](https://example.org)")) == []
