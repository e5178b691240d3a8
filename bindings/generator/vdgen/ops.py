"""The op table as data: src/ir/ops.inc and the rules of src/ir/op.h, read as the library's compiler reads them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from .model import HeaderError

TABLE = "src/ir/ops.inc"
RULES = "src/ir/op.h"
#: Enums of op.h: what they are called there, and here.
ENUMS = {"OperandRule": "operands", "ResultRule": "result", "ImmediateRule": "immediate"}
COLUMNS = ["id", "number", "operands", *ENUMS, "classes", "native", "precise", "doc"]
#: Rules of results whose type the caller states.
TYPED = {"Constant", "Sized", "View", "Variable", "Convert", "Bitcast"}
MANY = 65535


@dataclass
class Operand:
    """An operand by its position: `optional` ones may be left out, and `many` means all the rest."""

    name: str
    optional: bool
    many: bool


@dataclass
class Op:
    """A row of the table."""

    id: str
    number: int
    names: str
    takes: str
    gives: str
    immediate: str
    classes: list[str]
    native: float
    precise: float
    doc: str
    group: str

    @property
    def name(self) -> str:
        return self.id.lower()

    @property
    def enumerator(self) -> str:
        return f"VD_OP_{self.id}"

    @property
    def operands(self) -> list[Operand]:
        names = self.names.split(", ") if self.names else []
        return [Operand(name.strip("[]").removesuffix("..."), "[" in name, "..." in name) for name in names]

    @property
    def fewest(self) -> int:
        return sum(not operand.optional for operand in self.operands)

    @property
    def most(self) -> int:
        return MANY if any(operand.many for operand in self.operands) else len(self.operands)

    @property
    def summary(self) -> str:
        """The first sentence: what the op does."""
        return self.doc.split(". ")[0].rstrip(".") + "."

    @property
    def rest(self) -> str:
        """The sentences after the first."""
        return self.doc.partition(". ")[2]

    def has(self, name: str) -> bool:
        return name in self.classes


@dataclass
class Reserved:
    """Numbers that are kept for ops to come, from the first to the last."""

    first: int
    last: int
    use: str


@dataclass
class Table:
    """The public ops by number, and the meaning of each rule and class."""

    ops: list[Op] = field(default_factory=list)
    reserved: list[Reserved] = field(default_factory=list)
    rules: dict[str, dict[str, str]] = field(default_factory=dict)  # by ENUMS' values, then by name
    classes: dict[str, str] = field(default_factory=dict)

    def of(self, name: str) -> list[Op]:
        """The ops of a class."""
        return [op for op in self.ops if op.has(name)]


def read(root: Path) -> Table:
    """The table of a checkout; HeaderError with file and line where a row or rule is not what it must be."""
    table = Table()
    read_rules((root / RULES).read_text(), table)
    read_rows((root / TABLE).read_text(), table)
    return table


def read_rules(text: str, table: Table) -> None:
    """The enums of op.h, each enumerator with its comment."""
    for name, key in ENUMS.items():
        table.rules[key] = enumerators(text, rf"^enum class {name} : uint8_t {{\n(.*?)^}};", r"(\w+),", name)
    classes = enumerators(text, r"^enum : uint32_t {\n(.*?)^};", r"k(\w+) = 1 << \d+,", "classes of an op")
    table.classes = {small(name): doc for name, doc in classes.items()}


def enumerators(text: str, pattern: str, line_pattern: str, what: str) -> dict[str, str]:
    found = re.search(pattern, text, re.MULTILINE | re.DOTALL)
    if found is None:
        raise HeaderError(RULES, 1, f"the {what} are missing")
    first = text.count("\n", 0, found.start(1)) + 1
    result = {}
    for i, line in enumerate(found[1].splitlines()):
        row = re.fullmatch(rf"  {line_pattern} *// (.+)", line)
        if row is None:
            raise HeaderError(RULES, first + i, f"'{line.strip()}' is not an enumerator with a comment")
        result[row[1]] = row[2]
    return result


def small(name: str) -> str:
    """BuilderOnly as builder_only."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def read_rows(text: str, table: Table) -> None:
    for found in re.finditer(r"^// reserved: (\d+)-(\d+) for (.+)$", text, re.MULTILINE):
        table.reserved.append(Reserved(int(found[1]), int(found[2]), found[3]))
    group, at = "", 0
    for match in re.finditer(r"^// (.+)$|^VD_IR_OP(_INTERNAL)?\(", text, re.MULTILINE):
        if match.start() < at:
            continue
        line = text.count("\n", 0, match.start()) + 1
        if match[1]:
            group = match[1]
            continue
        cells, at = split(text, match.end(), line)
        if match[2]:
            continue
        op = row(cells, line, group, table)
        if table.ops and op.number <= table.ops[-1].number:
            raise HeaderError(TABLE, line, f"number {op.number} of {op.id} is not above {table.ops[-1].number}")
        for kept in table.reserved:
            if kept.first <= op.number <= kept.last:
                raise HeaderError(TABLE, line, f"number {op.number} of {op.id} is reserved for {kept.use}")
        if any(other.id == op.id for other in table.ops):
            raise HeaderError(TABLE, line, f"{op.id} is in the table already")
        table.ops.append(op)
    if not table.ops:
        raise HeaderError(TABLE, 1, "the table has no rows")


def split(text: str, at: int, line: int) -> tuple[list[str], int]:
    """The cells of a row whose parenthesis is open at `at`, and where the row ends."""
    cells, cell = [], ""
    for token in re.finditer(r'"(?:[^"\\\n]|\\.)*"|[^"]', text[at:], re.DOTALL):
        if token[0] in (",", ")"):
            cells.append(cell.strip())
            cell = ""
            if token[0] == ")":
                return cells, at + token.end()
        else:
            cell += token[0]
    raise HeaderError(TABLE, line, "the row does not end")


def row(cells: list[str], line: int, group: str, table: Table) -> Op:
    if len(cells) != len(COLUMNS):
        raise HeaderError(TABLE, line, f"a row has {len(COLUMNS)} cells ({', '.join(COLUMNS)}), not {len(cells)}")
    id_, number, names, takes, gives, immediate, classes, native, precise, doc = cells
    if not re.fullmatch(r"[A-Z][A-Z0-9_]*", id_):
        raise HeaderError(TABLE, line, f"the id '{id_}' is not in capitals")
    for value, key in ((takes, "operands"), (gives, "result"), (immediate, "immediate")):
        if value not in table.rules[key]:
            raise HeaderError(TABLE, line, f"{id_}: '{value}' is no {key} rule of {RULES}")
    words = [] if classes == "0" else [small(word.strip().removeprefix("k")) for word in classes.split("|")]
    for word in words:
        if word not in table.classes:
            raise HeaderError(TABLE, line, f"{id_}: '{word}' is no class of {RULES}")
    text = literal(doc)
    if not text.endswith(".") or "  " in text:
        raise HeaderError(TABLE, line, f"{id_}: the doc is not sentences that end with a full stop")
    try:
        bounds = [float(native), float(precise)]
        return Op(id_, int(number), literal(names), takes, gives, immediate, words, *bounds, text, group)
    except ValueError as error:
        raise HeaderError(TABLE, line, f"{id_}: {error}") from None


def literal(cell: str) -> str:
    """The text of adjacent string literals."""
    parts = re.findall(r'"((?:[^"\\]|\\.)*)"', cell)
    return "".join(parts).replace('\\"', '"').replace("\\\\", "\\")
