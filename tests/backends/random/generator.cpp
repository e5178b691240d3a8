#include <algorithm>
#include <cmath>

#include "program.h"

namespace vdc::random {

namespace {

constexpr Kind kAll[] = {VD_TYPE_I8,  VD_TYPE_I16,         VD_TYPE_I32,        VD_TYPE_I64, VD_TYPE_U8,
                         VD_TYPE_U16, VD_TYPE_U32,         VD_TYPE_U64,        VD_TYPE_F16, VD_TYPE_F32,
                         VD_TYPE_F64, VD_TYPE_COMPLEX_F32, VD_TYPE_COMPLEX_F64};

vd_features features_of(Kind kind) {
  switch (part_of(kind)) {
    case VD_TYPE_I8:
    case VD_TYPE_U8:
      return VD_FEATURE_I8 | VD_FEATURE_STORAGE_8;
    case VD_TYPE_I16:
    case VD_TYPE_U16:
      return VD_FEATURE_I16 | VD_FEATURE_STORAGE_16;
    case VD_TYPE_I64:
    case VD_TYPE_U64:
      return VD_FEATURE_I64;
    case VD_TYPE_F16:
      return VD_FEATURE_F16 | VD_FEATURE_STORAGE_16;
    case VD_TYPE_F64:
      return VD_FEATURE_F64;
    default:
      return 0;
  }
}

class Generator {
 public:
  Generator(uint64_t seed, const Device& device) : random_(seed * 0x9e3779b97f4a7c15u + 1), device_(device) {}

  Program run() {
    Program& p = program_;
    p.kinds = {VD_TYPE_I32, VD_TYPE_U32};
    for (size_t more = 1 + pick(3); more > 0; --more) {
      const Kind kind = kAll[pick(std::size(kAll))];
      const bool has = std::find(p.kinds.begin(), p.kinds.end(), kind) != p.kinds.end();
      if (!has && (features_of(kind) & ~device_.features) == 0) p.kinds.push_back(kind);
    }
    for (const Kind kind : p.kinds)
      for (size_t n = 1 + pick(2); n > 0; --n) p.variables.push_back(kind);
    p.variables.push_back(VD_TYPE_BOOL);
    if (pick(3) == 0) p.invocations = 90;
    p.argument = static_cast<int32_t>(edge(VD_TYPE_I32).re);
    for (const Kind kind : p.kinds)
      p.input.push_back(draw(kind, p.invocations)), p.output.push_back(draw(kind, p.invocations));
    for (int k = 0; k < 2; ++k) p.counters[k] = draw(k ? VD_TYPE_I32 : VD_TYPE_U32, kCounters);
    budget_ = 14;
    // Variables that stay zero tell a compiler much; half of them begin with something that it cannot know.
    for (uint32_t v = 0; v < p.variables.size(); v += 2) {
      if (p.variables[v] == VD_TYPE_BOOL) continue;
      auto first = std::make_unique<Statement>();
      first->variable = v, first->value = std::make_unique<Expression>();
      first->value->what = Expression::What::Input, first->value->kind = p.variables[v];
      p.body.push_back(std::move(first));
    }
    for (auto& s : block(2, false, true)) p.body.push_back(std::move(s));
    return std::move(p);
  }

 private:
  size_t pick(size_t n) { return random_() % n; }
  template <class T, size_t N>
  T one_of(const T (&list)[N]) {
    return list[pick(N)];
  }

  std::vector<Data> draw(Kind kind, size_t count) {
    std::vector<Data> values(count);
    for (Data& value : values) value = edge(kind);
    return values;
  }

  Data edge(Kind kind) {
    if (is_complex(kind)) return {part(part_of(kind)), part(part_of(kind))};
    return {kind == VD_TYPE_BOOL ? pick(2) : part(kind), 0};
  }
  uint64_t part(vd_type scalar) {
    if (is_float(scalar)) {
      const double special[] = {0.0,
                                -0.0,
                                1.0,
                                -1.0,
                                0.5,
                                1.5,
                                -2.5,
                                3.0,
                                100.0,
                                -7.25,
                                127.5,
                                -128.5,
                                255.5,
                                32767.5,
                                -32768.5,
                                65535.5,
                                2147483648.0,
                                -2147483648.0,
                                4294967296.0,
                                9223372036854775808.0,
                                1.8446744073709552e19,
                                -1.8446744073709552e19,
                                std::numeric_limits<double>::infinity(),
                                -std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::quiet_NaN()};
      double x = one_of(special);
      if (pick(2))
        x = std::ldexp(static_cast<double>(static_cast<int>(pick(4097)) - 2048), static_cast<int>(pick(9)) - 4);
      if (pick(32) == 0)
        x = std::ldexp(pick(2) ? 1.0 : -1.5, scalar == VD_TYPE_F16 ? -14 : -126 - static_cast<int>(pick(3)));
      if (scalar == VD_TYPE_F16) return number_of(double_to_half(x)).bits;
      return scalar == VD_TYPE_F32 ? number_of(static_cast<float>(x)).bits : number_of(x).bits;
    }
    const uint32_t bits = bits_of(scalar);
    const uint64_t top = uint64_t{1} << (bits - 1), mask = top | (top - 1);
    const uint64_t special[] = {0,    1,        2,        3,   7,       8,       bits - 1, bits,
                                mask, mask - 1, mask - 7, top, top - 1, top + 1, top >> 1, 100};
    const uint64_t x = pick(2) ? one_of(special) : pick(2) ? pick(64) - 32 : random_() >> pick(64);
    return x & mask;
  }

  // ---- statements

  Block block(int depth, bool in_loop, bool top) {
    Block statements;
    for (size_t n = (top ? 4 : 1) + pick(4); n > 0 && budget_ > 0; --n) {
      --budget_;
      statements.push_back(statement(depth, in_loop, top));
    }
    return statements;
  }

  std::unique_ptr<Statement> statement(int depth, bool in_loop, bool top) {
    auto s = std::make_unique<Statement>();
    using What = Statement::What;
    const size_t what = pick(16);
    if (what < 3 && depth > 0) {
      s->what = What::If, s->value = expression(VD_TYPE_BOOL, 3);
      s->then = block(depth - 1, in_loop, false);
      if (pick(2)) s->otherwise = block(depth - 1, in_loop, false);
    } else if (what == 3 && depth > 0) {
      s->what = What::Count, s->count = static_cast<uint32_t>(pick(6));
      s->then = block(depth - 1, true, false);
    } else if (what == 4 && depth > 0) {
      s->what = What::While, s->value = expression(VD_TYPE_U32, 2);
      s->then = block(depth - 1, true, false);
    } else if (what == 5 && in_loop) {
      s->what = pick(2) ? What::Break : What::Continue, s->value = expression(VD_TYPE_BOOL, 2);
    } else if (what == 6) {
      s->what = What::Atomic, s->kind = pick(2) ? VD_TYPE_U32 : VD_TYPE_I32;
      s->count = static_cast<uint32_t>(pick(kCounters));
      s->value = expression(s->kind, 3);
    } else if (what == 7 && top) {
      s->what = What::Exchange, s->count = static_cast<uint32_t>(pick(kLocalSize));
      do s->variable = static_cast<uint32_t>(pick(program_.variables.size()));
      while (program_.variables[s->variable] == VD_TYPE_BOOL);
      s->value = expression(program_.variables[s->variable], 2);
    } else if (what < 11) {
      s->what = What::Output, s->kind = program_.kinds[pick(program_.kinds.size())];
      s->value = expression(s->kind, 4);
    } else {
      s->variable = static_cast<uint32_t>(pick(program_.variables.size()));
      s->value = expression(program_.variables[s->variable], 4);
    }
    return s;
  }

  // ---- expressions

  Tree make(vd_op op, Kind kind, Tree a, Tree b = nullptr, Tree c = nullptr) {
    auto e = std::make_unique<Expression>();
    e->what = Expression::What::Op, e->op = op, e->kind = kind;
    for (Tree* t : {&a, &b, &c})
      if (*t) e->operands.push_back(std::move(*t));
    return e;
  }
  Tree constant(Kind kind, Data value) {
    auto e = std::make_unique<Expression>();
    e->kind = kind, e->constant = value;
    return e;
  }

  Tree leaf(Kind kind) {
    using What = Expression::What;
    auto e = std::make_unique<Expression>();
    e->kind = kind;
    const bool array = std::find(program_.kinds.begin(), program_.kinds.end(), kind) != program_.kinds.end();
    const size_t what = pick(8);
    if (what < 3 && array) {
      e->what = what == 0 ? What::Output : What::Input;
    } else if (what == 3 && kind == VD_TYPE_U32) {
      e->what = pick(2) ? What::GlobalId : What::LocalId;
    } else if (what == 3 && kind == VD_TYPE_I32) {
      e->what = What::Argument;
    } else if (what < 6 &&
               std::find(program_.variables.begin(), program_.variables.end(), kind) != program_.variables.end()) {
      e->what = What::Variable;
      do e->variable = static_cast<uint32_t>(pick(program_.variables.size()));
      while (program_.variables[e->variable] != kind);
    } else {
      e->constant = edge(kind);
      if (is_complex(kind)) e->constant.im = 0;  // what a plain constant of the IR holds
    }
    return e;
  }

  Tree expression(Kind kind, int depth) {
    if (depth == 0 || pick(6) == 0) return leaf(kind);
    if (kind == VD_TYPE_BOOL) return condition(depth);
    const auto sub = [&](Kind of) { return expression(of, depth - 1); };
    const size_t what = pick(10);
    if (what == 0) return make(VD_OP_SELECT, kind, condition(depth), sub(kind), sub(kind));
    if (is_complex(kind)) return complex(kind, depth);
    if (what < 3) return converted(kind, depth);
    if (is_float(kind)) {
      const vd_op two[] = {VD_OP_ADD, VD_OP_SUB, VD_OP_MUL, VD_OP_ADD, VD_OP_MIN, VD_OP_MAX};
      const vd_op one[] = {VD_OP_NEG, VD_OP_ABS, VD_OP_FLOOR, VD_OP_CEIL, VD_OP_TRUNC, VD_OP_ROUND_EVEN, VD_OP_SIGN};
      if (kind == VD_TYPE_F32 && what == 3) return make(VD_OP_DIV, kind, sub(kind), sub(kind));
      if (kind == VD_TYPE_F32 && what == 4) return make(VD_OP_FMA, kind, sub(kind), sub(kind), sub(kind));
      return what < 8 ? make(one_of(two), kind, sub(kind), sub(kind)) : make(one_of(one), kind, sub(kind));
    }
    const vd_op two[] = {VD_OP_ADD, VD_OP_SUB, VD_OP_MUL, VD_OP_DIV, VD_OP_REM, VD_OP_FLOORDIV, VD_OP_FLOORMOD,
                         VD_OP_AND, VD_OP_OR,  VD_OP_XOR, VD_OP_SHL, VD_OP_SHR, VD_OP_MIN,      VD_OP_MAX};
    const vd_op one[] = {VD_OP_NEG,  VD_OP_NEG,      VD_OP_ABS, VD_OP_ABS, VD_OP_NOT,
                         VD_OP_SIGN, VD_OP_POPCOUNT, VD_OP_CLZ, VD_OP_CTZ, VD_OP_BITREVERSE};
    if (what == 3) return make(VD_OP_CLAMP, kind, sub(kind), sub(kind), sub(kind));
    return what < 8 ? make(one_of(two), kind, sub(kind), sub(kind)) : make(one_of(one), kind, sub(kind));
  }

  Tree complex(Kind kind, int depth) {
    const auto sub = [&](Kind of) { return expression(of, depth - 1); };
    switch (pick(kind == VD_TYPE_COMPLEX_F32 ? 6 : 5)) {
      case 0:
        return make(VD_OP_CONSTRUCT, kind, sub(part_of(kind)), sub(part_of(kind)));
      case 1:
        return make(VD_OP_CONJ, kind, sub(kind));
      case 2:
        return make(VD_OP_NEG, kind, sub(kind));
      case 3:
        return make(VD_OP_SUB, kind, sub(kind), sub(kind));
      case 4:
        return make(VD_OP_ADD, kind, sub(kind), sub(kind));
      default:
        return make(VD_OP_MUL, kind, sub(kind), sub(kind));
    }
  }

  // From another kind of the program, or from a complex number one of its parts.
  Tree converted(Kind kind, int depth) {
    Kind from = program_.kinds[pick(program_.kinds.size())];
    if (pick(6) == 0) from = VD_TYPE_BOOL;
    if (is_complex(from)) {
      if (part_of(from) != kind) return leaf(kind);
      return make(VD_OP_INDEX, kind, expression(from, depth - 1), constant(VD_TYPE_U32, {pick(2), 0}));
    }
    Tree operand = expression(from, depth - 1);
    if (from == kind) return operand;
    const bool same_size = from != VD_TYPE_BOOL && bits_of(from) == bits_of(kind);
    if (same_size && pick(3) == 0) return make(VD_OP_BITCAST, kind, std::move(operand));
    if (device_.llvmpipe && is_float(kind) && is_integer(from)) {
      const uint32_t digits = kind == VD_TYPE_F16 ? 10 : kind == VD_TYPE_F32 ? 23 : 52;
      if (bits_of(from) > digits)
        operand = make(VD_OP_AND, from, std::move(operand), constant(from, {(uint64_t{1} << digits) - 1, 0}));
    }
    return make(VD_OP_CONVERT, kind, std::move(operand));
  }

  Tree condition(int depth) {
    const auto sub = [&](Kind of) { return expression(of, depth - 1); };
    const size_t what = pick(8);
    if (what == 0) return make(VD_OP_LNOT, VD_TYPE_BOOL, sub(VD_TYPE_BOOL));
    if (what == 1) return make(pick(2) ? VD_OP_LAND : VD_OP_LOR, VD_TYPE_BOOL, sub(VD_TYPE_BOOL), sub(VD_TYPE_BOOL));
    const Kind kind = program_.kinds[pick(program_.kinds.size())];
    if (is_complex(kind)) return make(pick(2) ? VD_OP_EQ : VD_OP_NE, VD_TYPE_BOOL, sub(kind), sub(kind));
    if (what == 2) return make(VD_OP_CONVERT, VD_TYPE_BOOL, sub(kind));
    if (what == 3 && is_float(kind)) return make(pick(2) ? VD_OP_ISNAN : VD_OP_ISINF, VD_TYPE_BOOL, sub(kind));
    const vd_op ops[] = {VD_OP_EQ, VD_OP_NE, VD_OP_LT, VD_OP_LE, VD_OP_GT, VD_OP_GE};
    return make(one_of(ops), VD_TYPE_BOOL, sub(kind), sub(kind));
  }

  std::mt19937_64 random_;
  const Device device_;
  Program program_;
  int budget_ = 0;
};

}  // namespace

Program generate(uint64_t seed, const Device& device) { return Generator(seed, device).run(); }

}  // namespace vdc::random
