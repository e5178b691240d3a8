"""The header as data: what the parser makes and every emitter reads."""

from __future__ import annotations

from dataclasses import dataclass, field

#: The title of the last section, where unstable entries and their types are.
UNSTABLE = "Unstable"
#: The macro that a program defines to have that section, the constant that is its version, and the field of a descriptor
#: by which the library learns the version that a program was built for.
UNSTABLE_MACRO = "VD_UNSTABLE"
UNSTABLE_VERSION = "VD_UNSTABLE_VERSION"
UNSTABLE_FIELD = "unstable_version"


class HeaderError(Exception):
    """Something in the header that the subset or the conventions do not allow."""

    def __init__(self, path: str, line: int, message: str):
        super().__init__(f"{path}:{line}: {message}")
        self.path = path
        self.line = line
        self.message = message


@dataclass
class Doc:
    """The parts of a documentation comment."""

    summary: str = ""
    body: str = ""
    params: dict[str, str] = field(default_factory=dict)
    returns: str = ""
    thread: str = ""
    since: str = ""
    line: int = 0


@dataclass
class Type:
    """`const name **`, with the length of an array field. `const_ptr`: the pointers themselves are const too."""

    name: str
    const: bool = False
    ptr: int = 0
    const_ptr: bool = False
    array: int | None = None
    array_name: str = ""  # the constant that states the length, if one does

    def c(self, declarator: str = "") -> str:
        """The type as C text, around `declarator`."""
        stars = " *" + "const *" * (self.ptr - 1) if self.const_ptr else " " + "*" * self.ptr
        text = ("const " if self.const else "") + self.name + (stars if self.ptr else "")
        if declarator:
            text += ("" if text.endswith("*") else " ") + declarator
        return text + (f"[{self.array}]" if self.array is not None else "")


@dataclass
class Field:
    """A field of a struct or a parameter of a function."""

    name: str
    type: Type
    ann: dict[str, list[str]]
    doc: str
    line: int

    @property
    def nullable(self) -> bool:
        return "nullable" in self.ann


@dataclass
class Decl:
    """The part that all declarations share."""

    name: str
    doc: Doc
    line: int
    section: int = 0
    ann: dict[str, list[str]] = field(default_factory=dict)

    @property
    def deprecated(self) -> str:
        """The replacement of a deprecated declaration."""
        return self.ann.get("deprecated", [""])[0]


@dataclass
class Handle(Decl):
    """An opaque type."""

    @property
    def exclusive(self) -> bool:
        """Whether an object belongs to one thread at a time."""
        return "exclusive" in self.ann


@dataclass
class Struct(Decl):
    """A struct of which every field is public."""

    fields: list[Field] = field(default_factory=list)
    init: list[str] | None = None

    @property
    def sized(self) -> bool:
        """Whether the struct states its own size, so that it can grow."""
        return bool(self.fields) and self.fields[0].name == "struct_size"

    @property
    def versioned(self) -> bool:
        """Whether the struct states, behind its size, the version of the unstable section that a program was built for."""
        return [f.name for f in self.fields[1:2]] == [UNSTABLE_FIELD] and self.fields[1].type == Type("uint32_t")


@dataclass
class Enumerator:
    name: str
    value: int
    doc: str
    line: int
    ann: dict[str, list[str]] = field(default_factory=dict)


@dataclass
class Enum(Decl):
    """An enum; one without a name holds flags or constants."""

    values: list[Enumerator] = field(default_factory=list)


@dataclass
class Alias(Decl):
    """A second name of a type."""

    target: Type = field(default_factory=lambda: Type("void"))

    @property
    def flags(self) -> str:
        """The prefix of the enumerators that are combined in it, one bit each."""
        return self.ann.get("flags", [""])[0]

    @property
    def values(self) -> str:
        """The prefix of the enumerators that it holds, beside other numbers."""
        return self.ann.get("values", [""])[0]

    @property
    def prefix(self) -> str:
        return self.flags or self.values


@dataclass
class Callback(Decl):
    """A pointer to a function of the user's."""

    returns: Type = field(default_factory=lambda: Type("void"))
    params: list[Field] = field(default_factory=list)


@dataclass
class Function(Decl):
    """An entry of the library."""

    returns: Type = field(default_factory=lambda: Type("void"))
    params: list[Field] = field(default_factory=list)
    warns: bool = False  # VD_DEPRECATED stands before it

    @property
    def hot(self) -> bool:
        return "hot" in self.ann

    @property
    def waits(self) -> bool:
        return "waits" in self.ann

    @property
    def remarks(self) -> list[str]:
        """The positive statuses that it may return."""
        return self.ann.get("remarks", [])

    @property
    def unstable(self) -> bool:
        return "unstable" in self.ann

    @property
    def state(self) -> str:
        return "unstable" if self.unstable else "deprecated" if self.deprecated else "stable"


@dataclass
class Define(Decl):
    """A constant: a number or a string."""

    value: int | str = 0

    @property
    def type(self) -> str:
        """The type that its number is meant for."""
        return self.ann.get("type", [""])[0]


@dataclass
class Section:
    title: str
    text: str
    line: int


@dataclass
class Header:
    path: str
    sections: list[Section] = field(default_factory=list)
    decls: list[Decl] = field(default_factory=list)

    def _of(self, kind: type) -> list:
        return [d for d in self.decls if type(d) is kind]

    @property
    def handles(self) -> list[Handle]:
        return self._of(Handle)

    @property
    def structs(self) -> list[Struct]:
        return self._of(Struct)

    @property
    def enums(self) -> list[Enum]:
        return self._of(Enum)

    @property
    def aliases(self) -> list[Alias]:
        return self._of(Alias)

    @property
    def callbacks(self) -> list[Callback]:
        return self._of(Callback)

    @property
    def functions(self) -> list[Function]:
        return self._of(Function)

    @property
    def defines(self) -> list[Define]:
        return self._of(Define)

    def in_unstable_section(self, decl: Decl) -> bool:
        """Whether a declaration is in the section of unstable entries."""
        return self.sections[decl.section].title == UNSTABLE

    def is_unstable(self, decl: Decl) -> bool:
        """Whether a declaration is marked @unstable, or is one of the types in the section of unstable entries."""
        return "unstable" in decl.ann or self.in_unstable_section(decl)

    def owner(self, enum: Enum) -> Alias | None:
        """The type of an enum without a name: the alias that follows it."""
        behind = [d for d in self.decls[self.decls.index(enum) + 1 :] if not isinstance(d, Define)]
        found = behind[0] if behind else None
        if isinstance(found, Alias) and found.prefix and all(v.name.startswith(found.prefix) for v in enum.values):
            return found
        return None

    def since(self, decl: Decl) -> str:
        """The release that brought a declaration; the type of an enum without a name shares the enum's comment."""
        shared = [e for e in self.enums if not e.name and self.owner(e) is decl] if isinstance(decl, Alias) else []
        return decl.doc.since or (shared[0].doc.since if shared else "")

    def find(self, name: str) -> Decl | None:
        """The declaration called `name`."""
        return next((d for d in self.decls if d.name == name), None)

    def constant(self, name: str) -> int | str | None:
        """The value of a #define."""
        found = self.find(name)
        return found.value if isinstance(found, Define) else None

    def resolve(self, name: str) -> str:
        """The type that an alias finally names; other names are returned unchanged."""
        found = self.find(name)
        while isinstance(found, Alias) and not found.target.ptr:
            name = found.target.name
            found = self.find(name)
        return name
