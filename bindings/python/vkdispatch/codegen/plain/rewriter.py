"""Rewriting of a function's source: its control flow and local names become calls of a Flow, its lines stay where they were.

`if`, `for` and `while` become loops and branches of Python's whose heads ask the flow, which opens and closes blocks of
the kernel: each body is written down once, whether Python decides or the kernel does. A local name becomes an item of the
flow. Expressions that Python would decide (`and`, `or`, `not`, a chain of comparisons, `x if c else y`) become calls, and
so do `%` and `//`, which of floats are those of Python, and components (`v.xy`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any, NoReturn

#: The name of the flow in a rewritten function.
FLOW = "__vd"

_REFUSED: dict[type[ast.AST], str] = {
    ast.AsyncFor: "'async for'", ast.AsyncFunctionDef: "a function inside of it", ast.AsyncWith: "'async with'",
    ast.Await: "'await'", ast.ClassDef: "a class inside of it", ast.Delete: "'del'",
    ast.FunctionDef: "a function inside of it", ast.Global: "'global'", ast.Import: "'import'",
    ast.ImportFrom: "'import'", ast.Match: "'match'", ast.Nonlocal: "'nonlocal'", ast.Raise: "'raise'",
    ast.Try: "'try'", ast.With: "'with'", ast.Yield: "'yield'", ast.YieldFrom: "'yield'",
}  # fmt: skip
# Expressions without effects, whose evaluation reads no memory.
_PLAIN = (
    ast.Attribute, ast.BinOp, ast.BoolOp, ast.Compare, ast.Constant, ast.Name, ast.UnaryOp, ast.boolop, ast.cmpop,
    ast.expr_context, ast.operator, ast.unaryop,
)  # fmt: skip
_LETTERS = (frozenset("xyzw"), frozenset("rgba"))


def is_swizzle(name: str) -> bool:
    """Whether a name means components of a vector that are no attribute of it: several of xyzw, or any of rgba."""
    letters = set(name)
    return len(name) <= 4 and (len(name) > 1 and letters <= _LETTERS[0] or letters <= _LETTERS[1])


def _is_plain(node: ast.AST) -> bool:
    return all(isinstance(part, _PLAIN) for part in ast.walk(node))


class _Stores(ast.NodeVisitor):
    """The names that code stores to, without those of its comprehensions and lambdas."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load) and node.id not in self.names:
            self.names.append(node.id)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for part in (node.iter, *node.ifs):
            self.visit(part)


def _stored(nodes: Iterable[ast.AST]) -> list[str]:
    found = _Stores()
    for node in nodes:
        found.visit(node)
    return found.names


def _heads(statement: ast.stmt) -> list[ast.AST]:
    """The expressions that a statement evaluates by itself."""
    if isinstance(statement, ast.If | ast.While):
        return [statement.test]
    return [statement.iter] if isinstance(statement, ast.For) else [statement]


def _used_outside(function: ast.FunctionDef) -> dict[int, set[str]]:
    """For each loop over values, by its id: the names that are read elsewhere."""
    parts = list(ast.walk(function))
    found = {}
    for loop in parts:
        if isinstance(loop, ast.For):
            inside = {id(part) for part in ast.walk(loop)}
            reads = (part for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load))
            found[id(loop)] = {part.id for part in reads if id(part) not in inside}
    return found


class Rewriter(ast.NodeTransformer):
    """Rewrites one function; `file` is where it stands."""

    def __init__(self, function: ast.FunctionDef, file: str):
        self._function, self._file = function, file
        self._locals = set(_stored(function.body))
        self._walruses: set[str] = set()  # names that the statement's expressions assign
        self._has_calls = False  # whether the statement calls a function, which may store to memory
        self._used_behind = _used_outside(function)
        self._hidden: list[str] = []  # names of comprehensions and lambdas around
        self._loops: list[str] = []
        self._places: list[ast.expr] = []  # expressions that may mean a place, not its value
        self._count = 0

    def rewritten(self) -> ast.FunctionDef:
        """The function with the flow as its first parameter, without decorators, defaults and annotations."""
        old = self._function
        if old.args.vararg is not None or old.args.kwarg is not None:
            self._refuse(old, "a parameter with '*'")
        names = [a.arg for a in [*old.args.posonlyargs, *old.args.args, *old.args.kwonlyargs]]
        begin = [self._store(name, ast.Name(name, ast.Load()), old) for name in names if name in self._locals]
        body = self._block(old.body)
        arguments = ast.arguments([], [ast.arg(name) for name in (FLOW, *names)], None, [], [], None, [])
        new = ast.FunctionDef(name=old.name, args=arguments, body=[*begin, *body], decorator_list=[], returns=None)
        if "type_params" in ast.FunctionDef._fields:
            new.type_params = []  # type: ignore[attr-defined]
        for node in ast.walk(new):
            if not hasattr(node, "lineno") and isinstance(node, ast.arg):
                ast.copy_location(node, old)
        return ast.fix_missing_locations(ast.copy_location(new, old))

    # ---- Pieces

    def _refuse(self, node: ast.AST, said: str) -> NoReturn:
        at: Any = node
        raise SyntaxError(
            f"{self._file}:{at.lineno}: {said} has no meaning in '{self._function.name}', which becomes a kernel!"
        )

    @staticmethod
    def _call(at: ast.AST, method: str, *arguments: ast.expr, of: str = FLOW) -> ast.Call:
        call = ast.copy_location(
            ast.Call(ast.Attribute(ast.Name(of, ast.Load()), method, ast.Load()), list(arguments), []), at
        )
        # The last line of a call's attribute is what Python reports.
        call.end_lineno, call.end_col_offset = call.lineno, call.col_offset
        return ast.fix_missing_locations(call)

    def _names(self, names: Iterable[str]) -> ast.expr:
        return ast.Tuple([ast.Constant(name) for name in names], ast.Load())

    def _item(self, name: str, context: ast.expr_context) -> ast.Subscript:
        return ast.Subscript(ast.Name(FLOW, ast.Load()), ast.Constant(name), context)

    def _store(self, name: str, value: ast.expr, at: ast.AST) -> ast.stmt:
        return _placed(ast.Assign([self._item(name, ast.Store())], value), at)

    def _new_name(self) -> str:
        self._count += 1
        return f"{FLOW}_{self._count}"

    def _later(self, node: ast.expr) -> ast.expr:
        """An expression that the flow evaluates when it is time."""
        nothing = ast.arguments([], [], None, [], [], None, [])
        return _placed(ast.Lambda(nothing, self.visit(node)), node)

    def _block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        for statement in body:
            parts = [part for head in _heads(statement) for part in ast.walk(head)]
            self._has_calls = any(isinstance(part, ast.Call) for part in parts)
            self._walruses = {part.target.id for part in parts if isinstance(part, ast.NamedExpr)}
            new = self.visit(statement)
            result += new if isinstance(new, list) else [new]
            if isinstance(statement, ast.Return | ast.Break | ast.Continue):
                break
        return result

    def visit(self, node: ast.AST) -> Any:
        said = _REFUSED.get(type(node))
        if said is None and type(node).__name__ == "TryStar":
            said = "'try'"
        if said is not None:
            self._refuse(node, said)
        return super().visit(node)

    # ---- Names

    def visit_Name(self, node: ast.Name) -> Any:
        if node.id not in self._locals or node.id in self._hidden:
            return node
        item = _placed(self._item(node.id, node.ctx), node)
        is_changed = isinstance(node.ctx, ast.Load) and node.id in self._walruses
        return self._call(node, "frozen", item) if is_changed else item

    def visit_NamedExpr(self, node: ast.NamedExpr) -> Any:
        return self._call(node, "keep", ast.Constant(node.target.id), self.visit(node.value))

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        arguments = node.args
        hidden = [a.arg for a in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]]
        hidden += [a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None]
        arguments.defaults = [self.visit(value) for value in arguments.defaults]
        arguments.kw_defaults = [value and self.visit(value) for value in arguments.kw_defaults]
        self._hidden += hidden
        node.body = self.visit(node.body)
        del self._hidden[len(self._hidden) - len(hidden) :]
        return node

    def _comprehension(self, node: Any) -> Any:
        hidden = [
            part.id
            for generator in node.generators
            for part in ast.walk(generator.target)
            if isinstance(part, ast.Name)
        ]
        node.generators[0].iter = self.visit(node.generators[0].iter)
        self._hidden += hidden
        for i, generator in enumerate(node.generators):
            if i:
                generator.iter = self.visit(generator.iter)
            generator.ifs = [self.visit(part) for part in generator.ifs]
        for field in ("elt", "key", "value"):
            if hasattr(node, field):
                setattr(node, field, self.visit(getattr(node, field)))
        del self._hidden[len(self._hidden) - len(hidden) :]
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def visit_Call(self, node: ast.Call) -> Any:
        return self._called(node, "call")

    def _called(self, node: Any, method: str) -> ast.Call:
        """A call of the flow's, with the function and its arguments."""
        self._places += node.args
        call = self._call(node, method, self.visit(node.func), *[self.visit(part) for part in node.args])
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        call.keywords = node.keywords
        return call

    # ---- Assignments

    def visit_Assign(self, node: ast.Assign) -> Any:
        value = self.visit(node.value)
        if any(isinstance(target, ast.Tuple | ast.List) for target in node.targets):
            value = self._call(node.value, "frozen", value)
        return _placed(ast.Assign([self.visit(target) for target in node.targets], value), node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is None:
            return _placed(ast.Pass(), node)
        value = self.visit(node.value)
        if isinstance(node.target, ast.Name):
            value = self._call(node, "typed", self._later(node.annotation), value)
        return _placed(ast.Assign([self.visit(node.target)], value), node)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        target = node.target
        if isinstance(target, ast.Name) or isinstance(target, ast.Attribute) and is_swizzle(target.attr):
            loaded = ast.parse(ast.unparse(target), mode="eval").body
            for part in ast.walk(loaded):
                ast.copy_location(part, target)
            value = _placed(ast.BinOp(loaded, node.op, node.value), node)
            return self.visit(_placed(ast.Assign([target], value), node))
        return _placed(ast.AugAssign(self.visit(target), node.op, self.visit(node.value)), node)

    def _note_place(self, node: ast.Subscript | ast.Attribute) -> None:
        """Note the parts that lead to what is stored to: they are places, and no values."""
        inner = node.value
        while isinstance(node.ctx, ast.Store) and isinstance(inner, ast.Subscript | ast.Attribute):
            self._places.append(inner)
            inner = inner.value

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        self._note_place(node)
        value, index = self.visit(node.value), self.visit(node.slice)
        if isinstance(node.ctx, ast.Store):
            value = self._call(node, "items", value)
        item = _placed(ast.Subscript(value, index, node.ctx), node)
        # A function that is called behind may change what was read; an argument by itself may mean the place.
        is_read = isinstance(node.ctx, ast.Load) and self._has_calls and node not in self._places
        return self._call(node, "frozen", item) if is_read else item

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        self._note_place(node)
        value = self.visit(node.value)
        if isinstance(node.ctx, ast.Store):
            value = self._call(node, "parts", value)
        elif is_swizzle(node.attr):
            return self._call(node, "component", value, ast.Constant(node.attr))
        return _placed(ast.Attribute(value, node.attr, node.ctx), node)

    # ---- Expressions that Python would decide

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        plain = ast.Tuple([ast.Constant(_is_plain(value)) for value in node.values], ast.Load())
        kind = ast.Constant(isinstance(node.op, ast.And))
        return self._call(node, "join", kind, plain, *[self._later(value) for value in node.values])

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        operand = self.visit(node.operand)
        if isinstance(node.op, ast.Not):
            return self._call(node, "negate", operand)
        return _placed(ast.UnaryOp(node.op, operand), node)

    def visit_Compare(self, node: ast.Compare) -> Any:
        operands = [node.left, *node.comparators]
        if len(operands) == 2:
            self.generic_visit(node)
            return node
        links: list[ast.expr] = []
        plain: list[ast.expr] = []
        for i, op in enumerate(node.ops):
            left, right = operands[i], operands[i + 1]
            # The operand between two comparisons is evaluated once.
            first = self.visit(left) if i == 0 else self._call(left, "kept", ast.Constant(f"operand {i}"))
            second: ast.expr = self.visit(right)
            if i + 1 < len(node.ops):
                second = self._call(right, "keep_value", ast.Constant(f"operand {i + 1}"), second)
            link = _placed(ast.Compare(first, [op], [second]), node)
            links.append(_placed(ast.Lambda(ast.arguments([], [], None, [], [], None, []), link), node))
            plain.append(ast.Constant(_is_plain(right)))
        return self._call(node, "join", ast.Constant(True), ast.Tuple(plain, ast.Load()), *links)

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        return self._call(node, "choose", self.visit(node.test), self._later(node.body), self._later(node.orelse))

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        left, right = self.visit(node.left), self.visit(node.right)
        if isinstance(node.op, ast.Mod | ast.FloorDiv):
            return self._call(node, "mod" if isinstance(node.op, ast.Mod) else "floordiv", left, right)
        return _placed(ast.BinOp(left, node.op, right), node)

    # ---- Statements

    def visit_If(self, node: ast.If) -> Any:
        name = self._new_name()
        branch = self._call(node, "branch", self.visit(node.test), self._names(_stored([*node.body, *node.orelse])))
        result: list[ast.stmt] = [_placed(ast.Assign([ast.Name(name, ast.Store())], branch), node)]
        result.append(_placed(ast.If(self._call(node, "then", of=name), self._block(node.body), []), node))
        if node.orelse:
            # The line of the else's body: that of the `if` would count as run again.
            at = node.orelse[0]
            result.append(_placed(ast.If(self._call(at, "other", of=name), self._block(node.orelse), []), at))
        result.append(_placed(ast.Expr(self._call(node, "end", of=name)), node))
        return result

    def visit_For(self, node: ast.For) -> Any:
        if node.orelse:
            self._refuse(node.orelse[0], "the 'else' of a loop")
        source: ast.expr = node.iter
        is_range = isinstance(source, ast.Call) and isinstance(source.func, ast.Name) and source.func.id == "range"
        new = self._called(source, "range") if is_range else self.visit(source)
        body, names = _stored(node.body), _stored([node.target])
        kept = [name for name in names if name in body or name in self._used_behind[id(node)]]
        free = [name for name in names if name not in kept]
        opened = self._call(
            node, "loop", new, self._names([*kept, *(n for n in body if n not in kept)]), self._names(free)
        )
        return self._loop(node, opened, self.visit(node.target), node.body)

    def visit_While(self, node: ast.While) -> Any:
        if node.orelse:
            self._refuse(node.orelse[0], "the 'else' of a loop")
        names = self._names(_stored([node.test, *node.body]))
        plain = ast.Constant(_is_plain(node.test))
        opened = self._call(node, "turns", self._later(node.test), plain, names)
        return self._loop(node, opened, ast.Name(f"{FLOW}_", ast.Store()), node.body)

    def _loop(self, at: ast.stmt, opened: ast.expr, target: ast.expr, body: list[ast.stmt]) -> list[ast.stmt]:
        name = self._new_name()
        self._loops.append(name)
        inner = self._block(body)
        self._loops.pop()
        return [
            _placed(ast.Assign([ast.Name(name, ast.Store())], opened), at),
            _placed(ast.For(target, ast.Name(name, ast.Load()), inner, []), at),
        ]

    def visit_Break(self, node: ast.Break) -> Any:
        return self._leave(node, "break")

    def visit_Continue(self, node: ast.Continue) -> Any:
        return self._leave(node, "continue")

    def _leave(self, node: ast.stmt, word: str) -> ast.stmt:
        if not self._loops:  # Python itself has refused it before
            self._refuse(node, f"'{word}' outside of a loop")
        return _placed(ast.If(self._call(node, "leave", ast.Constant(word), of=self._loops[-1]), [node], []), node)

    def visit_Return(self, node: ast.Return) -> Any:
        value = None if node.value is None else self.visit(node.value)
        test = self._call(node, "leave", ast.Constant(value is not None))
        return _placed(ast.If(test, [_placed(ast.Return(value), node)], []), node)


def _placed(node: Any, at: ast.AST) -> Any:
    return ast.fix_missing_locations(ast.copy_location(node, at))
