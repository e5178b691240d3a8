"""Random functions of Python's own control flow, for test_plain_python.py: floats are quarters below 8, and so exact in f32."""


class Program:
    """Writes one function, `program(i, out, x, n)`, whose names are floats (f...), integers (k...) and truths (t...)."""

    def __init__(self, random):
        self._random = random
        self._lines = []
        self._names = {"f": ["a", "b"], "k": ["k", "l", "m"], "t": ["t"]}
        self._busy, self._loops, self._in_helper = [], 0, True
        self._line(0, "def helper(i, x, n, a, k):")
        self._line(1, "b, l, m, t = 2.0 - a, k + 1, 3, k > 2")
        self._body(1, 1, 3)
        self._line(1, "return (a + b) % 8.0")
        self._line(0, "")
        self._line(0, "")
        self._line(0, "def program(i, out, x, n):")
        self._in_helper = False
        self._names = {"f": [], "k": [], "t": []}
        self._busy = []  # names that count loops
        self._loops = 0

    def text(self):
        for letter, begin in (
            ("f", ["0.0", "1.5", "x[i]"]),
            ("k", ["0", "3", "n[i]"]),
            ("t", ["True", "x[i] > 0", "False"]),
        ):
            for number in range(3):
                self._line(1, f"{letter}{number} = {self._random.choice(begin)}")
                self._names[letter].append(f"{letter}{number}")
        self._body(1, 0, self._random.randint(3, 7))
        total = " + ".join(self._names["f"])
        counts = " + ".join(f"{8 * 20**p} * {name}" for p, name in enumerate(self._names["k"]))
        truths = " + ".join(f"(0.0625 if {name} else 0.0)" for name in self._names["t"])
        self._line(1, f"out[i] = {total} + {counts} + {truths}")
        return "\n".join(self._lines) + "\n"

    def _line(self, depth, text):
        self._lines.append("    " * depth + text)

    def _body(self, depth, level, count):
        for _ in range(count):
            self._statement(depth, level)

    def _statement(self, depth, level):
        kinds = ["float", "float", "integer", "integer", "truth", "swap", "store", "element", "augmented", "walrus"]
        if level < 3:
            kinds += ["if", "if", "for", "while", "unrolled"]
        if self._loops:
            kinds += ["leave"]
        if not self._in_helper:
            kinds += ["call", "early"]
        getattr(self, "_" + self._random.choice(kinds))(depth, level)

    # ---- Expressions

    def _pick(self, letter):
        return self._random.choice([name for name in self._names[letter] if name not in self._busy])

    def _real(self, level=0):
        kind = self._random.randint(0, 7 if level < 3 else 2)
        if kind < 3:
            return [self._pick("f"), self._random.choice(["0.25", "2", "-1.5"]), "x[i]"][kind]
        if kind == 3:
            return f"(n[{self._whole(3)} % 12] * 0.25)"  # other elements of x change meanwhile
        if kind == 4:
            return f"({self._real(level + 1)} if {self._test(level + 1)} else {self._real(level + 1)})"
        if kind == 5:
            return f"({self._whole(level + 1)} * 0.25)"
        return f"({self._real(level + 1)} {self._random.choice('+-')} {self._real(level + 1)})"

    def _whole(self, level=0):
        kind = self._random.randint(0, 6 if level < 3 else 2)
        if kind < 3:
            return [self._random.choice(self._names["k"]), str(self._random.randint(-3, 9)), "n[i]"][kind]
        if kind == 3:
            return f"({self._whole(level + 1)} // {self._random.choice([2, 3])})"
        if kind == 4:
            return f"({self._whole(level + 1)} if {self._test(level + 1)} else {self._whole(level + 1)})"
        return f"({self._whole(level + 1)} {self._random.choice('+-*')} {self._whole(3)})"

    def _test(self, level=0):
        kind = self._random.randint(0, 6 if level < 3 else 2)
        if kind == 0:
            return self._pick("t")
        if kind == 1:
            return f"{self._real(3)} {self._random.choice(['<', '>', '<=', '!='])} {self._real(3)}"
        if kind == 2:
            return f"{self._whole(3)} {self._random.choice(['<', '==', '>='])} {self._whole(3)}"
        if kind == 3:
            return f"not ({self._test(level + 1)})"
        if kind == 4:
            return f"({self._whole(3)} <= {self._whole(2)} < {self._whole(3)})"
        return f"({self._test(level + 1)} {self._random.choice(['and', 'or'])} {self._test(level + 1)})"

    # ---- Statements

    def _float(self, depth, level):
        self._line(depth, f"{self._pick('f')} = {self._real()} % 8.0")

    def _integer(self, depth, level):
        self._line(depth, f"{self._pick('k')} = {self._whole()} % 19")

    def _truth(self, depth, level):
        self._line(depth, f"{self._pick('t')} = {self._test()}")

    def _swap(self, depth, level):
        a, b = self._pick("f"), self._pick("f")
        self._line(depth, f"{a}, {b} = {b}, {a}")

    def _store(self, depth, level):
        self._line(depth, f"x[i] = {self._real()} % 8.0")

    def _element(self, depth, level):
        self._line(depth, f"x[i] {self._random.choice('+-')}= {self._real(3)}")
        self._line(depth, "x[i] = x[i] % 8.0")

    def _augmented(self, depth, level):
        name = self._pick("f")
        self._line(depth, f"{name} {self._random.choice('+-')}= {self._real()}")
        self._line(depth, f"{name} %= 8.0")

    def _walrus(self, depth, level):
        name = self._pick("f")
        self._line(depth, f"{self._pick('t')} = ({name} := {self._real()} % 8.0) > 2")

    def _call(self, depth, level):
        self._line(depth, f"{self._pick('f')} = helper(i, x, n, {self._real(2)} % 8.0, {self._whole(3)})")

    def _early(self, depth, level):
        self._line(depth, f"if {self._test()} and {self._test()} and {self._test()}:")
        self._line(depth + 1, f"out[i] = {self._real()} % 8.0")
        self._line(depth + 1, "return")

    def _if(self, depth, level):
        self._line(depth, f"if {self._test()}:")
        self._body(depth + 1, level + 1, self._random.randint(1, 3))
        if self._random.random() < 0.3:
            self._line(depth, f"elif {self._test()}:")
            self._body(depth + 1, level + 1, self._random.randint(1, 2))
        if self._random.random() < 0.5:
            self._line(depth, "else:")
            self._body(depth + 1, level + 1, self._random.randint(1, 2))

    def _for(self, depth, level):
        name = f"c{depth}"
        self._line(
            depth, f"for {name} in range({self._whole()} % 5, {self._whole()} % 7, {self._random.choice([1, 2])}):"
        )
        self._line(depth + 1, f"{self._pick('k')} = ({name} + {self._whole(3)}) % 19")
        self._in_loop(depth, level)

    def _unrolled(self, depth, level):
        name = f"w{depth}"
        self._line(depth, f"for {name} in (0.5, 2, 1):")
        self._line(depth + 1, f"{self._pick('f')} = ({self._real(3)} + {name}) % 8.0")
        loops, self._loops = self._loops, 0
        self._body(depth + 1, level + 1, 1)
        self._loops = loops

    def _while(self, depth, level):
        if len(self._busy) == 2:
            return self._float(depth, level)
        name = self._pick("k")
        self._busy.append(name)
        self._line(depth, f"{name} = 0")
        self._line(depth, f"while {name} < {self._random.randint(1, 5)} and {self._test()}:")
        self._line(depth + 1, f"{name} += 1")
        self._in_loop(depth, level)
        self._busy.remove(name)
        return None

    def _in_loop(self, depth, level):
        self._loops += 1
        self._body(depth + 1, level + 1, self._random.randint(1, 3))
        self._loops -= 1

    def _leave(self, depth, level):
        self._line(depth, f"if {self._test()}:")
        self._line(depth + 1, self._random.choice(["break", "continue"]))
