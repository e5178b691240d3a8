"""From the text of the header to the model: tokens, then recursive descent over the subset of C that we allow.

The grammar is in docs/bindings.md. Anything outside it stops the generator with file:line. There is no recovery and no
warning: a declaration that one binding silently lacks costs more than a rewritten line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from . import model
from .model import HeaderError

_ANY = {"alias", "callback", "constant", "entry", "enumerator", "field", "handle", "type"}
#: Each annotation: the numbers of arguments that it takes (None: one or more), and what it may be put on.
ANNOTATIONS: dict[str, tuple[tuple[int, ...] | None, set[str]]] = {
    "nullable": ((0,), {"field", "parameter", "entry"}),
    "optional": ((0,), {"parameter"}),
    "array": ((1,), {"field", "parameter"}),
    "bytes": ((1,), {"field", "parameter"}),
    "owned": ((0,), {"entry"}),
    "borrowed": ((0, 1), {"entry"}),
    "inout": ((0,), {"parameter"}),
    "flags": ((1,), {"alias"}),
    "values": ((1,), {"alias"}),
    "type": ((1,), {"constant"}),
    "user": ((1,), {"field", "parameter"}),
    "hot": ((0,), {"entry"}),
    "waits": ((0,), {"entry"}),
    "exclusive": ((0,), {"entry", "handle"}),
    "remarks": (None, {"entry"}),
    "partial": ((0,), {"entry"}),
    "static": ((0,), {"entry"}),
    "constructs": ((0,), {"entry"}),
    "module": ((0, 1), {"entry"}),
    "deprecated": ((1,), _ANY),
    "unstable": ((0,), _ANY),
}
#: Words of C that no declaration of ours uses: their size differs between targets, or other languages cannot call them.
REFUSED = {
    "long", "short", "int", "unsigned", "signed", "bool", "_Bool", "size_t", "union", "struct", "enum", "static", "inline", "extern",
    "volatile", "restrict",
}  # fmt: skip

_TOKEN = re.compile(
    r"""
    (?P<space>[ \t\r]+)
  | (?P<newline>\n)
  | (?P<comment>/\*.*?\*/)
  | (?P<directive>\#(?:\\\n|/\*(?:.|\n)*?\*/|[^\n/]|/(?!\*))*)
  | (?P<string>"(?:[^"\\\n]|\\.)*")
  | (?P<number>0[xX][0-9a-fA-F]+|[0-9]+)(?P<suffix>[uUlL]*)
  | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<punct><<|[{}()\[\];,*=:+-])
    """,
    re.VERBOSE | re.DOTALL,
)
_SECTION = re.compile(r"/\* ---- (?P<title>.+?) -{2,}(?P<text>.*)\*/$", re.DOTALL)


@dataclass
class Token:
    kind: str  # name, number, string, punct, ann, doc, after, section, directive, end
    text: str
    line: int
    comments: list[str] = field(default_factory=list)  # of a directive: those on its lines


def tokenize(path: str, text: str) -> list[Token]:
    """The tokens of `text`, comments sorted by their purpose; the prologue before the first section is left out."""
    tokens: list[Token] = []
    at, line = 0, 1
    while at < len(text):
        found = _TOKEN.match(text, at)
        if not found:
            raise HeaderError(path, line, f"unexpected character {text[at]!r}")
        kind = "number" if found["number"] else str(found.lastgroup)
        raw = found[0]
        if kind == "comment":
            tokens += _comment(path, raw, line)
        elif kind == "directive":
            comments = re.findall(r"/\*.*?\*/", raw, re.DOTALL)
            tokens.append(Token("directive", re.sub(r"/\*.*?\*/", " ", raw, flags=re.DOTALL), line, comments))
        elif kind not in ("space", "newline"):
            tokens.append(Token(kind, found["number"] if kind == "number" else raw, line))
        line += raw.count("\n")
        at = found.end()
    start = next((i for i, t in enumerate(tokens) if t.kind == "section"), None)
    if start is None:
        raise HeaderError(path, 1, "no section comment ('/* ---- Title ----')")
    tokens = tokens[start:]
    tokens.append(Token("end", "end of file", line))
    return tokens


def _comment(path: str, raw: str, line: int) -> list[Token]:
    if raw.startswith("/*@"):
        return [Token("ann", raw[2:-2], line)]
    if raw.startswith("/**<"):
        return [Token("after", _plain(raw[4:-2]), line)]
    if raw.startswith("/**"):
        return [Token("doc", raw, line)]
    if raw.startswith("/* ----"):
        if not _SECTION.match(raw):
            raise HeaderError(path, line, "a section comment reads '/* ---- Title ----' and closes with '*/'")
        return [Token("section", raw, line)]
    if re.match(r"/\*\s*@", raw):
        raise HeaderError(path, line, "an annotation starts with '/*@', without a space")
    return []


def _plain(text: str) -> str:
    lines = [re.sub(r"^\s*\*( |$)", "", part).rstrip() for part in text.strip().split("\n")]
    return " ".join(part.strip() for part in lines if part.strip())


def _paragraphs(text: str) -> str:
    lines = [re.sub(r"^\s*\* ?", "", part).rstrip() for part in text.split("\n")]
    return "\n".join(lines).strip()


def parse_doc(path: str, raw: str, line: int) -> model.Doc:
    """A documentation comment: one-sentence summary, semantics, then @param, @return, @thread, @since."""
    doc = model.Doc(line=line)
    text = _paragraphs(raw[3:-2])
    head, *rest = re.split(r"(?:^|(?<=\s))@(?=(?:param|return|thread|since)\b)", text)
    head = head.strip()
    sentence = re.match(r"(.+?\.)(?=\s|$)(.*)", head, re.DOTALL)
    doc.summary, doc.body = (sentence[1], sentence[2].strip()) if sentence else (head, "")
    doc.summary = " ".join(doc.summary.split())
    for part in rest:
        word, _, value = part.partition(" ") if " " in part.split("\n")[0] else part.partition("\n")
        value = " ".join(value.split())
        if word == "param":
            name, _, value = value.partition(" ")
            if name in doc.params:
                raise HeaderError(path, line, f"@param {name} is given twice")
            doc.params[name] = value.strip()
        elif word == "return":
            doc.returns = value
        elif word == "thread":
            doc.thread = value
        elif word == "since":
            doc.since = value.rstrip(".")
        else:
            raise HeaderError(path, line, f"unknown tag @{word}")
    return doc


class Parser:
    """Recursive descent over the tokens of one header."""

    def __init__(self, path: str, text: str):
        self.path = path
        self.tokens = tokenize(path, text)
        self.at = 0
        self.header = model.Header(path)
        self.constants: dict[str, int] = {}
        self.fenced = False  # between the #ifdef and the #endif of the unstable section

    # -- tokens ----------------------------------------------------------------------------------------------------

    @property
    def next(self) -> Token:
        return self.tokens[self.at]

    def fail(self, message: str, token: Token | None = None) -> HeaderError:
        return HeaderError(self.path, (token or self.next).line, message)

    def take(self) -> Token:
        token = self.next
        self.at += 1
        return token

    def accept(self, text: str) -> bool:
        if self.next.kind in ("name", "punct") and self.next.text == text:
            self.at += 1
            return True
        return False

    def expect(self, text: str) -> Token:
        token = self.next
        if not self.accept(text):
            raise self.fail(f"expected '{text}', found '{token.text}'")
        return token

    def name(self, what: str) -> Token:
        if self.next.kind != "name":
            raise self.fail(f"expected {what}, found '{self.next.text}'")
        return self.take()

    def after(self) -> str:
        """The comments behind an element, if any."""
        parts = []
        while self.next.kind == "after":
            parts.append(self.take().text)
        return " ".join(parts)

    # -- declarations ----------------------------------------------------------------------------------------------

    def parse(self) -> model.Header:
        doc: Token | None = None
        while True:
            token = self.next
            if token.kind == "end":
                break
            if token.kind == "directive" and token.text.split()[:2] == ["#ifdef", "__cplusplus"]:
                if self.fenced:
                    raise self.fail(f"the section '{model.UNSTABLE}' does not end with '#endif'")
                self.epilogue()
                break
            if self.fenced and token.kind == "directive" and token.text.split() == ["#endif"] and not doc:
                self.unfence()
                continue
            if token.kind == "section":
                self.section()
            elif token.kind == "doc":
                if doc:
                    raise self.fail("a documentation comment that documents nothing", doc)
                doc = self.take()
                continue
            else:
                parsed = parse_doc(self.path, doc.text, doc.line) if doc else model.Doc(line=token.line)
                self.declaration(parsed)
            if doc and token.kind == "section":
                raise self.fail("a documentation comment that documents nothing", doc)
            doc = None
        if doc:
            raise self.fail("a documentation comment that documents nothing", doc)
        return self.header

    def epilogue(self) -> None:
        """`#ifdef __cplusplus } #endif #endif`, and nothing after it."""
        self.take()
        self.expect("}")
        while self.next.kind == "directive" and self.next.text.split()[0] == "#endif":
            self.take()
        if self.next.kind != "end":
            raise self.fail(f"'{self.next.text}' after the end of the header")

    def section(self) -> None:
        token = self.take()
        found = _SECTION.match(token.text)
        assert found
        title = found["title"].strip()
        self.header.sections.append(model.Section(title, _paragraphs(found["text"]), token.line))
        if title == model.UNSTABLE:
            if self.next.kind != "directive" or self.next.text.split() != ["#ifdef", model.UNSTABLE_MACRO]:
                raise self.fail(f"the section '{title}' does not begin with '#ifdef {model.UNSTABLE_MACRO}'", token)
            self.take()
            self.fenced = True

    def unfence(self) -> None:
        """The #endif of the unstable section, which nothing but the end of the header follows."""
        self.take()
        self.fenced = False
        if self.next.kind != "end" and self.next.text.split()[:2] != ["#ifdef", "__cplusplus"]:
            raise self.fail(f"'{self.next.text.split()[0]}' follows the '#endif' of the section '{model.UNSTABLE}'")

    def add(self, decl: model.Decl) -> None:
        previous = self.header.find(decl.name) if decl.name else None
        if previous:
            raise HeaderError(self.path, decl.line, f"'{decl.name}' is declared twice (first on line {previous.line})")
        decl.section = len(self.header.sections) - 1
        self.header.decls.append(decl)

    def declaration(self, doc: model.Doc) -> None:
        token = self.next
        if token.kind == "directive":
            self.define(doc)
        elif self.accept("VD_API"):
            self.function(doc, token)
        elif self.accept("typedef"):
            self.typedef(doc, token)
        elif self.accept("enum"):
            if self.next.text != "{":
                raise self.fail("a named enum is written 'typedef VD_ENUM(name) { ... } name;'")
            values = self.enumerators()
            self.expect(";")
            self.add(model.Enum("", doc, token.line, values=values))
        else:
            raise self.fail(f"expected a declaration, found '{token.text}'")

    def typedef(self, doc: model.Doc, start: Token) -> None:
        if self.accept("struct"):
            self.struct(doc, start)
        elif self.accept("VD_ENUM"):
            self.expect("(")
            name = self.name("a name")
            self.expect(")")
            values = self.enumerators()
            ann = self.closing_name(name)
            self.add(model.Enum(name.text, doc, start.line, ann=ann, values=values))
        else:
            target = self.type()
            if self.accept("("):
                self.expect("*")
                name = self.name("a name")
                self.expect(")")
                params = self.params()
                ann = self.annotations("callback")
                self.expect(";")
                self.add(model.Callback(name.text, doc, start.line, ann=ann, returns=target, params=params))
                return
            name = self.name("a name")
            ann = self.annotations("alias")
            self.expect(";")
            self.add(model.Alias(name.text, doc, start.line, ann=ann, target=target))

    def closing_name(self, name: Token, place: str = "type") -> dict[str, list[str]]:
        close = self.name("a name")
        if close.text != name.text:
            raise self.fail(f"'{close.text}' closes a type that was opened as '{name.text}'", close)
        ann = self.annotations(place)
        self.expect(";")
        return ann

    def struct(self, doc: model.Doc, start: Token) -> None:
        name = self.name("a name")
        if not self.accept("{"):
            ann = self.closing_name(name, "handle")
            self.add(model.Handle(name.text, doc, start.line, ann=ann))
            return
        fields: list[model.Field] = []
        while not self.accept("}"):
            field = self.field("field")
            if self.accept("["):
                field.type.array, field.type.array_name = self.array_length()
                self.expect("]")
                field.ann.update(self.annotations("field"))
            if self.accept(":"):
                raise self.fail("bit-fields are outside the subset")
            self.expect(";")
            field.doc = self.after()
            if any(f.name == field.name for f in fields):
                raise HeaderError(self.path, field.line, f"field '{field.name}' is declared twice")
            fields.append(field)
        ann = self.closing_name(name)
        self.add(model.Struct(name.text, doc, start.line, ann=ann, fields=fields))

    def array_length(self) -> tuple[int, str]:
        token = self.take()
        if token.kind == "number":
            return int(token.text, 0), ""
        if token.kind == "name" and token.text in self.constants:
            return self.constants[token.text], token.text
        raise self.fail(f"'{token.text}' is not a number or an earlier #define", token)

    def function(self, doc: model.Doc, start: Token) -> None:
        warns = self.accept("VD_DEPRECATED")
        returns = self.type()
        name = self.name("a name")
        params = self.params()
        ann = self.annotations("entry")
        self.expect(";")
        self.after()
        self.add(model.Function(name.text, doc, start.line, ann=ann, returns=returns, params=params, warns=warns))

    def params(self) -> list[model.Field]:
        self.expect("(")
        if self.next.text == "void" and self.tokens[self.at + 1].text == ")":
            self.at += 2
            return []
        if self.next.text == ")":
            raise self.fail("a function without parameters is written '(void)'")
        params = [self.field("parameter")]
        while self.accept(","):
            params.append(self.field("parameter"))
        if self.next.text == "[":
            raise self.fail("an array parameter is written as a pointer with @array(x_count)")
        self.expect(")")
        for i, param in enumerate(params):
            if any(p.name == param.name for p in params[:i]):
                raise HeaderError(self.path, param.line, f"parameter '{param.name}' is declared twice")
        return params

    def field(self, place: str) -> model.Field:
        line = self.next.line
        type_ = self.type()
        name = self.name("a name")
        return model.Field(name.text, type_, self.annotations(place), "", line)

    def type(self) -> model.Type:
        const = self.accept("const")
        token = self.name("a type")
        if token.text in REFUSED:
            raise self.fail(f"'{token.text}' is outside the subset", token)
        result = model.Type(token.text, const)
        while self.next.text == "*" or (result.ptr and self.next.text == "const"):
            if self.accept("const"):
                if self.next.text != "*":
                    raise self.fail("a const pointer is outside the subset")
                result.const_ptr = True
            else:
                self.take()
                result.ptr += 1
        if result.ptr > 2:
            raise self.fail("more than two stars are outside the subset", token)
        return result

    def annotations(self, place: str) -> dict[str, list[str]]:
        result: dict[str, list[str]] = {}
        while self.next.kind == "ann":
            token = self.take()
            self.annotate(result, token.text, place, token)
        return result

    def annotate(self, result: dict[str, list[str]], text: str, place: str, token: Token) -> None:
        left = text.strip()
        while left:
            found = re.match(r"@([a-z]+)(?:\(([^()]*)\))?\s*", left)
            if not found:
                raise self.fail(f"cannot read the annotation '{left}'", token)
            word = found[1]
            args = [a.strip() for a in found[2].split(",")] if found[2] is not None else []
            if word not in ANNOTATIONS:
                raise self.fail(f"unknown annotation @{word}", token)
            counts, places = ANNOTATIONS[word]
            if not args if counts is None else len(args) not in counts:
                allowed = "at least 1" if counts is None else " or ".join(map(str, counts))
                raise self.fail(f"@{word} takes {allowed} argument(s), not {len(args)}", token)
            if place not in places:
                raise self.fail(f"@{word} has no meaning on {'an' if place[0] in 'ae' else 'a'} {place}", token)
            if word in result:
                raise self.fail(f"@{word} is given twice", token)
            result[word] = args
            left = left[found.end() :]

    # -- values ----------------------------------------------------------------------------------------------------

    def enumerators(self) -> list[model.Enumerator]:
        self.expect("{")
        values: list[model.Enumerator] = []
        while not self.accept("}"):
            before = self.take() if self.next.kind == "doc" else None
            name = self.name("an enumerator")
            if not self.accept("="):
                raise self.fail(f"enumerator '{name.text}' has no explicit value", name)
            value = self.value()
            ann = self.annotations("enumerator")
            comma = self.accept(",")
            doc = self.after()
            if before:
                doc = (_plain(before.text[3:-2]) + " " + doc).strip()
            values.append(model.Enumerator(name.text, value, doc, name.line, ann))
            if not comma and self.next.text != "}":
                raise self.fail(f"expected ',' or '}}', found '{self.next.text}'")
        if not values:
            raise self.fail("an enum without enumerators")
        return values

    def value(self) -> int:
        negative = self.accept("-")
        token = self.take()
        if token.kind != "number":
            raise self.fail(f"'{token.text}' is not a number", token)
        value = int(token.text, 0)
        if self.accept("<<"):
            shift = self.take()
            if shift.kind != "number":
                raise self.fail(f"'{shift.text}' is not a number", shift)
            value <<= int(shift.text, 0)
        return -value if negative else value

    def define(self, doc: model.Doc) -> None:
        token = self.take()
        text = token.text.replace("\\\n", " ").strip()
        found = re.match(r"#\s*define\s+([A-Za-z_]\w*)(\(?)\s*(.*)$", text, re.DOTALL)
        if not found:
            raise self.fail(f"'{text.split()[0]}' is outside the subset", token)
        name, macro, value = found[1], found[2], found[3].strip()
        if macro:
            self.of(name, value, token)
            return
        if name.endswith("_INIT"):
            self.init(name, value, token)
            return
        number = re.fullmatch(r"\(?(-?)(0[xX][0-9a-fA-F]+|\d+)[uUlL]*\)?", value)
        string = re.fullmatch(r'"([^"\\]*)"', value)
        if not number and not string:
            raise self.fail(f"the value of '{name}' is neither a number nor a string", token)
        ann: dict[str, list[str]] = {}
        docs = [doc.summary] if doc.summary else []
        for comment in token.comments:
            if comment.startswith("/*@"):
                self.annotate(ann, comment[2:-2], "constant", token)
            elif comment.startswith("/**<"):
                docs.append(_plain(comment[4:-2]))
        doc.summary = " ".join([*docs, self.after()]).strip()
        since = re.search(r"\s*@since (\S+)$", doc.summary)
        if since:
            doc.summary, doc.since = doc.summary[: since.start()], since[1]
        parsed: int | str = int(number[1] + str(int(number[2], 0))) if number else string[1]
        if isinstance(parsed, int):
            self.constants[name] = parsed
        self.add(model.Define(name, doc, token.line, ann=ann, value=parsed))

    def init(self, name: str, value: str, token: Token) -> None:
        """`#define VD_X_INIT { ... }` belongs to the struct vd_x."""
        found = self.header.find(name[: -len("_INIT")].lower())
        if not isinstance(found, model.Struct):
            raise self.fail(f"'{name}' belongs to no struct declared before it", token)
        body = re.fullmatch(r"\{(.*)\}", value, re.DOTALL)
        if not body:
            raise self.fail(f"'{name}' is written '{{ value, ... }}'", token)
        found.init = split_list(body[1])

    def of(self, name: str, rest: str, token: Token) -> None:
        """`#define VD_X_OF(a, b) { (a), (b), ... }` writes a struct vd_x in C and C++; other languages have their own way."""
        found = self.header.find(name[: -len("_OF")].lower()) if name.endswith("_OF") else None
        if not isinstance(found, model.Struct):
            raise self.fail(f"macro '{name}' takes arguments", token)
        body = re.fullmatch(r"[^(){}]*\)\s*\{(.*)\}", rest, re.DOTALL)
        if not body or len(split_list(body[1])) != len(found.fields):
            raise self.fail(f"'{name}' is not written '(...) {{ value, ... }}' with {len(found.fields)} values", token)


def split_list(text: str) -> list[str]:
    """The elements of a C initialiser list; nested braces stay together."""
    parts, depth, current = [], 0, ""
    for c in text:
        depth += (c in "({") - (c in ")}")
        if c == "," and not depth:
            parts.append(current.strip())
            current = ""
        else:
            current += c
    if current.strip():
        parts.append(current.strip())
    return parts


def parse(path: str, text: str) -> model.Header:
    """The model of a header's text; `path` is what messages name."""
    header = Parser(path, text).parse()
    stated = len(re.findall(r"^VD_API\b", text, re.MULTILINE))
    if stated != len(header.functions):
        raise HeaderError(path, 1, f"{stated} lines start with VD_API, but {len(header.functions)} functions were read")
    return header
